"""The options that a record weighed, and which of them it left."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from total_recall import words
from total_recall.vault import markdown

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?P<text>.*)$")
_ROW = re.compile(r"^[ \t]*\|(?P<cells>.+?)\|?[ \t]*$")
_RULE = re.compile(r"[ \t|:-]+")
_BOLD_LEAD = re.compile(r"^(\*\*|__)(?P<name>.+?)\1")
_NAME_END = re.compile(r":\s|\s[-–—]\s|\.\s|,?\s(?:because|since)\s|\s\(|$")
_CHOSEN = re.compile(
    r"(?:chosen|selected|preferred) (?:option|alternative|solution)\b[^\w\n]*(?:is|was)?[ \t:]*"
    r"(?:[*_]*[\"“'`\[](?P<quoted>[^\"”'`\]\n]+)[\"”'`\]]|(?P<bare>[^\n]+))",
    re.IGNORECASE,
)
_NUMBER_CHOSEN = re.compile(
    r"(?:option|alternative) #?(\d) (?:was|is) (?:chosen|selected|taken)"
    r"|(?:chose|will do|go with|chosen) (?:option|alternative) #?(\d)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\((?:chosen|selected|accepted|adopted)[^)]*\)|✅", re.IGNORECASE)
_PREFIX = re.compile(
    r"^(?:option|alternative|approach|solution)\s+#?(?:\d+|[a-z])\b[]).:\s–—-]*", re.IGNORECASE
)

# Headings and list items that tell of an option instead of naming one.
_NO_NAME = re.compile(
    r"(?:pros?|cons?|good|bad|neutral|advantages?|disadvantages?|benefits?|drawbacks?|positives?"
    r"|negatives?|pros and cons|summary|overview|discussion|example|details|why (?:not|rejected)"
    r")\b.*",
)


@dataclass(frozen=True)
class Option:
    """One option: its name without ornament, and all that its line says of it."""

    name: str
    text: str


def options(text: str) -> list[Option]:
    """Give the options that a section names, in order and each once.

    Names are taken from sub-headings, else from the first column of a table, else from the
    outermost list items; running prose names none.

    >>> [option.name for option in options("- **Redis**: fast\\n- Kafka - heavy\\n  - a detail")]
    ['Redis', 'Kafka']
    >>> [option.name for option in options("| Option | Why not |\\n|---|---|\\n| Cron | slow |")]
    ['Cron']
    """
    plain = markdown.without_fences(text)
    first_heading = _HEADING.search(plain)
    lead = plain[: first_heading.start()] if first_heading else plain
    found = [*_rows(lead), *_items(lead)]
    names = (_name(heading[1]) for heading in _HEADING.finditer(plain))
    found += [Option(name, name) for name in names if name]
    distinct: dict[str, Option] = {}
    for option in found:
        distinct.setdefault(_key(option.name), option)
    return list(distinct.values())


def without_chosen(found: Sequence[Option], decision: str) -> list[Option] | None:
    """Give the options that were not chosen; None if the decision does not tell which one was.

    The chosen one is what the decision calls so, by name or by number, else the one option
    that the decision names.

    >>> found = options("* MADR\\n* Nygard's template\\n* Other")
    >>> left = without_chosen(found, 'Chosen option: "MADR", because it is lean.')
    >>> left and [option.name for option in left]
    ["Nygard's template", 'Other']
    """
    marked = [option for option in found if _MARKED.search(option.text)]
    if number := _NUMBER_CHOSEN.search(decision):
        at = int(number[1] or number[2]) - 1
        chosen = list(found[at : at + 1])
    elif taken := _chosen(decision):
        chosen = [option for option in found if _same(_key(option.name), taken)]
    else:
        said = f" {_key(decision)} "
        chosen = [option for option in found if f" {_key(option.name)} " in said]
    taken_ones = marked or chosen
    if len(taken_ones) != 1:
        return None
    return [option for option in found if option is not taken_ones[0]]


def _rows(text: str) -> list[Option]:
    rows = [row["cells"] for line in text.split("\n") if (row := _ROW.match(line))]
    if not any(_RULE.fullmatch(row) for row in rows[:2]):
        return []
    cells = [[cell.strip() for cell in row.split("|")] for row in rows[2:]]
    return [
        Option(name, ": ".join([name, *filter(None, row[1:])]))
        for row in cells
        if (name := _name(row[0]))
    ]


def _items(text: str) -> list[Option]:
    found: list[Option] = []
    outermost: int | None = None
    for line in text.split("\n"):
        item = _ITEM.match(line)
        if not item:
            continue
        indent = len(item["indent"].expandtabs(4))
        outermost = indent if outermost is None else min(outermost, indent)
        if indent == outermost and (name := _name(item["text"])):
            found.append(Option(name, item["text"].strip()))
    return found


def _name(text: str) -> str:
    """Give the name at the start of a heading, cell or item; "" if it names no option."""
    plain = _MARKED.sub("", text).strip()
    if bold := _BOLD_LEAD.match(plain):
        plain = bold["name"]
    plain = _PREFIX.sub("", plain) or plain
    if not bold:
        end = _NAME_END.search(plain)
        plain = plain[: end.start()] if end else plain
    plain = plain.strip(" *_`:.,")
    return "" if plain.isdigit() or _NO_NAME.fullmatch(markdown.heading_name(plain)) else plain


def _key(name: str) -> str:
    folded = _PREFIX.sub("", markdown.heading_name(name))
    return " ".join(words.compounds(words.fold(folded)))


def _chosen(decision: str) -> str:
    found = _CHOSEN.search(decision)
    if not found:
        return ""
    return _key(_name(found["quoted"] or found["bare"]) or found["quoted"] or "")


def _same(option: str, chosen: str) -> bool:
    """Say whether two keys name one option: one may be the longer spelling of the other."""
    if not option or not chosen:
        return False
    shorter, longer = sorted((option, chosen), key=len)
    return f" {longer} ".startswith(f" {shorter} ") or f" {shorter} " in f" {longer} "
