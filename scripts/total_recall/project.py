"""Which project we are in, and where it keeps its state."""

from collections.abc import Iterator
from pathlib import Path


def folders_upward(start: Path) -> Iterator[Path]:
    """Give the folder and its parents, no further than the git repository it lies in."""
    start = start.resolve()
    for folder in (start, *start.parents):
        yield folder
        if (folder / ".git").exists():
            return


def find_root(start: Path, marker: str) -> Path:
    """Give the nearest folder upward that holds `marker`, else the folder that we start in.

    >>> find_root(Path("/"), ".no-such-marker")
    PosixPath('/')
    """
    held = (folder for folder in folders_upward(start) if (folder / marker).exists())
    return next(held, start.resolve())


def repository_root(start: Path) -> Path:
    """Give the root of the git repository around a folder, else the folder itself."""
    folders = list(folders_upward(start))
    return folders[-1] if (folders[-1] / ".git").exists() else folders[0]


def expand(text: str, root: Path) -> Path:
    """Give the path that a setting names: `~` is the home folder, the rest starts at `root`.

    `~name` of a user who is not on this machine is taken as it stands.
    """
    path = Path(text)
    try:
        return root / path.expanduser()
    except RuntimeError:
        return root / path


def written(path: Path) -> str:
    """Give a path as a shared file may hold it: the home folder is `~`.

    >>> written(Path.home() / "x"), written(Path("/srv/x"))
    ('~/x', '/srv/x')
    """
    try:
        return str(Path("~", path.relative_to(Path.home())))
    except ValueError:
        return str(path)


def shown(path: Path, root: Path) -> str:
    """Give a path as short as it can be opened by: from a project's root, else from home.

    >>> shown(Path("/srv/harbor/docs/a.md"), Path("/srv/harbor")), shown(Path("/x"), Path("/srv"))
    ('docs/a.md', '/x')
    """
    return str(path.relative_to(root)) if path.is_relative_to(root) else written(path)
