import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from total_recall.memory.audit import data, line
from total_recall.memory.entry import GLOBAL, PROJECT

AT = datetime(2026, 5, 12, 11, 19, 37, 999, tzinfo=UTC)

READ = re.compile(r"\[(\S+)\] READ key=(\S*) agent=(\S*)( scope=global)? query=(.*)")
ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def read_back(text: str) -> tuple[str, ...]:
    """Give time, key, agent, scope and query of a line."""
    found = READ.fullmatch(text)
    assert found
    return tuple(
        ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), part or "") for part in found.groups()
    )


def test_a_read_is_one_line() -> None:
    text = line(AT, "auth-flow", "main", "how does auth work", PROJECT)

    assert text == ("[2026-05-12T11:19:37Z] READ key=auth-flow agent=main query=how does auth work")


def test_a_global_read_says_so_before_the_query() -> None:
    text = line(AT, "auth-flow", "main", "auth", GLOBAL)

    assert text == ("[2026-05-12T11:19:37Z] READ key=auth-flow agent=main scope=global query=auth")


@pytest.mark.parametrize(
    ("text", "in_name", "in_query"),
    [
        pytest.param("a b", r"a\u0020b", "a b", id="blank"),
        pytest.param("a=b", r"a\u003db", "a=b", id="equals"),
        pytest.param("a\u00a0b", r"a\u00a0b", "a\u00a0b", id="a blank that does not break"),
        pytest.param("a\u3000b", r"a\u3000b", "a\u3000b", id="a wide blank"),
        pytest.param("a\\b", r"a\u005cb", r"a\u005cb", id="backslash"),
        pytest.param("a\nb", r"a\u000ab", r"a\u000ab", id="line end"),
        pytest.param("a\r\tb", r"a\u000d\u0009b", r"a\u000d\u0009b", id="return and tab"),
        pytest.param("a\x1b[2Kb", r"a\u001b[2Kb", r"a\u001b[2Kb", id="escape sequence"),
        pytest.param("a\0\x7f\x9bb", r"a\u0000\u007f\u009bb", r"a\u0000\u007f\u009bb", id="C1"),
        pytest.param("a\x85b", r"a\u0085b", r"a\u0085b", id="next line"),
        pytest.param("a\u2028\u2029b", r"a\u2028\u2029b", r"a\u2028\u2029b", id="separators"),
        pytest.param("a\u202eb\u202c", r"a\u202eb\u202c", r"a\u202eb\u202c", id="override"),
        pytest.param("\u2066a\u2069", r"\u2066a\u2069", r"\u2066a\u2069", id="isolate"),
        pytest.param("\u061c\u200e\u200f", r"\u061c\u200e\u200f", r"\u061c\u200e\u200f", id="mark"),
        pytest.param("a\ud800b", r"a\ud800b", r"a\ud800b", id="half a character"),
        pytest.param("é 中文 😀", r"é\u0020中文\u0020😀", "é 中文 😀", id="what is only text"),
        pytest.param("$(date)'\"`", "$(date)'\"`", "$(date)'\"`", id="what is only for a shell"),
    ],
)  # fmt: skip
def test_what_could_forge_or_hide_a_line_is_escaped(text: str, in_name: str, in_query: str) -> None:
    assert line(AT, text, text, text, PROJECT) == (
        f"[2026-05-12T11:19:37Z] READ key={in_name} agent={in_name} query={in_query}"
    )


def test_a_forged_line_stays_inside_its_own() -> None:
    forged = "x\n[2026-05-12T11:19:37Z] READ key=other agent=main query=y"

    assert line(AT, "a", "main", forged, PROJECT).splitlines() == [
        "[2026-05-12T11:19:37Z] READ key=a agent=main query="
        r"x\u000a[2026-05-12T11:19:37Z] READ key=other agent=main query=y"
    ]


def test_a_query_is_cut_at_500_characters_of_its_own() -> None:
    assert read_back(line(AT, "a", "main", "\n" * 501, PROJECT))[-1] == "\n" * 500
    assert read_back(line(AT, "a", "main", "x" * 500, PROJECT))[-1] == "x" * 500


def test_a_credential_in_a_query_is_not_kept_also_where_it_is_cut() -> None:
    secret = "DB_PASSWORD=hunter2-again"

    short = line(AT, "a", "main", secret, PROJECT)
    long = line(AT, "a", "main", "x" * 480 + " " + secret, PROJECT)

    assert short.endswith("query=DB_PASSWORD=[masked password]")
    assert "hunter" not in long


def test_lines_are_kept_as_bytes_of_which_each_line_ends() -> None:
    assert data(["é", "b"]) == b"\xc3\xa9\nb\n"


signs = st.text(st.one_of(st.characters(), st.sampled_from("\\u=\n\r\x1b\x85\u2028\u202e\ud800 ")))


@given(signs, signs, signs, st.sampled_from([PROJECT, GLOBAL]))
@example("a scope=global query=", "main", "\\u000a", PROJECT)
def test_any_read_is_exactly_one_line_that_is_read_back(
    key: str, agent: str, query: str, scope: str
) -> None:
    text = line(AT, key, agent, query, scope)

    assert read_back(text) == (
        "2026-05-12T11:19:37Z",
        key,
        agent,
        " scope=global" if scope == GLOBAL else "",
        query[:500],
    )
    assert text.splitlines() == [text]
    assert not re.search(r"[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert data([text]).decode() == f"{text}\n"
