"""Claude Code: one JSON Lines file a session, one record a block of a message."""

import re
from collections.abc import Iterator
from typing import Any

from total_recall.sessions import model
from total_recall.sessions.draft import Draft, ReachesBackError
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

TAGS = (
    "system-reminder ide_opened_file ide_selection ide_diagnostics local-command-caveat "
    "local-command-stdout local-command-stderr bash-stdout bash-stderr user-prompt-submit-hook "
    "new-diagnostics"
).split()
_COMMAND = re.compile(r"\s*<command-(?:name|message|args)>")
_COMMAND_PART = re.compile(r"<command-(name|args)>(.*?)</command-\1>", re.DOTALL)
_TYPED = re.compile(r"\s*<bash-input>(.*?)</bash-input>", re.DOTALL)
# What the host says in a user's record, by how it begins.
_NOTICES = ("[Request interrupted", "Stop hook feedback:", "<task-notification>")
_CONTINUED = "This session is being continued from a previous conversation"
_OWN_TYPES = frozenset(("user", "assistant", "system", "attachment", "progress"))
_TITLES = {"custom-title": ("customTitle", 3), "ai-title": ("aiTitle", 2)}
_SKIPPED = frozenset(
    """
    system progress queue-operation file-history-snapshot pr-link permission-mode mode
    worktree-state relocated frame-link bridge-session atis-latch started result
    rate_limit_event agent-name last-prompt
    """.split()
)
_SILENT_BLOCKS = frozenset(
    "thinking redacted_thinking server_tool_use web_search_tool_result tool_reference".split()
)
_SUBAGENT = "agent-"
_SUBAGENT_FOLDER = "subagents"


def _tells(value: Value) -> bool:
    if isinstance(value.get("loglines"), list):
        return True
    kind = value.get("type")
    if kind == "summary":
        return "leafUuid" in value
    if kind in _OWN_TYPES or kind in _TITLES or kind in _SKIPPED:
        return "sessionId" in value or "parentUuid" in value or "agentId" in value
    return False


def _session(origin: Origin, record: Record) -> str:
    if origin.stem.startswith(_SUBAGENT):
        return origin.stem
    named = text(record.value.get("sessionId"))
    if not named:
        return ""
    # Records of a session with a file of its own were put here by a resumed one.
    return origin.stem if named == origin.stem or origin.is_beside(named) else named


def _unfold(value: Value) -> Iterator[tuple[str, Value]] | None:
    lines = value.get("loglines")
    if not isinstance(lines, list):
        return None
    return ((f"loglines/{n}", line) for n, line in enumerate(lines) if isinstance(line, dict))


class ClaudeReader:
    """Reads the records of one Claude Code session."""

    def __init__(self, origin: Origin, draft: Draft) -> None:
        self._draft = draft
        self._is_subagent = origin.stem.startswith(_SUBAGENT)
        self._silent: tuple[str, list[Record]] = ("", [])
        self._since: set[str] = set()  # the records since the last prompt
        self._branches: dict[str, int] = {}  # the first seq of what follows a record, by its uuid
        self._queued: set[str] = set()
        self._leaves: dict[str, str] = {}
        self._last = ""
        self._is_first = True
        if self._is_subagent:
            facts = draft.facts
            facts.relation = model.SUBAGENT
            if _SUBAGENT_FOLDER in origin.folders[1:]:
                last = len(origin.folders) - 1 - origin.folders[::-1].index(_SUBAGENT_FOLDER)
                facts.parent = origin.folders[last - 1]

    def take(self, record: Record) -> None:
        """Read one record."""
        value = record.value
        kind = text(value.get("type"))
        draft = self._draft
        at = draft.at(value.get("timestamp"))
        self._place(value)
        if kind == "user":
            self._user(record, at)
        elif kind == "assistant":
            self._assistant(record, at)
        elif kind == "attachment":
            self._attachment(record, at)
        elif kind in _TITLES:
            key, rank = _TITLES[kind]
            draft.name(text(value.get(key)) or text(value.get("title")), rank)
        elif kind == "summary":
            self._summary(value)
        elif kind not in _SKIPPED:
            draft.count_unknown(kind or "no type")
        if uuid := text(value.get("uuid")):
            self._last = uuid
            self._since.add(uuid)
            if uuid in self._leaves:
                draft.name(self._leaves[uuid], 1)

    def _place(self, value: Value) -> None:
        facts = self._draft.facts
        if not facts.cwd:
            facts.cwd = text(value.get("cwd"))
        if not facts.git_branch:
            facts.git_branch = text(value.get("gitBranch"))
        if self._is_subagent and not facts.parent:
            facts.parent = text(value.get("sessionId"))

    def _summary(self, value: Value) -> None:
        """Take a summary as the title if it is of a record of this session."""
        leaf, title = text(value.get("leafUuid")), text(value.get("summary"))
        if leaf and leaf == self._last:
            self._draft.name(title, 1)
        else:
            self._leaves[leaf] = title

    def _user(self, record: Record, at: tuple[str, str]) -> None:
        value = record.value
        said: list[str] = []
        for block in blocks(mapping(value.get("message")).get("content")):
            kind = block.get("type")
            if kind == "tool_result":
                status = model.ERROR if block.get("is_error") is True else model.OK
                content = output(block.get("content"))
                self._draft.result(text(block.get("tool_use_id")), content, status)
            elif kind == "text":
                said.append(text(block.get("text")))
            elif kind in IMAGES:
                said.append(IMAGE)
            else:
                self._draft.count_unknown(f"block {text(kind)}")
        whole = "\n\n".join(part for part in said if part.strip())
        if value.get("isMeta") is True or not whole:
            return
        if value.get("isCompactSummary") is True or whole.startswith(_CONTINUED):
            self._say(record, whole, model.SUMMARY, model.COMPACT, at)
        elif whole.lstrip().startswith(_NOTICES):
            self._say(record, whole, model.SYSTEM, model.NOTIFICATION, at)
        elif kept := _command(whole):
            self._prompt(record, kept, model.COMMAND, at)
        elif kept := without(whole, TAGS):
            self._prompt(record, kept, model.PROMPT, at)

    def _prompt(self, record: Record, said: str, kind: str, at: tuple[str, str]) -> None:
        value = record.value
        if said in self._queued:
            self._queued.discard(said)
            return
        if value.get("isSidechain") is not True:
            self._branch(text(value.get("parentUuid")))
            self._since = set()
            self._queued = set()
            self._draft.set_mark(record)
        self._say(record, said, model.USER, kind, at)

    def _branch(self, parent: str) -> None:
        """Mark what this prompt leaves behind: it follows what an earlier prompt followed."""
        draft = self._draft
        if parent and parent not in self._since:
            if parent in self._branches:
                draft.abandon(self._branches[parent])
            elif draft.resumed and not self._is_first:
                raise ReachesBackError
        self._is_first = False
        if parent:
            self._branches.setdefault(parent, draft.seq)

    def _say(self, record: Record, said: str, role: str, kind: str, at: tuple[str, str]) -> None:
        value = record.value
        self._draft.add(
            record,
            [said],
            native=text(value.get("uuid")),
            role=role,
            kind=kind,
            at=at,
            is_sidechain=self._is_subagent or value.get("isSidechain") is True,
        )

    def _assistant(self, record: Record, at: tuple[str, str]) -> None:
        value = record.value
        message = mapping(value.get("message"))
        said: list[str] = []
        calls: list[dict[str, Any]] = []
        for block in blocks(message.get("content")):
            kind = block.get("type")
            if kind == "text":
                said.append(text(block.get("text")))
            elif kind == "tool_use":
                calls.append(block)
            elif kind in IMAGES:
                said.append(IMAGE)
            elif kind not in _SILENT_BLOCKS:
                self._draft.count_unknown(f"block {text(kind)}")
        self._reply(record, text(message.get("id")), [part for part in said if part.strip()], at)
        for call in calls:
            given = compact(call.get("input"))
            self._draft.call(text(call.get("id")), text(call.get("name")), given)

    def _reply(self, record: Record, own: str, parts: list[str], at: tuple[str, str]) -> None:
        """Add what a message says; records of it that say nothing belong to it all the same."""
        value = record.value
        before = self._silent[1] if own and own == self._silent[0] else []
        self._silent = own, []
        if parts:
            self._draft.add(
                record,
                parts,
                native=own or text(value.get("uuid")),
                role=model.ASSISTANT,
                kind=model.REPLY,
                at=at,
                is_sidechain=self._is_subagent or value.get("isSidechain") is True,
                merge=bool(own),
                before=before,
            )
        elif own and not self._draft.take_in(record, own):
            self._silent = own, [*before, record]

    def _attachment(self, record: Record, at: tuple[str, str]) -> None:
        """Take what was typed while the agent worked; no other attachment is a person's."""
        attachment = mapping(record.value.get("attachment"))
        if attachment.get("type") != "queued_command":
            return
        parts = [text(block.get("text")) for block in blocks(attachment.get("prompt"))]
        kept = without("\n\n".join(part for part in parts if part.strip()), TAGS)
        if kept and not kept.startswith(_NOTICES):
            self._say(record, kept, model.USER, model.PROMPT, at)
            self._queued.add(kept)


def _command(whole: str) -> str:
    """Give a slash command or a shell command as it was typed; empty if the text is none."""
    if typed := _TYPED.match(whole):
        return f"! {typed[1].strip()}"
    if not _COMMAND.match(whole):
        return ""
    parts = {part[1]: part[2].strip() for part in _COMMAND_PART.finditer(whole)}
    name = parts.get("name", "")
    if not name:
        return ""
    return f"/{name.removeprefix('/')} {parts.get('args', '')}".strip()


FORMAT = Format("claude", _tells, _session, ClaudeReader, _unfold)
