"""What a question asks for, and what in a record answers it."""

import pytest

from total_recall.vault import intents, ladder, node
from total_recall.vault.node import Node


def note(path: str, text: str = "", *, front: str = "") -> Node:
    block = f"---\n{front}\n---\n" if front else ""
    return node.read(path, f"{block}{text}".encode())


MADR = note(
    "decisions/live-updates.md",
    "# Live updates by server-sent events\n\n"
    "## Considered Options\n\n* Server-sent events\n* WebSockets: two-way\n* Polling\n\n"
    '## Decision Outcome\n\nChosen option: "Server-sent events", because it is plain HTTP.\n',
    front="tags: [updates]",
)
NYGARD = note(
    "decisions/rates.md",
    "# Rate limits\n\n## Decision\n\nWe slow an account down instead of locking it.\n\n"
    "## Consequences\n\nThe payments webhook MUST stay exempt. It is cheap.\n",
    front="tags: [auth]",
)
PAYMENTS = note(
    "decisions/payments.md",
    "# Hosted page\n\n## Decision\n\nPay there.\n\n## Alternatives\n\n- Cards on file: scope\n\n"
    "## Consequences\n\n- Card data must never touch our servers.\n- Slower.\n",
    front="tags: [payments]",
)
TRIAL = note("discoveries/edge.md", "# WebSocket trial\n\nIdle connections were dropped.")
SESSION = note("sessions/s.md", "# Session\n\nTalked of websockets and payments.")
CHOSE_IT = note("decisions/chat.md", "# Chat\n\n## Decision\n\nChat uses websockets.")
VAULT = (SESSION, TRIAL, CHOSE_IT, MADR, NYGARD, PAYMENTS)


def asked(query: str) -> list[tuple[str, str, str]]:
    hits = ladder.climb(query, VAULT).hits
    return [(hit.node.id, hit.label, hit.line) for hit in hits]


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("why JWT", "rationale"),
        ("reason for JWT", "rationale"),
        ("what was rejected for auth", "rejected"),
        ("why did we reject sessions for auth", "rejected"),
        ("alternatives to redis", "rejected"),
        ("constraint on payments", "constraint"),
        ("has anyone tried websockets", "tried"),
        ("session refresh", "topic"),
        ("", "topic"),
    ],
)
def test_a_question_has_one_intent(query: str, intent: str) -> None:
    assert intents.intent_of(query) == intent


def test_tried_collects_every_match_with_its_label_the_rejected_first() -> None:
    assert asked("has anyone tried websockets") == [
        ("live-updates", "rejected", "rejected: WebSockets: two-way"),
        ("edge", "mentioned", ""),
        ("s", "mentioned", ""),
        ("chat", "adopted", ""),
    ]


def test_tried_has_no_cap() -> None:
    many = [note(f"discoveries/{n}.md", "# A kafka trial") for n in range(30)]

    assert len(ladder.climb("has anyone tried kafka", many).hits) == 30


def test_why_puts_what_was_adopted_before_what_was_rejected() -> None:
    assert [(each, label) for each, label, _ in asked("why websockets")] == [
        ("chat", "adopted"),
        ("live-updates", "rejected"),
        ("edge", "mentioned"),
        ("s", "mentioned"),
    ]


def test_what_was_chosen_is_never_called_rejected() -> None:
    assert asked("why server-sent events")[0][:2] == ("live-updates", "adopted")


def test_rejected_for_a_topic_needs_something_rejected_or_prose_that_says_so() -> None:
    assert asked("what was rejected for payments") == [("payments", "rejected", "")]
    assert asked("what was rejected for auth") == [
        (
            "rates",
            "rejected",
            "rejected (from prose): We slow an account down instead of locking it.",
        )
    ]


def test_a_constraint_is_the_sentence_that_binds_the_topic() -> None:
    assert asked("constraint on payments") == [
        ("payments", "", "constraint: Card data must never touch our servers."),
        ("rates", "", "constraint: The payments webhook MUST stay exempt."),
    ]


def test_when_none_answers_the_intent_those_with_the_words_do() -> None:
    assert asked("constraint on idle connections") == [("edge", "", "")]


def test_what_a_note_of_another_kind_rejected_is_named_too() -> None:
    told = note("plans/queue.md", "# Queue\n\n## Rejected alternatives\n\n- Kafka\n- Redis")

    (hit,) = ladder.climb("what was rejected for queue work", [told]).hits

    assert (told.type, hit.label, hit.line) == ("note", "rejected", "rejected: Kafka; Redis")
