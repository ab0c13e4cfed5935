import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.sessions.projects import AT, Project, begin, claude, command, finished, flat, golden
from total_recall import files
from total_recall.errors import BusyError, RecallError
from total_recall.sessions import condition, index, locators, sources, upkeep, when


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.write("one.jsonl", claude("one"))
    return made


# .gitignore


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, b"recall.db*\nquarantine/\n", id="none"),
        pytest.param(b"", b"recall.db*\nquarantine/\n", id="empty"),
        pytest.param(b"a\nb", b"a\nb\nrecall.db*\nquarantine/\n", id="no final newline"),
        pytest.param(b"a\r\nb\r\n", b"a\r\nb\r\nrecall.db*\r\nquarantine/\r\n", id="CRLF"),
        pytest.param(b"a\r\nb", b"a\r\nb\r\nrecall.db*\r\nquarantine/\r\n", id="CRLF, no newline"),
        pytest.param(
            b"\xff\x00\xe2\x80\xa8 x\n", b"\xff\x00\xe2\x80\xa8 x\nrecall.db*\nquarantine/\n",
            id="unusual bytes",
        ),
        pytest.param(b"/recall.db*\nx\n", b"/recall.db*\nx\nquarantine/\n", id="one is there"),
        pytest.param(b"quarantine/\r\nrecall.db*\r\n", None, id="both are there"),
        pytest.param(b"# recall.db*\n", b"# recall.db*\nrecall.db*\nquarantine/\n", id="comment"),
        pytest.param(
            b"\xe2\x80\xa8recall.db*\n", b"\xe2\x80\xa8recall.db*\nrecall.db*\nquarantine/\n",
            id="another line break",
        ),
    ],
)  # fmt: skip
def test_git_is_told_to_leave_the_index_alone_and_the_rest_stays(
    project: Project, before: bytes | None, after: bytes | None
) -> None:
    path = project.root / ".cocoplus" / ".gitignore"
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o640)
        os.utime(path, (1, 1))

    project.refresh()

    expected = before if after is None else after
    assert path.read_bytes() == expected
    assert path.stat().st_mode & 0o777 == (0o644 if before is None else 0o640)
    assert (path.stat().st_mtime == 1) is (after is None)


def test_git_leaves_all_that_an_import_makes_alone(project: Project) -> None:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=project.root, capture_output=True, text=True)
        return done.stdout

    (project.root / ".cocoplus" / ".gitignore").write_bytes(b"x\r\n")
    git("init", "-q")
    project.refresh()
    project.refresh(rebuild=True)

    status = git("status", "--porcelain", "-uall", ".cocoplus")

    assert status == "?? .cocoplus/.gitignore\n"


# One import at a time


def test_a_second_import_says_who_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "LOCK_SECONDS", 0.05)
    with files.locked(project.index, seconds=1), pytest.raises(BusyError) as raised:
        project.refresh()

    assert raised.value.message == f"{project.index} is in use"
    assert raised.value.hint == f"wait for the process that holds {project.index}.lock"
    assert not project.index.exists()


def test_an_index_that_another_program_holds_is_not_taken_for_a_broken_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.refresh()
    project.write("two.jsonl", claude("two"))
    monkeypatch.setattr(index, "BUSY_SECONDS", 0.05)
    connect = index._connect
    monkeypatch.setattr(index, "_connect", lambda path, mode: connect(path, mode, seconds=0.05))
    with closing(sqlite3.connect(project.index, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")

        with pytest.raises(BusyError) as raised:
            project.refresh()

    assert raised.value.message == f"{project.index} is in use"
    assert not (project.index.parent / "quarantine").exists()


def test_a_rebuild_that_ended_before_its_last_step_is_finished(project: Project) -> None:
    project.refresh()
    whole = project.dump()
    (project.past / "one.jsonl").unlink()
    project.refresh(rebuild=True)
    project.index.rename(project.index.with_name("recall.db.new"))

    project.refresh()

    assert project.dump()["turns"] == whole["turns"]
    assert not project.index.with_name("recall.db.new").exists()


def test_half_a_new_index_is_no_index(project: Project) -> None:
    new = project.index.with_name("recall.db.new")
    new.write_bytes(b"SQLite format 3\x00")
    project.refresh()
    whole = project.dump()

    project.refresh(rebuild=True)

    assert project.dump() == whole
    assert sorted(each.name for each in project.index.parent.iterdir()) == [
        ".gitignore", "quarantine", "recall.db", "recall.db.lock",
    ]  # fmt: skip


# What an import says


def test_an_import_says_what_it_did(project: Project) -> None:
    project.write("flat.json", flat("flat", ["We chose load_orders()"]))
    project.write("notes.md", b"no transcript")
    first = command(project.root, "import")
    project.write("flat.json", flat("flat", ["We chose load_orders()", "and kept it"]))
    project.write("bad.json", b"{")

    second = command(project.root, "import")

    assert first.out.splitlines()[0] == (
        "sessions: 2 new, 0 updated, 0 unchanged, 0 skipped, 0 failed"
    )
    assert second.out.splitlines()[0] == (
        "sessions: 0 new, 1 updated, 1 unchanged, 0 skipped, 1 failed"
    )
    bad = project.past / "bad.json"
    assert second.err.startswith(f"not read: {bad}: not JSON: ")
    assert (second.code, second.err.count("\n")) == (0, 1)


def test_a_source_without_a_session_was_imported_all_the_same(project: Project) -> None:
    (project.root / "empty").mkdir()
    project.list_sources(["empty", {"path": "past", "enabled": False}, "nowhere"])

    project.refresh()

    assert project.rows("SELECT * FROM sources") == [("empty", "2026-06-01T12:00:00.000Z")]


def test_what_would_be_read_is_counted(project: Project) -> None:
    listed = sources.configured(project.root)
    assert upkeep.pending(project.index, listed) == (1, [])
    project.refresh()
    assert upkeep.pending(project.index, listed) == (0, [])
    project.write("two.jsonl", claude("two"))
    os.mkfifo(project.past / "fifo")

    many, failed = upkeep.pending(project.index, listed)

    assert (many, failed) == (2, [])
    project.refresh()
    assert upkeep.pending(project.index, listed) == (1, [])  # the pipe, which is tried again


# status


def test_the_condition_of_an_index(project: Project) -> None:
    project.write("bad.jsonl", claude("bad") + b"{not json}\n{nor this\n")
    project.write("odd.jsonl", claude("odd") + b'{"type": "new", "sessionId": "odd"}\n')
    project.write("worse.json", b"{")
    project.refresh()
    project.write("two.jsonl", claude("two"))
    (project.root / ".cocoplus" / ".last-consolidation").write_text(
        str(int((AT - timedelta(hours=47)).timestamp() * 1000))
    )
    listed = sources.configured(project.root)

    found = condition.of(project.root, project.index, listed, AT + timedelta(minutes=30))

    bad = list(found.bad_fragments)
    assert (found.sessions, found.turns, found.not_indexed) == (3, 18, 2)
    assert [path.rpartition("/")[2] for path, _, _ in bad] == ["bad.jsonl"]
    assert bad[0][2] == len(claude("bad"))
    assert [path.rpartition("/")[2] for path, _ in found.unreadable] == ["worse.json"]
    assert found.unknown_records == {"new": 1}
    assert (found.last_import, found.age_hours) == ("2026-06-01T12:00:00.000Z", 0.5)
    assert (found.amber, found.last_consolidation) == (False, "2026-05-30T13:00:00.000Z")


@pytest.mark.parametrize(
    ("held", "amber"),
    [
        pytest.param(None, True, id="never"),
        pytest.param("soon", True, id="no time"),
        pytest.param("2026-05-30T12:00:00Z", True, id="48 hours ago"),
        pytest.param("2026-05-30T12:00:01Z", False, id="less"),
        pytest.param("2026-06-01T12:00:01Z", True, id="in the future"),
        pytest.param("1780315200000", False, id="milliseconds"),
    ],
)
def test_amber_is_shown_after_two_days(project: Project, held: str | None, amber: bool) -> None:
    if held is not None:
        (project.root / ".cocoplus" / ".last-consolidation").write_text(held + "\n")

    found = condition.of(project.root, project.index, [], AT)

    assert found.amber is amber


def test_an_age_is_never_below_nothing(project: Project) -> None:
    project.refresh()

    found = condition.of(project.root, project.index, [], AT - timedelta(days=1))

    assert found.age_hours == 0


# --since


EAST = timezone(timedelta(hours=5, minutes=45))
TIMES = [
    ("2026-05-01", "2026-04-30T18:15:00.000Z"),
    ("2026-05-01T10:00", "2026-05-01T04:15:00.000Z"),
    ("2026-05-01 10:00:00.5", "2026-05-01T04:15:00.500Z"),
    ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"),
    ("2026-05-01T10:00:00+02:00", "2026-05-01T08:00:00.000Z"),
    ("7d", "2026-05-25T12:00:00.000Z"),
    ("12 h", "2026-06-01T00:00:00.000Z"),
    ("2W", "2026-05-18T12:00:00.000Z"),
    ("1m", "2026-05-02T12:00:00.000Z"),
    ("today", "2026-05-31T18:15:00.000Z"),
    (" Yesterday ", "2026-05-30T18:15:00.000Z"),
]


@pytest.mark.parametrize(("text", "stored"), TIMES)
def test_since_may_be_said_so(text: str, stored: str) -> None:
    assert when.since(text, AT, EAST) == stored


def test_yesterday_is_that_of_the_place() -> None:
    late = datetime(2026, 6, 1, 20, tzinfo=UTC)  # June 2 there

    assert when.since("yesterday", late, EAST) == "2026-05-31T18:15:00.000Z"


ODD = [
    "",
    " ",
    "soon",
    "7",
    "7y",
    "-5",
    "2026-13-01",
    "2026-05-01T99:00",
    "99999m",
    "²d",
    "a-b\x00",
]


@pytest.mark.parametrize("text", ODD)
def test_what_means_no_time_is_said(text: str) -> None:
    with pytest.raises(RecallError) as raised:
        when.since(text, AT, EAST)

    assert raised.value.message == f"{text!r} is no time"
    assert raised.value.hint == "an ISO date or time, 7d, 12h, today or yesterday"


# Where a turn stands


def place_of(project: Project) -> tuple[Path, tuple[str, str, bytes]]:
    path, *rest = project.rows(
        "SELECT source_path, spans, place, raw_sha FROM turns JOIN sessions"
        " ON sessions.key = session WHERE seq = 1 LIMIT 1"
    )[0]
    spans, place, raw = rest
    return Path(path), (spans, place, raw)


def test_a_turn_of_lines_is_verified_by_its_bytes(project: Project) -> None:
    project.refresh()
    path, rest = place_of(project)
    data = path.read_bytes()
    states = [locators.source_state(path, *rest)]
    for changed in (data + b"{}\n", data.replace(b"load_orders", b"LOAD_ORDERS"), data[:300]):
        path.write_bytes(changed)
        states.append(locators.source_state(path, *rest))
    path.unlink()

    states.append(locators.source_state(path, *rest))

    assert states == [
        (True, "verified"), (True, "verified"), (True, "changed"), (True, "changed"),
        (False, "missing"),
    ]  # fmt: skip


def test_a_turn_of_a_document_is_verified_however_that_is_laid_out(tmp_path: Path) -> None:
    project = Project(tmp_path / "other")
    path = project.write("flat.json", flat("flat", ["one", "two"]))
    project.refresh()
    _, rest = place_of(project)
    value = json.loads(path.read_bytes())
    states = []
    path.write_text(json.dumps(value))
    states.append(locators.source_state(path, *rest))
    value["turns"][1]["text"] = "three"
    path.write_text(json.dumps(value))
    states.append(locators.source_state(path, *rest))
    for broken in (b"{", b"[1]", b'{"turns": 5}', b'{"turns": []}'):
        path.write_bytes(broken)
        states.append(locators.source_state(path, *rest))

    assert states == [(True, "verified"), *[(True, "changed")] * 5]


@pytest.mark.parametrize("spans", ["5", "a-b", "9-5", "0-99999999999999999999", "5-6-7", "-1-5"])
def test_a_damaged_place_verifies_nothing(project: Project, spans: str) -> None:
    project.refresh()
    path, (_, place, raw) = place_of(project)

    exists, state = locators.source_state(path, spans, place, raw)

    assert (exists, state in ("changed", "unchecked")) == (True, True)


def test_a_place_that_may_not_be_read_is_not_checked(project: Project) -> None:
    project.refresh()
    path, rest = place_of(project)
    path.unlink()
    os.mkfifo(path)

    assert locators.source_state(path, *rest) == (True, "unchecked")


# Several processes


SLOW = """from total_recall.sessions import importer
commit = importer.Importer._commit
def wait(self):
    print("ready", flush=True)
    input()
    commit(self)
importer.Importer._commit = wait
"""


def test_a_search_answers_while_an_import_goes_on(project: Project) -> None:
    assert command(project.root, "import").code == 0
    project.write("two.jsonl", claude("two"))
    importing = begin(project.root, "import", before=SLOW)
    assert importing.stdout is not None
    assert importing.stdout.readline() == "ready\n"

    searched = command(project.root, "search", "load_orders_0")

    imported = finished(importing, "go\n")
    remark = "the citations could not be noted: the index is in use or cannot be written\n"
    assert (searched.code, searched.err) == (0, remark)
    assert "session_id: one" in searched.out
    assert "session_id: two" not in searched.out
    assert (imported.code, imported.out.partition(",")[0]) == (0, "sessions: 1 new")
    assert [name for name, _, _ in project.turns()] == ["one"] * 6 + ["two"] * 6


@pytest.mark.parametrize("signal", [signal.SIGINT, signal.SIGTERM])
def test_an_import_that_is_ended_by_a_signal_leaves_whole_sessions(
    project: Project, tmp_path: Path, signal: signal.Signals
) -> None:
    for number in range(30):
        project.write(f"s{number:02}.jsonl", claude(f"s{number:02}", rounds=30))
    groups = "from total_recall.sessions import importer\nimporter.GROUP_CHANGES = 100"
    importing = begin(project.root, "import", before=groups)
    while not project.index.exists() or project.index.stat().st_size < 200_000:
        assert importing.poll() is None
    importing.send_signal(signal)

    ended = finished(importing)

    held = project.rows("SELECT count(*) FROM turns GROUP BY session")
    assert ended.code != 0
    assert {many for (many,) in held} <= {90, 6}
    project.refresh()
    assert project.dump() == golden(project, tmp_path / "golden")
