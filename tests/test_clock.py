from datetime import UTC, datetime, timedelta

from total_recall import clock


def test_the_time_is_aware_and_in_utc() -> None:
    assert clock.now().tzinfo is UTC


def test_the_time_is_that_of_the_wall() -> None:
    before = datetime.now(UTC)

    now = clock.now()

    assert timedelta(0) <= now - before < timedelta(seconds=10)


def test_a_pause_lasts_as_long_as_it_says() -> None:
    before = clock.now()

    clock.pause(0.02)

    assert (clock.now() - before).total_seconds() >= 0.02
