"""The only reader of the wall clock, and the only one that waits; all else is told the time."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Give the current time, aware and in UTC."""
    return datetime.now(UTC)


def pause(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)
