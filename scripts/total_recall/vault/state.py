"""Where the vault of a project is, by its `.realm/realm-state.json`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from total_recall import files, project
from total_recall.errors import NotFoundError, RefusedError, UnreadableError

MARKER = ".realm/realm-state.json"
MAX_STATE_BYTES = 8 << 20  # older tools keep an index of every note in it

NO_STATE = "No realm state. Run /realm-forge first."
NO_NODES = (
    "No nodes in vault yet. Run /realm-forge to bootstrap, or /realm-planning to create plans."
)
INIT_HINT = "for any folder of Markdown: realm-recall init --dir docs/adr"


@dataclass(frozen=True)
class State:
    """The folder that holds a project's nodes, the root no link may leave, and stale notes.

    `stale` names the notes that the state file marks so, by id or path.
    """

    folder: Path
    fence: Path
    stale: frozenset[str] = frozenset()


def load(root: Path) -> State:
    """Read a project's state.

    Raises NotFoundError if there is none or a folder that it names is gone, UnreadableError if
    it is not what it should be.
    """
    path = root / MARKER
    try:
        data = files.read(path, most=MAX_STATE_BYTES)
    except NotFoundError:
        raise NotFoundError(NO_STATE, hint=INIT_HINT, fixed=True) from None
    return _state(_object(data, path), root, path)


def _object(data: bytes, path: Path) -> Mapping[str, Any]:
    try:
        facts = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UnreadableError(f"{path}: {place}: {error.msg}", hint="mend the JSON") from None
    except (ValueError, RecursionError):
        raise UnreadableError(f"{path}: no JSON in UTF-8", hint="mend or remove it") from None
    if not isinstance(facts, dict):
        raise UnreadableError(f"{path}: not a JSON object", hint=INIT_HINT)
    return facts


def _state(facts: Mapping[str, Any], root: Path, path: Path) -> State:
    named = {key: _text(facts, key, path) for key in ("vaultPath", "projectSlug", "projectDir")}
    if not named["projectDir"]:
        for key in ("vaultPath", "projectSlug"):
            if not named[key]:
                raise UnreadableError(f"{path}: `{key}` is missing", hint="or name `projectDir`")
    vault = project.expand(named["vaultPath"] or named["projectDir"], root)
    folder = (
        project.expand(named["projectDir"], root)
        if named["projectDir"]
        else vault / "projects" / named["projectSlug"]
    )
    if not _is_folder(folder):
        key = "projectDir" if named["projectDir"] else "vaultPath"
        raise NotFoundError(f"{path}: no folder {folder}", hint=f"mend `{key}` there")
    inside = folder.resolve().is_relative_to(vault.resolve())
    return State(folder, vault if inside else folder, _stale(facts.get("docs")))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name too long, or on a way that is closed to us
        return False


def _text(facts: Mapping[str, Any], key: str, path: Path) -> str:
    value = facts.get(key) or ""
    if not isinstance(value, str) or "\0" in value:
        raise UnreadableError(f"{path}: `{key}` is not a path", hint="give it as text")
    return value


def _stale(docs: object) -> frozenset[str]:
    """Give what an older state file's `docs` call stale: by key, id or path of the entry."""
    entries = (
        docs.items()
        if isinstance(docs, dict)
        else enumerate(docs if isinstance(docs, list) else [])
    )
    found: set[str] = set()
    for key, entry in entries:
        if isinstance(entry, dict) and entry.get("status") == "stale":
            names = (key, entry.get("id"), entry.get("path"), entry.get("file"))
            found.update(name for name in names if isinstance(name, str))
    return frozenset(found)


def init(root: Path, folder: Path, *, vault: Path | None = None, slug: str = "") -> Path:
    """Write the state file of a project that has none, and keep it out of git; give its path.

    `folder` holds the notes, in `vault` if that is given. Raises NotFoundError if it is not
    there, RefusedError if a state file is.
    """
    path = root / MARKER
    if path.exists() or path.is_symlink():
        raise RefusedError(f"{path} is there already", hint="edit it, or remove it first")
    if not _is_folder(folder):
        raise NotFoundError(f"no folder {folder}", hint="name the folder of the notes with --dir")
    facts = {
        "vaultPath": _written(vault or folder, root),
        "projectSlug": slug or root.name,
        "projectDir": _written(folder, root),
    }
    files.replace(path, (json.dumps(facts, indent=2) + "\n").encode())
    _ignore(root)
    return path


def _written(path: Path, root: Path) -> str:
    """Give a path as a state file names it: from the root or from home, so that both can move."""
    path = path.expanduser().absolute()
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _ignore(root: Path) -> None:
    """Add `.realm/` to the project's .gitignore, once."""
    path = root / ".gitignore"
    held = files.read(path, most=MAX_STATE_BYTES) if path.exists() else b""
    lines = {line.strip().strip(b"/") for line in held.splitlines()}
    if b".realm" in lines:
        return
    joint = b"" if not held or held.endswith(b"\n") else b"\n"
    files.replace(path, held + joint + b".realm/\n", mode=0o644)
