import difflib
import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.conftest import REPOSITORY, snapshot
from tests.memory.test_patch import stores
from total_recall import files
from total_recall.errors import BusyError, RecallError, RefusedError, UnreadableError
from total_recall.memory import change, patch, store, vitality
from total_recall.memory.change import change as set_in
from total_recall.memory.change import remove
from total_recall.memory.entry import PROJECT, Memory
from total_recall.memory.patch import Value
from total_recall.memory.store import Place, memories_in

BOM = "\ufeff"
AT = datetime.now(UTC)
AFTER = ["memories.json", "memories.json.bak", "memories.json.lock"]


def fill(folder: Path, text: str | bytes = '{"a": {"value": "one", "n": 1}}') -> Place:
    """Make a store of this text beside nothing else, and give its place."""
    path = folder / ".nemp" / "memories.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Place(PROJECT, path)


def setting(*path: str | int, to: Value) -> change.Change:
    return lambda _: {path: to}


def reading(key: str) -> change.Change:
    """Want what a counted read of one memory changes."""

    def wanted(value: Value) -> dict[patch.Path, Value]:
        memories, _ = memories_in(value, PROJECT)
        (memory,) = (each for each in memories if key in each.keys)
        entry = memory.entry if isinstance(memory.entry, dict) else {"value": memory.entry}
        after = vitality.after_read(entry, AT, frozenset())
        return patch.differences(memory.entry, after, memory.path)

    return wanted


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def changed_lines(old: str, new: str) -> int:
    """Count the lines that a diff takes away and adds."""
    both = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return sum(
        (end - start) + (new_end - new_start)
        for kind, start, end, new_start, new_end in both.get_opcodes()
        if kind != "equal"
    )


# What is changed, and what is not


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('{"a": {"n": 1}}', '{"a": {"n": 2}}', id="one line without an end"),
        pytest.param(f'{BOM}{{"a": {{"n": 1}}}}', f'{BOM}{{"a": {{"n": 2}}}}', id="mark"),
        pytest.param(
            '{\r\n  "a": {\r\n    "n": 1\r\n  }\r\n}\r\n',
            '{\r\n  "a": {\r\n    "n": 2\r\n  }\r\n}\r\n',
            id="CRLF",
        ),
        pytest.param(
            '{"z": 0.90, "a": {"score": 0.90, "n": 1, "ε": "\\u00e9", "é": 1e2}, "b": [ 1,2 ]}\n\n',
            '{"z": 0.90, "a": {"score": 0.90, "n": 2, "ε": "\\u00e9", "é": 1e2}, "b": [ 1,2 ]}\n\n',
            id="order and spelling",
        ),
    ],
)
def test_nothing_but_the_value_changes(tmp_path: Path, old: str, new: str) -> None:
    place = fill(tmp_path, old)

    set_in(place, setting("a", "n", to=2), AT)

    assert place.path.read_bytes() == new.encode()


def test_what_is_known_of_a_store_counts_only_while_it_holds(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": {"n": 1}}')
    known = store.read(place)
    seen: list[Value] = []

    def wanted(value: Value) -> dict[patch.Path, Value]:
        seen.append(value)
        return {("a", "n"): 2}

    change.change(place, wanted, AT, known)
    change.change(place, wanted, AT, known)

    assert seen[0] is known.value
    assert seen[1] == {"a": {"n": 2}}


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o640], ids=oct)
def test_the_mode_stays_and_the_backup_has_it_too(tmp_path: Path, mode: int) -> None:
    place = fill(tmp_path)
    place.path.chmod(mode)

    set_in(place, setting("a", "n", to=2), AT)

    both = [place.path, place.path.with_name("memories.json.bak")]
    assert [stat.S_IMODE(path.stat().st_mode) for path in both] == [mode, mode]


@pytest.mark.parametrize("path", stores("sera_memories_*.json"))
def test_a_read_of_a_real_store_changes_few_lines(tmp_path: Path, path: Path) -> None:
    old = path.read_bytes()
    held = json.loads(old)

    for key in held:
        place = fill(tmp_path / key, old)
        set_in(place, reading(key), AT)

        new = place.path.read_bytes()
        entry = vitality.after_read(held[key], AT, frozenset())
        assert json.dumps(patch.parse(new.decode())) == json.dumps({**held, key: entry})
        # Six values, and the reads of each day after the last one.
        assert 0 < changed_lines(old.decode(), new.decode()) <= 17


@pytest.mark.parametrize("path", stores("sera_memories_*.json"))
def test_a_second_read_of_a_real_store_changes_fewer_lines(tmp_path: Path, path: Path) -> None:
    place = fill(tmp_path, path.read_bytes())

    for key in json.loads(path.read_bytes()):
        set_in(place, reading(key), AT)
        old = place.path.read_text()
        set_in(place, reading(key), AT)

        assert 0 < changed_lines(old, place.path.read_text()) <= 14


LAYOUTS = [
    pytest.param('{"a": {"key": "a", "v": 1}}', '{"a": {"key": "a", "v": 2}}', id="map"),
    pytest.param('{"a": {"v": 1}}', '{"a": {"v": 2}}', id="map without inner keys"),
    pytest.param('{"a": "1", "b": "1"}', '{"a": {"v": 2}, "b": "1"}', id="map of texts"),
    pytest.param('[{"key": "a", "v": 1}]', '[{"key": "a", "v": 2}]', id="list"),
    pytest.param(
        '{"memories": [{"key": "a", "v": 1}]}',
        '{"memories": [{"key": "a", "v": 2}]}',
        id="list under memories",
    ),
    pytest.param(
        '{"version": "1.0", "memories": [{"key": "a", "v": 1}], "metadata": {"n": 0.90}}',
        '{"version": "1.0", "memories": [{"key": "a", "v": 2}], "metadata": {"n": 0.90}}',
        id="list with metadata",
    ),
    pytest.param(
        '{"memories": {"a": {"v": 1}}}', '{"memories": {"a": {"v": 2}}}', id="map under memories"
    ),
]


@pytest.mark.parametrize(("old", "new"), LAYOUTS)
def test_every_layout_is_written_back_as_it_was(tmp_path: Path, old: str, new: str) -> None:
    place = fill(tmp_path, old)

    def wanted(value: Value) -> dict[patch.Path, Value]:
        memory = memories_in(value, PROJECT)[0][0]
        if isinstance(memory.entry, dict):
            return {(*memory.path, "v"): 2}
        return {memory.path: {"v": 2}}

    set_in(place, wanted, AT)

    assert place.path.read_text() == new


def test_of_texts_only_the_one_that_is_read_becomes_an_object(tmp_path: Path) -> None:
    place = fill(tmp_path, '{\n  "a": "one",\n  "b": "two",\n  "c": "three"\n}\n')

    set_in(place, reading("b"), AT)

    held: Any = json.loads(place.path.read_text())
    assert [held["a"], held["b"]["value"], held["c"]] == ["one", "two", "three"]
    assert held["b"]["vitality"]["reads"] == 1
    assert place.path.read_text().startswith('{\n  "a": "one",\n  "b": {\n    "value": "two",\n')
    assert place.path.read_text().endswith('  },\n  "c": "three"\n}\n')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"", b'{\n  "a": 1\n}\n', id="no bytes"),
        pytest.param(b" \n", b'{\n  "a": 1\n}\n', id="blank"),
        pytest.param(b"\r\n", b'{\r\n  "a": 1\r\n}\r\n', id="CRLF"),
        pytest.param(b"\xef\xbb\xbf", b'\xef\xbb\xbf{\n  "a": 1\n}\n', id="a mark"),
    ],
)
def test_a_blank_store_becomes_a_map(tmp_path: Path, old: bytes, new: bytes) -> None:
    place = fill(tmp_path, old)

    set_in(place, setting("a", to=1), AT)

    assert place.path.read_bytes() == new


def test_a_new_store_and_its_folder_are_private(tmp_path: Path) -> None:
    place = Place(PROJECT, tmp_path / ".nemp" / "memories.json")

    set_in(place, setting("a", to=1), AT)

    assert place.path.read_text() == '{\n  "a": 1\n}\n'
    assert names_in(place.path.parent) == ["memories.json", "memories.json.lock"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (place.path, place.path.parent)] == [
        0o600,
        0o700,
    ]


def test_without_a_change_nothing_is_written(tmp_path: Path) -> None:
    place = fill(tmp_path)
    before = snapshot(tmp_path)

    set_in(place, lambda _: {}, AT)
    set_in(place, setting("a", "n", to=1), AT)

    files.remove(files.lock_path(place.path))
    assert {**snapshot(tmp_path), ".nemp": before[".nemp"]} == before


def test_a_link_to_a_store_stays_and_its_target_changes(tmp_path: Path) -> None:
    target = fill(tmp_path / "elsewhere")
    link = tmp_path / ".nemp" / "memories.json"
    link.parent.mkdir()
    link.symlink_to(target.path)

    set_in(Place(PROJECT, link), setting("a", to=2), AT)

    assert link.is_symlink()
    assert target.path.read_text() == '{"a": 2}'
    assert names_in(link.parent) == ["memories.json"]
    assert names_in(target.path.parent) == AFTER


UNHEALTHY = [
    pytest.param(b'{\n  "a": "1', "line 2, column 8: ", id="cut"),
    pytest.param(b'{\n<<<<<<< a\n"a": 1\n}', "line 2, column 1: git conflict", id="conflict"),
    pytest.param(b'{"a": 1, "a": 2}', 'line 1, column 10: the key "a" ', id="a key twice"),
    pytest.param(b'{"a": NaN}', "line 1, column 7: NaN is not JSON", id="NaN"),
    pytest.param(b'{"a": "\xe9"}', "line 1: not UTF-8", id="Latin-1"),
    pytest.param(b'"a"', "neither an object nor a list", id="text"),
]


@pytest.mark.parametrize(("text", "reason"), UNHEALTHY)
def test_a_store_that_is_not_healthy_is_never_written(
    tmp_path: Path, text: bytes, reason: str
) -> None:
    place = fill(tmp_path, text)
    before = snapshot(place.path.parent)

    for act in (
        lambda: set_in(place, setting("a", to=3), AT),
        lambda: remove(place, "a", AT, lambda _: None),
    ):
        with pytest.raises(UnreadableError) as refused:
            act()
        assert refused.value.message.startswith(f"{place.path}: {reason}")

    files.remove(files.lock_path(place.path))
    assert snapshot(place.path.parent) == before


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["FIFO", "folder"])
def test_what_is_no_plain_file_is_never_replaced(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    place = Place(PROJECT, tmp_path / "memories.json")
    make(place.path)
    before = snapshot(tmp_path)

    with pytest.raises(UnreadableError) as refused:
        set_in(place, setting("a", to=3), AT)

    files.remove(files.lock_path(place.path))
    assert refused.value.message == f"{place.path}: not a regular file"
    assert snapshot(tmp_path) == before


def test_a_store_is_changed_at_every_depth_that_it_is_read_at_or_that_is_said(
    tmp_path: Path,
) -> None:
    said = set()
    for depth in range(850, 1000):
        place = fill(tmp_path, f'{{"a": 1, "b": {"[" * depth}{"]" * depth}}}')
        try:
            set_in(place, reading("a"), AT)
        except UnreadableError as error:
            said.add(error.message.removeprefix(f"{place.path}: "))

    assert said <= {"line 1, column 1: nested too deeply", "nested too deeply"}


# Other programs


def test_what_another_program_writes_meanwhile_stays(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": 1}')
    seen: list[Value] = []

    def wanted(value: Value) -> dict[patch.Path, Value]:
        seen.append(value)
        if len(seen) <= 2:
            place.path.write_text(f'{{"a": 1, "theirs": {len(seen)}}}')
        return {("a",): 2}

    set_in(place, wanted, AT)

    assert seen == [{"a": 1}, {"a": 1, "theirs": 1}, {"a": 1, "theirs": 2}]
    assert place.path.read_text() == '{"a": 2, "theirs": 2}'
    assert names_in(place.path.parent) == AFTER


@pytest.mark.parametrize("how", ["in place", "anew"])
def test_what_is_written_between_the_last_look_and_the_replacement_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    place = fill(tmp_path, '{"a": 1}')
    theirs = fill(tmp_path / "theirs", '{"a": 1, "theirs": 1}').path
    exchanged = files._exchanged
    if not exchanged(theirs, fill(tmp_path / "other", theirs.read_bytes()).path):
        pytest.skip("this system exchanges no files")
    tries: list[str] = []

    def exchanged_late(one: Path, other: Path) -> bool:
        if not tries and how == "anew":
            theirs.replace(place.path)
        elif not tries:
            place.path.write_bytes(theirs.read_bytes())
        tries.append(how)
        return exchanged(one, other)

    monkeypatch.setattr(files, "_exchanged", exchanged_late)

    set_in(place, setting("a", to=2), AT)

    assert place.path.read_text() == '{"a": 2, "theirs": 1}'
    assert names_in(place.path.parent) == AFTER


def test_where_the_system_exchanges_no_files_the_store_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = fill(tmp_path, '{"a": 1}')
    monkeypatch.setattr(files, "_exchanged", lambda *_: False)

    set_in(place, setting("a", to=2), AT)

    assert place.path.read_text() == '{"a": 2}'
    assert names_in(place.path.parent) == AFTER


def test_a_store_that_is_always_written_by_another_program_is_left_to_it(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": 0}')
    counted = iter(range(1, 99))

    def wanted(_: Value) -> dict[patch.Path, Value]:
        place.path.write_text(f'{{"a": {next(counted)}}}')
        return {("b",): 1}

    with pytest.raises(BusyError) as refused:
        set_in(place, wanted, AT)

    assert refused.value.message == f"{place.path} is being written by another program"
    assert place.path.read_text() == f'{{"a": {change.TRIES}}}'
    assert change.TRIES == 5
    assert names_in(place.path.parent) == AFTER


def test_a_store_that_another_program_takes_away_meanwhile_is_made_anew(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": 1}')
    seen: list[Value] = []

    def wanted(value: Value) -> dict[patch.Path, Value]:
        seen.append(value)
        place.path.unlink(missing_ok=True)
        return {("b",): 2}

    set_in(place, wanted, AT)

    assert seen == [{"a": 1}, {}]
    assert place.path.read_text() == '{\n  "b": 2\n}\n'


# The backup, temporary files and .gitignore


def test_a_store_is_kept_as_it_was_before_the_first_change_of_a_day(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": 1}')
    backup = place.path.with_name("memories.json.bak")
    kept = []

    for number, days in enumerate([0, 0, 1, 1], 2):
        moment = AT + timedelta(days)
        set_in(place, setting("a", to=number), moment)
        kept.append(json.loads(backup.read_text()))
        # The clock of the disk keeps to ours.
        os.utime(backup, (moment.timestamp(), moment.timestamp()))

    assert kept == [{"a": 1}, {"a": 1}, {"a": 3}, {"a": 3}]


def test_a_backup_that_leads_elsewhere_writes_nothing_there(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": 1}')
    backup = place.path.with_name("memories.json.bak")
    (tmp_path / "mine").write_text("mine")
    os.utime(tmp_path / "mine", (0, 0))

    for target in ("mine", "gone"):
        backup.symlink_to(tmp_path / target)
        set_in(place, setting("a", to=target), AT)
        backup.unlink()

    assert (tmp_path / "mine").read_text() == "mine"
    assert names_in(tmp_path) == [".nemp", "mine"]


def test_a_lock_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    place = fill(tmp_path)
    lock = files.lock_path(place.path)
    (tmp_path / "mine").write_text("mine")
    lock.symlink_to(tmp_path / "mine")
    before = snapshot(tmp_path)

    with pytest.raises(UnreadableError) as refused:
        set_in(place, setting("a", to=2), AT)

    assert refused.value.message == f"{lock}: a link, which is no lock"
    assert snapshot(tmp_path) == before


FOREIGN = [
    ".memories.json.swp",  # an editor's
    ".memories.json.Xk3f9a",  # a copying program's
    ".memories.json.ab12cd34.tmp",
    ".other.json.ab12cd34.total-recall",
    "memories.json.tmp",
]


def test_temporary_files_of_a_killed_process_go_and_no_other(tmp_path: Path) -> None:
    place = fill(tmp_path)
    ours = [".memories.json.ab12cd34.total-recall", ".memories.json.bak.ab12cd34.total-recall"]
    for name in [*FOREIGN, *ours]:
        (place.path.parent / name).touch()

    set_in(place, setting("a", to=2), AT)

    assert names_in(place.path.parent) == sorted([*FOREIGN, *AFTER])


def test_what_a_process_leaves_that_dies_before_the_replacement_goes(tmp_path: Path) -> None:
    place = fill(tmp_path)
    set_in(place, setting("a", to=2), AT)
    script = (
        "import os, sys; from pathlib import Path; from total_recall import files\n"
        "os.fsync = lambda _: os._exit(9)\n"
        "files.replace(Path(sys.argv[1]), b'new')\n"
    )
    environment = {"PYTHONPATH": str(REPOSITORY / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}

    died = subprocess.run([sys.executable, "-c", script, place.path], env=environment)
    left = names_in(place.path.parent)
    set_in(place, setting("a", to=3), AT)

    assert (died.returncode, len(left)) == (9, len(AFTER) + 1)
    assert names_in(place.path.parent) == AFTER


OURS = "*.lock\n*.bak\n.*.total-recall\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"", OURS.encode(), id="empty"),
        pytest.param(b"secret\n", b"secret\n" + OURS.encode(), id="with a line"),
        pytest.param(b"secret", b"secret\n" + OURS.encode(), id="without a line's end"),
        pytest.param(b"# caf\xe9\n", b"# caf\xe9\n" + OURS.encode(), id="not UTF-8"),
        pytest.param(
            b"*.bak\r\n*.lock\r\n", b"*.bak\r\n*.lock\r\n.*.total-recall\n", id="with some"
        ),
        pytest.param(OURS.encode(), OURS.encode(), id="with all"),
        pytest.param(b"*\n", b"*\n", id="with everything"),
    ],
)
def test_a_gitignore_beside_the_store_names_our_files(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    place = fill(tmp_path)
    ignored = place.path.with_name(".gitignore")
    ignored.write_bytes(old)

    for number in (2, 3):
        set_in(place, setting("a", to=number), AT)

    assert ignored.read_bytes() == new


def test_what_git_ignores_is_all_of_ours(tmp_path: Path) -> None:
    place = fill(tmp_path)
    place.path.with_name(".gitignore").touch()
    (place.path.parent / ".memories.json.ab12cd34.total-recall").touch()
    git = ["git", "-C", str(place.path.parent)]
    subprocess.run([*git, "init", "--quiet"], check=True)

    set_in(place, setting("a", to=2), AT)
    (place.path.parent / ".archive.json.ab12cd34.total-recall").touch()

    done = subprocess.run(
        [*git, "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "?? .gitignore\n?? memories.json\n"


@pytest.mark.parametrize("kind", ["none", "folder", "link"])
def test_no_gitignore_is_made_and_what_is_none_hinders_no_change(tmp_path: Path, kind: str) -> None:
    place = fill(tmp_path)
    ignored = place.path.with_name(".gitignore")
    (tmp_path / "mine").write_text("mine\n")
    if kind == "folder":
        ignored.mkdir()
    elif kind == "link":
        ignored.symlink_to(tmp_path / "mine")

    set_in(place, setting("a", to=2), AT)

    assert json.loads(place.path.read_text()) == {"a": 2}
    assert (ignored.exists(), (tmp_path / "mine").read_text()) == (kind != "none", "mine\n")


# Taking a memory out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('{\n  "a": 1,\n  "b": 0.90\n}\n', '{\n  "b": 0.90\n}\n', id="map"),
        pytest.param('[{"key": "a"}, "text"]', '["text"]', id="list"),
        pytest.param('{"b": 1, "x": {"key": "a"}}', '{"b": 1}', id="by its own key"),
        pytest.param(f'{BOM}{{"a": 1}}\r\n', f"{BOM}{{}}\r\n", id="the last one"),
        pytest.param('{"memories": {"a": 1}}', '{"memories": {}}', id="under memories"),
        pytest.param(
            '{"memories": [{"key": "b"}, {"key": "a"}], "metadata": {"totalMemories": 2}}',
            '{"memories": [{"key": "b"}], "metadata": {"totalMemories": 1}}',
            id="counted",
        ),
    ],
)
def test_a_memory_goes_and_nothing_else(tmp_path: Path, old: str, new: str) -> None:
    place = fill(tmp_path, old)
    kept: list[Memory] = []

    assert remove(place, "a", AT, kept.append)

    assert place.path.read_bytes() == new.encode()
    assert ["a" in memory.keys for memory in kept] == [True]


def test_a_memory_that_is_not_there_is_not_kept(tmp_path: Path) -> None:
    place = fill(tmp_path)
    before = place.path.read_bytes()
    kept: list[Memory] = []

    assert not remove(place, "b", AT, kept.append)

    assert (kept, place.path.read_bytes()) == ([], before)


def test_a_memory_is_kept_before_it_goes(tmp_path: Path) -> None:
    place = fill(tmp_path)
    before = place.path.read_bytes()
    seen: list[bytes] = []

    remove(place, "a", AT, lambda _: seen.append(place.path.read_bytes()))

    assert seen == [before]


@pytest.mark.parametrize("error", [RefusedError("no archive"), OSError(errno.ENOSPC, "Full")])
def test_a_memory_that_cannot_be_kept_stays(tmp_path: Path, error: Exception) -> None:
    place = fill(tmp_path)
    before = place.path.read_bytes()

    def keep(_: Memory) -> NoReturn:
        raise error

    with pytest.raises(RecallError):
        remove(place, "a", AT, keep)

    assert place.path.read_bytes() == before


def test_a_memory_that_another_program_changes_meanwhile_is_kept_as_it_is_then(
    tmp_path: Path,
) -> None:
    place = fill(tmp_path, '{"a": "old", "b": 1}')
    kept: list[Value] = []

    def keep(memory: Memory) -> None:
        kept.append(memory.entry)
        if len(kept) == 1:
            place.path.write_text('{"a": "newer", "b": 1}')

    assert remove(place, "a", AT, keep)

    assert kept == ["old", "newer"]
    assert place.path.read_text() == '{"b": 1}'


def test_a_memory_that_another_program_takes_meanwhile_was_there(tmp_path: Path) -> None:
    place = fill(tmp_path, '{"a": "old", "b": 1}')

    def keep(_: Memory) -> None:
        place.path.write_text('{"b": 2}')

    assert remove(place, "a", AT, keep)

    assert place.path.read_text() == '{"b": 2}'
