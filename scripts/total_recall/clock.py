"""The only reader of the wall clock; everything else is told the time."""

from datetime import UTC, datetime


def now() -> datetime:
    """Give the current time, aware and in UTC."""
    return datetime.now(UTC)
