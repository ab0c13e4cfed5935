import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import REPOSITORY, snapshot
from total_recall import files
from total_recall.errors import NotFoundError, OutsideError, RecallError, UnreadableError
from total_recall.files import Content, Skipped


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def walked(folder: Path, root: Path | None = None) -> list[str | tuple[str, str]]:
    """Give what a walk over the visible folders finds: paths, and pairs of path and reason."""
    root = root or folder
    found = files.walk(folder, root, suffix=".md", enter=lambda name: not name.startswith("."))
    return [
        (str(each.path.relative_to(root)), each.reason)
        if isinstance(each, Skipped)
        else str(each.relative_to(root))
        for each in found
    ]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


each_umask = pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)


# Walking


def test_files_come_in_name_order_those_of_a_folder_before_those_below(tmp_path: Path) -> None:
    fill(tmp_path, "b.md", "a/z.md", "a/b/c.md", "c.md", "B.md", "d/a.md", "a.txt", "md")

    assert walked(tmp_path) == ["B.md", "b.md", "c.md", "a/z.md", "a/b/c.md", "d/a.md"]


def test_only_folders_that_the_caller_names_are_entered(tmp_path: Path) -> None:
    fill(tmp_path, ".git/a.md", "shown/.hidden/a.md", "shown/b.md", ".c.md")

    assert walked(tmp_path) == [".c.md", "shown/b.md"]


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    assert walked(tmp_path) == []


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    found = list(files.walk(gone, tmp_path, suffix=".md", enter=lambda _: True))

    assert found == [Skipped(gone, "folder not listed: no such file or directory")]


def test_loops_end(tmp_path: Path) -> None:
    fill(tmp_path, "vault/a/b.md", "other/c.md")
    (tmp_path / "vault" / "a" / "up").symlink_to("..")
    (tmp_path / "vault" / "self").symlink_to("self")
    (tmp_path / "vault" / "other").symlink_to("../other")
    (tmp_path / "other" / "back").symlink_to("../vault")
    (tmp_path / "other" / "again").symlink_to("../other")

    assert walked(tmp_path / "vault", tmp_path) == ["vault/a/b.md", "other/c.md"]


def test_a_link_inside_the_root_is_followed_to_the_real_path(tmp_path: Path) -> None:
    fill(tmp_path, "shared/notes/a.md", "shared/b.txt", "vault/z.md")
    (tmp_path / "vault" / "notes").symlink_to("../shared/notes")
    (tmp_path / "vault" / "b.md").symlink_to("../shared/b.txt")

    assert walked(tmp_path / "vault", tmp_path) == [
        "shared/b.txt",
        "vault/z.md",
        "shared/notes/a.md",
    ]


def test_a_link_out_of_the_root_is_said_and_not_followed(tmp_path: Path) -> None:
    fill(tmp_path, "outside/secret.md", "rooted/z.md", "rooted-too/a.md")
    for name, target in [("a.md", "outside/secret.md"), ("b", "outside"), ("c", "rooted-too")]:
        (tmp_path / "rooted" / name).symlink_to(tmp_path / target)

    assert walked(tmp_path / "rooted") == [
        ("a.md", "a link out of rooted"),
        ("b", "a link out of rooted"),
        ("c", "a link out of rooted"),
        "z.md",
    ]


def test_a_link_to_what_is_walked_anyway_gives_nothing_more(tmp_path: Path) -> None:
    fill(tmp_path, "a/x.md")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "y.md").symlink_to("a/x.md")

    assert walked(tmp_path) == ["a/x.md"]


def test_two_links_to_one_place_give_it_once(tmp_path: Path) -> None:
    fill(tmp_path, "shared/sub/x.md", "shared/y.md", "vault/z.md")
    for name, target in [("a", "shared"), ("b", "shared"), ("c", "shared/sub")]:
        (tmp_path / "vault" / name).symlink_to(tmp_path / target)
    (tmp_path / "vault" / "d.md").symlink_to("../shared/y.md")
    (tmp_path / "vault" / "e.md").symlink_to("../shared/y.md")

    assert walked(tmp_path / "vault", tmp_path) == ["shared/y.md", "vault/z.md", "shared/sub/x.md"]


def test_a_link_to_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "gone").symlink_to("nowhere")

    assert walked(tmp_path) == [("gone.md", "a link to nothing"), ("self.md", "a link to nothing")]


def test_a_folder_that_is_named_like_a_file_is_said_and_not_entered(tmp_path: Path) -> None:
    fill(tmp_path, "x.md/inner.md", "y.md")

    assert walked(tmp_path) == [("x.md", "a folder, not a file"), "y.md"]


def test_a_name_that_is_no_text_is_walked(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.md"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")

    assert walked(tmp_path) == ["\udcff.md"]


def test_a_folder_that_cannot_be_listed_is_said_and_the_rest_is_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, "a/x.md", "shut/y.md", "z.md")
    # Permissions do not bind root, who may be running this.
    scandir = os.scandir

    def guarded(path: str) -> Any:
        if path.endswith("shut"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)

    assert walked(tmp_path) == ["z.md", "a/x.md", ("shut", "folder not listed: permission denied")]


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_shut_folder_is_said(tmp_path: Path) -> None:
    fill(tmp_path, "shut/y.md", "z.md")
    (tmp_path / "shut").chmod(0)

    found = walked(tmp_path)

    (tmp_path / "shut").chmod(0o700)
    assert found == ["z.md", ("shut", "folder not listed: permission denied")]


# Reading


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"12345")

    assert files.read(path, most=5) == b"12345"
    with pytest.raises(UnreadableError, match=r"a\.md: 5 bytes, over the limit of 4"):
        files.read(path, most=4)


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()

    assert files.read(tmp_path / "a.md", most=0) == b""


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"gone\.md: not there"):
        files.read(tmp_path / "gone.md", most=9)


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


def make_link(path: Path) -> None:
    fill(path.parent, "target")
    path.symlink_to("target")


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_device(path: Path) -> None:
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")


def make_socket(path: Path) -> None:
    # Not with socket.socket, which no test may open; the node is all that is asked about.
    try:
        os.mknod(path, 0o600 | stat.S_IFSOCK)
    except OSError:
        pytest.skip("this system makes socket files by sockets only")


@pytest.mark.parametrize(
    "make", [make_fifo, make_folder, make_link, make_loop, make_device, make_socket]
)
def test_what_is_no_regular_file_is_refused_at_once(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "x.md"
    make(path)

    with pytest.raises(UnreadableError, match=r"x\.md: "):
        files.read(path, most=1 << 20)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    fill(tmp_path, "a.md")
    make_fifo(tmp_path / "b.md")
    before = os.dup(0)
    os.close(before)

    files.read(tmp_path / "a.md", most=9)
    for most, name in [(1, "a.md"), (9, "b.md"), (9, "c.md")]:
        with pytest.raises(RecallError):
            files.read(tmp_path / name, most=most)

    after = os.dup(0)
    os.close(after)
    assert after == before


def test_a_file_that_is_read_in_pieces_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: read(descriptor, min(size, 3)))

    assert files.read(tmp_path / "a", most=10) == b"0123456789"


def test_a_failing_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "a.md")

    def fail(*_: Any) -> NoReturn:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "read", fail)

    with pytest.raises(UnreadableError, match=r"a\.md: input/output error"):
        files.read(tmp_path / "a.md", most=9)


# Staying inside


@pytest.fixture(scope="module")
def fenced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a root with folders, and links that stay in it and that lead out of it."""
    base = tmp_path_factory.mktemp("fenced")
    root = fill(base / "root", "a/b.md", "c.md")
    fill(base, "secret/s.md", "root-too/t.md")
    links = {"in": "a", "out": "../secret", "up": "..", "near": "../root-too", "loop": "loop"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    (root / "a" / "top").symlink_to("../..")
    (root / "absolute").symlink_to("/etc")
    return root


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("c.md", "c.md"),
        ("a/b.md", "a/b.md"),
        ("./a//b.md", "a/b.md"),
        ("in/b.md", "a/b.md"),
        ("not/there.md", "not/there.md"),
        ("...", "..."),
        ("a/..b", "a/..b"),
        ("é 数.md", "é 数.md"),
    ],
)
def test_a_path_inside_is_given_as_it_really_is(fenced: Path, text: str, path: str) -> None:
    assert files.inside(fenced, text) == fenced / path


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="blank"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param("//etc", id="absolute twice"),
        pytest.param("~/x", id="home"),
        pytest.param("..", id="up"),
        pytest.param("a/../c.md", id="up and down again"),
        pytest.param("a/..", id="up at the end"),
        pytest.param("a\0b", id="NUL"),
        pytest.param("a\\b", id="backslash"),
        pytest.param("C:/x", id="drive"),
        pytest.param("c:x", id="drive without a root"),
        pytest.param("x" * 1025, id="long"),
        pytest.param("\ud800", id="surrogate"),
        pytest.param("out/s.md", id="a link out"),
        pytest.param("up/secret/s.md", id="a link up"),
        pytest.param("a/top/secret", id="a deeper link up"),
        pytest.param("near/t.md", id="a link to a folder of a longer name"),
        pytest.param("absolute/passwd", id="an absolute link"),
    ],
)
def test_a_path_that_may_lead_out_is_refused(fenced: Path, text: str) -> None:
    with pytest.raises(OutsideError):
        files.inside(fenced, text)


def test_a_path_of_the_greatest_length_is_not_refused(fenced: Path) -> None:
    assert files.inside(fenced, "x/" * 512) == fenced.joinpath(*"x" * 512)


PIECES = "a b.md c.md in out up near loop top absolute .. . ~ C: etc secret s.md \\ ...".split()
paths = st.one_of(
    st.builds(
        lambda start, pieces, joint: start + joint.join(pieces),
        st.sampled_from(["", "", "/", "//", "./", "~", "\\\\"]),
        st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=7),
        st.sampled_from(["/", "/", "//", "\\", "/./"]),
    ),
    st.text(max_size=40),
)


def stays_inside(root: Path, text: str) -> bool:
    try:
        path = files.inside(root, text)
    except OutsideError:
        return True
    return path.is_absolute() and Path(os.path.realpath(path)).is_relative_to(root)


@settings(max_examples=1_000)
@given(paths)
@example("a/top/root/out/s.md")
def test_no_path_ever_leaves_the_root(fenced: Path, text: str) -> None:
    assert stays_inside(fenced, text)


@pytest.mark.fault
@settings(max_examples=10_000)
@given(paths)
def test_none_of_ten_thousand_paths_leaves_the_root(fenced: Path, text: str) -> None:
    assert stays_inside(fenced, text)


# Replacing a file


def test_a_new_file_and_its_folders_are_private(tmp_path: Path) -> None:
    for mask in (0o000, 0o022, 0o077):
        path = tmp_path / f"{mask}" / "a" / "b" / "c.json"

        with umask(mask):
            files.replace(path, b"new")

        modes = [mode_of(each) for each in (path, *path.parents[:3])]
        assert path.read_bytes() == b"new"
        assert modes == [0o600, 0o700, 0o700, 0o700]


@each_umask
def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path, mask: int) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)

    with umask(mask):
        files.replace(tmp_path / "open" / "a", b"new", mode=0o644)

    assert [mode_of(tmp_path / "open"), mode_of(tmp_path / "open" / "a")] == [0o755, 0o644]


@each_umask
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o666, 0o755, 0o400], ids=oct)
def test_a_file_that_was_there_keeps_its_mode(tmp_path: Path, mask: int, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)

    with umask(mask):
        files.replace(path, b"new", mode=0o604)

    assert (path.read_bytes(), mode_of(path)) == (b"new", mode)


def test_a_file_behind_links_is_replaced_where_it_is(tmp_path: Path) -> None:
    fill(tmp_path, "real/a")
    (tmp_path / "link").symlink_to("other")
    (tmp_path / "other").symlink_to("real/a")

    files.replace(tmp_path / "link", b"new")

    assert (tmp_path / "real" / "a").read_bytes() == b"new"
    assert [(tmp_path / name).is_symlink() for name in ("link", "other")] == [True, True]
    assert names_in(tmp_path / "real") == ["a"]


def test_a_link_to_nothing_yet_gets_its_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real/a")

    files.replace(tmp_path / "link", b"new")

    assert (tmp_path / "real" / "a").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("owner", "call"),
    [
        pytest.param(os, "fchmod", id="fchmod"),
        pytest.param(os, "fsync", id="fsync"),
        pytest.param(Path, "replace", id="rename"),
    ],
)
@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    call: str,
    problem: BaseException,
) -> None:
    fill(tmp_path, "a")
    before = snapshot(tmp_path)

    def fail(*_: Any, **__: Any) -> NoReturn:
        raise problem

    monkeypatch.setattr(owner, call, fail)

    with pytest.raises(type(problem)):
        files.replace(tmp_path / "a", b"new")

    assert snapshot(tmp_path) == before


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    fill(tmp_path, "a")
    before = snapshot(tmp_path)
    script = (
        "import resource, signal, sys; from pathlib import Path; from total_recall import files;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000));"
        "files.replace(Path('a'), b'x' * 9000)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )

    assert "OSError: [Errno 27]" in done.stderr
    assert snapshot(tmp_path) == before


def test_a_folder_in_the_files_place_stays(tmp_path: Path) -> None:
    fill(tmp_path, "a/b")
    before = snapshot(tmp_path)

    with pytest.raises(IsADirectoryError):
        files.replace(tmp_path / "a", b"new")

    assert snapshot(tmp_path) == before


# Adding to a file


@each_umask
def test_a_file_that_is_added_to_is_made_for_its_user_alone(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        files.append(tmp_path / "log", b"one\n")

    assert ((tmp_path / "log").read_bytes(), mode_of(tmp_path / "log")) == (b"one\n", 0o600)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"", b"new\n", id="empty"),
        pytest.param(b"old\n", b"old\nnew\n", id="ended"),
        pytest.param(b"old", b"old\nnew\n", id="not ended"),
        pytest.param(b"old\r\n", b"old\r\nnew\n", id="ended by CRLF"),
        pytest.param(b"\n", b"\nnew\n", id="blank"),
    ],
)
def test_what_is_added_begins_on_a_line_of_its_own(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "log"
    path.write_bytes(old)
    path.chmod(0o644)

    files.append(path, b"new\n")

    assert (path.read_bytes(), mode_of(path)) == (new, 0o644)


@pytest.mark.parametrize(
    "make", [make_fifo, make_folder, make_link, make_loop, make_device, make_socket]
)
def test_nothing_is_added_to_what_is_no_regular_file(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "log"
    make(path)
    before = snapshot(tmp_path)

    with pytest.raises(UnreadableError, match=r"log: "):
        files.append(path, b"new\n")

    assert snapshot(tmp_path) == before


def test_a_link_to_nothing_makes_no_file_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to("elsewhere")

    with pytest.raises(UnreadableError):
        files.append(tmp_path / "log", b"new\n")

    assert names_in(tmp_path) == ["log"]


def test_no_folder_is_made_to_add_to_a_file_in_it(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="not there"):
        files.append(tmp_path / "gone" / "log", b"new\n")

    assert names_in(tmp_path) == []


def test_what_is_added_in_part_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))

    with pytest.raises(UnreadableError, match=r"log: 3 of 8 bytes written"):
        files.append(tmp_path / "log", b"one two\n")


def test_a_disk_that_takes_no_more_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", fail)

    with pytest.raises(UnreadableError, match=r"log: no space left on device"):
        files.append(tmp_path / "log", b"one\n")


@pytest.mark.slow
def test_eight_writers_of_four_hundred_lines_tear_none(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from total_recall import files\n"
        "for number in range(400):\n"
        "    line = f'{sys.argv[1]} {number} ' + sys.argv[1] * (number * 7 % 1500)\n"
        "    files.append(Path('log'), line.encode() + b'\\n')\n"
    )
    environment = {"PYTHONPATH": str(REPOSITORY / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
    (tmp_path / "log").write_text("an unfinished line")

    writers = [
        subprocess.Popen([sys.executable, "-c", script, name], cwd=tmp_path, env=environment)
        for name in "abcdefgh"
    ]
    codes = [writer.wait() for writer in writers]

    lines = [line for line in (tmp_path / "log").read_text().splitlines() if line]
    written = [f"{name} {n} " + name * (n * 7 % 1500) for name in "abcdefgh" for n in range(400)]
    assert codes == [0] * 8
    assert lines[0] == "an unfinished line"
    assert sorted(lines[1:]) == sorted(written)


# Replacing a folder

CONTENTS = {"SKILL.md": Content(b"skill"), "deep/er/run": Content(b"#!", 0o755)}
SHAPE = {"SKILL.md": 0o644, "deep": 0o755, "deep/er": 0o755, "deep/er/run": 0o755}


def shape(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): mode_of(path) for path in sorted(folder.rglob("*"))}


@each_umask
def test_a_folder_is_made_of_exactly_these_files(tmp_path: Path, mask: int) -> None:
    target = tmp_path / "skills" / "recall"

    with umask(mask):
        files.replace_folder(target, CONTENTS)

    assert (shape(target), mode_of(target)) == (SHAPE, 0o755)
    assert files.contents_of(target, most=99) == {"SKILL.md": b"skill", "deep/er/run": b"#!"}
    assert names_in(target.parent) == ["recall"]


def test_what_was_in_the_old_folder_is_gone(tmp_path: Path) -> None:
    target = fill(tmp_path / "recall", "old.md", "deep/old.md")

    files.replace_folder(target, CONTENTS)

    assert shape(target) == SHAPE
    assert names_in(tmp_path) == ["recall"]


def test_a_link_in_the_folders_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    elsewhere = fill(tmp_path / "elsewhere", "mine.md")
    target = tmp_path / "recall"
    target.symlink_to("elsewhere")

    files.replace_folder(target, CONTENTS)

    assert (target.is_symlink(), shape(target)) == (False, SHAPE)
    assert files.contents_of(elsewhere, most=99) == {"mine.md": b"mine.md"}
    assert names_in(tmp_path) == ["elsewhere", "recall"]


@pytest.mark.parametrize("there", ["a file", "a link to nothing"])
def test_a_file_or_dead_link_in_the_folders_place_is_replaced(tmp_path: Path, there: str) -> None:
    target = tmp_path / "recall"
    target.symlink_to("gone") if there == "a link to nothing" else target.touch()

    files.replace_folder(target, CONTENTS)

    assert shape(target) == SHAPE
    assert names_in(tmp_path) == ["recall"]


def test_a_folder_that_cannot_be_built_leaves_the_old_one(tmp_path: Path) -> None:
    target = fill(tmp_path / "recall", "old.md")
    before = snapshot(tmp_path)

    with pytest.raises(OSError, match=r"exists|directory"):
        files.replace_folder(target, {"a": Content(b"file"), "a/b": Content(b"in a file")})

    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("failing", [1, 2])
def test_a_folder_that_cannot_be_swapped_in_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    target = fill(tmp_path / "recall", "old.md")
    before = snapshot(tmp_path)
    rename = Path.rename
    calls: list[Path] = []

    def fail_once(self: Path, to: Path) -> Path:
        calls.append(self)
        if len(calls) == failing:
            raise PermissionError(errno.EACCES, "no")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", fail_once)

    with pytest.raises(PermissionError):
        files.replace_folder(target, CONTENTS)

    assert snapshot(tmp_path) == before


# What a folder holds, and taking away


def test_links_and_other_things_are_in_a_folder_without_bytes(tmp_path: Path) -> None:
    fill(tmp_path, "held/b/c.md", "held/a.md", "held/z/empty/gone", "secret/s.md")
    held = tmp_path / "held"
    (held / "z" / "empty" / "gone").unlink()
    (held / "b" / "out").symlink_to(tmp_path / "secret")
    (held / "b" / "s.md").symlink_to(tmp_path / "secret" / "s.md")
    (held / "dead").symlink_to("nowhere")
    os.mkfifo(held / "fifo")

    assert list(files.contents_of(held, most=99).items()) == [
        ("a.md", b"held/a.md"),
        ("b/c.md", b"held/b/c.md"),
        ("b/out", b""),
        ("b/s.md", b""),
        ("dead", b""),
        ("fifo", b""),
    ]


def test_a_folder_with_a_large_file_is_not_read(tmp_path: Path) -> None:
    fill(tmp_path, "a.md")

    with pytest.raises(UnreadableError, match="over the limit of 3"):
        files.contents_of(tmp_path, most=3)


def test_only_an_empty_folder_is_removed(tmp_path: Path) -> None:
    fill(tmp_path, "full/a")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("full")

    gone = {
        name: files.remove_if_empty(tmp_path / name) for name in ("full", "empty", "link", "none")
    }

    assert gone == {"full": False, "empty": True, "link": False, "none": True}
    assert names_in(tmp_path) == ["full", "link"]


def test_a_file_is_removed_once_and_a_link_without_its_target(tmp_path: Path) -> None:
    fill(tmp_path, "a", "b")
    (tmp_path / "link").symlink_to("b")

    for name in ("a", "a", "link"):
        files.remove(tmp_path / name)

    assert names_in(tmp_path) == ["b"]
