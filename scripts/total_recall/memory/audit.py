"""The audit log: one line for each memory that was read."""

import re
from collections.abc import Iterable
from datetime import datetime

from total_recall import dates, secrets
from total_recall.memory.entry import GLOBAL

MOST_QUERY = 500  # characters

# What ends a line, drives a terminal, reorders what is shown, or is half a character; and the
# backslash, so that an escape is always ours.
_UNSAFE = "\\\\\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNSAFE_IN_QUERY = re.compile(f"[{_UNSAFE}]")
_UNSAFE_IN_NAME = re.compile(rf"[\s={_UNSAFE}]")


def line(at: datetime, key: str, agent: str, query: str, scope: str) -> str:
    r"""Give the line of one read, without its end, in the format of the original `/nemp:recall`.

    A read of the global store says so. No text can end the line or pass for another field: what
    might is written as `\uXXXX`. The query is cut, after its credentials are masked.

    >>> from datetime import UTC
    >>> print(line(datetime(2026, 5, 12, tzinfo=UTC), "auth flow", "main", "why\nJWT", GLOBAL))
    [2026-05-12T00:00:00Z] READ key=auth\u0020flow agent=main scope=global query=why\u000aJWT
    """
    kept = secrets.mask(query).text[:MOST_QUERY]
    fields = [
        f"[{dates.stamp(at)}] READ",
        f"key={_UNSAFE_IN_NAME.sub(_escaped, key)}",
        f"agent={_UNSAFE_IN_NAME.sub(_escaped, agent)}",
        *(["scope=global"] if scope == GLOBAL else []),
        f"query={_UNSAFE_IN_QUERY.sub(_escaped, kept)}",
    ]
    return " ".join(fields)


def data(lines: Iterable[str]) -> bytes:
    """Give lines as what is added to the log."""
    return "".join(f"{each}\n" for each in lines).encode()


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
