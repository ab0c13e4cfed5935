"""One record: what it is, and what it says of itself."""

import datetime
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.vault import node
from total_recall.vault.node import Node, is_record, masked, read

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def note(text: str, path: str = "notes/a.md", *, home: str = "", alone: bool = False) -> Node:
    return read(path, text.encode(), home=home, alone=alone)


@pytest.mark.parametrize(
    ("path", "text", "home", "kind"),
    [
        pytest.param("decisions/a.md", "---\ntype: session\n---\n", "", "session", id="its word"),
        pytest.param("a.md", "---\ntype: ADR\n---\n", "", "decision", id="its word for it"),
        pytest.param("a.md", "---\ntype: Recipe\n---\n", "", "recipe", id="a word of its own"),
        pytest.param("decisions/a.md", "", "", "decision", id="decisions"),
        pytest.param("docs/ADR/a.md", "", "", "decision", id="adr in capitals"),
        pytest.param("adrs/a.md", "", "", "decision", id="adrs"),
        pytest.param("decision-records/a.md", "", "", "decision", id="decision-records"),
        pytest.param("discoveries/a.md", "## Decision\nx\n", "", "discovery", id="discoveries"),
        pytest.param("sessions/2024/a.md", "", "", "session", id="sessions, deeper"),
        pytest.param("work/plans/a.md", "", "", "work", id="work"),
        pytest.param("work/decisions/a.md", "", "", "decision", id="the nearest folder"),
        pytest.param("a.md", "", "adr", "decision", id="the project's folder"),
        pytest.param("a.md", "## Decision\nx\n", "", "decision", id="a decision section"),
        pytest.param("a.md", "---\ndecision: x\n---\n", "", "decision", id="a decision key"),
        pytest.param("a.md", "## Decision\nTBD\n", "", "note", id="an empty decision section"),
        pytest.param("a.md", "# T\ntext\n", "docs", "note", id="else a note"),
    ],
)
def test_the_type_is_its_own_word_else_its_folders_else_its_sections(
    path: str, text: str, home: str, kind: str
) -> None:
    assert note(text, path, home=home).type == kind


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        pytest.param(
            "adr/007-use-jwt.md",
            "---\nid: ADR-7\ntitle: JWT\n---\n# Other\n",
            ("ADR-7", "JWT", "007-use-jwt", "7"),
            id="all given",
        ),
        pytest.param(
            "adr/007-use-jwt.md",
            "## Before\n# Use **JWT**\n# Again\n",
            ("007-use-jwt", "Use **JWT**", "007-use-jwt", "7"),
            id="the first H1",
        ),
        pytest.param(
            "adr/007-use_jwt.md",
            "## Context\n",
            ("007-use_jwt", "007 use jwt", "007-use_jwt", "7"),
            id="the stem without dashes",
        ),
        pytest.param("a.md", "Jobs\n====\n", ("a", "Jobs", "a", ""), id="a setext H1"),
        pytest.param(
            "a.md", "---\nid:\ntitle: ~\n---\n", ("a", "a", "a", ""), id="null is missing"
        ),
        pytest.param("a.md", "---\nid: 0012\n---\n", ("0012", "a", "a", "12"), id="zeros stay"),
        pytest.param("a.b.md", "", ("a.b", "a.b", "a.b", ""), id="a dot in the stem"),
    ],
)
def test_id_title_stem_and_number(path: str, text: str, names: tuple[str, str, str, str]) -> None:
    found = note(text, path)

    assert (found.id, found.title, found.stem, found.number) == names


@pytest.mark.parametrize(
    ("path", "home", "alone", "name"),
    [
        pytest.param("adr/0003-jobs/README.md", "", True, "0003-jobs", id="its folder's name"),
        pytest.param("adr/0003-jobs/index.md", "", True, "0003-jobs", id="an index file too"),
        pytest.param("README.md", "adr", True, "adr", id="the project's folder"),
        pytest.param("adr/0003-jobs/README.md", "", False, "README", id="with others beside"),
        pytest.param("adr/0003-jobs/jobs.md", "", True, "jobs", id="another name"),
    ],
)
def test_a_readme_alone_in_its_folder_is_called_by_it(
    path: str, home: str, alone: bool, name: str
) -> None:
    assert note("# T\n", path, home=home, alone=alone).id == name


@pytest.mark.parametrize(
    ("path", "text", "alone", "counts"),
    [
        pytest.param("ADR-000-index.md", "# List\n", False, False, id="an index"),
        pytest.param("README.md", "# Read\n", False, False, id="a README"),
        pytest.param("Template.md", "# T\n", False, False, id="a template"),
        pytest.param("index.md", "---\nid: x\n---\n", False, True, id="with an id"),
        pytest.param("index.md", "---\ntype: x\n---\n", False, True, id="with a type"),
        pytest.param("README.md", "## Decision\nx\n", False, True, id="with a decision"),
        pytest.param("README.md", "# T\n", True, True, id="alone in its folder"),
        pytest.param("readme-first.md", "# T\n", False, True, id="another name"),
    ],
)
def test_an_index_file_is_a_record_only_if_it_says_so(
    path: str, text: str, alone: bool, counts: bool
) -> None:
    assert is_record(note(text, path, alone=alone)) is counts


@pytest.mark.parametrize(
    ("block", "tags"),
    [
        pytest.param("tags:\n  - a\n  - b", ("a", "b"), id="a list"),
        pytest.param("tags:\n- a\n- b", ("a", "b"), id="a list without indent"),
        pytest.param("tags: [a, b]", ("a", "b"), id="an inline list"),
        pytest.param("tags: a, b,c", ("a", "b", "c"), id="commas"),
        pytest.param("tags: a b", ("a", "b"), id="blanks"),
        pytest.param("tags: '#auth'", ("auth",), id="a quoted hash"),
        pytest.param("tags: #auth", ("auth",), id="a bare hash"),
        pytest.param("tags: #auth, #b", ("auth", "b"), id="bare hashes"),
        pytest.param("tags:\n  - #auth\n  - b", ("auth", "b"), id="a bare hash in a list"),
        pytest.param("tags: [#auth, #b]", ("auth", "b"), id="bare hashes in an inline list"),
        pytest.param("tags: [a/b, a/b/c]", ("a/b", "a/b/c"), id="nested"),
        pytest.param("tags: ['@a']", ("a",), id="an at sign"),
        pytest.param("tags: [Auth, auth, AUTH]", ("Auth",), id="each once, as first written"),
        pytest.param("tag: a", ("a",), id="one tag"),
        pytest.param("tags: [2024, v2]", ("2024", "v2"), id="a number is a tag if it is called so"),
        pytest.param("tags:", (), id="nothing"),
        pytest.param("tags: []", (), id="an empty list"),
    ],
)
def test_tags_of_the_frontmatter_in_every_spelling(block: str, tags: tuple[str, ...]) -> None:
    assert note(f"---\n{block}\n---\n").tags == tags


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        pytest.param("#a at the start, then #b.", ("a", "b"), id="words"),
        pytest.param("#auth/jwt #a-b_c", ("auth/jwt", "a-b_c"), id="nested and joined"),
        pytest.param("- #a\n- x: #b", ("a", "b"), id="in a list"),
        pytest.param("#über #日本", ("über", "日本"), id="other scripts"),
        pytest.param("#12 #2024 #1a", ("1a",), id="digits are no tag"),
        pytest.param("`#a` and ``x #b``", (), id="not in code"),
        pytest.param("```\n#a\n```\n~~~\n#b\n~~~\n", (), id="not in fences"),
        pytest.param("# T #a\n## #b\n", (), id="not in headings"),
        pytest.param("[x](#a) [[n#b]] [[#c]] [x](y.md#d) [x](y(z)#e)", (), id="not in links"),
        pytest.param("https://x.y/#a http://x.y/z#b", (), id="not in URLs"),
        pytest.param("a#b ##c &#39; x/#d", (), id="not inside words"),
        pytest.param("<!-- #a -->", (), id="not in comments"),
        pytest.param("# ", (), id="nothing"),
    ],
)
def test_tags_in_the_body_are_words_of_prose(body: str, tags: tuple[str, ...]) -> None:
    assert note(body).tags == tags


def test_tags_of_the_frontmatter_come_first_and_once() -> None:
    assert note("---\ntags: [a, b]\n---\n#c and #A\n").tags == ("a", "b", "c")


def test_aliases_are_a_list_or_one() -> None:
    assert note("---\naliases: [a b, c]\n---\n").aliases == ("a b", "c")
    assert note("---\nalias: a b\n---\n").aliases == ("a b",)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param("---\nstatus: Accepted\n---\n## Status\nDraft\n", "accepted", id="the key"),
        pytest.param("## Status\n\nAccepted\n", "accepted", id="a section"),
        pytest.param("## 1. Status\n\n✅ Implemented\n", "implemented", id="an ornate section"),
        pytest.param("Status\n------\n* Proposed\n", "proposed", id="a setext section"),
        pytest.param("* Status: Deprecated\n", "deprecated", id="a bullet"),
        pytest.param("- **Status:** Proposed\n", "proposed", id="a bold bullet"),
        pytest.param("| Date | x |\n| Status | Accepted |\n", "accepted", id="a table row"),
        pytest.param("| **Status** | **Active** |\n", "active", id="a bold table row"),
        pytest.param("# T\n\nStatus: approved\n", "approved", id="a bare line"),
        pytest.param("**Status**: rejected\n", "rejected", id="a bold line"),
        pytest.param("---\ntags: [x, draft]\n---\n", "draft", id="a tag"),
        pytest.param("#accepted\n", "accepted", id="a tag in the body"),
        pytest.param("Status: Superceded by 3\n", "superseded", id="superceded"),
        pytest.param("## Status\n[Superseded](3.md) by 3\n", "superseded", id="a link"),
        pytest.param("Status: TBD\n\n## Status\nDraft\n", "draft", id="a line that says nothing"),
        pytest.param("---\nstatus: done\n---\nStatus: draft\n", "draft", id="an unknown word"),
        pytest.param("```\nstatus: rejected\n```\n", "", id="not in code"),
        pytest.param("The status: accepted\n", "", id="not in a sentence"),
        pytest.param("## Status\nnot yet accepted\n", "", id="the first word counts"),
        pytest.param("Status:\nAccepted\nDate: x\n", "accepted", id="the next line"),
        pytest.param("**Status:**\n\nDraft\n", "draft", id="the line after a blank one"),
        pytest.param("Status:\n\n## Proposed\n", "", id="a heading below is no value"),
        pytest.param("| Status: | Accepted |\n", "accepted", id="a table row with a colon"),
        pytest.param("**Status:** Accepted | **Date:** x\n", "accepted", id="facts on one line"),
        pytest.param("## Status: Accepted\n", "accepted", id="the heading itself"),
        pytest.param(
            "# T\n| Date | Status |\n|--|--|\n| x | Accepted |\n", "accepted", id="a table's head"
        ),
        pytest.param(
            "# T\n## Parts\n| Part | Status |\n|--|--|\n| x | Draft |\n", "", id="a later table"
        ),
        pytest.param(
            "| Part | Status |\n|--|--|\n| a | Draft |\n| b | Active |\n", "", id="several rows"
        ),
        pytest.param("Status: ~~Proposed~~ Accepted\n", "accepted", id="struck out"),
        pytest.param("Status: [proposed | accepted]\n", "", id="a template's choice"),
        pytest.param("---\nstatus: { accepted }\n---\n", "accepted", id="a template's braces"),
        pytest.param("---\nstatus: {proposed | accepted}\n---\n", "", id="a choice in braces"),
        pytest.param("## Status\nPending\n", "pending", id="pending"),
        pytest.param("## Status\nPartly superseded\n", "", id="in part"),
        pytest.param("Status: Amended by [[b]]\n", "", id="amended"),
        pytest.param("## Status\nAccepted\n\nAmended by [[b]]\n", "accepted", id="amended later"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_status_is_found_in_every_spelling(text: str, status: str) -> None:
    assert note(text).status == status


def test_a_stale_note_is_stale_whatever_it_says() -> None:
    assert replace(note("---\nstatus: accepted\n---\n"), stale=True).status == "stale"


@pytest.mark.parametrize(
    ("path", "text", "day"),
    [
        ("a.md", "---\ndate: 2024-03-09\n---\nDate: 2020-01-01\n", "2024-03-09"),
        ("a.md", "---\ndecided: 9 March 2024\n---\n", "2024-03-09"),
        ("a.md", "---\ndate: soon\ncreated: 2024-03-09T10:00\n---\n", "2024-03-09"),
        ("a.md", "* Date: 2024/03/09\n", "2024-03-09"),
        ("a.md", "| Date | March 9, 2024 |\n", "2024-03-09"),
        ("a.md", "**Date:** 2024-03\n", "2024-03-01"),
        ("a.md", "Date:\n2024-03-09\n", "2024-03-09"),
        ("a.md", "Status:\nDate: 2024-03-09\n", "2024-03-09"),
        ("a.md", "| Date | Status |\n|--|--|\n| 2024-03-09 | Accepted |\n", "2024-03-09"),
        ("a.md", "| By | Date |\n|--|--|\n| us | 2024-03-09 |\n", "2024-03-09"),
        ("a.md", "---\ndate: { 2024-03-09 }\n---\n", "2024-03-09"),
        ("a.md", "# T\n\n## Date\n\n2024-03-09\n", "2024-03-09"),
        ("2024-03-09-refresh.md", "# T\n", "2024-03-09"),
        ("a.md", "---\ndate: 2024-02-31\n---\n", ""),
        ("a.md", "Date: 03/04/2024\n", ""),
        ("0007-x.md", "in 2024-03-09 we met\n", ""),
    ],
)
def test_the_day_is_the_keys_else_the_lines_else_the_names(path: str, text: str, day: str) -> None:
    assert note(text, path).day == (datetime.date.fromisoformat(day) if day else None)


def test_a_bom_costs_no_frontmatter() -> None:
    assert read("a.md", b"\xef\xbb\xbf---\nid: x\n---\nbody\n").id == "x"


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_of_other_systems_are_levelled(end: bytes) -> None:
    found = read("a.md", end.join([b"---", b"id: x", b"---", b"# T", b"## Decision", b"y", b""]))

    assert (found.id, found.title, found.field("decision")) == ("x", "T", "y")
    assert found.body == "# T\n## Decision\ny\n"


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    found = read("a.md", b"---\ntitle: caf\xe9\n---\n## Decision\n\xff\xfe yes\n")

    assert (found.title, found.field("decision")) == ("caf\ufffd", "\ufffd\ufffd yes")


def test_the_body_is_kept_when_the_frontmatter_is_broken() -> None:
    found = note('---\nid: "x\n---\n# T\n---\nmore\n')

    assert (found.id, found.body) == ("x", "# T\n---\nmore\n")
    assert found.fault.startswith("frontmatter read line by line: line 4: ")


def test_an_unclosed_block_is_text_without_fault() -> None:
    found = note("---\nid: x\n# T\n")

    assert (found.id, found.title, found.fault) == ("a", "T", "")


@pytest.mark.parametrize("body", ['{"id": 1}\n', "+++\nid = 1\n+++\n", "---\n"])
def test_a_body_that_looks_like_another_format_is_text(body: str) -> None:
    assert note(f"---\nid: x\n---\n{body}").body == body
    assert dict(note(body).meta) == {}


def test_a_field_is_the_keys_else_the_sections() -> None:
    found = note(
        "---\ndecision: a\nrejected_alternatives: [b, c]\n---\n## Decision\nd\n## Why\ne\n"
    )

    fields = {name: found.field(name) for name in ("decision", "rejected", "context", "drivers")}
    assert fields == {"decision": "a", "rejected": "- b\n- c", "context": "e", "drivers": ""}


def test_a_secret_is_masked_in_text_fields_and_keys() -> None:
    found = replace(
        note(f"---\ntitle: {TOKEN}\n---\n## Decision\nuse {TOKEN}\n", home="adr"), stale=True
    )

    safe, count = masked(found)

    assert count == 2
    assert (safe.path, safe.home, safe.stale, safe.status) == ("notes/a.md", "adr", True, "stale")
    assert not [text for text in (safe.text, safe.title, safe.field("decision")) if TOKEN in text]


def test_a_note_without_secrets_is_itself_when_masked() -> None:
    found = note("# T\n")

    assert masked(found) == (found, 0)
    assert masked(found)[0] is found


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"---\n{text}".encode()))
def test_any_bytes_are_a_record(source: bytes) -> None:
    found = read("adr/a.md", source)

    assert found.id
    assert found.title
    assert found.status in {"", *node.STATUSES.values()}
    assert all(tag == tag.strip() and tag for tag in found.tags)
    assert isinstance(found.body_links, list)
