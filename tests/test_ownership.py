"""Each dangerous thing is done in one module, and nowhere else."""

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import BIN, REPOSITORY, Ran

PACKAGE = REPOSITORY / "scripts" / "total_recall"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What is called or imported, and the only modules that may.
CALLS = {
    "open": {"files.py"},
    "os.open": {"files.py", "output.py"},
    "os.fdopen": {"files.py"},
    "os.scandir": {"files.py"},
    "os.walk": {"files.py"},
    "print": set[str](),
    "click.echo": {"output.py"},
    "sys.exit": {"output.py"},
    "datetime.now": {"clock.py"},
    "time.time": set[str](),
    "eval": set[str](),
    "exec": set[str](),
    "sqlite3.connect": set[str](),
}
METHODS = {
    "write_bytes": {"files.py"},
    "write_text": set[str](),
    "read_bytes": set[str](),
    "read_text": set[str](),
    "open": {"files.py"},
    "unlink": {"files.py"},
    "rename": {"files.py"},
    "mkdir": {"files.py"},
    "glob": set[str](),
    "rglob": set[str](),
    "iterdir": set[str](),
}
IMPORTS = {
    "click": {"output.py", "vault/cli.py", "setup/cli.py"},
    "subprocess": {"setup/programs.py"},
    "socket": set[str](),
    "urllib.request": set[str](),
    "http": set[str](),
    "requests": set[str](),
    "pickle": set[str](),
    "random": set[str](),
    "glob": set[str](),
    "tempfile": {"files.py", "setup/demo.py"},
    "time": set[str](),
}


def _name(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _trespasses(tree: ast.AST, module: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = _dotted(node.func)
            if module not in CALLS.get(called, {module}):
                yield f"line {node.lineno}: {called}("
            is_method = isinstance(node.func, ast.Attribute) and called not in CALLS
            method = called.rpartition(".")[2]
            if is_method and module not in METHODS.get(method, {module}):
                yield f"line {node.lineno}: .{method}("
        imported: list[str] = []
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imported = [node.module or ""]
        for name in imported:
            if module not in IMPORTS.get(name, {module}):
                yield f"line {getattr(node, 'lineno', 0)}: import {name}"


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_a_module_does_only_what_it_owns(module: Path) -> None:
    assert list(_trespasses(ast.parse(module.read_text()), _name(module))) == []


@pytest.mark.parametrize(
    "source",
    ["open('x')", "import socket", "p.write_text('x')", "print('x')", "from time import time"],
)
def test_a_trespass_is_seen(source: str) -> None:
    assert list(_trespasses(ast.parse(source), "vault/rank.py")) != []


def test_no_statement_of_full_text_search_stands_in_the_vault() -> None:
    assert [_name(module) for module in MODULES if " MATCH " in module.read_text()] == []


HEAVY = ("yaml", "frontmatter", "snowballstemmer", "filelock", "rich")


def _loaded(words: str, folder: Path, shell: Callable[..., Ran]) -> set[str]:
    line = f"{sys.executable} -X importtime {BIN / 'realm-recall'} {words}"
    names = {row.rpartition("|")[2].strip() for row in shell(line, folder).err.splitlines()}
    return names & set(HEAVY)


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        pytest.param("--version", set(), id="the version"),
        pytest.param("--help", set(), id="the help"),
        pytest.param("auth", {"yaml", "frontmatter"}, id="a tag needs no stems"),
        pytest.param("why tokens", {"yaml", "frontmatter", "snowballstemmer"}, id="a question"),
    ],
)
def test_a_command_loads_only_what_it_uses(
    words: str, heavy: set[str], examples: Path, shell: Callable[..., Ran]
) -> None:
    assert _loaded(words, examples, shell) == heavy


def test_notes_without_frontmatter_need_no_yaml(tmp_path: Path, shell: Callable[..., Ran]) -> None:
    (tmp_path / ".realm").mkdir()
    (tmp_path / ".realm/realm-state.json").write_text('{"projectDir": "adr"}')
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr/0001-x.md").write_text("# X\n\ntext #tag\n")

    assert _loaded("'#tag'", tmp_path, shell) == set()
