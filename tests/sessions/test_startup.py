"""What a command loads: an agent waits for each of them, and most need little."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran

LOADED = """
import sys
from total_recall.sessions.cli import main
try:
    main({words!r})
except SystemExit:
    pass
print(*sorted(sys.modules), file=sys.stderr)
"""
HEAVY = {
    "filelock", "frontmatter", "rich", "snowballstemmer", "tempfile", "yaml",
    "total_recall.vault", "total_recall.memory", "total_recall.setup",
}  # fmt: skip
OF_IMPORT = {
    f"total_recall.sessions.{name}"
    for name in ("importer", "formats", "draft", "records", "entities", "upkeep", "writing")
}


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        pytest.param(["--help"], HEAVY | OF_IMPORT | {"sqlite3", "json"}, id="help"),
        pytest.param(["--version"], HEAVY | OF_IMPORT | {"sqlite3", "json"}, id="version"),
        pytest.param(["search", "queue"], HEAVY | OF_IMPORT, id="search"),
        pytest.param(["show", "aaaaaaaa"], HEAVY | OF_IMPORT | {"json"}, id="show"),
        pytest.param(["import"], HEAVY - {"filelock", "tempfile"}, id="import"),
    ],
)
def test_a_command_loads_only_what_it_uses(
    make_project: Callable[..., Path],
    shell: Callable[..., Ran],
    tmp_path: Path,
    words: list[str],
    unused: set[str],
) -> None:
    root = make_project({"aaaaaaaa-1": ["which queue"], "bbbbbbbb-2": ["another queue"]})
    script = tmp_path / "loaded.py"
    script.write_text(LOADED.format(words=words))

    # Without the guard on the PYTHONPATH, which loads modules itself.
    ran = shell(f"{sys.executable} {script}", root, PYTHONPATH="")

    assert ran.code == 0, ran.err
    assert unused & set(ran.err.splitlines()[-1].split()) == set()
