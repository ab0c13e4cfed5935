"""Reading regular files inside a root, and writing so that nobody meets half of anything."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from total_recall.errors import BusyError, NotFoundError, OutsideError, UnreadableError

MAX_PATH_CHARACTERS = 1024
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
PUBLIC_FILE = 0o644
PUBLIC_FOLDER = 0o755
POLL_SECONDS = 0.01  # how often a lock is asked for
TEMPORARY = ".total-recall"  # the end of a temporary file's name; other programs have theirs


@dataclass(frozen=True)
class Skipped:
    """A path that was not read, and why."""

    path: Path
    reason: str


def walk(
    folder: Path, root: Path, *, suffix: str, enter: Callable[[str], bool]
) -> Iterator[Path | Skipped]:
    """Give the real path of each file below `folder` that ends in `suffix`, in name order.

    With an empty suffix that is every file.

    Folders are entered if `enter(name)` says so. A link inside `root` is followed, unless it
    leads to what is walked anyway; one that leads out is given as `Skipped`, as is everything
    else that cannot be listed. Loops end, and nothing is given twice.
    """
    top = os.path.realpath(folder)
    fence = os.path.realpath(root)
    seen = {top}
    waiting = [top]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            yield Skipped(Path(here), f"folder not listed: {_reason(error)}")
            continue
        below: list[str] = []
        for entry in entries:
            is_folder = _is_folder(entry)
            wanted = entry.name.endswith(suffix) and not (is_folder and not suffix)
            entered = is_folder and not wanted and enter(entry.name)
            if not entered and not wanted:
                continue
            path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            if path in seen or (entry.is_symlink() and _within(path, top) and _is_there(entry)):
                continue
            if not _within(path, fence):
                yield Skipped(Path(entry.path), f"a link out of {root.name}")
            elif entered:
                seen.add(path)
                below.append(path)
            elif is_folder:
                yield Skipped(Path(entry.path), "a folder, not a file")
            elif not _is_there(entry):
                yield Skipped(Path(entry.path), "a link to nothing")
            else:
                seen.add(path)
                yield Path(path)
        waiting.extend(reversed(below))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_there(entry: os.DirEntry[str]) -> bool:
    """Say whether a link leads to anything; what is no link is there."""
    return not entry.is_symlink() or Path(entry.path).exists()


def read(path: Path, *, most: int) -> bytes:
    """Give the bytes of a regular file that is no link.

    Raises UnreadableError for what is not a regular file of at most `most` bytes, without ever
    waiting on a FIFO or a device, and NotFoundError for what is not there.
    """
    with _regular(path, os.O_RDONLY) as (descriptor, size):
        if size > most:
            raise UnreadableError(f"{path}: {size:,} bytes, over the limit of {most:,}")
        return _read_all(descriptor, size)


@contextmanager
def opened(path: Path) -> "Iterator[tuple[BinaryIO, os.stat_result]]":
    """Open a regular file that is no link for reading; give it with what is known of it.

    Raises UnreadableError and NotFoundError as `read` does.
    """
    with (
        _regular(path, os.O_RDONLY) as (descriptor, _),
        os.fdopen(descriptor, "rb", buffering=1 << 20, closefd=False) as file,
    ):
        yield file, os.fstat(descriptor)


@contextmanager
def _regular(path: Path, flags: int) -> Iterator[tuple[int, int]]:
    """Open a regular file that is no link; give its descriptor and its size."""
    flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, PRIVATE_FILE)
    except FileNotFoundError:
        raise NotFoundError(f"{path}: not there") from None
    except OSError as error:
        raise UnreadableError(f"{path}: {_reason(error)}") from None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise UnreadableError(f"{path}: not a regular file")
        yield descriptor, facts.st_size
    except OSError as error:
        raise UnreadableError(f"{path}: {_reason(error)}") from None
    finally:
        os.close(descriptor)


def _read_all(descriptor: int, size: int) -> bytes:
    data = os.read(descriptor, size)
    if len(data) == size:
        return data
    chunks = [data]
    while chunk := os.read(descriptor, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def inside(root: Path, text: str) -> Path:
    """Give the real path that a relative path from data names below a root.

    Raises OutsideError for an absolute path, one with `..`, a drive, a backslash or a NUL, one
    of over 1,024 characters, and one that leaves the root through a link.
    """
    parts = PurePosixPath(text).parts
    if (
        not 0 < len(text) <= MAX_PATH_CHARACTERS
        or "\0" in text
        or "\\" in text
        or text.startswith(("/", "~"))
        or ".." in parts
        or PureWindowsPath(text).drive
    ):
        raise OutsideError(f"{text[:80]!r} is not a path inside {root.name}")
    try:
        target = os.path.realpath(root / text)
    except ValueError:  # a lone surrogate, which no file's name can hold
        raise OutsideError(f"{text[:80]!r} is not a path") from None
    if not _within(target, os.path.realpath(root)):
        raise OutsideError(f"{text[:80]!r} leads out of {root.name}")
    return Path(target)


def _within(target: str, root: str) -> bool:
    return target == root or target.startswith(root.rstrip(os.sep) + os.sep)


def append(path: Path, data: bytes) -> None:
    """Add whole lines to the end of a file in one write, so that no other writer's get between.

    They begin on a line of their own, also behind an unfinished one; if two writers end that at
    once, a blank line is left. A missing file is made, private to the user; its folder must be
    there. Raises UnreadableError for what is not a regular file or takes no more, without ever
    waiting, and NotFoundError if there is no folder.
    """
    with _regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as (descriptor, size):
        last = os.pread(descriptor, 1, size - 1) if size else b"\n"
        whole = data if last == b"\n" else b"\n" + data
        written = os.write(descriptor, whole)
        if written < len(whole):
            raise UnreadableError(f"{path}: {written:,} of {len(whole):,} bytes written")


def replace(
    path: Path, data: bytes, *, mode: int = PRIVATE_FILE, only_over: bytes | None = None
) -> bool:
    """Put a file in place whole: a reader sees the old bytes or the new ones.

    A file that exists keeps its mode, and one behind a link is replaced where it really is.
    Missing folders are made, private to the user. With `only_over`, the file stays if it no
    longer holds those bytes (none, if it was not there). Gives whether the new one is in place.
    """
    target = Path(os.path.realpath(path))
    _make_folder(target.parent, PRIVATE_FOLDER)
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(target.stat().st_mode)
    import tempfile

    start = _temporary_start(target)
    descriptor, temporary = tempfile.mkstemp(suffix=TEMPORARY, prefix=start, dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if only_over is None:
            Path(temporary).replace(target)
        elif not _replaced_over(only_over, Path(temporary), target):
            Path(temporary).unlink(missing_ok=True)
            return False
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    return True


def _replaced_over(old: bytes, new: Path, target: Path) -> bool:
    """Put a new file in place of one with these bytes; say whether it was that one.

    Between this look at the file and its replacement another program may write. So where the
    system can, the two are exchanged at one stroke, and what was not expected is put back.
    """
    try:
        held = target.read_bytes()
    except FileNotFoundError:
        held = b""
    if held != old:
        return False
    if not _exchanged(new, target):
        new.replace(target)
    elif new.read_bytes() == old:
        new.unlink()
    else:
        new.replace(target)
        return False
    return True


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two files at one stroke; say whether the system could."""
    import ctypes

    at_working_folder, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
    try:
        rename = ctypes.CDLL(None).renameat2
    except AttributeError:
        return False
    names = at_working_folder, os.fsencode(one), at_working_folder, os.fsencode(other)
    return bool(rename(*names, exchange) == 0)


def remove_temporary(path: Path) -> None:
    """Remove what a process that was killed while it replaced a file left beside it.

    Only its lock's holder may ask for this; another one's file could be meant.
    """
    for left in path.parent.iterdir():
        if left.name.startswith(_temporary_start(path)) and left.suffix == TEMPORARY:
            left.unlink(missing_ok=True)


def _temporary_start(target: Path) -> str:
    return f".{target.name}."


@contextmanager
def locked(path: Path, *, seconds: float) -> Iterator[None]:
    """Be the only one of our processes that changes a file, by a lock file beside it.

    Raises BusyError if another one holds the lock for so long, and UnreadableError if there can
    be none. A lock goes with its process. Missing folders are made, private to the user.
    """
    import filelock

    place = lock_path(path)
    if place.is_symlink():  # some versions of filelock would empty what it leads to
        raise UnreadableError(f"{place}: a link, which is no lock", hint="remove it")
    try:
        _make_folder(path.parent, PRIVATE_FOLDER)
        lock = filelock.FileLock(place, timeout=seconds, mode=PRIVATE_FILE)
        lock.acquire(poll_interval=POLL_SECONDS)
    except filelock.Timeout:
        hint = f"wait for the process that holds {place}"
        raise BusyError(f"{path} is in use", hint=hint) from None
    except OSError as error:
        raise UnreadableError(f"{place}: {_reason(error)}") from None
    except NotImplementedError:
        raise UnreadableError(f"{place}: this file system knows no locks") from None
    try:
        yield
    finally:
        lock.release()


def lock_path(path: Path) -> Path:
    """Give the lock file of a file."""
    return path.with_name(f"{path.name}.lock")


def _make_folder(folder: Path, mode: int) -> None:
    """Make a folder and what is missing above it, all of this mode whatever the umask is."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=mode, exist_ok=True)
        each.chmod(mode)


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class Content:
    """What a file is to hold, and its mode."""

    data: bytes
    mode: int = PUBLIC_FILE


def replace_folder(target: Path, contents: Mapping[str, Content]) -> None:
    """Put a folder of exactly these files (by relative path) in place of what is there.

    It is built beside the target and swapped in, so that nobody meets half of it; if that
    fails, the old one comes back.
    """
    import shutil
    import tempfile

    target.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    old = new.with_name(f"{new.name}.old")
    try:
        new.chmod(PUBLIC_FOLDER)
        for name, content in contents.items():
            path = new / name
            _make_folder(path.parent, PUBLIC_FOLDER)
            path.write_bytes(content.data)
            path.chmod(content.mode)
        had_one = target.exists() or target.is_symlink()
        if had_one:
            target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            if had_one:
                old.rename(target)
            raise
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old)
    else:
        old.unlink(missing_ok=True)


def contents_of(folder: Path, *, most: int) -> dict[str, bytes]:
    """Give every file below a folder by its relative path; links are not followed.

    Links and whatever else is no regular file are there, with no bytes.
    """
    found: dict[str, bytes] = {}
    for here, folders, names in os.walk(folder):
        links = [name for name in folders if Path(here, name).is_symlink()]
        for name in names + links:
            path = Path(here, name)
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(folder).as_posix()] = read(path, most=most)
            else:
                found[path.relative_to(folder).as_posix()] = b""
    return dict(sorted(found.items()))


def move(path: Path, target: Path) -> None:
    """Move a file of ours at one stroke, over what is there; missing folders are made, private."""
    _make_folder(target.parent, PRIVATE_FOLDER)
    path.replace(target)
    sync_folder(target.parent)


def keep_last(folder: Path, most: int) -> None:
    """Remove the folders in a folder of ours, but for the last `most` by name."""
    import shutil

    for old in sorted(folder.iterdir())[:-most]:
        shutil.rmtree(old, ignore_errors=True)


def remove(path: Path) -> None:
    """Remove a file of ours, if it is there."""
    path.unlink(missing_ok=True)


def remove_if_empty(folder: Path) -> bool:
    """Remove a folder with nothing in it; say whether it is gone."""
    try:
        folder.rmdir()
    except OSError:
        return not folder.exists()
    return True


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
