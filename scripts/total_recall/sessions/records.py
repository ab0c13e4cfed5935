"""The JSON records of a file, with the bytes each stands on, whatever state the file is in."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

MAX_LINE_BYTES = 16 << 20
LONG_LINE_BYTES = 1 << 20  # from here on encoded images are cut out before the line is parsed
MOST_STARTS = 10_000  # places of one broken line where a record is looked for
MOST_DEEP = 5  # objects of one line that are given up since they nest too deeply, which is slow
MOST_NAMED = 20  # bad fragments that are remembered by offset; more are only counted
# Where a record may begin again after bytes that are none.
_STARTS = re.compile(rb'\{\s*"')
_KNOWN_KEYS = frozenset(("type", "role", "uuid", "timestamp", "sessionId", "session_id", "turns"))
_IMAGE = re.compile(rb'"(?:data:[a-z]+/[\w.+-]+;base64,)?[A-Za-z0-9+/]{65536,}={0,2}"')
_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n\x00"

_decode = json.JSONDecoder(strict=False).raw_decode


@dataclass(slots=True)
class Record:
    """A JSON object, the bytes `start` to `end` of its file, the `nth` (from 1) of its line.

    `is_piece` says that the line held more than this. In a file that holds one document `place`
    is the key of the value, and there are no bytes.
    """

    value: dict[str, Any]
    start: int
    end: int
    line: int
    nth: int
    raw: bytes
    place: str = ""
    is_piece: bool = False

    def part(self, place: str, value: dict[str, Any]) -> "Record":
        """Give a value inside this record as one of its own."""
        inner = f"{self.place}/{place}" if self.place else place
        return Record(value, self.start, self.end, self.line, self.nth, b"", inner)


@dataclass(slots=True)
class Faults:
    """What of a file could not be read: how many fragments, and the first of them by offset."""

    count: int = 0
    named: list[tuple[int, str]] = field(default_factory=list)

    def add(self, offset: int, reason: str) -> None:
        """Count a bad fragment."""
        self.count += 1
        if len(self.named) < MOST_NAMED:
            self.named.append((offset, reason))


def read(file: BinaryIO, start: int, end: int, line: int, faults: Faults) -> Iterator[Record]:
    """Give the records of a JSON Lines file from the byte `start` (on line `line`) up to `end`.

    A line may hold several objects, with anything between them; what is no object is counted,
    and what is over the limit is passed by without being held. The file may grow meanwhile.
    """
    file.seek(start)
    at = start
    while at < end:
        raw = file.readline(min(MAX_LINE_BYTES, end - at))
        if not raw:
            return
        here, at = at, at + len(raw)
        if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
            faults.add(here, f"a line over {MAX_LINE_BYTES >> 20} MB")
            while at < end and not raw.endswith(b"\n"):
                raw = file.readline(min(LONG_LINE_BYTES, end - at))
                if not raw:
                    break
                at += len(raw)
        else:
            yield from _of_line(raw, here, line, faults)
        line += 1


def _of_line(raw: bytes, offset: int, line: int, faults: Faults) -> Iterator[Record]:
    whole = raw.strip(_BLANKS)
    if offset == 0:
        whole = whole.removeprefix(_BOM).lstrip(_BLANKS)
    if not whole:
        return
    parsed = _IMAGE.sub(b'"[image]"', whole) if len(whole) > LONG_LINE_BYTES else whole
    try:
        text = parsed.decode("utf-8", "replace")
        value, stop = _decode(text)
    except (ValueError, RecursionError):
        stop, text, value = -1, "", None
    if stop != len(text):
        yield from _pieces(raw, offset, line, faults)
    elif isinstance(value, dict):
        start = offset + (raw.index(whole) if raw[:1] != whole[:1] else 0)
        yield Record(value, start, start + len(whole), line, 1, whole)


def _pieces(raw: bytes, offset: int, line: int, faults: Faults) -> Iterator[Record]:
    """Give the objects of a line that is not just one, and count what stands between them."""
    # Each byte is one character here, so that offsets agree; what is found is decoded after.
    text = raw.decode("latin-1")
    at = nth = deep = 0
    good_until = len(_BOM) if offset == 0 and raw.startswith(_BOM) else 0
    for _ in range(MOST_STARTS):
        found = _STARTS.search(raw, at)
        if not found:
            break
        start = at = found.start()
        try:
            _, end = _decode(text, start)
            value, _ = _decode(raw[start:end].decode("utf-8", "replace"))
        except ValueError:
            end, value = 0, None
        except RecursionError:
            end, value = 0, None
            deep += 1
            if deep == MOST_DEEP:
                break
        before = raw[good_until:start].strip(_BLANKS)
        if not isinstance(value, dict) or (before and not _KNOWN_KEYS & value.keys()):
            at += 1
            continue
        if before:
            faults.add(offset + good_until, "not JSON")
        nth += 1
        at = good_until = end
        yield Record(value, offset + start, offset + end, line, nth, raw[start:end], is_piece=True)
    if raw[good_until:].strip(_BLANKS):
        faults.add(offset + good_until, "not JSON")
