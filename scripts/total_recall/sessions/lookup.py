"""One session, found by the start of its id, with its turns in order."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from total_recall.errors import NotFoundError
from total_recall.output import one_line

MOST_NAMED = 8  # candidates that an ambiguous start is answered with


@dataclass(frozen=True)
class SessionRow:
    """A session of one file, as it is stored; `tags` are its commonest entities."""

    key: int
    id: str
    path: str
    relation: str
    parent: str
    title: str
    cwd: str
    phase: str
    started: str
    ended: str
    tags: tuple[str, ...]
    turns: int


_COLUMNS = (
    "key, id, source_path, relation, parent, title, cwd, phase_context, started, ended, tags,"
    " (SELECT count(*) FROM turns WHERE session = sessions.key)"
)


def _row(facts: Sequence[Any]) -> SessionRow:
    *first, tags, turns = facts
    row = (*first, tuple(tags.split("\n")) if tags else (), turns)
    return SessionRow(*row)


def session_named(db: sqlite3.Connection, start: str) -> SessionRow:
    """Give the session whose id is or begins with a text; of one in two files the longer one.

    Raises NotFoundError for none, and for several, which it names.
    """
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM sessions WHERE id >= ? AND id < ? ORDER BY id, ended DESC, key",  # noqa: S608
        (start, start + "\U0010ffff"),
    )
    found = [_row(facts) for facts in rows]
    exact = [each for each in found if each.id == start]
    ids = sorted({each.id for each in exact or found})
    if not ids:
        raise NotFoundError(
            f"no session {start!r} in the index", hint="see: cocorecall status; cocorecall import"
        )
    if len(ids) > 1:
        names = ", ".join(ids[:MOST_NAMED]) + (", …" if len(ids) > MOST_NAMED else "")
        raise NotFoundError(
            f"{start!r} begins {len(ids)} sessions: {names}", hint="give more of it"
        )
    return (exact or found)[0]


@dataclass(frozen=True)
class TurnRow:
    """A turn of a session, as it is stored."""

    key: int
    native: str
    seq: int
    role: str
    kind: str
    time: str
    time_quality: str
    text: str
    text_sha: bytes
    abandoned: bool
    superseded: bool


def turns_of(db: sqlite3.Connection, session: int) -> list[TurnRow]:
    """Give every turn of a session, in order."""
    rows = db.execute(
        "SELECT key, native, seq, role, kind, time, time_quality, text, text_sha, abandoned,"
        " superseded"
        " FROM turns WHERE session = ? ORDER BY seq, superseded, key",
        (session,),
    )
    return [TurnRow(*facts[:-2], *map(bool, facts[-2:])) for facts in rows]


def turn_named(turns: Sequence[TurnRow], session: str, name: str) -> TurnRow:
    """Give the turn that a citation names: its id, the start of it, or its place in the session.

    Raises NotFoundError for none and for several.
    """
    native = name
    head, _, tail = name.partition(":")
    if tail and (session.startswith(head)):
        native = tail
    exact = [turn for turn in turns if turn.native == native]
    starting = [turn for turn in turns if turn.native.startswith(native)]
    at_place = [turn for turn in turns if str(turn.seq) == native and not turn.superseded]
    for found in (exact, at_place, starting):
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(one_line(turn.native) for turn in found[:MOST_NAMED])
            raise NotFoundError(f"{native!r} begins several turns: {names}", hint="give more of it")
    raise NotFoundError(
        f"no turn {native!r} in session {session}", hint=f"see: cocorecall show {session}"
    )


@dataclass(frozen=True)
class CallRow:
    """A tool call, after the turn `turn`."""

    turn: int
    name: str
    input: str
    output: str
    output_length: int
    status: str


def calls_of(db: sqlite3.Connection, session: int) -> list[CallRow]:
    """Give every tool call of a session, in order."""
    rows = db.execute(
        "SELECT turn, name, input, output, output_length, status FROM tool_calls"
        " WHERE session = ? ORDER BY number",
        (session,),
    )
    return [CallRow(*facts) for facts in rows]


def last_query(db: sqlite3.Connection, session: str) -> str:
    """Give the last query whose answer cited a session; empty if none did."""
    row = db.execute(
        "SELECT query FROM citations WHERE session = ? ORDER BY id DESC LIMIT 1", (session,)
    ).fetchone()
    return row[0] if row else ""
