"""Claude Code: messages in several records, sub-agents, branches, copies, what hosts put in."""

import hashlib
import json

import pytest

from tests.sessions.transcripts import SID, Claude, claude_session, lines, read, tool_use
from total_recall.sessions.draft import ReachesBackError


def test_a_message_in_several_records_is_one_turn_with_all_their_bytes() -> None:
    made = Claude().user("go").reply("m1", {"type": "thinking", "thinking": "…"}, "One.", "Two.")
    made.reply("m1", tool_use("c1")).result("c1", "ok").reply("m1", tool_use("c2"))
    data = made.bytes()

    _, turn = read(data).only

    assert (turn.native, turn.text) == ("m1", "One.\n\nTwo.")
    of_message = [line for line in data.splitlines() if b'"id": "m1"' in line]
    assert [data[start:end] for start, end in turn.spans] == of_message
    assert hashlib.sha256(b"".join(of_message)).digest() == turn.raw_sha


def test_nineteen_records_of_one_message_are_one_turn_and_eighteen_calls() -> None:
    made = Claude().user("go").reply("m1", "I look.")
    made.reply("m1", *(tool_use(f"c{n}", "Read", path=f"{n}.py") for n in range(18)))

    found = read(made.bytes())

    assert found.said() == [("user", "go"), ("assistant", "I look.")]
    assert [call.call_id for call in found.calls[SID]] == [f"c{n}" for n in range(18)]


@pytest.mark.parametrize(
    ("blocks", "text"),
    [
        pytest.param(["I", "I look", "I look at it."], "I look at it.", id="a growing block"),
        pytest.param(["One.", "Two."], "One.\n\nTwo.", id="two blocks"),
        pytest.param(["One.", "One."], "One.", id="the same block again"),
    ],
)
def test_a_snapshot_takes_the_place_of_the_one_before(blocks: list[str], text: str) -> None:
    made = Claude().user("go").reply("m1", *blocks)

    assert read(made.bytes()).said()[1:] == [("assistant", text)]


def test_replies_without_an_id_are_not_joined() -> None:
    made = Claude().user("go")
    for said in ("One.", "Two."):
        made.record(
            "assistant", message={"role": "assistant", "content": [{"type": "text", "text": said}]}
        )

    assert read(made.bytes()).said()[1:] == [("assistant", "One."), ("assistant", "Two.")]


def test_tool_results_belong_to_their_calls_and_are_no_turns() -> None:
    made = Claude().user("go").reply("m1", tool_use("c1", "Bash", command="ls"), tool_use("c2"))
    made.result("c2", [{"type": "text", "text": "boom"}, {"type": "image"}], is_error=True)
    made.result("c1", "a\n" * 2000).result("orphan", "x").reply("m2", tool_use("c3"))

    found = read(made.bytes())

    assert found.said() == [("user", "go")]
    by_id = {call.call_id: call for call in found.calls[SID]}
    assert {key: (call.name, call.status, call.output_length) for key, call in by_id.items()} == {
        "c1": ("Bash", "ok", 4000),
        "c2": ("Bash", "error", 12),
        "c3": ("Bash", "pending", 0),
    }
    assert by_id["c1"].input == '{"command":"ls"}'
    assert len(by_id["c1"].output) < 1200
    assert "[… 2,976 characters …]" in by_id["c1"].output


@pytest.mark.parametrize("content", [None, "", [], [None, 3], {}, [{"type": "text", "text": None}]])
def test_content_of_any_shape_is_read(content: object) -> None:
    made = Claude().user(content).user("real").record("user", message=None).record("user")

    assert read(made.bytes()).said() == [("user", "real")]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        pytest.param("<command-name>/review</command-name><command-args>all</command-args>",
                     [("user", "/review all")], id="a slash command"),
        pytest.param("<command-message>x</command-message>\n<command-name>/clear</command-name>",
                     [("user", "/clear")], id="its message first"),
        pytest.param("<bash-input>ls</bash-input>", [("user", "! ls")], id="a shell command"),
        pytest.param("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", [], id="output"),
        pytest.param("<local-command-caveat>c</local-command-caveat>", [], id="a caveat"),
        pytest.param("<ide_opened_file>a.py</ide_opened_file>why?",
                     [("user", "[… host reminder …]\nwhy?")], id="glued before a prompt"),
        pytest.param("<task-notification>done</task-notification>",
                     [("system", "<task-notification>done</task-notification>")], id="a notice"),
        pytest.param("Stop hook feedback: tests fail",
                     [("system", "Stop hook feedback: tests fail")], id="a hook"),
        pytest.param("<div>not ours</div>", [("user", "<div>not ours</div>")], id="other tags"),
        pytest.param("<system-reminder>open", [("user", "<system-reminder>open")], id="unclosed"),
    ],
)  # fmt: skip
def test_what_hosts_write_as_a_person_is_told_apart(
    typed: str, said: list[tuple[str, str]]
) -> None:
    assert read(Claude().user(typed).bytes()).said() == said


def test_a_queued_prompt_is_a_turn_once() -> None:
    made = Claude().user("go")
    made.record("attachment", attachment={"type": "queued_command", "prompt": "and tests"})
    made.record("attachment", attachment={"type": "edited_text_file", "content": "x"})
    made.user("and tests").reply("m1", "Yes.").user("and tests")

    assert read(made.bytes()).said() == [
        ("user", "go"), ("user", "and tests"), ("assistant", "Yes."), ("user", "and tests"),
    ]  # fmt: skip


def test_a_sub_agent_is_a_session_of_its_own_with_its_parent() -> None:
    data = Claude(isSidechain=True).user("look").reply("m1", "Found.").bytes()
    folders = ("/", "projects", "-srv", "parent-session", "subagents")

    found = read(data, "agent-7c41", folders=folders)
    flat = read(data, "agent-7c41", folders=("/", "projects", "-srv"))

    facts = found.drafts["agent-7c41"].facts
    assert (facts.relation, facts.parent) == ("subagent", "parent-session")
    assert flat.drafts["agent-7c41"].facts.parent == SID
    assert [turn.is_sidechain for turn in found.only] == [True, True]


def test_an_inline_sidechain_is_marked() -> None:
    made = Claude().user("go").user("sub", isSidechain=True).reply("m1", "x", isSidechain=True)

    assert [turn.is_sidechain for turn in read(made.bytes()).only] == [False, True, True]


def test_what_a_person_went_back_from_is_abandoned() -> None:
    made = Claude().user("start").reply("m1", "Ready.")
    at = made.parent
    made.user("first idea").reply("m2", "Doing it.")
    made.parent = at
    made.user("second idea").reply("m3", "Better.")

    turns = read(made.bytes()).only

    assert [(turn.text, turn.abandoned) for turn in turns] == [
        ("start", False), ("Ready.", False), ("first idea", True), ("Doing it.", True),
        ("second idea", False), ("Better.", False),
    ]  # fmt: skip


def test_parallel_tools_and_lost_parents_abandon_nothing() -> None:
    made = Claude().user("go").reply("m1", tool_use("c1"), tool_use("c2"))
    made.result(
        "c1",
        "x",
    ).result("c2", "y").user("next", parentUuid="gone").user("last", parentUuid=None)

    assert not any(turn.abandoned for turn in read(made.bytes()).only)


def test_going_back_further_than_was_read_is_for_a_whole_reading() -> None:
    made = Claude().user("start").reply("m1", "Ready.")
    at = made.parent
    made.user("first idea").reply("m2", "Doing it.").user("more of it").reply("m3", "Doing more.")
    first = read(made.bytes())
    made.parent = at
    made.user("second idea")

    with pytest.raises(ReachesBackError):
        read(made.bytes(), mark=first.mark)


def test_records_of_a_session_with_a_file_of_its_own_stay_where_they_are() -> None:
    data = lines([*Claude("a").user("one").rows, *Claude("b", uuid="z").user("two").rows])

    apart = read(data, "a", is_beside=lambda _: False)
    together = read(data, "a", is_beside=lambda session: session == "b")

    assert {key: [turn.text for turn in turns] for key, turns in apart.turns.items()} == {
        "a": ["one"], "b": ["two"],
    }  # fmt: skip
    assert [turn.text for turn in together.only] == ["one", "two"]


def test_one_id_with_another_text_is_a_second_turn() -> None:
    made = Claude().user("one", uuid="u").user("one", uuid="u").user("two", uuid="u")

    assert [(turn.native, turn.text) for turn in read(made.bytes()).only] == [
        ("u", "one"),
        ("u~2", "two"),
    ]


def test_without_an_id_the_line_names_a_turn() -> None:
    made = Claude().user("one", uuid=...).user("two", uuid=...)
    glued = made.bytes().replace(b"\n", b"", 1)

    assert [turn.native for turn in read(made.bytes()).only] == ["L1", "L2"]
    assert [turn.native for turn in read(glued).only] == ["L1", "L1.2"]


def test_ids_do_not_move_when_filters_change() -> None:
    made = Claude().user("one", uuid=...).user("note", isMeta=True).user("two", uuid=...)
    plain = Claude().user("one", uuid=...).user("note").user("two", uuid=...)

    kept = {turn.text: turn.native for turn in read(made.bytes()).only}
    assert kept == {"one": "L1", "two": "L3"}
    assert {
        text: read(plain.bytes()).only[n].native for n, text in ((0, "one"), (2, "two"))
    } == kept


def test_titles_of_people_come_before_those_of_machines() -> None:
    made = Claude().user("go")
    for row in (
        {"type": "summary", "summary": "of another session", "leafUuid": "elsewhere"},
        {"type": "ai-title", "aiTitle": "A guess", "sessionId": SID},
        {"type": "custom-title", "customTitle": "Queue  work", "sessionId": SID},
        {"type": "ai-title", "aiTitle": "A later guess", "sessionId": SID},
    ):
        made.rows.append(row)

    assert read(made.bytes()).drafts[SID].facts.title == "Queue work"


def test_a_summary_is_the_title_of_the_session_that_its_leaf_is_in() -> None:
    made = Claude()
    made.rows.append({"type": "summary", "summary": "Other work", "leafUuid": "elsewhere"})
    made.rows.append({"type": "summary", "summary": "Queue work", "leafUuid": "u0002"})
    made.user("go")

    assert read(made.bytes()).drafts[SID].facts.title == "Queue work"


def test_facts_come_from_the_records() -> None:
    facts = read(claude_session(), folders=("/", "projects", "-some-lossy-name")).drafts[SID].facts

    assert (facts.cwd, facts.git_branch, facts.relation) == ("/srv/harbor", "main", "root")
    assert (facts.started, facts.ended) == ("2026-03-01T09:00:00.000Z", "2026-03-01T09:00:20.000Z")


def test_the_session_spans_its_records_whatever_their_order() -> None:
    made = (
        Claude()
        .user("late", timestamp="2026-03-02T10:00:00Z")
        .user("early", timestamp="2026-03-01T10:00:00Z")
    )

    facts = read(made.bytes()).drafts[SID].facts

    assert (facts.started[:10], facts.ended[:10]) == ("2026-03-01", "2026-03-02")


@pytest.mark.parametrize(
    ("stamp", "time", "quality"),
    [
        ("2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00.000Z", "exact"),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:00.000Z", "assumed"),
        (1772355600, "2026-03-01T09:00:00.000Z", "exact"),
        ("1999-01-01T00:00:00Z", "1999-01-01T00:00:00.000Z", "assumed"),
        ("2999-01-01T00:00:00Z", "2999-01-01T00:00:00.000Z", "assumed"),
        (None, "2026-03-01T09:00:00.000Z", "inherited"),
        ("soon", "2026-03-01T09:00:00.000Z", "inherited"),
    ],
)
def test_times_are_told_by_how_sure_they_are(stamp: object, time: str, quality: str) -> None:
    made = Claude().user("first").user("second", timestamp=stamp)

    second = read(made.bytes()).only[1]

    assert (second.time, second.time_quality) == (time, quality)


def test_undated_turns_have_the_start_of_their_session() -> None:
    made = Claude().user("undated", timestamp=...).user("dated")

    first = read(made.bytes()).only[0]

    assert (first.time, first.time_quality) == ("2026-03-01T09:00:01.000Z", "file")


def test_unknown_types_are_counted_by_name() -> None:
    made = (
        Claude()
        .record("hologram")
        .record("hologram")
        .user([{"type": "smell"}, {"type": "text", "text": "x"}])
    )

    assert read(made.bytes()).unknown == {"hologram": 2, "block smell": 1}


def test_what_no_one_reads_is_not_kept() -> None:
    secret = "iVBORw0KGgo" * 50
    made = Claude().user(
        [{"type": "image", "source": {"data": secret}}, {"type": "text", "text": "see"}]
    )
    made.reply(
        "m1",
        {"type": "redacted_thinking", "data": secret},
        {"type": "thinking", "thinking": secret},
        "ok",
    )

    found = read(made.bytes())

    assert found.said() == [("user", "[image]\n\nsee"), ("assistant", "ok")]
    assert secret not in json.dumps(found.said())
