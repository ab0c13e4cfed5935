"""The index file: opened to be read or written, made, and judged before anything is asked of it."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from total_recall import clock, files
from total_recall.errors import (
    BusyError,
    NotFoundError,
    RecallError,
    RefusedError,
    UnreadableError,
)
from total_recall.sessions.stored import text_sha

APPLICATION_ID = 0x54524563  # "TREc"
VERSION = 1  # of schema.sql, and of what chunks.py and entities.py make of a text
BUSY_SECONDS = 10.0
CITING_SECONDS = 0.1  # to note what was shown is worth no waiting
DEADLINE_SECONDS = 2.0  # of one query
STEPS = 10_000  # of SQLite's machine between two looks at the clock
_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\x00"
_HINT = "make it anew: cocorecall import --rebuild"
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# What the disk or its permissions do; the index itself may be well.
_OF_DISK = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
)

FOLDER, NAME = ".cocoplus", "recall.db"
NONE, CURRENT, OLDER, NEWER, FOREIGN = "none", "current", "older", "newer", "foreign"


class DamagedError(UnreadableError):
    """The index is in pieces, so that only a new one helps."""


class UnaskableError(UnreadableError):
    """What stands in the place of an index cannot be opened at all."""


def path_in(root: Path) -> Path:
    """Give the place of a project's index."""
    return root / FOLDER / NAME


def state(path: Path) -> str:
    """Say what stands at the index's place, judged by the header of the file alone."""
    if path.is_dir() and not path.is_symlink():
        return FOREIGN
    try:
        with files.opened(path) as (file, _):
            header = file.read(_HEADER_BYTES)
    except NotFoundError:
        return NONE
    if not header:
        return NONE
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        return FOREIGN
    version = int.from_bytes(header[60:64], "big")
    own = int.from_bytes(header[68:72], "big")
    if own != APPLICATION_ID:
        return FOREIGN
    return NEWER if version > VERSION else OLDER if version < VERSION else CURRENT


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the index for questions.

    Raises NotFoundError if there is none yet, RefusedError for one of a newer version, and
    UnreadableError for whatever else cannot be asked, also when that turns out later.
    """
    found = state(path)
    if found == CURRENT and beside(path, "-journal").exists():
        _undo(path)
        found = state(path)
    if found == NONE:
        raise NotFoundError(f"no index at {path}", hint="make it: cocorecall import")
    if found == NEWER:
        raise RefusedError(f"{path} is of a newer version", hint="update Total Recall")
    if found == OLDER:
        raise UnreadableError(f"{path} is of an older version", hint="run: cocorecall import")
    if found == FOREIGN:
        raise UnreadableError(f"{path} is not an index of ours", hint=_HINT)
    with in_our_words(path), closing(_connect(path, "ro")) as db:
        # A broken text is told from what was said by its hash, not by an error.
        db.text_factory = _text
        yield db


def _undo(path: Path) -> None:
    """Undo what an import that was killed had half written; without it nobody could read."""
    with (
        suppress(sqlite3.DatabaseError),
        closing(_connect(path, "rw", seconds=CITING_SECONDS)) as db,
    ):
        db.execute("SELECT 1 FROM sqlite_schema").fetchone()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


@contextmanager
def asking(path: Path) -> Iterator[sqlite3.Connection]:
    """Open what may be an index, of whichever version and state, to see what it still gives.

    Raises UnaskableError if it gives nothing.
    """
    try:
        with in_our_words(path):
            db = _connect(path, "ro")
    except RecallError as error:
        raise UnaskableError(error.message) from None
    with closing(db):
        db.text_factory = _text
        yield db


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the index for an import; it is made if it is not there. The caller holds the lock.

    Raises DamagedError if it turns out to be in pieces, and UnreadableError if it cannot be
    written.
    """
    is_new = state(path) == NONE
    if is_new:
        files.remove(path)
        files.replace(path, b"")
    with in_our_words(path), closing(_connect(path, "rw")) as db:
        if is_new:
            schema = Path(__file__).with_name("schema.sql")
            with files.opened(schema) as (file, _):
                text = file.read().decode()
            db.executescript(
                f"BEGIN IMMEDIATE; {text} PRAGMA application_id = {APPLICATION_ID};"
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )
        db.execute("PRAGMA cache_size = -16384")
        yield db


@contextmanager
def in_our_words(path: Path) -> Iterator[None]:
    """Say what SQLite finds wrong as a problem with its next step."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_ERROR and "syntax error" in str(error):
            raise  # a mistake of ours, not of the index
        raise _problem(path, error) from error


def _problem(path: Path, error: sqlite3.DatabaseError) -> RecallError:
    exact = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if exact == sqlite3.SQLITE_READONLY_ROLLBACK:
        return UnreadableError(f"{path}: an import was interrupted", hint="run: cocorecall import")
    code = exact & 0xFF  # the rest says in which way
    if code in _IN_USE:
        return BusyError(f"{path} is in use", hint="try again")
    if code in _OF_DISK:
        hint = "look to the disk's room and to who may write there, then try again"
        return UnreadableError(f"{path}: {error}", hint=hint)
    return DamagedError(f"{path} is damaged: {error}", hint=_HINT)


def is_sound(path: Path) -> bool:
    """Say whether an index can be relied upon, as far as a short look tells.

    After an import that was interrupted it is looked at as a whole.
    """
    was_interrupted = beside(path, "-journal").exists()
    try:
        with writing(path) as db:
            if not was_interrupted:
                return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
            is_whole = db.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
            check_full_text(db)
            return is_whole and all(
                text_sha(text) == sha
                for text, sha in db.execute("SELECT text, text_sha FROM turns")
            )
    except DamagedError:
        return False


def check_full_text(db: sqlite3.Connection) -> None:
    """Hold the full-text table against the texts; it raises a DatabaseError if they differ."""
    db.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")


def beside(path: Path, end: str) -> Path:
    """Give a side file of an index."""
    return path.with_name(path.name + end)


def has_stray_log(path: Path) -> bool:
    """Say whether a write-ahead log lies beside an index that has none; it is of another file."""
    if not beside(path, "-wal").exists():
        return False
    with files.opened(path) as (file, _):
        return file.read(_HEADER_BYTES)[18:20] == b"\x01\x01"


@contextmanager
def unused(path: Path) -> Iterator[None]:
    """Keep others from writing to an index while it is moved, if it can be opened at all.

    A note that somebody writes meanwhile would leave its journal beside the one that takes its
    place.
    """
    try:
        db = _connect(path, "rw")
    except sqlite3.DatabaseError:
        yield
        return
    with closing(db):
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if isinstance(problem := _problem(path, error), BusyError):
                raise problem from None
        yield


@contextmanager
def citing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the index for one short note; whoever cannot have it at once goes without."""
    with closing(_connect(path, "rw", seconds=CITING_SECONDS)) as db:
        yield db


def _connect(path: Path, mode: str, seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    address = f"file:{_escaped(path.absolute())}?mode={mode}"
    db = sqlite3.connect(address, uri=True, timeout=seconds, isolation_level=None)
    db.execute("PRAGMA synchronous = FULL")
    return db


def _escaped(path: Path) -> str:
    """Give a path as it stands in an address; the library's own way takes longer to load."""
    return "".join(
        chr(byte) if (chr(byte).isalnum() and byte < 128) or byte in b"/-_." else f"%{byte:02X}"
        for byte in os.fsencode(path)
    )


@contextmanager
def deadline(db: sqlite3.Connection, seconds: float = DEADLINE_SECONDS) -> Iterator[None]:
    """Interrupt what is asked inside when the time is over."""
    end = clock.ticks() + seconds
    db.set_progress_handler(lambda: clock.ticks() > end, STEPS)
    try:
        yield
    finally:
        db.set_progress_handler(None, 0)


def stems(words: Sequence[str]) -> dict[str, str]:
    """Give what the index makes of each word that it takes as one, by its own tokenizer."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE words USING fts5 (word, tokenize = 'porter unicode61')")
        db.execute("CREATE VIRTUAL TABLE found USING fts5vocab (words, instance)")
        db.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words))
        rows = db.execute("SELECT doc, term FROM found WHERE offset = 0")
        return {words[number]: term for number, term in rows}


@contextmanager
def vocabulary(db: sqlite3.Connection) -> Iterator[Iterable[tuple[str, int]]]:
    """Give every stem of the index, with the number of chunks that hold it."""
    db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, passages_fts, row)")
    try:
        yield db.execute("SELECT term, doc FROM temp.terms")
    finally:
        db.execute("DROP TABLE temp.terms")
