"""A point in time from what people and files write."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

# The number of a record is no year: `0012-3-tier` is not of March.
_YEAR = r"((?:19|20)\d\d)"
_NTH = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR_FIRST = re.compile(rf"(?<!\d){_YEAR}([-/.])(\d{{1,2}})(?:\2(\d{{1,2}}))?(?!\d)")
_DAY_FIRST = re.compile(rf"(?<!\w){_NTH}\.?\s+([a-z]{{3,9}})\.?,?\s+{_YEAR}(?!\d)")
_MONTH_FIRST = re.compile(rf"(?<!\w)([a-z]{{3,9}})\.?\s+{_NTH},?\s+{_YEAR}(?!\d)")
# Python reads more: any joint, weeks, a NUL at the end.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][0-9:.,+Z-]+)?", re.ASCII)
_MONTHS = (
    "january february march april may june july august september october november december"
).split()


def day(text: str) -> date | None:
    """Give the first calendar day that a text names, or None.

    Year-first numbers and English month names are read; `03/04/2024` is not, because
    half the world means April by it. A month without a day counts as its first.

    >>> day("2024-03-09T10:00:00Z"), day("2021-12")
    (datetime.date(2024, 3, 9), datetime.date(2021, 12, 1))
    >>> day("Date: 9th March, 2024"), day("Mar 9, 2024"), day("soon")
    (datetime.date(2024, 3, 9), datetime.date(2024, 3, 9), None)
    """
    folded = text.casefold()
    return min(_days(folded), default=(0, None), key=lambda found: found[0])[1]


def moment(text: str) -> datetime | None:
    """Give the time that a text is in ISO 8601, aware and in UTC, or None.

    A time without an offset is UTC, and a day is its midnight. Unlike `day`, nothing is looked
    for in a longer text: fields that hold a time hold nothing else.

    >>> moment("2026-05-12T02:30:00.000+02:00")
    datetime.datetime(2026, 5, 12, 0, 30, tzinfo=datetime.timezone.utc)
    >>> moment("2026-05-12") == moment("2026-05-12 00:00"), moment("last week")
    (True, None)
    """
    if not _MOMENT.fullmatch(text.strip()):
        return None
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):  # an offset may lead out of the years 1 to 9999
        return None


def stamp(at: datetime) -> str:
    """Give an aware time as our files hold it: in UTC, to the second.

    >>> stamp(datetime(2026, 5, 12, 11, 19, 37, 500, tzinfo=UTC))
    '2026-05-12T11:19:37Z'
    """
    whole = at.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    return f"{whole.isoformat()}Z"


def _days(folded: str) -> Iterator[tuple[int, date | None]]:
    """Give the position of each real day in a text, with the day."""
    for pattern, read in _FORMATS:
        for found in pattern.finditer(folded):
            if real := _real_day(*read(found)):
                yield found.start(), real


def _month(name: str) -> int:
    """Give 1 to 12 for an English month's name or its start, 0 for another word."""
    return next((n for n, month in enumerate(_MONTHS, 1) if month.startswith(name)), 0)


def _real_day(year: int, month: int, day_of_month: int) -> date | None:
    try:
        return date(year, month, day_of_month)
    except ValueError:
        return None


# How each format is found, and its year, month and day.
_FORMATS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[int, int, int]]], ...] = (
    (_YEAR_FIRST, lambda found: (int(found[1]), int(found[3]), int(found[4] or 1))),
    (_DAY_FIRST, lambda found: (int(found[3]), _month(found[2]), int(found[1]))),
    (_MONTH_FIRST, lambda found: (int(found[3]), _month(found[1]), int(found[2]))),
)
