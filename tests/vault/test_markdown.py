"""The headings and sentences of a body, and what hostile bodies cost."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from total_recall.vault import choice, fields, links, markdown, node, options
from total_recall.vault.markdown import LABEL_LEVEL, heading_name, outline

MEGABYTE = 1 << 20


def titles(body: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in outline(body)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("# A\n## B\n###### C", [(1, "A"), (2, "B"), (6, "C")], id="ATX"),
        pytest.param("## A ##\n# B #   ", [(2, "A"), (1, "B")], id="closing hashes"),
        pytest.param("# C#\n# F# and C#", [(1, "C#"), (1, "F# and C#")], id="hashes of a name"),
        pytest.param("#\tA", [(1, "A")], id="a tab after the hash"),
        pytest.param("   # A", [(1, "A")], id="three blanks before"),
        pytest.param("    # A", [], id="four blanks are code"),
        pytest.param("#tag\n####### seven", [], id="a tag, and too many hashes"),
        pytest.param("##\n# #", [(2, ""), (1, "")], id="no title"),
        pytest.param("A\n===\nB\n---", [(1, "A"), (2, "B")], id="setext"),
        pytest.param("A\n=\nB\n--", [(1, "A"), (2, "B")], id="short setext"),
        pytest.param("\n---\n\n===\n", [], id="a rule below nothing"),
        pytest.param("- a\n---\n| b |\n---\n> c\n---\n1. d\n---", [], id="no title above"),
        pytest.param("# A\n---\n", [(1, "A")], id="a rule below a heading"),
        pytest.param("===\n===\n", [], id="marks below marks"),
        pytest.param("---\n# A", [(1, "A")], id="a rule at the start"),
    ],
)
def test_headings_are_found_in_each_spelling(body: str, found: list[tuple[int, str]]) -> None:
    assert titles(body) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("```\n# no\n```\n# A", [(1, "A")], id="backticks"),
        pytest.param("~~~ text\n# no\n~~~\n# A", [(1, "A")], id="tildes"),
        pytest.param("````\n```\n# no\n```\n````\n# A", [(1, "A")], id="nested"),
        pytest.param("~~~\n```\n# no\n~~~\n# A\n", [(1, "A")], id="another kind inside"),
        pytest.param("```\n# no\n`````\n# A", [(1, "A")], id="a longer end"),
        pytest.param("```\n# no\n``` x\n# no", [], id="an end has no words"),
        pytest.param("# A\n```\n# no\n", [(1, "A")], id="never closed"),
        pytest.param("```a`b\n# A", [(1, "A")], id="a code span, no fence"),
        pytest.param("```\nA\n===\n```\nB\n===", [(1, "B")], id="setext inside"),
        pytest.param("- ```\n  # no\n  ```\n# A", [(1, "A")], id="as a list item"),
        pytest.param("```\n- ```\n# no\n```\n# A", [(1, "A")], id="a list item inside"),
    ],
)
def test_fenced_code_holds_no_heading(body: str, found: list[tuple[int, str]]) -> None:
    assert titles(body) == found


def test_a_heading_says_where_its_line_and_its_text_begin() -> None:
    body = "x\n# A\ntext\nB\n---\nmore"

    first, second = outline(body)

    assert body[first.start : first.text_start] == "# A"
    assert body[first.text_start : second.start] == "\ntext\n"
    assert body[second.text_start :] == "\nmore"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        pytest.param("Decision Outcome", "decision outcome", id="case"),
        pytest.param("STRASSE Straße", "strasse strasse", id="case of other scripts"),
        pytest.param("1. Decision", "decision", id="a number"),
        pytest.param("2.1 Decision", "decision", id="a number in two parts"),
        pytest.param("3) Decision", "decision", id="a number with a bracket"),
        pytest.param("iv. Decision", "decision", id="a Roman number"),
        pytest.param("**Decision**", "decision", id="bold"),
        pytest.param("_Decision_ `x`", "decision x", id="italic and code"),
        pytest.param("🎯 Decision ✅", "decision", id="emoji"),
        pytest.param("Decision:", "decision", id="a colon"),
        pytest.param("[Decision](#decision)", "decision", id="a link"),
        pytest.param("Pros  and\tCons", "pros and cons", id="blanks"),
        pytest.param("rejected_alternatives", "rejected alternatives", id="an underscore inside"),
        pytest.param("__Decision__", "decision", id="underscores around"),
        pytest.param("Alternative 2: Redis", "alternative 2: redis", id="a number inside stays"),
        pytest.param("Trade-offs", "trade-offs", id="a hyphen stays"),
        pytest.param("3. **Decision Outcome** 🎯:", "decision outcome", id="all at once"),
        pytest.param("🎯", "", id="nothing but ornament"),
    ],
)
def test_a_heading_is_compared_without_its_ornament(title: str, name: str) -> None:
    assert heading_name(title) == name


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        pytest.param("Decision: use JWT", "use JWT", id="plain"),
        pytest.param("**Decision:** use JWT", "use JWT", id="bold with the colon"),
        pytest.param("**Decision**: use JWT", "use JWT", id="bold before the colon"),
        pytest.param("- *decision* : use JWT", "use JWT", id="a bullet"),
        pytest.param("__DECISION__:use JWT", "use JWT", id="underscores"),
        pytest.param("Decision:", "", id="alone on its line"),
    ],
)
def test_a_label_line_opens_a_section_below_all_headings(line: str, rest: str) -> None:
    body = f"# A\n{line}\n"

    _, label = outline(body, frozenset({"decision"}))

    assert (label.level, label.name) == (LABEL_LEVEL, "decision")
    assert body[label.text_start :] == f"{rest}\n"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("The decision: use JWT", id="inside a sentence"),
        pytest.param("Other: x", id="not asked for"),
        pytest.param("**Decision* : x", id="marks that differ"),
        pytest.param("```\nDecision: x\n```", id="fenced"),
        pytest.param("Decision", id="no colon"),
    ],
)
def test_other_lines_are_no_label(line: str) -> None:
    assert outline(line, frozenset({"decision"})) == []


@pytest.mark.parametrize(
    ("body", "left"),
    [
        pytest.param("a <!-- b --> c", "a  c", id="one line"),
        pytest.param("a <!-- b\n\nc --> d", "a  d", id="several lines"),
        pytest.param("a <!-- b", "a ", id="never closed"),
        pytest.param("a -- b -->", "a -- b -->", id="never opened"),
    ],
)
def test_comments_are_left_out(body: str, left: str) -> None:
    assert markdown.without_comments(body) == left


@pytest.mark.parametrize(
    ("body", "left"),
    [
        pytest.param("a `b` c", "a  c", id="a span"),
        pytest.param("a ``b ` c`` d", "a  d", id="a span of two"),
        pytest.param("a ` b", "a ` b", id="one backtick"),
        pytest.param("a `b\nc` d", "a `b\nc` d", id="not over lines"),
        pytest.param("a ```` b ` c", "a ```` b ` c", id="a run is one mark"),
        pytest.param("a\n```\nb\n```\nc `d`", "a\n\nc ", id="a fence"),
    ],
)
def test_code_is_left_out(body: str, left: str) -> None:
    assert markdown.without_code(body) == left


def test_blocks_are_paragraphs_items_rows_and_headings() -> None:
    text = "# A\none\ntwo\n\n- b\n  - c\n1. d\n> e\n| f | g |\n\n\n"

    assert list(markdown.blocks(text)) == ["A\none\ntwo", "b", "c", "d", "e", "| f | g |"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"], id="ends"),
        pytest.param("Over\ntwo lines.", ["Over two lines."], id="on one line"),
        pytest.param("Use v1.2, e.g. X or cf. Y.", ["Use v1.2, e.g. X or cf. Y."], id="no ends"),
        pytest.param("See a. b goes on.", ["See a. b goes on."], id="before a small letter"),
        pytest.param("- One\n- Two", ["One", "Two"], id="items"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_sentences_end_where_prose_does(text: str, sentences: list[str]) -> None:
    assert list(markdown.sentences(text)) == sentences


HOSTILE_UNITS = {
    "hashes": "#",
    "hashes and blanks": "# ",
    "headings": "# a\n",
    "headings without title": "###\n",
    "backticks": "`",
    "runs of backticks": "````a",
    "other runs": "``a`b```c",
    "fences": "```\n",
    "comments": "<!--",
    "brackets": "[",
    "links": "[](",
    "link ends": "](",
    "links to files": "[](.md#",
    "wikilinks": "[[a",
    "blanks": " ",
    "tabs": "\t",
    "blank lines": " \n",
    "bars": "|",
    "rows": "| a ",
    "newlines": "\n",
    "dashes": "-",
    "bullets": "- ",
    "rules": "-\n",
    "setext": "a\n--\n",
    "equals": "=\n",
    "placeholders": "none\n",
    "tags": "#a ",
    "stars": "*",
    "labels": "Decision:\n",
    "braces": "{",
    "angles": "<",
}
HOSTILE_LINES = {
    "a heading of marks": "# a" + "!" * MEGABYTE + "a",
    "a heading of link ends": "# " + "](" * (MEGABYTE // 2),
    "a heading of blanks": "# a" + " " * MEGABYTE + "b",
    "a heading of digits": "# " + "1" * MEGABYTE + "x",
    "a link of endings": "[](" + ".md#" * (MEGABYTE // 4),
    "link ends after a tag": "#x " + "](" * (MEGABYTE // 2),
    "a rule in a decision": "# Decision\n" + "-" * MEGABYTE + "x",
    "bullets in a decision": "# Decision\n" + "- " * (MEGABYTE // 2) + "x",
    "placeholders in a decision": "# Decision\n" + "none\n" * (MEGABYTE // 5) + "x",
    "a status of blanks": "status" + " " * MEGABYTE,
    "a label of blanks": "decision" + " " * MEGABYTE,
    "a status with nothing behind": "status:" + " " * MEGABYTE,
}
HOSTILE = {
    **{name: (unit * MEGABYTE)[:MEGABYTE] for name, unit in HOSTILE_UNITS.items()},
    **HOSTILE_LINES,
}


def outlined(body: str) -> object:
    return fields.from_body(body, outline(body, fields.LABELS))


def node_facts(body: str) -> object:
    read = node.read("a.md", body.encode())
    return read.title, read.status, read.day, read.tags, read.type


READERS: list[Callable[[str], object]] = [
    outlined,
    markdown.without_comments,
    markdown.without_code,
    lambda body: list(markdown.sentences(body)),
    lambda body: links.in_text(body + ".md"),
    lambda body: fields.is_placeholder(body + "x"),
    lambda body: choice.without_chosen(options.options(body), body),
    node_facts,
]


@pytest.mark.slow
@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in HOSTILE.items()])
def test_a_hostile_megabyte_costs_each_reader_what_its_length_does(body: str) -> None:
    def prefix(size: int) -> str:
        return body[: size - 1] + body[-1:]

    for reader in READERS:
        assert_linear(reader, prefix, MEGABYTE)


@given(st.text(st.sampled_from("#=-`~ \n\taB:*_<!>|[]()1."), max_size=120))
def test_any_text_has_headings_in_order_and_inside_it(body: str) -> None:
    found = outline(body, frozenset({"a", "b"}))

    starts = [heading.start for heading in found]
    assert starts == sorted(starts)
    assert all(0 <= heading.start < heading.text_start <= len(body) for heading in found)
