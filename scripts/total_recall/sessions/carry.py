"""What only an old index holds: turns whose source is gone, and citations, into a new one."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from total_recall.errors import RecallError
from total_recall.sessions import index, locators
from total_recall.sessions.locators import spans_of
from total_recall.sessions.model import ToolCall, Turn
from total_recall.sessions.stored import text_sha
from total_recall.sessions.writing import FACET_TABLES, Writer, old_name

_SESSION = (
    "id, source_path, relation, parent, title, cwd, git_branch, phase_context, started, ended,"
    " time_quality, tags"
)
_TURN = (
    "native, role, kind, text, time, time_quality, spans, place, seq, lossy, is_sidechain,"
    " abandoned, superseded, raw_sha, text_sha"
)
_TURN_KINDS = (*[str] * 8, *[int] * 5, bytes, bytes)
_CALL = "call_id, number, turn, name, input, output, output_length, status"
_CALL_KINDS = (str, int, int, str, str, str, int, str)
_CITATION = "query, session, turn, source_exists, cited"
_CITATION_KINDS = (str, str, str, int, str)

Row = tuple[Any, ...]


@dataclass
class Carried:
    """How much was carried over, and what could not be; "" if everything could."""

    sessions: int = 0
    citations: int = 0
    lost: str = ""


def over(old: Path, new: sqlite3.Connection) -> Carried:
    """Carry over what the sources no longer give; a part that cannot be read is left behind."""
    carried = Carried()
    if index.state(old) == index.NONE:
        return carried
    new.execute("BEGIN IMMEDIATE")
    try:
        with index.asking(old) as db:
            _Carrier(_Old(old, db, carried), new, carried).carry()
    except index.UnaskableError as error:
        carried.lost = error.message
    new.execute("COMMIT")
    return carried


class _Old:
    """The old index, of which parts may be broken."""

    def __init__(self, path: Path, db: sqlite3.Connection, carried: Carried) -> None:
        self._path = path
        self._db = db
        self._carried = carried

    def rows(self, question: str, kinds: Sequence[type], *values: Any) -> list[Row]:
        """Give the rows, up to where they cannot be read, that are of these kinds."""
        found: list[Row] = []
        try:
            with index.in_our_words(self._path):
                # One by one, so that those before a broken page are kept.
                found.extend(tuple(row) for row in self._db.execute(question, values))
        except RecallError as error:
            self._carried.lost = error.message
        whole = [row for row in found if tuple(map(type, row)) == tuple(kinds)]
        if len(whole) < len(found):
            self._carried.lost = f"{self._path} is damaged"
        return whole


class _Carrier:
    """Carries sessions and citations from the old index into the new one."""

    def __init__(self, old: _Old, new: sqlite3.Connection, carried: Carried) -> None:
        self._old = old
        self._new = new
        self._carried = carried
        self._writer = Writer(new)

    def carry(self) -> None:
        """Carry over everything that is only in the old one."""
        question = f"SELECT {_CITATION} FROM citations ORDER BY id"  # noqa: S608
        citations = self._old.rows(question, _CITATION_KINDS)
        self._new.executemany(
            f"INSERT INTO citations ({_CITATION}) VALUES (?, ?, ?, ?, ?)",  # noqa: S608
            citations,
        )
        self._carried.citations = len(citations)
        question = f"SELECT key, {_SESSION} FROM sessions ORDER BY key"  # noqa: S608
        for key, *facts in self._old.rows(question, (int, *[str] * 12)):
            self._session(key, facts)
        self._writer.flush()
        self._writer.index_passages()

    def _session(self, key: int, facts: Sequence[str]) -> None:
        """Carry over one session: whole if its source is gone, else the turns that are."""
        name, path = facts[:2]
        is_gone = not Path(path).exists()
        question = f"SELECT {_TURN} FROM turns WHERE session = ? ORDER BY seq"  # noqa: S608
        turns = [row for row in self._old.rows(question, _TURN_KINDS, key) if self._is_true(row)]
        if not is_gone:
            turns = [row for row in turns if not _stands(Path(path), row)]
        calls = self._calls(key) if is_gone else []
        if not turns and not calls:
            return
        row = self._new.execute(
            "SELECT key FROM sessions WHERE id = ? AND source_path = ?", (name, path)
        ).fetchone()
        session = row[0] if row else self._insert(key, facts)
        natives = self._new.execute(
            "SELECT native, text_sha FROM turns WHERE session = ?", (session,)
        )
        there: dict[str, bytes] = dict(natives.fetchall())
        for turn in turns:
            self._turn(session, name, turn, there, is_gone=is_gone)
        if row is None:
            for call in calls:
                self._writer.add_call(session, call)

    def _is_true(self, row: Row) -> bool:
        """Say whether a text is what was said; what no longer matches its own hash is not."""
        is_true: bool = text_sha(row[3]) == row[-1]
        if not is_true:
            self._carried.lost = f"turn {row[0]} and perhaps others, as they are damaged"
        return is_true

    def _calls(self, key: int) -> list[ToolCall]:
        question = f"SELECT {_CALL} FROM tool_calls WHERE session = ?"  # noqa: S608
        return [ToolCall(*row) for row in self._old.rows(question, _CALL_KINDS, key)]

    def _insert(self, key: int, facts: Sequence[str]) -> int:
        marks = ", ".join("?" * len(facts))
        cursor = self._new.execute(f"INSERT INTO sessions ({_SESSION}) VALUES ({marks})", facts)  # noqa: S608
        session = int(cursor.lastrowid or 0)
        self._carried.sessions += 1
        files = self._old.rows(
            "SELECT path, source, format FROM files WHERE path = ?", [str] * 3, facts[1]
        )
        self._new.executemany(
            "INSERT OR IGNORE INTO files VALUES (?, ?, ?, '', 0, '', '', 0, '[]', '{}', '')", files
        )
        for table, statement in FACET_TABLES.items():
            width = statement.count("?")
            question = f"SELECT * FROM {table} WHERE session = ?"  # noqa: S608
            rows = self._old.rows(question, (int, *[str] * (width - 1)), key)
            self._new.executemany(statement, ((session, *facet) for _, *facet in rows))
        return session

    def _turn(
        self, session: int, name: str, row: Row, there: dict[str, bytes], *, is_gone: bool
    ) -> None:
        native, role, kind, text, time, quality, spans, place, seq, *marks = row
        lossy, is_sidechain, abandoned, superseded, raw_sha, sha = marks
        if there.get(native) == sha:
            return
        if native in there:
            native, before = old_name(native, there), native
            if there.get(native) == sha:
                return
            self._new.execute(
                "UPDATE citations SET turn = ? WHERE turn = ?",
                (f"{name}:{native}", f"{name}:{before}"),
            )
        there[native] = sha
        turn = Turn(
            native, seq, role, kind, text, bool(lossy), time, quality, _spans(spans), place,
            raw_sha, bool(is_sidechain), bool(abandoned),
        )  # fmt: skip
        self._writer.add_turn(session, turn, superseded=bool(superseded) or not is_gone)


def _stands(path: Path, row: Row) -> bool:
    """Say whether a turn still stands in its source, which then gives it, or no longer means to."""
    spans, place, raw_sha = row[6], row[7], row[-2]
    return locators.source_state(path, spans, place, raw_sha)[1] == locators.VERIFIED


def _spans(text: str) -> tuple[tuple[int, int], ...]:
    try:
        return tuple(spans_of(text))
    except ValueError:  # a damaged place; the text itself is whole
        return ()
