"""Vitality: how alive a memory is, from 0 to 100."""

import copy
import math
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from total_recall import dates
from total_recall.memory.entry import Memory
from total_recall.memory.patch import Value

WEEK_DAYS = 7
MONTH_DAYS = 30
DEFAULT_SCORE = 50
DEFAULT_CONFIDENCE = 0.65
DEFAULT_DECAY = 0.01  # points a day
MOST_COUNT = 1_000_000  # nobody counted that far: such a number is a mistake

_STATES = ((80, "thriving"), (50, "active"), (20, "fading"), (1, "dormant"), (0, "extinct"))

_VITALITY: dict[str, Value] = {
    "score": DEFAULT_SCORE,
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
    "decay_rate": DEFAULT_DECAY,
}
_DEFAULTS: dict[str, Value] = {
    "type": "fact",
    "confidence": {
        "score": DEFAULT_CONFIDENCE,
        "source": "agent-inferred",
        "reason": "Pre-cortex memory",
    },
    "vitality": _VITALITY,
    "links": {
        "goals": [],
        "conflicts": [],
        "supersedes": None,
        "superseded_by": None,
        "causal": [],
    },
}

_NUMBER = re.compile(r"\s*([+-]?[0-9]*\.?[0-9]+)")


def with_defaults(entry: Mapping[str, Value]) -> dict[str, Value]:
    """Give the entry with what it lacks, at every level, added after what it has.

    The values are those of step 3b of the original `/nemp:recall`. What is there stays, null too;
    only a `vitality` that is no object gives way, since the counters must stand somewhere.
    """
    new = _filled(entry, _DEFAULTS)
    if not isinstance(new["vitality"], dict):
        new["vitality"] = dict(_VITALITY)
    return new


def _filled(held: Mapping[str, Value], defaults: Mapping[str, Value]) -> dict[str, Value]:
    new = dict(held)
    for name, default in defaults.items():
        value = new.setdefault(name, copy.deepcopy(default))
        if isinstance(value, dict) and isinstance(default, dict):
            new[name] = _filled(value, default)
    return new


def after_read(
    entry: Mapping[str, Value], at: datetime, active_goals: AbstractSet[str]
) -> dict[str, Value]:
    """Give the whole entry as it is after one counted read.

    As in step 3b of the original `/nemp:recall`: missing fields get their defaults, the three
    counters go up by one, and the last read is now before the score is computed. There the windows
    of 7 and 30 days never fall; here `reads_by_day` tells when each read leaves them.
    """
    new = with_defaults(entry)
    old = _object(new, "vitality")
    today = at.astimezone(UTC).date()
    by_day = _by_day_with_read(old, today)
    week, month = _windows(by_day, today)
    vitality: dict[str, Value] = {
        **old,
        "reads": _count(old, "reads", beyond=MOST_COUNT) + 1,
        "last_read": dates.stamp(at),
        "reads_7d": week,
        "reads_30d": month,
        "reads_by_day": {day.isoformat(): count for day, count in by_day.items()},
    }
    new["vitality"] = vitality
    vitality["score"] = whole = score(parts(new, at, active_goals))
    vitality["state"] = state_of(whole)
    return new


def _by_day_with_read(vitality: Mapping[str, Value], today: date) -> dict[date, int]:
    """Give the reads of each day that a window still holds, with one more today."""
    by_day = _by_day(vitality)
    week, month = _count(vitality, "reads_7d"), _count(vitality, "reads_30d")
    last_read = _moment(vitality.get("last_read"))
    if last_read is None or _windows(by_day, last_read.date()) != (week, month):
        # Another tool counted, and nobody knows the days of its reads.
        by_day = {today - timedelta(WEEK_DAYS): max(0, month - week), today: week}
    by_day[today] = by_day.get(today, 0) + 1
    return {day: n for day, n in by_day.items() if n and _is_within(MONTH_DAYS, day, today)}


def _by_day(vitality: Mapping[str, Value]) -> dict[date, int]:
    found: dict[date, int] = {}
    held = _object(vitality, "reads_by_day")
    for text in held:
        if at := dates.moment(text):
            found[at.date()] = found.get(at.date(), 0) + _count(held, text)
    return found


def _windows(by_day: Mapping[date, int], today: date) -> tuple[int, int]:
    """Give the reads of the 7 and of the 30 days that end today."""
    week, month = (
        sum(count for day, count in by_day.items() if _is_within(length, day, today))
        for length in (WEEK_DAYS, MONTH_DAYS)
    )
    return week, month


def _is_within(length: int, day: date, today: date) -> bool:
    # Who took the time before midnight may write after one who took it later.
    return -1 <= (today - day).days < length


@dataclass(frozen=True)
class Part:
    """One addend of the formula: an amount, and the points that each one of it is worth."""

    name: str
    amount: float
    weight: float

    @property
    def points(self) -> float:
        """What it adds to the score."""
        return self.amount * self.weight + 0.0  # no minus before a zero


def parts(
    entry: Mapping[str, Value], at: datetime, active_goals: AbstractSet[str]
) -> tuple[Part, ...]:
    """Give the eight addends of an entry's score, in the order of the formula.

    The formula is that of step 3b of the original `/nemp:recall`, to the letter. Counters are read
    leniently, and one that cannot be meant never makes a memory look more alive.
    """
    vitality = _object(entry, "vitality")
    reads = _count(vitality, "reads", beyond=MOST_COUNT)
    loads = _count(vitality, "foresight_loads")
    skips = _count(vitality, "foresight_skips", beyond=MOST_COUNT)
    references = _count(vitality, "agent_references")
    age = _days_since(Memory((), dict(entry)).created, at)
    idle = _days_since(vitality.get("last_read"), at)
    return (
        Part("reads_7d", _count(vitality, "reads_7d"), 15),
        Part("reads_30d", _count(vitality, "reads_30d"), 3),
        Part("foresight_load_ratio", loads / (loads + skips) if loads + skips else 0, 20),
        Part("agent_reference_ratio", references / reads if reads else 0, 25),
        Part("update_frequency", _count(vitality, "update_count") / max(1, age), 10),
        Part("goal_link_active", int(_has_active_goal(entry, active_goals)), 15),
        Part("correction_events", _count(vitality, "correction_events", beyond=MOST_COUNT), -10),
        Part("days_since_last_read", idle, -_decay_rate(vitality)),
    )


def score(addends: Iterable[Part]) -> int:
    """Give the sum of the parts as it is stored: a whole number from 0 to 100.

    Half a point counts as one, and so does anything above nothing: only 0 is extinct.

    >>> [score([Part("reads_30d", reads, 3)]) for reads in (0, 0.1, 6.5, 50)]
    [0, 1, 20, 100]
    """
    return _whole(sum(part.points for part in addends))


def _whole(points: float) -> int:
    # Binary fractions of tenths fall just short of a half.
    clamped = min(100.0, max(0.0, round(points, 9)))
    return 1 if 0 < clamped < 1 else math.floor(clamped + 0.5)


def state_of(whole: int) -> str:
    """Give the name of a stored score's state.

    >>> [state_of(each) for each in (80, 79, 50, 49, 20, 19, 1, 0)]
    ['thriving', 'active', 'active', 'fading', 'fading', 'dormant', 'dormant', 'extinct']
    """
    return next(state for least, state in _STATES if whole >= least)


def shown(entry: Mapping[str, Value]) -> tuple[int, str]:
    """Give the score and the state that are stored, or what a memory has that was never read.

    >>> shown({"vitality": {"score": 94, "state": "thriving"}}), shown({})
    ((94, 'thriving'), (50, 'active'))
    """
    vitality = _object(entry, "vitality")
    stored = _number(vitality.get("score"))
    whole = DEFAULT_SCORE if stored is None else _whole(stored)
    state = vitality.get("state")
    return whole, state if isinstance(state, str) and state.strip() else state_of(whole)


def updates(entry: Mapping[str, Value]) -> int:
    """Give how often an entry was changed since it was made."""
    return _count(_object(entry, "vitality"), "update_count")


def active_goal_ids(cortex: Value) -> frozenset[str]:
    """Give the `goal_id` of each object with `status: active`, wherever in the value it stands.

    >>> sorted(active_goal_ids({"goals": [{"goal_id": "ship", "status": "active"}]}))
    ['ship']
    """
    found: set[str] = set()
    waiting = [cortex]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            goal = value.get("goal_id")
            if isinstance(goal, str) and value.get("status") == "active":
                found.add(goal)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return frozenset(found)


def _has_active_goal(entry: Mapping[str, Value], active_goals: AbstractSet[str]) -> bool:
    goals = _object(entry, "links").get("goals")
    return isinstance(goals, list) and any(
        isinstance(goal, str) and goal in active_goals for goal in goals
    )


def _object(held: Mapping[str, Value], name: str) -> dict[str, Value]:
    value = held.get(name)
    return value if isinstance(value, dict) else {}


def _count(held: Mapping[str, Value], name: str, *, beyond: int = 0) -> int:
    """Give a counter as a whole number, 0 for what is none, `beyond` for a mistake.

    What makes a memory look dead must not vanish by being huge.
    """
    number = max(0, _number(held.get(name)) or 0)
    return int(number) if number <= MOST_COUNT else beyond


def _decay_rate(vitality: Mapping[str, Value]) -> float:
    rate = _number(vitality.get("decay_rate"))
    return DEFAULT_DECAY if rate is None or rate < 0 else min(rate, MOST_COUNT)


def _number(value: Value) -> float | None:
    """Give a number, also one that a text begins with; a truth is none."""
    if isinstance(value, str) and (found := _NUMBER.match(value)):
        return float(found[1])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return None if isinstance(value, float) and math.isnan(value) else value


def _days_since(time: Value, at: datetime) -> int:
    """Give the whole days since a time, 0 for one that is not told or yet to come."""
    then = _moment(time)
    return max(0, (at - then).days) if then else 0


def _moment(value: Value) -> datetime | None:
    return dates.moment(value) if isinstance(value, str) else None
