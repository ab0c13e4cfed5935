"""Putting the skills where hosts look for them, and taking away exactly what was put there."""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from total_recall import clock, files
from total_recall.errors import NotFoundError, RefusedError, UnreadableError
from total_recall.files import Content

MAX_MANIFEST_BYTES = 1 << 20

Hashes = dict[str, str]


@dataclass(frozen=True)
class Installed:
    """A folder that we put in place: the hash of each file, and the parents made for it."""

    files: Hashes
    made: tuple[str, ...]
    at: str


def manifest_path() -> Path:
    """Give where we note what was installed."""
    data = os.environ.get("XDG_DATA_HOME")
    base = Path(data) if data and Path(data).is_absolute() else Path.home() / ".local/share"
    return base / "total-recall" / "installed.json"


def read_manifest(path: Path) -> dict[str, Installed]:
    """Give what was installed, by folder. Raises UnreadableError for a file that is not ours."""
    try:
        facts = json.loads(files.read(path, most=MAX_MANIFEST_BYTES))
        return {
            folder: Installed(dict(entry["files"]), tuple(entry["made"]), entry["at"])
            for folder, entry in facts["folders"].items()
        }
    except NotFoundError:
        return {}
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        hint = "move it away; then --force takes the skill folders over"
        raise UnreadableError(f"{path}: not a list of what was installed", hint=hint) from None


def write_manifest(path: Path, folders: Mapping[str, Installed]) -> None:
    """Keep what was installed; the same again is not written again."""
    if path.exists() and read_manifest(path) == folders:
        return
    facts: dict[str, Any] = {
        folder: {"at": entry.at, "made": list(entry.made), "files": entry.files}
        for folder, entry in sorted(folders.items())
    }
    text = json.dumps({"schema": "total-recall-installed/1", "folders": facts}, indent=1)
    files.replace(path, f"{text}\n".encode())


def forget_manifest(path: Path) -> None:
    """Remove the list of what was installed, once it is empty."""
    files.remove(path)
    files.remove(files.lock_path(path))
    files.remove_if_empty(path.parent)


def state_of(target: Path, contents: Mapping[str, Content], known: Installed | None) -> str:
    """Say how a target stands: `missing`, `same`, `ours` (an older one), `changed` or `foreign`.

    `changed` is ours with something in it that somebody else put there or edited. A folder of
    exactly these files is `same` even if nobody remembers it, as after a crash.
    """
    if not target.exists() and not target.is_symlink():
        return "missing"
    if target.is_symlink() or not target.is_dir():
        return "foreign"
    held = hashes_in(target)
    if held == hashes(contents):
        return "same"
    if known is None:
        return "foreign"
    return "ours" if held == known.files else "changed"


def remembered(contents: Mapping[str, Content], made: tuple[str, ...] = ()) -> Installed:
    """Give what to remember of a folder of these files."""
    return Installed(hashes(contents), made, clock.now().isoformat(timespec="seconds"))


def install(
    target: Path,
    contents: Mapping[str, Content],
    known: Installed | None,
    others: Iterable[Installed] = (),
) -> Installed:
    """Put a skill's folder in place and give what to remember of it.

    The parents that were made for `others` are remembered with each folder in them, since the
    one that is removed last takes them away. Whether it may be put there is for the caller to
    ask of `state_of`. Raises RefusedError if the system does not let us.
    """
    above = set(map(str, target.parents))
    made_above = {parent for other in others for parent in other.made if parent in above}
    missing = known.made if known else map(str, _missing_parents(target))
    made = tuple(sorted(made_above.union(missing), key=len))
    try:
        files.replace_folder(target, contents)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = f"make {target.parent} a folder that you can write to"
        raise RefusedError(f"{target} not installed: {reason}", hint=hint) from None
    return remembered(contents, made)


def uninstall(target: Path, known: Installed) -> list[str]:
    """Remove the files of a folder that are still as we put them, and the folders made for it.

    Gives the names of the files that were left because somebody added or changed them. A link
    in the folder's place is somebody's too, and what it leads to is not touched.
    """
    left: list[str] = []
    if target.is_dir() and not target.is_symlink():
        for name, digest in hashes_in(target).items():
            if known.files.get(name) == digest:
                files.remove(target / name)
            else:
                left.append(name)
        inside = {target / parent for name in known.files for parent in Path(name).parents}
        for folder in sorted(inside, key=lambda path: len(path.parts), reverse=True):
            files.remove_if_empty(folder)
    for parent in reversed(known.made):
        files.remove_if_empty(Path(parent))
    return left


def refuse_what_is_not_ours(target: Path, state: str) -> None:
    """Raise RefusedError for a target, in this state, that is not ours to overwrite."""
    reasons = {"changed": "was changed since it was installed", "foreign": "is not ours"}
    if reason := reasons.get(state):
        raise RefusedError(f"{target} {reason}; left as it is", hint="--force overwrites it")


def hashes(contents: Mapping[str, Content]) -> Hashes:
    """Give the SHA-256 of each file that is to be put in place."""
    return {name: hashlib.sha256(content.data).hexdigest() for name, content in contents.items()}


def hashes_in(folder: Path) -> Hashes:
    """Give the SHA-256 of each file in a folder, of any size: somebody may have added one."""
    held = files.contents_of(folder, most=sys.maxsize)
    return {name: hashlib.sha256(data).hexdigest() for name, data in held.items()}


def _missing_parents(target: Path) -> Iterator[Path]:
    """Give the folders above a target that are not there yet, the outermost first."""
    missing = [parent for parent in target.parents if not parent.exists()]
    yield from reversed(missing)
