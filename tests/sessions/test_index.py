import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from tests.sessions.projects import (
    AT,
    COLUMNS,
    Dump,
    Project,
    claude,
    command,
    flat,
    golden,
    lines,
    prompt,
)
from total_recall.errors import NotFoundError, RecallError, RefusedError
from total_recall.sessions import citations, index


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.write("one.jsonl", claude("one", rounds=3))
    made.write("flat.json", flat("flat", ["We chose load_orders()", "and kept ORDERS"]))
    return made


def quarantined(project: Project) -> list[list[str]]:
    folder = project.index.parent / "quarantine"
    places = sorted(folder.iterdir()) if folder.exists() else []
    return [sorted(each.name for each in place.iterdir()) for place in places]


# What stands in its place


def test_a_new_index_is_of_our_kind(project: Project) -> None:
    project.refresh()

    assert index.state(project.index) == index.CURRENT
    assert project.rows("PRAGMA application_id") == [(index.APPLICATION_ID,)]
    assert project.rows("PRAGMA user_version") == [(index.VERSION,)]
    assert project.rows("PRAGMA journal_mode") == [("delete",)]


def foreign(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in ("CREATE TABLE sessions (theirs)", *statements):
            db.execute(statement)


def half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def zero_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[3 * 4096 : 4 * 4096] = bytes(4096)
    path.write_bytes(data)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "theirs").touch()


def older(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {index.VERSION - 1}")


def without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE files")


def anew(make: Callable[[Path], Any]) -> Callable[[Path], None]:
    def act(path: Path) -> None:
        path.unlink()
        make(path)

    return act


DAMAGES = [
    pytest.param(anew(Path.touch), index.NONE, id="0 bytes"),
    pytest.param(anew(lambda path: path.write_text("notes\n" * 99)), index.FOREIGN, id="a text"),
    pytest.param(folder, index.FOREIGN, id="a folder"),
    pytest.param(anew(foreign), index.FOREIGN, id="another program's"),
    pytest.param(
        anew(lambda path: foreign(path, "PRAGMA application_id = 5")), index.FOREIGN, id="marked"
    ),
    pytest.param(lambda path: os.truncate(path, 60), index.FOREIGN, id="60 bytes"),
    pytest.param(half, index.CURRENT, id="half of it"),
    pytest.param(zero_page, index.CURRENT, id="a zero page"),
    pytest.param(without_a_table, index.CURRENT, id="without a table"),
    pytest.param(older, index.OLDER, id="an older version"),
]


@pytest.mark.parametrize(("damage", "found"), DAMAGES)
def test_an_import_heals_what_is_no_index_of_ours(
    project: Project, run: Callable[..., Ran], damage: Callable[[Path], None], found: str
) -> None:
    project.refresh()
    whole = project.dump()
    damage(project.index)
    assert index.state(project.index) == found
    asked = [run(project.root, *words) for words in (("search", "load_orders"), ("status",))]
    assert {ran.code for ran in asked} <= {0, 1}
    assert all(ran.err.count("\n") <= 1 for ran in asked if ran.code == 1)

    ran = run(project.root, "import")

    assert ran.code == 0
    assert project.dump() == whole
    assert ("the old one is in" in ran.err) is (found != index.NONE)
    assert quarantined(project) == ([["recall.db"]] if found != index.NONE else [])


def test_an_index_of_a_newer_version_is_refused_and_stays_as_it_is(
    project: Project, run: Callable[..., Ran]
) -> None:
    project.refresh()
    project.change(f"PRAGMA user_version = {index.VERSION + 1}")
    before = project.index.read_bytes()

    ran = [
        run(project.root, *words)
        for words in (("import",), ("import", "--rebuild"), ("search", "load"), ("show", "one"))
    ]

    assert [each.code for each in ran] == [1] * 4
    assert all("is of a newer version" in each.err for each in ran)
    assert all(each.err.count("\n") == 1 for each in ran)
    assert project.index.read_bytes() == before
    assert quarantined(project) == []


def test_without_an_index_the_command_that_makes_one_is_said(
    project: Project, run: Callable[..., Ran]
) -> None:
    ran = run(project.root, "search", "load_orders")

    assert ran == Ran(
        1, "", f"cocorecall: no index at {project.index} (make it: cocorecall import)\n"
    )
    assert not project.index.exists()


# Side files


def test_a_log_that_is_not_of_this_index_is_set_aside(project: Project, tmp_path: Path) -> None:
    project.refresh()
    whole = project.dump()
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE theirs (a)")
        db.commit()
        shutil.copy(f"{other}-wal", f"{project.index}-wal")

    project.refresh()

    assert project.dump() == whole
    assert quarantined(project) == [["recall.db-wal"]]


def test_an_index_that_somebody_keeps_with_a_log_is_read_with_it(project: Project) -> None:
    project.refresh()
    with closing(sqlite3.connect(project.index)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("UPDATE sessions SET title = 'theirs' WHERE id = 'flat'")
        db.commit()

        project.refresh()

    assert project.rows("SELECT title FROM sessions WHERE id = 'flat'") == [("theirs",)]
    assert quarantined(project) == []


def interrupted(project: Project, path: Path) -> bytes:
    """Leave an index as a killed import leaves it: changed in part, with the journal to undo it."""
    with closing(sqlite3.connect(project.index, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("PRAGMA cache_spill = 1")
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE turns SET text = 'never said ' || hex(randomblob(20000))")
        db.execute("UPDATE sessions SET title = 'never'")
        shutil.copy(project.index, path)
        journal = Path(f"{project.index}-journal").read_bytes()
        db.execute("ROLLBACK")
    return journal


def test_an_import_that_was_interrupted_is_undone_by_the_next(
    project: Project, tmp_path: Path
) -> None:
    project.refresh()
    whole = project.dump()
    journal = interrupted(project, tmp_path / "half.db")
    shutil.copy(tmp_path / "half.db", project.index)
    Path(f"{project.index}-journal").write_bytes(journal)

    project.refresh()

    assert project.dump() == whole
    assert quarantined(project) == []


def test_a_search_after_an_import_that_was_interrupted_answers(
    project: Project, run: Callable[..., Ran], tmp_path: Path
) -> None:
    project.refresh()
    whole = project.dump()
    journal = interrupted(project, tmp_path / "half.db")
    shutil.copy(tmp_path / "half.db", project.index)
    Path(f"{project.index}-journal").write_bytes(journal)

    ran = run(project.root, "search", "load_orders")

    assert (ran.code, ran.err) == (0, "")
    assert "We chose load_orders()" in ran.out
    assert project.dump() == whole


def test_a_journal_of_another_time_brings_nothing_wrong_back(
    project: Project, tmp_path: Path
) -> None:
    project.refresh()
    journal = interrupted(project, tmp_path / "half.db")
    project.write("two.jsonl", claude("two", rounds=30))
    project.write("one.jsonl", claude("one", rounds=9))
    project.refresh()
    project.refresh(rebuild=True)
    Path(f"{project.index}-journal").write_bytes(journal)

    project.refresh()

    assert project.dump() == golden(project, tmp_path / "golden")


# Bits that flip


def flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def healed(project: Project, run: Callable[..., Ran], whole: Dump, texts: set[str]) -> None:
    """Ask of a damaged index, and heal it."""
    for words in (("search", "expire", "--all", "--budget", "0", "--json"), ("status",)):
        ran = run(project.root, *words)
        assert ran.code in (0, 1), ran
        if words[-1] == "--json" and ran.code == 0:
            import json

            hits = json.loads(ran.out)["hits"]
            assert {hit["text"] for hit in hits if hit["source_state"] == "verified"} <= texts
    ran = run(project.root, "import")
    if ran.code == 0 and state_of(project, whole):
        return
    ran = run(project.root, "import", "--rebuild")
    newer = "is of a newer version" in ran.err
    assert newer or (ran.code == 0 and project.dump() == whole), ran


def state_of(project: Project, whole: Dump) -> bool:
    try:
        return project.dump() == whole
    except (sqlite3.Error, AssertionError):
        return False


def test_no_flipped_bit_ends_in_a_traceback_or_a_wrong_text(
    project: Project, run: Callable[..., Ran]
) -> None:
    flip_bits(project, run, range(25))


@pytest.mark.fault
def test_no_flipped_bit_of_many_ends_in_a_traceback_or_a_wrong_text(
    project: Project, run: Callable[..., Ran]
) -> None:
    flip_bits(project, run, range(25, 225))


def flip_bits(project: Project, run: Callable[..., Ran], seeds: range) -> None:
    project.refresh()
    whole, data = project.dump(), project.index.read_bytes()
    texts = {text for _, text, _ in project.turns()}
    for seed in seeds:
        project.index.write_bytes(flipped(data, random.Random(seed)))

        healed(project, run, whole, texts)


# What only the index holds


def cite(project: Project, session: str) -> None:
    """Note that the first two turns of a session were shown."""
    project.change(
        "INSERT INTO citations (query, session, turn, source_exists, cited)"
        " SELECT 'why', id, id || ':' || native, 1, '2026-05-30T00:00:00.000Z'"
        " FROM turns JOIN sessions ON sessions.key = session WHERE id = ? AND seq < 2",
        session,
    )


def held(project: Project) -> tuple[Dump, list[tuple[Any, ...]]]:
    dump = project.dump()
    dump.pop("files")
    return dump, project.rows("SELECT query, session, turn, source_exists, cited FROM citations")


@pytest.mark.parametrize("damage", [None, older], ids=["rebuild", "older"])
def test_a_rebuild_carries_over_what_is_gone_and_what_was_cited(
    project: Project, damage: Callable[[Path], None] | None
) -> None:
    project.write("flat.json", flat("flat", ["We chose load_orders()"]))  # one is superseded
    project.refresh()
    project.write("two.jsonl", claude("two"))
    project.refresh()
    cite(project, "two")
    cite(project, "one")
    for name in ("two.jsonl", "flat.json"):
        (project.past / name).unlink()
    before = held(project)
    if damage:
        damage(project.index)

    counts, said = project.refresh(rebuild=damage is None)

    assert held(project) == before
    assert counts.new == 1
    assert said == (
        "2 sessions and 4 citations carried over;"
        f" the old one is in {project.index.parent}/quarantine/20260601T120000000000Z"
    )
    sources = project.rows("SELECT source, format FROM files WHERE path LIKE '%two.jsonl'")
    assert sources == [("past", "claude")]


def test_turns_that_a_rewritten_file_lost_are_carried_over_as_such(project: Project) -> None:
    project.write("one.jsonl", lines([prompt("one", n, f"said {n}") for n in range(4)]))
    project.refresh()
    project.write("one.jsonl", lines([prompt("one", n, f"said {n}") for n in (0, 3)]))
    project.refresh()
    before = held(project)

    project.refresh(rebuild=True)

    assert held(project) == before


def test_what_a_source_still_gives_is_not_carried_over(project: Project) -> None:
    project.refresh()
    project.change("UPDATE turns SET native = 'x' || native, superseded = 1")

    _, said = project.refresh(rebuild=True)

    assert said.startswith("0 sessions and 0 citations carried over;")
    assert project.rows("SELECT count(*) FROM turns WHERE superseded") == [(0,)]


def test_what_can_be_read_of_an_index_in_pieces_is_carried_over(project: Project) -> None:
    for number in range(30):
        project.write(f"s{number}.jsonl", claude(f"s{number}"))
    project.refresh()
    for number in range(30):
        (project.past / f"s{number}.jsonl").unlink()
    pages = project.index.stat().st_size // 4096
    data = bytearray(project.index.read_bytes())
    for page in (pages // 2, pages // 2 + 1):
        data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    project.index.write_bytes(data)

    _, said = project.refresh()

    texts = {text for _, text, _ in project.turns()}
    carried = project.rows("SELECT count(*) FROM sessions")[0][0] - 2
    assert 0 < carried <= 30
    assert "carried over" in said
    assert all(text for text in texts)
    assert project.dump()["turns"]


def test_a_text_that_is_not_what_was_said_is_not_carried_over(project: Project) -> None:
    project.refresh()
    (project.past / "one.jsonl").unlink()
    project.change("UPDATE turns SET text = 'never said' WHERE native = 'one-u0'")

    _, said = project.refresh(rebuild=True)

    assert "never said" not in {text for _, text, _ in project.turns()}
    assert len(project.turns()) == 10
    assert "not carried over, as it cannot be read: turn one-u0" in said


def test_a_text_whose_id_names_another_now_stays_under_an_id_of_its_own(project: Project) -> None:
    def row(said: str) -> dict[str, Any]:
        block = {"type": "text", "text": said}
        sent = "2026-05-01T09:00:00Z"
        return {"role": "user", "user_sent_time": sent, "content": [block]}

    project.write("c.history.jsonl", lines(row(said) for said in ("first", "second", "third")))
    project.refresh()
    cite(project, "c")
    project.write("c.history.jsonl", lines(row(said) for said in ("third", "fourth")))

    project.refresh()

    told = project.rows(
        "SELECT native, text, superseded FROM turns JOIN sessions ON sessions.key = session"
        " WHERE id = 'c' ORDER BY native"
    )
    cited = project.rows("SELECT turn FROM citations")
    assert told == [
        ("L1", "third", 0),
        ("L1~old", "first", 1),
        ("L2", "fourth", 0),
        ("L2~old", "second", 1),
        ("L3", "third", 1),
    ]
    assert cited == [("c:L1~old",), ("c:L2~old",)]
    before = held(project)
    project.refresh(rebuild=True)
    assert held(project) == before


def test_the_last_three_that_were_set_aside_stay(project: Project) -> None:
    from datetime import timedelta

    for number in range(5):
        project.refresh(rebuild=True, at=AT + timedelta(seconds=number))

    assert sorted(each.name for each in (project.index.parent / "quarantine").iterdir()) == [
        "20260601T120002000000Z",
        "20260601T120003000000Z",
        "20260601T120004000000Z",
    ]


# Who may read it


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_the_index_and_all_beside_it_are_only_ours(
    project: Project, umask: int, tmp_path: Path
) -> None:
    shutil.rmtree(project.index.parent)
    project.index.parent.mkdir()
    (tmp_path / "modes").touch()
    noted = (
        "import os, sqlite3\n"
        f"os.umask({umask})\n"
        "connect = sqlite3.connect\n"
        "def traced(*a, **k):\n"
        "    db = connect(*a, **k)\n"
        f"    folder, log = {str(project.index.parent)!r}, {str(tmp_path / 'modes')!r}\n"
        "    def look(_):\n"
        "        with open(log, 'a') as file:\n"
        "            for name in os.listdir(folder):\n"
        "                mode = os.stat(os.path.join(folder, name)).st_mode & 0o777\n"
        "                file.write(f'{name} {mode:o}\\n')\n"
        "    db.set_trace_callback(look)\n"
        "    return db\n"
        "sqlite3.connect = traced\n"
    )
    ran = command(project.root, "import", before=noted)
    again = command(project.root, "import", "--rebuild", before=noted)
    searched = command(project.root, "search", "load_orders", before=noted)

    seen = set((tmp_path / "modes").read_text().splitlines())
    assert [ran.code, again.code, searched.code] == [0, 0, 0]
    assert seen == {
        ".gitignore 644",
        "quarantine 700",
        "recall.db 600",
        "recall.db-journal 600",
        "recall.db.lock 600",
        "recall.db.new 600",
        "recall.db.new-journal 600",
    }
    modes = {
        path.name: stat.S_IMODE(path.lstat().st_mode)
        for path in project.index.parent.rglob("*")
        if path.name != ".gitignore"
    }
    assert {mode for name, mode in modes.items() if name.startswith("recall")} == {0o600}
    assert {mode for name, mode in modes.items() if not name.startswith("recall")} == {0o700}


def test_an_empty_file_that_others_may_read_is_made_anew(project: Project) -> None:
    project.index.touch()
    project.index.chmod(0o644)

    project.refresh()

    assert stat.S_IMODE(project.index.stat().st_mode) == 0o600


# Where nothing can be written


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_where_nothing_may_be_written_a_search_answers_and_an_import_says_why(
    project: Project, run: Callable[..., Ran], what: str
) -> None:
    project.refresh()
    project.write("two.jsonl", claude("two"))
    place = project.index.parent if what == "folder" else project.index
    place.chmod(0o500 if what == "folder" else 0o400)
    if what == "folder":
        project.index.with_name("recall.db.lock").unlink(missing_ok=True)

    searched, imported = run(project.root, "search", "load_orders"), run(project.root, "import")

    place.chmod(0o700)
    assert (searched.code, "load_orders" in searched.out) == (0, True)
    assert (imported.code, imported.err.count("\n")) == (1, 1)


@pytest.mark.parametrize("number", [30, 13], ids=["EROFS", "EACCES"])
def test_where_the_system_writes_nothing_a_search_answers_and_an_import_says_why(
    project: Project, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    project.refresh()
    (project.index.parent / ".gitignore").unlink()
    for left in project.index.parent.glob("*.lock"):
        left.unlink()
    before = project.index.read_bytes()
    opened = os.open

    def open_to_read(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(number, os.strerror(number), path)
        return opened(path, flags, *more, **named)

    # Permissions do not bind root, who may be running this.
    monkeypatch.setattr(os, "open", open_to_read)
    monkeypatch.setattr(citations, "note", lambda *_: False)  # SQLite opens files by itself

    searched, imported = run(project.root, "search", "load_orders"), run(project.root, "import")

    monkeypatch.undo()
    assert (searched.code, "load_orders" in searched.out) == (0, True)
    lock = project.index.with_name("recall.db.lock")
    reason = os.strerror(number).lower()
    assert imported == Ran(1, "", f"cocorecall: {lock}: {reason}\n")
    assert project.index.read_bytes() == before


def test_an_index_that_cannot_be_opened_is_said_in_one_line(project: Project) -> None:
    with pytest.raises(NotFoundError), index.reading(project.index):
        pass
    project.refresh()
    with pytest.raises(RecallError) as raised, index.reading(project.index) as db:
        db.execute("SELECT a FROM nowhere")
    assert raised.value.message == f"{project.index} is damaged: no such table: nowhere"
    project.change("PRAGMA user_version = 99")
    with pytest.raises(RefusedError), index.reading(project.index):
        pass


def test_every_column_of_the_schema_is_compared_here(project: Project) -> None:
    project.refresh()
    ours = {"key", "session", "turn", "id", "state", "ends", "summary_length"}
    for table, named in COLUMNS.items():
        columns = {row[1] for row in project.rows(f"PRAGMA table_info({table})")}
        compared = {name.split(" ")[0] for name in named.split(", ")}
        assert columns - ours <= compared, table
