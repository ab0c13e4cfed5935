"""Transcripts into the index: what is unchanged is passed by, what grew is read on."""

import hashlib
import json
import ntpath
import os
import posixpath
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path, PurePosixPath, PureWindowsPath

from total_recall import files
from total_recall.errors import RecallError
from total_recall.sessions import sources, times
from total_recall.sessions.draft import Mark, ReachesBackError
from total_recall.sessions.formats import Value
from total_recall.sessions.model import Turn
from total_recall.sessions.reading import Content, File, Reading, UnreadError, content_of, ends_of
from total_recall.sessions.records import Faults
from total_recall.sessions.sources import Source
from total_recall.sessions.stored import storable
from total_recall.sessions.writing import SessionWriter, Writer, mark_of, mark_text

GROUP_BYTES = 32 << 20  # of sources, whose sessions are committed together
GROUP_CHANGES = 20_000
FUTURE = timedelta(days=1)  # how far clocks of machines may be apart


@dataclass
class Counts:
    """What an import did."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    turns: int = 0
    failed: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Candidate:
    """A file that may be a transcript, with the state that tells whether it has changed."""

    path: Path
    source: Source
    size: int
    state: str


def candidates(listed: Iterable[Source], failed: list[tuple[Path, str]]) -> Iterator[Candidate]:
    """Give the files of the sources that are used, each once, and note what cannot be listed."""
    seen: set[Path] = set()
    for source in listed:
        if not source.enabled or not source.is_there:
            continue
        for each in sources.transcripts(source):
            if isinstance(each, files.Skipped):
                failed.append((each.path, each.reason))
            elif each not in seen:
                seen.add(each)
                found = _candidate(each, source)
                if isinstance(found, Candidate):
                    yield found
                elif found:
                    failed.append((each, found))


def _candidate(path: Path, source: Source) -> Candidate | str:
    """Give a file with its state, or why it cannot be read; "" if it has just gone."""
    try:
        str(path).encode()
        facts = path.stat()
    except UnicodeEncodeError:
        return "its name is no UTF-8"
    except FileNotFoundError:
        return ""
    except OSError as error:
        return (error.strerror or str(error)).lower()
    # What changes whenever the file does, or what belongs to it.
    state = f"{_identity(facts)}:{facts.st_size}:{facts.st_mtime_ns}:{source.scope}"
    other = sources.beside(path)
    try:
        more = other.stat() if other else None
    except OSError:
        more = None
    beside = f":{more.st_size}:{more.st_mtime_ns}" if more else ""
    return Candidate(path, source, facts.st_size, state + beside)


def _identity(facts: os.stat_result) -> str:
    return f"{facts.st_dev}:{facts.st_ino}"


@dataclass(frozen=True)
class _Looked:
    """A candidate that is open, with its content.

    `about` is what is said about it from outside, as a hash, `modified` its time.
    """

    each: Candidate
    file: File
    content: Content
    identity: str
    modified: str
    about: str


@dataclass(frozen=True)
class _Before:
    """What an earlier import left of a file.

    `only_grew` says that all that was read then still stands there; then `mark` is where to go
    on, and `faults` are what could not be read up to there.
    """

    only_grew: bool = False
    mark: Mark = field(default_factory=Mark)
    faults: tuple[tuple[int, str], ...] = ()


# What a reader of ours may stumble over in a file that nobody foresaw; the file is named then.
_SURPRISES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
)


class Importer:
    """Imports files into an index, in groups of whole sessions."""

    def __init__(
        self, db: sqlite3.Connection, root: Path, *, since: str, zone: tzinfo, at: datetime
    ) -> None:
        self.counts = Counts()
        self._db = db
        self._writer = Writer(db)
        self._root = root
        self._since = since
        self._zone = zone
        self._at = at
        self._bytes = 0
        self._changes = 0

    def run(
        self,
        listed: Iterable[Source],
        progress: Callable[[list[Candidate]], Callable[[Candidate], None]],
    ) -> Counts:
        """Import what has changed; each session is wholly in or wholly out at any moment."""
        found = list(candidates(listed, self.counts.failed))
        rows = self._db.execute(
            "SELECT path, state, (SELECT count(*) FROM sessions WHERE source_path = path)"
            " FROM files"
        )
        known = {path: (state, sessions) for path, state, sessions in rows}
        advance = progress(found)
        for each in found:
            state, sessions = known.get(str(each.path), ("", 0))
            if state == each.state:
                self.counts.unchanged += sessions
            else:
                self._begin()
                self._import(each)
                if self._bytes > GROUP_BYTES or self._changes > GROUP_CHANGES:
                    self._commit()
            advance(each)
        self._begin()
        self._note_sources(listed)
        self._forget_failures(known.keys() - {str(each.path) for each in found})
        self._commit()
        return self.counts

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _is_known(self, each: Candidate) -> bool:
        """Say whether a file has turns in the index, which may have to be taken out."""
        row = self._db.execute(
            "SELECT 1 FROM sessions WHERE source_path = ? LIMIT 1", (str(each.path),)
        ).fetchone()
        return row is not None

    def _commit(self) -> None:
        self._writer.flush()
        self._writer.index_passages()
        self._db.execute("COMMIT")
        self._bytes = self._changes = 0

    def _import(self, each: Candidate) -> None:
        try:
            with files.opened(each.path) as (data, facts):
                modified = datetime.fromtimestamp(facts.st_mtime, UTC)
                file = File(
                    data,
                    facts.st_size,
                    each.path.name.removesuffix(each.path.suffix),
                    each.path.parts[:-1],
                    self._zone,
                    times.stored(modified + FUTURE),
                    sources.description(each.path),
                    lambda session: _is_beside(each.path, session),
                )
                self._read(each, file, _identity(facts), times.stored(modified))
        except (RecallError, UnreadError) as error:
            self._note_failure(each, str(error).removeprefix(f"{each.path}: "))
        except _SURPRISES as error:
            self._note_failure(each, f"unforeseen: {type(error).__name__}: {error}"[:200])

    def _read(self, each: Candidate, file: File, identity: str, modified: str) -> None:
        content = content_of(file)
        if content is None:
            before = self._before(each, file, identity, "")
            self._leave_sessions(each, set(), only_grew=before.only_grew)
            self._note(each, file, identity)
        elif not self._is_wanted(each, file, content):
            self._note(each, file, identity)
        else:
            about = sources.lasting(file.beside)
            before = self._before(each, file, identity, about)
            looked = _Looked(each, file, content, identity, modified, about)
            try:
                self._pass(looked, before, patient=bool(self._since))
            except ReachesBackError:
                self._pass(looked, _Before(before.only_grew), patient=True)

    def _before(self, each: Candidate, file: File, identity: str, about: str) -> _Before:
        row = self._db.execute(
            "SELECT size, ends, mark, faults FROM files WHERE path = ?", (str(each.path),)
        ).fetchone()
        size, ends, mark, named = row or (0, "", "", "")
        if size > file.size or ends != _ends(file, size, identity, mark, named):
            return _Before()
        start = mark_of(mark, about)
        faults = ((at, reason) for at, reason in json.loads(named) if at < start.offset)
        return _Before(True, start, tuple(faults))

    def _pass(self, looked: _Looked, before: _Before, *, patient: bool) -> None:
        self._writer.flush()
        if self._is_known(looked.each) or looked.file.size > GROUP_BYTES:
            self._writer.index_passages()
        passages = self._writer.passages
        self._writer.may_index = passages == 0
        self._db.execute("SAVEPOINT file")
        writers: dict[str, SessionWriter] = {}
        start = before.mark

        def known(session: str) -> Callable[[str], bytes | None]:
            path = str(looked.each.path)
            writers[session] = SessionWriter(
                self._writer, session, path, start, only_grew=before.only_grew
            )
            return writers[session].known

        reading = Reading(looked.file, looked.content, mark=start, known=known, patient=patient)
        reading.faults.named += before.faults
        taken: dict[str, bool] = {}
        try:
            for draft, item in reading.items():
                session = draft.facts.id
                if session not in taken:
                    started = draft.facts.started or looked.modified
                    taken[session] = not self._since or self._since <= started
                if isinstance(item, Turn) and not item.time:
                    item.time = looked.modified
                if taken[session]:
                    writers[session].put(item)
            self._finish(looked, reading, writers, taken, only_grew=before.only_grew)
        except BaseException:
            self._writer.forget_waiting(passages if self._db.in_transaction else 0)
            if self._db.in_transaction:  # a full disk has rolled all back already
                self._db.execute("ROLLBACK TO file")
            raise
        finally:
            if self._db.in_transaction:
                self._db.execute("RELEASE file")
        self._bytes += looked.file.size - start.offset

    def _finish(
        self,
        looked: _Looked,
        reading: Reading,
        writers: dict[str, SessionWriter],
        taken: dict[str, bool],
        *,
        only_grew: bool,
    ) -> None:
        for session, draft in reading.drafts.items():
            if not taken.get(session, not self._since):
                self.counts.skipped += 1
                continue
            if not draft.facts.started:
                draft.facts.started = draft.facts.ended = looked.modified
            writer = writers[session]
            writer.finish(draft)
            self._changes += writer.changes
            self.counts.turns += writer.changes
            if writer.changes and writer.is_new:
                self.counts.new += 1
            elif writer.changes:
                self.counts.updated += 1
            elif not writer.is_new:
                self.counts.unchanged += 1
        if all(taken.values()):
            each = looked.each
            there = {storable(session)[0] for session in reading.drafts}
            self._leave_sessions(each, there, only_grew=only_grew)
            mark = mark_text(reading.mark(), looked.about)
            unknown = reading.unknown()
            name = reading.format
            self._note(each, looked.file, looked.identity, name, mark, reading.faults, unknown)

    def _leave_sessions(self, each: Candidate, there: set[str], *, only_grew: bool) -> None:
        """Take out, or mark, the sessions that a file no longer holds."""
        rows = self._db.execute(
            "SELECT key, id FROM sessions WHERE source_path = ?", (str(each.path),)
        ).fetchall()
        for key, session in rows:
            if session not in there:
                left = self._writer.leave_session(key, only_grew=only_grew)
                self._changes += left
                self.counts.turns += left
                self.counts.updated += bool(left)

    def _is_wanted(self, each: Candidate, file: File, content: Content) -> bool:
        if each.source.scope != sources.PROJECT:
            return True
        where = [file.beside, *content.first]
        folder = next((found for value in where if (found := _folder_of(value))), "")
        return bool(folder) and _is_inside(folder, self._root)

    def _note(
        self,
        each: Candidate,
        file: File,
        identity: str,
        name: str = "",
        mark: str = "",
        faults: Faults | None = None,
        unknown: dict[str, int] | None = None,
    ) -> None:
        """Note that a file was read, as what, and how far; without a name it is no transcript."""
        told = faults or Faults()
        named = json.dumps(told.named)
        self._db.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
            (
                str(each.path), each.source.written, name, each.state, file.size,
                _ends(file, file.size, identity, mark, named), mark, told.count, named,
                json.dumps(unknown or {}),
            ),
        )  # fmt: skip

    def _note_failure(self, each: Candidate, reason: str) -> None:
        """Note why a file cannot be read; what was read of it earlier stays, and where."""
        self.counts.failed.append((each.path, reason))
        self._db.execute(
            "INSERT INTO files VALUES (?, ?, '', '', 0, '', '', 0, '[]', '{}', ?)"
            " ON CONFLICT (path) DO UPDATE SET error = excluded.error, state = ''",
            (str(each.path), each.source.written, storable(reason)[0]),
        )

    def _note_sources(self, listed: Iterable[Source]) -> None:
        at = times.stored(self._at)
        for source in listed:
            if source.enabled and source.is_there:
                self._db.execute(
                    "INSERT OR REPLACE INTO sources VALUES (?, ?)", (source.written, at)
                )

    def _forget_failures(self, gone: Iterable[str]) -> None:
        """Forget why files could not be read that are not there any more."""
        paths = [(path,) for path in gone]
        self._db.executemany("UPDATE files SET error = '' WHERE path = ? AND error <> ''", paths)


def _ends(file: File, size: int, identity: str, mark: str, faults: str) -> str:
    """Give a hash of which file it is, of its ends at a size, and of what was noted up to there."""
    whole = f"{identity}:{ends_of(file.data, size)}:{mark}:{faults}"
    return hashlib.sha256(whole.encode()).hexdigest()


def _is_beside(path: Path, session: str) -> bool:
    """Say whether a session has a file of its own beside this one; ids of data are no paths."""
    if os.sep in session:
        return False
    try:
        return path.with_name(f"{session}{path.suffix}").is_file()
    except (OSError, ValueError):  # what no file can be named
        return False


def _folder_of(value: Value) -> str:
    for key in ("cwd", "working_directory"):
        held = value.get(key)
        if isinstance(held, str) and held:
            return held
    return ""


def _is_inside(folder: str, root: Path) -> bool:
    """Say whether a session's folder is a project's or below it, however it is spelled.

    >>> _is_inside("c:\\\\Work\\\\shop\\\\api", Path("C:/work/shop"))
    True
    """
    held = _parts(str(root))
    return _parts(folder)[: len(held)] == held


def _parts(path: str) -> tuple[str, ...]:
    if "\\" in path or PureWindowsPath(path).drive:
        plain = ntpath.normpath(path.removeprefix("\\\\?\\"))
        return tuple(part.lower() for part in PureWindowsPath(plain).parts)
    return PurePosixPath(posixpath.normpath(path)).parts
