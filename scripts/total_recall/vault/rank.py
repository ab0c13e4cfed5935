"""How well records answer the terms of a query: coverage first, then BM25F over their fields."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from total_recall.matching import Matcher, Term
from total_recall.vault.node import Node


@dataclass(frozen=True)
class Field:
    """A weighted part of a node that is searched."""

    name: str
    weight: float
    text: Callable[[Node], str]


def _whole(node: Node) -> str:
    return f"{node.path}\n\n{node.text}"


# A word that names a record says more than one that it explains, and that more than a mention.
FIELDS = (
    Field("id", 8, lambda node: " ".join((node.id, node.stem, *node.aliases))),
    Field("title", 6, lambda node: node.title),
    Field("tags", 5, lambda node: " ".join(node.tags)),
    Field("one-liner", 4, lambda node: node.compressed),
    Field("decision", 3, lambda node: node.field("decision")),
    Field("rejected", 2, lambda node: node.field("rejected")),
    Field("considered", 2, lambda node: node.field("considered")),
    Field("consequences", 2, lambda node: node.field("consequences")),
    Field("headings", 2, lambda node: "\n".join(heading.title for heading in node.outline)),
    Field("body", 1, _whole),
)

# The usual constants of BM25; b applies to the body alone, since the other fields are short.
K1 = 1.2
B = 0.75
NO_LONGER_HOLDS = 0.6  # a superseded, rejected or deprecated record still answers, less well
PAST_STATUSES = frozenset({"superseded", "rejected", "deprecated"})
CHOOSING_TERMS = 5  # the rarest terms choose the candidates; the others only count


@dataclass(frozen=True)
class Scored:
    """A node with its rank's reasons: how many terms it covers, its score, where it matched."""

    node: Node
    coverage: int
    score: float
    reasons: tuple[str, ...] = field(default=())


def search(terms: Sequence[Term], nodes: Iterable[Node], *, most: int) -> tuple[list[Scored], int]:
    """Give at least the `most` best nodes that hold a term, best first, and how many hold one.

    Nodes that hold more of the distinct terms come first whatever their score, so only as many
    nodes are scored as can be among the best; those that hold equally many are given together.
    Ties go to the newer record, then to the id.
    """
    matcher = Matcher(terms)
    every = list(nodes)
    found = [(node, held) for node in every if (held := _held(matcher, node))]
    many = Counter(term for _, held in found for term in held)
    choosing = {term for term, _ in sorted(many.items(), key=_rarest)[:CHOOSING_TERMS]}
    weigh = _Weigher(matcher, many, every)
    tiers: dict[int, list[Node]] = {}
    for node, held in found:
        if held & choosing:
            tiers.setdefault(len(held), []).append(node)
    best: list[Scored] = []
    for coverage in sorted(tiers, reverse=True):
        if len(best) >= most:
            break
        best += sorted((weigh(node, coverage) for node in tiers[coverage]), key=_order)
    return best, sum(map(len, tiers.values()))


def _held(matcher: Matcher, node: Node) -> frozenset[int]:
    """Give which terms stand in the whole file and its path, without reading its fields."""
    possible = matcher.possible(node.source) | matcher.possible(
        node.path.encode("utf-8", "replace")
    )
    return matcher.held(_whole(node), possible) if possible else possible


def _rarest(held: tuple[int, int]) -> tuple[int, int]:
    term, nodes = held
    return nodes, term


def _order(scored: Scored) -> tuple[float, int, str, str]:
    day = scored.node.day
    return -scored.score, -(day.toordinal() if day else 0), scored.node.id, scored.node.path


class _Weigher:
    """BM25F over FIELDS (Robertson and Zaragoza, 2009), with a phrase as one more term."""

    def __init__(self, matcher: Matcher, held: Counter[int], nodes: Sequence[Node]) -> None:
        self._matcher = matcher
        # BM25's rarity of a term by how many nodes hold it; a phrase has its rarest word's.
        self._rarity = {
            term: math.log(1 + (len(nodes) - many + 0.5) / (many + 0.5))
            for term, many in held.items()
        }
        self._mean_size = sum(len(node.source) for node in nodes) / max(1, len(nodes))

    def __call__(self, node: Node, coverage: int) -> Scored:
        """Give a node's score from the occurrences in its fields and in its whole text."""
        length = 1 - B + B * len(node.source) / max(1.0, self._mean_size)
        weighted: dict[int, float] = {}
        phrase = 0.0
        where: dict[int, str] = {}
        for part in FIELDS:
            hits = self._matcher.occurrences(part.text(node))
            weight = part.weight / length if part.name == "body" else part.weight
            for term, times in Counter(number for _, number in hits).items():
                weighted[term] = weighted.get(term, 0.0) + weight * times
                where.setdefault(term, part.name)
            phrase += weight * self._phrases(hits)
        score = sum(
            self._rarity[term] * times / (K1 + times)
            for term, times in sorted(weighted.items())
            if term in self._rarity
        )
        if phrase:
            score += max(self._rarity.values()) * phrase / (K1 + phrase)
        if node.status in PAST_STATUSES:
            score *= NO_LONGER_HOLDS
        terms = self._matcher.terms
        reasons = tuple(f"{where[term]}~{terms[term].word}" for term in sorted(where))
        return Scored(node, coverage, score, reasons)

    def _phrases(self, hits: list[tuple[int, int]]) -> int:
        """Count how often all the terms stand side by side in the query's order."""
        size = len(self._matcher.terms)
        if size < 2:
            return 0
        held = set(hits)
        return sum(
            all((position + step, step) in held for step in range(size))
            for position, term in hits
            if term == 0
        )
