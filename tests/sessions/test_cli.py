"""The command `cocorecall` beside search and show: init, import, sources, status."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, snapshot

Make = Callable[..., Path]
Run = Callable[..., Ran]
SAID = {"aaaaaaaa-1": ["which queue", "A queue in Postgres."], "bbbbbbbb-2": ["and retries"]}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder where Claude Code has kept sessions."""
    folder = tmp_path / "home"
    (folder / ".claude" / "projects" / "-srv-harbor").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.mark.usefixtures("home")
def test_init_shows_what_it_writes_and_only_this_projects_sessions_are_read(
    tmp_path: Path, run: Run
) -> None:
    root = tmp_path / "project"
    root.mkdir()

    ran = run(root, "init")

    assert ran.out == (
        "source: ~/.claude/projects (sessions of this project only)\n"
        "wrote cocoplus/recall-sources.json; it can be committed, next: cocorecall import\n"
    )
    assert json.loads((root / "cocoplus" / "recall-sources.json").read_text()) == {
        "sources": [{"path": "~/.claude/projects", "scope": "project"}]
    }
    assert (root / ".cocoplus" / ".gitignore").read_text() == "recall.db*\nquarantine/\n"


@pytest.mark.usefixtures("home")
def test_init_on_trial_writes_nothing(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "project"
    root.mkdir()

    ran = run(root, "init", "--dry-run")

    assert ran.code == 0
    assert list(root.iterdir()) == []


@pytest.mark.usefixtures("home")
def test_init_twice_changes_nothing(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "project"
    root.mkdir()
    run(root, "init")
    before = snapshot(root)

    ran = run(root, "init")

    assert ran.out == "cocoplus/recall-sources.json is there and stays as it is\n"
    assert snapshot(root) == before


def test_init_names_the_way_on_where_no_host_has_sessions(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    root = tmp_path / "project"
    root.mkdir()

    assert "no session folders found; name one with: cocorecall sources add PATH\n" in (
        run(root, "init").out
    )


def test_sources_are_listed_added_and_removed(make_project: Make, home: Path, run: Run) -> None:
    root = make_project(SAID)

    assert run(root, "sources").out.splitlines()[1:] == [
        "not a source: ~/.claude/projects  (cocorecall sources add '~/.claude/projects')"
    ]
    assert run(root, "sources").out.startswith("past: 2 sessions indexed, last import 20")
    added = run(root, "sources", "add", str(home / ".claude" / "projects"))
    assert added.out == "added ~/.claude/projects; next: cocorecall import\n"
    assert run(root, "sources").out.splitlines()[1] == (
        "~/.claude/projects: 0 sessions indexed, never imported, only of this project, empty"
    )
    assert run(root, "sources", "add", "~/.claude/projects").out == (
        "~/.claude/projects is a source already\n"
    )
    removed = run(root, "sources", "remove", "~/.claude/projects")
    assert removed.out == "removed ~/.claude/projects; what was indexed of it stays\n"
    assert run(root, "sources", "remove", "nothing").code == 1
    assert run(root, "sources", "add", "nothing").code == 1


def test_an_import_says_what_was_new_updated_and_unchanged(make_project: Make, run: Run) -> None:
    root = make_project(SAID)
    path = root / "past" / "bbbbbbbb-2.json"
    path.write_text(path.read_text().replace("and retries", "and backoff"))
    (root / "past" / "broken.json").write_text('{"turns": [')

    trial = run(root, "import", "--dry-run")
    ran = run(root, "import")

    assert trial.out == "2 files would be read\n"
    assert ran.code == 0
    assert ran.out.splitlines()[0] == (
        "sessions: 0 new, 1 updated, 1 unchanged, 0 skipped, 1 failed"
    )
    assert ran.err.startswith("not read: ")
    assert "broken.json: not JSON: " in ran.err


def test_status_says_what_is_indexed_and_what_is_not(make_project: Make, run: Run) -> None:
    root = make_project(SAID)
    (root / "past" / "new.json").write_text(
        '{"session_id": "n", "turns": [{"role": "user", "text": "x"}]}'
    )

    first, last, pending, *_, consolidation = run(root, "status").out.splitlines()

    assert first.startswith("sessions: 2 indexed, 3 turns, ")
    assert last.startswith("last import: 20")
    assert pending == "not indexed: 1 new or changed file, run: cocorecall import"
    assert consolidation == "last consolidation: never · amber"


@pytest.mark.parametrize(
    ("stamp", "amber"),
    [
        pytest.param("2020-01-01T00:00:00Z", True, id="long ago"),
        pytest.param("4102444800000", True, id="in the future"),
        pytest.param("soon", True, id="no time"),
        pytest.param("", True, id="empty"),
    ],
)
def test_the_index_is_amber_unless_it_was_consolidated_lately(
    make_project: Make, run: Run, stamp: str, amber: bool
) -> None:
    root = make_project(SAID)
    (root / ".cocoplus" / ".last-consolidation").write_text(stamp)

    found = json.loads(run(root, "status", "--json").out)

    assert found["amber"] is amber


def test_the_index_is_not_amber_after_a_consolidation(make_project: Make, run: Run) -> None:
    from total_recall import clock

    root = make_project(SAID)
    stamp = str(int(clock.now().timestamp() * 1000))
    (root / ".cocoplus" / ".last-consolidation").write_text(stamp)

    assert json.loads(run(root, "status", "--json").out)["amber"] is False


@pytest.mark.parametrize("command", ["search", "show", "import", "sources", "status"])
def test_every_command_needs_a_project(tmp_path: Path, run: Run, command: str) -> None:
    words = {"search": ["x"], "show": ["x"]}.get(command, [])

    ran = run(tmp_path, command, *words)

    assert (ran.code, ran.out) == (1, "CocoPlus is not initialized. Run `$pod init` first.\n")


def test_an_error_is_told_as_json_where_that_is_asked_for(tmp_path: Path, run: Run) -> None:
    ran = run(tmp_path, "search", "x", "--json")

    assert ran.code == 1
    assert json.loads(ran.out) == {
        "schema": "cocorecall/1",
        "error": {
            "code": "not_found",
            "message": "CocoPlus is not initialized. Run `$pod init` first.",
            "hint": "without CocoPlus: cocorecall init",
        },
    }


def test_the_help_names_the_bounds_that_hold() -> None:
    from total_recall.sessions import answer, cli

    assert (cli.BUDGET, cli.LIMIT) == (answer.BUDGET, answer.LIMIT)
