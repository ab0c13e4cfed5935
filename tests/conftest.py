"""What every test stands on: guards that always hold, and small vaults and commands to try."""

import os
import shutil
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.guards.sitecustomize import NoSocket
from total_recall.vault import cli

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED_DATA = REPOSITORY.parent / "shared" / "data"
BIN = Path(sys.executable).parent

settings.register_profile(
    "derandomised",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("derandomised")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a change that means to change output write it into the conversations."""
    parser.addoption("--accept", action="store_true", help="write what the commands print now")


Snapshot = dict[str, tuple[int, int, bytes]]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _no_socket(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent: any socket fails the test, real hosts aside."""
    if request.node.get_closest_marker("host") is None:
        monkeypatch.setattr(socket, "socket", NoSocket)


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the home folder of whoever runs it."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    for name in ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "SNOWFLAKE_HOME"):
        monkeypatch.delenv(name, raising=False)


def snapshot(folder: Path) -> Snapshot:
    """Give the mode, mtime and bytes of everything below a folder, links as links."""
    found: Snapshot = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        is_plain = path.is_file() and not path.is_symlink()
        try:
            data = path.read_bytes() if is_plain else b""
        except PermissionError:
            data = b"unreadable"
        found[str(path.relative_to(folder))] = (facts.st_mode, facts.st_mtime_ns, data)
    return found


@pytest.fixture
def make_vault(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Make a project with a vault of these notes by path; gives the project's root."""

    def make(notes: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "project"
        folder = root / "vault" / "projects" / "demo"
        for name, text in notes.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        (root / ".realm").mkdir(parents=True, exist_ok=True)
        state = '{"vaultPath": "vault", "projectSlug": "demo"}'
        (root / ".realm" / "realm-state.json").write_text(state)
        return root

    return make


@pytest.fixture
def recall(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run realm-recall in this process, and hold it to writing nothing below the root."""

    def run(root: Path, *words: str) -> Ran:
        before = snapshot(root)
        with pytest.raises(SystemExit) as left:
            cli.main(["--root", str(root), *words])
        printed = capsys.readouterr()
        assert snapshot(root) == before, "a command changed what it only reads"
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, printed.out, printed.err)

    return run


def unpack_records(folder: Path) -> Path:
    """Unpack the public decision records into a folder, and give it; skip where they are not."""
    archive = SHARED_DATA / "adr-corpora.tar.gz"
    if not archive.exists():
        pytest.skip("the public record sets are not here")
    with tarfile.open(archive) as held:
        # The first Pythons of 3.11 know no filters.
        if hasattr(tarfile, "data_filter"):
            held.extractall(folder, filter="data")
        else:
            held.extractall(folder)
    return folder


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Give a copy of the demo workspace."""
    return Path(shutil.copytree(REPOSITORY / "examples", tmp_path / "harbor"))


@pytest.fixture
def shell() -> Callable[..., Ran]:
    """Run a shell line as a user would, with our commands on the PATH and no network."""

    def run(line: str, folder: Path, *, both: bool = False, **more: str) -> Ran:
        environment = {
            "HOME": os.environ["HOME"],
            "PATH": f"{BIN}:/usr/bin:/bin",
            "PYTHONPATH": str(REPOSITORY / "tests" / "guards"),
            "LANG": "C.UTF-8",
            **more,
        }
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if both else subprocess.PIPE,
            encoding="utf-8",
        )
        return Ran(done.returncode, done.stdout, done.stderr or "")

    return run
