"""Run realm-recall from a clone: python3 scripts/realm_recall.py why JWT."""

import sys

if __name__ == "__main__":
    try:
        from total_recall.vault.cli import main

        main()
    except ModuleNotFoundError as missing:
        sys.exit(f"realm-recall: the package {missing.name} is missing; run ./install.sh")
