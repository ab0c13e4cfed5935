"""The stores of memories: where they are and what each holds."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from total_recall import clock, files, project
from total_recall.errors import UnreadableError
from total_recall.memory import patch
from total_recall.memory.entry import GLOBAL, PROJECT, Memory
from total_recall.memory.patch import Value

FOLDER = ".nemp"
STORE = "memories.json"
MOST_FAULTS = 10  # lines that name entries without a key; a file of none is no store
MAX_BYTES = 64 << 20  # a store of 40,000 memories; more is no store but an accident
UNFINISHED_SECONDS = 0.05  # for so long at most, another program's write in place is half done
BOM = "\ufeff"
_NOT_WRITTEN = "mend it by hand; it is left as it is"


@dataclass(frozen=True)
class Place:
    """Where a store is, or would be: PROJECT or GLOBAL, and its file."""

    scope: str
    path: Path


@dataclass(frozen=True)
class Store:
    """What a store holds: its memories in order, and a line for what in it is none.

    `value` is what its bytes, the `source`, say.
    """

    place: Place
    memories: tuple[Memory, ...]
    faults: tuple[str, ...] = ()
    source: bytes = field(default=b"", repr=False, compare=False)
    value: Value = field(default=None, repr=False, compare=False)


def places(start: Path, home: Path) -> list[Place]:
    """Give the stores that are there: the project's, then the global one; each file once.

    The project's is the nearest upward, no further than its git repository, and never the one
    in the home folder.
    """
    whole = Place(GLOBAL, home / FOLDER / STORE)
    found: list[Place] = []
    for folder in project.folders_upward(start):
        path = folder / FOLDER / STORE
        if _is_there(path) and not _is_same(path, whole.path):
            found.append(Place(PROJECT, path))
            break
    return [*found, whole] if _is_there(whole.path) else found


def place_for_new(start: Path, home: Path) -> Place:
    """Give where a memory is kept that belongs to no store yet.

    In a git repository, or below a folder that has a `.nemp`, that is the project's store.
    """
    if (held := places(start, home)) and held[0].scope == PROJECT:
        return held[0]
    whole = Place(GLOBAL, home / FOLDER / STORE)
    folders = [folder for folder in project.folders_upward(start) if folder != home.resolve()]
    for folder in folders:
        if (folder / FOLDER).is_dir():
            return Place(PROJECT, folder / FOLDER / STORE)
    repository = next((folder for folder in folders if (folder / ".git").exists()), None)
    return Place(PROJECT, repository / FOLDER / STORE) if repository else whole


def _is_there(path: Path) -> bool:
    """Say whether there is anything, were it a link to nothing, or out of our reach."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass
    return True


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return real(one) == real(other)


def real(path: Path) -> Path:
    """Give where a store really is, behind all links; a loop of links is left to whoever reads."""
    return Path(os.path.realpath(path))


def contents(path: Path) -> bytes:
    """Give a store's bytes; one that looks unfinished is read again a moment later.

    Programs that write in place leave it empty or cut for that moment.
    """
    data = files.read(path, most=MAX_BYTES)
    if data.rstrip().endswith((b"}", b"]")):
        return data
    clock.pause(UNFINISHED_SECONDS)
    return files.read(path, most=MAX_BYTES)


def read(place: Place) -> Store:
    """Give what a store holds. Raises UnreadableError, with the place, if it is not healthy."""
    source = contents(real(place.path))
    value, _ = parsed(source, place.path)
    memories, faults = memories_in(value, place.scope)
    if len(faults) > MOST_FAULTS:
        faults = [*faults[:MOST_FAULTS], f"{len(faults) - MOST_FAULTS} more entries have no key"]
    told = tuple(f"{place.path}: {fault}" for fault in faults)
    return Store(place, memories, told, source, value)


def parsed(data: bytes, path: Path) -> tuple[Value, str]:
    """Give a store's value and its text without a byte order mark; a blank one is an empty map."""
    try:
        text = data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(f"{path}: line {line}: not UTF-8", hint=_NOT_WRITTEN) from None
    if not text.strip():
        return {}, text
    try:
        value = patch.parse(text)
    except patch.NotJsonError as error:
        raise UnreadableError(f"{path}: {error}", hint=_NOT_WRITTEN) from None
    if not isinstance(value, dict | list):
        raise UnreadableError(f"{path}: neither an object nor a list", hint=_NOT_WRITTEN)
    return value, text


def memories_in(value: Value, scope: str) -> tuple[tuple[Memory, ...], list[str]]:
    """Give the memories of a store in any of its layouts, and what is wrong with the others.

    A layout is a map by key of objects or of plain values, a list of objects with a key, or
    either under `memories`.
    """
    held, top = _held(value)
    memories: list[Memory] = []
    faults: list[str] = []
    if isinstance(held, dict):
        for index, (name, entry) in enumerate(held.items()):
            own = entry.get("key") if isinstance(entry, dict) else None
            names = (own, name) if isinstance(own, str) else (name,)
            if keys := tuple(dict.fromkeys(each for each in names if each.strip())):
                memories.append(Memory(keys, entry, (*top, name), scope))
            else:
                faults.append(_without_key(index))
    elif isinstance(held, list):
        for index, entry in enumerate(held):
            own = entry.get("key") if isinstance(entry, dict) else None
            if isinstance(own, str) and own.strip():
                memories.append(Memory((own,), entry, (*top, index), scope))
            else:
                faults.append(_without_key(index))
    return tuple(memories), faults


def _without_key(index: int) -> str:
    return f"entry {index + 1} has no key and is passed over"


def _held(value: Value) -> tuple[Value, patch.Path]:
    """Give the list or map that holds the memories, and the path to it."""
    inner = value.get("memories") if isinstance(value, dict) else None
    is_wrapped = isinstance(inner, list) or (isinstance(inner, dict) and "value" not in inner)
    return (inner, ("memories",)) if is_wrapped else (value, ())


def path_for_new(value: Value, key: str) -> patch.Path:
    """Give the path at which a new memory goes into a store's value."""
    held, top = _held(value)
    return (*top, len(held) if isinstance(held, list) else key)


def tally(value: Value, stamp: str, *, more: int = 1) -> dict[patch.Path, Value]:
    """Give what changes in a store's own metadata, if it keeps some, with so many memories more."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    held, top = _held(value)
    if not top or not isinstance(metadata, dict) or not isinstance(held, list | dict):
        return {}
    fresh: dict[str, Value] = {"lastModified": stamp, "totalMemories": len(held) + more}
    return {("metadata", name): new for name, new in fresh.items() if name in metadata}
