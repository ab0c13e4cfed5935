"""The one section of a plan folder that a question about a promoted decision needs."""

from dataclasses import dataclass

from total_recall import words
from total_recall.vault import links, markdown
from total_recall.vault.frontmatter import texts
from total_recall.vault.node import Node

MOST_CANVASES = 3  # more than that is a list of plans, not an answer

FILES = {
    "plan": "plan.md",
    "design": "design.md",
    "research": "research.md",
    "scaffold": "scaffold.md",
    "meta": "_meta.md",
}
NONE = "none"  # the record itself answers

# By tier, since "what was rejected" must not be taken for the "what" of an overview: words that
# name a section, words that the record answers, words that hint. A `*` stands for any ending.
_TIERS = (
    {
        "plan": "plan plans steps tasks phases roadmap milestones",
        "design": "design architecture",
        "research": "research evidence",
        "scaffold": "scaffold blueprint",
    },
    {NONE: "reject* alternative* constrain* consequence* decid* chose tried"},
    {
        "plan": "build implement",
        "design": "how approach structure pattern system",
        "research": "why tradeoff tradeoffs source learned studied found",
        "scaffold": "interface methods class file module boundary",
        "meta": "summary summarize overview which what list",
    },
)
_SOURCE_BYTES = (b"source_plan", b"source plan", b"origin")  # without one there is no plan
_SOURCE_HEADINGS = frozenset({"source plan", "origin"})


@dataclass(frozen=True)
class Section:
    """A section of a canvas: its name, its text as it is shown, and the plan that it is from."""

    name: str
    text: str
    origin: str


def section_for(query: str) -> str:
    """Give the section that a question asks for, NONE if the record answers it itself.

    >>> section_for("what is the plan for auth refactor"), section_for("why JWT")
    ('plan', 'research')
    >>> section_for("why did we reject sessions for auth"), section_for("auth")
    ('none', 'meta')
    """
    asked = [words.fold(word) for word in words.compounds(query)]
    for tier in _TIERS:
        for word in asked:
            for section, triggers in tier.items():
                if any(_triggers(trigger, word) for trigger in triggers.split()):
                    return section
    return "meta"


def _triggers(trigger: str, word: str) -> bool:
    return word.startswith(trigger[:-1]) if trigger.endswith("*") else word == trigger


def origin_of(node: Node) -> str:
    """Give the plan folder that a decision says it came from, as it writes it, or "".

    The key `source_plan` says so, else a link under a heading `Source Plan` or `Origin`; a link
    to a file of the folder means the folder.
    """
    lowered = node.source.lower()
    if not any(word in lowered for word in _SOURCE_BYTES):
        return ""
    if given := texts(node.meta.get("source_plan")):
        return links.target(given[0]).rstrip("/") or given[0]
    for heading, text in markdown.own_texts(node.body, node.outline):
        if heading.name in _SOURCE_HEADINGS:
            for target in links.in_text(text):
                folder, _, name = target.rpartition("/")
                return folder if f"{name}.md" in FILES.values() else target
    return ""


def shown(section: str, text: str) -> str:
    """Give what is shown of a section's file: of an overview only its headings and tables."""
    if section != "meta":
        return text.strip()
    return "\n".join(line for line in text.split("\n") if line.startswith(("#", "|")))
