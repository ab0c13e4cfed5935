"""The demo: each command over the example workspace, as a user would type it."""

import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from total_recall import files
from total_recall.setup import bundle, programs

COMMANDS = (
    "realm-recall why JWT",
    "realm-recall what was rejected for auth",
    "realm-recall constraint on payments",
    "realm-recall has anyone tried websockets",
    "realm-recall decisions",
    "realm-recall auth",
    "realm-recall session refresh",
    "realm-recall auth --trace",
    "realm-recall '#critical-path' --count",
    "realm-recall adr-008-auth-jwt --deps",
    "nemp-recall auth-flow",
    "nemp-recall how does auth work",
    "nemp-recall package manager",
    "nemp-recall kubernetes",
    "cocorecall import",
    "cocorecall search refresh token",
    "cocorecall search spent token --all",
    "cocorecall search spent token --session 5b1f0c2e",
    "cocorecall show d3a70b15",
    "cocorecall search kubernetes",
    "cocorecall status",
)


def conversation() -> Iterator[str]:
    """Give each command and what it prints, run in a copy of the examples."""
    with tempfile.TemporaryDirectory(prefix="total-recall-demo-") as temporary:
        folder = Path(temporary, "harbor")
        files.replace_folder(folder, bundle.example_files())
        for command in COMMANDS:
            name, *words = shlex.split(command)
            yield f"$ {command}\n{programs.output_of(name, words, folder)}"
