"""How well records answer the terms of a query: coverage first, then BM25F over their fields."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from total_recall import words
from total_recall.matching import Matcher, Occurrence, are_neighbours
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

# The usual constants of BM25; b applies to names and to the body, not to what is between.
K1 = 1.2
B = 0.75
USUAL_NAME = 6  # words of a public record's title
_NAMES = frozenset({"id", "title"})
PASSAGE = 1  # all terms in one paragraph weigh as much as each of them said again and again
NO_LONGER_HOLDS = 0.6  # a superseded, rejected or deprecated record still answers, less well
PAST_STATUSES = frozenset({"superseded", "rejected", "deprecated"})
_PAST_WORDS = (b"supersed", b"superced", b"reject", b"deprecat")  # how their spellings begin
MOST_WEIGHED = 200  # nodes of equal coverage whose fields are read
CHOOSING_TERMS = 5  # the rarest terms choose the candidates; the others only count


Held = tuple[Node, frozenset[int]]


@dataclass(frozen=True)
class Scored:
    """A node with its rank's reasons: how many terms it covers, its score, where it matched."""

    node: Node
    coverage: int
    score: float
    reasons: tuple[str, ...] = field(default=())


def is_past(node: Node) -> bool:
    """Say whether a record no longer holds; most are told by their bytes, without their status."""
    lowered = node.source.lower()
    may_be = bool(node.successor) or any(word in lowered for word in _PAST_WORDS)
    return may_be and node.status in PAST_STATUSES


def held_by(matcher: Matcher, nodes: Iterable[Node]) -> list[Held]:
    """Give each node with the numbers of the terms that stand in its file or its path."""
    return [(node, _held(matcher, node)) for node in nodes]


def search(matcher: Matcher, nodes: Sequence[Held], *, most: int) -> tuple[list[Scored], int]:
    """Give at least the `most` best nodes that hold a term, best first, and how many hold one.

    Nodes that hold more of the distinct terms come first whatever their score, so only as many
    nodes are scored as can be among the best. Those that hold equally many are given together,
    of very many those that look best by their names, headings and counts. Ties go to the newer
    record, then to the id.
    """
    found = [(node, held) for node, held in nodes if held]
    many = Counter(term for _, held in found for term in held)
    choosing = {term for term, _ in sorted(many.items(), key=_rarest)[:CHOOSING_TERMS]}
    weigh = _Weigher(matcher, many, [node for node, _ in nodes])
    tiers: dict[int, list[Node]] = {}
    for node, held in found:
        if held & choosing:
            tiers.setdefault(len(held), []).append(node)
    best: list[Scored] = []
    for coverage in sorted(tiers, reverse=True):
        if len(best) >= most:
            break
        weighed = tiers[coverage]
        if len(weighed) > max(most, MOST_WEIGHED):
            weighed = sorted(weighed, key=weigh.roughly, reverse=True)[: max(most, MOST_WEIGHED)]
        best += sorted((weigh(node, coverage) for node in weighed), key=_order)
    return best, sum(map(len, tiers.values()))


def _held(matcher: Matcher, node: Node) -> frozenset[int]:
    # Most files hold none, and that is seen without decoding them or reading their fields.
    possible = matcher.possible(node.path.encode("utf-8", "replace") + b"\n" + node.source)
    return matcher.held(_whole(node), possible) if possible else possible


def _rarest(held: tuple[int, int]) -> tuple[int, int]:
    term, nodes = held
    return nodes, term


def _order(scored: Scored) -> tuple[float, int, str, str]:
    day = scored.node.day
    return -scored.score, -(day.toordinal() if day else 0), scored.node.id, scored.node.path


class _Weigher:
    """BM25F over FIELDS (Robertson and Zaragoza, 2009), with a phrase as one more term.

    To it comes how much of the query one passage holds, since words that are remembered
    together were read together.
    """

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
        phrase = passage = 0.0
        where: dict[int, str] = {}
        for part in FIELDS:
            text = words.unaccented(part.text(node))
            found = self._matcher.occurrences(text)
            weight = part.weight / (length if part.name == "body" else _wordiness(part, text))
            for term, times in Counter(each.term for each in found).items():
                weighted[term] = weighted.get(term, 0.0) + weight * times
                where.setdefault(term, part.name)
            phrase += weight * self._phrases(text, found)
            if part.name == "body":
                passage = max(map(self._rareness, _passages(text, found)), default=0.0)
        score = PASSAGE * passage + sum(
            self._rarity[term] * times / (K1 + times)
            for term, times in sorted(weighted.items())
            if term in self._rarity
        )
        if phrase:
            score += max(self._rarity.values()) * phrase / (K1 + phrase)
        if is_past(node):
            score *= NO_LONGER_HOLDS
        terms = [self._matcher.terms[term] for term in sorted(where)]
        reasons = [f"{where[term]}~{self._matcher.terms[term].word}" for term in sorted(where)]
        reasons += [f"~{term.typed} -> {term.word}" for term in terms if term.typed]
        return Scored(node, coverage, score, tuple(reasons))

    def roughly(self, node: Node) -> float:
        """Give about what a node will score, from its path and its text as they stand."""
        length = 1 - B + B * len(node.source) / max(1.0, self._mean_size)
        text = words.unaccented(node.text)
        found = self._matcher.occurrences(text)
        counts = Counter(each.term for each in found)
        named = {each.term for each in self._matcher.occurrences(node.path)}
        named.update(each.term for each in found if _is_in_heading(text, each.start))
        score = PASSAGE * max(map(self._rareness, _passages(text, found)), default=0.0)
        for term, rarity in sorted(self._rarity.items()):
            times = counts[term] / length + (FIELDS[0].weight if term in named else 0)
            score += rarity * times / (K1 + times)
        return score

    def _rareness(self, terms: Iterable[int]) -> float:
        return sum(self._rarity.get(term, 0.0) for term in sorted(terms))

    def _phrases(self, text: str, found: Sequence[Occurrence]) -> int:
        """Count how often all the terms stand side by side in the query's order."""
        size = len(self._matcher.terms)
        if size < 2:
            return 0
        rows = (found[at : at + size] for at in range(len(found) - size + 1))
        return sum(
            [each.term for each in row] == list(range(size))
            and all(are_neighbours(text, one.end, other.start) for one, other in pairwise(row))
            for row in rows
        )


def _is_in_heading(text: str, at: int) -> bool:
    return text.startswith("#", text.rfind("\n", 0, at) + 1)


def _wordiness(part: Field, text: str) -> float:
    """Give how much longer a name is than usual: the fewer words it has the more each says."""
    return 1 - B + B * len(text.split()) / USUAL_NAME if part.name in _NAMES else 1.0


def _passages(text: str, found: Sequence[Occurrence]) -> Iterator[set[int]]:
    """Give the terms of each paragraph that holds one."""
    end = -1
    terms: set[int] = set()
    for each in found:
        if each.start >= end >= 0:
            yield terms
            terms = set()
        if not terms:
            end = text.find("\n\n", each.start)
        terms.add(each.term)
    yield terms
