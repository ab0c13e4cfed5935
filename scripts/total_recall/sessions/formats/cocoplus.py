"""CocoPlus flat sessions: one object a session, its turns and facets beside each other."""

from collections.abc import Iterator
from typing import Any

from total_recall.sessions import model
from total_recall.sessions.draft import Draft
from total_recall.sessions.formats import Format, Origin, Value
from total_recall.sessions.formats.blocks import blocks, compact, mapping, text
from total_recall.sessions.records import Record

_ROLES = {"assistant": model.ASSISTANT, "agent": model.ASSISTANT, "model": model.ASSISTANT}
_SPEAKERS = frozenset(("user", "human", "developer", *_ROLES))
_TURN_KEYS = frozenset("id role speaker text content timestamp".split())
_LINE_KEYS = frozenset(("session_id", "speaker", "phase_context"))


def _tells(value: Value) -> bool:
    if isinstance(value.get("turns"), list):
        return True
    if not isinstance(value.get("text", value.get("content")), str):
        return False
    is_own = bool(_LINE_KEYS & value.keys()) or not value.keys() - _TURN_KEYS
    return is_own and _speaker(value) in _SPEAKERS


def _speaker(value: Value) -> str:
    return (text(value.get("role")) or text(value.get("speaker"))).lower()


def _session(origin: Origin, record: Record) -> str:
    return text(record.value.get("session_id")) or origin.stem


def _unfold(value: Value) -> Iterator[tuple[str, Value]] | None:
    return iter([("", value)]) if isinstance(value.get("turns"), list) else None


class CocoPlusReader:
    """Reads one CocoPlus session: an object that holds it, or lines of its turns."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def take(self, record: Record) -> None:
        """Read a session, or one turn of it."""
        value = record.value
        facts, draft = self._draft.facts, self._draft
        facts.phase_context = text(value.get("phase_context")) or facts.phase_context
        for key in ("start_time", "end_time"):
            draft.spans(value.get(key))
        turns = value.get("turns")
        if not isinstance(turns, list):
            self._turn(record, value, "")
        else:
            for number, turn in enumerate(turns):
                if isinstance(turn, dict):
                    self._turn(record, turn, f"turns/{number}")
                else:
                    draft.count_unknown("a turn that is no object")
            draft.name(text(value.get("title")), 2)
        self._facets(value)

    def _turn(self, record: Record, turn: dict[str, Any], place: str) -> None:
        parts = [text(block.get("text")) for block in blocks(turn.get("text", turn.get("content")))]
        parts = [part for part in parts if part.strip()]
        speaker = _speaker(turn)
        role = _ROLES.get(speaker, model.USER if speaker in _SPEAKERS else model.SYSTEM)
        at = self._draft.at(turn.get("timestamp"))
        if not parts:
            return
        kinds = {model.USER: model.PROMPT, model.ASSISTANT: model.REPLY}
        self._draft.add(
            record.part(place, turn) if place else record,
            parts,
            native=text(turn.get("id")),
            role=role,
            kind=kinds.get(role, model.NOTIFICATION),
            at=at,
        )

    def _facets(self, value: Value) -> None:
        for table, names, keys in FACETS:
            given: Any = next((value[name] for name in names if value.get(name) is not None), [])
            if not isinstance(given, list):
                self._draft.count_unknown(f"{names[0]} that is no list")
                continue
            for item in given:
                row = _row(item, keys)
                if row:
                    self._draft.facets.setdefault(table, []).append(row)
                else:
                    self._draft.count_unknown(f"an item of {names[0]}")
        self._calls(value)

    def _calls(self, value: Value) -> None:
        calls = value.get("tool_calls", value.get("toolCalls"))
        if calls is None:
            return
        for item in calls if isinstance(calls, list) else [None]:
            call = mapping(item)
            name = text(call.get("name")) or text(call.get("tool"))
            if not name:
                self._draft.count_unknown("an item of tool_calls")
                continue
            own = text(call.get("id"))
            self._draft.call(own, name, compact(call.get("input", call.get("arguments"))))


# Each facet: its table, the names of its list, and the names of each column; () is a plain text.
FACETS: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = (
    ("function_touches", ("functions_touched", "functionsTouched", "function_names"), ()),
    (
        "evaluation_results",
        ("evaluation_results", "evaluationResults"),
        (("metric", "name"), ("value", "status")),
    ),
    (
        "outcome_contracts",
        ("outcome_contracts", "outcomeContracts"),
        (("function", "function_name"), ("outcome_type", "type"), ("status", "result")),
    ),
    ("strategy_usage", ("strategy_ids", "strategyIds"), ()),
    ("key_decisions", ("key_decisions", "keyDecisions"), ()),
)


def _row(item: Any, keys: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Give the columns of a facet's item; nothing if it is none."""
    if not keys:
        return (item,) if isinstance(item, str) and item.strip() else ()
    if not isinstance(item, dict):
        return ()
    row = tuple(_column(item, names) for names in keys)
    return row if row[0] or (len(row) > 2 and row[1]) else ()


def _column(item: Value, names: tuple[str, ...]) -> str:
    for name in names:
        held = item.get(name)
        if isinstance(held, str):
            return held
        if isinstance(held, (int, float)):  # a truth value is a number too
            return str(held).lower() if isinstance(held, bool) else str(held)
    return ""


FORMAT = Format("cocoplus", _tells, _session, lambda _, draft: CocoPlusReader(draft), _unfold)
