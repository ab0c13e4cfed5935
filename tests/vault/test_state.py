"""Where the vault of a project is, and how the state file that says so is written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, snapshot
from total_recall.errors import NotFoundError, RefusedError
from total_recall.vault import cli, state
from total_recall.vault.state import State

Recall = Callable[..., Ran]


def project(folder: Path, facts: object) -> Path:
    """Make a project with this state file and the folders `vault/projects/demo` and `adr`."""
    root = folder / "project"
    (root / ".realm").mkdir(parents=True)
    (root / "vault" / "projects" / "demo").mkdir(parents=True)
    (root / "adr").mkdir()
    text = facts if isinstance(facts, str) else json.dumps(facts)
    (root / state.MARKER).write_text(text)
    return root


def test_a_vault_and_a_slug_name_the_folder(tmp_path: Path) -> None:
    root = project(tmp_path, {"vaultPath": "vault", "projectSlug": "demo", "phase": 3})

    assert state.load(root) == State(root / "vault/projects/demo", root / "vault")


def test_a_folder_of_its_own_wins_over_the_slug(tmp_path: Path) -> None:
    facts = {"vaultPath": "vault", "projectSlug": "gone", "projectDir": "vault/projects/demo"}
    root = project(tmp_path, facts)

    assert state.load(root) == State(root / "vault/projects/demo", root / "vault")


def test_a_folder_out_of_the_vault_is_its_own_fence(tmp_path: Path) -> None:
    root = project(tmp_path, {"vaultPath": "vault", "projectSlug": "x", "projectDir": "adr"})

    assert state.load(root) == State(root / "adr", root / "adr")


def test_a_folder_alone_is_enough(tmp_path: Path) -> None:
    root = project(tmp_path, {"projectDir": "adr"})

    assert state.load(root) == State(root / "adr", root / "adr")


def test_paths_may_start_at_home_or_be_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path, {"vaultPath": "~/vault", "projectSlug": "demo"})
    monkeypatch.setenv("HOME", str(root))

    assert state.load(root).folder == root / "vault/projects/demo"

    (root / state.MARKER).write_text(json.dumps({"projectDir": str(root / "adr")}))

    assert state.load(root).folder == root / "adr"


def test_a_state_file_may_begin_with_a_bom(tmp_path: Path) -> None:
    root = project(tmp_path, '\ufeff{"projectDir": "adr"}')

    assert state.load(root).folder == root / "adr"


BROKEN = [
    ("no JSON", '{"vaultPath": "vault",', "line 1, column 23", "mend the JSON"),
    ("empty", "", "line 1, column 1", "mend the JSON"),
    ("too deep", "[" * 100_000, "no JSON in UTF-8", "mend or remove it"),
    ("no object", "[1]", "not a JSON object", "init --dir"),
    ("null", "null", "not a JSON object", "init --dir"),
    ("no keys", "{}", "`vaultPath` is missing", "or name `projectDir`"),
    ("no slug", {"vaultPath": "vault"}, "`projectSlug` is missing", "or name `projectDir`"),
    ("no vault", {"projectSlug": "demo"}, "`vaultPath` is missing", "or name `projectDir`"),
    ("empty vault", {"vaultPath": "", "projectSlug": "x"}, "`vaultPath` is missing", "projectDir"),
    ("a number", {"vaultPath": 7, "projectSlug": "x"}, "`vaultPath` is not a path", "as text"),
    ("a list", {"projectDir": ["adr"]}, "`projectDir` is not a path", "as text"),
    ("a NUL", {"projectDir": "a\0b"}, "`projectDir` is not a path", "as text"),
    ("no folder", {"projectDir": "gone"}, "project/gone", "mend `projectDir`"),
    ("no vault folder", {"vaultPath": "x", "projectSlug": "y"}, "x/projects/y", "mend `vaultPath`"),
    ("a file", {"projectDir": ".realm/realm-state.json"}, "no folder", "mend `projectDir`"),
    ("another user", {"projectDir": "~nobody-of-that-name/x"}, "no folder", "mend `projectDir`"),
    ("a long name", {"projectDir": "x" * 5_000}, "no folder", "mend `projectDir`"),
    ("a surrogate", '{"projectDir": "\\ud800"}', "no folder", "mend `projectDir`"),
]


@pytest.mark.parametrize(
    ("facts", "reason", "hint"),
    [pytest.param(facts, reason, hint, id=name) for name, facts, reason, hint in BROKEN],
)
def test_each_broken_state_has_its_own_one_line(
    tmp_path: Path, recall: Recall, facts: object, reason: str, hint: str
) -> None:
    root = project(tmp_path, facts)

    ran = recall(root, "auth")

    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith(f"realm-recall: {root / state.MARKER}: ")
    assert reason in ran.err
    assert hint in ran.err


def test_a_state_that_is_no_utf8_or_no_file_has_its_own_line(
    tmp_path: Path, recall: Recall
) -> None:
    root = project(tmp_path, "")
    path = root / state.MARKER
    path.write_bytes(b'{"projectDir": "\xff"}')

    first = recall(root, "auth")
    path.unlink()
    path.mkdir()
    second = recall(root, "auth")

    assert first == Ran(1, "", f"realm-recall: {path}: no JSON in UTF-8 (mend or remove it)\n")
    assert second == Ran(1, "", f"realm-recall: {path}: not a regular file\n")


def test_no_state_is_said_in_the_fixed_words(tmp_path: Path, recall: Recall) -> None:
    ran = recall(tmp_path, "auth")

    assert ran == Ran(1, state.NO_STATE + "\n", f"hint: {state.INIT_HINT}\n")


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A project with notes in `docs/adr` and in `vault/projects/shop`, and no state."""
    root = tmp_path / "project"
    for name in ("docs/adr/one.md", "vault/projects/shop/two.md"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("# T\n")
    return root


def run_init(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        cli.main(["init", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


def written(root: Path) -> object:
    return json.loads((root / state.MARKER).read_text())


def test_init_names_a_folder_of_notes_and_keeps_the_state_out_of_git(fresh: Path) -> None:
    notes = snapshot(fresh / "docs")

    path = state.init(fresh, fresh / "docs/adr")

    assert path == fresh / state.MARKER
    assert written(fresh) == {
        "vaultPath": "docs/adr",
        "projectSlug": "project",
        "projectDir": "docs/adr",
    }
    assert (fresh / ".gitignore").read_bytes() == b".realm/\n"
    assert state.load(fresh) == State(fresh / "docs/adr", fresh / "docs/adr")
    assert snapshot(fresh / "docs") == notes


def test_init_names_a_vault_and_a_slug(fresh: Path) -> None:
    vault = fresh / "vault"

    state.init(fresh, vault / "projects" / "shop", vault=vault, slug="shop")

    assert written(fresh) == {
        "vaultPath": "vault",
        "projectSlug": "shop",
        "projectDir": "vault/projects/shop",
    }


def test_a_folder_elsewhere_is_written_from_home_or_whole(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    (home / "notes").mkdir(parents=True)
    elsewhere.mkdir()
    monkeypatch.setenv("HOME", str(home))

    state.init(fresh, home / "notes", vault=elsewhere)

    assert written(fresh) == {
        "vaultPath": str(elsewhere),
        "projectSlug": "project",
        "projectDir": "~/notes",
    }
    assert state.load(fresh).folder == home / "notes"


def test_init_writes_once_and_refuses_a_second_time(fresh: Path) -> None:
    state.init(fresh, fresh / "docs/adr")
    before = snapshot(fresh)

    with pytest.raises(RefusedError, match="is there already"):
        state.init(fresh, fresh / "vault")

    assert snapshot(fresh) == before


def test_init_refuses_a_dead_link_in_the_states_place(fresh: Path) -> None:
    (fresh / ".realm").mkdir()
    (fresh / state.MARKER).symlink_to("gone.json")

    with pytest.raises(RefusedError):
        state.init(fresh, fresh / "docs/adr")

    assert (fresh / state.MARKER).is_symlink()


def test_init_writes_nothing_if_the_folder_is_not_there(fresh: Path) -> None:
    before = snapshot(fresh)

    with pytest.raises(NotFoundError, match="no folder"):
        state.init(fresh, fresh / "gone")

    assert snapshot(fresh) == before


@pytest.mark.parametrize(
    ("held", "left"),
    [
        pytest.param(b"a\n", b"a\n.realm/\n", id="added at the end"),
        pytest.param(b"a", b"a\n.realm/\n", id="after a line without end"),
        pytest.param(b"", b".realm/\n", id="empty"),
        pytest.param(b"\xff\xfe\r\n# x", b"\xff\xfe\r\n# x\n.realm/\n", id="odd bytes stay"),
        pytest.param(b".realm/\na", b".realm/\na", id="there already"),
        pytest.param(b"a\n/.realm\r\n", b"a\n/.realm\r\n", id="there in another spelling"),
        pytest.param(b"#.realm/\n", b"#.realm/\n.realm/\n", id="only in a comment"),
        pytest.param(b".realm-old/\n", b".realm-old/\n.realm/\n", id="only another folder"),
    ],
)
def test_gitignore_gets_the_folder_once_and_keeps_its_bytes_and_mode(
    fresh: Path, held: bytes, left: bytes
) -> None:
    path = fresh / ".gitignore"
    path.write_bytes(held)
    path.chmod(0o640)

    state.init(fresh, fresh / "docs/adr")

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (left, 0o640)


def test_the_state_is_private(fresh: Path) -> None:
    path = state.init(fresh, fresh / "docs/adr")

    assert [each.stat().st_mode & 0o777 for each in (path, path.parent)] == [0o600, 0o700]


def test_the_command_says_what_it_wrote_and_what_is_next(
    fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fresh)

    code = run_init("--vault", "vault", "--slug", "shop")

    assert (code, capsys.readouterr()) == (
        0,
        (
            f"{fresh / state.MARKER}: 1 nodes in vault/projects/shop\n"
            "next: realm-recall decisions --count\n",
            "",
        ),
    )


def test_the_command_refuses_a_second_time_in_one_line(
    fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--root", str(fresh), "--dir", str(fresh / "docs/adr"))
    assert run_init(*words) == 0
    capsys.readouterr()

    code = run_init(*words)

    assert (code, capsys.readouterr()) == (
        1,
        (
            "",
            f"realm-recall init: {fresh / state.MARKER} is there already"
            " (edit it, or remove it first)\n",
        ),
    )


@pytest.mark.parametrize("words", [(), ("--dir", "a", "--vault", "b")])
def test_the_command_wants_either_a_folder_or_a_vault(fresh: Path, words: tuple[str, ...]) -> None:
    assert run_init("--root", str(fresh), *words) == 2
    assert not (fresh / ".realm").exists()
