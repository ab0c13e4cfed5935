"""Where the terms of a query occur in a text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from total_recall import words

_ASCII = bytes(range(128))
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_LOWER = bytes(range(256)).lower()
_JOINTS = b"-_."
# The UTF-8 of quotes, dashes, arrows, boxes, emoji and the like, none of which folds to a letter,
# a digit or a joint; a text whose other characters are ASCII need not be decoded to be folded.
_SIGNS = re.compile(
    rb"\xc2[\x80-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf]|\xe2\x80[\x80-\xa3\xa7-\xbf]"
    rb"|\xe2\x86[\x90-\xbf]|\xe2[\x87-\x90\x94-\x9c\x9f][\x80-\xbf]|\xef\xb8\x8f|\xf0\x9f[\x8c-\xa7][\x80-\xbf]{2}"
)
_WORD = re.compile(r"[^\W_]")

# A pasted page names its topic in its first words, and each term more is looked for everywhere.
MOST_TERMS = 64


@dataclass(frozen=True)
class Term:
    """One normalised word of a query.

    `word` is what was typed, folded; `stem` is what is compared. `parts` are the stems of a
    compound's parts: `rate-limiting` is also found as the two words `rate limiting`. `typed`
    is set where another spelling is looked for than was typed.
    """

    word: str
    stem: str
    parts: tuple[str, ...] = ()
    typed: str = ""


class Occurrence(NamedTuple):
    """Where a term stands: the offsets of its word in the unaccented text, and its number."""

    start: int
    end: int
    term: int


def query_terms(text: str, *, dropped: Iterable[str] = words.STOP_WORDS) -> tuple[Term, ...]:
    """Give the first 64 distinct terms of a query; `dropped` ones only if nothing else is left.

    >>> [term.stem for term in query_terms("Why do we use JWT?")]
    ['jwt']
    >>> query_terms("rate-limiting") == (Term("rate-limiting", "ratelimit", ("rate", "limit")),)
    True
    >>> [term.stem for term in query_terms("why?")]
    ['why']
    """
    unwanted = frozenset(dropped)
    every = [term for compound in words.compounds(text) for term in _compound_terms(compound)]
    wanted = [term for term in every if term.word not in unwanted]
    distinct: dict[str, Term] = {}
    for term in wanted or every:
        distinct.setdefault(term.stem, term)
    return tuple(distinct.values())[:MOST_TERMS]


def _compound_terms(compound: str) -> list[Term]:
    joined, *others = words.pieces(compound)
    if words.is_unspaced(compound):
        return [Term(piece, piece) for piece in (joined, *others)]
    parts = tuple(words.stem(part) for part in words.parts(compound))
    return [Term(words.fold(compound), words.stem(joined), parts if len(parts) > 1 else ())]


class Matcher:
    """The terms of one query, ready to be looked for in many texts."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms = tuple(terms)
        self._stems = {term.stem: number for number, term in enumerate(self.terms)}
        self._unspaced = tuple(stem for stem in self._stems if words.is_unspaced(stem))
        self._wanted = set(self._stems).union(*(term.parts for term in self.terms))
        self._roots = tuple(sorted({words.root(stem) for stem in self._wanted}))
        self._stems_of = _Lookup(self._find_stems)
        self._by_first_part: dict[str, list[int]] = {}
        for number, term in enumerate(self.terms):
            if term.parts:
                self._by_first_part.setdefault(term.parts[0], []).append(number)

    def possible(self, data: bytes) -> frozenset[int]:
        """Give the numbers of the terms that the UTF-8 text may hold; the others it cannot.

        A cheap test over bytes that saves decoding and splitting most texts: every word
        of a stem begins with the stem's root, and joined compounds lie side by side once
        their joints are gone.
        """
        squeezed = data.translate(_LOWER, _JOINTS)
        if _SIGNS.sub(b"", data.translate(None, _ASCII)):
            beyond = b" ".join(_chunks_beyond_ascii(data)).decode("utf-8", "replace")
            folded = words.fold(beyond).encode("utf-8", "replace")
            squeezed += b" " + folded.translate(None, _JOINTS)
        return frozenset(
            number
            for number, term in enumerate(self.terms)
            if _root_in(term.stem, squeezed)
            or (term.parts and all(_root_in(part, squeezed) for part in term.parts))
        )

    def occurrences(self, text: str) -> list[Occurrence]:
        """Give where the terms stand in a text, in order.

        >>> matcher = Matcher(query_terms("rate-limiting login"))
        >>> [(each.term, each.start) for each in matcher.occurrences("Logins: rate limits.")]
        [(1, 0), (0, 8)]
        """
        cased, folded = words.levelled(text)
        spans = {span for root in self._roots for span in _around(root, cased, folded)}
        if self._may_be_joined(folded):
            spans.update(words.jointed(cased))
        hits = [
            (start, end, stems)
            for start, end in sorted(spans)
            if (stems := self._stems_of[cased[start:end]])
        ]
        found = [
            Occurrence(start, end, self._stems[stem])
            for start, end, stems in hits
            for stem in stems
            if stem in self._stems
        ]
        if self._by_first_part:
            found = sorted([*found, *self._side_by_side(cased, hits)])
        return found

    def held(self, text: str, among: frozenset[int]) -> frozenset[int]:
        """Give which of some terms a text holds, without reading on once one is found.

        >>> matcher = Matcher(query_terms("kafka login"))
        >>> sorted(matcher.held("Log in with kafka.", frozenset({0, 1})))
        [0]
        """
        cased, folded = words.levelled(text)
        found = {number for number in among if self._stands_in(number, cased, folded)}
        left = among - found
        if left and (self._by_first_part or self._may_be_joined(folded)):
            found |= left & {each.term for each in self.occurrences(text)}
        return frozenset(found)

    def _stands_in(self, number: int, cased: str, folded: str) -> bool:
        """Say whether one word of a text has a term's stem."""
        stem = self.terms[number].stem
        spans = _around(words.root(stem), cased, folded)
        return any(stem in self._stems_of[cased[start:end]] for start, end in spans)

    def _may_be_joined(self, folded: str) -> bool:
        """Say whether a root stands in the text once its joints are gone, and not before."""
        squeezed = _squeezed(folded)
        return squeezed != folded and any(
            squeezed.count(root) > folded.count(root) for root in self._roots
        )

    def _side_by_side(
        self, cased: str, hits: Sequence[tuple[int, int, tuple[str, ...]]]
    ) -> Iterator[Occurrence]:
        """Give where the parts of a compound term stand in a row, each a word or part of one."""
        for at, (start, _, stems) in enumerate(hits):
            for number in [one for stem in stems for one in self._by_first_part.get(stem, ())]:
                term = self.terms[number]
                if term.stem not in stems and (end := _row_end(cased, hits[at:], term.parts)):
                    yield Occurrence(start, end, number)

    def _find_stems(self, compound: str) -> tuple[str, ...]:
        folded = words.fold(compound)
        if words.is_unspaced(compound):
            return tuple(stem for stem in self._unspaced if stem in folded)
        # Most words are none of the query's; splitting them only to find that out is dear.
        squeezed = folded if folded.isalnum() else _squeezed(folded)
        if not any(root in squeezed for root in self._roots):
            return ()
        stems = (
            words.stem(piece) for piece in words.pieces(compound) if piece.startswith(self._roots)
        )
        return tuple(dict.fromkeys(stem for stem in stems if stem in self._wanted))


def are_neighbours(text: str, end: int, start: int) -> bool:
    """Say whether no word and no blank line stands between two places of a text.

    >>> are_neighbours("rate limits", 4, 5), are_neighbours("rate the limits", 4, 9)
    (True, False)
    """
    between = text[end:start]
    return "\n\n" not in between and not _WORD.search(between)


def _row_end(
    cased: str, hits: Sequence[tuple[int, int, tuple[str, ...]]], parts: Sequence[str]
) -> int:
    """Give where a row of words ends that has these parts in order, 0 if the first begins none."""
    left = list(parts)
    end = 0
    for start, word_end, stems in hits:
        if end and not are_neighbours(cased, end, start):
            return 0
        taken = len(left)
        for stem in stems:
            if left and stem == left[0]:
                left.pop(0)
        if taken == len(left):
            return 0
        end = word_end
        if not left:
            return end
    return 0


def _chunks_beyond_ascii(data: bytes) -> Iterator[bytes]:
    """Give what stands between blanks wherever that is more than ASCII."""
    end = -1
    for found in _BEYOND_ASCII.finditer(data):
        if found.start() >= end:
            start = data.rfind(b" ", 0, found.start()) + 1
            start = max(start, data.rfind(b"\n", start, found.start()) + 1)
            end = data.find(b" ", found.end())
            end = end if end >= 0 else len(data)
            yield data[start:end]


def _around(root: str, cased: str, folded: str) -> Iterator[tuple[int, int]]:
    """Give where the compounds stand that hold a root, in order."""
    end = 0
    at = folded.find(root)
    while at >= 0:
        start = max(end, folded.rfind(" ", end, at) + 1)
        start = max(start, folded.rfind("\n", start, at) + 1)
        start, end = words.compound_at(cased, start, at)
        yield start, end
        at = folded.find(root, end)


class _Lookup(dict[str, tuple[str, ...]]):
    """A compound's matching stems, found once for all texts."""

    def __init__(self, find: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, compound: str) -> tuple[str, ...]:
        self[compound] = found = self._find(compound)
        return found


def _root_in(stem: str, squeezed: bytes) -> bool:
    return words.root(stem).encode("utf-8", "replace") in squeezed


def _squeezed(folded: str) -> str:
    return folded.replace("-", "").replace("_", "").replace(".", "")
