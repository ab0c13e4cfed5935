"""The only reader of the wall clock and its zone; all else is told the time, and waits by it."""

import time
from datetime import UTC, datetime, timedelta, tzinfo


def now() -> datetime:
    """Give the current time, aware and in UTC."""
    return datetime.now(UTC)


def ticks() -> float:
    """Give the seconds of a clock that only goes forward; only differences mean anything."""
    return time.monotonic()


def pause(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


class _LocalZone(tzinfo):
    """This machine's zone, with its summer and winter times."""

    def utcoffset(self, at: datetime | None) -> timedelta:
        seconds = time.time() if at is None else time.mktime(at.timetuple())
        return timedelta(seconds=time.localtime(seconds).tm_gmtoff)

    def dst(self, _at: datetime | None) -> timedelta:
        return timedelta(0)  # what the offset holds already

    def tzname(self, _at: datetime | None) -> str:
        return "local"

    def fromutc(self, at: datetime) -> datetime:
        moved = time.localtime(at.replace(tzinfo=UTC).timestamp()).tm_gmtoff
        return at + timedelta(seconds=moved)


LOCAL: tzinfo = _LocalZone()
