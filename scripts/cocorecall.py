"""Run cocorecall from a clone: python3 scripts/cocorecall.py search refresh token."""

import sys

if __name__ == "__main__":
    try:
        from total_recall.sessions.cli import main

        main()
    except ModuleNotFoundError as missing:
        sys.exit(f"cocorecall: the package {missing.name} is missing; run ./install.sh")
