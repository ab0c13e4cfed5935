"""How the words of a query are found in a memory."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from total_recall import words
from total_recall.matching import MOST_TERMS, Matcher, Term, query_terms
from total_recall.memory.entry import Memory

# How a word is found, the nearest first.
EQUAL = "equal"
STEM = "stem"
ALIAS = "alias"
BEGINNING = "beginning"
CONTAINED = "contained"
RELATED = "related"

# Shorter words begin too many others.
LEAST_LETTERS = 3

_JOINTS = b"-_."
_LOWER = bytes(range(256)).lower()
_REST = re.compile(r"[^\W_]*")
_SEPARATORS = re.compile(r"[-_./\s]+")
_WAYS = (EQUAL, STEM, ALIAS, BEGINNING)


@dataclass(frozen=True)
class Match:
    """A word or phrase of the query, the word of the memory that it was found as, and how."""

    term: str
    word: str
    how: str


@dataclass(frozen=True)
class Found:
    """The nearest way in which a word of the query is in a memory, and where it is."""

    match: Match
    in_key: bool
    in_value: bool

    @property
    def is_whole(self) -> bool:
        """Whether it was found as a word, and not only as the beginning of one."""
        return self.match.how != BEGINNING


class Text:
    """A memory as it is searched: its keys, then its value; each form is made when it is needed."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.written = "\n\n".join([*memory.keys, memory.value])
        self.level_keys = [level(key) for key in memory.keys]

    @cached_property
    def levelled(self) -> tuple[str, str]:
        """The text without accents, and that folded; a character has one place in both."""
        return words.levelled(self.written)

    @cached_property
    def squeezed(self) -> bytes:
        """The folded text with the parts of compounds joined."""
        if self.written.isascii():
            return self.written.encode("ascii").translate(_LOWER, _JOINTS)
        return self.levelled[1].encode("utf-8", "replace").translate(None, _JOINTS)

    @cached_property
    def value_at(self) -> int:
        """Where the value begins in the levelled text."""
        return len(words.unaccented("\n\n".join([*self.memory.keys, ""])))


@dataclass(frozen=True, eq=False)
class Word:
    """A word of a query with its other names."""

    term: Term
    names: tuple[str, ...] = ()

    @cached_property
    def level(self) -> str:
        """The word as it is looked for within keys."""
        return level(self.term.word)

    def begun_in(self, folded: str) -> Iterator[tuple[Match, int]]:
        """Give the longer words of a folded text that begin with it, if it is of three letters."""
        word = self.term.word
        # Of a script without blanks any part of a run is found as it is.
        if len(word) < LEAST_LETTERS or words.is_unspaced(word):
            return
        at = folded.find(word)
        while at >= 0:
            if not at or not folded[at - 1].isalnum():
                rest = _REST.match(folded, at + len(word))
                yield Match(word, word + rest[0] if rest else word, BEGINNING), at
            at = folded.find(word, at + len(word))


class Query:
    """The words of a query, ready to be looked for in many texts under all their names."""

    def __init__(self, sought: Iterable[Word]) -> None:
        self.words = tuple(sought)
        terms: dict[str, Term] = {}
        self._meant: dict[str, list[tuple[Word, str]]] = {}
        for word in self.words:
            ways = [("", word.term)]
            ways += [(name, term) for name in word.names for term in _phrase_terms(name)]
            for name, term in ways:
                terms.setdefault(term.stem, term)
                self._meant.setdefault(term.stem, []).append((word, name))
        self._matcher = Matcher(terms.values())
        self._needles = [_needles(term)[0] for term in terms.values()]
        self._matches: dict[tuple[str, str], list[tuple[Word, Match]]] = {}

    def found_in(self, text: Text) -> dict[Word, Found]:
        """Give which words a text holds, in the order of the query, and how."""
        squeezed = text.squeezed
        if not any(needle in squeezed for needle in self._needles):
            return {}
        cased, folded = text.levelled
        places: dict[Word, list[tuple[Match, int]]] = {}
        for start, end, number in self._matcher.occurrences(cased):
            for word, match in self._matched(number, cased[start:end]):
                places.setdefault(word, []).append((match, start))
        for word in self.words:
            if word not in places and (begun := list(word.begun_in(folded))):
                places[word] = begun
        return {word: _found(places[word], text) for word in self.words if word in places}

    def _matched(self, number: int, place: str) -> list[tuple[Word, Match]]:
        """Give which words the words at a place are, as which the matcher found a term."""
        term = self._matcher.terms[number]
        if (term.stem, place) not in self._matches:
            ways = [
                (word, _match(word, term, name, place)) for word, name in self._meant[term.stem]
            ]
            self._matches[term.stem, place] = [(word, match) for word, match in ways if match]
        return self._matches[term.stem, place]


def _found(places: Sequence[tuple[Match, int]], text: Text) -> Found:
    nearest = min((match for match, _ in places), key=lambda match: _WAYS.index(match.how))
    return Found(nearest, places[0][1] < text.value_at, places[-1][1] >= text.value_at)


def _match(word: Word, term: Term, name: str, place: str) -> Match | None:
    """Say how the words at a place, which have the stem of a term, are a word or its name."""
    if words.is_unspaced(term.word):
        return Match(word.term.word, term.word, ALIAS if name else EQUAL)
    pieces = _pieces(place)
    if name:
        # Not by the stem, which authorization shares with author.
        same = [piece for piece in pieces if singular(piece) == singular(_squeezed(name))]
        return Match(word.term.word, same[0], ALIAS) if same else None
    same = [piece for piece in pieces if words.stem(piece) == term.stem]
    typed = _squeezed(word.term.word)
    found = typed if typed in same else same[0] if same else pieces[0]
    return Match(word.term.word, found, EQUAL if found == typed else STEM)


class Finder:
    """The words of a phrase side by side, ready to be looked for in many texts."""

    def __init__(self, term: Term) -> None:
        self._matcher = Matcher((term,))
        self._needles = _needles(term)
        self.needle = self._needles[0]

    def spans(self, text: Text) -> list[tuple[int, int]]:
        """Give where it stands in the levelled text."""
        squeezed = text.squeezed
        if not all(needle in squeezed for needle in self._needles):
            return []
        return [(start, end) for start, end, _ in self._matcher.occurrences(text.levelled[0])]


def spans(finders: Iterable[Finder], text: Text) -> list[tuple[int, int]]:
    """Give where any of some phrases stands in the levelled text."""
    squeezed = text.squeezed
    possible = [finder for finder in finders if finder.needle in squeezed]
    return [span for finder in possible for span in finder.spans(text)]


def _needles(term: Term) -> list[bytes]:
    """Give what every squeezed text holds that has the term, as one word or as several.

    It saves splitting most texts. The rarest, likely the longest, comes first.
    """
    joined = words.root(term.stem)
    roots = [words.root(part) for part in term.parts] or [joined]
    shared = sorted((root for root in roots if root in joined), key=len, reverse=True)
    return [root.encode("utf-8", "replace") for root in shared or [""]]


def query_of(text: str, stopwords: frozenset[str], names: Mapping[str, Iterable[str]]) -> Query:
    """Give the first 64 distinct words of a query; stop words only if nothing else is left.

    A run of a script without blanks is one word. `names` are as `other_names` gives them.
    """
    terms = [term for compound in words.compounds(text) for term in _terms(compound)]
    unwanted = words.STOP_WORDS | stopwords
    wanted = [term for term in terms if term.word not in unwanted]
    distinct: dict[str, Term] = {}
    for term in wanted or terms:
        distinct.setdefault(term.stem, term)
    return Query(
        Word(term, tuple(names.get(singular(_squeezed(term.word)), ())))
        for term in list(distinct.values())[:MOST_TERMS]
    )


def phrase(text: str) -> list[Finder]:
    """Give what finds a phrase; nothing for one of two scripts, whose words are not split alike."""
    return [Finder(term) for term in _phrase_terms(text)]


def _phrase_terms(text: str) -> tuple[Term, ...]:
    compounds = words.compounds(words.fold(text))
    if len(compounds) > 1 and any(map(words.is_unspaced, compounds)):
        return ()
    return _terms("-".join(compounds))


def _terms(compound: str) -> tuple[Term, ...]:
    if words.is_unspaced(compound):
        folded = words.fold(compound)
        return (Term(folded, folded),)
    return query_terms(compound, dropped=())


def other_names(rows: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Give for each name in rows of aliases, in its singular, the others of its rows.

    >>> other_names({"db": ["database"]})
    {'db': ['database'], 'database': ['db']}
    """
    names: dict[str, list[str]] = {}
    for key, others in rows.items():
        row = (key, *others)
        for name in row:
            names.setdefault(singular(_squeezed(name)), []).extend(
                other for other in row if other != name
            )
    return names


def singular(word: str) -> str:
    """Give a folded word without the ending of a plural, which its other names may have.

    >>> singular("databases"), singular("dependencies"), singular("js"), singular("class")
    ('database', 'dependency', 'js', 'class')
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def level(text: str) -> str:
    """Give a text folded, with one blank for each row of blanks, `-`, `_`, `.` and `/`.

    >>> level("Sera_shared-API"), level("..")
    ('sera shared api', '')
    """
    return _SEPARATORS.sub(" ", words.fold(text)).strip()


def _pieces(place: str) -> list[str]:
    """Give the folded words that stand for a place: one compound with its parts, or a phrase."""
    compounds = words.compounds(place)
    if len(compounds) == 1:
        return words.pieces(compounds[0])
    return ["".join(words.pieces(compound)[0] for compound in compounds)]


def _squeezed(folded: str) -> str:
    return folded.replace("-", "").replace("_", "").replace(".", "")
