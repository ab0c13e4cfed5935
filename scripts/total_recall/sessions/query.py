"""A query: the words of any text, as terms that SQLite's full-text search can be asked for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from total_recall import words
from total_recall.sessions.chunks import humps, pairs
from total_recall.words import STOP_WORDS, UNSPACED

MOST_TERMS = 64
MOST_CHARACTERS = 256  # of one word; SQLite refuses phrases of some thousand tokens
_PHRASE = re.compile(r'"([^"]*)"|“([^“”]*)”')
_UNTYPEABLE = re.compile("[\x00\ud800-\udfff]")
_JOINT = re.compile(r"[^\w'’]+|_+")
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_INNER = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A word that is looked for: as it was typed, and as the full-text query that finds it."""

    typed: str
    match: str
    required: bool = False


def terms(text: str) -> list[Term]:
    """Give the terms of a query, each once, at most 64 of them.

    A quoted phrase is required. Names are looked for whole and in their parts. Stop words count
    only if nothing else is there.

    >>> [term.typed for term in terms('why did the refreshToken fail in "login flow"')]
    ['login flow', 'refreshToken', 'refresh', 'Token', 'fail']
    >>> [term.match for term in terms("what is it?")]
    ['"what"', '"is"', '"it"']
    """
    plain = _UNTYPEABLE.sub(" ", text)
    found: dict[str, Term] = {}
    for phrase in _PHRASE.finditer(plain):
        words_ = (phrase[1] or phrase[2] or "").strip()[:MOST_CHARACTERS]
        if words_ and any(letter.isalnum() for letter in words_):
            found.setdefault(words_.lower(), Term(words_, _phrase(words_), required=True))
    rest = _PHRASE.sub(" ", plain)
    for stopped in (False, True):
        for typed, match in _of_words(rest, with_stop_words=stopped):
            found.setdefault(typed.lower(), Term(typed, match))
            if len(found) == MOST_TERMS:
                break
        if found:
            break
    return list(found.values())


def _of_words(text: str, *, with_stop_words: bool) -> Iterator[tuple[str, str]]:
    for part in _parts(text):
        found = _INNER.search(part)
        if not found:
            continue
        word = _POSSESSIVE.sub("", found[0][:MOST_CHARACTERS])
        if words.is_unspaced(word):
            yield word, _run(word)
        elif with_stop_words or words.fold(word).replace("’", "'").split("'")[0] not in STOP_WORDS:
            yield word, _quoted(word)
            pieces = [hump for joint in _JOINT.split(word) for hump in humps(joint)]
            if len(pieces) > 1:
                for piece in pieces:
                    if len(piece) > 2 and piece.lower() not in STOP_WORDS:
                        yield piece, _quoted(piece)


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _run(run: str) -> str:
    """Give the query for a run without blanks: its pairs, one behind the other."""
    return _quoted(" ".join(pairs(run)[:-1])) if len(run) > 1 else f"{_quoted(run)} *"


def _phrase(text: str) -> str:
    """Give the query for a phrase: its words in their order, its unspaced runs as such."""
    parts = [found[0] for part in _parts(text) if (found := _INNER.search(part))]
    if not any(map(words.is_unspaced, parts)):
        return _quoted(text)
    return " AND ".join(_run(part) if words.is_unspaced(part) else _quoted(part) for part in parts)


def _parts(text: str) -> list[str]:
    """Give what blanks part, with runs of scripts that write none for themselves."""
    return text.split() if text.isascii() else _part().findall(text)


@cache
def _part() -> re.Pattern[str]:
    # A large set of characters takes long to compile, and most queries need none.
    return re.compile(rf"[{UNSPACED}]+|[^\s{UNSPACED}]+")


def fts_query(found: list[Term]) -> str:
    """Give the full-text query for terms: any of them, and each that is required.

    >>> fts_query(terms('retry "rate limit"'))
    '("rate limit") AND ("rate limit" OR "retry")'
    """
    wanted = " OR ".join(
        f"({term.match})" if " AND " in term.match else term.match for term in found
    )
    required = [f"({term.match})" for term in found if term.required]
    return " AND ".join([*required, f"({wanted})"]) if required else wanted
