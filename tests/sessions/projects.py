"""Projects whose transcripts are written byte by byte, and what their index holds by name."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from tests.conftest import BIN, REPOSITORY, Ran
from total_recall.sessions import sources, upkeep
from total_recall.sessions.importer import Counts

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
ZONE = timezone(timedelta(hours=2))
COLUMNS = {
    "files": "path, source, format, size, mark, bad, faults, unknown, error",
    "sessions": "id, source_path, relation, parent, title, cwd, git_branch, phase_context,"
    " started, ended, time_quality, tags",
    "turns": "native, seq, role, kind, tags, time, time_quality, spans, place, raw_sha, text_sha,"
    " lossy, is_sidechain, abandoned, superseded, echo, text, summary",
    "tool_calls": "number, turn, call_id, name, input, output, output_length, status",
    "function_touches": "function",
    "evaluation_results": "metric, value",
    "outcome_contracts": "function, type, status",
    "strategy_usage": "strategy",
    "key_decisions": "decision",
    "entities": "name, type",
    "chunks": "id > 0, start, end, extra",
}
OF_SESSIONS = (
    *("turns", "tool_calls", "function_touches", "evaluation_results", "outcome_contracts"),
    *("strategy_usage", "key_decisions"),
)
OF_TURNS = ("entities", "chunks")
Dump = dict[str, list[tuple[Any, ...]]]


class Project:
    """A project with one folder of transcripts, `past`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.past = root / "past"
        self.index = root / ".cocoplus" / "recall.db"
        self.past.mkdir(parents=True, exist_ok=True)
        (root / ".cocoplus").mkdir(exist_ok=True)
        self.list_sources(["past"])
        self._second = 0

    def list_sources(self, listed: Any) -> None:
        """Write the list of sources."""
        (self.root / "cocoplus").mkdir(exist_ok=True)
        text = listed if isinstance(listed, str) else json.dumps(listed)
        (self.root / sources.FILE).write_text(text)

    def write(self, name: str, data: bytes) -> Path:
        """Write a transcript, a second later than the one before."""
        path = self.past / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self._second += 1
        stamp = AT.timestamp() - 86_400 + self._second
        os.utime(path, (stamp, stamp))
        return path

    def refresh(
        self,
        *,
        since: str = "",
        rebuild: bool = False,
        progress: upkeep.Progress = lambda _: lambda _: None,
        at: datetime = AT,
    ) -> tuple[Counts, str]:
        """Import as the command does."""
        return upkeep.refresh(
            self.root, sources.configured(self.root), since=since, rebuild=rebuild, zone=ZONE,
            at=at, progress=progress,
        )  # fmt: skip

    def rows(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        """Ask the index."""
        with closing(sqlite3.connect(self.index)) as db:
            return db.execute(question, values).fetchall()

    def change(self, statement: str, *values: Any) -> None:
        """Change the index behind our back."""
        with closing(sqlite3.connect(self.index)) as db, db:
            db.execute(statement, values)

    def dump(self) -> Dump:
        """Give the named columns of every table, in an order of their own, and check the index."""
        with closing(sqlite3.connect(self.index)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            db.execute(
                "INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)"
            )
            db.rollback()
            found = {name: self._table(db, name) for name in COLUMNS}
            assert (
                len(found["chunks"])
                == db.execute("SELECT count(*) FROM passages_fts_docsize").fetchone()[0]
            )
        return found

    def _table(self, db: sqlite3.Connection, name: str) -> list[tuple[Any, ...]]:
        columns, joined, first = COLUMNS[name], "", ""
        if name in OF_TURNS:
            joined += f" JOIN turns ON turns.key = {name}.turn JOIN sessions"
            joined += " ON sessions.key = turns.session"
            first = "source_path, sessions.id, native, "
            columns = columns.replace("id > 0", "chunks.id > 0")
        elif name in OF_SESSIONS:
            joined = f" JOIN sessions ON sessions.key = {name}.session"
            first = "source_path, sessions.id, "
            named = columns.replace(" time_quality", " turns.time_quality")
            columns = named.replace(" tags", " turns.tags") if name == "turns" else columns
        whole = db.execute(f"SELECT {first}{columns} FROM {name}{joined}").fetchall()
        assert len(whole) == db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        return sorted(tuple(self._relative(value) for value in row) for row in whole)

    def _relative(self, value: Any) -> Any:
        return value.replace(str(self.root), "ROOT") if isinstance(value, str) else value

    def turns(self) -> list[tuple[str, str, int]]:
        """Give each turn's session, text and whether it is superseded."""
        return self.rows(
            "SELECT id, text, superseded FROM turns JOIN sessions ON sessions.key = session"
            " ORDER BY id, source_path, seq, native"
        )


def golden(project: Project, folder: Path) -> Dump:
    """Give what one whole import of a project's transcripts as they are now gives."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(project.past, folder / "past")
    other = Project(folder)
    other.refresh()
    return other.dump()


def lines(values: Iterable[Any]) -> bytes:
    """Give JSON Lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def told(number: int) -> str:
    """Give a time, a minute later each."""
    return (datetime(2026, 5, 1, 9, tzinfo=UTC) + timedelta(minutes=number)).isoformat()


def prompt(session: str, number: int, said: str, **more: Any) -> dict[str, Any]:
    """Give a record of Claude Code in which a person says something."""
    return {
        "type": "user", "sessionId": session, "uuid": f"{session}-u{number}",
        "parentUuid": f"{session}-u{number - 1}", "timestamp": told(number), "cwd": "/work/shop",
        "message": {"role": "user", "content": said}, **more,
    }  # fmt: skip


def reply(session: str, number: int, message: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    """Give a record of Claude Code in which the agent says or does something."""
    content = [{"type": "text", "text": each} if isinstance(each, str) else each for each in blocks]
    return {
        "type": "assistant", "sessionId": session, "uuid": f"{session}-u{number}",
        "parentUuid": f"{session}-u{number - 1}", "timestamp": told(number),
        "message": {"id": f"{session}-{message}", "role": "assistant", "content": content}, **more,
    }  # fmt: skip


def use(call: str, name: str, **given: Any) -> dict[str, Any]:
    """Give a block that uses a tool."""
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def result(call: str, said: str) -> list[dict[str, Any]]:
    """Give the content of a record that answers a tool."""
    return [{"type": "tool_result", "tool_use_id": call, "content": said}]


def claude(session: str, rounds: int = 2) -> bytes:
    """Give a session of Claude Code: in each round a question, a tool and an answer in parts."""
    records: list[Any] = [{"type": "summary", "summary": f"About {session}", "leafUuid": "x"}]
    at = 0
    for each in range(rounds):
        call = f"call-{each}"
        records += [
            prompt(session, at, f"{session}: how does refresh_token_{each} expire?"),
            reply(session, at + 1, f"m{each}", {"type": "thinking", "thinking": "…"}),
            reply(session, at + 2, f"m{each}", f"I look at load_orders_{each}() in {session}."),
            reply(session, at + 3, f"m{each}", use(call, "Read", path=f"src/part{each}.py")),
            prompt(session, at + 4, "", message={"role": "user", "content": result(call, "def")}),
            reply(session, at + 5, f"n{each}", "It expires after 30 days. \u2028 Ünïcode."),
            reply(session, at + 6, f"n{each}", "And it is rotated."),
        ]
        at += 7
    records.append({"type": "custom-title", "sessionId": session, "customTitle": f"T {session}"})
    return lines(records)


def cortex_rows(rounds: int = 3) -> list[dict[str, Any]]:
    """Give messages of Cortex Code."""
    rows: list[dict[str, Any]] = []
    for each in range(rounds):
        call = f"toolu_{each}"
        sent = f"2026-05-01T09:{each:02d}:00Z"
        rows += [
            {"role": "user", "id": f"u{each}", "user_sent_time": sent,
             "content": [{"type": "text", "text": f"Why is ORDERS_{each} slow?"}]},
            {"role": "assistant", "id": f"a{each}", "content": [
                {"type": "text", "text": f"Because of a join in step {each}."},
                {"type": "tool_use", "tool_use": {"tool_use_id": call,
                 "name": "snowflake_sql_execute", "input": {"sql": "SELECT 1"}}}]},
            {"role": "user", "user_sent_time": sent, "content": [
                {"type": "tool_result", "tool_result": {"tool_use_id": call, "status": "success",
                 "content": [{"type": "text", "text": "1 row(s) returned"}]}}]},
        ]  # fmt: skip
    return rows


def sidecar(session: str, rows: int, **more: Any) -> bytes:
    """Give the file beside a history of Cortex Code."""
    about = {
        "session_id": session, "title": "Slow orders", "working_directory": "/work/shop",
        "created_at": "2026-05-01T08:59:00Z", "last_updated": f"2026-05-01T09:{rows:02d}:30Z",
        "history_length": rows,
    }  # fmt: skip
    return json.dumps({**about, **more}).encode()


def flat(session: str, said: list[str], **more: Any) -> bytes:
    """Give a flat session of CocoPlus, as one document."""
    turns = [
        {"id": f"t{number}", "role": ("user", "assistant")[number % 2], "text": text,
         "timestamp": told(number)}
        for number, text in enumerate(said)
    ]  # fmt: skip
    facets = {
        "functions_touched": ["load_orders"], "key_decisions": ["keep the join"],
        "outcome_contracts": [{"function": "load_orders", "type": "latency", "status": "met"}],
        "evaluation_results": [{"metric": "p95", "value": 3}], "strategy_ids": ["s-1"],
    }  # fmt: skip
    whole = {"session_id": session, "start_time": told(0), "turns": turns, **facets, **more}
    return json.dumps(whole, indent=1).encode()


def environment(**more: str) -> dict[str, str]:
    """Give the environment of a command."""
    return {
        "HOME": os.environ["HOME"], "PATH": f"{BIN}:/usr/bin:/bin", "LANG": "C.UTF-8",
        "PYTHONPATH": str(REPOSITORY / "tests" / "guards"), "PYTHONDONTWRITEBYTECODE": "1", **more,
    }  # fmt: skip


def begin(
    folder: Path, *words: str, before: str = "", more: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Begin a command in a process of its own; `before` is Python that it runs first."""
    script = f"{before}\nfrom total_recall.sessions.cli import main\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", script, *words], cwd=folder, env=environment(**(more or {})),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", errors="replace",
    )  # fmt: skip


def finished(process: "subprocess.Popen[str]", given: str = "") -> Ran:
    """Wait for a command that is given this on its standard input, and give what it did."""
    out, err = process.communicate(given)
    return Ran(process.returncode, out, err)


def command(folder: Path, *words: str, before: str = "", **more: str) -> Ran:
    """Run a command `cocorecall` in a process of its own."""
    return finished(begin(folder, *words, before=before, more=more))


Make = Callable[[], Project]
