"""Cortex Code: what was typed and shown, tools under a key of their own, times without a zone."""

import json

import pytest

from tests.sessions.transcripts import (
    CORTEX_ID,
    SIDECAR,
    Row,
    cortex_document,
    cortex_rows,
    lines,
    read,
)

STEM = f"{CORTEX_ID}.history"


def one(*blocks: object, role: str = "user", **more: object) -> list[tuple[str, str]]:
    """Give what is read of one message of these blocks."""
    row = {"role": role, "id": "0d77bc60", "content": list(blocks), **more}
    return read(lines([row]), STEM).said()


@pytest.mark.parametrize(
    ("block", "said"),
    [
        pytest.param({"type": "text", "text": "a"}, "a", id="text"),
        pytest.param({"type": "text", "text": "a", "displayText": "b"}, "b", id="as shown"),
        pytest.param({"type": "text", "text": "a", "internalOnly": True}, "", id="internal"),
        pytest.param({"type": "text", "text": "a", "is_user_prompt": False}, "", id="not typed"),
        pytest.param(
            {"type": "text", "text": "a", "is_user_prompt": False, "displayText": "b"}, "b",
            id="not typed but shown",
        ),
        pytest.param({"type": "text", "text": None}, "", id="null"),
        pytest.param("a", "a", id="a bare text"),
        pytest.param({"type": "image"}, "[image]", id="an image"),
        pytest.param(
            {"type": "text", "text": "<system-reminder>x</system-reminder>What is Python?"},
            "[… host reminder …]\nWhat is Python?", id="a reminder before a prompt",
        ),
    ],
)  # fmt: skip
def test_only_what_was_typed_or_shown_is_a_turn(block: object, said: str) -> None:
    assert one(block) == ([("user", said)] if said else [])


@pytest.mark.parametrize(
    "result",
    [
        {"tool_result": {"tool_use_id": "t1", "status": "success", "content": [{"text": "x"}]}},
        {"tool_result": {"tool_use_id": "t1", "content": ["x"]}},
        {"tool_result": {"tool_use_id": "", "content": "x"}},
        {"tool_use_id": "t1", "content": "x"},
    ],
)
def test_results_of_tools_belong_to_their_calls_in_every_shape(result: Row) -> None:
    rows = cortex_rows()[:2]
    rows.append({"role": "user", "content": [{"type": "tool_result", **result}]})

    found = read(lines(rows), STEM)

    (call,) = found.calls[CORTEX_ID]
    assert (call.name, call.output, call.status) == ("snowflake_sql_execute", "x", "ok")
    assert len(found.said()) == 2


def test_a_failed_tool_is_an_error() -> None:
    rows = cortex_rows()
    rows[2]["content"][0]["tool_result"]["status"] = "error"

    assert read(lines(rows), STEM).calls[CORTEX_ID][0].status == "error"


def test_a_time_without_a_zone_is_in_the_one_in_which_the_id_was_stamped() -> None:
    first, second, third, fourth = read(lines(cortex_rows()), STEM).only

    assert (first.time, first.time_quality) == ("2026-01-05T17:20:36.564Z", "assumed")
    assert (second.time, second.time_quality) == ("2026-01-05T17:20:36.564Z", "inherited")
    assert third.time_quality == "inherited"
    assert (fourth.time, fourth.time_quality) == ("2026-01-05T18:30:00.000Z", "exact")


def test_without_a_stamp_it_is_in_the_zone_of_this_machine() -> None:
    (first, *_) = read(lines(cortex_rows()), "0f8fad5b.history").only

    assert first.time == "2026-01-05T16:20:36.564Z"


def test_the_file_beside_a_history_describes_its_session() -> None:
    facts = read(lines(cortex_rows()), "other.history", beside=SIDECAR).drafts[CORTEX_ID].facts

    assert (facts.id, facts.title, facts.cwd) == (CORTEX_ID, "", "/srv/harbor")
    assert facts.started == "2026-01-05T17:19:43.000Z"


def test_a_title_that_somebody_gave_is_kept_and_desktop_times_are_read() -> None:
    beside = {"session_id": "d1", "title": "Orders", "creationDate": 1767633636564}

    facts = read(lines(cortex_rows()[4:]), "d1.history", beside=beside).drafts["d1"].facts

    assert (facts.title, facts.started) == ("Orders", "2026-01-05T17:20:36.564Z")


def test_a_session_is_named_by_its_file_if_by_nothing_else() -> None:
    assert list(read(lines(cortex_rows()), "0f8fad5b.history").turns) == ["0f8fad5b"]


def test_a_description_alone_is_no_transcript() -> None:
    assert read(json.dumps(SIDECAR).encode(), CORTEX_ID).turns == {}


def test_an_embedded_history_that_grew_keeps_its_ids() -> None:
    document = json.loads(cortex_document())
    before = read(json.dumps(document).encode(), CORTEX_ID).only
    document["history"].append({"role": "user", "id": "0d77bc65", "content": "one more"})

    after = read(json.dumps(document, indent=4).encode(), CORTEX_ID).only

    ids = [(turn.native, turn.place, turn.raw_sha) for turn in before]
    assert [(turn.native, turn.place, turn.raw_sha) for turn in after][:-1] == ids


def test_without_an_id_the_place_in_the_document_names_a_message() -> None:
    document = json.loads(cortex_document())
    for row in document["history"]:
        del row["id"]

    turns = read(json.dumps(document).encode(), CORTEX_ID).only

    assert [turn.native for turn in turns] == ["0", "1", "3", "4"]


def test_an_unknown_block_is_counted() -> None:
    row = {"role": "user", "id": "a", "content": [{"type": "smell"}, {"type": "text", "text": "x"}]}

    assert read(lines([row]), STEM).unknown == {"block smell": 1}
