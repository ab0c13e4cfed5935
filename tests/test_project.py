import os
from pathlib import Path

import pytest

from total_recall.project import expand, find_root, folders_upward, repository_root

MARKER = ".realm/realm-state.json"


def mark(folder: Path, marker: str = MARKER) -> Path:
    (folder / marker).parent.mkdir(parents=True, exist_ok=True)
    (folder / marker).touch()
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Give a git repository with folders in it, inside a project that is marked."""
    mark(tmp_path)
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "a" / "b").mkdir(parents=True)
    return tmp_path / "repository"


def test_the_way_up_ends_at_the_repository(repository: Path) -> None:
    upward = list(folders_upward(repository / "a" / "b"))

    assert upward == [repository / "a" / "b", repository / "a", repository]


def test_the_way_up_ends_at_the_top_without_a_repository(tmp_path: Path) -> None:
    assert list(folders_upward(tmp_path)) == [tmp_path, *tmp_path.parents]


def test_a_git_file_of_a_worktree_is_a_repository_too(tmp_path: Path) -> None:
    (tmp_path / "work" / "deep").mkdir(parents=True)
    (tmp_path / "work" / ".git").write_text("gitdir: elsewhere")

    assert repository_root(tmp_path / "work" / "deep") == tmp_path / "work"


def test_the_nearest_marked_folder_is_the_root(repository: Path) -> None:
    mark(repository)
    mark(repository / "a")

    assert find_root(repository / "a" / "b", MARKER) == repository / "a"


def test_a_marker_outside_the_repository_is_not_ours(repository: Path) -> None:
    assert find_root(repository / "a", MARKER) == repository / "a"


def test_a_link_is_looked_up_where_it_leads(repository: Path, tmp_path: Path) -> None:
    mark(repository)
    (tmp_path / "link").symlink_to(repository / "a")

    assert find_root(tmp_path / "link", MARKER) == repository


def test_without_a_repository_the_folder_is_its_own_root(tmp_path: Path) -> None:
    assert repository_root(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("vault", "/root/vault"),
        ("./vault/x", "/root/vault/x"),
        ("../vault", "/root/../vault"),
        ("/srv/vault", "/srv/vault"),
        ("~", "HOME"),
        ("~/vault", "HOME/vault"),
        ("a~b", "/root/a~b"),
        ("~nobody-of-this-name/x", "/root/~nobody-of-this-name/x"),
    ],
)
def test_a_setting_names_a_path(text: str, path: str) -> None:
    assert expand(text, Path("/root")) == Path(path.replace("HOME", os.environ["HOME"]))
