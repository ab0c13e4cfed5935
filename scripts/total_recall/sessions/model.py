"""What a transcript holds: sessions, turns and tool calls, in every format the same."""

from dataclasses import dataclass

USER, ASSISTANT, SUMMARY, SYSTEM = "user", "assistant", "summary", "system"
PROMPT, REPLY, COMMAND, NOTIFICATION, COMPACT = (
    "prompt",
    "reply",
    "command",
    "notification",
    "compact",
)
ROOT, SUBAGENT, FORK = "root", "subagent", "fork"
# How sure a time is: the record's own; that of the record before it; without its zone or not
# credible; that of the file.
EXACT, INHERITED, ASSUMED, OF_FILE = "exact", "inherited", "assumed", "file"
OK, ERROR, PENDING = "ok", "error", "pending"

Span = tuple[int, int]


@dataclass(slots=True)
class Turn:
    """One stored message.

    `native` is its id inside the session. `spans` are the bytes of its records in the file, in
    file order, and `raw_sha` is the SHA-256 of those; in a file that holds one document `place`
    is the keys of their values instead, and `raw_sha` that of the values (`locators`).
    `time` is in UTC, to the millisecond, or empty.
    """

    native: str
    seq: int
    role: str
    kind: str
    text: str
    lossy: bool
    time: str
    time_quality: str
    spans: tuple[Span, ...]
    place: str
    raw_sha: bytes
    is_sidechain: bool = False
    abandoned: bool = False


@dataclass(slots=True)
class ToolCall:
    """One use of a tool, after the turn `turn` (its seq, -1 before the first).

    `input` and `output` are cut; `output_length` is that of the whole output, in characters.
    """

    call_id: str
    number: int
    turn: int
    name: str
    input: str
    output: str = ""
    output_length: int = 0
    status: str = PENDING


@dataclass(slots=True)
class Facts:
    """What is known of a session beside its turns; small, so that it can be kept with the file."""

    id: str
    relation: str = ROOT
    parent: str = ""
    title: str = ""
    title_rank: int = 0
    cwd: str = ""
    git_branch: str = ""
    phase_context: str = ""
    started: str = ""
    ended: str = ""
    time_quality: str = OF_FILE
