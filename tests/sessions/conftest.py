"""Projects with past sessions, small enough to be read in a test."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from total_recall.sessions import cli

Said = Mapping[str, Sequence[str | Mapping[str, Any]]]
Make = Callable[..., Path]
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def turn_of(said: str | Mapping[str, Any], number: int, day: int) -> dict[str, Any]:
    """Give a turn: a person's and an agent's by turns, a minute apart."""
    given = {"text": said} if isinstance(said, str) else dict(said)
    at = START + timedelta(days=day, minutes=number)
    role = "user" if number % 2 == 0 else "assistant"
    return {"id": f"t{number}", "role": role, "timestamp": at.isoformat(), **given}


@pytest.fixture
def make_project(tmp_path: Path, run: Callable[..., Ran]) -> Make:
    """Make a project with these sessions, a day apart, and import them; gives its root.

    Each session is a list of its turns, as texts or as what differs from a plain turn. `more`
    are fields of sessions by id.
    """

    def make(said: Said, more: Mapping[str, Mapping[str, Any]] | None = None) -> Path:
        root = tmp_path / "project"
        (root / ".cocoplus").mkdir(parents=True, exist_ok=True)
        folder = root / "past"
        folder.mkdir(exist_ok=True)
        (root / "cocoplus").mkdir(exist_ok=True)
        (root / "cocoplus" / "recall-sources.json").write_text('["past"]')
        for day, (name, turns) in enumerate(said.items()):
            whole = [turn_of(turn, number, day) for number, turn in enumerate(turns)]
            fields = {"session_id": name, "turns": whole, **(more or {}).get(name, {})}
            (folder / f"{name}.json").write_text(json.dumps(fields))
        ran = run(root, "import")
        assert (ran.code, ran.err) == (0, "")
        return root

    return make


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run cocorecall in this process."""

    def act(root: Path, command: str, *words: str) -> Ran:
        with pytest.raises(SystemExit) as left:
            cli.main([command, "--root", str(root), *words])
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, printed.out, printed.err)

    return act


@pytest.fixture
def ask(run: Callable[..., Ran]) -> Callable[..., dict[str, Any]]:
    """Ask for hits, and give the envelope of the answer."""

    def act(root: Path, *words: str) -> dict[str, Any]:
        ran = run(root, "search", *words, "--json")
        assert ran.code == 0, ran.err
        envelope: dict[str, Any] = json.loads(ran.out)
        return envelope

    return act
