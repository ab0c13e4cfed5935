"""The options of a record, and which of them it left."""

import pytest

from total_recall.vault import options

MADR = "* Server-sent events\n* WebSockets\n* Polling every 5 seconds"


def names(text: str) -> list[str]:
    return [option.name for option in options.options(text)]


def left(text: str, decision: str) -> list[str] | None:
    found = options.without_chosen(options.options(text), decision)
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
    ],
)  # fmt: skip
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
    ],
)
def test_without_a_clear_choice_nothing_is_called_rejected(decision: str) -> None:
    assert left(MADR, decision) is None


def test_an_option_that_says_it_was_chosen_is_believed() -> None:
    assert left("- JWT (chosen)\n- Sessions", "We take what is best.") == ["Sessions"]
