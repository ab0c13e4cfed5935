"""The options of a record, and which of them it left."""

import pytest

from total_recall.vault import choice, options

MADR = "* Server-sent events\n* WebSockets\n* Polling every 5 seconds"


def names(text: str) -> list[str]:
    return [option.name for option in options.options(text)]


def left(text: str, decision: str) -> list[str] | None:
    found = choice.without_chosen(options.options(text), decision)
    return None if found is None else [option.name for option in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("- **Redis**: fast\n- **Kafka** - heavy", ["Redis", "Kafka"], id="bold"),
        pytest.param("- Redis: fast\n- Kafka, because", ["Redis", "Kafka, because"], id="bare"),
        pytest.param("1. Redis\n2) Kafka\n   - a detail", ["Redis", "Kafka"], id="numbered"),
        pytest.param("### Redis\nfast\n### Kafka\nheavy", ["Redis", "Kafka"], id="sub-headings"),
        pytest.param("|O|\n|-|\n|Redis|\n|Kafka|", ["Redis", "Kafka"], id="table"),
        pytest.param("### Option 1: Redis\n### Option B - Kafka", ["Redis", "Kafka"], id="lead"),
        pytest.param("### Redis\n#### Pros\n#### Cons\n### 2", ["Redis"], id="no names"),
        pytest.param("- Redis\n\n### Redis\n- good", ["Redis"], id="each once"),
        pytest.param("We thought about Redis.", [], id="prose names none"),
        pytest.param("```\n- Redis\n```", [], id="code names none"),
        pytest.param(
            "### 1. **Redis**\n### 2) Kafka\n### C. Cron",
            ["Redis", "Kafka", "Cron"],
            id="numbered headings",
        ),
        pytest.param(
            "- **Option 1:** Redis\n- *[Option 2]* Kafka", ["Redis", "Kafka"], id="ornate leads"
        ),
        pytest.param(
            "### Option #1\n### Option #2", ["Option #1", "Option #2"], id="numbers alone"
        ),
        pytest.param("- **Option 2 (a queue)**: late", ["a queue"], id="a name in brackets"),
        pytest.param("### Option 1 [Done] - Redis", ["Redis"], id="a tag before the name"),
        pytest.param("- [Redis](https://redis.io) 7", ["Redis 7"], id="a link"),
        pytest.param(
            "- Add `a: b` to it: fast\n- `x`", ["Add `a: b` to it", "x"], id="a code span"
        ),
        pytest.param(
            "- Redis with\n  streams: fast\n\nOr so.", ["Redis with streams"], id="a wrapped line"
        ),
        pytest.param(
            "**Redis**\nfast\n\n**Kafka.** Heavy", ["Redis", "Kafka"], id="bold paragraphs"
        ),
        pytest.param(
            "We saw:\n\n**1. Redis** fast\n\n**2. Kafka**\n- Slow",
            ["Redis", "Kafka"],
            id="numbered bold",
        ),
        pytest.param("It is **slow**.\n\n**Really** slow.\n- Redis", ["Redis"], id="bold in prose"),
        pytest.param("### Why not Redis?\n### Why not", ["Redis"], id="why not"),
        pytest.param(
            "### Redis\n**Rejected:** slow\n#### Kafka", ["Redis"], id="outermost headings"
        ),
        pytest.param(
            "- Redis\n- Kafka\n### Redis 7\n### Other",
            ["Redis", "Kafka"],
            id="headings that repeat",
        ),
        pytest.param(
            "- speed\n- price\n### Redis\n### Kafka",
            ["Redis", "Kafka"],
            id="a list before headings",
        ),
        pytest.param("- Redis\n### Licence", ["Redis"], id="a lone heading after a list"),
        pytest.param(
            "### Option 1: Redis\n### Cost\n### Option 2: Cron",
            ["Redis", "Cron"],
            id="between numbers",
        ),
        pytest.param(
            "### Redis\n### Examples\n### Common to all options",
            ["Redis"],
            id="headings on options",
        ),
        pytest.param(
            "|O|\n|-|\n|Redis|\n\n|O|P|\n|-|-|\n|Cron|x|", ["Redis", "Cron"], id="two tables"
        ),
        pytest.param("|Criterion|Redis|\n|-|-|\n|Speed|high|", [], id="a table of criteria"),
        pytest.param("Pros:\n- fast\n- small", [], id="arguments"),
        pytest.param("\n".join(f"- part {n}" for n in range(20)), [], id="too many to be weighed"),
    ],
)
def test_names_are_found_however_the_options_are_written(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "decision",
    [
        'Chosen option: "Server-sent events", because it is plain HTTP.',
        "Chosen option: Server-sent events, since it is plain HTTP.",
        "**Chosen option: Server-sent events**",
        "* Chosen Alternative: `Server-sent events`",
        "Option 1 was chosen.",
        "We will do option 1.",
        "Updates are sent by server-sent events over HTTP.",
        "Chosen option: 1",
        "Chosen alternative: A.",
        "Chosen option:\n\n**Server-Sent-Events**",
        "**_Chosen option - #1_**: plain HTTP.",
        "Chosen option [Option 1]: plain HTTP",
        "We [decided on](https://example.org) _Option 1_.",
        "It was agreed to go with the option 1.",
        "### Option 1: as above",
        "We settled on **server-sent events**, as WebSockets need state.",
        "We chose to use server-sent events; WebSockets and polling every 5 seconds are left.",
        "Server-sent events over HTTP, instead of WebSockets.",
        "Server-sent events. WebSockets were rejected.",
    ],
)
def test_what_was_chosen_is_taken_from_the_options(decision: str) -> None:
    assert left(MADR, decision) == ["WebSockets", "Polling every 5 seconds"]


@pytest.mark.parametrize(
    "decision",
    [
        pytest.param("", id="no decision"),
        pytest.param("Chosen option: carrier pigeons", id="one that is not on the list"),
        pytest.param("WebSockets first, then server-sent events.", id="several"),
        pytest.param("We will not use WebSockets.", id="a negation"),
        pytest.param("It was decided not to proceed with option 2.", id="a number not taken"),
        pytest.param("A blend between options 1 and 2.", id="two numbers"),
        pytest.param("To be decided: choose option 1, option 2 or both.", id="a choice of numbers"),
        pytest.param("Option 1 was chosen for now. Go with option 2 later.", id="two choices"),
        pytest.param("Chosen option: 9", id="a number that is not on the list"),
        pytest.param("Chosen options: WebSockets where it pays.", id="several by its own word"),
        pytest.param("Chosen option: no WebSockets", id="the opposite of one on the list"),
    ],
)
def test_without_a_clear_choice_nothing_is_called_rejected(decision: str) -> None:
    assert left(MADR, decision) is None


@pytest.mark.parametrize(
    "text",
    [
        "- JWT (chosen)\n- Sessions",
        "- JWT: short lived **(selected for now)**\n- Sessions",
        "- ✅ JWT\n- Sessions",
        "- JWT ← chosen\n- Sessions",
        "### JWT (chosen)\n### Sessions",
        "|Option|Verdict|\n|-|-|\n|JWT|**Chosen**|\n|Sessions|✅ simple|",
    ],
)
def test_an_option_that_says_it_was_chosen_is_believed(text: str) -> None:
    assert left(text, "We take what is best.") == ["Sessions"]


def test_the_name_that_fits_best_is_the_chosen_one() -> None:
    assert left("- CC0\n- MIT\n- Both MIT and CC0", 'Chosen option: "Both MIT and CC0", as') == [
        "CC0",
        "MIT",
    ]
    assert left("- Do not cache\n- Cache", 'Chosen option: "Do not cache", because') == ["Cache"]
    assert left("- A 2\n- A 2 with a patch", "Chosen option: A 2 with a patch, for now") == ["A 2"]


def test_options_are_known_by_the_numbers_that_they_have() -> None:
    text = "### Option 2: Redis\n### Option 4: Kafka"

    assert left(text, "We go with option 4.") == ["Redis"]
    assert left(text, "We go with option 1.") is None


def test_a_number_that_two_options_have_names_none() -> None:
    text = "### Option 1: Redis\n### Option 2: Kafka\n### Option 1: Blue\n### Option 2: Green"

    assert left(text, "We go with option 1.") is None
