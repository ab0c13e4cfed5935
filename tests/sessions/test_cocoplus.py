"""CocoPlus flat sessions: their turns, and each facet with its two names and its odd values."""

import json

import pytest

from tests.sessions.transcripts import Row, cocoplus_session, lines, read


def facets_of(**fields: object) -> dict[str, list[tuple[str, ...]]]:
    row: Row = {"session_id": "s", "turns": [{"role": "user", "text": "x"}], **fields}
    return read(json.dumps(row).encode()).drafts["s"].facets


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"functions_touched": ["f", "g"]}, {"function_touches": [("f",), ("g",)]}),
        ({"functionsTouched": ["f"]}, {"function_touches": [("f",)]}),
        ({"function_names": ["f"]}, {"function_touches": [("f",)]}),
        (
            {"evaluation_results": [{"metric": "m", "value": 0.5}, {"name": "n", "status": "ok"}]},
            {"evaluation_results": [("m", "0.5"), ("n", "ok")]},
        ),
        (
            {"outcomeContracts": [{"function_name": "f", "type": "t", "result": True}]},
            {"outcome_contracts": [("f", "t", "true")]},
        ),
        ({"strategy_ids": ["a"], "key_decisions": ["b"]},
         {"strategy_usage": [("a",)], "key_decisions": [("b",)]}),
        ({"functions_touched": None, "strategyIds": "text", "key_decisions": [1, {}, ""]}, {}),
    ],
)  # fmt: skip
def test_each_facet_fills_its_table(fields: Row, found: Row) -> None:
    assert facets_of(**fields) == found


def test_values_of_a_wrong_type_are_counted() -> None:
    found = read(json.dumps(cocoplus_session()).encode())

    assert found.unknown == {
        "a turn that is no object": 1,
        "an item of functions_touched": 2,
        "an item of evaluation_results": 1,
        "an item of tool_calls": 2,
    }


def test_the_session_is_described() -> None:
    facts = read(json.dumps(cocoplus_session()).encode()).drafts["review-7"].facts

    assert (facts.phase_context, facts.started, facts.ended) == (
        "review", "2026-02-01T08:00:00.000Z", "2026-02-01T09:00:00.000Z",
    )  # fmt: skip


def test_tools_are_kept_with_what_they_were_given() -> None:
    calls = read(json.dumps(cocoplus_session()).encode()).calls["review-7"]

    assert [(call.name, call.input) for call in calls] == [("pytest", "-q"), ("sql", "")]


def test_several_sessions_may_stand_in_one_file() -> None:
    rows = [{"session_id": name, "turns": [{"role": "user", "text": name}]} for name in "ab"]

    for data in (lines(rows), json.dumps(rows).encode()):
        found = read(data)
        assert {key: [turn.text for turn in turns] for key, turns in found.turns.items()} == {
            "a": ["a"],
            "b": ["b"],
        }


def test_without_an_id_the_file_names_the_session_and_the_place_the_turn() -> None:
    row = {"turns": [{"role": "user", "text": "x"}, {"role": "assistant", "text": "y"}]}

    found = read(json.dumps(row).encode(), "review-2026")

    assert [(key, [turn.native for turn in turns]) for key, turns in found.turns.items()] == [
        ("review-2026", ["0", "1"])
    ]
