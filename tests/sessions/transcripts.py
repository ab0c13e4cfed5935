"""Transcripts made by hand in the shapes that hosts write, and what is read of them."""

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta, timezone
from typing import Any

from total_recall.sessions.draft import Draft, Mark
from total_recall.sessions.model import ToolCall, Turn
from total_recall.sessions.reading import File, Reading, content_of

Row = dict[str, Any]
ZONE = timezone(timedelta(hours=2))
LATEST = "2026-12-31T00:00:00.000Z"
SID = "5b1f0c2e-7d14-4c0e-9a6b-3f2d8e71a904"


def lines(rows: Iterable[Row]) -> bytes:
    """Give rows as JSON Lines."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


@dataclass
class Read:
    """What was read of a file: turns and calls of each session, and what was not understood."""

    turns: dict[str, list[Turn]] = field(default_factory=dict)
    calls: dict[str, list[ToolCall]] = field(default_factory=dict)
    drafts: Mapping[str, Draft] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    mark: Mark = field(default_factory=Mark)

    def said(self, session: str = "") -> list[tuple[str, str]]:
        """Give the role and the text of each turn of the only session, or of one."""
        turns = (
            self.turns[session] if session else [t for each in self.turns.values() for t in each]
        )
        return [(turn.role, turn.text) for turn in turns]

    @property
    def only(self) -> list[Turn]:
        (turns,) = self.turns.values()
        return turns


def read(
    data: bytes,
    stem: str = SID,
    *,
    folders: Sequence[str] = ("/", "home", "projects", "-srv-harbor"),
    beside: Mapping[str, Any] | None = None,
    is_beside: Callable[[str], bool] = lambda _: False,
    mark: Mark | None = None,
    earlier: Mapping[str, bytes] | None = None,
    patient: bool = False,
) -> Read:
    """Read a file's bytes; nothing is found if it is no transcript.

    `mark` and `earlier` (the hash of the text of each turn by native id) go on where an earlier
    reading ended.
    """
    file = File(io.BytesIO(data), len(data), stem, folders, ZONE, LATEST, beside or {}, is_beside)
    content = content_of(file)
    if content is None:
        return Read()
    reading = Reading(
        file, content, mark=mark or Mark(), known=lambda _: (earlier or {}).get, patient=patient
    )
    found = Read()
    for draft, item in reading.items():
        table: dict[str, list[Any]] = found.turns if isinstance(item, Turn) else found.calls
        table.setdefault(draft.facts.id, []).append(item)
    found.drafts = reading.drafts
    found.faults = reading.faults.named
    found.unknown = reading.unknown()
    found.mark = reading.mark()
    return found


# Claude Code


class Claude:
    """Writes the records of a Claude Code session, each following the one before."""

    def __init__(self, session: str = SID, **every: Any) -> None:
        self.rows: list[Row] = []
        self.session = session
        self.every = every
        self.parent: str | None = None

    def record(self, kind: str, **more: Any) -> "Claude":
        """Add a record."""
        number = len(self.rows)
        row = {
            "parentUuid": self.parent, "isSidechain": False, "userType": "external",
            "cwd": "/srv/harbor", "sessionId": self.session, "version": "2.1.42",
            "gitBranch": "main", "type": kind, "uuid": f"u{number:04d}",
            "timestamp": f"2026-03-01T09:{number // 60:02d}:{number % 60:02d}.000Z",
            **self.every, **more,
        }  # fmt: skip
        self.rows.append({key: value for key, value in row.items() if value is not ...})
        self.parent = row["uuid"]
        return self

    def user(self, content: Any, **more: Any) -> "Claude":
        """Add what a person typed, or what stands in its place."""
        return self.record("user", message={"role": "user", "content": content}, **more)

    def reply(self, message: str, *blocks: Any, **more: Any) -> "Claude":
        """Add the blocks of a message, each in a record of its own."""
        for block in blocks:
            whole = {"type": "text", "text": block} if isinstance(block, str) else block
            said = {"id": message, "role": "assistant", "model": "m", "content": [whole]}
            self.record("assistant", message=said, **more)
        return self

    def result(self, call: str, content: Any, **more: Any) -> "Claude":
        """Add the result of a tool."""
        block = {"type": "tool_result", "tool_use_id": call, "content": content, **more}
        return self.user([block], toolUseResult={"stdout": str(content)})

    def bytes(self) -> bytes:
        """Give the file."""
        return lines(self.rows)


def tool_use(call: str, name: str = "Bash", **given: Any) -> Row:
    """Give the block of a tool's use."""
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def claude_session() -> bytes:
    """Give a session with every kind of record."""
    made = Claude()
    made.record("file-history-snapshot", uuid=..., sessionId=..., snapshot={})
    made.user("<system-reminder>be brief</system-reminder>\nwhich queue?")
    made.reply(
        "msg_01", {"type": "thinking", "thinking": "hm"}, "I look.", tool_use("c1", command="ls")
    )
    made.result("c1", "a.py\nb.py")
    made.reply("msg_01", tool_use("c2", "Read", file_path="a.py"))
    made.result("c2", [{"type": "text", "text": "no"}], is_error=True)
    made.reply("msg_02", "A queue in Postgres.")
    made.record("progress", data={"type": "bash_progress"})
    made.user([{"type": "text", "text": "and retries?"}, {"type": "image", "source": {}}])
    made.reply("msg_03", "Three, then it is parked.")
    made.record("system", subtype="compact_boundary", parentUuid=None)
    made.user("This session is being continued from a previous one.", isCompactSummary=True)
    made.user("Caveat: what follows is the host's.", isMeta=True)
    made.user("<command-name>/compact</command-name><command-args>now</command-args>")
    made.user("<local-command-stdout>Compacted</local-command-stdout>")
    made.record("attachment", uuid=..., attachment={"type": "queued_command", "prompt": "go on"})
    made.user("go on")
    made.reply("msg_04", "Done.")
    made.user("[Request interrupted by user]")
    return made.bytes()


CLAUDE_SAID = [
    ("user", "[… host reminder …]\nwhich queue?"),
    ("assistant", "I look."),
    ("assistant", "A queue in Postgres."),
    ("user", "and retries?\n\n[image]"),
    ("assistant", "Three, then it is parked."),
    ("summary", "This session is being continued from a previous one."),
    ("user", "/compact now"),
    ("user", "go on"),
    ("assistant", "Done."),
    ("system", "[Request interrupted by user]"),
]


# Cortex Code

CORTEX_ID = "2026-01-05T17-19-43Z-0f8fad5b-d9cb-469f-a165-70867728950e"


def cortex_rows() -> list[Row]:
    """Give the messages of a session with every kind of block."""
    return [
        {"role": "user", "id": "0d77bc60", "user_sent_time": "2026-01-05T18:20:36.564751",
         "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"},
                     {"type": "text", "text": "given", "internalOnly": True},
                     {"type": "text", "text": "never typed", "is_user_prompt": False},
                     {"type": "text", "text": "raw", "displayText": "which table?"}]},
        {"role": "assistant", "id": "0d77bc61", "content": [
            {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}},
            {"type": "text", "text": "I ask Snowflake."},
            {"type": "tool_use", "tool_use": {"tool_use_id": "t1", "name": "snowflake_sql_execute",
                                              "input": {"sql": "SELECT 1"}}}]},
        {"role": "user", "id": "0d77bc62", "content": [{"type": "tool_result", "tool_result": {
            "name": "snowflake_sql_execute", "tool_use_id": "t1", "status": "success",
            "content": [{"type": "text", "text": "A\n1\n1 row(s) returned"}]}}]},
        {"role": "assistant", "id": "0d77bc63", "content": "RAW.ORDERS it is."},
        {"role": "user", "id": "0d77bc64", "user_sent_time": "2026-01-05T18:30:00Z",
         "content": ["thanks", {"type": "image"}]},
    ]  # fmt: skip


CORTEX_SAID = [
    ("user", "[… host reminder …]\nwhich table?"),
    ("assistant", "I ask Snowflake."),
    ("assistant", "RAW.ORDERS it is."),
    ("user", "thanks\n\n[image]"),
]
SIDECAR = {
    "session_id": CORTEX_ID, "title": "Chat for session: x", "working_directory": "/srv/harbor",
    "git_branch": "main", "created_at": "2026-01-05T17:19:43Z",
}  # fmt: skip


def cortex_document() -> bytes:
    """Give the session as one document."""
    return json.dumps({**SIDECAR, "history": cortex_rows()}, indent=2).encode()


# CocoPlus


def cocoplus_session() -> Row:
    """Give a session with every facet, under one of the two names that each has."""
    return {
        "session_id": "review-7", "start_time": "2026-02-01T08:00:00Z",
        "end_time": "2026-02-01T09:00:00Z", "phase_context": "review",
        "turns": [
            {"id": "r1", "role": "user", "text": "is it ready?", "timestamp": 1769932800000},
            {"speaker": "assistant", "content": "One finding."},
            {"role": "user", "text": None}, "not a turn",
            {"role": "developer", "content": [{"type": "text", "text": "which?"}]},
        ],
        "toolCalls": [{"name": "pytest", "input": "-q"}, {"tool": "sql"}, {}, 7],
        "functions_touched": ["load_orders", "", 3],
        "evaluationResults": [{"metric": "tests", "value": 41}, {"name": "ok", "status": True}, 1],
        "outcome_contracts": [{"function": "f", "outcome_type": "Security", "status": "failed"}],
        "strategyIds": ["adversarial"], "key_decisions": None,
    }  # fmt: skip


COCOPLUS_SAID = [("user", "is it ready?"), ("assistant", "One finding."), ("user", "which?")]
