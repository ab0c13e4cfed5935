import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from total_recall import clock


@pytest.fixture(autouse=True)
def _zone_of_the_machine() -> Iterator[None]:
    yield
    time.tzset()


def test_the_time_is_aware_and_in_utc() -> None:
    assert clock.now().tzinfo is UTC


def test_the_time_is_that_of_the_wall() -> None:
    before = datetime.now(UTC)

    now = clock.now()

    assert timedelta(0) <= now - before < timedelta(seconds=10)


@pytest.mark.parametrize(
    ("day", "hours"),
    [pytest.param("2026-01-15", 1, id="winter"), pytest.param("2026-07-15", 2, id="summer")],
)
def test_the_local_zone_knows_summer_and_winter(
    monkeypatch: pytest.MonkeyPatch, day: str, hours: int
) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    midnight = datetime.fromisoformat(day)

    there = midnight.replace(tzinfo=clock.LOCAL)

    assert there.astimezone(UTC).replace(tzinfo=None) == midnight - timedelta(hours=hours)
    assert there.astimezone(UTC).astimezone(clock.LOCAL).replace(tzinfo=None) == midnight


def test_a_pause_lasts_as_long_as_it_says() -> None:
    before = clock.now()

    clock.pause(0.02)

    assert (clock.now() - before).total_seconds() >= 0.02
