"""Print what an import costs as a whole process, beside the least that any index would have to do.

    python -m tests.bench.import_speed [--turns N] [--sessions N] [--big GB] [--large]

The transcripts are Claude Code's, made by a fixed seed. `parse` is a bare Python that decodes
every line of them and keeps nothing; `fts` one that puts the same texts into a full-text table of
SQLite, by the same tokenizer, in one transaction, without entities, citations or chunks. Both are
what a reader could write in ten lines, and the ratios to them are what to compare over machines.
Times are medians of runs in turn, each a new process on a new index; MB is the peak of memory.

`dialogue` is talk with some tool output, also imported again unchanged and after one file grew;
`--large` does all that with ten times as much too. `tools` and `one file` are shaped like real
transcripts, 97 % of which is tool output: `--big` GB of each, 0.25 by default; the targets name 1.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import made_transcripts
from tests.bench.commands import (
    COCORECALL,
    Cost,
    cost,
    environment,
    in_turn,
    make_project,
    median,
    ratio,
)
from tests.bench.made_transcripts import Shape

RUNS = 3
AGAIN_RUNS = 5
APPENDED = 20  # turns
TOOL_OUTPUT = 14_500  # characters; each stands in a transcript twice
TOOL_TURN_BYTES = 16_100  # of a transcript that a turn and its share of the output take
PARSE = """
import json, pathlib, sys

for path in pathlib.Path(sys.argv[1]).iterdir():
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
"""
FTS = """
import json, pathlib, sqlite3, sys

db = sqlite3.connect(sys.argv[2])
db.execute("CREATE VIRTUAL TABLE turns USING fts5 (text, tokenize = 'porter unicode61')")
for path in pathlib.Path(sys.argv[1]).iterdir():
    with path.open("rb") as file:
        for line in file:
            content = json.loads(line)["message"]["content"]
            if not isinstance(content, str):
                content = " ".join(block.get("text", "") for block in content)
            if content:
                db.execute("INSERT INTO turns VALUES (?)", (content,))
db.commit()
"""


class Bench:
    """A project in a temporary folder, and the transcripts that it is given."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.sessions = folder / "home" / "sessions"
        self.table = folder / "fts.db"
        self._variables = environment(folder / "home")
        self.sessions.mkdir(parents=True)
        make_project(self.project, "~/sessions")
        self.again()  # so that what Python compiles is there

    @property
    def index(self) -> Path:
        """The place of the index."""
        return self.project / ".cocoplus" / "recall.db"

    def replace(self, shape: Shape) -> tuple[int, int]:
        """Make new transcripts; give the characters of their turns, and the bytes of the files."""
        shutil.rmtree(self.sessions)
        text = made_transcripts.write(self.sessions, shape)
        return text, sum(path.stat().st_size for path in self.sessions.iterdir())

    def again(self) -> Cost:
        """Import what is new."""
        return cost([COCORECALL, "import"], self.project, self._variables)

    def anew(self) -> Cost:
        """Import everything into a new index."""
        for path in self.index.parent.glob("recall.db*"):
            path.unlink()
        return self.again()

    def parse(self) -> Cost:
        """Decode every line."""
        return self._python(PARSE)

    def fts(self) -> Cost:
        """Put every text into a new full-text table."""
        self.table.unlink(missing_ok=True)
        return self._python(FTS, str(self.table))

    def _python(self, program: str, *more: str) -> Cost:
        command = [sys.executable, "-c", program, str(self.sessions), *more]
        return cost(command, self.project, self._variables)

    def start(self) -> float:
        """Give what it costs to start Python and do nothing."""
        nothing = {"start": [sys.executable, "-c", "pass"]}
        return median(in_turn(nothing, AGAIN_RUNS, self.project, self._variables)["start"])


def rounds(runs: int, *works: Callable[[], Cost]) -> list[list[Cost]]:
    """Give the costs of each work, done in turn."""
    return [
        list(each) for each in zip(*([work() for work in works] for _ in range(runs)), strict=True)
    ]


def show(name: str, size: int, text: int, bench: Bench, costs: Sequence[Sequence[Cost]]) -> float:
    """Print a line of the table; give the time of the import."""
    own, parse, fts = costs
    took = median(own)
    peak = max(each.megabytes for each in own)
    print(
        f"{name:24} {size / 1e6:7.1f} {text / 1e6:6.1f} {took:7.2f} {size / 1e6 / took:6.1f}"
        f" {peak:5.0f} {bench.index.stat().st_size / text:5.2f}"
        f" {median(parse):7.2f} {ratio(own, parse):6.2f} {median(fts):7.2f} {ratio(own, fts):6.2f}"
        f" {bench.table.stat().st_size / text:5.2f}",
        flush=True,
    )
    return took


def main() -> None:
    """Print a line a kind of transcripts, and then what later imports of the first cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=40_000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--big", type=float, default=0.25, metavar="GB", help="0: not at all")
    parser.add_argument("--large", action="store_true", help="also ten times as many turns")
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(Path(temporary))
        print(
            f"{'':24} {'files':>7} {'text':>6} {'import':>7} {'MB/s':>6} {'MB':>5} {'db':>5}"
            f" {'parse':>7} {'ratio':>6} {'fts':>7} {'ratio':>6} {'db':>5}"
        )
        shape = Shape(wishes.turns, wishes.sessions)
        text, size = bench.replace(shape)
        name = f"dialogue {shape.turns:,} turns"
        costs = rounds(RUNS, bench.anew, bench.parse, bench.fts)
        took = show(name, size, text, bench, costs)
        later = _later(bench)
        if wishes.large:
            shape = Shape(wishes.turns * 10, wishes.sessions * 10)
            text, size = bench.replace(shape)
            name = f"dialogue {shape.turns:,} turns"
            costs = rounds(1, bench.anew, bench.parse, bench.fts)
            ten = show(name, size, text, bench, costs)
            later.append(f"ten times as many turns: {ten / took:.1f} times as long")
            later += _later(bench)
        turns = int(wishes.big * 1e9 / TOOL_TURN_BYTES)
        for name, files in (("tools, many files", max(1, turns // 150)), ("one file", 1)):
            if turns:
                shape = Shape(turns, files, calls_every=1, output_characters=TOOL_OUTPUT)
                text, size = bench.replace(shape)
                costs = rounds(1, bench.anew, bench.parse, bench.fts)
                show(f"{name} {size / 1e9:.2f} GB", size, text, bench, costs)
        print("files and text in MB; db is the size of the database by that of the text")
        print("\n".join(later))


def _later(bench: Bench) -> list[str]:
    """Give what it costs to import again: nothing new, and then one file that grew."""
    unchanged = [bench.again() for _ in range(AGAIN_RUNS)]
    grown = []
    for number in range(AGAIN_RUNS):
        made_transcripts.more(bench.sessions, APPENDED, seed=100 + number)
        grown.append(bench.again())
    start = bench.start()
    return [
        f"{what}: {median(costs):.3f} s, {median(costs) / start:.1f} times a start of Python"
        for what, costs in (
            ("again, unchanged", unchanged),
            (f"again, {APPENDED} turns more in one file", grown),
        )
    ]


if __name__ == "__main__":
    main()
