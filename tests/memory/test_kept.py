"""What a memory is kept as: its type, and the shape that other tools know."""

import json
from datetime import UTC, datetime

import pytest

from tests.conftest import SHARED_DATA
from total_recall.memory.kept import DECAY, new, type_of, updated
from total_recall.memory.patch import Value

AT = datetime(2026, 5, 12, 11, 19, 37, 999, tzinfo=UTC)
REAL = SHARED_DATA / "nemp" / "sera_memories_b7b619b.json"


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("todo-auth", "x", "temporary"),
        ("auth-fix", "x", "temporary"),
        ("temp", "x", "temporary"),
        ("todo-config", "x", "temporary"),
        ("all-todos", "x", "temporary"),
        ("fixes", "x", "temporary"),
        ("authTodo", "x", "temporary"),
        ("TODO_auth", "x", "temporary"),
        ("ci-config", "Never touch it.", "fact"),
        ("setup", "x", "fact"),
        ("setup-bug", "x", "fact"),
        ("login-bug", "x", "error-pattern"),
        ("error.codes", "x", "error-pattern"),
        ("known-issues", "x", "error-pattern"),
        ("goal", "Always win.", "goal"),
        ("milestone-2", "x", "goal"),
        ("style", "Always use tabs.", "rule"),
        ("style", "never use tabs", "rule"),
        ("style", "**MUST** use tabs", "rule"),
        ("cache", "Try Redis.", "hypothesis"),
        ("cache", "maybe Redis", "hypothesis"),
        ("cache", "Consider Redis.", "hypothesis"),
        ("cache", "We never use Redis.", "fact"),
        ("cache", "Tried Redis.", "fact"),
        ("template-engine", "Jinja", "fact"),
        ("prefix", "x", "fact"),
        ("debugger", "x", "fact"),
        ("db", "Postgres", "fact"),
        ("数据库", "必须用 Postgres", "fact"),
        ("", "", "fact"),
    ],
)
def test_the_type_is_told_by_words_of_the_key_then_by_the_first_of_the_value(
    key: str, value: str, expected: str
) -> None:
    assert type_of(key, value) == expected


def test_each_type_falls_at_its_own_rate() -> None:
    def rate(kind: str) -> Value:
        entry = new("k", "v", kind=kind, agent="main", project=None, at=AT)
        vitality = entry["vitality"]
        assert isinstance(vitality, dict)
        return vitality["decay_rate"]

    assert {kind: rate(kind) for kind in DECAY} == {
        "fact": 0.01,
        "rule": 0.01,
        "preference": 0.02,
        "procedure": 0.02,
        "decision": 0.03,
        "assumption": 0.03,
        "temporary": 0.08,
        "goal": 0.0,
        "warning": 0.0,
        "error-pattern": 0.02,
        "hypothesis": 0.06,
    }


def test_a_new_memory_is_whole() -> None:
    assert new("todo", "Mend it.", kind="temporary", agent="s2", project="/srv/shop", at=AT) == {
        "key": "todo",
        "value": "Mend it.",
        "created": "2026-05-12T11:19:37Z",
        "updated": "2026-05-12T11:19:37Z",
        "agent_id": "s2",
        "projectPath": "/srv/shop",
        "tags": [],
        "type": "temporary",
        "confidence": {
            "score": 0.9,
            "source": "user-confirmed",
            "reason": "Manually saved by user",
        },
        "vitality": {
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
            "decay_rate": 0.08,
        },
        "links": {
            "goals": [],
            "conflicts": [],
            "supersedes": None,
            "superseded_by": None,
            "causal": [],
        },
    }


def test_a_new_memory_has_the_fields_of_a_real_store_in_their_order() -> None:
    if not REAL.exists():
        pytest.skip("the public store is not here")
    held = json.loads(REAL.read_text())["sera-architecture"]
    ours = new(
        held["key"],
        held["value"],
        kind=held["type"],
        agent=held["agent_id"],
        project=held["projectPath"],
        at=datetime(2026, 5, 12, tzinfo=UTC),
    )

    # Tags are for whoever has read the value.
    assert json.dumps(ours) == json.dumps({**held, "tags": []})


def test_an_update_keeps_what_was_there_and_adds_one_to_the_count() -> None:
    before = new("k", "old", kind="rule", agent="main", project="/srv/shop", at=AT)
    before |= {"tags": ["x"], "confidence": {"score": 0.5}, "mine": [1]}
    before["vitality"] = {"score": 94, "reads": 7, "update_count": "3", "decay_rate": 0.5}
    before["links"] = {"goals": ["ship"]}
    later = datetime(2027, 1, 1, tzinfo=UTC)

    after = updated(before, "new", kind="", agent="s2", at=later)

    expected: dict[str, Value] = {
        **before,
        "value": "new",
        "updated": "2027-01-01T00:00:00Z",
        "agent_id": "s2",
        "confidence": {
            "score": 0.5,
            "source": "agent-inferred",
            "reason": "Pre-cortex memory",
        },
        "vitality": {
            "score": 94,
            "reads": 7,
            "update_count": 4,
            "decay_rate": 0.5,
            "trend": "stable",
            "state": "active",
            "last_read": None,
            "reads_7d": 0,
            "reads_30d": 0,
            "foresight_loads": 0,
            "foresight_skips": 0,
            "agent_references": 0,
            "correction_events": 0,
        },
        "links": {
            "goals": ["ship"],
            "conflicts": [],
            "supersedes": None,
            "superseded_by": None,
            "causal": [],
        },
    }
    assert after == expected
    assert list(after)[: len(before)] == list(before)


def test_an_update_changes_the_type_only_if_told_to() -> None:
    before = new("k", "old", kind="rule", agent="main", project=None, at=AT)

    kept, changed = (
        updated(before, "v", kind=kind, agent="main", at=AT)["type"] for kind in ("", "goal")
    )

    assert (kept, changed) == ("rule", "goal")
