"""Print what a question costs as a whole process, beside `grep -ril` over the same notes.

    python tests/bench/realm_speed.py [--data DIR] [--notes N]

DIR holds `adr-corpora.tar.gz`, the public decision records; with `--notes` that many notes of
7 KB are made instead, of the same lines by a fixed seed. Each figure is a median of several runs
in turn, cold: a new process each time. The ratio is what to compare over machines: against a
program that only imports what the command needs. MB is the peak of memory.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
RUNS = 5
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


def cost(command: list[str], folder: Path) -> tuple[float, float]:
    """Run a command and give its wall time, and its peak memory in MB."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        _, _, used = os.wait4(running.pid, 0)
    return time.perf_counter() - start, used.ru_maxrss / 1024


def make_notes(folder: Path, count: int) -> None:
    """Write notes of 7 KB with a decision's sections, each of the lines of one record there."""
    drawn = random.Random(1)
    texts = [path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.md"))]
    records = [[line for line in text.split("\n") if len(line) > 20] for text in texts]
    records = [lines for lines in records if len(lines) > 10]
    shutil.rmtree(folder)
    for number in range(count):
        lines = drawn.choice(records)
        text = f"# {' '.join(drawn.choice(lines).split()[:6]).strip('# ')}\n"
        for heading in ("Status", "Context", "Decision", "Considered Options", "Consequences"):
            text += f"\n## {heading}\n\n"
            end = len(text) + 1400
            while len(text) < end:
                text += f"{drawn.choice(lines)[:400]}\n"
        path = folder / f"area-{number % 50}" / "decisions" / f"{number:05}-note.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def main() -> None:
    """Print a line a query: medians in seconds, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--notes", type=int, default=0)
    wishes = parser.parse_args()
    archive = wishes.data / "adr-corpora.tar.gz"
    recall = str(Path(sys.executable).with_name("realm-recall"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with tarfile.open(archive) as held:
            if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on
                held.extractall(folder / "adr", filter="data")
            else:
                held.extractall(folder / "adr")
        if wishes.notes:
            make_notes(folder / "adr", wishes.notes)
        (folder / ".realm").mkdir()
        state = json.dumps({"projectDir": "adr"})
        (folder / ".realm" / "realm-state.json").write_text(state)
        imports = [sys.executable, "-c", "import click, frontmatter"]
        print(f"{'query':44} {'recall':>7} {'imports':>8} {'grep':>7} {'ratio':>6} {'MB':>5}")
        for query in QUERIES:
            commands = ([recall, query], imports, ["grep", "-ril", query.split()[-1], "adr"])
            rounds = [[cost(command, folder) for command in commands] for _ in range(RUNS)]
            times = [[seconds for seconds, _ in each] for each in zip(*rounds, strict=True)]
            own, base, grep = map(statistics.median, times)
            peak = max(each[0][1] for each in rounds)
            print(f"{query:44} {own:7.3f} {base:8.3f} {grep:7.3f} {own / base:6.1f} {peak:5.0f}")


if __name__ == "__main__":
    main()
