import errno
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NoReturn

import pytest

from tests.conftest import REPOSITORY, Ran, snapshot
from tests.memory.test_change import AFTER, names_in
from total_recall import files
from total_recall.memory import change, cli, patch

STORE = '{"a": {"key": "a", "value": "one", "score": 0.90}}\n'
MAIN = "from total_recall.memory.cli import main\n"
LOOP = f"""{MAIN}import sys
for _ in range(int(sys.argv[1])):
    try:
        main(sys.argv[2:])
    except SystemExit as left:
        assert left.code == 0
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a project with a store of one memory."""
    folder = tmp_path / "project"
    (folder / ".nemp").mkdir(parents=True)
    (folder / ".nemp" / "memories.json").write_text(STORE)
    return folder


@pytest.fixture
def recalled(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run nemp-recall in this process."""

    def run(folder: Path, *words: str) -> Ran:
        with pytest.raises(SystemExit) as left:
            cli.main(["--root", str(folder), *words])
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, printed.out, printed.err)

    return run


def start(folder: Path, script: str, *words: str, out: int | IO[str] = subprocess.DEVNULL) -> Any:
    """Start a process in a folder that knows our modules."""
    environment = {
        "HOME": os.environ["HOME"],
        "PYTHONPATH": str(REPOSITORY / "scripts"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-c", script, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def running(folder: Path, script: str, *words: str) -> Iterator[Any]:
    """Give a process that runs meanwhile and is killed then."""
    process = start(folder, script, *words, out=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def run(folder: Path, script: str, *words: str) -> Ran:
    process = start(folder, script, *words, out=subprocess.PIPE)
    out, err = process.communicate()
    return Ran(process.returncode, out, err)


def held(folder: Path) -> Any:
    return patch.parse((folder / ".nemp" / "memories.json").read_text())


def reads(folder: Path) -> int:
    counted: int = held(folder)["a"].get("vitality", {}).get("reads", 0)
    return counted


# What cannot be counted or logged is said, and the answer stands


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES], ids=["EROFS", "EACCES"])
def test_where_no_file_can_be_made_a_read_still_answers(
    project: Path, recalled: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before = snapshot(project)
    opened = os.open

    def open_to_read(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(number, os.strerror(number))
        return opened(path, flags, *more, **named)

    # Permissions do not bind root, who may be running this.
    monkeypatch.setattr(os, "open", open_to_read)

    ran = recalled(project, "a")

    monkeypatch.undo()
    folder, reason = project / ".nemp", os.strerror(number).lower()
    assert (ran.code, '"one"' in ran.out) == (0, True)
    assert ran.err.splitlines() == [
        f"read not logged: {folder}/access.log: {reason}",
        f"read not counted: {folder}/memories.json.lock: {reason}",
    ]
    assert snapshot(project) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_in_a_folder_that_may_only_be_read_a_read_still_answers(
    project: Path, recalled: Callable[..., Ran]
) -> None:
    folder = project / ".nemp"
    folder.chmod(0o500)

    ran = recalled(project, "a")

    names = names_in(folder)
    folder.chmod(0o700)
    assert (ran.code, '"one"' in ran.out) == (0, True)
    assert ran.err.splitlines() == [
        f"read not logged: {folder}/access.log: permission denied",
        f"read not counted: {folder}/memories.json.lock: permission denied",
    ]
    assert (names, reads(project)) == (["memories.json"], 0)


def test_a_file_system_without_locks_is_said(
    project: Path, recalled: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    import filelock

    def fail(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(filelock.FileLock, "acquire", fail)

    ran = recalled(project, "a")

    lock = project / ".nemp" / "memories.json.lock"
    assert (ran.code, '"one"' in ran.out) == (0, True)
    assert ran.err == f"read not counted: {lock}: this file system knows no locks\n"
    assert (project / ".nemp" / "memories.json").read_text() == STORE


def test_a_store_that_is_broken_after_it_was_read_is_not_counted_in(
    project: Path, recalled: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / ".nemp" / "memories.json"
    locked = files.locked

    def locked_late(store: Path, *, seconds: float) -> Any:
        path.write_text("<<<<<<< HEAD\n{}")
        return locked(store, seconds=seconds)

    monkeypatch.setattr(files, "locked", locked_late)

    ran = recalled(project, "a")

    assert (ran.code, '"one"' in ran.out) == (0, True)
    assert ran.err == (
        f"read not counted: {path}: line 1, column 1: git conflict markers"
        " (mend it by hand; it is left as it is)\n"
    )
    assert path.read_text() == "<<<<<<< HEAD\n{}"


CALLS = "open fdopen fchmod fsync replace rename unlink stat lstat chmod mkdir listdir scandir"


@pytest.mark.fault
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("can_exchange", [True, False], ids=["exchange", "rename"])
def test_whichever_call_fails_a_read_leaves_the_old_store_or_the_new_one(
    project: Path,
    recalled: Callable[..., Ran],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    can_exchange: bool,
) -> None:
    folder = project / ".nemp"
    (folder / ".gitignore").touch()
    change_now, done = change.change, 0

    def change_with_a_fault(*args: Any, **options: Any) -> None:
        calls = 0

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def one_of_many(*given: Any, **named: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == nth:
                    raise OSError(number, os.strerror(number))
                return call(*given, **named)

            return one_of_many

        with monkeypatch.context() as faulty:
            for name in CALLS.split():
                faulty.setattr(os, name, counted(getattr(os, name)))
            try:
                change_now(*args, **options)
            finally:
                seen.append(calls)

    if not can_exchange:
        monkeypatch.setattr(files, "_exchanged", lambda *_: False)
    monkeypatch.setattr(change, "change", change_with_a_fault)
    seen: list[int] = []
    nth = 0
    while not seen or seen[-1] >= nth:
        nth += 1
        (folder / "memories.json").write_text(STORE)
        (folder / "memories.json.bak").unlink(missing_ok=True)

        ran = recalled(project, "a")

        assert (ran.code, '"one"' in ran.out) == (0, True)
        assert ran.err == "" or (
            ran.err.startswith(f"read not counted: {folder}/") and ran.err.count("\n") == 1
        )
        new = held(project)
        assert (reads(project), new["a"]["value"]) in [(0, "one"), (1, "one")]
        if ran.err == "":
            done += 1
            assert reads(project) == 1
        elif reads(project) == 0:
            assert (folder / "memories.json").read_text() == STORE

    monkeypatch.undo()
    recalled(project, "a")
    assert nth > 12
    assert done > 0
    assert names_in(folder) == [".gitignore", "access.log", *AFTER]


LIMITED = f"""import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
{MAIN}main()"""


@pytest.mark.fault
def test_on_a_full_disk_a_read_still_answers_and_the_store_stays(project: Path) -> None:
    path = project / ".nemp" / "memories.json"
    path.write_text(json.dumps({"a": "one", "b": "x" * 8000}))
    before = path.read_bytes()

    ran = run(project, LIMITED, "a")

    assert (ran.code, '"one"' in ran.out) == (0, True)
    assert ran.err == f"read not counted: {path}: file too large\n"
    assert path.read_bytes() == before
    assert names_in(path.parent) == ["access.log", "memories.json", "memories.json.lock"]


@pytest.mark.fault
def test_on_a_full_disk_a_memory_is_not_saved_and_that_is_said(project: Path) -> None:
    path = project / ".nemp" / "memories.json"
    path.write_text(json.dumps({"a": "one", "b": "x" * 8000}))
    before = path.read_bytes()

    ran = run(project, LIMITED, "save", "new", "thing")

    assert ran == Ran(1, "", f"nemp-recall save: {path}: file too large\n")
    assert path.read_bytes() == before
    assert names_in(path.parent) == ["memories.json", "memories.json.lock"]


HOLD = """import fcntl, os, sys, time
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.mark.fault
def test_a_store_that_another_process_holds_is_waited_for_two_seconds(project: Path) -> None:
    path = project / ".nemp" / "memories.json"
    lock = files.lock_path(path)
    with running(project, HOLD, str(lock)) as holder:
        assert holder.stdout.readline() == "held\n"
        begin = time.monotonic()

        ran = run(project, f"{MAIN}main()", "a")

        took = time.monotonic() - begin
    assert (ran.code, '"one"' in ran.out) == (0, True)
    assert ran.err == (
        f"read not counted: {path} is in use (wait for the process that holds {lock})\n"
    )
    assert change.LOCK_SECONDS <= took < change.LOCK_SECONDS + 3
    assert path.read_text() == STORE

    # The lock went with the process that was killed.
    assert run(project, f"{MAIN}main()", "a").err == ""
    assert reads(project) == 1


# Many processes


@pytest.mark.fault
@pytest.mark.slow
def test_eight_processes_that_read_fifty_times_are_all_counted(project: Path) -> None:
    readers = [start(project, LOOP, "50", "--agent", name, "a") for name in "abcdefgh"]
    ended = [(reader.communicate()[1], reader.returncode) for reader in readers]

    lines = (project / ".nemp" / "access.log").read_text().splitlines()
    today = datetime.now(UTC).date().isoformat()
    assert ended == [("", 0)] * 8
    assert reads(project) == 400
    assert sorted(line.partition("] ")[2] for line in lines) == [
        f"READ key=a agent={name} query=a" for name in "abcdefgh" for _ in range(50)
    ]
    assert {line[:11] for line in lines} <= {f"[{today}", lines[0][:11]}
    assert '"score": 0.90' in (project / ".nemp" / "memories.json").read_text()


SAVE = f"""{MAIN}import sys
for number in range(10_000):
    try:
        main(["save", sys.argv[1] + "-" + str(number), "kept"])
    except SystemExit as left:
        assert left.code == 0
"""
ROUNDS = 60


@pytest.mark.fault
@pytest.mark.slow
def test_what_was_saved_outlives_sixty_kills(project: Path) -> None:
    delays = random.Random(7)
    acknowledged: list[str] = []
    for number in range(ROUNDS):
        with running(project, SAVE, f"r{number}") as saver:
            first = saver.stdout.readline()  # it comes, so no lock is left behind
            time.sleep(delays.uniform(0, 0.01))
            saver.kill()
            rest, err = saver.communicate()
        acknowledged += [first, *rest.splitlines(keepends=True)]

        assert err == ""
        kept = {f"Saved [{key}] in project (.nemp/memories.json)\n" for key in held(project)}
        assert set(acknowledged) <= kept

    run(project, f"{MAIN}main()", "save", "last", "kept")
    assert len(acknowledged) >= ROUNDS
    assert names_in(project / ".nemp") == AFTER


AGENT = """import json, os, sys, time
path, how = sys.argv[1:]
for number in range(100):
    with open(path) as file:
        held = json.load(file)
    held[f"agent-{number}"] = {"value": "theirs"}
    text = json.dumps(held, indent=2)
    with open(path if how == "in place" else path + ".theirs", "w") as file:
        file.write(text)
    if how == "anew":
        os.replace(path + ".theirs", path)
    time.sleep(0.008)
"""
FOREVER = LOOP.replace("assert left.code == 0", "pass")


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize("how", ["in place", "anew"])
def test_an_agent_that_takes_no_lock_keeps_all_that_it_writes(project: Path, how: str) -> None:
    path = project / ".nemp" / "memories.json"
    other = path.with_name("other")
    other.touch()
    if not files._exchanged(path, other) or not files._exchanged(path, other):
        pytest.skip("this system exchanges no files")
    log = path.with_name("access.log")
    with running(project, FOREVER, "10000", "a") as reader:
        while not log.exists() and reader.poll() is None:
            time.sleep(0.01)

        agent = run(project, AGENT, str(path), how)

        counted = len(log.read_text().splitlines())
    assert agent == Ran(0, "", "")
    assert set(held(project)) == {"a", *(f"agent-{number}" for number in range(100))}
    assert counted > 10
