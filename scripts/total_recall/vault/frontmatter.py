"""A note's frontmatter as plain values, whatever shape its YAML is in."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from total_recall import safeyaml
from total_recall.safeyaml import MAX_CHARACTERS, FaultyYamlError

if TYPE_CHECKING:
    import yaml

Value = str | list["Value"] | dict[str, "Value"]

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^---[ \t]*$", re.MULTILINE)
_MISSING = {"", "~", "null", "Null", "NULL"}

# A line of a block: an indent with list dashes, a key, and what is left.
_LINE = re.compile(r"(\s*(?:- +)*)(?:([^\s:#\"'\[{](?:[^:\[{]*[^\s:\[{])?)\s*:(?:\s+|$))?(.*)")
_NEEDS_QUOTES = re.compile(r"[@%*&!#{`]|\|.*\S|.*(?:\[\[|: |\{\{|:$)")
# YAML would take `- #auth` for a comment.
_HASH_TAGS = re.compile(
    r"^([ \t]*(?:- +|tags?:[ \t]+))(#[\w/-]+(?:[ \t,]+#[\w/-]+)*)[ \t]*$", re.MULTILINE
)
_FLAT_LIST = re.compile(r"\[(?!\[)[^\[\]]*\]?")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:#.*)?""")


@dataclass(frozen=True)
class Frontmatter:
    """The values of a block, all scalars as text, and what was wrong with it ("" if nothing)."""

    values: Mapping[str, Value]
    fault: str = ""


def split(text: str) -> tuple[str, str]:
    """Give (block, body); the block is "" unless the text starts with one and closes it.

    >>> split("---\\nid: 7\\n---\\n# Title\\n---\\nmore")
    ('id: 7\\n', '# Title\\n---\\nmore')
    >>> split("---\\nnever closed")
    ('', '---\\nnever closed')
    """
    opening = _OPENING.match(text)
    closing = opening and _CLOSING.search(text, opening.end())
    if not opening or not closing:
        return "", text
    return text[opening.end() : closing.start()], text[closing.end() :].removeprefix("\n")


def parse(block: str) -> Frontmatter:
    """Give what a frontmatter block says.

    Scalars stay text (`id: 0012`, `yes`, `12:30`), empty and null values are left out. A block
    that is no YAML is repaired line by line, and if that fails read line by line; `fault` says so.
    """
    if len(block) > MAX_CHARACTERS:
        return Frontmatter({}, f"frontmatter ignored: over {MAX_CHARACTERS // 1024} KB")
    try:
        return Frontmatter(_load(block))
    except FaultyYamlError as error:
        problem = str(error)
    try:
        return Frontmatter(_load(_repair(block)), f"frontmatter repaired: {problem}")
    except FaultyYamlError:
        return Frontmatter(_read_lines(block), f"frontmatter read line by line: {problem}")


def _load(block: str) -> dict[str, Value]:
    import frontmatter

    tagged = _HASH_TAGS.sub(r"\1'\2'", block)
    values, _ = frontmatter.parse(f"---\n{tagged}\n---\n", handler=_handler())
    return values  # type: ignore[return-value]


@cache
def _handler() -> Any:
    from frontmatter.default_handlers import YAMLHandler

    class TextHandler(YAMLHandler):
        """YAML by its events: the guard and the values in one pass, and no type is guessed."""

        FM_BOUNDARY = _CLOSING  # its own takes `----` for one too

        def load(self, fm: str, **_: object) -> dict[str, Any]:
            return _mapping_of(safeyaml.events(fm))

    return TextHandler()


def _mapping_of(events: "Iterator[yaml.Event]") -> dict[str, Value]:
    import yaml

    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            value = _value_of(event, events)
            return value if isinstance(value, dict) else {}
        if isinstance(event, yaml.ScalarEvent | yaml.SequenceStartEvent):
            if isinstance(event, yaml.ScalarEvent) and event.value in _MISSING:
                return {}
            raise FaultyYamlError.at(event, "no `key: value` pairs")
    return {}


def _value_of(event: "yaml.Event", events: "Iterator[yaml.Event]") -> Value | None:
    """Build one value from its first event on; None for an empty or null scalar."""
    import yaml

    if isinstance(event, yaml.ScalarEvent):
        return None if not event.style and event.value in _MISSING else str(event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(start := next(events), yaml.SequenceEndEvent):
            if (item := _value_of(start, events)) is not None:
                items.append(item)
        return items
    pairs: dict[str, Value] = {}
    while not isinstance(start := next(events), yaml.MappingEndEvent):
        key = _value_of(start, events)
        value = _value_of(next(events), events)
        if not isinstance(key, str | None):
            raise FaultyYamlError.at(start, "a key that is no text")
        if key is not None and value is not None:
            pairs[key] = value
    return pairs


def _repair(block: str) -> str:
    return "\n".join(_repaired_line(line) for line in block.replace("\t", "  ").split("\n"))


def _repaired_line(line: str) -> str:
    found = _LINE.fullmatch(line)
    if not found or not found[3] or line.lstrip().startswith("#"):
        return line
    indent, key, value = found.groups()
    value = value.rstrip()
    if _QUOTED.fullmatch(value) or not _NEEDS_QUOTES.match(value):
        return line
    return f"{indent}{key + ': ' if key else ''}'{value.replace(chr(39), chr(39) * 2)}'"


def _read_lines(block: str) -> dict[str, Value]:
    """Give each `key: value` and flat list, and the `- item` lines below a key as its list."""
    values: dict[str, Value] = {}
    last = ""
    for line in block.split("\n"):
        found = _LINE.fullmatch(line)
        if not found:
            continue
        indent, key, value = found.groups()
        value = value.strip().strip("\"'")
        if key and "-" not in indent and not indent.strip():
            last = key
            if value not in _MISSING:
                values[last] = _items(value) if _FLAT_LIST.fullmatch(value) else value
        elif "-" in indent and last and value not in _MISSING:
            items = values.setdefault(last, [])
            if isinstance(items, list):
                items.append(value)
    return values


def _items(text: str) -> list[Value]:
    parts = (part.strip(" \t\"'") for part in text.strip("[]").split(","))
    return [part for part in parts if part not in _MISSING]


def texts(value: Value | None) -> list[str]:
    """Give every scalar in a value, in order, however it is nested.

    >>> texts([["a"], "b, c", {"k": "d"}]), texts(None)
    (['a', 'b, c', 'd'], [])
    """
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    inner: list[Any] = list(value.values()) if isinstance(value, dict) else value
    return [text for item in inner for text in texts(item)]
