"""Which memories answer a query, best first."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from total_recall import dates, suggest, words
from total_recall.matching import MOST_TERMS
from total_recall.memory import matches
from total_recall.memory.entry import PROJECT, Memory, named, own_form
from total_recall.memory.matches import (
    CONTAINED,
    EQUAL,
    LEAST_LETTERS,
    RELATED,
    STEM,
    Finder,
    Found,
    Match,
    Text,
    Word,
)
from total_recall.memory.synonyms import Group, Synonyms

# The phases of a search; the last is RELATED.
KEY = "key"
PARTIAL_KEY = "partial key"
VALUE = "value"

# No key that is typed wrong is longer, and to compare two long texts takes long.
MOST_NEAR_LETTERS = 64
MOST_NEAR_KEYS = 3

# What a hit is sorted by, smallest first: see `_ranked`.
_Rank = tuple[tuple[int, ...], bool, int, float, str]


@dataclass(frozen=True)
class Hit:
    """A memory that was found, the phase that found it, and what of the query it matches."""

    memory: Memory
    phase: str
    matches: tuple[Match, ...]


@dataclass(frozen=True)
class Answer:
    """All hits of a query, best first."""

    query: str
    hits: tuple[Hit, ...]


def search(
    query: str, memories: Sequence[Memory], synonyms: Synonyms, *, related: bool = False
) -> Answer:
    """Give the memories that answer a query, best first.

    A memory whose key is the query answers it alone. Else those come whose key holds the query,
    then those that hold some of its words. What only names a thing of the query's topic comes
    last, if it is asked for by `related` or no memory holds every word: "package manager" must
    reach npm also where another memory speaks of a manager.

    >>> memories = [Memory(("user-prefers-bun",), "No npm."), Memory(("tests",), "Use Vitest.")]
    >>> [hit.memory.key for hit in search("bun", memories, Synonyms()).hits]
    ['user-prefers-bun']
    """
    exact = _named(query, memories)
    if exact and not related:
        return Answer(query, exact)
    texts = [Text(memory) for memory in memories]
    hits, is_complete = (exact, True) if exact else _worded(query, texts, synonyms)
    if not (hits or related) and _is_near_a_key(query, memories):
        return Answer(query, ())  # a slip: to answer with something else would be a guess
    if related or not is_complete:
        known = {id(hit.memory) for hit in hits}
        hits += _related(query, [text for text in texts if id(text.memory) not in known], synonyms)
    return Answer(query, hits)


def near_keys(query: str, memories: Iterable[Memory]) -> list[str]:
    """Give up to three keys that may have been meant, since they or a word of them are near.

    >>> near_keys("databse", [Memory(("database-url",), ""), Memory(("test-runner",), "")])
    ['database-url']
    """
    keys: dict[str, set[str]] = {}
    for memory in memories:
        for key in memory.keys:
            level = matches.level(key)
            for name in (level, *level.split()):
                keys.setdefault(name, set()).add(key)
    level = matches.level(query)
    sought = dict.fromkeys([level, *level.split()[:MOST_TERMS]])
    names = [
        name
        for word in sought
        if len(word) <= MOST_NEAR_LETTERS
        for name in suggest.alike(word, keys)
    ]
    found = [key for name in names for key in sorted(keys[name])]
    return list(dict.fromkeys(found))[:MOST_NEAR_KEYS]


def _is_near_a_key(query: str, memories: Iterable[Memory]) -> bool:
    level = matches.level(query)
    keys = {matches.level(key) for memory in memories for key in memory.keys}
    return len(level) <= MOST_NEAR_LETTERS and bool(suggest.alike(level, keys))


def _named(query: str, memories: Iterable[Memory]) -> tuple[Hit, ...]:
    """Give the memories with this very key: the project's, if both stores have it."""
    found = named(query, memories)
    own = [memory for memory in found if memory.scope == PROJECT]
    wanted = own_form(query)
    match = Match(wanted, wanted, EQUAL)
    return tuple(Hit(memory, KEY, (match,)) for memory in own or found)


def _worded(query: str, texts: Iterable[Text], synonyms: Synonyms) -> tuple[tuple[Hit, ...], bool]:
    """Give the hits by key and by words, and say whether one of them holds all that is asked."""
    level = matches.level(query)
    names = matches.other_names(synonyms.aliases)
    asked = matches.query_of(query, synonyms.stopwords, names)
    sought = asked.words
    is_complete = False
    ranked: list[tuple[_Rank, Hit]] = []
    for text in texts:
        found = asked.found_in(text)
        whole = [each for each in found.values() if each.is_whole]
        is_complete |= bool(sought) and len(whole) == len(sought)
        if part := _part_of_key(text, level, sought, found):
            place, held = part
            is_complete |= place < _MID_WORD
            ranked.append(_ranked(text, PARTIAL_KEY, held, (0, place)))
        elif found:
            phase = VALUE if any(each.in_value for each in found.values()) else PARTIAL_KEY
            held = tuple(each.match for each in found.values())
            typed = sum(match.how in {EQUAL, STEM} for match in held)
            ranked.append(_ranked(text, phase, held, (1, -len(whole), -len(found)), typed))
    return _in_order(ranked), is_complete


# How a levelled key holds a levelled query, the best first.
_PARTS: tuple[Callable[[str, str], bool], ...] = (
    lambda key, query: key == query,
    lambda key, query: f" {query} " in f" {key} ",
    lambda key, query: query in key,
)
_MID_WORD = 2


def _part_of_key(
    text: Text, query: str, sought: Sequence[Word], found: Mapping[Word, Found]
) -> tuple[int, tuple[Match, ...]] | None:
    """Give how well a key holds the query, or all its words, 0 for best; None if it does not."""
    for place, holds in enumerate(_PARTS):
        for key in text.level_keys:
            if query and holds(key, query):
                return place, (Match(query, key, EQUAL if key == query else CONTAINED),)
    held: list[Match] = []
    for word in sought:
        if not (match := _in_keys(word, found.get(word), text.level_keys)):
            return None
        held.append(match)
    return (len(_PARTS), tuple(held)) if held else None


def _in_keys(word: Word, found: Found | None, keys: Iterable[str]) -> Match | None:
    """Give how a word is in one of some levelled keys, whole or within a longer one."""
    if found and found.is_whole and found.in_key:
        return found.match
    if len(word.level) >= LEAST_LETTERS:
        for key in keys:
            if word.level in key:
                return Match(word.term.word, key, CONTAINED)
    return None


@dataclass(frozen=True)
class _Topic:
    """A group that a phrase of the query asks for, ready to be looked for in many texts."""

    trigger: str
    expands: Sequence[Finder]
    unless: Sequence[Finder]

    def found_in(self, text: Text) -> list[Match]:
        """Give the names of the topic that stand in a text, and not in a phrase they are out of."""
        named = matches.spans(self.expands, text)
        if not named:
            return []
        out = matches.spans(self.unless, text)
        kept = (
            text.levelled[1][start:end]
            for start, end in named
            if not any(first <= start and end <= last for first, last in out)
        )
        return [Match(self.trigger, word, RELATED) for word in dict.fromkeys(kept)]


def _related(query: str, texts: Iterable[Text], synonyms: Synonyms) -> tuple[Hit, ...]:
    """Give the hits that name something of a topic of the query."""
    topics = [
        _Topic(
            trigger,
            [finder for name in group.expands for finder in matches.phrase(name)],
            [finder for name in group.unless for finder in matches.phrase(name)],
        )
        for trigger, group in _topics(query, synonyms)
    ]
    ranked: list[tuple[_Rank, Hit]] = []
    for text in texts:
        found = [each for topic in topics if (each := topic.found_in(text))]
        if found:
            held = tuple(match for each in found for match in each)
            ranked.append(_ranked(text, RELATED, held, (-len(found),), len(held)))
    return _in_order(ranked)


def _topics(query: str, synonyms: Synonyms) -> Iterator[tuple[str, Group]]:
    """Give the groups that a query asks for, each with the phrase that does; longest first.

    A phrase is found before stop words are dropped ("log in"), and no shorter one in it.
    """
    names = matches.other_names(synonyms.aliases)
    asked = [
        {words.stem(name) for name in (part, *names.get(matches.singular(part), ()))}
        for part in islice(_parts(query), MOST_TERMS)
    ]
    roots = tuple({words.root(stem) for stems in asked for stem in stems})
    phrases = [
        (trigger, [words.stem(part) for part in parts], group)
        for group in synonyms.groups.values()
        for trigger in group.triggers
        if (parts := list(_parts(trigger))) and all(part.startswith(roots) for part in parts)
    ]
    used: set[int] = set()
    seen: set[int] = set()
    for length in sorted({len(stems) for _, stems, _ in phrases}, reverse=True):
        taken: set[int] = set()
        for trigger, stems, group in phrases:
            places = _places(stems, asked, used) if len(stems) == length else set()
            if places and id(group) not in seen:
                seen.add(id(group))
                yield trigger, group
            taken |= places
        used |= taken


def _parts(text: str) -> Iterator[str]:
    # Folded first: a hump of a camel is no word of a phrase, PostgreSQL does not ask for SQL.
    for compound in words.compounds(words.fold(text)):
        yield from words.parts(compound)


def _places(stems: Sequence[str], asked: Sequence[set[str]], used: set[int]) -> set[int]:
    """Give which words of a query are those of a phrase, in a row, none of them used."""
    found: set[int] = set()
    for start in range(len(asked) - len(stems) + 1):
        row = range(start, start + len(stems))
        if used.isdisjoint(row) and all(
            stem in asked[at] for stem, at in zip(stems, row, strict=True)
        ):
            found.update(row)
    return found


def _ranked(
    text: Text, phase: str, held: tuple[Match, ...], place: tuple[int, ...], many: int = 0
) -> tuple[_Rank, Hit]:
    """Give a hit with what it is sorted by: its place, and among equals the project's first.

    Then come those with many words found, the newest and the key. Vitality is no part of it: what
    is read more would be found more and so be read more.
    """
    memory = text.memory
    moment = dates.moment(memory.updated)
    age = -moment.timestamp() if moment else math.inf
    rank = (place, memory.scope != PROJECT, -many, age, memory.key)
    return rank, Hit(memory, phase, held)


def _in_order(ranked: list[tuple[_Rank, Hit]]) -> tuple[Hit, ...]:
    return tuple(hit for _, hit in sorted(ranked, key=lambda pair: pair[0]))
