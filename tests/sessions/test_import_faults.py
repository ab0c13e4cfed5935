import errno
import json
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, snapshot
from tests.sessions.projects import (
    Dump,
    Project,
    begin,
    claude,
    command,
    cortex_rows,
    finished,
    flat,
    golden,
    lines,
    prompt,
    reply,
    sidecar,
)
from total_recall.errors import RecallError
from total_recall.sessions import importer, index

SMALL_GROUPS = "from total_recall.sessions import importer\nimporter.GROUP_CHANGES = 40\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a project with some sessions of each format."""
    made = Project(tmp_path / "project")
    for number in range(4):
        made.write(f"s{number}.jsonl", claude(f"s{number}", rounds=number + 1))
    made.write("flat.json", flat("flat", ["We chose load_orders()", "and kept ORDERS"]))
    made.write("ab.history.jsonl", lines(cortex_rows()))
    made.write("ab.json", sidecar("ab", 3))
    return made


def sizes(project: Project) -> dict[str, int]:
    """Give how many turns each session has that is in the index."""
    rows = project.rows(
        "SELECT id, count(*) FROM turns JOIN sessions ON sessions.key = session GROUP BY id"
    )
    return dict(rows)


# Killed at a random moment


@pytest.mark.fault
def test_whenever_an_import_is_killed_the_next_one_finishes_it(
    tmp_path: Path, run: Callable[..., Ran]
) -> None:
    project = Project(tmp_path / "project")
    for number in range(24):
        project.write(f"s{number:02}.jsonl", claude(f"s{number:02}", rounds=14))
    whole = golden(project, tmp_path / "golden")
    moments = random.Random(11)
    seen = set()
    for _ in range(25):
        project.index.unlink(missing_ok=True)
        process = begin(project.root, "import", before=SMALL_GROUPS)
        while not project.index.exists() and process.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.2))
        process.kill()
        finished(process)

        if index.state(project.index) == index.CURRENT:
            searched = run(project.root, "search", "expire")
            assert (searched.code, searched.err) == (0, "")
            assert set(sizes(project).values()) <= {42}
            seen.add(len(sizes(project)))
        project.refresh()

        assert project.dump() == whole
        assert not (project.index.parent / "quarantine").exists()
    assert len(seen) > 3


# Ended at every point


class Ended(BaseException):
    """The process ends here, and nothing after it happens."""


@contextmanager
def ended_at(nth: int, seen: list[int]) -> Iterator[None]:
    """End at the nth statement, commit, or change of a folder."""
    calls = 0
    connect, replace, rename, unlink = index._connect, Path.replace, os.rename, Path.unlink

    def step() -> None:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise Ended

    class Connection(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            step()
            return super().execute(*given)

        def executemany(self, *given: Any) -> sqlite3.Cursor:
            step()
            return super().executemany(*given)

        def executescript(self, *given: Any) -> sqlite3.Cursor:
            step()
            return super().executescript(*given)

    def connected(path: Path, mode: str, seconds: float = 10.0) -> sqlite3.Connection:
        with pytest.MonkeyPatch.context() as patch:
            plain = sqlite3.connect
            patch.setattr(sqlite3, "connect", lambda *a, **k: plain(*a, **k, factory=Connection))
            return connect(path, mode, seconds)

    def stepped(call: Callable[..., Any]) -> Callable[..., Any]:
        def act(*given: Any, **named: Any) -> Any:
            step()
            return call(*given, **named)

        return act

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "_connect", connected)
        patch.setattr(Path, "replace", stepped(replace))
        patch.setattr(Path, "unlink", stepped(unlink))
        patch.setattr(os, "rename", stepped(rename))
        try:
            yield
        finally:
            seen.append(calls)


def held(project: Project) -> Dump:
    return {name: rows for name, rows in project.dump().items() if name != "files"}


@pytest.mark.fault
@pytest.mark.parametrize("rebuild", [False, True], ids=["import", "rebuild"])
def test_wherever_an_import_ends_the_next_one_finishes_it(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rebuild: bool
) -> None:
    monkeypatch.setattr(importer, "GROUP_CHANGES", 5)
    for name in ("s0.jsonl", "s3.jsonl", "flat.json"):
        (project.past / name).unlink()
    gone = project.write("gone.jsonl", claude("gone"))
    project.write("s1.jsonl", claude("s1", rounds=4))
    project.refresh()
    gone.unlink()
    project.write("s1.jsonl", claude("s1", rounds=1))  # it shrank
    project.write("s2.jsonl", claude("s2", rounds=4))  # it grew
    project.write("new.jsonl", claude("new"))
    before = tmp_path / "before"
    shutil.copytree(project.index.parent, before)
    project.refresh(rebuild=rebuild)
    whole, turns = held(project), sizes(project)
    older = {"s1": (12, 12), "s2": (9, 12), "new": (6,), "gone": (6,)}
    seen: list[int] = []
    nth = 0
    while not seen or seen[-1] >= nth:
        nth += 1
        shutil.rmtree(project.index.parent)
        shutil.copytree(before, project.index.parent)
        try:
            with ended_at(nth, seen):
                project.refresh(rebuild=rebuild)
        except Ended:
            pass

        if project.index.exists():
            found = sizes(project)
            assert all(found[name] in older.get(name, (turns[name],)) for name in found), nth
        project.refresh()
        assert held(project) == whole, nth
    assert nth > 30, "too few points"


# The disk is full


@pytest.mark.fault
def test_on_a_full_disk_the_old_index_answers_and_a_later_import_works(
    tmp_path: Path, run: Callable[..., Ran]
) -> None:
    project = Project(tmp_path / "project")
    project.write("a.jsonl", claude("a", rounds=3))
    project.refresh()
    for number in range(10):
        project.write(f"s{number:02}.jsonl", claude(f"s{number:02}", rounds=8))
    whole = golden(project, tmp_path / "golden")
    before = tmp_path / "before"
    shutil.copytree(project.index.parent, before)
    old = project.index.stat().st_size
    command(project.root, "import")
    need = project.index.stat().st_size
    failed = 0
    for limit in range(0, need + 20_000, (need + 20_000) // 20):
        shutil.rmtree(project.index.parent)
        shutil.copytree(before, project.index.parent)
        bound = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"

        ran = command(project.root, "import", before=bound + SMALL_GROUPS)

        if ran.code:
            failed += 1
            assert (ran.code, ran.out) == (1, "")
            assert ran.err.startswith(f"cocorecall: {project.index.parent}")
            assert ran.err.count("\n") == 1
        searched = run(project.root, "search", "load_orders_0", "--session", "a")
        assert (searched.code, "session_id: a" in searched.out) == (0, True)
        project.refresh()
        assert project.dump() == whole, limit
    assert 0 < failed < 21
    assert old < need


@pytest.mark.fault
def test_on_a_full_disk_a_rebuild_leaves_the_old_index(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    for number in range(6):
        project.write(f"s{number}.jsonl", claude(f"s{number}", rounds=12))
    project.refresh()
    (project.past / "s0.jsonl").unlink()
    whole = held(project)
    need = project.index.stat().st_size
    for limit in range(4096, need, need // 8):
        bound = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"

        ran = command(project.root, "import", "--rebuild", before=bound)

        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert held(project) == whole
        assert not (project.index.parent / "quarantine").exists()
    assert command(project.root, "import", "--rebuild").code == 0
    assert held(project) == whole


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_in_one_line(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)

    with pytest.raises(RecallError) as raised:
        project.refresh()

    assert raised.value.message == f"{project.index}: {os.strerror(number).lower()}"


# Many at once


@pytest.mark.fault
@pytest.mark.parametrize("existing", [False, True], ids=["a new index", "an old index"])
def test_three_imports_and_eight_searches_at_once(tmp_path: Path, existing: bool) -> None:
    project = Project(tmp_path / "project")
    project.write("first.jsonl", claude("first"))
    if existing:
        project.refresh()
    for number in range(20):
        project.write(f"s{number:02}.jsonl", claude(f"s{number:02}", rounds=12))
    whole = golden(project, tmp_path / "golden")
    counted = (
        "import json, sys\n"
        "from total_recall.sessions import cli\n"
        "for _ in range(6):\n"
        "    try:\n"
        "        cli.main(['search', 'load_orders', '--json', '--all', '--budget', '0'])\n"
        "    except SystemExit as left:\n"
        "        print('code', left.code)\n"
        "sys.exit(0)\n"
    )
    imports = [begin(project.root, "import", before=SMALL_GROUPS) for _ in range(3)]
    searches = [begin(project.root, before=counted) for _ in range(8)]

    imported = [finished(each) for each in imports]
    searched = [finished(each) for each in searches]

    assert [(ran.code, ran.err) for ran in imported] == [(0, "")] * 3
    for ran in searched:
        assert "Traceback" not in ran.err
        for part in ran.out.split("code "):
            text = part.partition("{")[2]
            if text:
                answer = json.loads("{" + text)
                assert "error" not in answer or answer["error"]["code"] == "not_found"
                told: dict[str, int] = {}
                for hit in answer.get("hits", []):
                    name = hit["session_id"]
                    told[name] = told.get(name, 0) + 1
                assert {many for name, many in told.items() if name != "first"} <= {12}
    assert project.dump() == whole


# Files that nobody foresaw


HOSTILE = [
    pytest.param(lines([{"type": "user", "sessionId": 5, "uuid": [], "message": 7}]), id="types"),
    pytest.param(
        lines([prompt("x", 0, "a", uuid="\ud800"), prompt("x", 1, "b", uuid="\ud801")]),
        id="ids that are stored alike",
    ),
    pytest.param(
        lines([prompt("x", 0, "a", cwd="\ud800", gitBranch="\ud800\x00")]), id="surrogates"
    ),
    pytest.param(lines([reply("x", 0, "m", {"type": ["list"]}, {"type": None})]), id="blocks"),
    pytest.param(b'{"type":"user","sessionId":"x","timestamp":' + b"9" * 400 + b"}\n", id="int"),
    pytest.param(b'{"session_id": "x", "turns": [' + b"[" * 900 + b"]" * 900 + b"]}", id="deep"),
    pytest.param(
        b'{"session_id":"x","turns":[{"role":"user","text":"a"}],"end_time":1e999}', id="∞"
    ),
    pytest.param(bytes(range(256)) * 40, id="bytes"),
    pytest.param(b'{"history": [1, null, {"role": {}}], "session_id": {}}', id="history"),
]


@pytest.mark.parametrize("data", HOSTILE)
def test_no_file_stops_an_import(project: Project, data: bytes) -> None:
    for name in ("a.jsonl", "a.json", "z.history.jsonl"):
        project.write(name, data)

    counts, _ = project.refresh()

    assert sizes(project).items() >= {"s0": 3, "s3": 12, "flat": 2, "ab": 6}.items()
    assert {path.name for path, _ in counts.failed} <= {"a.jsonl", "a.json", "z.history.jsonl"}
    project.dump()


@pytest.mark.fault
def test_no_spliced_file_stops_an_import_or_differs_by_steps(tmp_path: Path) -> None:
    chance = random.Random(3)
    parts = [claude("s", rounds=3), lines(cortex_rows()), flat("s", ["one", "two"])]
    for number in range(60):
        data = bytearray(chance.choice(parts))
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data))
            data[at : at + chance.randrange(30)] = chance.choice(
                (b"\n", b"\x00" * 9, b"\xff", b'{"', b"}", data[at : at + 200], b"[[[[", b"")
            )
        project = Project(tmp_path / f"p{number}")
        name = chance.choice(("s.jsonl", "s.json", "s.history.jsonl"))
        project.write("kept.jsonl", claude("kept"))
        for end in (chance.randrange(len(data)), len(data)):
            project.write(name, bytes(data[:end]))
            counts, _ = project.refresh()
            assert len(counts.failed) <= 1
        assert sizes(project)["kept"] == 6
        found, whole = project.dump(), golden(project, tmp_path / "golden")
        assert found == whole, (number, name)
        shutil.rmtree(project.root)


def test_a_reader_that_stumbles_costs_one_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from total_recall.sessions.formats.claude import ClaudeReader

    take = ClaudeReader.take

    def stumble(self: ClaudeReader, record: Any) -> None:
        if record.value.get("uuid") == "s1-u5":
            raise KeyError("nobody foresaw this")
        take(self, record)

    monkeypatch.setattr(ClaudeReader, "take", stumble)

    counts, _ = project.refresh()

    assert sizes(project) == {"s0": 3, "s2": 9, "s3": 12, "flat": 2, "ab": 6}
    assert counts.failed == [
        (project.past / "s1.jsonl", "unforeseen: KeyError: 'nobody foresaw this'")
    ]
    monkeypatch.undo()
    mended, _ = project.refresh()
    assert (mended.new, mended.failed, sizes(project)["s1"]) == (1, [], 6)


def test_a_source_stays_as_it_is_whatever_fails(project: Project) -> None:
    project.write("bad.json", b"{")
    before = snapshot(project.past)
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"

    ran = command(project.root, "import", before=limit)

    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert snapshot(project.past) == before
