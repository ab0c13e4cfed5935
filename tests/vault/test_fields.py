"""The fields of a decision record, by heading, label or key."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.vault import fields
from total_recall.vault.frontmatter import Value
from total_recall.vault.markdown import heading_name, outline


def from_body(body: str) -> dict[str, str]:
    return fields.from_body(body, outline(body, fields.LABELS))


# The table of the specification, one line a row of names; a name's `…` is what may follow it.
HEADINGS = {
    "decision": (
        "Decision | Decisions | Decision Outcome | Decision outcome and plan | Decision made"
        "| Decided | Chosen option | Chosen Option | Chosen solution | Selected approach"
    ),
    "weak": (
        "Outcome | Conclusion | Proposal | Proposed solution | Proposed decision | Proposed change"
        "| Proposed | Recommendation | Approach | Solution | Resolution | Summary"
    ),
    "rejected": (
        "Rejected | Rejected alternatives | Rejected options | Alternative | Alternatives"
        "| Alternatives considered | Alternative approaches | Alternative designs"
        "| Alternative solutions | Other alternatives | Other options | Other approaches"
        "| Rationale and alternatives | Drawbacks and alternatives | Drawbacks / alternatives"
        "| Pros and cons of the other options | Reasons against other options"
        "| Prior art | Why not Redis? | Not chosen | Discarded | Discarded ideas"
    ),
    "considered": (
        "Considered alternatives | Considered options | Considered approaches"
        "| Options | Options considered | Options analysis | Considered options and more"
        "| Pros and cons of the options | Pros and cons of the alternatives"
        "| Alternative 1 | Alternative 2: use Redis | Alternative B: use Redis | Positions"
        "| Option 1 | Option #2: use Redis | Option B - use Redis | Option: use Redis"
    ),
    "consequences": (
        "Consequence | Consequences | Expected consequences | Positive consequences"
        "| Negative consequences | Neutral consequences | Consequences of this"
        "| Decisions and consequences | Implications | Implications for us | Impact | Impacts"
        "| Stakeholder impact | Trade-off | Trade-offs | Tradeoffs | Drawbacks | Risk | Risks"
        "| Risks and mitigations | Positive | Positive effects | Negative | Negative effects"
        "| Neutral | Benefits | Downsides | Limitations | Limitations of it | Pros and cons"
    ),
    "context": (
        "Context | Context and problem statement | Background | Problem | Problem statement"
        "| Motivation | Motivation and goals | Why | Issue | Rationale | Introduction"
    ),
    "drivers": (
        "Decision drivers | Drivers | Constraint | Constraints | Priorities and constraints"
        "| Priorities, then constraints | Requirements | Assumptions | Non-goals | Out of scope"
    ),
    "compressed": "Compressed | Compressed summary",
    "status": "Status",
    "date": "Date",
    "": (
        "Glossary | Decision makers | Indecision | The alternatives | Alternatively | Riskless"
        "| References | Whyever | Optional steps | Alternative Xenon | How"
        "| Options for deployment in practice | Links | 🎯"
    ),
}


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        pytest.param(title.strip(), kind, id=title.strip())
        for kind, titles in HEADINGS.items()
        for title in titles.split("|")
    ],
)
def test_a_heading_names_a_field(title: str, kind: str) -> None:
    assert fields.kind_of(heading_name(title)) == kind


def test_a_field_runs_to_the_next_heading_of_the_same_or_a_higher_level() -> None:
    body = "# T\n## Decision\nOne.\n### Details\nTwo.\n## Notes\nno\n# Links\nno\n"

    assert from_body(body) == {"decision": "One.\n\n### Details\nTwo."}


def test_numbering_emphasis_emoji_and_setext_do_not_hide_a_heading() -> None:
    body = "## 1. **Context** 🎯\nA\n\nDecision\n--------\nB\n\n## 3) _Consequences_:\nC\n"

    assert from_body(body) == {"context": "A", "decision": "B", "consequences": "C"}


def test_a_heading_in_fenced_code_is_text() -> None:
    body = "## Decision\nA\n```\n## Consequences\nno\n```\nB\n"

    assert from_body(body) == {"decision": "A\n```\n## Consequences\nno\n```\nB"}


@pytest.mark.parametrize(
    ("body", "decision"),
    [
        pytest.param("## Summary\nweak", "weak", id="weak alone"),
        pytest.param("## Summary\nweak\n## Decision\nstrong", "strong", id="strong after"),
        pytest.param("## Decision\nstrong\n## Outcome\nweak", "strong", id="strong before"),
        pytest.param("## Decision\nTBD\n## Proposal\nweak", "weak", id="strong says nothing"),
        pytest.param("## Proposal\na\n## Solution\nb", "a\n\nb", id="two weak ones"),
    ],
)
def test_a_weak_heading_holds_the_decision_only_without_a_strong_one(
    body: str, decision: str
) -> None:
    assert from_body(body) == {"decision": decision}


def test_madr_consequences_under_the_outcome_are_no_part_of_the_decision() -> None:
    body = (
        "## Considered Options\n* JWT\n* Sessions\n"
        "## Decision Outcome\nChosen option: JWT.\n"
        "### Consequences\n* Good, because fast\n"
        "### Confirmation\nBy review.\n"
        "## Pros and Cons of the Options\n"
        "### Sessions\n* slow\n"
        "#### Drawbacks\n* state\n"
    )

    assert from_body(body) == {
        "considered": "* JWT\n* Sessions\n\n### Sessions\n* slow\n\n#### Drawbacks\n* state",
        "decision": "Chosen option: JWT.\n\n### Confirmation\nBy review.",
        "consequences": "* Good, because fast",
    }


def test_positive_and_negative_consequences_are_joined() -> None:
    body = "## Outcome\nA\n### Positive Consequences\n* b\n### Negative Consequences\n* c\n"

    assert from_body(body) == {"decision": "A", "consequences": "* b\n\n* c"}


def test_a_decision_inside_the_alternatives_is_still_the_decision() -> None:
    body = "## Alternatives\nA\n### Decision\nB\n### Risks\nC\n"

    assert from_body(body) == {"rejected": "A\n\n### Risks\nC", "decision": "B"}


def test_options_with_headings_of_their_own_keep_their_names() -> None:
    body = "## Option 1: A\nfast\n### Risks\nold\n## Alternative B\nnew\n## Why not C?\n- a\n- b\n"

    assert from_body(body) == {
        "considered": "### Option 1: A\nfast\n\n#### Risks\nold\n\n### Alternative B\nnew",
        "rejected": "- **C?**: - a\n  - b",
    }


def test_an_option_inside_another_field_belongs_to_it() -> None:
    body = "## Decision\n### Option 2: A\nyes\n## Consequences\n### Option 1\nslow\n"

    assert from_body(body) == {
        "decision": "### Option 2: A\nyes",
        "consequences": "### Option 1\nslow",
    }


def test_a_label_inside_the_alternatives_is_no_alternative() -> None:
    body = "## Alternatives\n### A\n**Rejected:** slow\n### B\n"

    assert from_body(body) == {"rejected": "### A\n\n**Rejected:** slow\n\n### B"}


def test_a_heading_may_hold_the_decision_or_the_status_itself() -> None:
    body = (
        "# Decision: the title\n## Status: Accepted\n## Decision: Use A\nsoon\n## Drivers: x\ny\n"
    )

    assert from_body(body) == {"status": "Accepted", "decision": "Use A\n\nsoon"}


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        ("| Group | Key Contacts |\n|---|---|\n| Web | A B |", set()),
        ("| Group | Impact |\n|---|---|\n| Web | must migrate |", {"consequences"}),
        ("The web team moves.\n\n| Group | Contact |\n|---|---|\n| Web | A |", {"consequences"}),
    ],
)
def test_whom_a_decision_concerns_is_no_consequence(table: str, fields: set[str]) -> None:
    assert set(from_body(f"## Stakeholder Impacts\n\n{table}\n\n## Links\nx\n")) == fields


def test_repeated_sections_are_joined() -> None:
    body = "## Decision\nA\n## Context\nB\n## Decision\nC\n"

    assert from_body(body) == {"decision": "A\n\nC", "context": "B"}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Decision: use JWT", id="plain"),
        pytest.param("**Decision**: use JWT", id="bold"),
        pytest.param("**Decision:** use JWT", id="bold with the colon"),
        pytest.param("- *decision*: use JWT", id="a bullet"),
        pytest.param("Decision outcome:\nuse JWT", id="text on the next line"),
    ],
)
def test_a_label_line_opens_a_field(line: str) -> None:
    body = f"# T\nintro\n{line}\n**Consequences**: fast\nContext: old\n"

    assert from_body(body) == {
        "decision": "use JWT",
        "consequences": "fast",
        "context": "old",
    }


def test_a_rejected_alternatives_line_ends_the_consequences() -> None:
    body = "## Consequences\nfast\n\nrejected_alternatives:\n- Sessions\n- Cookies\n\n## Links\nx\n"

    assert from_body(body) == {"consequences": "fast", "rejected": "- Sessions\n- Cookies"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "- -",
        "---",
        "* * *",
        "N/A",
        "n/a.",
        "NA",
        "None",
        "none.",
        "TBD",
        "TBC",
        "- TBD",
        "todo",
        "<what was decided>",
        "{decision}",
        "- None\n- N/A",
        "<a>\n\n{b}",
        "**TBD**",
        "\n \t",
    ],
)
def test_a_placeholder_is_no_field(text: str) -> None:
    assert fields.is_placeholder(text)
    assert from_body(f"## Decision\n{text}\n") == {}
    assert fields.from_meta({"decision": text}, "decision") == ""


@pytest.mark.parametrize(
    "text",
    ["None of them", "nothing", "<a> b", "a {b}", "-x", "1", "Nano", "- TBD later", "<a", "{a"],
)
def test_what_says_something_is_no_placeholder(text: str) -> None:
    assert not fields.is_placeholder(text)


def test_rules_before_a_text_cost_nothing() -> None:
    assert from_body("## Decision\n" + "-" * 100 + "\nUse JWT\n") == {
        "decision": "-" * 100 + "\nUse JWT"
    }


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("decision", "decision"),
        ("decisionOutcome", "decision"),
        ("rejected_alternatives", "rejected"),
        ("rejected-alternatives", "rejected"),
        ("rejectedAlternatives", "rejected"),
        ("Rejected Alternatives", "rejected"),
        ("rejected", "rejected"),
        ("alternatives", "rejected"),
        ("consideredOptions", "considered"),
        ("Consequences", "consequences"),
        ("context", "context"),
        ("decision-drivers", "drivers"),
        ("constraints", "drivers"),
        ("compressed_summary", "compressed"),
        ("STATUS", "status"),
    ],
)
def test_a_key_names_a_field_in_snake_kebab_and_camel_case(key: str, field: str) -> None:
    assert fields.from_meta({"other": "no", key: "text"}, field) == "text"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("a", "a", id="text"),
        pytest.param(["a"], "a", id="a list of one"),
        pytest.param(["a", "b"], "- a\n- b", id="a list"),
        pytest.param(["a", "N/A", "b"], "- a\n- b", id="a list with a placeholder"),
        pytest.param([{"name": "a", "why": "b"}], "- a\n- b", id="maps"),
        pytest.param([], "", id="an empty list"),
    ],
)
def test_the_items_of_a_key_are_bullets(value: Value, text: str) -> None:
    assert fields.from_meta({"rejected_alternatives": value}, "rejected") == text


def test_the_first_key_that_says_something_wins() -> None:
    meta: dict[str, Value] = {"alternatives": "b", "rejected": "a", "rejected_alternatives": "-"}

    assert fields.from_meta(meta, "rejected") == "a"


LINES = st.sampled_from(
    [
        "## Decision",
        "# Outcome",
        "### Risks",
        "## Options",
        "Decision:",
        "rejected:",
        "text",
        "-",
        "```",
        "---",
        "N/A",
        "## Links",
        "",
        "**Context**: x",
    ]
)


@given(st.lists(LINES, max_size=12))
def test_fields_hold_only_words_of_the_body(lines: list[str]) -> None:
    body = "\n".join(lines)

    found = from_body(body)

    assert set(found) <= {"decision", "rejected", "considered", "consequences", "context"}
    assert all(text and not fields.is_placeholder(text) for text in found.values())
    assert set(re.findall(r"\w+", " ".join(found.values()))) <= set(re.findall(r"\w+", body))
