"""Where the terms of a query occur in a text."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from total_recall import words

_LOWER = bytes(range(256)).lower()
_JOINTS = b"-_."

# A pasted page names its topic in its first words, and each term more is looked for everywhere.
MOST_TERMS = 64


@dataclass(frozen=True)
class Term:
    """One normalised word of a query.

    `word` is what was typed, folded; `stem` is what is compared. `parts` are the stems of a
    compound's parts: `rate-limiting` is also found as the two words `rate limiting`.
    """

    word: str
    stem: str
    parts: tuple[str, ...] = ()


def query_terms(text: str, *, dropped: Iterable[str] = words.STOP_WORDS) -> tuple[Term, ...]:
    """Give the first 64 distinct terms of a query; `dropped` ones only if nothing else is left.

    >>> [term.stem for term in query_terms("Why do we use JWT?")]
    ['jwt']
    >>> query_terms("rate-limiting")
    (Term(word='rate-limiting', stem='ratelimit', parts=('rate', 'limit')),)
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
        self._roots = tuple({words.root(stem) for stem in self._wanted})
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
        if data.isascii():
            squeezed = data.translate(_LOWER, _JOINTS)
        else:
            folded = words.fold(data.decode("utf-8", "replace")).encode("utf-8", "replace")
            squeezed = folded.translate(None, _JOINTS)
        return frozenset(
            number
            for number, term in enumerate(self.terms)
            if _root_in(term.stem, squeezed)
            or (term.parts and all(_root_in(part, squeezed) for part in term.parts))
        )

    def occurrences(self, text: str) -> list[tuple[int, int]]:
        """Give (position, term number) of each occurrence, in order.

        Positions count compounds, so neighbours differ by one; paragraphs without a term are
        passed over uncounted.

        >>> matcher = Matcher(query_terms("rate-limiting login"))
        >>> matcher.occurrences("Logins: rate limits, and the rateLimiter of login-page.")
        [(0, 1), (1, 0), (5, 0), (7, 1)]
        """
        hits: list[tuple[int, tuple[str, ...]]] = []
        position = 0
        for paragraph in text.split("\n\n"):
            squeezed = _squeezed(words.fold(paragraph))
            if any(root in squeezed for root in self._roots):
                compounds = words.compounds(paragraph)
                hits += [
                    (at, stems)
                    for at, compound in enumerate(compounds, position)
                    if (stems := self._stems_of[compound])
                ]
                position += len(compounds) + 1
        found = [
            (position, self._stems[stem])
            for position, stems in hits
            for stem in stems
            if stem in self._stems
        ]
        at = dict(hits)
        for position, stems in hits:
            for number in [one for stem in stems for one in self._by_first_part.get(stem, ())]:
                term = self.terms[number]
                if term.stem not in stems and all(
                    part in at.get(position + i, ()) for i, part in enumerate(term.parts)
                ):
                    found.append((position, number))
        return sorted(found)

    def held(self, text: str, among: frozenset[int]) -> frozenset[int]:
        """Give which of some terms a text holds, without reading on once all are found.

        >>> matcher = Matcher(query_terms("kafka login"))
        >>> sorted(matcher.held("Log in with kafka.", frozenset({0, 1})))
        [0]
        """
        found: set[int] = set()
        for paragraph in text.split("\n\n"):
            found.update(number for _, number in self.occurrences(paragraph))
            if found >= among:
                break
        return frozenset(found)

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
