"""The whole session: every turn in order, those that match marked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran

Make = Callable[..., Path]
Run = Callable[..., Ran]

SAID = {
    "aaaaaaaa-1": [
        "which queue",
        "A queue in Postgres.",
        "and retries",
        "Three, then it is parked.",
    ],
    "aaaaaaab-2": ["something else"],
}


def heads(ran: Ran) -> list[str]:
    """Give the first line of each turn that is shown."""
    return [line for line in ran.out.splitlines() if " · 2026-" in line and line[0] in " ▶"][0:]


def test_every_turn_is_shown_in_order_word_for_word(make_project: Make, run: Run) -> None:
    root = make_project(SAID)

    ran = run(root, "show", "aaaaaaaa-1")

    assert ran.code == 0
    assert [line[2:] for line in ran.out.splitlines() if line.startswith("| ")] == SAID[
        "aaaaaaaa-1"
    ]
    assert ran.out.splitlines()[-1] == "cocorecall done · 4 of 4 turns"


def test_the_turns_of_the_query_are_marked(make_project: Make, run: Run) -> None:
    root = make_project(SAID)

    ran = run(root, "show", "aaaaaaaa", "--query", "queues")

    assert [line[0] for line in heads(ran)] == ["▶", "▶", " ", " "]


def test_the_last_search_that_cited_the_session_is_marked(make_project: Make, run: Run) -> None:
    root = make_project(SAID)
    run(root, "search", "parked")

    assert [line[0] for line in heads(run(root, "show", "aaaaaaaa"))] == [" ", " ", " ", "▶"]


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        pytest.param(["-A", "1"], [3], id="after the last one there is nothing"),
        pytest.param(["-B", "1"], [2, 3], id="before"),
        pytest.param(["-C", "2"], [1, 2, 3], id="both sides"),
    ],
)
def test_context_shows_only_what_stands_around_a_match(
    make_project: Make, run: Run, flags: list[str], shown: list[int]
) -> None:
    root = make_project(SAID)

    ran = run(root, "show", "aaaaaaaa", "--query", "parked", *flags)

    assert [int(line.split()[0].strip("▶") or line.split()[1]) for line in heads(ran)] == shown


def test_one_turn_is_shown_by_its_id_its_place_or_the_whole_citation(
    make_project: Make, run: Run
) -> None:
    root = make_project(SAID)

    for name in ("t3", "3", "aaaaaaaa-1:t3", "aaaaaaaa:t3"):
        ran = run(root, "show", "aaaaaaaa", "--turn", name)
        assert "| Three, then it is parked." in ran.out
        assert ran.out.splitlines()[-1] == "cocorecall done · 1 of 4 turns"


def test_an_ambiguous_start_names_the_sessions(make_project: Make, run: Run) -> None:
    root = make_project(SAID)

    ran = run(root, "show", "aaaaaaa")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "cocorecall: 'aaaaaaa' begins 2 sessions: aaaaaaaa-1, aaaaaaab-2 (give more of it)\n"
    )


@pytest.mark.parametrize("name", ["zzz", "%", "", "'; DROP TABLE turns;--", "../../etc", "a\x00b"])
def test_an_unknown_session_is_said(make_project: Make, run: Run, name: str) -> None:
    root = make_project({"one": ["x"], "two": ["y"]})

    ran = run(root, "show", "--", name)

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("cocorecall: ")


def test_tools_are_shown_on_request(make_project: Make, run: Run) -> None:
    calls = [{"name": "run_sql", "input": {"sql": "SELECT 1"}}]
    root = make_project(SAID, {"aaaaaaaa-1": {"tool_calls": calls}})

    plain = run(root, "show", "aaaaaaaa")
    ran = run(root, "show", "aaaaaaaa", "--tools")

    assert "run_sql" not in plain.out
    assert "  tool run_sql · pending · no output" in ran.out
    assert '| < {"sql":"SELECT 1"}' in ran.out


def test_credentials_in_tools_are_masked(make_project: Make, run: Run) -> None:
    key = "ghp_" + "Ab3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    calls = [{"name": "curl", "input": f"-H 'Authorization: Bearer {key}'"}]
    root = make_project(SAID, {"aaaaaaaa-1": {"tool_calls": calls}})

    assert key not in run(root, "show", "aaaaaaaa", "--tools").out
    assert key in run(root, "show", "aaaaaaaa", "--tools", "--reveal").out


def test_a_deleted_source_is_said(make_project: Make, run: Run) -> None:
    root = make_project(SAID)
    (root / "past" / "aaaaaaaa-1.json").unlink()

    assert "  source_exists: false · " in run(root, "show", "aaaaaaaa").out
