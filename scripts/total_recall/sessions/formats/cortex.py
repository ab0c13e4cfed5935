"""Snowflake Cortex Code: a JSON document with its history, or that history as JSON Lines."""

import re
from collections.abc import Iterator
from datetime import tzinfo

from total_recall.sessions import model, times
from total_recall.sessions.draft import Draft
from total_recall.sessions.formats import Format, Origin, Value
from total_recall.sessions.formats.blocks import (
    IMAGE,
    IMAGES,
    blocks,
    compact,
    mapping,
    output,
    text,
)
from total_recall.sessions.injected import without
from total_recall.sessions.records import Record

TAGS = ("system-reminder",)
HISTORY = ".history"  # the end of the stem of a file of JSON Lines
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z")
_UNTITLED = "Chat for session:"
_OWN_KEYS = frozenset(
    "user_sent_time assistant_sent_time request_id attachedContext is_user_prompt".split()
)
_ROLES = (model.USER, model.ASSISTANT)
_OF_SESSION = ("session_id", "working_directory", "connection_name", "creationDate")


def _tells(value: Value) -> bool:
    if isinstance(value.get("history"), list):
        return "session_id" in value or any(key in value for key in _OF_SESSION)
    if value.get("role") not in _ROLES or "message" in value or "turns" in value:
        return False
    if isinstance(value.get("content"), list):
        return value.get("type") in (None, "text")
    return bool(_OWN_KEYS & value.keys())


def _session(origin: Origin, record: Record) -> str:
    own = text(record.value.get("session_id")) or text(origin.beside.get("session_id"))
    # In a document only what stands above the messages names the session.
    return own or ("" if record.place else origin.stem.removesuffix(HISTORY))


def _unfold(value: Value) -> Iterator[tuple[str, Value]] | None:
    history = value.get("history")
    if not isinstance(history, list):
        return None
    about = {key: held for key, held in value.items() if key != "history"}
    rows = ((f"history/{n}", row) for n, row in enumerate(history) if isinstance(row, dict))
    return _with_about(about, rows)


def _with_about(about: Value, rows: Iterator[tuple[str, Value]]) -> Iterator[tuple[str, Value]]:
    yield "", about
    yield from rows


class CortexReader:
    """Reads the messages of one Cortex Code session."""

    def __init__(self, origin: Origin, draft: Draft) -> None:
        self._draft = draft
        self._here = origin.zone
        self._zone: tzinfo | None = None
        self._describe(origin.beside)

    def take(self, record: Record) -> None:
        """Read one message, or what describes the session."""
        value = record.value
        role = value.get("role")
        if role is None and any(key in value for key in _OF_SESSION):
            self._describe(value)
        elif role == model.USER:
            self._user(record)
        elif role == model.ASSISTANT:
            self._assistant(record)
        else:
            self._draft.count_unknown(f"role {text(role) or 'none'}")

    def _describe(self, about: Value) -> None:
        facts = self._draft.facts
        facts.cwd = facts.cwd or text(about.get("working_directory"))
        facts.git_branch = facts.git_branch or text(about.get("git_branch"))
        title = text(about.get("title"))
        if not title.startswith(_UNTITLED):
            self._draft.name(title, 2)
        kind = text(about.get("session_type"))
        if "agent" in kind.lower() and kind.lower() != "agent":
            facts.relation = model.SUBAGENT
        for key in ("created_at", "creationDate", "last_updated", "lastMessageDate"):
            self._draft.spans(about.get(key), self._here)

    def _at(self, sent: object) -> tuple[str, str]:
        """Give a message's time; one without a zone is in that in which the id was stamped."""
        if sent is not None and self._zone is None:
            stamp = _STAMP.search(self._draft.facts.id)
            first = f"{stamp[1]}:{stamp[2]}:{stamp[3]}Z" if stamp else ""
            self._zone = times.zone_between(sent, first) or self._here
        return self._draft.at(sent, zone=self._zone or self._here)

    def _user(self, record: Record) -> None:
        value = record.value
        at = self._at(value.get("user_sent_time"))
        said: list[str] = []
        for block in blocks(value.get("content")):
            kind = block.get("type")
            if kind == "tool_result":
                result = mapping(block.get("tool_result")) or block
                failed = result.get("status") == "error" or result.get("is_error") is True
                self._draft.result(
                    text(result.get("tool_use_id")),
                    output(result.get("content")),
                    model.ERROR if failed else model.OK,
                )
            elif kind == "text":
                said.append(_typed(block))
            elif kind in IMAGES:
                said.append(IMAGE)
            else:
                self._draft.count_unknown(f"block {text(kind)}")
        kept = without("\n\n".join(part for part in said if part.strip()), TAGS)
        if kept:
            self._draft.set_mark(record)
            self._say(record, [kept], model.USER, model.PROMPT, at)

    def _assistant(self, record: Record) -> None:
        value = record.value
        at = self._at(value.get("assistant_sent_time"))
        said: list[str] = []
        calls: list[Value] = []
        for block in blocks(value.get("content")):
            kind = block.get("type")
            if kind == "text":
                said.append(_typed(block))
            elif kind == "tool_use":
                calls.append(mapping(block.get("tool_use")) or block)
            elif kind in IMAGES:
                said.append(IMAGE)
            elif kind != "thinking":
                self._draft.count_unknown(f"block {text(kind)}")
        parts = [part for part in said if part.strip()]
        if parts:
            self._say(record, parts, model.ASSISTANT, model.REPLY, at)
        for call in calls:
            own = text(call.get("tool_use_id")) or text(call.get("id"))
            self._draft.call(own, text(call.get("name")), compact(call.get("input")))

    def _say(
        self, record: Record, parts: list[str], role: str, kind: str, at: tuple[str, str]
    ) -> None:
        native = text(record.value.get("id"))
        self._draft.add(record, parts, native=native, role=role, kind=kind, at=at)


def _typed(block: Value) -> str:
    """Give what was typed or shown of a block; nothing of what only the model was given."""
    if block.get("internalOnly") is True:
        return ""
    shown = text(block.get("displayText"))
    if block.get("is_user_prompt") is False and not shown:
        return ""
    return shown or text(block.get("text"))


FORMAT = Format("cortex", _tells, _session, CortexReader, _unfold)
