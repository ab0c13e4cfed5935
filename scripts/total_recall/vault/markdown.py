"""The headings and sentences of a Markdown body."""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

LABEL_LEVEL = 7  # a label line opens a section below every heading
MAX_NAME = 200  # characters of a heading that are compared; no field has a longer name

_MARK = re.compile(
    r"^ {0,3}(?:(?P<hashes>#{1,6})(?P<title>[ \t].*)?"
    r"|(?P<item>(?:[-*+] {1,2}|\d[.)] ))?(?P<fence>`{3,}|~{3,})(?P<info>.*)"
    r"|(?P<under>=+|-{2,})[ \t]*)$",
    re.MULTILINE,
)
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?P<mark>\*{1,3}|_{1,3}|)(?P<name>[A-Za-z][\w /-]{1,38}?)"
    r"(?:(?P=mark)[ \t]*:|:(?P=mark))[ \t]*(?P<rest>.*)$",
    re.MULTILINE,
)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# The bounds here and below keep hostile lines from costing more than their length.
_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^\n]{1,300}?(?<!`)\1(?!`)")
_NOT_A_TITLE = re.compile(r"[ \t]*(?:$|[-*+>|#=]|\d+[.)][ \t])")

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?|[ivx]+[.)])\s+")
_ORNAMENT = re.compile(r"[*`~]|(?<![^\W_])_|_(?![^\W_])|\[|\](?:\([^)]*\))?")
_BLOCKS = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)])[ \t])|\n(?=[ \t]*[|>#])")
_BULLET = re.compile(r"^\s*(?:(?:[-*+]|\d+[.)])[ \t]+|#{1,6}[ \t]+|>[ \t]*)+")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)\s+(?=[^a-z\s])"
)
_START = attrgetter("start")
_EDGES = re.compile(r"^[^\w]+|[^\w\])}]+$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading or label of a body.

    `start` and `text_start` are offsets: where its line begins, and where the text under it
    does. `level` is 1 to 6, or LABEL_LEVEL for a label line.
    """

    start: int
    text_start: int
    level: int
    title: str

    @property
    def name(self) -> str:
        """Give the title as it is compared."""
        return heading_name(self.title)


@lru_cache(maxsize=4096)
def heading_name(title: str) -> str:
    """Give a heading as it is compared.

    >>> heading_name("3. **Decision Outcome** 🎯:"), heading_name("Trade-offs")
    ('decision outcome', 'trade-offs')
    """
    plain = _EDGES.sub("", _ORNAMENT.sub("", title[:MAX_NAME])).replace("_", " ")
    return _NUMBERING.sub("", " ".join(plain.casefold().split()))


def without_comments(body: str) -> str:
    """Give the body without HTML comments, which templates leave behind."""
    return _COMMENT.sub("", body) if "<!--" in body else body


def without_fences(body: str) -> str:
    """Give the body without fenced blocks."""
    kept: list[str] = []
    at = 0
    for start, end in _fences(body):
        kept.append(body[at:start])
        at = end
    return "".join(kept) + body[at:]


def without_code(body: str) -> str:
    """Give the body without fenced blocks and code spans."""
    return _INLINE_CODE.sub("", without_fences(body))


@lru_cache(maxsize=8)  # a body is asked for its outline, its facts and its tags in turn
def _fences(body: str) -> list[tuple[int, int]]:
    """Give the span of each fenced block; one that is never closed runs to the end."""
    if "```" not in body and "~~~" not in body:
        return []
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(body):
        if not mark["fence"]:
            continue
        if opened is None:
            if mark["fence"][0] == "~" or "`" not in mark["info"]:
                opened = mark
        elif (
            mark["fence"].startswith(opened["fence"])
            and not mark["item"]
            and not mark["info"].strip()
        ):
            spans.append((opened.start(), mark.end()))
            opened = None
    if opened is not None:
        spans.append((opened.start(), len(body)))
    return spans


def outline(body: str, labels: frozenset[str] = frozenset()) -> list[Heading]:
    """Give the headings of a body in order.

    ATX and setext headings count, and lines that begin `Label:` where the folded label is one
    of `labels`; fenced code does not.
    """
    fences = _fences(body)
    found = [*_headings(body), *(_labels(body, labels) if labels else ())]
    found.sort(key=_START)
    return [heading for heading in found if not _is_in(fences, heading.start)] if fences else found


def _headings(body: str) -> Iterator[Heading]:
    for mark in _MARK.finditer(body):
        if hashes := mark["hashes"]:
            title = (mark["title"] or "").strip()
            if title.endswith("#"):
                title = _CLOSING_HASHES.sub("", title).strip()
            yield Heading(mark.start(), mark.end(), len(hashes), title)
        elif mark["under"] and mark.start():
            before = body.rfind("\n", 0, mark.start() - 1) + 1
            title = body[before : mark.start()].strip()
            if not _NOT_A_TITLE.match(title):
                level = 1 if mark["under"][0] == "=" else 2
                yield Heading(before, mark.end(), level, title)


def _labels(body: str, labels: frozenset[str]) -> Iterator[Heading]:
    for line in _LABEL.finditer(body):
        if line["name"].casefold() in labels:
            yield Heading(line.start(), line.start("rest"), LABEL_LEVEL, line["name"])


def _is_in(spans: list[tuple[int, int]], offset: int) -> bool:
    at = bisect_right(spans, (offset, sys.maxsize)) - 1
    return at >= 0 and offset < spans[at][1]


def own_texts(body: str, outline: Sequence[Heading]) -> Iterator[tuple[Heading, str]]:
    """Give each heading with the text between it and the next one."""
    ends = [heading.start for heading in outline[1:]] + [len(body)]
    for heading, end in zip(outline, ends, strict=False):
        yield heading, body[heading.text_start : end].strip()


def blocks(text: str) -> Iterator[str]:
    """Give the paragraphs, list items, headings and table rows of a text, without their marks."""
    for block in _BLOCKS.split(text):
        if plain := _BULLET.sub("", block).strip():
            yield plain


def sentences(text: str) -> Iterator[str]:
    """Give the sentences of prose, each on one line; list items and table rows end one.

    >>> list(sentences("We use v1.2, e.g. for\\nlogin. It MUST stay.\\n- one\\n- two"))
    ['We use v1.2, e.g. for login.', 'It MUST stay.', 'one', 'two']
    """
    for block in blocks(text):
        yield from _SENTENCE_END.split(" ".join(block.split()))
