"""Sessions into the index: what is new is put there, what is there already is kept."""

import json
import sqlite3
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass

from total_recall.sessions import chunks, echo, model
from total_recall.sessions.draft import Draft, Mark
from total_recall.sessions.entities import entities
from total_recall.sessions.locators import spans_text
from total_recall.sessions.model import Facts, ToolCall, Turn
from total_recall.sessions.stored import storable, text_sha

MOST_WAITING = 2_000  # rows that wait to be written together
MOST_TAGS = 8

_TURN = (
    "key session native seq role kind text summary_length tags time time_quality spans place "
    "raw_sha text_sha lossy is_sidechain abandoned superseded echo"
).split()
_INSERTS = {
    "turns": f"INSERT INTO turns ({', '.join(_TURN)}) VALUES ({', '.join('?' * len(_TURN))})",  # noqa: S608
    "chunks": "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
    "entities": "INSERT INTO entities VALUES (?, ?, ?, ?)",
    "tool_calls": "INSERT OR REPLACE INTO tool_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
}
FACET_TABLES = {
    "function_touches": "INSERT INTO function_touches VALUES (?, ?)",
    "evaluation_results": "INSERT INTO evaluation_results VALUES (?, ?, ?)",
    "outcome_contracts": "INSERT INTO outcome_contracts VALUES (?, ?, ?, ?)",
    "strategy_usage": "INSERT INTO strategy_usage VALUES (?, ?)",
    "key_decisions": "INSERT INTO key_decisions VALUES (?, ?)",
}


@dataclass(slots=True)
class _Held:
    """A turn that is in the index."""

    key: int
    text_sha: bytes
    facts: tuple[object, ...]

    @property
    def superseded(self) -> bool:
        return bool(self.facts[-1])


class Writer:
    """Writes into an index that is inside a transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self._turn = _first(db, "SELECT max(key) FROM turns") + 1
        self._above = _first(db, "SELECT max(id) FROM chunks") + 1
        self._below = min(0, _first(db, "SELECT min(id) FROM chunks")) - 1
        self._waiting: dict[str, list[tuple[object, ...]]] = {table: [] for table in _INSERTS}
        self._count = 0
        self._passages: list[tuple[int, str, str]] = []
        self.may_index = False  # whether all that waits is of one file, and so rolled back with it

    @property
    def passages(self) -> int:
        """The number of passages that wait to be indexed."""
        return len(self._passages)

    def index_passages(self) -> None:
        """Index the text of what was written.

        The full-text index writes itself out at every savepoint; so this is done for many files
        together, and before one whose turns are there already.
        """
        self.db.executemany(
            "INSERT INTO passages_fts (rowid, text, extra) VALUES (?, ?, ?)", self._passages
        )
        self._passages.clear()

    def flush(self) -> None:
        """Write what waits, but for the full-text index."""
        for table, rows in self._waiting.items():
            if rows:
                self.db.executemany(_INSERTS[table], rows)
                rows.clear()
        self._count = 0

    def forget_waiting(self, passages: int) -> None:
        """Drop what waits, since it is rolled back, but for so many of the first passages."""
        del self._passages[passages:]
        for rows in self._waiting.values():
            rows.clear()
        self._count = 0

    def add_call(self, session: int, call: ToolCall) -> None:
        """Put a tool call of a session."""
        self._wait(
            "tool_calls",
            (session, call.number, call.turn, call.call_id, call.name, call.input, call.output,
             call.output_length, call.status),
        )  # fmt: skip

    def add_turn(self, session: int, turn: Turn, *, superseded: bool = False) -> None:
        """Put a turn that is not there."""
        named = entities(turn.text)
        is_echo = echo.is_echo(turn.text)
        key = self._turn
        self._turn += 1
        self._wait(
            "turns",
            (key, session, turn.native, turn.seq, turn.role, turn.kind, turn.text,
             chunks.summary_length(turn.text), "\n".join(named), turn.time, turn.time_quality,
             spans_text(turn.spans), turn.place, turn.raw_sha, text_sha(turn.text), turn.lossy,
             turn.is_sidechain, turn.abandoned, superseded, is_echo),
        )  # fmt: skip
        for name, kind in named.items():
            self._wait("entities", (key, name, kind, session))
        self._index(key, turn, named, is_evidence=_is_evidence(turn) and not is_echo)

    def change_turn(self, session: int, key: int, turn: Turn) -> None:
        """Put a turn in the place of one that is there."""
        self.remove_turns([key])
        self._turn, following = key, self._turn
        self.add_turn(session, turn)
        self._turn = following

    def remove_turns(self, keys: Iterable[int]) -> None:
        """Take turns out, with all that is found by them."""
        self.flush()
        self.index_passages()
        for key in keys:
            self.db.execute(
                "INSERT INTO passages_fts (passages_fts, rowid, text, extra)"
                " SELECT 'delete', passages.id, passages.text, passages.extra"
                " FROM chunks JOIN passages USING (id) WHERE turn = ?",
                (key,),
            )
            for statement in (
                "DELETE FROM chunks WHERE turn = ?",
                "DELETE FROM entities WHERE turn = ?",
                "DELETE FROM turns WHERE key = ?",
            ):
                self.db.execute(statement, (key,))

    def leave(self, keys: Iterable[int], *, only_grew: bool) -> None:
        """Take out turns that are not in their file any more, or mark them if it was rewritten."""
        if only_grew:
            self.remove_turns(keys)
        else:
            self.db.executemany(
                "UPDATE turns SET superseded = 1 WHERE key = ?", ((key,) for key in keys)
            )

    def leave_session(self, session: int, *, only_grew: bool) -> int:
        """Do so with a whole session, and give the number of its turns that were there."""
        rows = self.db.execute(
            "SELECT key FROM turns WHERE session = ? AND NOT superseded", (session,)
        )
        keys = [key for (key,) in rows]
        self.leave(keys, only_grew=only_grew)
        if only_grew:
            self.db.execute("DELETE FROM tool_calls WHERE session = ?", (session,))
            self.remove_if_empty(session)
        return len(keys)

    def remove_if_empty(self, session: int) -> None:
        """Take out a session without a turn or a tool call."""
        held = (
            "SELECT 1 FROM turns WHERE session = ?1"
            " UNION ALL SELECT 1 FROM tool_calls WHERE session = ?1"
        )
        if self.db.execute(held, (session,)).fetchone() is None:
            for table in FACET_TABLES:
                self.db.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608
            self.db.execute("DELETE FROM sessions WHERE key = ?", (session,))

    def _index(self, key: int, turn: Turn, named: Mapping[str, str], *, is_evidence: bool) -> None:
        for start, end in chunks.chunks(turn.text):
            text = turn.text[start:end]
            held = [name for name in named if name in text] if named else ()
            extra = chunks.beside(text, held)
            number = self._above if is_evidence else self._below
            self._wait("chunks", (number, key, start, end, extra))
            self._passages.append((number, text, extra))
            if is_evidence:
                self._above += 1
            else:
                self._below -= 1

    def _wait(self, table: str, row: tuple[object, ...]) -> None:
        self._waiting[table].append(row)
        self._count += 1
        if self._count >= MOST_WAITING:
            self.flush()
            if self.may_index and len(self._passages) >= MOST_WAITING:
                self.index_passages()


class SessionWriter:
    """Writes one session of one file; what was there of it before is changed where it differs."""

    def __init__(
        self, writer: Writer, session: str, path: str, mark: Mark, *, only_grew: bool
    ) -> None:
        self.id = storable(session)[0]
        self._only_grew = only_grew
        self.changes = 0
        self._writer = writer
        self._db = writer.db
        self._path = path
        row = self._db.execute(
            "SELECT key FROM sessions WHERE source_path = ? AND id = ?", (path, self.id)
        ).fetchone()
        self.is_new = row is None
        self._key: int | None = row[0] if row else None
        self._held: dict[str, _Held] = {}
        if self._key is not None:
            self._load(self._key, mark)

    def known(self, native: str) -> bytes | None:
        """Give the hash of the text of a turn that was read for good."""
        held = self._held.get(native)
        if self._key is None or (held and not held.superseded):
            return None
        self._writer.flush()
        row = self._db.execute(
            "SELECT text_sha FROM turns WHERE session = ? AND native = ? AND NOT superseded",
            (self._key, native),
        ).fetchone()
        return row[0] if row else None

    def put(self, item: Turn | ToolCall) -> None:
        """Put a turn or a tool call."""
        key = self._key = self._key if self._key is not None else self._insert()
        if isinstance(item, ToolCall):
            self._writer.add_call(key, item)
            return
        held = self._held.pop(item.native, None)
        if held is None:
            self._writer.add_turn(key, item)
        elif (held.text_sha, held.facts) == (text_sha(item.text), _facts_of(item)):
            return
        elif self._only_grew or self._continues(held, item):
            self._writer.change_turn(key, held.key, item)
        else:
            self._set_aside(key, held, item.native)
            self._writer.add_turn(key, item)
        self.changes += 1

    def _continues(self, held: _Held, turn: Turn) -> bool:
        row = self._db.execute("SELECT text FROM turns WHERE key = ?", (held.key,)).fetchone()
        return turn.text.startswith(row[0])

    def _set_aside(self, session: int, held: _Held, native: str) -> None:
        """Keep a turn under another id, as its own now names what a rewritten file says instead."""
        rows = self._db.execute("SELECT native FROM turns WHERE session = ?", (session,))
        name = old_name(native, {other for (other,) in rows})
        self._db.execute(
            "UPDATE turns SET native = ?, superseded = 1 WHERE key = ?", (name, held.key)
        )
        self._db.execute(
            "UPDATE citations SET turn = ? WHERE turn = ?",
            (f"{self.id}:{name}", f"{self.id}:{native}"),
        )

    def finish(self, draft: Draft) -> None:
        """Write what is known of the session as a whole; one without anything in it is none.

        A turn that is not there any more is gone if the file only grew, as a longer look made
        another one of it; if the file was rewritten it stays, and is marked.
        """
        if self._key is None:
            return
        self._writer.flush()
        left = [held.key for held in self._held.values() if not held.superseded]
        self.changes += len(left)
        self._writer.leave(left, only_grew=self._only_grew)
        self._db.execute(
            "UPDATE sessions SET relation = ?, parent = ?, title = ?, cwd = ?, git_branch = ?,"
            " phase_context = ?, started = ?, ended = ?, time_quality = ?, tags = ?"
            " WHERE key = ?",
            (*_described(draft.facts), self._tags(), self._key),
        )
        for table, statement in FACET_TABLES.items():
            self._db.execute(f"DELETE FROM {table} WHERE session = ?", (self._key,))  # noqa: S608
            facets = draft.facets.get(table, [])
            rows = [(self._key, *(storable(part)[0] for part in row)) for row in facets]
            self._db.executemany(statement, rows)
        self._writer.remove_if_empty(self._key)

    def _insert(self) -> int:
        cursor = self._db.execute(
            "INSERT INTO sessions (id, source_path, relation, parent, title, cwd, git_branch,"
            " phase_context, started, ended, time_quality, tags)"
            " VALUES (?, ?, '', '', '', '', '', '', '', '', '', '')",
            (self.id, self._path),
        )
        return int(cursor.lastrowid or 0)

    def _load(self, key: int, mark: Mark) -> None:
        self._db.execute(
            "DELETE FROM tool_calls WHERE session = ? AND number >= ?", (key, mark.calls)
        )
        rows = self._db.execute(
            "SELECT native, key, text_sha, seq, role, kind, time, time_quality, spans, place,"
            " raw_sha, lossy, is_sidechain, abandoned, superseded FROM turns"
            " WHERE session = ? AND (superseded OR seq >= ?)",
            (key, mark.turns),
        )
        for native, turn, sha, *facts in rows:
            self._held[native] = _Held(turn, sha, tuple(facts))

    def _tags(self) -> str:
        rows = self._db.execute(
            "SELECT name FROM turns JOIN entities ON entities.turn = turns.key"
            " WHERE turns.session = ? AND NOT superseded"
            " GROUP BY name ORDER BY count(*) DESC, name LIMIT ?",
            (self._key, MOST_TAGS),
        )
        return "\n".join(name for (name,) in rows)


def old_name(native: str, taken: Container[str]) -> str:
    """Give a free id for a turn whose own id names another text now.

    >>> old_name("L1", {"L1", "L1~old"})
    'L1~old2'
    """
    name, number = f"{native}~old", 1
    while name in taken:
        number += 1
        name = f"{native}~old{number}"
    return name


def _first(db: sqlite3.Connection, question: str) -> int:
    return int(db.execute(question).fetchone()[0] or 0)


def _is_evidence(turn: Turn) -> bool:
    """Say whether a turn is what somebody said, and not what restates it or was given up."""
    return turn.role in (model.USER, model.ASSISTANT) and not turn.abandoned


def _facts_of(turn: Turn) -> tuple[object, ...]:
    """Give what of a turn that is not superseded may change while its text stays, as stored."""
    return (
        turn.seq, turn.role, turn.kind, turn.time, turn.time_quality, spans_text(turn.spans),
        turn.place, turn.raw_sha, int(turn.lossy), int(turn.is_sidechain), int(turn.abandoned), 0,
    )  # fmt: skip


def _described(facts: Facts) -> tuple[str, ...]:
    told = (
        facts.relation, facts.parent, facts.title, facts.cwd, facts.git_branch,
        facts.phase_context, facts.started, facts.ended, facts.time_quality,
    )  # fmt: skip
    return tuple(storable(text)[0] for text in told)


def mark_text(mark: Mark, about: str) -> str:
    """Give a mark as it is stored, for a file about which this is known; empty if at the start."""
    return json.dumps({**asdict(mark), "about": about}, ensure_ascii=True) if mark.offset else ""


def mark_of(text: str, about: str) -> Mark:
    """Give back a stored mark; the start if something else is known about the file now."""
    held = json.loads(text) if text else {}
    return Mark(**held) if held and held.pop("about") == about else Mark()
