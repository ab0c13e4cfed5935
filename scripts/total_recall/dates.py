"""A point in time from what people and files write."""

import re
from datetime import date

_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\w)(\d{1,2})(?:st|nd|rd|th)?\.?\s+([a-z]{3,9})\.?,?\s+(\d{4})(?!\d)")
_MONTH_FIRST = re.compile(r"(?<!\w)([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
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
    if found := _YEAR_FIRST.search(folded):
        return _real_day(int(found[1]), int(found[3]), int(found[4] or 1))
    if found := _DAY_FIRST.search(folded):
        return _real_day(int(found[3]), _month(found[2]), int(found[1]))
    if found := _MONTH_FIRST.search(folded):
        return _real_day(int(found[3]), _month(found[1]), int(found[2]))
    return None


def _month(name: str) -> int:
    """Give 1 to 12 for an English month's name or its start, 0 for another word."""
    return next((n for n, month in enumerate(_MONTHS, 1) if month.startswith(name)), 0)


def _real_day(year: int, month: int, day_of_month: int) -> date | None:
    try:
        return date(year, month, day_of_month)
    except ValueError:
        return None
