"""Our own commands: where each is, and running one."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from total_recall.errors import NotFoundError


def path_of(command: str) -> Path:
    """Give the full path of a command: beside the running Python, else on the PATH."""
    beside = Path(sys.executable).with_name(command)
    if beside.is_file():
        return beside
    if elsewhere := shutil.which(command):
        return Path(elsewhere).absolute()
    raise NotFoundError(f"the command {command} is not installed", hint="run ./install.sh")


def output_of(command: str, words: Sequence[str], folder: Path) -> str:
    """Run a command in a folder and give what it printed, both streams as a terminal shows them."""
    done = subprocess.run(
        [path_of(command), *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout
