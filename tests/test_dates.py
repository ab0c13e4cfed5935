from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.dates import day, moment, stamp

NINTH = date(2024, 3, 9)
MONTHS = (
    "January February March April May June July August September October November December"
).split()


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-09",
        "2024-3-9",
        "2024/03/09",
        "2024.03.09",
        "2024-03-09T23:59:59+14:00",
        "Date: 2024-03-09 (accepted)",
        "2024-03-09-why-jwt",
        "v2-2024-03-09",
        "9 March 2024",
        "9th of no month; 9th March, 2024",
        "9. March 2024",
        "09 mar 2024",
        "March 9, 2024",
        "Mar. 9th 2024",
        "MARCH 09 2024",
        "**Date**: March 9, 2024",
    ],
)
def test_a_day_is_read(text: str) -> None:
    assert day(text) == NINTH


def test_a_month_without_a_day_is_its_first() -> None:
    assert [day("2021-12"), day("2021/12 notes")] == [date(2021, 12, 1), date(2021, 12, 1)]


@pytest.mark.parametrize("number", range(1, 13))
def test_every_month_goes_by_its_name_and_its_start(number: int) -> None:
    name = MONTHS[number - 1]
    texts = [f"{written} 5, 2023" for written in (name, name[:3], name.upper(), f"{name[:3]}.")]

    assert [day(text) for text in texts] == [date(2023, number, 5)] * 4


def test_sept_is_september() -> None:
    assert day("2 Sept 2020") == date(2020, 9, 2)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="blank"),
        pytest.param("soon", id="no date"),
        pytest.param("2024", id="a year alone"),
        pytest.param("March 2024", id="a month's name and a year"),
        pytest.param("03/04/2024", id="day or month first"),
        pytest.param("20240309", id="no separators"),
        pytest.param("2024-13-01", id="month 13"),
        pytest.param("2024-00-10", id="month 0"),
        pytest.param("2023-02-29", id="no leap year"),
        pytest.param("31 April 2024", id="April 31"),
        pytest.param("9 Marsh 2024", id="no month"),
        pytest.param("9 marchs 2024", id="more than a month's name"),
        pytest.param("12024-03-09", id="five digits of a year"),
        pytest.param("0012-3-tier-architecture", id="a record's number"),
        pytest.param("1234.5.6", id="a version"),
    ],
)
def test_what_names_no_real_day_gives_none(text: str) -> None:
    assert day(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "9 March 2024, amended 2025-01-02",
        "2024-03-09, amended January 2, 2025",
        "in 3 steps 2024; 9 March 2024",
        "not 2024-02-30 but 2024-03-09",
    ],
)
def test_the_first_real_day_counts_in_whatever_format(text: str) -> None:
    assert day(text) == NINTH


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from("-/."))
def test_every_day_of_two_centuries_is_read_back(when: date, joint: str) -> None:
    month = MONTHS[when.month - 1]
    texts = [
        when.isoformat().replace("-", joint),
        f"{when.day} {month} {when.year}",
        f"{month[:3]} {when.day}, {when.year}",
    ]

    assert [day(text) for text in texts] == [when] * 3


@given(st.one_of(st.text(), st.text("0123456789-/. marchjun٣", max_size=30)))
def test_any_text_can_be_asked_for_a_day(text: str) -> None:
    found = day(text)

    assert found is None or 1900 <= found.year <= 2099


# Moments

NOON = datetime(2026, 5, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-05-12T12:00:00Z", id="Z"),
        pytest.param("2026-05-12T12:00:00.000Z", id="as JavaScript writes"),
        pytest.param("2026-05-12T12:00:00.000000+00:00", id="as Python writes"),
        pytest.param("2026-05-12T14:00:00+02:00", id="east"),
        pytest.param("2026-05-12T06:30:00-0530", id="west"),
        pytest.param("2026-05-12T12:00:00", id="naive"),
        pytest.param("2026-05-12T12:00", id="to the minute"),
        pytest.param("2026-05-12 12:00:00", id="a blank for the T"),
        pytest.param(" 2026-05-12T12:00:00Z\n", id="blanks around"),
    ],
)
def test_one_moment_is_written_in_many_ways(text: str) -> None:
    found = moment(text)

    assert found == NOON
    assert found.tzinfo is UTC


def test_a_plain_day_is_its_first_moment() -> None:
    assert moment("2026-05-12") == datetime(2026, 5, 12, tzinfo=UTC)


def test_what_is_finer_than_a_microsecond_is_left_out() -> None:
    assert moment("2026-05-12T12:00:00.123456789Z") == NOON.replace(microsecond=123456)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="blank"),
        pytest.param("yesterday", id="no time"),
        pytest.param("on 2026-05-12", id="a time in a longer text"),
        pytest.param("2026-05-12T24:61:00Z", id="24:61"),
        pytest.param("2026-02-30T12:00:00Z", id="no day"),
        pytest.param("12026-05-12T12:00:00Z", id="a huge year"),
        pytest.param("+275760-09-13T00:00:00.000Z", id="the last year of JavaScript"),
        pytest.param("0001-01-01T00:00:00+01:00", id="before year 1"),
        pytest.param("9999-12-31T23:59:59-01:00", id="after year 9999"),
        pytest.param("2026-05-12T12:00:00+99:00", id="no offset"),
        pytest.param("2026-05-12\ud800", id="half a character"),
        pytest.param("2026-05-12T12:00:00\0", id="NUL"),
        pytest.param("1778587200", id="seconds"),
        pytest.param("20260512T120000Z", id="no joints"),
        pytest.param("2026-W20-2", id="a week"),
        pytest.param("2026-05-12-1200", id="a slug"),
        pytest.param("2026-05-12T٠٩:00", id="digits of another script"),
    ],
)
def test_what_is_no_moment_gives_none(text: str) -> None:
    assert moment(text) is None


offsets = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
years = st.dates(date(2, 1, 1), date(9998, 12, 31))


@given(st.builds(datetime.combine, years, st.times(), offsets))
def test_every_moment_is_read_back(at: datetime) -> None:
    assert moment(at.isoformat()) == at
    assert moment(stamp(at)) == at.replace(microsecond=0)
    assert len(stamp(at)) == len("2026-05-12T12:00:00Z")


@given(st.one_of(st.text(), st.text("0123456789-+:.,TZW \ud800", max_size=40)))
def test_any_text_can_be_asked_for_a_moment(text: str) -> None:
    found = moment(text)

    assert found is None or found.tzinfo is UTC
