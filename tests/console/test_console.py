"""Whole conversations with the commands, run as a user would type them.

A `.console` file, and each ```console block of a README or reference, holds commands behind `$ `
and what they print. The commands run in a copy of the demo workspace, `<project>`.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Ran, snapshot

HERE = Path(__file__).parent
# How long ago the import before was depends on how busy the machine is.
_AGE = re.compile(r"index \d+min old")
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


CONVERSATIONS = [*sorted(HERE.glob("*.console")), REPOSITORY / "README.md"]


def _replayed(text: str, run: Callable[[str], str]) -> str:
    """Give a conversation with what its commands print now."""
    parts = re.split(r"^(?=\$ )", text, flags=re.MULTILINE)
    fresh = parts[0]
    for part in parts[1:]:
        line = part.split("\n", 1)[0]
        blank = "\n" if part.endswith("\n\n") else ""
        fresh += f"{line}\n{run(line.removeprefix('$ '))}{blank}"
    return fresh


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.name)
def test_a_conversation_runs_as_it_is_written(
    path: Path, examples: Path, shell: Callable[..., Ran], pytestconfig: pytest.Config
) -> None:
    before = snapshot(examples / "vault")
    written = path.read_text()

    def run(line: str) -> str:
        said = shell(line, examples, both=True).out.replace(str(examples), "<project>")
        return _AGE.sub("index 0min old", said)

    if path.suffix == ".md":
        fresh = _BLOCK.sub(lambda block: f"```console\n{_replayed(block[1], run)}```", written)
    else:
        fresh = _replayed(written, run)
    if pytestconfig.getoption("--accept"):
        path.write_text(fresh)

    assert fresh == written
    assert snapshot(examples / "vault") == before
