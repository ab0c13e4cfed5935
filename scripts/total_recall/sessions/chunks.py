"""The parts of a turn's text that are ranked by themselves, and what is searched beside them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from total_recall.words import UNSPACED

CHUNK_CHARACTERS = 500  # long turns hide a passage; measured best among 250, 500, 1000
LONGEST = 750  # what is left of a text is no chunk of its own below a half
MAX_SUMMARY = 240
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n|[.!?。！？]\s"), re.compile(r"\s"))
_SENTENCE_END = re.compile(r"[.!?。！？\n]")
_NAME = re.compile("[A-Za-z0-9]*")
_HUMP_SIGN = re.compile("[a-z0-9][A-Z]")  # far quicker to look for than a hump itself
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def chunks(text: str) -> list[tuple[int, int]]:
    """Give where the chunks of a text begin and end; together they are the text.

    >>> chunks("short"), chunks("a" * 1200)
    ([(0, 5)], [(0, 500), (500, 1200)])
    """
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > LONGEST:
        end = _end(text, start)
        found.append((start, end))
        start = end
    found.append((start, len(text)))
    return found


def _end(text: str, start: int) -> int:
    """Give where a chunk ends: behind the last paragraph, sentence or word of its second half."""
    first, last = start + CHUNK_CHARACTERS // 2, start + CHUNK_CHARACTERS
    for pattern in _BREAKS:
        ends = [found.end() for found in pattern.finditer(text, first, last)]
        if ends:
            return ends[-1]
    return last


def summary_length(text: str) -> int:
    """Give the length of a text's first sentence, at most 240 characters.

    >>> summary_length("We use JWT. It is small."), summary_length("a" * 500)
    (11, 240)
    """
    for found in _SENTENCE_END.finditer(text, 0, MAX_SUMMARY):
        end = found.end()
        if found[0] not in ".!?" or text[end : end + 1].isspace() or end == len(text):
            return end
    return min(len(text), MAX_SUMMARY)


def beside(text: str, entities: Iterable[str]) -> str:
    """Give what a text is found by beside its own words.

    That is each pair of neighbours in scripts that write no blanks, with the last character of
    a run alone, the parts of names in camel case, and the entities.

    >>> beside("我们用数据库", []), beside("call refreshToken()", ["refreshToken"])
    ('我们 们用 用数 数据 据库 库', 'refresh Token refreshToken')
    """
    found: list[str] = []
    if not text.isascii():
        for run in _runs().findall(text):
            found += pairs(run)
    for name in _in_camel_case(text):
        found += _HUMP.split(name)
    found += entities
    return " ".join(found)


def _in_camel_case(text: str) -> Iterator[str]:
    """Give the names in camel case: those around a small letter before a capital."""
    end = 0
    for sign in _HUMP_SIGN.finditer(text):
        start = sign.start()
        if start < end:
            continue
        while start > end and text[start - 1].isalnum() and text[start - 1].isascii():
            start -= 1
        name = _NAME.match(text, start)
        end = name.end() if name else end
        yield text[start:end]


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]+")


def pairs(run: str) -> list[str]:
    """Give each pair of neighbours of a run, and its last character."""
    return [run[at : at + 2] for at in range(len(run))]


def humps(name: str) -> list[str]:
    """Give the parts of a name in camel case.

    >>> humps("getHTTPResponse"), humps("plain")
    (['get', 'HTTP', 'Response'], ['plain'])
    """
    return _HUMP.split(name)
