"""The index kept up: imports under a lock, rebuilds into a new file, what was there set aside."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from total_recall import files
from total_recall.errors import NotFoundError, RefusedError, UnreadableError
from total_recall.sessions import carry, index
from total_recall.sessions.importer import Candidate, Counts, Importer, candidates
from total_recall.sessions.sources import STATE_FOLDER, Source

QUARANTINE = "quarantine"
MOST_QUARANTINED = 3
LOCK_SECONDS = 30.0  # an import of what a day brings takes less
IGNORED = ("recall.db*", "quarantine/")
MAX_IGNORE_BYTES = 1 << 20
_LOG = ("-wal", "-shm")
_SIDECARS = ("", "-journal", *_LOG)

Progress = Callable[[Sequence[Candidate]], Callable[[Candidate], None]]


@dataclass(frozen=True)
class _Wish:
    """What to import, and how."""

    root: Path
    listed: list[Source]
    since: str
    zone: tzinfo
    at: datetime
    progress: Progress

    def into(self, db: sqlite3.Connection) -> Counts:
        """Import into an index that is open."""
        importer = Importer(db, self.root, since=self.since, zone=self.zone, at=self.at)
        return importer.run(self.listed, self.progress)


def refresh(
    root: Path,
    listed: list[Source],
    *,
    since: str,
    rebuild: bool,
    zone: tzinfo,
    at: datetime,
    progress: Progress,
) -> tuple[Counts, str]:
    """Import what is new or changed, and give what was done, with a remark; "" if there is none.

    An index that is of an older version, in pieces or none of ours is built anew, and what only
    it held is carried over. Raises BusyError while another import goes on, RefusedError for an
    index of a newer version, which stays as it is, and UnreadableError where none can be written.
    """
    path = index.path_in(root)
    wish = _Wish(root, listed, since, zone, at, progress)
    with _in_our_words(path), files.locked(path, seconds=LOCK_SECONDS):
        ignore(root)
        _finish_rebuild(path)
        found = index.state(path)
        if found == index.NEWER:
            hint = "update Total Recall, or move the file away"
            raise RefusedError(f"{path} is of a newer version", hint=hint)
        if found == index.CURRENT and index.has_stray_log(path):
            _set_aside(path, at, _LOG)
        is_sound = found == index.NONE or (found == index.CURRENT and index.is_sound(path))
        if is_sound and not rebuild:
            try:
                with index.writing(path) as db:
                    return wish.into(db), ""
            except index.DamagedError:  # which a short look does not find
                pass
        return _rebuilt(path, wish)


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    """Say what the system refuses as a problem with its place."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnreadableError(f"{error.filename or path}: {reason}") from None


def _new(path: Path) -> Path:
    return path.with_name(f"{path.name}.new")


def _rebuilt(path: Path, wish: _Wish) -> tuple[Counts, str]:
    new = _new(path)
    for end in _SIDECARS:
        files.remove(index.beside(new, end))
    with index.writing(new) as db:
        counts = wish.into(db)
        carried = carry.over(path, db)
        index.check_full_text(db)
    with index.unused(path):
        place = _set_aside(path, wish.at, _SIDECARS)
        files.move(new, path)
    said = [f"{carried.sessions} sessions and {carried.citations} citations carried over"]
    if carried.lost:
        said.append(f"not carried over, as it cannot be read: {carried.lost}")
    if place:
        said.append(f"the old one is in {place}")
    return counts, "; ".join(said)


def _finish_rebuild(path: Path) -> None:
    """Put a new index in its place if the process that made it ended just before it did so."""
    new = _new(path)
    is_whole = new.exists() and not index.beside(new, "-journal").exists()
    if is_whole and index.state(path) == index.NONE and index.state(new) == index.CURRENT:
        files.move(new, path)


def _set_aside(path: Path, at: datetime, ends: Sequence[str]) -> Path | None:
    """Move an index, or what lies beside it, into quarantine, of which the last three stay."""
    held = [part for end in ends if (part := index.beside(path, end)).exists()]
    if not held:
        return None
    place = path.parent / QUARANTINE / f"{at:%Y%m%dT%H%M%S%f}Z"
    for part in held:
        files.move(part, place / part.name)
    files.keep_last(path.parent / QUARANTINE, MOST_QUARANTINED)
    return place


def ignore(root: Path) -> None:
    """See to it that git leaves the index alone."""
    path = root / STATE_FOLDER / ".gitignore"
    try:
        held = files.read(path, most=MAX_IGNORE_BYTES).decode("utf-8", "surrogateescape")
    except NotFoundError:
        held = ""
    lines = [line.rstrip("\r") for line in held.split("\n")]
    missing = [line for line in IGNORED if line not in lines and f"/{line}" not in lines]
    if missing:
        end = "\r\n" if "\r\n" in held else "\n"
        before = held if not held or held.endswith("\n") else held + end
        text = before + "".join(f"{line}{end}" for line in missing)
        files.replace(path, text.encode("utf-8", "surrogateescape"), mode=files.PUBLIC_FILE)


def pending(path: Path, listed: list[Source]) -> tuple[int, list[tuple[Path, str]]]:
    """Give how many files of the sources are not in the index as they are, and what is unreadable.

    Files that were found to be no transcripts do not count.
    """
    failed: list[tuple[Path, str]] = []
    found = list(candidates(listed, failed))
    if index.state(path) != index.CURRENT:
        return len(found), failed
    with index.reading(path) as db:
        states = dict(db.execute("SELECT path, state FROM files").fetchall())
    return sum(states.get(str(each.path)) != each.state for each in found), failed
