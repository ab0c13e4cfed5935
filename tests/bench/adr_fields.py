"""Print how many public records yield each field that the compressed view shows, by project.

    python tests/bench/adr_fields.py [--data DIR] [--misses FIELD] [--show N] [--seed N]

DIR holds `adr-corpora.tar.gz`. `rejected` counts what the view prints as such, `considered` the
records that only tell what they weighed. `--misses` lists the records without that field, and
`--show` prints the facts of so many records, drawn by the seed, to compare with their files.
"""

import argparse
import random
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from total_recall.vault import graph, records, render, state
from total_recall.vault.node import Node

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FIELDS = ("decided", "rejected", "considered", "consequences", "status", "compressed")


def shown(node: Node) -> dict[str, str]:
    """Give what the view tells of a record, each field in one line; what it does not is left out.

    What was considered counts only where the view does not tell what was rejected.
    """
    facts = render.summary(node)
    if "rejected" in facts:
        facts.pop("considered", "")
    facts |= {"status": node.status, "compressed": node.compressed}
    return {name: facts[name] for name in FIELDS if facts.get(name)}


def loaded(archive: Path) -> tuple[Node, ...]:
    """Give the records of the archive, superseded ones marked."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        with tarfile.open(archive) as held:
            if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on
                held.extractall(folder, filter="data")
            else:
                held.extractall(folder)
        found = records.read(state.State(folder, folder)).nodes
        return tuple(graph.with_successors(found, graph.Names(found)))


def project(node: Node) -> str:
    """Give the project of a record: the first folder of its path, below the archive's own."""
    return node.path.removeprefix("v/").partition("/")[0]


def line(name: str, facts: Sequence[Iterable[str]]) -> str:
    """Give a row of the table: how many records, and how many of them yield each field."""
    counts = (sum(field in each for each in facts) for field in FIELDS)
    cells = (f"{count:5} {100 * count / len(facts):4.0f} %" for count in counts)
    return f"{name[:32]:32} {len(facts):7} " + " ".join(f"{cell:>12}" for cell in cells)


def main() -> None:
    """Print the table, the records that lack a field, or the facts of a sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--misses", choices=FIELDS)
    parser.add_argument("--show", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    nodes = loaded(wanted.data / "adr-corpora.tar.gz")
    facts = {node.path: shown(node) for node in nodes}
    if wanted.misses:
        print("\n".join(path for path, found in facts.items() if wanted.misses not in found))
    elif wanted.show:
        for node in random.Random(wanted.seed).sample(nodes, min(wanted.show, len(nodes))):
            print(f"\n{node.path}: {node.title}")
            for name, text in facts[node.path].items():
                print(f"  {name}: {text}")
            if node.successor:
                print(f"  superseded by: {node.successor}")
    else:
        print(f"{'project':32} {'records':>7} " + " ".join(f"{name:>12}" for name in FIELDS))
        for name, group in groupby(nodes, project):
            print(line(name, [facts[node.path] for node in group]))
        print(line("all", list(facts.values())))


if __name__ == "__main__":
    main()
