"""The entry that a new or changed memory gets, in the shape that other tools write too."""

import re
from collections.abc import Mapping
from datetime import datetime

from total_recall import dates
from total_recall.memory import patch, vitality
from total_recall.memory.patch import Value

# How fast the score of each type falls, a day that it is not read.
DECAY = {
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

# What a key's words, or the first word of a value, say of the type; the first match holds.
_BY_KEY = (
    (frozenset({"todo", "fix", "temp"}), "temporary"),
    (frozenset({"config", "setup"}), "fact"),
    (frozenset({"bug", "error", "issue"}), "error-pattern"),
    (frozenset({"goal", "milestone"}), "goal"),
)
_BY_VALUE = (
    (frozenset({"always", "never", "must"}), "rule"),
    (frozenset({"try", "maybe", "consider"}), "hypothesis"),
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a key, also in camelCase
CONFIDENCE: Mapping[str, Value] = {
    "score": 0.9,
    "source": "user-confirmed",
    "reason": "Manually saved by user",
}


def type_of(key: str, value: str) -> str:
    """Give the type that a key and a value speak of.

    >>> type_of("todo-auth", "x"), type_of("style", "Never use tabs."), type_of("db", "Postgres")
    ('temporary', 'rule', 'fact')
    """
    words = [word.casefold() for word in _WORD.findall(key)]
    named = {word.removesuffix(end) for word in words for end in ("", "s", "es")}
    first = re.match(r"\W*([a-z]+)", value.casefold())
    by_key = (kind for told, kind in _BY_KEY if told & named)
    by_value = (kind for told, kind in _BY_VALUE if first and first[1] in told)
    return next(by_key, "") or next(by_value, "fact")


def new(
    key: str, value: str, *, kind: str, agent: str, project: str | None, at: datetime
) -> dict[str, Value]:
    """Give the entry of a memory that was not there before."""
    now = dates.stamp(at)
    entry: dict[str, Value] = {
        "key": key,
        "value": value,
        "created": now,
        "updated": now,
        "agent_id": agent,
        "projectPath": project,
        "tags": [],
        "type": kind,
        "confidence": dict(CONFIDENCE),
    }
    changes: dict[patch.Path, Value] = {("vitality", "decay_rate"): DECAY[kind]}
    return _object(patch.updated(vitality.with_defaults(entry), changes))


def updated(
    entry: Mapping[str, Value], value: str, *, kind: str, agent: str, at: datetime
) -> dict[str, Value]:
    """Give an entry with another value; when it was made and how it was read stay.

    `kind` "" keeps its type.
    """
    whole = vitality.with_defaults(entry)
    changes: dict[patch.Path, Value] = {
        ("value",): value,
        ("updated",): dates.stamp(at),
        ("agent_id",): agent,
        ("vitality", "update_count"): vitality.updates(whole) + 1,
    }
    if kind:
        changes[("type",)] = kind
    return _object(patch.updated(whole, changes))


def _object(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}
