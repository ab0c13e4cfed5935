"""Changes to JSON text that leave everything else as it was written.

A path names a value by the keys and indexes that lead to it. A leading byte order mark is no part
of the text: the caller takes it off and puts it back.
"""

import copy
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn, TypeAlias

Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Path: TypeAlias = tuple[str | int, ...]

DEFAULT_INDENT = "  "  # of a text that shows none

_DECODER = json.JSONDecoder()

_BLANKS = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[][{}]|[^][{}",:\s]+')
_INDENTED_LINE = re.compile(r"\n([ \t]+)[^ \t\r\n]")
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*"[^"\\]*(?:\\.[^"\\]*)*"([ \t\r\n]*:[ \t\r\n]*)')

# A backslash and what it escapes; caught if that is a character beyond ASCII.
_ESCAPE = re.compile(r"\\(?:u(?!00[0-7])([0-9a-fA-F]{4})|.)")
_NOT_ASCII = re.compile(r"[^\0-\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class NotJsonError(ValueError):
    """Where a text stops being JSON that can be changed safely, and why."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.line = line
        self.column = column
        self.reason = reason


def parse(text: str) -> Value:
    """Give the value of a JSON text, of which no part is lost or doubtful.

    Raises NotJsonError for what is not JSON, and also for NaN and infinities, a key that stands
    twice in one object, and what Python will not hold: integers of thousands of digits, hundreds
    of brackets inside each other. Blank text is not JSON.

    >>> parse('{"reads": 3}')
    {'reads': 3}
    >>> parse('{"reads": 3, "reads": 4}')
    Traceback (most recent call last):
        ...
    total_recall.memory.patch.NotJsonError: line 1, column 14: the key "reads" stands twice
    """
    try:
        value: Value = _STRICT.decode(text)
    except RecursionError:
        at, reason = 0, "nested too deeply"
    except json.JSONDecodeError as error:
        at, reason = error.pos, _in_plain_words(error)
    except ValueError:
        at, reason = next(_faults(text))
    else:
        return value
    if (conflict := f"\n{text}".find("\n<<<<<<< ")) >= 0:
        at, reason = conflict, "git conflict markers"
    raise NotJsonError(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), reason)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(name)


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def _in_plain_words(error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Unterminated string"):
        return "the text ends inside a string"
    if error.msg == "Extra data":
        return "more text after the end"
    if error.pos >= len(error.doc.rstrip()):
        return "the text ends too early"
    return error.msg[0].lower() + error.msg[1:].removesuffix(" at")


def _faults(text: str) -> Iterator[tuple[int, str]]:
    """Give the places where a text is JSON by its form only: the decoder does not tell them."""
    most_digits = sys.get_int_max_str_digits()
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        string, colon = token.groups()
        at, word = token.start(), token[0]
        if string and colon:
            key = _DECODER.decode(string)
            if key in keys[-1]:
                yield at, f"the key {json.dumps(key, ensure_ascii=False)} stands twice"
            keys[-1].add(key)
        elif word in "{[":
            keys.append(set())
        elif word in "]}":
            keys.pop()
        elif word in {"NaN", "Infinity", "-Infinity"}:
            yield at, f"{word} is not JSON"
        elif (digits := word.removeprefix("-")).isdigit() and len(digits) > most_digits:
            yield at, "an integer of too many digits"


def replaced(text: str, changes: Mapping[Path, Value]) -> str:
    """Give a text that `parse` takes with the value at each path set, and nothing else touched.

    A missing key is added at the end of its object and written as its neighbours are, a missing
    parent becomes an object, and the index after the last one appends. A value that is equal
    already keeps its spelling. Raises LookupError for a path through anything else, and
    ValueError for NaN and infinities.

    >>> print(replaced('{"confidence": 0.90, "reads": 3}', {("reads",): 4, ("state",): "new"}))
    {"confidence": 0.90, "reads": 4, "state": "new"}
    """
    edits: list[tuple[int, int, str]] = []
    waiting = [(_root(text, changes), changes, _document_style(text))]
    while waiting:
        place, wanted, style = waiting.pop()
        if () in wanted or not place.members:
            old, _ = _DECODER.raw_decode(text, place.at)
            new = updated(old, wanted)
            if not _same(old, new):
                edits.append((place.at, place.end, _written(new, text, place, style)))
            continue
        style = _style_in(place, text, style)
        known = {member.key: member for member in place.members}
        missing: dict[str | int, Value] = {}
        for key, below in _by_first_key(wanted).items():
            if key in known:
                waiting.append((known[key], below, style))
            else:
                missing[key] = updated({}, below)
        end = place.members[-1].end
        edits.append((end, end, _added(missing, text, place, style)))
    return _spliced(text, edits)


def differences(old: Value, new: Value, path: Path = ()) -> dict[Path, Value]:
    """Give the smallest changes that make a value another one, by paths that begin with `path`.

    >>> differences({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}, "d": 4}, ("x",))
    {('x', 'a', 'c'): 3, ('x', 'd'): 4}
    """
    if _same(old, new):
        return {}
    if not (isinstance(old, dict) and isinstance(new, dict) and old.keys() <= new.keys()):
        return {path: new}
    changes: dict[Path, Value] = {}
    for key, value in new.items():
        if key in old:
            changes |= differences(old[key], value, (*path, key))
        else:
            changes[(*path, key)] = value
    return changes


def removed(text: str, path: Path) -> str:
    """Give a text that `parse` takes without the member or item at a path, and without its comma.

    Raises LookupError if nothing is there; the whole text cannot be removed.

    >>> removed('{"a": 1, "b": [2, 3]}', ("b", 0))
    '{"a": 1, "b": [3]}'
    """
    place = _root(text, {path: None})
    for key in path[:-1]:
        place = place.members[_index(place, key)]
    index = _index(place, path[-1])
    members = place.members
    if index > 0:
        start, end = members[index - 1].end, members[index].end
    elif len(members) > 1:
        start, end = members[0].start, members[1].start
    else:
        start, end = place.at + 1, place.end - 1
    return _spliced(text, [(start, end, "")])


def _spliced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        parts += text[at:start], new
        at = end
    return "".join([*parts, text[at:]])


class _Member(NamedTuple):
    """Where a member stands: its key or index, the end of that, and its value.

    It has members of its own if a path leads into it.
    """

    key: str | int
    start: int
    key_end: int
    at: int
    end: int
    members: "Sequence[_Member]"


def _root(text: str, paths: Mapping[Path, Value]) -> _Member:
    """Give a whole text as a member, to which all paths lead."""
    at = _after_blanks(text, 0)
    return _Member("", at, at, at, *_end_and_members(text, at, paths))


def _end_and_members(
    text: str, at: int, paths: Mapping[Path, Value]
) -> tuple[int, Sequence[_Member]]:
    """Give where a value ends, jumping over all that no path leads into."""
    if text[at] not in "{[" or not any(paths):
        return _DECODER.raw_decode(text, at)[1], ()
    is_object = text[at] == "{"
    below = _by_first_key(paths)
    members: list[_Member] = []
    at = _after_blanks(text, at + 1)
    while text[at] not in "]}":
        key: str | int = len(members)
        start = key_end = at
        if is_object:
            key, key_end = _DECODER.raw_decode(text, at)
            at = _after_blanks(text, _after_blanks(text, key_end) + 1)
        end, inner = _end_and_members(text, at, below.get(key, {}))
        members.append(_Member(key, start, key_end, at, end, inner))
        at = _after_blanks(text, end)
        if text[at] == ",":
            at = _after_blanks(text, at + 1)
    return at + 1, members


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _index(place: _Member, key: str | int) -> int:
    for index, member in enumerate(place.members):
        if member.key == key:
            return index
    raise LookupError(f"nothing at {key!r}")


def _by_first_key(changes: Mapping[Path, Value]) -> dict[str | int, dict[Path, Value]]:
    groups: dict[str | int, dict[Path, Value]] = {}
    for path, value in changes.items():
        if path:
            groups.setdefault(path[0], {})[path[1:]] = value
    return groups


def updated(old: Value, changes: Mapping[Path, Value]) -> Value:
    """Give the value that a text has once `replaced` has set these paths in it."""
    for path, new in changes.items():
        old = _with(old, path, new)
    return old


def without(old: Value, path: Path) -> Value:
    """Give the value that a text has once `removed` has taken a path out of it."""
    key, *below = path
    held: Any = copy.copy(old)
    if below:
        held[key] = without(held[key], tuple(below))
    else:
        del held[key]
    return held  # type: ignore[no-any-return]


def _with(old: Value, path: Path, new: Value) -> Value:
    if not path:
        return new
    key, *below = path
    if isinstance(old, dict) and isinstance(key, str):
        return {**old, key: _with(old.get(key, {}), tuple(below), new)}
    if isinstance(old, list) and isinstance(key, int) and 0 <= key <= len(old):
        held = old[key] if key < len(old) else {}
        return [*old[:key], _with(held, tuple(below), new), *old[key + 1 :]]
    raise LookupError(f"no place for {key!r}")


def _same(one: Value, other: Value) -> bool:
    """Say whether two values are equal and of one type: 1 is neither 1.0 nor True."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@dataclass(frozen=True)
class _Style:
    """How a text writes its values: `joint` is all that stands between two neighbours."""

    newline: str
    indent: str
    colon: str
    comma: str  # the joint where values stand on one line
    joint: str


def _document_style(text: str) -> _Style:
    newline = "\r\n" if text[: text.find("\n")].endswith("\r") else "\n"
    line = _INDENTED_LINE.search(text)
    key = _FIRST_KEY.search(text)
    is_flush = key and "\n" in text.strip()
    indent = line[1] if line else "" if is_flush else DEFAULT_INDENT
    colon = key[1] if key else ": "
    comma = ", " if colon.endswith(" ") else ","
    return _Style(newline, indent, colon, comma, joint="," + newline)


def _style_in(place: _Member, text: str, around: _Style) -> _Style:
    """Give how a container writes its members; what it does not show is as around it."""
    last = place.members[-1]
    opening = text[place.at + 1 : place.members[0].start]
    if len(place.members) > 1:
        joint = text[place.members[-2].end : last.start]
    else:
        joint = "," + opening if "\n" in opening else around.comma
    return replace(
        around,
        colon=text[last.key_end : last.at] or around.colon,
        comma=around.comma if "\n" in joint else joint,
        joint=joint,
    )


def _added(missing: Mapping[str | int, Value], text: str, place: _Member, style: _Style) -> str:
    """Give what to insert after the last member of a container."""
    last = place.members[-1]
    parts: list[str] = []
    for index, (key, value) in enumerate(missing.items(), len(place.members)):
        if text[place.at] == "{" and isinstance(key, str):
            name = _written(key, text, last, style) + style.colon
        elif text[place.at] == "[" and key == index:
            name = ""
        else:
            raise LookupError(f"no place for {key!r}")
        parts += style.joint, name, _written(value, text, last, style)
    return "".join(parts)


def _written(value: Value, text: str, like: _Member, style: _Style) -> str:
    """Give the JSON of a value, on one line or more as is what it follows or replaces."""
    held = text[like.at : like.end]
    has_members = held[0] in "{[" and held[1:-1].strip() != ""
    is_spread = "\n" in (held if has_members else style.joint)
    line = text.rfind("\n", 0, like.start) + 1
    margin = text[line : _after_blanks(text, line)]
    written = json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        indent=style.indent if is_spread else None,
        separators=("," if is_spread else style.comma, style.colon),
    ).replace("\n", style.newline + margin)
    if written.isascii():
        return written
    unwanted = _NOT_ASCII if _is_escaped(text) else _SURROGATE
    return unwanted.sub(lambda found: json.dumps(found[0])[1:-1], written)


def _is_escaped(text: str) -> bool:
    """Say whether a text has characters beyond ASCII, and all of them as escapes."""
    return text.isascii() and any(escape[1] for escape in _ESCAPE.finditer(text))
