"""The command `nemp-recall`: what a user types and sees."""

import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import Ran, snapshot
from total_recall import tokens
from total_recall.memory import cli

SECRET = "ghp_" + "a1B2c3D4" * 5
STAMP = r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\]"

Recall = Callable[..., Ran]
Shell = Callable[..., Ran]
Entries = Mapping[str, Any]

FRESH = {"score": 50, "state": "active", "reads": 0, "reads_7d": 0, "reads_30d": 0}
AUTH = {
    "auth-flow": {"key": "auth-flow", "value": "JWT in cookies.", "agent_id": "main"},
    "sessions": {"key": "sessions", "value": "They expire; see the auth notes."},
    "db": {"key": "db", "value": "Postgres."},
}


@pytest.fixture
def home() -> Path:
    return Path.home()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a project in a repository of its own."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def recall(root: Path, capsys: pytest.CaptureFixture[str]) -> Recall:
    """Run nemp-recall in this process, in the project; a command's name comes first."""

    def run(*words: str) -> Ran:
        is_command = words[:1] in {(name,) for name in cli._COMMANDS}
        place = ("--root", str(root))
        line = [words[0], *place, *words[1:]] if is_command else [*place, *words]
        with pytest.raises(SystemExit) as left:
            cli.main(line)
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, printed.out, printed.err)

    return run


def keep(folder: Path, held: object) -> Path:
    """Write a store, as text or as a value."""
    path = folder / ".nemp" / "memories.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(held if isinstance(held, str) else json.dumps(held, indent=2))
    return path


def held(folder: Path) -> dict[str, Any]:
    entries: dict[str, Any] = json.loads((folder / ".nemp" / "memories.json").read_text())
    return entries


def log(folder: Path) -> list[str]:
    """Give the lines of a log without their times."""
    path = folder / ".nemp" / "access.log"
    lines = path.read_text().splitlines() if path.exists() else []
    assert all(re.match(STAMP, line) for line in lines)
    return [re.sub(STAMP, "[…]", line) for line in lines]


def reads(folder: Path) -> dict[str, int]:
    """Give how often each memory of a store was read, those that never were left out."""
    return {
        key: entry["vitality"]["reads"]
        for key, entry in held(folder).items()
        if "vitality" in entry
    }


# Answers


def test_an_exact_key_is_one_record(root: Path, recall: Recall) -> None:
    keep(root, AUTH)

    ran = recall("auth-flow")

    assert ran == Ran(
        0,
        "🔍 Memory: auth-flow\n"
        'Value: "JWT in cookies."\n'
        "Type: fact | Vitality: 18 (dormant) | Confidence: 0.65\n"
        "Agent: main\n"
        "Source: project (.nemp/memories.json)\n",
        "",
    )


def test_a_question_finds_several(root: Path, recall: Recall) -> None:
    keep(root, AUTH)

    assert recall("how does", "auth", "work").out == (
        '🔍 Found 2 memories matching "how does auth work":\n'
        "\n"
        '[auth-flow] (by main) - "JWT in cookies."\n'
        '[sessions] - "They expire; see the auth notes."\n'
        "\n"
        "Use /nemp:recall <exact-key> for full details.\n"
    )


def test_a_single_hit_of_any_phase_is_a_whole_record(root: Path, recall: Recall) -> None:
    keep(root, AUTH)

    assert recall("postgres").out.startswith('🔍 Memory: db\nValue: "Postgres."\n')


def test_an_exact_key_gives_the_projects_copy_and_words_give_both(
    root: Path, home: Path, recall: Recall
) -> None:
    keep(root, {"pm": {"value": "Use pnpm here."}})
    keep(home, {"pm": {"value": "Use bun elsewhere."}})

    exact, worded = recall("pm"), recall("use")

    assert 'Value: "Use pnpm here."' in exact.out
    assert "Source: project" in exact.out
    assert worded.out.splitlines()[2:4] == [
        '[pm] - "Use pnpm here."',
        '[pm] - "Use bun elsewhere." [global]',
    ]


@pytest.mark.parametrize(
    ("scope", "value"), [("project", "here"), ("global", "elsewhere"), ("all", "here")]
)
def test_a_scope_asks_one_store(
    root: Path, home: Path, recall: Recall, scope: str, value: str
) -> None:
    keep(root, {"pm": {"value": "here"}})
    keep(home, {"pm": {"value": "elsewhere"}})

    assert f'Value: "{value}"' in recall("pm", "--scope", scope).out


@pytest.mark.parametrize("query", ["quantum", "list", "--", "x\n❌ y", "\x1b[2J", "\u202ex"])
def test_without_any_store_nothing_is_found_and_nothing_made(
    root: Path, home: Path, recall: Recall, query: str
) -> None:
    shown = query.encode("unicode_escape").decode() if not query.isprintable() else query
    before = snapshot(root), snapshot(home)

    ran = recall("--", query)

    assert ran == Ran(
        0,
        f'❌ No memories found for "{"x ❌ y" if "❌" in query else shown}"\n'
        "Suggestions:\n"
        "\n"
        "Use /nemp:list to see all available memories\n"
        "Try different keywords\n"
        "Save a new memory with /nemp:save\n",
        "",
    )
    assert (snapshot(root), snapshot(home)) == before


def test_a_near_key_is_offered_but_never_taken_as_the_answer(root: Path, recall: Recall) -> None:
    keep(root, {"database": {"value": "Postgres."}})

    ran = recall("databse")

    assert ran.out.splitlines()[0] == '❌ No memories found for "databse"'
    assert ran.out.splitlines()[-1] == "Did you mean: database"
    assert json.loads(recall("databse", "--json").out)["did_you_mean"] == ["database"]


def test_a_near_key_is_offered_too_where_only_the_topic_was_met(root: Path, recall: Recall) -> None:
    keep(root, {"database-url": {"value": "db:5"}, "ports": {"value": "In Docker: 80."}})

    ran = recall("databse hosting")

    assert ran.out.startswith("🔍 Memory: ports")
    assert ran.err == "did you mean: database-url\n"
    assert json.loads(recall("databse hosting", "--json").out)["did_you_mean"] == ["database-url"]


def test_a_key_with_a_slip_in_it_gets_that_key_and_no_guess(root: Path, recall: Recall) -> None:
    keep(root, {"deploy-window": {"value": "Tuesdays."}, "ports": {"value": "In Docker: 80."}})

    ran = recall("deploy-windw")

    assert ran.out.startswith('❌ No memories found for "deploy-windw"\n')
    assert ran.out.endswith("Did you mean: deploy-window\n")


def test_related_memories_come_only_if_asked_for_or_needed(root: Path, recall: Recall) -> None:
    keep(root, {"package-manager": {"value": "See below."}, "tool": {"value": "We use pnpm."}})

    assert "Memory: package-manager" in recall("package-manager").out
    assert "[tool]" in recall("package-manager", "--related").out


def test_explain_tells_the_phase_and_the_words(root: Path, recall: Recall) -> None:
    keep(root, AUTH)

    assert recall("db", "--explain").out.splitlines()[-1] == "Match: key: db"
    assert recall("flow", "--explain").out.splitlines()[-1] == (
        "Match: partial key: flow ~ auth flow (contained)"
    )
    assert recall("auth", "--explain").out.splitlines()[2:6] == [
        '[auth-flow] (by main) - "JWT in cookies."',
        "  partial key: auth ~ auth flow (contained)",
        '[sessions] - "They expire; see the auth notes."',
        "  value: auth",
    ]


def test_flags_may_stand_before_or_after_the_words(root: Path, recall: Recall) -> None:
    keep(root, AUTH)

    assert recall("--no-track", "auth") == recall("auth", "--no-track")


def test_superseded_and_extinct_memories_are_shown_as_what_they_are(
    root: Path, recall: Recall
) -> None:
    dead = {"vitality": {"score": 0, "state": "extinct"}, "links": {"superseded_by": "new"}}
    keep(root, {"old": {"value": "Use x.", **dead}, "new": {"value": "Use y."}})

    listed = recall("list").out.splitlines()[2:]

    assert listed == ['[old] - "Use x." [superseded by new, extinct]', '[new] - "Use y."']
    assert "Superseded by: new" in recall("old", "--no-track").out


def test_a_limit_and_a_budget_cut_and_say_so(root: Path, recall: Recall) -> None:
    keep(root, {f"note-{n:02}": {"value": f"Kafka number {n}."} for n in range(30)})

    limited, priced = recall("kafka", "--limit", "2").out, recall("kafka", "--budget", "70").out

    assert limited.splitlines() == [
        '🔍 Found 30 memories matching "kafka":',
        "",
        '[note-00] - "Kafka number 0."',
        '[note-01] - "Kafka number 1."',
        "",
        "… 28 more: --limit 30 --budget 0",
        "",
        "Use /nemp:recall <exact-key> for full details.",
    ]
    assert tokens.estimate(priced) <= 70
    assert recall("kafka", "--limit", "30", "--budget", "0").out.count("Kafka number") == 30


# Reads


def test_each_memory_that_is_shown_is_one_read_and_one_line(root: Path, recall: Recall) -> None:
    keep(root, {f"note-{n}": {"value": f"Kafka number {n}."} for n in range(5)})

    recall("kafka", "--limit", "2")

    assert reads(root) == {"note-0": 1, "note-1": 1}
    assert log(root) == [
        "[…] READ key=note-0 agent=main query=kafka",
        "[…] READ key=note-1 agent=main query=kafka",
    ]


def test_what_a_budget_leaves_out_is_not_read(root: Path, recall: Recall) -> None:
    keep(root, {f"note-{n}": {"value": f"Kafka number {n}."} for n in range(9)})

    out = recall("kafka", "--budget", "60").out

    shown = re.findall(r"^\[(note-\d)\]", out, re.MULTILINE)
    assert 0 < len(shown) < 9
    assert reads(root) == dict.fromkeys(shown, 1)
    assert len(log(root)) == len(shown)


def test_the_vitality_that_is_shown_is_that_after_the_read(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "x", "vitality": FRESH}})

    shown = [re.findall(r"Vitality: (.*?) \|", recall("a").out)[0] for _ in range(6)]

    assert shown == [
        "18 (dormant)",
        "36 (fading)",
        "54 (active)",
        "72 (active)",
        "90 (thriving)",
        "100 (thriving)",
    ]
    assert (held(root)["a"]["vitality"]["score"], reads(root)) == (100, {"a": 6})


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_no_track_logs_but_does_not_count(
    root: Path, recall: Recall, flags: tuple[str, ...]
) -> None:
    path = keep(root, {"a": {"value": "x", "vitality": FRESH}})
    before = path.read_bytes()

    out = recall("a", "--no-track", *flags).out

    assert "50" in out
    assert path.read_bytes() == before
    assert log(root) == ["[…] READ key=a agent=main query=a"]


def test_nothing_found_is_no_read(root: Path, recall: Recall) -> None:
    keep(root, AUTH)
    before = snapshot(root)

    recall("quantum")

    assert snapshot(root) == before


def test_only_the_memory_that_is_read_gets_counters(root: Path, recall: Recall) -> None:
    keep(root, {"a": "one", "b": "two"})

    recall("a")

    after = held(root)
    assert (after["a"]["value"], after["a"]["vitality"]["reads"], after["b"]) == ("one", 1, "two")


def test_a_global_read_is_logged_as_one_and_counted_there(
    root: Path, home: Path, recall: Recall
) -> None:
    keep(root, {"a": {"value": "kafka"}})
    keep(home, {"b": {"value": "kafka"}})

    recall("kafka")

    assert log(root) == [
        "[…] READ key=a agent=main query=kafka",
        "[…] READ key=b agent=main scope=global query=kafka",
    ]
    assert (reads(root), reads(home), log(home)) == ({"a": 1}, {"b": 1}, [])


def test_without_a_projects_folder_the_log_is_the_global_one(
    root: Path, home: Path, recall: Recall
) -> None:
    keep(home, {"b": {"value": "kafka"}})

    recall("b")

    assert log(home) == ["[…] READ key=b agent=main scope=global query=b"]
    assert not (root / ".nemp").exists()


def test_a_projects_folder_without_a_store_takes_the_log(
    root: Path, home: Path, recall: Recall
) -> None:
    keep(home, {"b": {"value": "kafka"}})
    (root / ".nemp").mkdir()

    recall("b")

    assert log(root) == ["[…] READ key=b agent=main scope=global query=b"]


def test_the_log_lies_beside_the_store_that_is_read(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "kafka"}})
    inner = root / "inner"
    (inner / ".nemp").mkdir(parents=True)

    recall("a", "--root", str(inner))

    assert log(root) == ["[…] READ key=a agent=main query=a"]


@pytest.mark.parametrize(
    ("flag", "variable", "agent"),
    [
        ("session-2", "other", "session-2"),
        (None, "other", "other"),
        (None, "", "main"),
        (None, None, "main"),
        ("", None, "main"),
        (" ", "", "main"),
    ],
)
def test_the_agent_is_who_is_named_by_the_flag_or_the_host(
    root: Path,
    recall: Recall,
    monkeypatch: pytest.MonkeyPatch,
    flag: str | None,
    variable: str | None,
    agent: str,
) -> None:
    keep(root, {"a": {"value": "x"}})
    if variable is not None:
        monkeypatch.setenv("CLAUDE_AGENT_NAME", variable)

    recall("a", *([] if flag is None else ["--agent", flag]))

    assert log(root) == [f"[…] READ key=a agent={agent} query=a"]


def test_texts_that_drive_a_terminal_neither_forge_nor_hide_a_line(
    root: Path, recall: Recall
) -> None:
    evil = "x\n[2026-01-01T00:00:00Z] READ key=b agent=main query=y\x1b[1A\x1b[2K\u202e"
    keep(root, {evil: {"value": f"kafka {evil}", "agent_id": evil}, "b": {"value": "kafka"}})

    for words in (("kafka",), (f"kafka {evil}",), (evil,), ("list",), ("vitality", evil)):
        ran = recall(*words)
        assert not re.search(r"[\x1b\u202e]", ran.out + ran.err)
        assert not [line for line in ran.out.splitlines() if line.startswith("[2026")]
    recall("kafka", "--agent", evil)

    lines = log(root)
    assert len(lines) == 2 + 2 + 1 + 2
    assert all(re.match(r"\[…\] READ key=(b|x\\u000a\S*) agent=\S+ query=", line) for line in lines)


def test_a_read_that_cannot_be_counted_is_answered_all_the_same(root: Path, recall: Recall) -> None:
    path = keep(root, {"a": {"value": "x"}})
    (root / ".nemp" / "memories.json.lock").mkdir()
    before = path.read_bytes()

    text = recall("a")
    facts = json.loads(recall("a", "--json").out)

    assert text.out.startswith("🔍 Memory: a")
    assert text.code == 0
    (remark,) = text.err.splitlines()
    assert remark.startswith("read not counted: ")
    assert [each[:18] for each in facts["warnings"]] == ["read not counted: "]
    assert path.read_bytes() == before
    assert len(log(root)) == 2


def test_a_read_that_cannot_be_logged_is_answered_and_counted(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "x"}})
    (root / ".nemp" / "access.log").symlink_to(root / "elsewhere")

    ran = recall("a")

    assert ran.out.startswith("🔍 Memory: a")
    assert (ran.code, reads(root)) == (0, {"a": 1})
    (remark,) = ran.err.splitlines()
    assert remark.startswith("read not logged: ")
    assert not (root / "elsewhere").exists()


def test_a_goal_that_is_active_counts(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "x", "links": {"goals": ["ship"]}}})
    (root / ".nemp/cortex.json").write_text('{"g": {"goal_id": "ship", "status": "active"}}')

    assert "Vitality: 33 (fading)" in recall("a").out


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "\ud800".encode("utf-8", "surrogatepass")])
def test_a_broken_file_of_goals_counts_as_none(
    root: Path, recall: Recall, text: str | bytes
) -> None:
    keep(root, {"a": {"value": "x", "links": {"goals": ["ship"]}}})
    (root / ".nemp/cortex.json").write_bytes(text if isinstance(text, bytes) else text.encode())

    assert recall("a").err == ""
    assert "Vitality: 36" in recall("a").out


# Stores that are not healthy


def test_one_unhealthy_store_is_named_and_the_other_answers(
    root: Path, home: Path, recall: Recall
) -> None:
    path = keep(root, '{\n  "a": {"value": "x",}\n}')
    keep(home, {"a": {"value": "global"}})

    ran = recall("a")

    assert ran.code == 0
    assert 'Value: "global"' in ran.out
    (warning,) = ran.err.splitlines()
    assert warning.startswith(f"{path}: line 2, column ")
    assert path.read_text() == '{\n  "a": {"value": "x",}\n}'
    assert json.loads(recall("a", "--json").out)["warnings"] == [warning]


@pytest.mark.parametrize("words", [("a",), ("list",), ("vitality", "a"), ("forget", "a")])
def test_without_a_healthy_store_it_is_an_error_that_names_the_place(
    root: Path, home: Path, recall: Recall, words: tuple[str, ...]
) -> None:
    one, other = keep(root, '{"a": 1, "a": 2}'), keep(home, "{\n\n<<<<<<< HEAD\n")

    ran = recall(*words)

    assert (ran.code, ran.out) == (1, "")
    assert f"{one}: line 1, column 10: the key" in ran.err
    assert f"{other}: line 3, column 1: git conflict markers" in ran.err
    assert len(ran.err.splitlines()) == 2


def test_an_unhealthy_store_is_not_saved_into(root: Path, recall: Recall) -> None:
    path = keep(root, "{")

    ran = recall("save", "a", "x")

    assert (ran.code, ran.out, path.read_text()) == (1, "", "{")
    assert "line 1, column 2" in ran.err


def test_an_error_in_json_has_the_same_exit_code(root: Path, recall: Recall) -> None:
    keep(root, "{")

    ran = recall("a", "--json")

    assert (ran.code, json.loads(ran.out)["error"]["code"]) == (1, "unreadable")


def test_a_store_that_is_a_loop_of_links_is_no_crash(root: Path, recall: Recall) -> None:
    path = root / ".nemp" / "memories.json"
    path.parent.mkdir()
    path.symlink_to(path)

    ran = recall("a")

    assert (ran.code, ran.out) == (1, "")


def test_a_bad_file_of_synonyms_is_reported_with_its_line_and_ignored(
    root: Path, recall: Recall
) -> None:
    keep(root, AUTH)
    path = root / ".nemp" / "synonyms.yaml"
    path.write_text("aliases:\n  ci: [continuous integration]\n")

    ran = recall("cookies")

    assert ran.out.startswith("🔍 Memory: auth-flow")
    assert ran.err == f"{path}: line 2: 'continuous integration' is not one word; ignored\n"


def test_the_projects_own_synonyms_are_followed(root: Path, recall: Recall) -> None:
    keep(root, {"ship": {"value": "We use spinnaker."}})
    (root / ".nemp" / "synonyms.yaml").write_text("aliases: {sails: [spinnaker]}")

    assert recall("sails").out.startswith("🔍 Memory: ship")


# Credentials


def test_credentials_are_masked_and_counted_until_they_are_asked_for(
    root: Path, recall: Recall
) -> None:
    keep(root, {"gh": {"value": f"Use {SECRET} there."}, "gh-two": {"value": "x"}})

    hidden, shown = recall("gh", "--no-track"), recall("gh", "--reveal", "--no-track")

    assert SECRET not in hidden.out + hidden.err
    assert 'Value: "Use [masked github-token] there."' in hidden.out
    assert hidden.err == "1 credential masked (--reveal shows it)\n"
    assert (f'Value: "Use {SECRET} there."' in shown.out, shown.err) == (True, "")


@pytest.mark.parametrize("flags", [(), ("--json",), ("--explain",), ("--explain", "--json")])
@pytest.mark.parametrize("words", [("gh",), ("use",), ("a1B2",), ("list",), ("gx",)])
def test_no_part_of_a_credential_is_shown_wherever_it_stands(
    root: Path, recall: Recall, words: tuple[str, ...], flags: tuple[str, ...]
) -> None:
    keep(
        root,
        {
            "gh": {"value": f"use {SECRET} there", "agent_id": SECRET, "type": SECRET},
            f"use-{SECRET}": {"value": {"use": SECRET}, "links": {"superseded_by": SECRET}},
            "gx": {"value": "use a1B2 token ghp a1B2c3D4a1B2c3D4"},
        },
    )
    wanted = [each for each in flags if words != ("list",) or each != "--explain"]

    ran = recall(*words, *wanted)

    assert ran.code == 0
    assert SECRET[4:].casefold() not in (ran.out + ran.err).casefold()


def test_a_word_of_a_credential_is_not_told_by_explain(root: Path, recall: Recall) -> None:
    keep(root, {"gh": {"value": f"The token {SECRET}."}})

    out = recall("ghp", "--explain").out

    assert out.splitlines()[-1] == "Match: value: ghp"
    assert "a1b2" not in out.casefold()


def test_a_value_is_a_credential_also_by_its_key(root: Path, recall: Recall) -> None:
    keep(root, {"db-password": {"value": "hunter2-again"}})

    ran = recall("db-password")

    assert 'Value: "[masked password]"' in ran.out
    assert "1 credential masked" in ran.err
    assert recall("save", "smtp_password", "hunter2-again").code == 1


def test_a_list_counts_only_what_is_masked_in_it(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": f"{'word ' * 20} {SECRET}"}, "b": {"value": f"x {SECRET}"}})

    assert recall("list").err == "1 credential masked (--reveal shows it)\n"
    assert json.loads(recall("list", "--json").out)["warnings"] == [
        "2 credentials masked (--reveal shows them)"
    ]


def test_a_credential_in_the_query_is_neither_shown_nor_logged(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "kafka"}, "b": {"value": "kafka"}})

    found, lost = recall("kafka", SECRET), recall(SECRET)

    assert SECRET not in found.out + found.err + lost.out + lost.err + "".join(log(root))
    assert "[masked github-token]" in lost.out


# JSON


def test_json_has_the_hits_of_the_text_in_one_envelope(root: Path, recall: Recall) -> None:
    keep(root, {f"note-{n}": {"value": "kafka"} for n in range(5)} | {"x": {"value": "y"}})

    facts = json.loads(recall("kafka", "--json", "--limit", "2", "--explain").out)

    assert [hit.pop("key") for hit in facts["hits"]] == ["note-0", "note-1"]
    assert facts == {
        "schema": "nemp-recall/1",
        "hits": [
            {
                "value": "kafka",
                "type": "fact",
                "vitality": {"score": 18, "state": "dormant"},
                "confidence": 0.65,
                "agent": None,
                "created": None,
                "updated": None,
                "superseded_by": None,
                "scope": "project",
                "phase": "value",
                "match": "value: kafka",
            }
        ]
        * 2,
        "shown": 2,
        "total": 5,
        "cut": {"left": 3, "hint": "a larger --limit or --budget"},
        "warnings": [],
    }
    assert reads(root) == {"note-0": 1, "note-1": 1}


def test_json_warns_of_what_the_text_warns_of(root: Path, recall: Recall) -> None:
    keep(root, [{"key": "a", "value": SECRET}, {"value": "no key"}])

    text, facts = recall("a").err.splitlines(), json.loads(recall("a", "--json").out)

    assert facts["warnings"] == text
    assert len(text) == 2


def test_json_keeps_text_exactly(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "x\x1b[2J\u202e\ny"}})

    ran = recall("a", "--json")

    assert json.loads(ran.out)["hits"][0]["value"] == "x\x1b[2J\u202e\ny"
    assert ran.out.isascii()


# Keeping


def test_a_memory_is_saved_in_the_repository_and_found_again(
    root: Path, home: Path, recall: Recall
) -> None:
    ran = recall("save", "test-runner", "We use", "pytest.")

    assert ran == Ran(0, "Saved [test-runner] in project (.nemp/memories.json)\n", "")
    assert not (home / ".nemp").exists()
    assert held(root)["test-runner"]["value"] == "We use pytest."
    assert held(root)["test-runner"]["projectPath"] == str(root)
    assert 'Value: "We use pytest."' in recall("test-runner").out


def test_outside_of_a_repository_it_is_saved_for_all_projects(
    root: Path, home: Path, recall: Recall
) -> None:
    (root / ".git").rmdir()

    ran = recall("save", "pm", "pnpm")

    assert ran.out == "Saved [pm] in global (~/.nemp/memories.json)\n"
    assert held(home)["pm"]["projectPath"] is None
    assert not (root / ".nemp").exists()


@pytest.mark.parametrize("umask", [0o000, 0o022])
@pytest.mark.parametrize("where", ["project", "global"])
def test_what_is_made_is_private(
    root: Path, home: Path, recall: Recall, umask: int, where: str
) -> None:
    before = os.umask(umask)
    try:
        recall("save", "a", "x", *(["--global"] if where == "global" else []))
        recall("a")
        recall("forget", "a")
    finally:
        os.umask(before)

    folder = (root if where == "project" else home) / ".nemp"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}
    assert modes == {
        ".nemp": 0o700,
        "memories.json": 0o600,
        "memories.json.bak": 0o600,
        "memories.json.lock": 0o600,
        "archive.json": 0o600,
        "archive.json.lock": 0o600,
        "access.log": 0o600,
    }


def test_an_update_keeps_when_it_was_made_and_how_it_was_read(root: Path, recall: Recall) -> None:
    recall("save", "a", "one", "--agent", "s1")
    recall("a")
    before = held(root)["a"]

    ran = recall("save", "a", "two", "--agent", "s2", "--type", "rule")

    after = held(root)["a"]
    assert ran.out == "Updated [a] in project (.nemp/memories.json)\n"
    assert after == {
        **before,
        "value": "two",
        "updated": after["updated"],
        "agent_id": "s2",
        "type": "rule",
        "vitality": {**before["vitality"], "update_count": 1},
    }


def test_a_key_is_one_however_it_is_typed(root: Path, recall: Recall) -> None:
    keep(root, {"cafe\u0301": {"value": "old"}})

    updated = recall("save", " caf\u00e9 ", "new")

    assert updated.out.startswith("Updated ")
    assert [(key, each["value"]) for key, each in held(root).items()] == [("cafe\u0301", "new")]
    assert 'Value: "new"' in recall("caf\u00e9").out
    assert recall("vitality", "caf\u00e9").code == 0
    assert recall("forget", "caf\u00e9").code == 0
    assert held(root) == {}


def test_any_saved_key_is_found_by_it(root: Path, recall: Recall) -> None:
    recall("save", "two  words\nof key", "x")

    assert list(held(root)) == ["two words of key"]
    assert recall("two", "words", "of", "key").out.startswith("🔍 Memory: two words of key\n")


@pytest.mark.parametrize(
    ("key", "value"), [(SECRET, "x"), ("a", f"token {SECRET}"), ("a", "DB_PASSWORD=hunter2-again")]
)
def test_a_credential_is_refused_unless_it_is_meant(
    root: Path, recall: Recall, key: str, value: str
) -> None:
    refused = recall("save", key, value)

    assert (refused.code, refused.out, (root / ".nemp").exists()) == (1, "", False)
    assert SECRET not in refused.err
    assert "--allow-secret" in refused.err

    meant = recall("save", key, value, "--allow-secret")

    assert meant.code == 0
    assert SECRET not in meant.out
    assert held(root)[key]["value"] == value


def test_a_list_is_no_read(root: Path, home: Path, recall: Recall) -> None:
    keep(root, AUTH)
    keep(home, {"pm": {"value": "pnpm"}})
    before = snapshot(root), snapshot(home)

    ran = recall("list")

    assert ran.out.splitlines() == [
        "4 memories (3 project, 1 global):",
        "",
        '[auth-flow] (by main) - "JWT in cookies."',
        '[sessions] - "They expire; see the auth notes."',
        '[db] - "Postgres."',
        '[pm] - "pnpm"',
    ]
    assert (snapshot(root), snapshot(home)) == before


def test_an_empty_list_says_what_to_do(recall: Recall) -> None:
    assert recall("list") == Ran(0, "No memories yet. Save one with /nemp:save\n", "")


def test_a_long_list_keeps_to_its_budget_and_says_what_was_cut(root: Path, recall: Recall) -> None:
    keep(root, {f"note-{n:03}": {"value": f"Kafka number {n}."} for n in range(400)})

    text, facts = recall("list").out, json.loads(recall("list", "--json").out)

    assert tokens.estimate(text) <= 2000
    left = 400 - text.count("Kafka")
    assert text.splitlines()[-1] == f"… {left} more: --budget 0"
    assert (facts["shown"], facts["total"], facts["cut"]["left"]) == (400 - left, 400, left)
    assert recall("list", "--budget", "0").out.count("Kafka") == 400


def test_a_forgotten_memory_is_kept_in_the_archive(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"key": "a", "value": "one", "mine": 0.5}, "b": "two", "c": "three"})

    ran = recall("forget", "a")
    recall("forget", "b")

    assert ran == Ran(
        0, "Forgot [a] in project (.nemp/memories.json); kept in archive.json beside it\n", ""
    )
    assert held(root) == {"c": "three"}
    archive = json.loads((root / ".nemp/archive.json").read_text())
    times = [each.pop("archived_at") for each in archive["archived"]]
    assert all(re.fullmatch(STAMP, f"[{each}]") for each in times)
    assert archive == {
        "archived": [
            {"key": "a", "value": "one", "mine": 0.5},
            {"key": "b", "value": "two"},
        ]
    }


def test_a_key_of_both_stores_is_forgotten_only_where_it_is_said(
    root: Path, home: Path, recall: Recall
) -> None:
    keep(root, {"a": {"value": "here"}})
    keep(home, {"a": {"value": "elsewhere"}})

    refused = recall("forget", "a")
    both = recall("forget", "a", "--global", "--project")
    done = recall("forget", "a", "--global")

    assert (refused.code, refused.out, both.code) == (1, "", 2)
    assert "--project or --global" in refused.err
    assert done.out.startswith("Forgot [a] in global")
    assert (list(held(root)), held(home)) == (["a"], {})


@pytest.mark.parametrize("text", ["[]", '{"archived": 7}'])
def test_nothing_is_forgotten_into_what_is_no_archive(
    root: Path, recall: Recall, text: str
) -> None:
    keep(root, {"a": "x"})
    (root / ".nemp/archive.json").write_text(text)

    ran = recall("forget", "a")

    assert (ran.code, held(root)) == (1, {"a": "x"})
    assert "nothing was forgotten" in ran.err


def test_of_two_memories_with_one_key_one_is_forgotten_and_the_other_told(
    root: Path, recall: Recall
) -> None:
    path = keep(root, [{"key": "a", "value": "one"}, {"key": "a", "value": "two"}])

    ran = recall("forget", "a")

    assert ran.err == "1 more of that key in this store; forget it again to go on\n"
    assert json.loads(path.read_text()) == [{"key": "a", "value": "two"}]


@pytest.mark.parametrize("command", ["forget", "vitality"])
def test_an_unknown_key_is_an_error_with_a_suggestion(
    root: Path, recall: Recall, command: str
) -> None:
    keep(root, {"database": {"value": "x"}})

    near, far = recall(command, "databse"), recall(command, "quantum")

    assert (near.code, near.out) == (1, "")
    assert near.err == (f"nemp-recall {command}: no memory 'databse' (did you mean database)\n")
    assert far.err.endswith("no memory 'quantum' (see: nemp-recall list)\n")


def test_vitality_is_explained_and_nothing_counted(root: Path, recall: Recall) -> None:
    keep(root, {"a": {"value": "x", "vitality": {"score": 50, "reads_7d": 2, "reads_30d": 3}}})
    before = snapshot(root)

    out = recall("vitality", "a").out

    assert out.splitlines()[0].split(" · ") == [
        "Vitality of a: 50 (active), stored until the next counted read",
        "by the formula now 39 (fading)",
    ]
    assert "reads_7d                   2.00 ×  15.00 =    30.00" in out
    assert snapshot(root) == before


# Usage


@pytest.mark.parametrize(
    "words",
    [
        [],
        [" \n"],
        ["a", "--limit", "0"],
        ["a", "--scope", "all-of-it"],
        ["a", "--nope"],
        ["save", "a"],
        ["save", " ", "x"],
        ["save", "a", " "],
        ["save", "a", "x", "--type", "song"],
        ["list", "more"],
        ["forget"],
        ["vitality"],
    ],
)
def test_usage_errors_exit_with_two(recall: Recall, words: list[str]) -> None:
    ran = recall(*words)

    assert (ran.code, ran.out) == (2, "")
    assert "Usage: nemp-recall" in ran.err


def test_the_words_of_commands_can_be_asked_for(root: Path, recall: Recall) -> None:
    keep(root, {"list-style": {"value": "Dashes."}})

    assert recall("--", "list").out.startswith("🔍 Memory: list-style")


@pytest.mark.parametrize("unit", ["auth ", "x", "中", "a-b_", "e\u0301", "\u202e", '"\\'])
def test_a_query_of_64_kb_is_answered_in_time(root: Path, recall: Recall, unit: str) -> None:
    keep(root, AUTH)
    query = unit * (65_536 // len(unit.encode()))
    start = time.monotonic()

    ran = recall("--", query)

    assert time.monotonic() - start < 2
    assert ran.code == 0
    assert len(ran.out) < 8_000


anything = st.text(
    st.one_of(
        st.characters(), st.sampled_from("\n\r\t\0\x1b\x85\u2028\u202e\ud800-_./\"'\\%{}[]$`=:* ")
    )
)


@settings(max_examples=150)
@given(anything, anything)
@example("a=b scope=global query=", "\\u000a")
def test_any_query_and_agent_are_answered(
    root: Path, recall: Recall, query: str, agent: str
) -> None:
    keep(root, AUTH)
    (root / ".nemp" / "access.log").unlink(missing_ok=True)

    ran = recall("--agent", agent, "--", query, "auth")

    assert ran.code == 0
    assert all(re.match(r"\[…\] READ key=\S+ agent=\S+ query=", line) for line in log(root))
    assert not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", ran.out)


@settings(max_examples=80)
@given(anything, anything)
def test_any_key_and_value_that_are_saved_are_recalled(
    root: Path, recall: Recall, key: str, value: str
) -> None:
    (root / ".nemp" / "memories.json").unlink(missing_ok=True)

    saved = recall("save", "--allow-secret", "--", key, value)

    if saved.code == 0:
        (name,) = held(root)
        assert held(root)[name]["value"] == value
        (hit,) = json.loads(recall("--json", "--reveal", "--", key).out)["hits"]
        assert (hit["key"], hit["value"]) == (name, value)
    else:
        assert saved.code == 2
        assert not key.strip() or not value.strip()


# What a command loads

LAZY = ("yaml", "frontmatter", "snowballstemmer", "rich", "filelock")
SCRIPT = """
import sys
from total_recall.memory import cli
try:
    cli.main(sys.argv[1:])
finally:
    print(*sorted(name for name in {names} if name in sys.modules), file=sys.stderr)
    print(*(name for name in sys.modules if "total_recall.vault" in name), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        pytest.param("--version", "", id="version"),
        pytest.param("--help", "", id="help"),
        pytest.param("save --help", "", id="help of save"),
        pytest.param("list", "", id="list"),
        pytest.param("vitality db", "", id="vitality"),
        pytest.param("db --no-track", "", id="a key, not counted"),
        pytest.param("db", "filelock", id="a key"),
        pytest.param("save x y", "filelock", id="save"),
        pytest.param("cookies --no-track", "snowballstemmer", id="words"),
    ],
)
def test_a_command_loads_only_what_it_uses(
    root: Path, shell: Shell, words: str, modules: str
) -> None:
    keep(root, AUTH)
    (root / ".nemp" / "synonyms.yaml").write_text("aliases: {}" if "db" in words else "")
    if "cookies" in words:
        (root / ".nemp" / "synonyms.yaml").unlink()
    (root / "loaded.py").write_text(SCRIPT.format(names=LAZY))

    # Without the guard on the PYTHONPATH, which imports more.
    ran = shell(f"python loaded.py {words}", root, PYTHONPATH="")

    assert ran.code == 0, ran.err
    assert ran.err.splitlines()[-2:] == [modules, ""]


def test_a_word_search_that_is_piped_into_a_short_reader_is_no_crash(
    root: Path, shell: Shell
) -> None:
    keep(root, {f"note-{n}": {"value": "kafka"} for n in range(2000)})
    (root / "run.py").write_text("from total_recall.memory import cli\ncli.main()\n")

    ran = shell("python run.py list --budget 0 | head -1", root)

    assert (ran.out, ran.err) == ("2000 memories (2000 project):\n", "")


def test_reads_at_once_are_all_counted(root: Path) -> None:
    keep(root, {"a": {"value": "x", "vitality": FRESH}})
    script = "from total_recall.memory import cli\ncli.main(['a'])"
    started = [
        subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.DEVNULL)
        for _ in range(8)
    ]

    assert [each.wait() for each in started] == [0] * 8
    assert reads(root) == {"a": 8}
    assert len(log(root)) == 8
