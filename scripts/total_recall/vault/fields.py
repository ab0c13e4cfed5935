"""What a decision record decided, rejected and follows from: its fields by heading or key."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from total_recall.vault import markdown
from total_recall.vault.frontmatter import Value, texts
from total_recall.vault.markdown import Heading

# Names of sections in public records, by how often they were met; matched whole, folded.
# `weak` names hold the decision only where no strong one stands.
HEADINGS = {
    "decision": r"decisions?|decision outcomes?\b.*|decisions? made|decided|chosen option",
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
        r"considered (?:alternatives|options|approaches).*|options(?: considered| analysis)?"
        r"|pros and cons of the (?:options|alternatives)|alternative (?:\d+|[a-z]\b).*|positions"
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
_ALWAYS_THEIR_OWN = {"decision", "compressed", "status"}

_PLACEHOLDER = re.compile(r"(?:[-*\s]|(?:n/?a|none|tbd|todo|<[^<>]*>|\{[^{}]*\})\.?)*")


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
    above: list[tuple[int, str]] = []  # the level and field of each section around this one
    for heading, own in markdown.own_texts(body, outline):
        while above and above[-1][0] >= heading.level:
            above.pop()
        outer = above[-1][1] if above else ""
        kind = kind_of(heading.name)
        stays = not kind or (outer in _OF_OPTIONS and kind not in _ALWAYS_THEIR_OWN)
        field = outer if stays else kind
        above.append((heading.level, field))
        # An option's name is its heading.
        text = f"### {heading.title}\n{own}".strip() if field and stays else own
        if field and not is_placeholder(text):
            pieces.setdefault(field, []).append(text)
    weak = pieces.pop("weak", [])
    if weak and "decision" not in pieces:
        pieces["decision"] = weak
    return {field: "\n\n".join(texts) for field, texts in pieces.items()}
