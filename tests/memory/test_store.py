import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from tests.conftest import SHARED_DATA, snapshot
from tests.memory.test_patch import stores
from total_recall import clock
from total_recall.errors import NotFoundError, RecallError, UnreadableError
from total_recall.memory import store
from total_recall.memory.entry import GLOBAL, PROJECT, Memory
from total_recall.memory.patch import Value
from total_recall.memory.store import Place, Store

BOM = "\ufeff"
HINT = "mend it by hand; it is left as it is"


def fill(folder: Path, text: str | bytes = "{}") -> Path:
    """Make a folder with a store of this text; gives the store's file."""
    path = folder / ".nemp" / "memories.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder: Path, text: str | bytes) -> Store:
    return store.read(Place(PROJECT, fill(folder, text)))


def names(found: Store) -> list[tuple[str, ...]]:
    return [memory.keys for memory in found.memories]


# Where stores are


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


def test_without_any_store_there_is_none(tmp_path: Path, home: Path) -> None:
    (tmp_path / "project" / ".nemp").mkdir(parents=True)

    assert store.places(tmp_path / "project", home) == []


def test_the_projects_store_comes_before_the_global_one(tmp_path: Path, home: Path) -> None:
    ours, whole = fill(tmp_path / "project"), fill(home)

    assert store.places(tmp_path / "project", home) == [Place(PROJECT, ours), Place(GLOBAL, whole)]


def test_the_nearest_store_upward_is_the_projects(tmp_path: Path, home: Path) -> None:
    fill(tmp_path)
    nearer = fill(tmp_path / "a")
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)

    assert store.places(deep, home) == [Place(PROJECT, nearer)]


def test_what_lies_above_the_git_repository_is_not_the_projects(tmp_path: Path, home: Path) -> None:
    fill(tmp_path)
    deep = tmp_path / "repository" / "src"
    deep.mkdir(parents=True)
    (tmp_path / "repository" / ".git").touch()  # a worktree's is a file

    assert store.places(deep, home) == []


def test_the_store_at_the_git_root_is_the_projects(tmp_path: Path, home: Path) -> None:
    ours = fill(tmp_path / "repository")
    deep = tmp_path / "repository" / "src"
    deep.mkdir()
    (tmp_path / "repository" / ".git").mkdir()

    assert store.places(deep, home) == [Place(PROJECT, ours)]


@pytest.mark.parametrize("below", [".", "code/deep"])
def test_the_home_folders_store_is_never_the_projects(home: Path, below: str) -> None:
    whole = fill(home)
    (home / below).mkdir(parents=True, exist_ok=True)

    assert store.places(home / below, home) == [Place(GLOBAL, whole)]


def test_a_home_that_is_reached_through_a_link_is_one_store(tmp_path: Path, home: Path) -> None:
    fill(home)
    (tmp_path / "link").symlink_to("home")

    assert store.places(home, tmp_path / "link") == [
        Place(GLOBAL, tmp_path / "link" / ".nemp" / "memories.json")
    ]


@pytest.mark.parametrize("linked", ["file", "folder", "hard"])
def test_a_file_that_is_reached_by_two_ways_is_one_store(
    tmp_path: Path, home: Path, linked: str
) -> None:
    whole = fill(home)
    ours = tmp_path / "project" / ".nemp" / "memories.json"
    ours.parent.parent.mkdir()
    if linked == "folder":
        ours.parent.symlink_to(whole.parent)
    else:
        ours.parent.mkdir()
        ours.hardlink_to(whole) if linked == "hard" else ours.symlink_to(whole)

    assert store.places(ours.parent.parent, home) == [Place(GLOBAL, whole)]


def test_a_link_to_a_store_is_followed(tmp_path: Path, home: Path) -> None:
    elsewhere = fill(tmp_path / "elsewhere", '{"a": "1"}')
    ours = tmp_path / "project" / ".nemp" / "memories.json"
    ours.parent.mkdir(parents=True)
    ours.symlink_to(elsewhere)

    (place,) = store.places(tmp_path / "project", home)

    assert place == Place(PROJECT, ours)
    assert names(store.read(place)) == [("a",)]


@pytest.mark.parametrize(
    ("target", "reason"),
    [("nowhere", "nowhere: not there"), ("memories.json", "memories.json: too many levels of ")],
)
def test_a_link_to_nothing_is_a_store_that_cannot_be_read(
    tmp_path: Path, home: Path, target: str, reason: str
) -> None:
    ours = tmp_path / ".nemp" / "memories.json"
    ours.parent.mkdir()
    ours.symlink_to(target)

    (place,) = store.places(tmp_path, home)

    assert place == Place(PROJECT, ours)
    with pytest.raises(RecallError) as refused:
        store.read(place)
    assert refused.value.message.startswith(f"{ours.parent}/{reason}")


def test_a_store_out_of_reach_is_there_and_cannot_be_read(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = fill(tmp_path)

    def fail(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    # Permissions do not bind root, who may be running this.
    monkeypatch.setattr(Path, "lstat", fail)
    monkeypatch.setattr(Path, "samefile", fail)
    monkeypatch.setattr(os, "open", fail)

    assert store.places(tmp_path, home) == [
        Place(PROJECT, ours),
        Place(GLOBAL, home / ".nemp" / "memories.json"),
    ]
    with pytest.raises(UnreadableError) as refused:
        store.read(Place(PROJECT, ours))
    assert refused.value.message == f"{ours}: permission denied"


# Where a new memory goes


def new(start: Path, home: Path) -> tuple[str, str]:
    place = store.place_for_new(start, home)
    return place.scope, str(place.path.relative_to(home.parent))


@pytest.mark.parametrize(
    ("there", "start", "place"),
    [
        pytest.param([], "work", (GLOBAL, "home/.nemp/memories.json"), id="nothing"),
        pytest.param(
            ["work/.git"], "work/src", (PROJECT, "work/.nemp/memories.json"), id="repository"
        ),
        pytest.param(
            ["work/.nemp"], "work/src", (PROJECT, "work/.nemp/memories.json"), id="a folder for it"
        ),
        pytest.param(
            ["work/.git", "work/a/.nemp"],
            "work/a/b",
            (PROJECT, "work/a/.nemp/memories.json"),
            id="a folder for it below the root",
        ),
        pytest.param(
            [".nemp", "work/.git"],
            "work/src",
            (PROJECT, "work/.nemp/memories.json"),
            id="a folder for it above the root",
        ),
        pytest.param(["home/.nemp"], "home", (GLOBAL, "home/.nemp/memories.json"), id="home"),
        pytest.param(
            ["home/.nemp", "home/.git"],
            "home/src",
            (GLOBAL, "home/.nemp/memories.json"),
            id="home is a repository",
        ),
        pytest.param(
            ["home/work/.git"],
            "home/work",
            (PROJECT, "home/work/.nemp/memories.json"),
            id="a repository in home",
        ),
    ],
)
def test_a_new_memory_belongs_to_the_project_if_there_is_one(
    tmp_path: Path, home: Path, there: list[str], start: str, place: tuple[str, str]
) -> None:
    for name in [*there, start]:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)

    assert new(tmp_path / start, home) == place


def test_a_new_memory_goes_into_the_store_that_is_there(tmp_path: Path, home: Path) -> None:
    fill(tmp_path)
    fill(home)
    deep = tmp_path / "a" / "b"
    (deep / ".nemp").mkdir(parents=True)

    assert new(deep, home) == (PROJECT, ".nemp/memories.json")


# What a store holds


@pytest.mark.parametrize(
    ("text", "memories"),
    [
        pytest.param(
            '{"a": {"key": "a", "value": "1"}}',
            (Memory(("a",), {"key": "a", "value": "1"}, ("a",)),),
            id="map of objects with a key",
        ),
        pytest.param(
            '{"a": {"value": "1"}, "b": {}}',
            (Memory(("a",), {"value": "1"}, ("a",)), Memory(("b",), {}, ("b",))),
            id="map of objects without",
        ),
        pytest.param(
            '{"a": "1", "b": null}',
            (Memory(("a",), "1", ("a",)), Memory(("b",), None, ("b",))),
            id="map of values",
        ),
        pytest.param(
            '[{"key": "a", "value": "1"}]',
            (Memory(("a",), {"key": "a", "value": "1"}, (0,)),),
            id="list",
        ),
        pytest.param(
            '{"memories": [{"key": "a"}]}',
            (Memory(("a",), {"key": "a"}, ("memories", 0)),),
            id="list under memories",
        ),
        pytest.param(
            '{"version": "1.0", "memories": [{"key": "a"}], "metadata": {"totalMemories": 1}}',
            (Memory(("a",), {"key": "a"}, ("memories", 0)),),
            id="list under memories with metadata",
        ),
        pytest.param(
            '{"version": 1, "memories": {"a": {"value": "1"}, "b": "2"}}',
            (
                Memory(("a",), {"value": "1"}, ("memories", "a")),
                Memory(("b",), "2", ("memories", "b")),
            ),
            id="map under memories",
        ),
        pytest.param(
            '{"memories": {"value": "1"}}',
            (Memory(("memories",), {"value": "1"}, ("memories",)),),
            id="a memory of that name",
        ),
        pytest.param(
            '{"memories": "1"}', (Memory(("memories",), "1", ("memories",)),), id="a value of it"
        ),
        pytest.param("{}", (), id="an empty map"),
        pytest.param("[]", (), id="an empty list"),
        pytest.param('{"memories": []}', (), id="an empty list under memories"),
        pytest.param("", (), id="no bytes"),
        pytest.param(" \r\n\t", (), id="blank"),
        pytest.param(BOM, (), id="a byte order mark and no more"),
        pytest.param(f'{BOM}{{"a": "é"}}', (Memory(("a",), "é", ("a",)),), id="byte order mark"),
        pytest.param(
            '{\r\n  "a": "1"\r\n}\r\n', (Memory(("a",), "1", ("a",)),), id="lines end in CRLF"
        ),
    ],
)
def test_memories_are_found_in_every_layout(
    tmp_path: Path, text: str, memories: tuple[Memory, ...]
) -> None:
    path = fill(tmp_path, text)
    before = snapshot(tmp_path)

    found = store.read(Place(PROJECT, path))

    assert found == Store(Place(PROJECT, path), memories)
    assert snapshot(tmp_path) == before


def test_a_memory_knows_the_scope_of_its_store(tmp_path: Path) -> None:
    found = store.read(Place(GLOBAL, fill(tmp_path, '{"a": "1"}')))

    assert [memory.scope for memory in found.memories] == [GLOBAL]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param('{"map": {"key": "own"}}', [("own", "map")], id="it differs"),
        pytest.param('{"map": {"key": "map"}}', [("map",)], id="it is the same"),
        pytest.param('{"map": {"key": ""}}', [("map",)], id="it is blank"),
        pytest.param('{"map": {"key": 5}}', [("map",)], id="it is no text"),
        pytest.param('{"": {"key": "own"}}', [("own",)], id="the map's is blank"),
    ],
)
def test_a_memory_is_found_by_its_own_key_and_by_its_maps(
    tmp_path: Path, text: str, keys: list[tuple[str, ...]]
) -> None:
    assert names(read(tmp_path, text)) == keys


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        pytest.param(
            '[{"key": "a"}, {"value": "no key"}, "text", {"key": ""}, {"key": 5}, null]',
            [2, 3, 4, 5, 6],
            id="list",
        ),
        pytest.param('{"a": {}, " ": {"value": "no key"}}', [2], id="map"),
    ],
)
def test_entries_without_a_key_are_said_with_their_place(
    tmp_path: Path, text: str, numbers: list[int]
) -> None:
    found = read(tmp_path, text)

    assert names(found) == [("a",)]
    assert found.faults == tuple(
        f"{found.place.path}: entry {number} has no key and is passed over" for number in numbers
    )


# Stores that are not healthy


CONFLICT = '{\n<<<<<<< HEAD\n  "a": "1"\n=======\n  "a": "2"\n>>>>>>> b\n}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(
            b'{\n  "a": "1', "line 2, column 8: the text ends inside a string", id="cut in a string"
        ),
        pytest.param(b'{\n  "a": 1', "line 2, column 9: the text ends too early", id="cut"),
        pytest.param(
            b'{\r\n  "a": "1",\r\n}',
            "line 3, column 1: expecting property name enclosed in double quotes",
            id="a comma too many",
        ),
        pytest.param(CONFLICT.encode(), "line 2, column 1: git conflict markers", id="conflict"),
        pytest.param(
            CONFLICT.replace("\n", "\r\n").encode(),
            "line 2, column 1: git conflict markers",
            id="conflict in CRLF",
        ),
        pytest.param(
            b'{"a": 1,\n "a": 2}', 'line 2, column 2: the key "a" stands twice', id="a key twice"
        ),
        pytest.param(b'{"a": {"confidence": NaN}}', "line 1, column 22: NaN is not JSON", id="NaN"),
        pytest.param(b"\xef\xbb\xbf{,", "line 1, column 2: expecting ", id="after a mark"),
        pytest.param(b'{\n "caf\xe9": 1}', "line 2: not UTF-8", id="Latin-1"),
        pytest.param('{"a": 1}'.encode("utf-16"), "line 1: not UTF-8", id="UTF-16"),
        pytest.param(b"\0" * 64, "line 1, column 1: expecting value", id="zeros"),
        pytest.param(b'"text"', "neither an object nor a list", id="a text"),
        pytest.param(b"null", "neither an object nor a list", id="null"),
    ],
)
def test_a_store_that_is_not_healthy_is_refused_with_its_place(
    tmp_path: Path, text: bytes, reason: str
) -> None:
    path = fill(tmp_path, text)
    before = snapshot(tmp_path)

    with pytest.raises(UnreadableError) as refused:
        store.read(Place(PROJECT, path))

    assert refused.value.message.startswith(f"{path}: {reason}")
    assert refused.value.hint == HINT
    assert snapshot(tmp_path) == before


def make_folder(path: Path) -> None:
    path.mkdir()


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_link_to_a_fifo(path: Path) -> None:
    os.mkfifo(path.with_name("fifo"))
    path.symlink_to("fifo")


def make_huge(path: Path) -> None:
    path.touch()
    os.truncate(path, store.MAX_BYTES + 1)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_folder, "memories.json: not a regular file"),
        (make_fifo, "memories.json: not a regular file"),
        (make_link_to_a_fifo, "fifo: not a regular file"),
        (make_huge, "memories.json: 67,108,865 bytes, over the limit of 67,108,864"),
    ],
)
def test_what_is_no_plain_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    make(tmp_path / "memories.json")

    with pytest.raises(UnreadableError) as refused:
        store.read(Place(PROJECT, tmp_path / "memories.json"))

    assert refused.value.message == f"{tmp_path}/{reason}"


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = fill(tmp_path, "{}")
    path.chmod(0)

    with pytest.raises(UnreadableError) as refused:
        store.read(Place(PROJECT, path))

    assert refused.value.message == f"{path}: permission denied"


def test_a_store_that_is_gone_is_not_found(tmp_path: Path) -> None:
    path = tmp_path / "memories.json"

    with pytest.raises(NotFoundError) as refused:
        store.read(Place(PROJECT, path))

    assert refused.value.message == f"{path}: not there"


@pytest.mark.parametrize("half", ["", '{"a": {"value": "on'])
def test_a_store_that_is_just_written_in_place_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: str
) -> None:
    path = fill(tmp_path, half)
    waited: list[float] = []

    def finish(seconds: float) -> None:
        waited.append(seconds)
        path.write_text('{"a": {"value": "one"}}')

    monkeypatch.setattr(clock, "pause", finish)

    found = store.read(Place(PROJECT, path))

    assert [memory.value for memory in found.memories] == ["one"]
    assert waited == [store.UNFINISHED_SECONDS]


# Stores that were made by hand in the layouts that tools write


MADE: dict[str, list[tuple[tuple[str, ...], str]] | str] = {
    "array_skill_md": [(("auth-provider",), "NextAuth.js with JWT")],
    "bom_crlf": [(("stack",), "café — Next.js")],
    "empty": [],
    "git_conflict_markers": "line 2, column 1: git conflict markers",
    "map_duplicate_keys": 'line 3, column 3: the key "auth" stands twice',
    "map_init_no_key": [
        (("stack",), "Next.js 14 + TypeScript + Prisma + PostgreSQL + Tailwind"),
    ],
    "map_of_strings_context_md": [
        (("key-name",), "memory value content"),
        (("another-key",), "another value"),
    ],
    "mixed_bad_types": [
        (("a",), "x"),
        (("b",), "null"),
        (("c",), '{"nested": 1}'),
        (("d",), "dup"),
        (("d",), "dup2"),
    ],
    "truncated": "line 2, column 44: the text ends inside a string",
    "wrapper_save_global": [(("preferred-editor",), "VS Code with Vim keybindings")],
    "wrapper_v1_schema": [(("user-prefers-bun",), "User prefers Bun over npm")],
}


@pytest.mark.parametrize("path", stores("synthetic/*.json"))
def test_made_stores_give_their_memories_or_their_fault(path: Path) -> None:
    wanted = MADE[path.stem]
    if isinstance(wanted, str):
        with pytest.raises(UnreadableError) as refused:
            store.read(Place(PROJECT, path))
        assert refused.value.message == f"{path}: {wanted}"
        return

    found = store.read(Place(PROJECT, path))

    assert [(memory.keys, memory.value) for memory in found.memories] == wanted


def test_a_made_store_names_its_entries_without_a_key() -> None:
    path = SHARED_DATA / "nemp" / "synthetic" / "mixed_bad_types.json"
    if not path.exists():
        pytest.skip("the public stores are not here")

    found = store.read(Place(PROJECT, path))

    assert found.faults == (
        f"{path}: entry 4 has no key and is passed over",
        f"{path}: entry 5 has no key and is passed over",
    )


@pytest.mark.parametrize("path", stores("sera_memories_*.json"))
def test_a_real_store_gives_all_its_memories(path: Path) -> None:
    held = json.loads(path.read_text())

    found = store.read(Place(PROJECT, path))

    assert found.faults == ()
    assert [(each.key, each.entry, each.path) for each in found.memories] == [
        (key, entry, (key,)) for key, entry in held.items()
    ]


# What is added to a store


@pytest.mark.parametrize(
    ("value", "path", "tally"),
    [
        pytest.param({}, ("new",), {}, id="map"),
        pytest.param([], (0,), {}, id="list"),
        pytest.param([{"key": "a"}, "text"], (2,), {}, id="list with an entry that is none"),
        pytest.param({"memories": [{"key": "a"}]}, ("memories", 1), {}, id="under memories"),
        pytest.param({"memories": {"a": "1"}}, ("memories", "new"), {}, id="map under memories"),
        pytest.param(
            {"memories": [], "metadata": {"totalMemories": 0, "lastModified": "", "more": 1}},
            ("memories", 0),
            {("metadata", "lastModified"): "now", ("metadata", "totalMemories"): 1},
            id="with metadata",
        ),
        pytest.param(
            {"memories": {"a": "1"}, "metadata": {"totalMemories": 1}},
            ("memories", "new"),
            {("metadata", "totalMemories"): 2},
            id="with a count",
        ),
        pytest.param(
            {"memories": [], "metadata": {}}, ("memories", 0), {}, id="with blank metadata"
        ),
        pytest.param({"metadata": {"value": "1"}}, ("new",), {}, id="a memory named metadata"),
    ],
)
def test_a_new_memory_has_its_place_in_every_layout(
    value: Value, path: tuple[str | int, ...], tally: dict[tuple[str, ...], Value]
) -> None:
    assert store.path_for_new(value, "new") == path
    assert store.tally(value, "now") == tally


def test_a_store_of_many_entries_without_a_key_is_told_in_a_few_lines(tmp_path: Path) -> None:
    path = tmp_path / "memories.json"
    path.write_text(json.dumps([{"value": n} for n in range(1000)]))

    faults = store.read(Place(PROJECT, path)).faults

    assert len(faults) == 11
    assert faults[-1] == f"{path}: 990 more entries have no key"
