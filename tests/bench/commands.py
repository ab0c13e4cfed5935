"""What a command costs as a whole process, in an environment that holds nothing of the user's."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

COCORECALL = str(Path(sys.executable).with_name("cocorecall"))


@dataclass(frozen=True)
class Cost:
    """Wall time in seconds, and the peak of memory in MB."""

    seconds: float
    megabytes: float


def environment(home: Path) -> dict[str, str]:
    """Give the variables of a user at `home`, whose Python keeps what it compiles there."""
    held = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**held, "HOME": str(home), "PYTHONPYCACHEPREFIX": str(home / "compiled")}


def cost(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Cost:
    """Run a command and give what it cost; raises CalledProcessError if it fails.

    The peak is the system's, and never below that of the process that asks.
    """
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return Cost(seconds, used.ru_maxrss / 1024)


def in_turn(
    commands: Mapping[str, Sequence[str]], runs: int, folder: Path, variables: Mapping[str, str]
) -> dict[str, list[Cost]]:
    """Run commands one after the other, so many times, after one that does not count."""
    for command in commands.values():
        cost(command, folder, variables)
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            found[name].append(cost(command, folder, variables))
    return found


def median(costs: Sequence[Cost]) -> float:
    """Give the median of wall times in seconds."""
    return statistics.median(each.seconds for each in costs)


def ratio(own: Sequence[Cost], other: Sequence[Cost]) -> float:
    """Give the median of the ratios of runs that took turns, which a slow minute does not move."""
    return statistics.median(a.seconds / b.seconds for a, b in zip(own, other, strict=True))


def make_project(folder: Path, source: str) -> None:
    """Make a project whose sessions are read from `source`."""
    (folder / ".cocoplus").mkdir(parents=True)
    (folder / "cocoplus").mkdir()
    (folder / "cocoplus" / "recall-sources.json").write_text(f'["{source}"]', "utf-8")
