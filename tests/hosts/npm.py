"""Pinned npm packages: installed once into the repository's cache, and where their programs are."""

import fcntl
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "npm"

# npm's codes for a network that does not answer. Any other code is a failure to look into.
UNREACHABLE = frozenset(
    {
        "EAI_AGAIN",
        "ECONNREFUSED",
        "ECONNRESET",
        "EHOSTUNREACH",
        "ENETUNREACH",
        "ENOTFOUND",
        "ERR_SOCKET_TIMEOUT",
        "ETIMEDOUT",
    }
)

# One quick second try: with npm's own defaults a machine without a network waits over a minute.
INSTALL = [
    *("npm", "install", "--no-audit", "--no-fund", "--loglevel=error"),
    *("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"),
]


class NpmUnreachableError(Exception):
    """The npm registry does not answer; the text is a reason to skip by."""


def executable(package: str, version: str, command: str) -> Path:
    """Give the package's program `command`, installing the package when it is not cached yet.

    The package's folder appears by one rename, so a folder that is there is a whole one.
    """
    folder = CACHE / f"{package}-{version}"
    program = Path("node_modules", ".bin", command)
    if not folder.exists():
        with locked(folder.with_name(f"{folder.name}.lock")):
            if not folder.exists():
                install(package, version, program, folder)
    return folder / program


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other process holds this lock; it goes with its holder, however that ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(package: str, version: str, program: Path, folder: Path) -> None:
    """Install into a folder beside it, then rename; what an interrupted run left is removed."""
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    (part / "package.json").write_text(json.dumps(manifest(package, version)))

    done = subprocess.run(INSTALL, cwd=part, capture_output=True, text=True)

    if error_code(done.stderr) in UNREACHABLE:
        raise NpmUnreachableError(f"npm cannot be reached: {error_code(done.stderr)}")
    if done.returncode != 0:
        raise RuntimeError(f"npm cannot install {package} {version}:\n{done.stderr}")
    # npm is content without an optional part, which may be the program itself.
    subprocess.run([part / program, "--version"], stdout=subprocess.DEVNULL, check=True)
    part.rename(folder)


def manifest(package: str, version: str) -> dict[str, object]:
    """Give a package.json that asks for one package.

    `allowScripts` lets it finish its own set-up, which newer versions of npm ask about.
    """
    return {
        "private": True,
        "dependencies": {package: version},
        "allowScripts": {package: True},
    }


def error_code(stderr: str) -> str | None:
    """Give the code that npm failed with, in the words of old and new versions of npm.

    >>> error_code("npm error code ENOTFOUND\\nnpm error syscall getaddrinfo")
    'ENOTFOUND'
    >>> error_code("npm ERR! code E404")
    'E404'
    >>> error_code("npm warn deprecated left-pad@1.3.0")
    """
    found = re.search(r"^npm (?:error|ERR!) code (\S+)", stderr, re.MULTILINE)
    return found[1] if found else None
