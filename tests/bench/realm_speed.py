"""Print what a question costs as a whole process, beside `grep -ril` over the same notes.

    python tests/bench/realm_speed.py [--data DIR]

DIR holds `adr-corpora.tar.gz`, the public decision records. Each figure is a median of several
runs in turn, cold: a new process each time. The first column of ratios is what to compare over
machines: against a program that only imports what the command needs.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
RUNS = 7
QUERIES = (
    "why JWT",
    "what was rejected for auth",
    "constraint on payments",
    "has anyone tried websockets",
    "session refresh",
    "auth",
    "decisions",
    "why was the api service data model chosen",
)


def seconds(command: list[str], folder: Path) -> float:
    """Run a command and give its wall time."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Print a line a query: medians in seconds, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    archive = parser.parse_args().data / "adr-corpora.tar.gz"
    recall = str(Path(sys.executable).with_name("realm-recall"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with tarfile.open(archive) as held:
            if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on
                held.extractall(folder / "adr", filter="data")
            else:
                held.extractall(folder / "adr")
        (folder / ".realm").mkdir()
        state = json.dumps({"projectDir": "adr"})
        (folder / ".realm" / "realm-state.json").write_text(state)
        imports = [sys.executable, "-c", "import click, frontmatter"]
        print(f"{'query':44} {'recall':>7} {'imports':>8} {'grep':>7} {'ratio':>6}")
        for query in QUERIES:
            commands = ([recall, query], imports, ["grep", "-ril", query.split()[-1], "adr"])
            rounds = [[seconds(command, folder) for command in commands] for _ in range(RUNS)]
            own, base, grep = (statistics.median(times) for times in zip(*rounds, strict=True))
            print(f"{query:44} {own:7.3f} {base:8.3f} {grep:7.3f} {own / base:6.1f}")


if __name__ == "__main__":
    main()
