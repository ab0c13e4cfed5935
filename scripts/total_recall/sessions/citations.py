"""Citations: where a shown turn stands, whether it still does, and what to look for next."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from total_recall.project import shown
from total_recall.secrets import mask
from total_recall.sessions import index, locators
from total_recall.sessions.stored import text_sha

COMMON = 50  # turns from which on a thing is as common as any other
SHORTEST = 8  # characters of a shortened id
# What many ids begin with; so much of one names none.
_COMMON_START = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ|agent-")


@dataclass(frozen=True)
class Citation:
    """A turn with its proof, as of now.

    `session`, `turn` and `path` are whole, `short_session` and `short_turn` the shortest forms of
    the ids that only one has, and `short_path` starts at the project or at home. `source_exists`
    and `source_state` are what the disk says. `entity` is what to search for next; empty if the
    turn names nothing else.
    """

    key: int
    session: str
    turn: str
    short_session: str
    short_turn: str
    path: str
    short_path: str
    source_exists: bool
    source_state: str
    entity: str
    role: str
    kind: str
    time: str
    time_quality: str
    seq: int
    title: str
    text: str
    abandoned: bool
    superseded: bool
    echo: bool
    lossy: bool

    @property
    def follow_up(self) -> str:
        """Give the suggested follow-up, in the words of the skill."""
        if not self.entity:
            return f"read around it ({self.command})"
        related = "to find related decisions in other sessions"
        return f"search for `{self.entity}` {related} ({self.command})"

    @property
    def command(self) -> str:
        """Give the command that does what is suggested."""
        from total_recall.output import quoted

        if self.entity:
            # Of several parts, it is looked for as one.
            phrase = self.entity if self.entity.isalnum() else f'"{self.entity}"'
            return f"cocorecall search {quoted(phrase)}"
        native = self.short_turn.removeprefix(f"{self.short_session}:")
        return f"cocorecall show {quoted(self.short_session)} --turn {quoted(native)} -C 2"


def cite(
    db: sqlite3.Connection, root: Path, turns: Sequence[int], asked: Sequence[str]
) -> list[Citation]:
    """Give the citations of turns by their keys, in that order; the disk is looked at now.

    Paths inside the project `root` are given from there. `asked` are the words of the query,
    which are not suggested again.
    """
    found = []
    for key in turns:
        row = db.execute(
            "SELECT sessions.key, sessions.id, native, source_path, spans, place, raw_sha,"
            " text_sha, role, kind, time, turns.time_quality, seq, title, text, abandoned,"
            " superseded, echo, lossy FROM turns JOIN sessions ON sessions.key = turns.session"
            " WHERE turns.key = ?",
            (key,),
        ).fetchone()
        (session_key, session, native, path, spans, place, raw_sha, own_sha, role, kind, time,
         quality, seq, title, text, *marks) = row  # fmt: skip
        exists, state = locators.source_state(Path(path), spans, place, raw_sha)
        if text_sha(text) != own_sha:
            state = locators.DAMAGED
        short = short_session(db, session)
        found.append(
            Citation(
                key, session, f"{session}:{native}", short,
                f"{short}:{_short_native(db, session_key, native)}", path,
                shown(Path(path), root), exists, state, _entity(db, key, asked), role, kind, time,
                quality, seq, title, text,
                *map(bool, marks),
            )
        )  # fmt: skip
    return found


def short_session(db: sqlite3.Connection, session: str) -> str:
    """Give the shortest start of a session id, of at least 8 characters, that no other has."""
    return _shortest(
        session,
        db.execute("SELECT max(id) FROM sessions WHERE id < ?", (session,)).fetchone()[0],
        db.execute("SELECT min(id) FROM sessions WHERE id > ?", (session,)).fetchone()[0],
    )


def _short_native(db: sqlite3.Connection, session: int, native: str) -> str:
    question = "SELECT {} FROM turns WHERE session = ? AND native {} ?"
    return _shortest(
        native,
        db.execute(question.format("max(native)", "<"), (session, native)).fetchone()[0],
        db.execute(question.format("min(native)", ">"), (session, native)).fetchone()[0],
    )


def _shortest(whole: str, before: str | None, after: str | None) -> str:
    """Give the shortest start of an id that those next to it in order do not begin with.

    >>> _shortest("0000004f-aaaa", "0000004e-aaaa", "0000004f-b"), _shortest("abc", None, None)
    ('0000004f-a', 'abc')
    """
    start = _COMMON_START.match(whole)
    size = SHORTEST if not start else max(start.end(), 2 * SHORTEST - 2)
    while size < len(whole) and whole[:size] in ((before or "")[:size], (after or "")[:size]):
        size += 1
    return whole[:size]


def _entity(db: sqlite3.Connection, turn: int, asked: Sequence[str]) -> str:
    """Give the rarest thing that a turn names and the query does not; empty if there is none.

    What looks like a credential is nothing to search for.
    """
    rows = db.execute(
        "SELECT name, (SELECT count(*) FROM"
        " (SELECT 1 FROM entities AS other WHERE other.name = entities.name LIMIT ?2))"
        " FROM entities WHERE turn = ?1 ORDER BY 2, 1",
        (turn, COMMON),
    )
    words = {word.lower() for word in asked}
    fresh = (name for name, _ in rows if name.lower() not in words)
    return next((name for name in fresh if not mask(name).count), "")


def note(path: Path, query: str, shown: Sequence[Citation], at: str) -> bool:
    """Keep which turns were shown to which query; say whether that could be done at once."""
    rows = [(query, each.session, each.turn, each.source_exists, at) for each in shown]
    try:
        with index.citing(path) as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT INTO citations (query, session, turn, source_exists, cited)"
                " VALUES (?, ?, ?, ?, ?)",
                rows,
            )
            db.execute("COMMIT")
    except sqlite3.Error:
        return False
    return True
