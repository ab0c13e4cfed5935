"""Changes to a store: all of one, or nothing, and never another program's."""

import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from total_recall import dates, files
from total_recall.errors import BusyError, NotFoundError, RecallError, UnreadableError
from total_recall.memory import patch
from total_recall.memory.entry import Memory
from total_recall.memory.patch import Value
from total_recall.memory.store import (
    BOM,
    MAX_BYTES,
    Place,
    Store,
    contents,
    memories_in,
    parsed,
    real,
    tally,
)

LOCK_SECONDS = 2.0
TRIES = 5  # another program that writes without a lock is waited out so often

_IGNORED = (b"*.lock", b"*.bak", f".*{files.TEMPORARY}".encode())

Change = Callable[[Value], Mapping[patch.Path, Value]]


def change(place: Place, wanted: Change, at: datetime, known: Store | None = None) -> None:
    """Set what `wanted` gives for a store's present value, and leave the rest as it is written.

    Readers see the old file or the new one. `wanted` is asked again if another program writes
    meanwhile. What is `known` of the store is not worked out again if it still holds; `wanted`
    then gets that very value. Raises RecallError, with the store untouched, if it is not healthy,
    in use for longer than LOCK_SECONDS, or cannot be written.
    """

    def changed(text: str, value: Value) -> str:
        changes = wanted(value)
        return _checked(_replaced(text, changes), patch.updated(value, changes), place)

    _rewrite(place, at, changed, known)


def remove(place: Place, key: str, at: datetime, keep: Callable[[Memory], None]) -> bool:
    """Take the memory of a key out of a store; `keep` is called with it before that.

    It is called again if another program changes the memory meanwhile. Gives whether there was
    one. Raises RecallError as `change` does, and what `keep` raises.
    """
    kept: list[Memory] = []

    def without(text: str, value: Value) -> str:
        memories, _ = memories_in(value, place.scope)
        memory = next((each for each in memories if key in each.keys), None)
        if memory is None:
            return text
        if memory not in kept:
            keep(memory)
            kept.append(memory)
        changes = tally(value, dates.stamp(at), more=-1)
        less = patch.without(patch.updated(value, changes), memory.path)
        return _checked(patch.removed(_replaced(text, changes), memory.path), less, place)

    _rewrite(place, at, without)
    return bool(kept)


def _replaced(text: str, changes: Mapping[patch.Path, Value]) -> str:
    if not changes:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    return patch.replaced(text if text.strip() else f"{{}}{newline}", changes)


def _checked(text: str, value: Value, place: Place) -> str:
    """Give a new text, which must say exactly this value."""
    if text.strip() and patch.parse(text) != value:
        raise UnreadableError(f"{place.path}: the change would not come out as meant")
    return text


def _rewrite(
    place: Place,
    at: datetime,
    change_text: Callable[[str, Value], str],
    known: Store | None = None,
) -> None:
    path = real(place.path)
    try:
        with files.locked(path, seconds=LOCK_SECONDS):
            for _ in range(TRIES):
                data = _contents(path)
                if known and known.source == data:
                    value, text = known.value, data.decode().removeprefix(BOM)
                else:
                    value, text = parsed(data, path)
                new = change_text(text, value)
                if new == text:
                    return
                mark = BOM if data.startswith(BOM.encode()) else ""
                files.remove_temporary(path)
                _keep_yesterdays(path, data, at)
                if files.replace(path, (mark + new).encode(), only_over=data):
                    _ignore_ours(path.parent / ".gitignore")
                    return
        raise BusyError(f"{path} is being written by another program")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableError(f"{path}: {reason.lower()}") from None
    except RecursionError:
        raise UnreadableError(f"{path}: nested too deeply") from None


def _contents(path: Path) -> bytes:
    try:
        return contents(path)
    except NotFoundError:
        return b""


def _keep_yesterdays(path: Path, data: bytes, at: datetime) -> None:
    """Keep the store as it was before the first change of a day."""
    backup = path.with_name(f"{path.name}.bak")
    if backup.is_symlink():  # it might lead to a file that is nobody's backup
        files.remove(backup)
    day, mode = None, files.PRIVATE_FILE
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(path.stat().st_mode)
        day = datetime.fromtimestamp(backup.stat().st_mtime, at.tzinfo).date()
    if data and day != at.date():
        files.replace(backup, data, mode=mode)


def _ignore_ours(path: Path) -> None:
    """Add our own files to a `.gitignore` beside a store; none is made.

    The store is changed by then, so what hinders this is no matter.
    """
    with suppress(OSError, RecallError):
        held = files.read(path, most=MAX_BYTES)
        lines = held.split()
        missing = [name for name in _IGNORED if name not in lines]
        if missing and b"*" not in lines:
            joint = b"" if not held or held.endswith(b"\n") else b"\n"
            files.replace(path, held + joint + b"\n".join(missing) + b"\n", only_over=held)
