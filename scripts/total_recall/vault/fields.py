"""What a decision record decided, rejected and follows from: its fields by heading or key."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from total_recall.vault import markdown
from total_recall.vault.frontmatter import Value, texts
from total_recall.vault.markdown import Heading

# The heading of one option, which names that besides the field.
ONE_OPTION = r"(?:alternative|option)(?: #?\d+\b| [a-z]\b|:).*"

# Names of sections in public records, by how often they were met; matched whole, folded.
# `weak` names hold the decision only where no strong one stands.
HEADINGS = {
    "decision": (
        r"decisions?|decision outcomes?\b.*|decisions? made|decided"
        r"|(?:chosen|selected) (?:option|alternative|approach|solution)"
    ),
    "weak": (
        r"outcome|conclusion|proposal|proposed(?: solution| decision| change)?|recommendation"
        r"|approach|solution|resolution|summary"
    ),
    "rejected": (
        r"rejected(?: alternatives?| options?)?"
        r"|alternatives?(?: considered| approach(?:es)?| designs?| solutions?)?"
        r"|other (?:alternatives|options|approaches).*|rationale and alternatives"
        r"|drawbacks (?:and|/) alternatives"
        r"|pros and cons of the other options|reasons against other options|prior art"
        r"|why not .*|not chosen|discarded.*"
    ),
    # What was taken may be among these.
    "considered": (
        r"considered (?:alternatives|options|approaches).*"
        r"|options(?: considered| analysis)?|pros and cons of the (?:options|alternatives)"
        rf"|{ONE_OPTION}|positions"
    ),
    "consequences": (
        r"(?:(?:expected|positive|negative|neutral) )?consequences?|consequences.*"
        r"|decisions and consequences|implications.*|(?:stakeholder )?impacts?|trade-?offs?"
        r"|drawbacks|risks?\b.*|positive.*|negative.*|neutral|benefits|downsides|limitations.*"
        r"|pros and cons"
    ),
    "context": (
        r"context.*|background|problem(?: statement)?|motivation.*|why|issue|rationale"
        r"|introduction"
    ),
    "drivers": (
        r"decision drivers|drivers|constraints?|priorities.*constraints|requirements"
        r"|assumptions|non-goals|out of scope"
    ),
    "compressed": r"compressed(?: summary)?",
    "status": r"status",
    "date": r"date",
}
_HEADINGS = {kind: re.compile(pattern) for kind, pattern in HEADINGS.items()}

# Frontmatter keys, folded and with blanks for `_` and `-`.
KEYS = {
    "decision": ("decision", "decision outcome"),
    "rejected": ("rejected alternatives", "rejected", "alternatives"),
    "considered": ("considered options", "options"),
    "consequences": ("consequences",),
    "context": ("context",),
    "drivers": ("drivers", "decision drivers", "constraints"),
    "compressed": ("compressed", "compressed summary"),
    "status": ("status",),
}

# What may open a section as `Label:` in running text. Fewer than the headings: `Risks:` or
# `Positive:` as a label mostly belongs to the option that is being discussed.
LABELS = frozenset(
    {
        "decision", "decision outcome", "rejected", "rejected alternatives",
        "rejected_alternatives", "alternatives considered", "considered options", "consequences",
        "context", "drivers", "decision drivers", "constraints", "compressed",
        "compressed summary",
    }
)  # fmt: skip

_OF_OPTIONS = {"rejected", "considered"}
_ALWAYS_THEIR_OWN = {"decision", "compressed", "status", "date"}
_ONE_OPTION = re.compile(ONE_OPTION)
_WHY_NOT = re.compile(r"why not (?P<name>.*)", re.IGNORECASE)
_IN_HEADING = {"decision", "status"}  # fields whose text may stand in the heading: `Status: Draft`
# Whom a decision concerns is no consequence of it.
_CONTACTS = re.compile(r"\bcontacts?\b", re.IGNORECASE)

_PLACEHOLDER = re.compile(r"(?:[-*\s]|(?:n/?a|none|tb[cd]|todo|<[^<>]*>|\{[^{}]*\})\.?)*")


class _Section(NamedTuple):
    """A section around others: its level, its field, and whether its heading is part of that."""

    level: int
    field: str
    is_part: bool = False


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str:
    """Give the field that a folded heading names, or "".

    >>> kind_of("considered options"), kind_of("decision outcome"), kind_of("glossary")
    ('considered', 'decision', '')
    """
    return next((kind for kind, names in _HEADINGS.items() if names.fullmatch(name)), "")


def from_meta(meta: Mapping[str, Value], field: str) -> str:
    """Give a field's text from the frontmatter, list items as bullets; "" if it has none."""
    folded = {folded_key(key): value for key, value in meta.items()}
    for key in KEYS[field]:
        if found := [text for text in texts(folded.get(key)) if not is_placeholder(text)]:
            return found[0] if len(found) == 1 else "\n".join(f"- {text}" for text in found)
    return ""


def folded_key(key: str) -> str:
    """Give a frontmatter key as it is compared: snake, kebab and camel case are one.

    >>> folded_key("rejectedAlternatives"), folded_key("superseded-by")
    ('rejected alternatives', 'superseded by')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    return re.sub(r"[-_\s]+", " ", spaced).strip().casefold()


def is_placeholder(text: str) -> bool:
    """Say whether a field only says that there is nothing to say."""
    return _PLACEHOLDER.fullmatch(text.strip().casefold()) is not None


def from_body(body: str, outline: Sequence[Heading]) -> dict[str, str]:
    """Give the text of each field that a body's headings name; repeated sections are joined.

    A section inside another without a field of its own belongs to the outer one. A section with
    a field stands for itself, so that MADR's consequences under its outcome are no part of the
    decision; but what stands inside the options stays there, since an option's
    drawbacks are the option's.
    """
    pieces: dict[str, list[str]] = {}
    above: list[_Section] = []
    for heading, own in markdown.own_texts(body, outline):
        while above and above[-1].level >= heading.level:
            above.pop()
        outer = above[-1] if above else _Section(0, "")
        kind, told = _kind_and_text(heading)
        one_option = kind == "considered" and _ONE_OPTION.fullmatch(heading.name) is not None
        stays = (
            not kind
            or (outer.field in _OF_OPTIONS and kind not in _ALWAYS_THEIR_OWN)
            or (one_option and outer.field != "")
        )
        above.append(_Section(heading.level, outer.field if stays else kind, stays or one_option))
        if stays and heading.level == markdown.LABEL_LEVEL:
            text = f"**{heading.title}:** {own}"
        elif stays or one_option:
            # An option's name is its heading, and what is in it stands below that.
            hashes = "####" if stays and outer.is_part else "###"
            text = f"{hashes} {heading.title}\n{own}".strip()
        elif why_not := _WHY_NOT.match(heading.title):
            text = f"- **{why_not['name']}**: {own}".replace("\n", "\n  ")
        else:
            text = f"{told}\n\n{own}".strip()
        field = above[-1].field
        if (
            field
            and not is_placeholder(text)
            and not (field == "consequences" and _is_of_contacts(text))
        ):
            pieces.setdefault(field, []).append(text)
    weak = pieces.pop("weak", [])
    if weak and "decision" not in pieces:
        pieces["decision"] = weak
    return {field: "\n\n".join(texts) for field, texts in pieces.items()}


def _kind_and_text(heading: Heading) -> tuple[str, str]:
    """Give the field that a heading names, and what it tells itself: `Status: Accepted`."""
    if kind := kind_of(heading.name):
        return kind, ""
    name, colon, told = heading.title.partition(":")
    # The title of the whole record opens no section.
    kind = kind_of(markdown.heading_name(name)) if colon and heading.level > 1 else ""
    return (kind, told.strip(" *_")) if kind in _IN_HEADING else ("", "")


def _is_of_contacts(text: str) -> bool:
    head, *rows = text.split("\n")
    return _CONTACTS.search(head) is not None and all(row.startswith("|") for row in (head, *rows))
