"""Where a turn stands in its source, and whether it still stands there unchanged."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from total_recall import files
from total_recall.errors import NotFoundError, RecallError

if TYPE_CHECKING:
    from total_recall.sessions.model import Span
from total_recall.sessions.stored import canonical

MAX_CHECKED_BYTES = 4 << 20  # a document is parsed to look at one value up to this size

VERIFIED, CHANGED, MISSING, UNCHECKED, DAMAGED = (
    "verified",
    "changed",
    "missing",
    "unchecked",
    "damaged",
)


def spans_text(spans: "Iterable[Span]") -> str:
    """Give spans as they are stored.

    >>> spans_text([(0, 10), (20, 30)]), spans_of("0-10,20-30")
    ('0-10,20-30', [(0, 10), (20, 30)])
    """
    return ",".join(f"{start}-{end}" for start, end in spans)


def spans_of(text: str) -> "list[Span]":
    """Give spans back from how they are stored."""
    parts = (part.split("-") for part in text.split(",") if part)
    return [(int(start), int(end)) for start, end in parts]


def source_state(path: Path, spans: str, place: str, raw_sha: bytes) -> tuple[bool, str]:
    """Say whether a turn's source exists now, and whether what was read there still stands there.

    The state is `verified`, `changed`, `missing`, or `unchecked`: the file cannot be read, or to
    look would mean to parse a large document.
    """
    try:
        with files.opened(path) as (file, facts):
            if place and not spans:
                if facts.st_size > MAX_CHECKED_BYTES:
                    return True, UNCHECKED
                raw = file.read()
            else:
                raw = b""
                for start, end in spans_of(spans):
                    if not 0 <= start <= end <= facts.st_size:
                        return True, CHANGED
                    file.seek(start)
                    raw += file.read(end - start)
    except NotFoundError:
        return False, MISSING
    except (RecallError, ValueError):  # damaged spans say nothing
        return True, UNCHECKED
    found = _values_at(raw, place) if place else raw
    return True, VERIFIED if hashlib.sha256(found).digest() == raw_sha else CHANGED


def _values_at(raw: bytes, places: str) -> bytes:
    """Give the bytes that stand for the values at places of a document; none for what is gone."""
    import json

    try:
        document: Any = json.loads(raw.decode("utf-8-sig", "replace").strip("\0"), strict=False)
    except (ValueError, RecursionError):
        return b""
    return b"".join(_value_at(document, place) for place in places.split(","))


def _value_at(value: Any, place: str) -> bytes:
    for key in place.split("/"):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return b""
    return canonical(value)
