import copy
import math
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.memory.test_patch import stores
from total_recall.memory.patch import Value, parse
from total_recall.memory.vitality import (
    Part,
    active_goal_ids,
    after_read,
    parts,
    score,
    shown,
    state_of,
    with_defaults,
)

NOON = datetime(2026, 5, 12, 12, tzinfo=UTC)
NO_GOALS: frozenset[str] = frozenset()

FRESH_VITALITY: dict[str, Value] = {
    "score": 50,
    "trend": "stable",
    "state": "active",
    "reads": 0,
    "last_read": None,
    "reads_7d": 0,
    "reads_30d": 0,
    "foresight_loads": 0,
    "foresight_skips": 0,
    "agent_references": 0,
    "update_count": 0,
    "correction_events": 0,
    "decay_rate": 0.01,
}
FRESH: dict[str, Value] = {
    "type": "fact",
    "confidence": {"score": 0.65, "source": "agent-inferred", "reason": "Pre-cortex memory"},
    "vitality": FRESH_VITALITY,
    "links": {
        "goals": [],
        "conflicts": [],
        "supersedes": None,
        "superseded_by": None,
        "causal": [],
    },
}


def entry_with(**vitality: Value) -> dict[str, Value]:
    return {"created": "2026-05-02T12:00:00Z", "vitality": vitality}


def after_reads(entry: dict[str, Value], *times: datetime) -> Any:
    """Give the entry after a read at each of these times."""
    new: dict[str, Value] = entry
    for at in times:
        new = after_read(new, at, NO_GOALS)
    return new


def points_of(entry: dict[str, Value], name: str, goals: frozenset[str] = NO_GOALS) -> float:
    return next(part.points for part in parts(entry, NOON, goals) if part.name == name)


# Defaults


def test_an_entry_without_vitality_gets_all_defaults_at_its_end() -> None:
    new = with_defaults({"key": "a", "value": "b"})

    assert new == {"key": "a", "value": "b", **FRESH}
    assert [*new] == ["key", "value", "type", "confidence", "vitality", "links"]


def test_defaults_fill_only_what_is_missing_at_every_level() -> None:
    entry: dict[str, Value] = {
        "links": {"goals": ["G-1"], "mine": 1},
        "vitality": {"reads": None, "decay_rate": 0.06},
        "confidence": {"score": None},
        "type": None,
    }

    assert with_defaults(entry) == {
        "links": {**_object(FRESH["links"]), "goals": ["G-1"], "mine": 1},
        "vitality": {**FRESH_VITALITY, "reads": None, "decay_rate": 0.06},
        "confidence": {**_object(FRESH["confidence"]), "score": None},
        "type": None,
    }


def _object(value: Value) -> dict[str, Value]:
    assert isinstance(value, dict)
    return value


def test_a_bare_confidence_stays_one() -> None:
    assert with_defaults({"confidence": 0.9})["confidence"] == 0.9


@pytest.mark.parametrize("vitality", [None, 80, "thriving", []])
def test_what_cannot_hold_counters_gives_way_to_what_can(vitality: Value) -> None:
    assert with_defaults({"vitality": vitality})["vitality"] == FRESH_VITALITY


def test_defaults_are_no_ones_to_change() -> None:
    _object(with_defaults({})["links"])["goals"] = ["G-1"]
    goals = _object(with_defaults({})["links"])["goals"]
    assert isinstance(goals, list)
    goals.append("G-2")

    assert with_defaults({}) == FRESH


@pytest.mark.parametrize("path", stores("sera_memories_*.json"))
def test_a_complete_entry_of_a_real_store_gets_nothing(path: Any) -> None:
    store: Any = parse(path.read_text())

    assert [with_defaults(entry) for entry in store.values()] == [*store.values()]


# The formula


def test_the_parts_stand_in_the_order_of_the_formula() -> None:
    entry = entry_with(
        reads=8,
        reads_7d=2,
        reads_30d=5,
        foresight_loads=3,
        foresight_skips=1,
        agent_references=2,
        update_count=4,
        correction_events=3,
        last_read="2026-05-09T12:00:00Z",
        decay_rate=0.5,
    )
    entry["links"] = {"goals": ["G-1", "G-2"]}

    found = parts(entry, NOON, frozenset({"G-2"}))

    assert found == (
        Part("reads_7d", 2, 15),
        Part("reads_30d", 5, 3),
        Part("foresight_load_ratio", 0.75, 20),
        Part("agent_reference_ratio", 0.25, 25),
        Part("update_frequency", 0.4, 10),
        Part("goal_link_active", 1, 15),
        Part("correction_events", 3, -10),
        Part("days_since_last_read", 3, -0.5),
    )
    assert [part.points for part in found] == [30, 15, 15, 6.25, 4, 15, -30, -1.5]
    assert score(found) == 54  # 53.75


def test_nothing_gives_nothing() -> None:
    found = parts({}, NOON, NO_GOALS)

    assert [str(part.points) for part in found] == ["0.0"] * 8
    assert score(found) == 0


@pytest.mark.parametrize(
    ("created", "points"),
    [
        pytest.param("2026-05-02T12:00:00Z", 2, id="ten days"),
        pytest.param("2026-05-02T12:00:01Z", 20 / 9, id="not quite ten days"),
        pytest.param("2026-05-02", 2, id="a plain day"),
        pytest.param("2026-05-11T11:00:00Z", 20, id="one day"),
        pytest.param("2026-05-12T11:00:00Z", 20, id="less than a day"),
        pytest.param("2036-05-12T11:00:00Z", 20, id="in the future"),
        pytest.param("long ago", 20, id="no time"),
        pytest.param(None, 20, id="missing"),
    ],
)
def test_updates_are_spread_over_the_days_since_a_memory_was_made(
    created: str | None, points: float
) -> None:
    entry: dict[str, Value] = {"created_at": created, "vitality": {"update_count": 2}}

    assert points_of(entry, "update_frequency") == points


@pytest.mark.parametrize(
    ("last_read", "points"),
    [
        pytest.param("2026-05-02T12:00:00Z", -0.1, id="ten days"),
        pytest.param("2026-05-02 12:00", -0.1, id="without an offset"),
        pytest.param("2026-05-12T02:00:00Z", 0, id="today"),
        pytest.param("2036-05-12T12:00:00Z", 0, id="in the future"),
        pytest.param(None, 0, id="never"),
        pytest.param(1778587200, 0, id="no text"),
        pytest.param("Tuesday", 0, id="no time"),
    ],
)
def test_a_memory_decays_by_the_days_since_it_was_read(last_read: Value, points: float) -> None:
    assert points_of(entry_with(last_read=last_read), "days_since_last_read") == points


@pytest.mark.parametrize(
    ("rate", "read_as"),
    [
        pytest.param(0.06, 0.06, id="a number"),
        pytest.param(0, 0, id="none"),
        pytest.param("0.02/day", 0.02, id="a number and its unit"),
        pytest.param(" .08", 0.08, id="a number as text"),
        pytest.param("slow", 0.01, id="no number"),
        pytest.param(None, 0.01, id="null"),
        pytest.param(True, 0.01, id="a truth"),
        pytest.param(-1, 0.01, id="negative"),
        pytest.param("-1", 0.01, id="negative as text"),
        pytest.param(math.nan, 0.01, id="not a number"),
    ],
)
def test_a_decay_rate_is_read_leniently(rate: Value, read_as: float) -> None:
    entry = entry_with(last_read="2026-05-11T12:00:00Z", decay_rate=rate)

    assert points_of(entry, "days_since_last_read") == -read_as


@pytest.mark.parametrize(
    ("links", "points"),
    [
        pytest.param({"goals": ["G-1"]}, 15, id="active"),
        pytest.param({"goals": ["G-3", "G-1", "G-2"]}, 15, id="active among others, once"),
        pytest.param({"goals": ["G-3"]}, 0, id="another"),
        pytest.param({"goals": []}, 0, id="none"),
        pytest.param({"goals": [1, None, ["G-1"], {"goal_id": "G-1"}]}, 0, id="no ids"),
        pytest.param({"goals": "G-1"}, 0, id="no list"),
        pytest.param({}, 0, id="no goals"),
        pytest.param(["G-1"], 0, id="no object"),
        pytest.param(None, 0, id="null"),
    ],
)
def test_one_active_goal_is_enough(links: Value, points: float) -> None:
    goals = frozenset({"G-1", "G-2"})

    assert points_of({"links": links}, "goal_link_active", goals) == points


@pytest.mark.parametrize(
    ("count", "read_as"),
    [
        pytest.param(3, 3, id="a number"),
        pytest.param("3", 3, id="text"),
        pytest.param(" 3 times", 3, id="text with a unit"),
        pytest.param(3.9, 3, id="a broken number"),
        pytest.param(None, 0, id="null"),
        pytest.param(True, 0, id="a truth"),
        pytest.param("many", 0, id="a word"),
        pytest.param(-3, 0, id="negative"),
        pytest.param("-3", 0, id="negative as text"),
        pytest.param(math.nan, 0, id="not a number"),
        pytest.param("NaN", 0, id="not a number as text"),
        pytest.param(math.inf, 0, id="infinite"),
        pytest.param(-math.inf, 0, id="less than all"),
        pytest.param(10**400, 0, id="huge"),
        pytest.param("9" * 400, 0, id="huge as text"),
        pytest.param([3], 0, id="a list"),
        pytest.param({"count": 3}, 0, id="an object"),
    ],
)
def test_a_counter_is_read_leniently(count: Value, read_as: int) -> None:
    assert points_of(entry_with(reads_7d=count), "reads_7d") == read_as * 15


def test_a_huge_count_of_what_speaks_against_a_memory_is_not_forgotten() -> None:
    entry = entry_with(
        reads=1e300, agent_references=5, foresight_loads=5, foresight_skips=1e300,
        correction_events=1e300,
    )  # fmt: skip

    assert points_of(entry, "agent_reference_ratio") < 0.01
    assert points_of(entry, "foresight_load_ratio") < 0.01
    assert points_of(entry, "correction_events") < -100


@pytest.mark.parametrize(
    ("points", "expected", "state"),
    [
        (-20, 0, "extinct"),
        (0, 0, "extinct"),
        (0.001, 1, "dormant"),
        (0.9, 1, "dormant"),
        (1.4, 1, "dormant"),
        (1.5, 2, "dormant"),
        (19.4, 19, "dormant"),
        (19.5, 20, "fading"),
        (19.6, 20, "fading"),
        (49.4, 49, "fading"),
        (49.5, 50, "active"),
        (79.4, 79, "active"),
        (79.5, 80, "thriving"),
        (100, 100, "thriving"),
        (250, 100, "thriving"),
    ],
)
def test_a_score_is_a_whole_number_and_gives_the_state(
    points: float, expected: int, state: str
) -> None:
    whole = score([Part("all", points, 1)])

    assert (whole, state_of(whole)) == (expected, state)


def test_half_a_point_is_half_a_point_whatever_its_fractions_are() -> None:
    entry = entry_with(reads=50, agent_references=29)

    found = parts(entry, NOON, NO_GOALS)

    assert sum(part.points for part in found) < 14.5  # as binary fractions go: 29 / 50 * 25
    assert score(found) == 15


# One read


def test_the_first_read_is_exactly_one_more() -> None:
    entry: dict[str, Value] = {"key": "a", "mine": [1], **FRESH, "notes": "b"}
    before = copy.deepcopy(entry)

    new = after_read(entry, NOON, NO_GOALS)

    assert new == {
        **entry,
        "vitality": {
            **FRESH_VITALITY,
            "score": 18,
            "state": "dormant",
            "reads": 1,
            "last_read": "2026-05-12T12:00:00Z",
            "reads_7d": 1,
            "reads_30d": 1,
            "reads_by_day": {"2026-05-12": 1},
        },
    }
    assert entry == before


def test_fields_keep_their_order_and_new_ones_come_last() -> None:
    entry: dict[str, Value] = {
        "vitality": {"mine": 1, "reads_7d": 0, "trend": "rising", "score": 50},
        "key": "a",
        "type": "rule",
    }

    new: Any = after_read(entry, NOON, NO_GOALS)

    assert [*new] == ["vitality", "key", "type", "confidence", "links"]
    assert [*new["vitality"]][:5] == ["mine", "reads_7d", "trend", "score", "state"]
    assert [*new["vitality"]][-1] == "reads_by_day"
    assert (new["vitality"]["mine"], new["vitality"]["trend"]) == (1, "rising")


def test_the_first_read_adds_one_to_what_another_tool_counted() -> None:
    entry = entry_with(reads=40, reads_7d=3, reads_30d=11, last_read="2026-04-30T08:00:00Z")

    vitality = after_reads(entry, NOON)["vitality"]

    assert (vitality["reads"], vitality["reads_7d"], vitality["reads_30d"]) == (41, 4, 12)
    assert vitality["reads_by_day"] == {"2026-05-05": 8, "2026-05-12": 4}


def test_a_read_by_another_tool_is_kept_in_the_windows() -> None:
    entry = after_reads(entry_with(), NOON - timedelta(days=9), NOON)
    theirs = {"reads": 3, "reads_7d": 2, "reads_30d": 3, "last_read": "2026-05-12T13:00:00Z"}
    entry["vitality"] |= theirs

    vitality = after_reads(entry, NOON + timedelta(days=1))["vitality"]

    assert (vitality["reads_7d"], vitality["reads_30d"]) == (3, 4)
    assert vitality["reads_by_day"] == {"2026-05-06": 1, "2026-05-13": 3}


def test_a_fresh_memory_drops_to_18_and_passes_80_at_the_fifth_read_of_a_day() -> None:
    entry: Any = FRESH
    scores = []

    for minute in range(6):
        entry = after_reads(entry, NOON + timedelta(minutes=minute))
        scores.append((entry["vitality"]["score"], entry["vitality"]["state"]))

    assert scores == [
        (18, "dormant"),
        (36, "fading"),
        (54, "active"),
        (72, "active"),
        (90, "thriving"),
        (100, "thriving"),
    ]


@pytest.mark.parametrize(
    ("days", "week", "month"),
    [(0, 6, 6), (6, 6, 6), (7, 1, 6), (29, 1, 6), (30, 1, 1), (400, 1, 1)],
)
def test_reads_leave_the_windows_after_7_and_after_30_days(
    days: int, week: int, month: int
) -> None:
    entry = after_reads(entry_with(), *[NOON] * 5)

    vitality = after_reads(entry, NOON + timedelta(days=days))["vitality"]

    assert (vitality["reads"], vitality["reads_7d"], vitality["reads_30d"]) == (6, week, month)
    assert sum(vitality["reads_by_day"].values()) == month


def test_what_was_counted_without_its_days_leaves_with_the_first_day() -> None:
    entry = after_reads(entry_with(reads_7d=3, reads_30d=11), NOON)

    windows = []
    for days in (6, 7, 22, 23, 30):
        later = after_reads(entry, NOON + timedelta(days=days))["vitality"]
        windows.append((later["reads_7d"], later["reads_30d"]))

    assert windows == [(5, 13), (1, 13), (1, 13), (1, 5), (1, 1)]


def test_a_day_is_a_day_of_utc() -> None:
    late = datetime.fromisoformat("2026-05-12T23:30:00-02:00")

    vitality = after_reads(entry_with(), late)["vitality"]

    assert vitality["last_read"] == "2026-05-13T01:30:00Z"
    assert vitality["reads_by_day"] == {"2026-05-13": 1}


def test_two_reads_that_cross_midnight_in_the_wrong_order_both_count() -> None:
    midnight = datetime(2026, 5, 13, tzinfo=UTC)
    just_before = midnight - timedelta(seconds=1)

    vitality = after_reads(entry_with(), midnight, just_before, just_before)["vitality"]

    assert (vitality["reads_7d"], vitality["reads_30d"]) == (3, 3)
    assert vitality["reads_by_day"] == {"2026-05-13": 1, "2026-05-12": 2}


def test_reads_of_the_future_are_not_counted() -> None:
    days: Value = {"2036-05-12": 50, "2026-05-12": 1}
    entry = entry_with(reads_7d=1, reads_30d=1, last_read="2026-05-12T10:00:00Z", reads_by_day=days)

    vitality = after_reads(entry, NOON)["vitality"]

    assert vitality["reads_by_day"] == {"2026-05-12": 2}


@pytest.mark.parametrize(
    "days",
    [
        pytest.param(None, id="null"),
        pytest.param([3], id="a list"),
        pytest.param({"yesterday": 2}, id="no day"),
        pytest.param({"2026-05-11": 3}, id="another sum"),
        pytest.param({"2026-05-11": None}, id="null counts"),
        pytest.param({"2026-05-11": True}, id="truths"),
    ],
)
def test_days_that_disagree_with_the_counters_are_opened_anew(days: Value) -> None:
    entry = entry_with(reads_7d=2, reads_30d=2, last_read="2026-05-11T12:00:00Z", reads_by_day=days)

    assert after_reads(entry, NOON)["vitality"]["reads_by_day"] == {"2026-05-12": 3}


def test_days_that_agree_are_added_to() -> None:
    entry = entry_with(
        reads_7d="2",
        reads_30d=2.0,
        last_read="2026-05-11T12:00:00Z",
        reads_by_day={"2026-05-10": "1", "2026-05-11": 1},
    )

    vitality = after_reads(entry, NOON)["vitality"]

    assert vitality["reads_by_day"] == {"2026-05-10": 1, "2026-05-11": 1, "2026-05-12": 1}


def test_the_last_read_is_set_before_the_score_so_nothing_has_decayed() -> None:
    entry = entry_with(last_read="2020-01-01T00:00:00Z", decay_rate=1, reads=9)

    assert after_reads(entry, NOON)["vitality"]["score"] == 18


def test_the_new_read_is_one_of_those_that_references_are_counted_by() -> None:
    entry = entry_with(reads=3, agent_references=2)

    assert after_reads(entry, NOON)["vitality"]["score"] == 31  # 15 + 3 + 2 / 4 * 25


@pytest.mark.parametrize("reads", [None, "3", True, -3, math.nan, math.inf, 10**400, [], "many"])
def test_any_number_of_reads_can_be_added_to(reads: Value) -> None:
    vitality = after_reads(entry_with(reads=reads), NOON)["vitality"]

    expected = {"3": 4}.get(str(reads), 1_000_001 if reads in (math.inf, 10**400) else 1)
    assert vitality["reads"] == expected


# Shown


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param({}, (50, "active"), id="nothing"),
        pytest.param({"vitality": None}, (50, "active"), id="null"),
        pytest.param({"vitality": {}}, (50, "active"), id="neither"),
        pytest.param(entry_with(score=94, state="thriving"), (94, "thriving"), id="both"),
        pytest.param(entry_with(score=94, state="frozen"), (94, "frozen"), id="another state"),
        pytest.param(entry_with(score=12), (12, "dormant"), id="no state"),
        pytest.param(entry_with(state="fading"), (50, "fading"), id="no score"),
        pytest.param(entry_with(score="79.5", state=" "), (80, "thriving"), id="text"),
        pytest.param(entry_with(score=-4, state=3), (0, "extinct"), id="below"),
        pytest.param(entry_with(score=math.inf), (100, "thriving"), id="above"),
        pytest.param(entry_with(score=math.nan), (50, "active"), id="not a number"),
    ],
)
def test_what_is_stored_is_shown_or_the_defaults(
    entry: dict[str, Value], expected: tuple[int, str]
) -> None:
    assert shown(entry) == expected


# Goals

ACTIVE: Value = {"goal_id": "G-1", "status": "active", "title": "ship"}
DONE: Value = {"goal_id": "G-2", "status": "done"}


@pytest.mark.parametrize(
    "cortex",
    [
        pytest.param([ACTIVE, DONE], id="a list"),
        pytest.param({"goals": [DONE, ACTIVE]}, id="goals"),
        pytest.param({"goals": {"G-1": ACTIVE, "G-2": DONE}}, id="a map of goals"),
        pytest.param({"G-1": ACTIVE, "G-2": DONE}, id="a map"),
        pytest.param(ACTIVE, id="one"),
        pytest.param({"version": 1, "cortex": {"goals": [{"children": [ACTIVE]}]}}, id="deep"),
    ],
)
def test_active_goals_are_found_wherever_they_stand(cortex: Value) -> None:
    assert active_goal_ids(cortex) == {"G-1"}


@pytest.mark.parametrize(
    "cortex",
    [
        None,
        "active",
        [],
        {"goal_id": "G-1"},
        {"status": "active"},
        {"goal_id": 7, "status": "active"},
        {"goal_id": ["G-1"], "status": "active"},
        {"goal_id": "G-1", "status": ["active"]},
    ],
)
def test_what_is_no_active_goal_is_none(cortex: Value) -> None:
    assert active_goal_ids(cortex) == frozenset()


# Laws

NAMES = [*FRESH, *FRESH_VITALITY, "goals", "reads_by_day", "created", "timestamp"]
times = st.integers(-9_000, 9_000).map(lambda hours: NOON + timedelta(hours=hours))
days = st.dates(date(2026, 4, 1), date(2026, 6, 1)).map(str)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 50),
    st.integers(),
    st.floats(),
    st.sampled_from(["3", "-3", "0.01/day", "NaN", "1e999", "G-1", "9" * 400, 10**400]),
    times.map(str),
    days,
    st.text(max_size=5),
)
junk: st.SearchStrategy[Value] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), days, st.text()), inner, max_size=5),
    ),
    max_leaves=10,
)
counters = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(FRESH_VITALITY, leaves),
        "reads_by_day": st.one_of(junk, st.dictionaries(days, leaves, max_size=5)),
    },
)
entries = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("type", "confidence", "created", "updated", "value"), junk),
        "vitality": st.one_of(counters, counters, junk),
        "links": st.one_of(junk, st.fixed_dictionaries({"goals": junk})),
    },
)


@given(entries, times)
def test_any_entry_can_be_read(entry: dict[str, Value], at: datetime) -> None:
    before = repr(entry)

    new: Any = after_read(entry, at, frozenset({"G-1"}))

    vitality = new["vitality"]
    assert repr(entry) == before
    assert type(vitality["score"]) is int
    assert 0 <= vitality["score"] <= 100
    assert vitality["state"] == state_of(vitality["score"])
    assert shown(new) == (vitality["score"], vitality["state"])
    assert score(parts(new, at, frozenset({"G-1"}))) == vitality["score"]


@given(entries, times)
def test_the_windows_are_the_sums_of_the_days(entry: dict[str, Value], at: datetime) -> None:
    vitality = after_reads(entry, at)["vitality"]

    ages = {
        (at.date() - date.fromisoformat(day)).days: count
        for day, count in vitality["reads_by_day"].items()
    }
    assert len(ages) <= 31
    assert min(ages.values()) > 0
    assert vitality["reads_30d"] == sum(ages.values())
    assert vitality["reads_7d"] == sum(count for age, count in ages.items() if age < 7)


@given(entries, times, st.integers(1, 5))
def test_each_more_read_of_a_day_is_one_more(
    entry: dict[str, Value], at: datetime, more: int
) -> None:
    first = after_reads(entry, at)["vitality"]
    names = ("reads", "reads_7d", "reads_30d")
    assume(all(first[name] < 1000 for name in names))

    last = after_reads(entry, *[at] * (1 + more))["vitality"]

    assert [last[name] - first[name] for name in names] == [more] * 3


@given(st.lists(st.integers(0, 12), max_size=40))
def test_a_window_holds_the_reads_of_its_days(gaps: list[int]) -> None:
    at, all_times = NOON, [NOON]
    for gap in gaps:
        at += timedelta(days=gap)
        all_times.append(at)

    vitality = after_reads({}, *all_times)["vitality"]

    ages = [(at - each).days for each in all_times]
    assert vitality["reads"] == len(ages)
    assert vitality["reads_7d"] == sum(age < 7 for age in ages)
    assert vitality["reads_30d"] == sum(age < 30 for age in ages)


strange = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(max_value=0),
    st.integers(max_value=0),
    st.integers(min_value=10**7),
    st.floats(min_value=1e7),
    st.sampled_from([math.nan, "NaN", "-3", "many", "2036-01-01T00:00:00Z", [], {}]),
)


@given(
    st.dictionaries(st.sampled_from([*FRESH_VITALITY]), st.integers(0, 20)),
    st.sampled_from([*FRESH_VITALITY]),
    strange,
)
def test_a_strange_value_never_helps_a_score(
    held: dict[str, Value], name: str, value: Value
) -> None:
    assume(name != "decay_rate" or value != 0)  # which is a rate like another
    with_it = entry_with(**{**held, name: value})
    without = entry_with(**{other: count for other, count in held.items() if other != name})

    scores = [score(parts(entry, NOON, NO_GOALS)) for entry in (with_it, without)]

    assert scores[0] <= scores[1]
    assert (
        after_reads(with_it, NOON)["vitality"]["score"]
        <= (after_reads(without, NOON)["vitality"]["score"])
    )
