"""Print how often a question about one public record brings that record, beside grep.

    python tests/bench/adr_retrieval.py [--data DIR] [--seed N] [--every N] [--misses KIND]

DIR holds `adr-corpora.tar.gz`. Each record is asked for once a kind of question: by words of its
body, by its title, and as the intents ask. The words are drawn by the seed from a paragraph that
no other record has, links aside, so no question is chosen. A record is found when it, or one of
the very same title, is in the answer. Grep gives the files in their order: those that hold any
of the words, and those that hold all.
Records are split by turns into two halves, so that a rule fitted to one shows on the other.
"""

import argparse
import random
import re
import statistics
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from total_recall import words
from total_recall.vault import graph, intents, ladder, markdown, records, state
from total_recall.vault.node import Node

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
BODY_WORDS = 5
WORD = re.compile(r"[A-Za-z]{4,}")
ADDRESS = re.compile(r"https?://\S+|\]\([^()\s]*\)")


@dataclass(frozen=True)
class Question:
    """A query, and the record that it is about."""

    kind: str
    query: str
    target: Node


def questions(nodes: Sequence[Node], seed: int) -> Iterator[Question]:
    """Give the questions about each record; what a record does not say is not asked."""
    many = Counter(each for node in nodes for each in set(_paragraphs(node)))
    for node in nodes:
        drawn = random.Random(f"{seed} {node.path}")
        own = [each for each in _paragraphs(node) if many[each] == 1]
        if named := _drawn_words(own, drawn):
            yield Question("body words", " ".join(named), node)
        yield Question("title", node.title, node)
        topic = " ".join(_topic(node))
        if not topic:
            continue
        if node.type == "decision":
            yield Question("why <title>", f"why {topic}", node)
        if intents.left_options(node):
            yield Question("what was rejected for <title>", f"what was rejected for {topic}", node)
            option = drawn.choice(intents.left_options(node)).name
            if _content(option):
                yield Question("has anyone tried <option>", f"has anyone tried {option}", node)
        if node.field("consequences") or node.field("drivers"):
            yield Question("constraint on <title>", f"constraint on {topic}", node)


def _paragraphs(node: Node) -> list[str]:
    return list(markdown.blocks(ADDRESS.sub(" ", markdown.without_code(node.body))))


def _drawn_words(paragraphs: Sequence[str], drawn: random.Random) -> list[str]:
    """Give some distinct words of one paragraph, none that every question has."""
    wordy = [found for each in paragraphs if len(found := _content(each)) >= BODY_WORDS]
    return drawn.sample(drawn.choice(wordy), BODY_WORDS) if wordy else []


def _topic(node: Node) -> list[str]:
    return _content(node.title)[:4]


def _content(text: str) -> list[str]:
    asking = words.STOP_WORDS | ladder.QUESTION_WORDS
    found = (word.lower() for word in WORD.findall(text))
    return list(dict.fromkeys(word for word in found if word not in asking))


def grep(query: str, nodes: Sequence[Node], enough: Callable[[Iterator[bool]], bool]) -> list[Node]:
    """Give the files, in order, that hold `any` or `all` words of a query as grep -i sees them."""
    sought = [word.lower() for word in WORD.findall(query)]
    return [node for node in nodes if enough(word in node.text.lower() for word in sought)]


def place(found: Sequence[Node], target: Node) -> int:
    """Give the 1-based place of a record or its namesake, 0 if it is not there."""
    title = words.fold(target.title)
    places = (at for at, node in enumerate(found, 1) if words.fold(node.title) == title)
    return next(places, 0)


def line(places: Sequence[int]) -> str:
    """Give the shares that are first, in the first five, and in the first twenty."""
    shares = (sum(0 < one <= most for one in places) / max(1, len(places)) for most in (1, 5, 20))
    return " ".join(f"{100 * share:6.1f}" for share in shares)


def main() -> None:
    """Print a table: a kind of question a row, in each half, with grep beside it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="ask about every N-th record only")
    parser.add_argument("--misses", metavar="KIND", help="list the questions not answered first")
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with tarfile.open(wishes.data / "adr-corpora.tar.gz") as held:
            if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on
                held.extractall(folder, filter="data")
            else:
                held.extractall(folder)
        found = records.read(state.State(folder, folder, frozenset())).nodes
        nodes = graph.with_successors(found, graph.Names(found))
        half = {node.path: at % 2 for at, node in enumerate(nodes[:: wishes.every])}
        asked: dict[str, list[tuple[Question, tuple[int, int, int]]]] = {}
        times: list[float] = []
        for one in questions(nodes, wishes.seed):
            if one.target.path not in half:
                continue
            start = time.perf_counter()
            answer = ladder.climb(one.query, nodes)
            times.append(time.perf_counter() - start)
            places = (
                place([hit.node for hit in answer.hits], one.target),
                place(grep(one.query, nodes, any), one.target),
                place(grep(one.query, nodes, all), one.target),
            )
            asked.setdefault(one.kind, []).append((one, places))
        print(f"{len(nodes)} records, seed {wishes.seed}; % first, in 5, in 20")
        print(f"{'':31} {'n':>4}  {'recall':>20}  {'first half':>20}  {'second half':>20}", end="")
        print(f"  {'grep, any word':>20}  {'grep, all words':>20}")
        for kind, rows in asked.items():
            ours, *greps = zip(*(places for _, places in rows), strict=True)
            halves = [[own[0] for one, own in rows if half[one.target.path] == at] for at in (0, 1)]
            shares = "  ".join(line(places) for places in (ours, *halves, *greps))
            print(f"{kind:31} {len(rows):4}  {shares}")
        print(f"in one process: {1000 * statistics.median(times):.1f} ms a question (median)")
        for one, (at, *_) in asked.get(wishes.misses, []):
            if at != 1:
                print(f"{at:3} {one.query!r} about {one.target.path}")


if __name__ == "__main__":
    main()
