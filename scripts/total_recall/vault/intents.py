"""What a question asks for, and what in a record answers it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from total_recall import words
from total_recall.matching import Matcher
from total_recall.vault import choice, markdown, options
from total_recall.vault.node import Node

TOPIC = "topic"

# The words that tell an intent wherever they stand, the most telling first: "why was X rejected"
# asks for what was rejected. They say how, not what, is asked, and are no terms of the search.
INTENT_WORDS = {
    "tried": frozenset({"tried"}),
    "rejected": frozenset({"rejected", "reject", "rejecting"}),
    "constraint": frozenset({"constraint", "constraints"}),
    "rationale": frozenset({"why"}),
}
# These tell it only at the start of a question; further in they are part of a title.
OPENING_WORDS = {
    "tried": frozenset({"attempted", "try"}),
    "rejected": frozenset({"alternative", "alternatives", "discarded"}),
    "constraint": frozenset({"restriction", "restrictions", "must", "mandatory"}),
    "rationale": frozenset({"rationale", "reason", "reasons"}),
}

_STRONG = re.compile(r"\b(?:MUST|NEVER|MANDATORY|SHALL|REQUIRED|must|never|mandatory|[Dd]o not)\b")
_PROSE_CUE = re.compile(
    r"\b(?:instead of|rather than|rejected|we considered|ruled out|decided against)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Finding:
    """How a record answers an intent.

    `tier` orders findings, 0 first. `label` is `adopted`, `rejected`, `mentioned` or "", and
    `line` what in the record says so, with its own label; "" if the usual view tells it.
    """

    tier: int
    label: str = ""
    line: str = ""


def intent_of(query: str) -> str:
    """Give the intent of a question, TOPIC if it only names one.

    >>> [intent_of(q) for q in ("why JWT", "why was X rejected", "has anyone tried it", "login")]
    ['rationale', 'rejected', 'tried', 'topic']
    """
    folded = [words.fold(word) for word in words.compounds(query)]
    first = next((word for word in folded if word not in words.STOP_WORDS), "")
    for name in INTENT_WORDS:
        if not INTENT_WORDS[name].isdisjoint(folded) or first in OPENING_WORDS[name]:
            return name
    return TOPIC


def telling_words(intent: str) -> frozenset[str]:
    """Give the words that only tell this intent."""
    if intent == TOPIC:
        return frozenset()
    return INTENT_WORDS[intent] | OPENING_WORDS[intent]


def finding(intent: str, matcher: Matcher, node: Node) -> Finding | None:
    """Give how a node that holds a term answers an intent, None if it does not."""
    if intent == "rationale":
        return _rationale(matcher, node)
    if intent == "rejected":
        return _rejection(matcher, node)
    if intent == "constraint":
        return _constraint(matcher, node)
    if intent == "tried":
        return _trial(matcher, node)
    return Finding(0)


def _rationale(matcher: Matcher, node: Node) -> Finding:
    if node.type != "decision":
        return Finding(3, "mentioned")
    label = _stance(matcher, node)
    return Finding(("adopted", "rejected", "mentioned").index(label), label)


def _stance(matcher: Matcher, node: Node) -> str:
    """Say whether a decision took what the terms name, left it, or only mentions it."""
    if _holds(matcher, node.field("decision"), node.id, node.title, *node.aliases):
        return "adopted"
    if _left_option(matcher, node) or _holds(matcher, node.field("rejected")):
        return "rejected"
    return "adopted" if _holds(matcher, node.compressed, *node.tags) else "mentioned"


def _rejection(matcher: Matcher, node: Node) -> Finding | None:
    """Rank by where the topic stands: a tag, then a name, then the body; last what prose tells."""
    places = (node.tags, (node.id, node.stem, node.title, *node.aliases))
    tier = next((at for at, texts in enumerate(places) if _holds_all(matcher, texts)), 2)
    left = left_options(node)
    if left or node.field("rejected"):
        if node.type == "decision":
            return Finding(tier, "rejected")
        names = "; ".join(option.name for option in left) or node.field("rejected")
        return Finding(tier, "rejected", f"rejected: {names}")
    if node.type != "decision":
        return None
    prose = markdown.without_code(node.body)
    for sentence in markdown.sentences(prose):
        if _PROSE_CUE.search(sentence) and (tier < 2 or _holds(matcher, sentence)):
            return Finding(3, "rejected", f"rejected (from prose): {sentence}")
    return None


def _constraint(matcher: Matcher, node: Node) -> Finding | None:
    """Rank sentences that bind before those that only tell of the topic."""
    if node.type not in ("decision", "discovery"):
        return None
    on_topic = _holds_all(matcher, (*node.tags, node.id, node.title, *node.aliases))
    fields = [node.field("consequences"), node.field("drivers")]
    if node.type == "discovery":
        fields.append(node.body)
    sentences = [each for text in fields for each in markdown.sentences(text)]
    strong = [each for each in sentences if _STRONG.search(each)]
    # A record about the topic binds it by all that it demands, another by what names it.
    if found := strong if on_topic else [each for each in strong if _holds(matcher, each)]:
        return Finding(0 if on_topic else 1, "", f"constraint: {' '.join(found)}")
    if node.type != "decision" or not sentences:
        return None
    told = next((each for each in sentences if _holds(matcher, each)), "")
    line = f"consequence: {told}" if told else ""
    # What follows from a decision on the topic binds too, though no word says that it must.
    if on_topic:
        return Finding(2, "", line)
    return Finding(3, "", line) if told else None


def _trial(matcher: Matcher, node: Node) -> Finding:
    if node.type == "decision":
        if option := _left_option(matcher, node):
            return Finding(0, "rejected", f"rejected: {option.text}")
        for sentence in markdown.sentences(node.field("rejected")):
            if _holds(matcher, sentence):
                return Finding(0, "rejected", f"rejected: {sentence}")
        stance = _stance(matcher, node)
        return Finding(3 if stance == "adopted" else 4, stance)
    return Finding({"discovery": 1, "session": 2}.get(node.type, 5), "mentioned")


def left_options(node: Node) -> list[options.Option]:
    """Give the options that a decision names and did not take."""
    left = choice.without_chosen(options.options(node.field("considered")), node.field("decision"))
    return options.options(node.field("rejected")) + (left or [])


def _left_option(matcher: Matcher, node: Node) -> options.Option | None:
    return next((each for each in left_options(node) if _holds(matcher, each.text)), None)


def _holds(matcher: Matcher, *texts: str) -> bool:
    return any(matcher.occurrences(text) for text in texts if text)


def _holds_all(matcher: Matcher, texts: Sequence[str]) -> bool:
    found = {each.term for text in texts for each in matcher.occurrences(text)}
    return len(found) == len(matcher.terms)
