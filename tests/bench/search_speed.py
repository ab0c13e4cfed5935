"""Print what a search costs as a whole process, beside a bare click program on the same index.

    python -m tests.bench.search_speed [--turns N ...]

The bare program asks the same index the same full-text question and prints the text of the best
20 passages, without citations, neighbours or a budget. Beside it: `rg` for any of the words over
the transcripts (where there is one), a Python that does nothing, and `cocorecall --help`.
The transcripts are Claude Code's, made by a fixed seed, and imported by the command; a million
turns take some minutes to make. Each figure is a median in milliseconds of runs in turn, each a
new process, with its modules compiled and the index in the system's cache. The ratio, the median
of those of each turn, is what to compare over machines; a search notes what it showed, and waits
for the disk to hold that.

The queries are of three words: `usual` has one of the commonest hundredth of the vocabulary, one
of the tenth and one of the half, `rare` three of the rarer half, `common` three of the commonest
that are searched for.
"""

import argparse
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from tests.bench import made_transcripts
from tests.bench.commands import COCORECALL, cost, environment, in_turn, make_project, median, ratio
from tests.bench.made_transcripts import COMMON, WORDS, Shape, Text

from total_recall.sessions import query

RUNS = 11
SESSION_TURNS = 200
TARGETS = ((20_000, 1.5), (200_000, 1.4), (sys.maxsize, 1.25))  # for up to so many turns
PLACES = {
    "usual": (WORDS // 100, WORDS // 10, WORDS // 2),
    "rare": (WORDS // 2, WORDS * 2 // 3, WORDS * 9 // 10),
    "common": (len(COMMON), len(COMMON) + 10, len(COMMON) + 20),
}
BARE = """
import sqlite3

import click


@click.command()
@click.argument("path")
@click.argument("match")
def main(path, match):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = db.execute(
        "SELECT rank, text FROM passages_fts WHERE passages_fts MATCH ? ORDER BY rank LIMIT 20",
        (match,),
    )
    for rank, text in rows:
        click.echo(f"{rank:.2f} {text}")


main()
"""


def queries() -> dict[str, list[str]]:
    """Give the three words of each kind of query."""
    words = Text(1).words
    return {kind: [words[place] for place in places] for kind, places in PLACES.items()}


def commands(words: Sequence[str], index: Path, sessions: Path) -> dict[str, list[str]]:
    """Give the programs to compare."""
    match = query.fts_query(query.terms(" ".join(words)))
    python = [sys.executable, "-c"]
    found = {
        "search": [COCORECALL, "search", *words],
        "bare": [*python, BARE, str(index), match],
        "pass": [*python, "pass"],
        "help": [COCORECALL, "--help"],
    }
    if rg := shutil.which("rg"):
        found["rg"] = [rg, "-iwc", "|".join(words), str(sessions)]
    return found


def passages(index: Path, words: Sequence[str]) -> int:
    """Give how many passages hold any of the words."""
    match = query.fts_query(query.terms(" ".join(words)))
    question = "SELECT count(*) FROM passages_fts WHERE passages_fts MATCH ?"
    with closing(sqlite3.connect(index)) as db:
        return int(db.execute(question, (match,)).fetchone()[0])


def show(turns: int, project: Path, sessions: Path, variables: Mapping[str, str]) -> None:
    """Print a line a query on an index of so many turns."""
    index = project / ".cocoplus" / "recall.db"
    target = next(times for most, times in TARGETS if turns <= most)
    for kind, words in queries().items():
        costs = in_turn(commands(words, index, sessions), RUNS, project, variables)
        at = {name: f"{1000 * median(each):6.1f}" for name, each in costs.items()}
        print(
            f"{turns:9,} {kind:7} {passages(index, words):7,}"
            f" {at['search']} {at['bare']} {ratio(costs['search'], costs['bare']):6.2f}"
            f" {target:6.2f} {at.get('rg', '-'):>6} {at['pass']} {at['help']}"
            f" {max(each.megabytes for each in costs['search']):5.0f}",
            flush=True,
        )


def main() -> None:
    """Print a line a size and query."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, nargs="+", default=[10_000, 100_000])
    wishes = parser.parse_args()
    print(
        f"{'turns':>9} {'query':7} {'found':>7} {'search':>6} {'bare':>6} {'ratio':>6}"
        f" {'target':>6} {'rg':>6} {'pass':>6} {'--help':>6} {'MB':>5}"
    )
    for turns in wishes.turns:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary).resolve()
            sessions, project = folder / "home" / "sessions", folder / "project"
            shape = Shape(turns, max(1, turns // SESSION_TURNS))
            made_transcripts.write(sessions, shape)
            make_project(project, "~/sessions")
            variables = environment(folder / "home")
            cost([COCORECALL, "import"], project, variables)
            show(turns, project, sessions, variables)


if __name__ == "__main__":
    main()
