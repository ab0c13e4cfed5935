import json
import shlex
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Ran
from total_recall import __version__, output
from total_recall.errors import NotFoundError, RecallError

Shell = Callable[..., Ran]

FIXED = "No realm state. Run /realm-forge first.\n"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ZERO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff\U000e0041"
BREAKS = "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
HOSTILE = [*BIDI, *ZERO_WIDTH, *BREAKS, "\x1b[31m", "\x1b]0;t\x07", "\x9b2J", "\x00", "\x7f", "\t"]

hostile = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5))).map("".join)


def hidden_in(text: str, *, allowed: str) -> set[str]:
    """Give the characters of a text that a reader would not see, or that move others."""
    unseen = {each for each in text if unicodedata.category(each) in {"Cc", "Zl", "Zp"}}
    return (unseen | (set(text) & set(BIDI + ZERO_WIDTH))) - set(allowed)


@given(hostile)
def test_no_control_or_bidi_character_is_shown(text: str) -> None:
    assert hidden_in(output.visible(text), allowed="\n\t") == set()


@given(hostile)
def test_one_line_is_one_line_without_any_of_them(text: str) -> None:
    line = output.one_line(text)

    assert hidden_in(line, allowed="") == set()
    assert line.splitlines() == [line][: len(line)]


@given(hostile)
def test_every_line_of_a_prefixed_text_begins_with_the_prefix(text: str) -> None:
    shown = output.prefixed(text)

    assert all(line == "|" or line.startswith("| ") for line in shown.splitlines())
    assert hidden_in(shown, allowed="\n\t") == set()
    assert shown.count("\n") == output.visible(text).count("\n")


@given(st.text("abc déf 数据 |#-*_`\n"))
def test_harmless_text_is_shown_as_it_is(text: str) -> None:
    assert output.visible(text) == text


@pytest.mark.parametrize(
    ("text", "lines", "line"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd", r"a\r\nb\rc\nd"),
        ("\x1b[31mred", r"\x1b[31mred", r"\x1b[31mred"),
        ("a\u202eb\u2028c", r"a\u202eb\u2028c", r"a\u202eb\u2028c"),
        ("a\tb\u200b", "a\tb\\u200b", r"a\tb\u200b"),
        ("\U000e0041", r"\U000e0041", r"\U000e0041"),
    ],
)
def test_what_is_hidden_is_spelled_out(text: str, lines: str, line: str) -> None:
    assert (output.visible(text), output.one_line(text)) == (lines, line)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_quoted_words_are_one_argument_of_a_shell(words: str) -> None:
    assert shlex.split(output.quoted(words)) == [words]


# The manner of every command


@click.command("try", cls=output.Command)
@click.argument("what", default="")
@click.option("--json", "as_json", is_flag=True)
@output.version_option
def attempt(what: str, **_: Any) -> None:
    """Answer, or fail as asked."""
    if what == "usage":
        raise click.UsageError("the query is blank")
    if what == "stop":
        raise KeyboardInterrupt
    if what == "bug":
        raise ZeroDivisionError
    output.say(f"answer {what}")


def failing(error: RecallError) -> click.Command:
    @click.command("try", cls=output.Command)
    @click.option("--json", "as_json", is_flag=True)
    def fail(**_: Any) -> None:
        raise error

    return fail


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command in this process."""

    def run(command: click.Command, *words: str) -> Ran:
        with pytest.raises(SystemExit) as left:
            command.main(list(words), prog_name="try")
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, printed.out, printed.err)

    return run


Run = Callable[..., Ran]

PROBLEM = NotFoundError("no vault at x", hint="name one with --vault DIR")
PROMISED = NotFoundError("No realm state.", hint="for a folder: init", fixed=True)
BARE = RecallError("no room")


def test_an_answer_leaves_with_0(run: Run) -> None:
    assert run(attempt, "here") == Ran(0, "answer here\n", "")


def test_a_problem_is_one_line_with_its_next_step_and_leaves_with_1(run: Run) -> None:
    assert run(failing(PROBLEM)) == Ran(1, "", "try: no vault at x (name one with --vault DIR)\n")


def test_a_problem_without_a_next_step_has_no_brackets(run: Run) -> None:
    assert run(failing(BARE)) == Ran(1, "", "try: no room\n")


def test_a_fixed_message_stands_alone_on_stdout_and_its_hint_on_stderr(run: Run) -> None:
    assert run(failing(PROMISED)) == Ran(1, "No realm state.\n", "hint: for a folder: init\n")


def test_a_problem_with_hostile_text_stays_one_harmless_line(run: Run) -> None:
    ran = run(failing(RecallError("a\n\x1b[31mtry: b", hint="c\u202ed")))

    assert ran == Ran(1, "", "try: a\\n\\x1b[31mtry: b (c\\u202ed)\n")


def test_a_credential_in_a_problem_is_masked(run: Run) -> None:
    key = "AKIA" + "Q7RZ2M4XWV5T6PLD"
    error = RecallError(f"no note {key}")

    assert key not in run(failing(error)).err
    assert key not in run(failing(error), "--json").out


def test_wrong_usage_leaves_with_2(run: Run) -> None:
    for words in (["usage"], ["--nope"], ["a", "b"]):
        ran = run(attempt, *words)

        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("Usage: try ")


def test_wrong_usage_shows_what_was_typed_harmlessly(run: Run) -> None:
    ran = run(attempt, "--no\x1b[31m\u202e")

    assert ran.code == 2
    assert hidden_in(ran.err, allowed="\n") == set()
    assert "--no\\x1b[31m\\u202e" in ran.err


def test_an_interrupt_leaves_quietly(run: Run) -> None:
    assert run(attempt, "stop") == Ran(130, "", "\n")


def test_a_bug_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        attempt.main(["bug"], prog_name="try")


@pytest.mark.parametrize(
    ("command", "words", "code", "error"),
    [
        pytest.param(
            failing(PROBLEM),
            [],
            1,
            {"code": "not_found", "message": PROBLEM.message, "hint": PROBLEM.hint},
            id="a problem",
        ),
        pytest.param(
            failing(PROMISED),
            [],
            1,
            {"code": "not_found", "message": PROMISED.message, "hint": PROMISED.hint},
            id="a fixed message",
        ),
        pytest.param(
            failing(BARE),
            [],
            1,
            {"code": "problem", "message": "no room", "hint": ""},
            id="no hint",
        ),
        pytest.param(
            attempt,
            ["usage"],
            2,
            {"code": "usage", "message": "the query is blank", "hint": ""},
            id="usage",
        ),
    ],
)
def test_with_json_an_error_is_an_envelope_with_the_same_code(
    run: Run, command: click.Command, words: list[str], code: int, error: dict[str, str]
) -> None:
    ran = run(command, *words, "--json")

    assert (ran.code, ran.err) == (code, "")
    assert json.loads(ran.out) == {"schema": "try/1", "error": error}


def test_an_unknown_option_with_json_is_an_envelope_too(run: Run) -> None:
    ran = run(attempt, "--json", "--nope")

    assert (ran.code, ran.err) == (2, "")
    assert json.loads(ran.out)["error"]["code"] == "usage"


def test_the_version_is_the_packages(run: Run) -> None:
    assert run(attempt, "--version") == Ran(0, f"try {__version__}\n", "")


def test_an_answer_in_json_has_one_envelope_and_exact_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.say_json(
        "try/1",
        [{"text": "a\x1b\u202e"}],
        total=3,
        cut={"left": 2},
        warnings=("w",),
        facts={"k": 1},
    )

    printed = capsys.readouterr().out
    assert printed.isascii()
    assert json.loads(printed) == {
        "schema": "try/1",
        "hits": [{"text": "a\x1b\u202e"}],
        "shown": 1,
        "total": 3,
        "cut": {"left": 2},
        "warnings": ["w"],
        "k": 1,
    }


# Real processes


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Give a project whose whole text is far more than a pipe holds."""
    notes = tmp_path / "large" / "vault"
    notes.mkdir(parents=True)
    for number in range(60):
        body = f"# Auth {number}\n\n" + "We chose JWT for auth, since it is known.\n" * 200
        (notes / f"auth-{number}.md").write_text(body)
    (tmp_path / "large" / ".realm").mkdir()
    state = json.dumps({"vaultPath": "vault", "projectDir": "vault"})
    (tmp_path / "large" / ".realm" / "realm-state.json").write_text(state)
    return tmp_path / "large"


def test_a_reader_that_has_seen_enough_ends_it_quietly(shell: Shell, large: Path) -> None:
    command = "realm-recall auth JWT --full --budget 0 --limit 60"
    whole = shell(command, large)

    ran = shell(f"{{ {command}; echo $? >code; }} | head -1", large)

    assert len(whole.out) > 256 * 1024
    assert ran == Ran(0, whole.out[: whole.out.index("\n") + 1], "")
    assert (large / "code").read_text() == "0\n"


@pytest.mark.parametrize(
    "words",
    ["why JWT", "why JWT --json", "--help", "--version", "decisions --count", "--nope"],
)
def test_a_pipe_that_nobody_reads_is_no_error(shell: Shell, examples: Path, words: str) -> None:
    # The reader is gone before the first word is printed.
    line = f"{{ sleep 0.2; realm-recall {words}; echo $? >code; }} | true"

    ran = shell(line, examples)

    usage = words == "--nope"
    assert (ran.code, ran.out) == (0, "")
    assert (ran.err != "") == usage
    assert (examples / "code").read_text() == ("2\n" if usage else "0\n")


@pytest.mark.parametrize("words", ["why JWT", "--nope", "--nope --json"])
def test_two_pipes_that_nobody_reads_are_no_traceback(
    shell: Shell, tmp_path: Path, words: str
) -> None:
    ran = shell(f"{{ sleep 0.2; realm-recall {words} 2>&1; echo $? >code; }} | true", tmp_path)

    assert ran == Ran(0, "", "")
    assert (tmp_path / "code").read_text() in {"0\n", "1\n", "2\n"}


def test_the_fixed_message_is_alone_on_the_stdout_of_a_real_command(
    shell: Shell, tmp_path: Path
) -> None:
    ran = shell("realm-recall why JWT", tmp_path)

    assert (ran.code, ran.out) == (1, FIXED)
    assert ran.err.startswith("hint: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
@pytest.mark.parametrize("flags", ["", "--json", "--count", "--expand '\udcff'", "--no\udcff"])
def test_bytes_that_are_no_text_do_not_crash_a_command(
    shell: Shell, examples: Path, flags: str, locale: str
) -> None:
    ran = shell(f"realm-recall why '\udcff\udcc3 JWT' {flags}", examples, LC_ALL=locale)

    assert ran.code == {"--e": 1, "--n": 2}.get(flags[:3], 0)
    assert "Traceback" not in ran.err


def test_a_query_of_bytes_alone_is_answered(shell: Shell, examples: Path) -> None:
    ran = shell("realm-recall '\udcff'", examples)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out != ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_gets_escapes(
    shell: Shell, examples: Path, encoding: str
) -> None:
    ran = shell("realm-recall '数据库'", examples, PYTHONIOENCODING=encoding, PYTHONUTF8="0")

    assert (ran.code, ran.err) == (0, "")
