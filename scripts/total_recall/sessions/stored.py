"""The stored text of a turn: what SQLite keeps whole, and the hash that proves it."""

import hashlib
import re
from typing import Any

_NUL = "\u2400"
_LOSSY = "\ufffd"
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> tuple[str, bool]:
    """Give a text that SQLite keeps whole, and whether any of its characters were replaced.

    >>> storable("a\\x00b"), storable("\\ud83d"), storable("é")
    (('a\u2400b', True), ('\ufffd', True), ('é', False))
    """
    if text.isascii():
        return (text.replace("\0", _NUL), True) if "\0" in text else (text, False)
    safe = text.replace("\0", _NUL)
    try:
        safe.encode()
    except UnicodeEncodeError:
        safe = _SURROGATE.sub(_LOSSY, safe)
    return safe, safe != text or _LOSSY in text


def text_sha(text: str) -> bytes:
    """Give the hash that tells a stored text from every other."""
    return hashlib.sha256(text.encode()).digest()


def canonical(value: Any) -> bytes:
    """Give the bytes that stand for a value inside a document, however that is laid out."""
    import json  # most turns are found by their bytes

    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return text.encode()
