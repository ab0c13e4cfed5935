import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, snapshot
from tests.sessions.projects import Project, claude, command, lines, prompt
from total_recall.errors import RecallError
from total_recall.sessions import sources


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture(autouse=True)
def _no_moved_homes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SNOWFLAKE_HOME", raising=False)


# The list


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param(["past"], id="texts"),
        pytest.param([{"path": "past"}], id="objects"),
        pytest.param({"sources": ["past"]}, id="sources"),
        pytest.param({"sources": [{"path": "past", "note": "mine"}], "v": 1}, id="more fields"),
        pytest.param([{"path": "past", "scope": None, "enabled": None}], id="nulls"),
        pytest.param("\ufeff" + '["past"]\r\n', id="BOM"),
    ],
)
def test_a_list_may_be_written_so(project: Project, listed: Any) -> None:
    project.list_sources(listed)

    found = sources.configured(project.root)

    assert found == [sources.Source("past", project.past)]


def test_a_source_may_say_more(project: Project) -> None:
    entry = {"path": "past", "scope": "project", "enabled": False, "description": "ours"}
    project.list_sources([entry])

    found = sources.configured(project.root)

    assert found == [sources.Source("past", project.past, "project", False, "ours")]
    assert json.loads(sources.text_of(found)) == {"sources": [entry]}


HINT = 'like ["~/.claude/projects"]'
BAD_LISTS = [
    pytest.param("", "Expecting value: line 1 column 1 (char 0)", "mend it by hand", id="empty"),
    pytest.param("[1,", "Expecting value: line 1 column 4 (char 3)", "mend it by hand", id="half"),
    pytest.param("null", "no list of sources", HINT, id="null"),
    pytest.param('"past"', "no list of sources", HINT, id="a text"),
    pytest.param('{"sources": "past"}', "no list of sources", HINT, id="a text as sources"),
    pytest.param('["a", 5]', "source 2 has no path", 'give it a "path"', id="a number"),
    pytest.param('[{"pth": "a"}]', "source 1 has no path", 'give it a "path"', id="another key"),
    pytest.param('["a", " "]', "source 2 has no path", 'give it a "path"', id="a blank"),
    pytest.param('["a\\u0000"]', "source 1 has no path", 'give it a "path"', id="NUL"),
    pytest.param("[null]", "source 1 has no path", 'give it a "path"', id="null in it"),
    pytest.param(
        '[{"path": "a", "scope": "projekt"}]',
        'source 1 has the scope "projekt"',
        'it may be "project", or be left out',
        id="a mistaken scope",
    ),
    pytest.param(
        '[{"path": "a", "scope": ["project"]}]',
        'source 1 has the scope ["project"]',
        'it may be "project", or be left out',
        id="scopes",
    ),
    pytest.param(
        '[{"path": "a", "enabled": "no"}]',
        'source 1 has the enabled "no"',
        "it may be true or false",
        id="enabled",
    ),
    pytest.param(
        '[{"path": "a", "description": 5}]',
        "source 1 has the description 5",
        "it may be a text",
        id="description",
    ),
]


@pytest.mark.parametrize(("text", "said", "hint"), BAD_LISTS)
def test_a_list_that_cannot_be_used_is_said_in_one_line(
    project: Project, text: str, said: str, hint: str
) -> None:
    project.list_sources(text)

    with pytest.raises(RecallError) as raised:
        sources.configured(project.root)

    file = project.root / "cocoplus" / "recall-sources.json"
    assert (raised.value.message, raised.value.hint) == (f"{file}: {said}", hint)


def test_a_list_that_is_deep_or_no_text_is_said_in_one_line(project: Project) -> None:
    for raw in (b"[" * 100_000, b'["\xff"]'):
        (project.root / sources.FILE).write_bytes(raw)

        with pytest.raises(RecallError) as raised:
            sources.configured(project.root)

        assert raised.value.message.startswith(f"{project.root / sources.FILE}: ")
        assert "\n" not in raised.value.message


def test_a_path_may_start_at_home_at_a_variable_or_at_the_project(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA", "/srv/data")
    written = ["~/a", "$DATA/b", "${DATA}/c", "d/../e", "/f", "$NOT_SET/g", "~nobody-here/h"]
    project.list_sources(written)

    found = [each.path for each in sources.configured(project.root)]

    home, root = Path.home(), project.root
    assert found == [
        home / "a", Path("/srv/data/b"), Path("/srv/data/c"), root / "d/../e", Path("/f"),
        root / "$NOT_SET/g", root / "~nobody-here/h",
    ]  # fmt: skip


def test_without_a_list_those_of_cortex_code_are_read(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.root / sources.FILE).unlink()
    below_home = sources.configured(project.root)
    monkeypatch.setenv("SNOWFLAKE_HOME", "/srv/snow")

    moved = sources.configured(project.root)

    written = "~/.snowflake/cortex/conversations"
    assert below_home == [sources.Source(written, Path.home() / written[2:])]
    other = "/srv/snow/cortex/conversations"
    assert moved == [sources.Source(other, Path(other))]


# What is read of a source


def names(project: Project) -> list[str]:
    return [name for (name,) in project.rows("SELECT id FROM sessions ORDER BY id")]


def test_a_source_that_is_disabled_or_not_there_is_passed_by(project: Project) -> None:
    project.write("one.jsonl", claude("one"))
    project.list_sources(
        [{"path": "past", "enabled": False}, "nowhere", "x" * 300, "past/one.jsonl/x", "\ud800"]
    )

    counts, _ = project.refresh()

    assert (names(project), counts.failed) == ([], [])
    project.list_sources(["nowhere", "past"])
    project.refresh()
    assert names(project) == ["one"]


def test_what_two_sources_hold_is_read_once(project: Project) -> None:
    project.write("in/one.jsonl", claude("one"))
    (project.root / "link").symlink_to(project.past)
    project.list_sources(["past/in", "past", "past/../past", "link"])

    counts, _ = project.refresh()

    assert (counts.new, names(project)) == (1, ["one"])
    assert project.rows("SELECT source FROM files") == [("past/in",)]


def test_what_is_no_transcript_by_its_name_is_passed_by(project: Project) -> None:
    passed = (
        "a.back.1.json b.jsonl.tmp c.unreadable-5 d.lock e.meta.json journal.jsonl history.jsonl "
        "sessions-index.json logs.json checkpoint-a.json memory/f.jsonl tool-results/g.jsonl"
    ).split()
    for name in [*passed, "kept.history.jsonl"]:
        project.write(name, claude("kept"))

    counts, _ = project.refresh()

    assert (counts.new, counts.failed) == (1, [])
    assert project.rows("SELECT path FROM files") == [(str(project.past / "kept.history.jsonl"),)]


def test_nothing_outside_a_source_is_read_and_nothing_is_waited_for(
    project: Project, tmp_path: Path
) -> None:
    secret = tmp_path / "outside" / "secret.jsonl"
    secret.parent.mkdir()
    secret.write_bytes(lines([prompt("secret", 0, "SENTINEL")]))
    project.write("a.jsonl", claude("a"))
    project.write("z/z.jsonl", claude("z"))
    past = project.past
    os.mkfifo(past / "fifo.jsonl")
    (past / "file.jsonl").symlink_to(secret)
    (past / "folder").symlink_to(secret.parent)
    (past / "loop").symlink_to(past)
    (past / "self").symlink_to(past / "self")
    (past / "inside.jsonl").symlink_to(past / "a.jsonl")
    (past / "nothing.jsonl").symlink_to(past / "gone")

    counts, _ = project.refresh()

    assert names(project) == ["a", "z"]
    assert sorted((path.name, why) for path, why in counts.failed) == [
        ("fifo.jsonl", "not a regular file"),
        ("file.jsonl", "a link out of past"),
        ("folder", "a link out of past"),
        ("nothing.jsonl", "a link to nothing"),
        ("self", "a link to nothing"),
    ]
    assert "SENTINEL" not in project.index.read_bytes().decode("latin-1")


@pytest.mark.host  # it makes a socket file, which nobody connects to
def test_a_socket_is_named_and_not_waited_for(project: Project, monkeypatch: Any) -> None:
    project.write("a.jsonl", claude("a"))
    monkeypatch.chdir(project.past)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.jsonl")

        counts, _ = project.refresh()

    assert names(project) == ["a"]
    assert [path.name for path, _ in counts.failed] == ["s.jsonl"]


def test_a_name_that_is_no_text_is_named(project: Project) -> None:
    project.write("a.jsonl", claude("a"))
    odd = project.write(os.fsdecode(b"\xff.jsonl"), claude("b"))

    counts, _ = project.refresh()

    assert names(project) == ["a"]
    assert counts.failed == [(odd, "its name is no UTF-8")]


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_what_may_not_be_read_is_named(project: Project) -> None:
    project.write("a.jsonl", claude("a"))
    project.write("b.jsonl", claude("b")).chmod(0)
    project.write("closed/c.jsonl", claude("c")).parent.chmod(0)

    counts, _ = project.refresh()

    project.past.joinpath("closed").chmod(0o700)
    assert names(project) == ["a"]
    assert [(path.name, why) for path, why in counts.failed] == [
        ("closed", "folder not listed: permission denied"),
        ("b.jsonl", "permission denied"),
    ]


@pytest.mark.parametrize("number", [13, 5], ids=["EACCES", "EIO"])
def test_what_the_system_does_not_give_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    project.write("a.jsonl", claude("a"))
    project.write("b.jsonl", claude("b"))
    project.write("closed/c.jsonl", claude("c"))
    opened, scanned = os.open, os.scandir

    def refuse(call: Callable[..., Any], name: str) -> Callable[..., Any]:
        def act(path: Any, *more: Any, **named: Any) -> Any:
            if str(path).endswith(name):
                raise OSError(number, os.strerror(number))
            return call(path, *more, **named)

        return act

    # Permissions do not bind root, who may be running this.
    monkeypatch.setattr(os, "open", refuse(opened, "b.jsonl"))
    monkeypatch.setattr(os, "scandir", refuse(scanned, "closed"))

    counts, _ = project.refresh()

    reason = os.strerror(number).lower()
    assert names(project) == ["a"]
    assert sorted((path.name, why) for path, why in counts.failed) == [
        ("b.jsonl", reason),
        ("closed", f"folder not listed: {reason}"),
    ]


def test_a_name_that_no_longer_fails_is_forgotten(project: Project) -> None:
    fifo = project.past / "fifo.jsonl"
    os.mkfifo(fifo)
    project.refresh()
    assert project.rows("SELECT error FROM files") == [("not a regular file",)]
    fifo.unlink()

    counts, _ = project.refresh()

    assert counts.failed == []
    assert project.rows("SELECT error FROM files WHERE error <> ''") == []


def test_an_id_that_no_file_can_be_named_costs_nothing(project: Project) -> None:
    odd = ["x" * 300, "..", "a\x00b", "\ud800", "a/b", ""]
    project.write("one.jsonl", lines(prompt(name, n, f"said {n}") for n, name in enumerate(odd)))
    project.write("one", lines(prompt(name, n, f"said {n}") for n, name in enumerate(odd)))

    counts, _ = project.refresh()

    assert counts.failed == []
    assert len(project.turns()) == 2 * len(odd)


# Only sessions of the project


def test_the_scope_project_takes_what_was_said_inside_of_it(
    project: Project, tmp_path: Path
) -> None:
    root = str(project.root)
    folders = {
        "root": root, "below": f"{root}/src/deep", "slash": f"{root}/", "beside": f"{root}-two",
        "above": str(tmp_path), "back": f"{root}/../other", "none": "",
    }  # fmt: skip
    for name, folder in folders.items():
        project.write(f"{name}.jsonl", lines([prompt(name, 0, name, cwd=folder)]))
    about = {"session_id": "beside-file", "working_directory": root}
    row = {"role": "user", "id": "a", "user_sent_time": "2026-05-01T09:00:00Z", "content": [
        {"type": "text", "text": "why?"}]}  # fmt: skip
    project.write("c.history.jsonl", lines([row]))
    project.write("c.json", json.dumps(about).encode())
    project.list_sources([{"path": "past", "scope": "project"}])

    counts, _ = project.refresh()

    assert (names(project), counts.failed) == (["below", "beside-file", "root", "slash"], [])

    project.list_sources(["past"])
    project.refresh()
    assert names(project) == sorted([*folders, "beside-file"])


@pytest.mark.parametrize(
    ("folder", "is_inside"),
    [
        pytest.param(r"c:\work\SHOP\api", True, id="below"),
        pytest.param(r"\\?\C:\Work\shop", True, id="long"),
        pytest.param("C:/work/shop/", True, id="slashes"),
        pytest.param(r"C:\work\shop\..\other", False, id="back"),
        pytest.param(r"D:\work\shop", False, id="drive"),
        pytest.param(r"C:\work\shopping", False, id="beside"),
        pytest.param("/work/shop", False, id="posix"),
    ],
)
def test_a_folder_of_windows_may_be_spelled_so(folder: str, is_inside: bool) -> None:
    from total_recall.sessions.importer import _is_inside

    found = _is_inside(folder, Path(r"C:/Work/shop"))

    assert found is is_inside


# Truth is never written


def test_no_command_writes_into_a_source(project: Project) -> None:
    project.write("one.jsonl", claude("one"))
    project.write("bad.json", b"{")
    os.mkfifo(project.past / "fifo")
    before = snapshot(project.past)
    lines_run = [
        ("import",), ("import", "--rebuild"), ("import", "--dry-run"), ("status",), ("sources",),
        ("search", "refresh", "token"), ("show", "one"), ("search", "one", "--all", "--json"),
    ]  # fmt: skip

    codes = [command(project.root, *words).code for words in lines_run]

    assert codes == [0] * len(lines_run)
    assert snapshot(project.past) == before


def test_a_list_that_is_a_pipe_is_not_waited_for(project: Project) -> None:
    path = project.root / sources.FILE
    path.unlink()
    os.mkfifo(path)

    ran: list[Ran] = []
    waiting = threading.Thread(target=lambda: ran.append(command(project.root, "import")))
    waiting.start()
    waiting.join(20)

    assert not waiting.is_alive()
    assert ran == [Ran(1, "", f"cocorecall: {path}: not a regular file\n")]
