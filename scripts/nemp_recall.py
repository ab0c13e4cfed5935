"""Run nemp-recall from a clone: python3 scripts/nemp_recall.py auth-flow."""

import sys

if __name__ == "__main__":
    try:
        from total_recall.memory.cli import main

        main()
    except ModuleNotFoundError as missing:
        sys.exit(f"nemp-recall: the package {missing.name} is missing; run ./install.sh")
