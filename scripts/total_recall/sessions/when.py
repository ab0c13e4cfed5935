"""The instant that someone means by `--since`."""

import re
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo

from total_recall.errors import RecallError
from total_recall.sessions import times

_AGO = re.compile(r"(\d{1,5})\s*([hdwm])", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}
_DAYS = {"today": 0, "yesterday": 1}


class UnknownTimeError(RecallError):
    """A text that means no instant to us."""

    code = "usage"


def since(text: str, at: datetime, zone: tzinfo) -> str:
    """Give the instant that a text means, as times are stored.

    Read are ISO dates (their midnight in `zone`), ISO times (in `zone` without an offset), spans
    back from now (`12h`, `7d`, `2w`, `3m`), `today` and `yesterday`.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 5, 12, 12, tzinfo=UTC)
    >>> since("7d", noon, UTC), since("yesterday", noon, UTC), since("2026-05-01", noon, UTC)
    ('2026-05-05T12:00:00.000Z', '2026-05-11T00:00:00.000Z', '2026-05-01T00:00:00.000Z')
    """
    word = text.strip().lower()
    if word in _DAYS:
        midnight = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        return times.stored(midnight - timedelta(days=_DAYS[word]))
    found = ""
    if ago := _AGO.fullmatch(word):
        with suppress(OverflowError):  # before the year 1
            found = times.stored(at - timedelta(hours=int(ago[1]) * _HOURS[ago[2]]))
    elif "-" in text:
        found, _ = times.utc(text.strip(), zone)
    if not found:
        hint = "an ISO date or time, 7d, 12h, today or yesterday"
        raise UnknownTimeError(f"{text!r} is no time", hint=hint)
    return found
