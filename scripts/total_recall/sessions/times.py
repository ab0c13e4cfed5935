"""When something happened, from what transcripts hold."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

# No agent wrote transcripts before; what is earlier is a clock that was not set.
EARLIEST = "2020-01-01T00:00:00.000Z"
_FRACTION = re.compile(r"(\.\d{1,6})\d*")
_MICROSECONDS, _MILLISECONDS = 1e14, 1e11  # epoch numbers at least so large count in these


def utc(value: Any, zone: tzinfo = UTC) -> tuple[str, bool]:
    """Give a time as stored, in UTC to the millisecond, and whether it named its zone itself.

    Read are ISO 8601 with any fraction and with or without an offset (`zone` then holds), and
    epoch seconds, milliseconds and microseconds, as numbers or as text. Anything else gives "".

    >>> utc("2026-01-05T18:20:36.564751+01:00")
    ('2026-01-05T17:20:36.564Z', True)
    >>> utc(1767633636564), utc("1767633636")
    (('2026-01-05T17:20:36.564Z', True), ('2026-01-05T17:20:36.000Z', True))
    >>> utc("2026-01-05 17:20"), utc("soon"), utc(None)
    (('2026-01-05T17:20:00.000Z', False), ('', False), ('', False))
    """
    if isinstance(value, str):
        # What the commonest writers write is what is stored.
        if len(value) == len(EARLIEST) and value[-1] == "Z" and value[19] == ".":
            try:
                datetime.fromisoformat(value)
            except ValueError:
                return "", False
            return value, True
        return _of_text(value.strip(), zone)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _of_number(float(value)) if abs(value) < 1e18 else ("", False)
    return "", False


def _of_text(text: str, zone: tzinfo) -> tuple[str, bool]:
    if text.replace(".", "", 1).isdecimal() and not _is_day(text):
        return _of_number(float(text)) if len(text) < 24 else ("", False)
    try:
        found = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
    except ValueError:
        return "", False
    knows = found.tzinfo is not None
    try:
        return stored(found if knows else found.replace(tzinfo=zone)), knows
    except (ValueError, OverflowError):
        return "", False


def _is_day(text: str) -> bool:
    return len(text) == len("20260105") and text.startswith("20")


def _of_number(number: float) -> tuple[str, bool]:
    if number >= _MICROSECONDS:
        number /= 1e6
    elif number >= _MILLISECONDS:
        number /= 1e3
    try:
        return stored(datetime.fromtimestamp(number, UTC)), True
    except (ValueError, OverflowError, OSError):
        return "", False


def stored(at: datetime) -> str:
    """Give an aware time as it is stored; such texts sort as the times do."""
    whole = at.astimezone(UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{whole.microsecond // 1000:03d}Z".rjust(len(EARLIEST), "0")


def moment(text: str) -> datetime:
    """Give back the time of a stored text."""
    return datetime.fromisoformat(text)


def shown(text: str, quality: str = "exact") -> str:
    """Give a stored time as it is shown, to the minute; `~` says that it is not quite sure.

    >>> shown("2026-01-05T17:20:36.564Z", "assumed"), shown("")
    ('~2026-01-05 17:20Z', 'undated')
    """
    if not text:
        return "undated"
    return f"{'' if quality == 'exact' else '~'}{text[:10]} {text[11:16]}Z"


def zone_between(naive: Any, instant: Any) -> tzinfo | None:
    """Give the zone in which a naive time is an instant, to a quarter of an hour; None if none is.

    >>> print(zone_between("2026-01-05T18:20:36.56", "2026-01-05T17:19:43Z"))
    UTC+01:00
    """
    local, knows = utc(naive)
    exact, _ = utc(instant)
    if not local or not exact or knows:
        return None
    quarters = round((moment(local) - moment(exact)) / timedelta(minutes=15))
    offset = timedelta(minutes=15 * quarters)
    if abs(offset) > timedelta(hours=14):
        return None
    from datetime import timezone

    return timezone(offset)
