"""Who may do what: each effect has one owner, and no command loads what it does not need."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Ran

Make = Callable[[Mapping[str, str | bytes]], Path]
Shell = Callable[..., Ran]

PACKAGE = REPOSITORY / "scripts" / "total_recall"
MODULES = sorted(PACKAGE.rglob("*.py"))


def opening(node: ast.AST) -> bool:
    """Reads, writes or lists files, or changes what is in a folder."""
    effects = """
        open fdopen read_text read_bytes write_text write_bytes touch mkdir makedirs unlink rename
        renames rmdir removedirs rmtree chmod fchmod chown symlink_to hardlink_to symlink link
        mkstemp mkdtemp scandir listdir iterdir walk fsync truncate utime copytree copyfile copy2
        move mkfifo mknod NamedTemporaryFile
    """.split()
    return called(node) in effects and "devnull" not in ast.unparse(node)


def globbing(node: ast.AST) -> bool:
    return called(node) in {"glob", "rglob", "iglob", "fnmatch", "fnmatchcase"}


def running(node: ast.AST) -> bool:
    programs = "system popen fork forkpty execv execve execvp execvpe spawnv posix_spawn".split()
    return imports(node, "subprocess", "pty", "multiprocessing") or called(node) in programs


def sqlite(node: ast.AST) -> bool:
    """Opens a database; to ask one that was handed over is no effect of one's own."""
    if isinstance(node, ast.ImportFrom) and node.module == "sqlite3":
        return any(alias.name == "connect" for alias in node.names)
    return called(node) == "connect" or imports(node, "apsw", "sqlite_utils")


def full_text_query(node: ast.AST) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and re.search(r"\bMATCH\b", text) is not None


def printing(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in {"stdout", "stderr", "__stdout__", "__stderr__"} and named(node, "sys")
    return called(node) in {"print", "echo", "secho", "echo_via_pager"}


def click(node: ast.AST) -> bool:
    return imports(node, "click")


def time(node: ast.AST) -> bool:
    clocks = {"now", "utcnow", "today", "monotonic", "perf_counter", "time_ns", "localtime"}
    return called(node) in clocks or imports(node, "time")


def network(node: ast.AST) -> bool:
    return imports(
        node,
        *("socket", "ssl", "http", "urllib.request", "urllib3", "requests", "httpx", "aiohttp"),
        *("asyncio", "ftplib", "smtplib", "xmlrpc", "socketserver", "webbrowser", "selectors"),
    )


def random(node: ast.AST) -> bool:
    return imports(node, "random", "uuid", "secrets")


def evaluating(node: ast.AST) -> bool:
    return called(node) in {"eval", "exec", "__import__"} or imports(node, "pickle", "marshal")


Finder = Callable[[ast.AST], bool]

# What has an owner, how it is found, and where it may stand.
OWNERS: list[tuple[Finder, set[str]]] = [
    (opening, {"files.py"}),
    (globbing, set()),
    (running, {"setup/programs.py"}),
    (sqlite, {"sessions/index.py"}),
    (full_text_query, {"sessions/search.py"}),
    (printing, {"output.py"}),
    (click, {"output.py", "memory/cli.py", "sessions/cli.py", "vault/cli.py", "setup/cli.py"}),
    (time, {"clock.py"}),
    (network, set()),
    (random, set()),
    (evaluating, set()),
]


def called(node: ast.AST) -> str:
    """Give the last name of what is called, "" if nothing is."""
    if not isinstance(node, ast.Call):
        return ""
    match node.func:
        case ast.Attribute(value=ast.Name(id="files" | "clock")):
            return ""  # asks the owner
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def named(node: ast.Attribute, owner: str) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == owner


def imports(node: ast.AST, *modules: str) -> bool:
    """Say whether a node imports one of these modules, or something from below one."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return any(f"{name}.".startswith(f"{module}.") for name in names for module in modules)


def lines_of(finder: Finder, source: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(source)):
        if finder(node):
            yield getattr(node, "lineno", 0)


@pytest.mark.parametrize(
    ("finder", "owners"), OWNERS, ids=lambda value: getattr(value, "__name__", "owners")
)
def test_an_effect_stands_only_with_its_owner(finder: Finder, owners: set[str]) -> None:
    strays = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in MODULES
        if path.relative_to(PACKAGE).as_posix() not in owners
        for line in lines_of(finder, path.read_text())
    ]

    assert strays == []


@pytest.mark.parametrize(
    ("finder", "owners"), OWNERS, ids=lambda value: getattr(value, "__name__", "owners")
)
def test_an_owner_is_needed(finder: Finder, owners: set[str]) -> None:
    idle = [
        name for name in sorted(owners) if not any(lines_of(finder, (PACKAGE / name).read_text()))
    ]

    assert idle == []


@pytest.mark.parametrize(
    ("finder", "source"),
    [
        (opening, "open('x')"),
        (opening, "with path.open() as file: ..."),
        (opening, "Path('x').write_text('')"),
        (opening, "os.scandir('.')"),
        (globbing, "Path('.').rglob('*.md')"),
        (running, "import subprocess"),
        (running, "from subprocess import run"),
        (running, "os.system('ls')"),
        (sqlite, "def f():\n    import sqlite3\n    sqlite3.connect('x')"),
        (sqlite, "from sqlite3 import connect"),
        (full_text_query, "'SELECT * FROM t WHERE t MATCH ?'"),
        (printing, "print('x')"),
        (printing, "click.echo('x')"),
        (printing, "sys.stdout.write('x')"),
        (click, "from click import echo"),
        (time, "datetime.now(UTC)"),
        (time, "import time"),
        (time, "date.today()"),
        (network, "import urllib.request"),
        (network, "from urllib import request"),
        (network, "from http.client import HTTPConnection"),
        (random, "import uuid"),
        (evaluating, "eval('1')"),
    ],
)
def test_an_effect_is_seen(finder: Finder, source: str) -> None:
    assert list(lines_of(finder, source)) != []


@pytest.mark.parametrize(
    ("finder", "source"),
    [
        (opening, "'open(x)'"),
        (opening, "files.walk(folder)"),
        (opening, "os.open(os.devnull, os.O_WRONLY)"),
        (printing, "done.stdout"),
        (time, "clock.now()"),
        (network, "from urllib.parse import unquote"),
        (random, "from total_recall import secrets"),
        (time, "def f(now): return now"),
        (full_text_query, "'a Matcher matches'"),
    ],
)
def test_what_is_no_effect_is_let_be(finder: Finder, source: str) -> None:
    assert list(lines_of(finder, source)) == []


# What a command loads

LAZY = ("yaml", "frontmatter", "snowballstemmer")
NEVER = ("socket", "ssl", "http", "urllib.request", "asyncio", "sqlite3", "subprocess")
LOADED = """
import sys
from total_recall.vault import cli
try:
    cli.main(sys.argv[1:])
finally:
    known = {known}
    print(*sorted(name for name in known if name in sys.modules), file=sys.stderr)
"""


def loaded(shell: Shell, folder: Path, words: str) -> list[str]:
    """Give which of the modules a command should load late or never were loaded by it."""
    script = folder / "loaded.py"
    script.write_text(LOADED.format(known=(*LAZY, *NEVER)))
    # Without the guard on the PYTHONPATH, which imports socket itself.
    ran = shell(f"python loaded.py {words}", folder, PYTHONPATH="")

    assert ran.code == 0, ran.err
    return ran.err.splitlines()[-1].split()


BARE = {"decisions/jwt.md": "# JSON Web Tokens\n\nWe decided on JWT.\n\n#auth\n"}
FRONT = {"decisions/jwt.md": "---\nid: jwt\ntags: [auth]\n---\n# JSON Web Tokens\n\nIn cookies.\n"}


@pytest.mark.parametrize(
    ("notes", "words", "modules"),
    [
        pytest.param(BARE, "--version", [], id="version"),
        pytest.param(BARE, "--help", [], id="help"),
        pytest.param(BARE, "init --help", [], id="help of init"),
        pytest.param(BARE, "'#auth'", [], id="a tag, no frontmatter"),
        pytest.param(BARE, "decisions --count", [], id="a list, no frontmatter"),
        pytest.param(BARE, "why tokens", ["snowballstemmer"], id="a word, no frontmatter"),
        pytest.param(FRONT, "'#auth'", ["frontmatter", "yaml"], id="a tag"),
        pytest.param(FRONT, "jwt --json", ["frontmatter", "yaml"], id="an id"),
        pytest.param(FRONT, "why tokens", sorted(LAZY), id="a word"),
    ],
)
def test_a_command_loads_only_what_it_uses(
    shell: Shell, make_vault: Make, notes: dict[str, str], words: str, modules: list[str]
) -> None:
    root = make_vault(notes)

    assert loaded(shell, root, words) == modules
