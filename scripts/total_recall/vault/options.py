"""The options that a record weighed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from total_recall import words
from total_recall.vault import markdown

MOST_OPTIONS = 15  # nobody weighs more; a longer list tells of something else
MOST_HEADINGS = 200  # further ones are not looked at; no section met has as many

_HEADING = re.compile(r"^(?P<level>#{1,6})[ \t]+(?P<title>.+)$", re.MULTILINE)
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?P<text>.*)$")
_RULE = re.compile(r"[ \t|:-]+")
_BOLD_LINE = re.compile(r"(?:\A|\n[ \t]*\n)[ \t]*(?P<text>(?P<mark>\*\*|__)[^\n]+?(?P=mark)[^\n]*)")
_BOLD_LEAD = re.compile(r"^(\*\*|__)(?P<name>.+?)\1[:.]?")
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\n]*\)")
_NAME = re.compile(
    r"(?:`[^`\n]*`|(?!:\s|\s[-–—]\s|[.?]\s|,?\s(?:because|since)\s|\s\()[^\n])*"  # not within code
)
_TAG = re.compile(r"^\[[^\]\n]*\][ \t]*[-–—:]?[ \t]*(?=\w)")

LABEL = r"(?:\d+(?:\.\d+)*[a-z]?|[a-z])(?![^\W_])"
NOUN = r"(?:option|alternative|approach|solution)"
_NUMBERED = re.compile(rf"^#?(?P<label>{LABEL})[*_]*[.):][*_]*[ \t]+", re.IGNORECASE)
CALLED = re.compile(
    rf"^[\[(*_`]*{NOUN}s?\s+#?(?P<label>\d+(?:\.\d+)*[a-z]?\b(?!,)|[a-z](?=[]).:*_`]|\s*[–—-]|\s*$))"
    r"[])*_.:+\s–—-]*",
    re.IGNORECASE,
)

_IS_CHOSEN = re.compile(
    r"[\[(][*_]*(?:(?:chosen|selected)\b[^)\]\n]*|accepted[*_]*|adopted[*_]*)[\])]"
    r"|\s[-–—←][ \t]*[*_]*(?:chosen|selected)[*_]*\.?$|^✅|✅$",
    re.IGNORECASE,
)
_VERDICT = re.compile(r"[✅*_ \t]*(?:chosen|selected)[*_ \t]*", re.IGNORECASE)  # a cell of its own
# Headings and list items that tell of an option instead of naming one.
_NO_NAME = re.compile(
    r"(?:pros?|cons?|good|bad|neutral|advantages?|disadvantages?|benefits?|drawbacks?|positives?"
    r"|negatives?|pros and cons|summary|overview|discussion|examples?|details|why rejected"
    r"|rejected|chosen|comparison)\b.*|why not|notes?|conclusion|decision|verdict|result|rationale"
    r"|[^\"“]*\b(?:of|for|to|between) (?:all|both|the|these) (?:options|alternatives)\b.*",
)
_DETAILS = re.compile(
    r"^[ \t]*[*_]{0,3}(?:pros?|cons?|advantages|disadvantages|benefits|drawbacks)\b[:*_ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_WHY_NOT = re.compile(r"^why not (?=\S)", re.IGNORECASE)
# What compares options has them in its columns.
_CRITERIA = re.compile(
    r"criteri(?:on|a)|aspects?|features?|factors?|dimensions?|requirements?|propert(?:y|ies)"
    r"|considerations?|attributes?|metrics?|",
)


@dataclass(frozen=True)
class Option:
    """One option: its name without ornament, and all that its line says of it.

    `label` is what the record calls it by, `2` for "Option 2: Redis", and `is_chosen` whether
    its own line says that it was taken.
    """

    name: str
    text: str
    label: str = ""
    is_chosen: bool = False


def options(text: str) -> list[Option]:
    """Give the options that a section names, in order and each once.

    Names are taken from the first column of a table, else from paragraphs that begin in bold,
    else from the outermost list items; then from the outermost sub-headings. Headings that
    repeat the list only tell more of it. Running prose names none.

    >>> [option.name for option in options("- **Redis**: fast\\n- Kafka - heavy\\n  - a detail")]
    ['Redis', 'Kafka']
    >>> [option.name for option in options("| Option | Why not |\\n|---|---|\\n| Cron | slow |")]
    ['Cron']
    """
    plain = markdown.without_fences(text)
    headings = list(islice(_HEADING.finditer(plain), MOST_HEADINGS))
    lead = plain[: headings[0].start()].strip() if headings else plain.strip()
    listed = _distinct(_rows(lead)) or _distinct(_bold_lines(lead)) or _distinct(_items(lead))
    headed = _distinct(_headed(headings))
    found = listed if len(headed) < 2 or _is_repeated(listed, headed) else headed
    found = found or headed
    return found if len(found) <= MOST_OPTIONS else []


def _rows(text: str) -> Iterator[Option]:
    """Give what the first column of each table names, unless that holds criteria."""
    table: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if (row := line.strip()).startswith("|"):
            table.append([cell.strip() for cell in row.strip("|").split("|")])
            continue
        at = next((at for at, row in enumerate(table[:2]) if _is_rule(row)), None)
        if at is not None and not (at and _CRITERIA.fullmatch(markdown.heading_name(table[0][0]))):
            for first, *others in table[at + 1 :]:
                yield from _option(first, ": ".join(filter(None, [first, *others])), others)
        table = []


def _is_rule(row: Sequence[str]) -> bool:
    return all(map(_RULE.fullmatch, row))


def _bold_lines(text: str) -> list[Option]:
    """Give what paragraphs begin with in bold, if the text begins so or they are numbered.

    Elsewhere bold stresses what prose says.
    """
    lines = [line["text"] for line in _BOLD_LINE.finditer(text)]
    found = _numbered_ones([option for line in lines for option in _option(line)])
    return found if _BOLD_LEAD.match(text) or sum(bool(each.label) for each in found) > 1 else []


def _items(text: str) -> Iterator[Option]:
    """Give what the outermost list items name, each with the lines that it goes on in."""
    found: list[tuple[int, str]] = []
    is_open = False
    for line in _DETAILS.split(text, maxsplit=1)[0].split("\n"):
        if item := _ITEM.match(line):
            found.append((len(item["indent"].expandtabs(4)), item["text"].strip()))
        elif is_open and line.strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        is_open = bool(item or is_open) and bool(line.strip())
    outermost = min((indent for indent, _ in found), default=0)
    for indent, line in found:
        if indent == outermost:
            yield from _option(line)


def _headed(headings: Sequence[re.Match[str]]) -> list[Option]:
    outermost = min((len(heading["level"]) for heading in headings), default=0)
    titles = [
        heading["title"].rstrip(" \t#")
        for heading in headings
        if len(heading["level"]) == outermost
    ]
    found = [option for title in titles for option in _option(title)]
    return _numbered_ones([replace(option, text=option.name) for option in found])


def _numbered_ones(found: list[Option]) -> list[Option]:
    """Give those that are numbered as options, if there are; what stands between tells of them."""
    numbered = [option for option in found if option.label]
    return numbered if len(numbered) > 1 else found


def _distinct(found: Iterable[Option]) -> list[Option]:
    distinct: dict[str, Option] = {}
    for option in found:
        distinct.setdefault(f"{option.label} {key(option.name)}", option)
    return list(distinct.values())


def _is_repeated(listed: Sequence[Option], headed: Sequence[Option]) -> bool:
    return any(_is_longer_or_same(one, other) for one in listed for other in headed)


def _is_longer_or_same(one: Option, other: Option) -> bool:
    if one.label and one.label == other.label:
        return True
    shorter, longer = sorted((key(one.name), key(other.name)), key=len)
    return f"{longer} ".startswith(f"{shorter} ")


def _option(line: str, text: str = "", notes: Sequence[str] = ()) -> Iterator[Option]:
    """Give the option that a heading, cell or item names, if it names one."""
    label, name = label_and_name(_IS_CHOSEN.sub("", line))
    if name:
        is_chosen = bool(_IS_CHOSEN.search(line.strip())) or any(map(_VERDICT.fullmatch, notes))
        yield Option(name, text or line, label, is_chosen)


def label_and_name(line: str) -> tuple[str, str]:
    """Give what a line calls an option by, and the option's name; each "" if there is none.

    >>> label_and_name("**Option 2: Redis** (fast)"), label_and_name("Kafka - heavy")
    (('2', 'Redis'), ('', 'Kafka'))
    """
    plain = _WHY_NOT.sub("", unlinked(line).strip())
    label = _NUMBERED.match(plain)
    plain = plain[label.end() :] if label else plain
    bold = _BOLD_LEAD.match(plain)
    head = bold["name"] if bold else plain
    if called := CALLED.match(head) or (_NUMBERED.match(head) if bold else None):
        label = called
        head = head[called.end() :]
        if bold and not head:
            head, bold = plain[bold.end() :].lstrip(" \t:.–—-"), None
    head = _TAG.sub("", head)
    if not bold and (end := _NAME.match(head)):
        head = end[0]
    name = _plain(head) or _plain(plain)
    if name.isdigit() or _NO_NAME.fullmatch(markdown.heading_name(name)):
        name = ""
    return label["label"].casefold() if label else "", name


def _plain(name: str) -> str:
    """Give a name without the ornament and the brackets around it."""
    name = name.strip(" \t*_:.,?")
    for opened, closed in ("()", "[]", "``"):
        if name.startswith(opened) and name.find(closed, 1) in (len(name) - 1, -1):
            name = name[1:].removesuffix(closed)
    return name.strip(" \t*_:.,")


def unlinked(text: str) -> str:
    """Give the text with the words of each link in its place."""
    return _LINK.sub(r"\1", text)


def key(name: str) -> str:
    """Give a name as it is compared.

    >>> key("**Rate-limiting** by `Envoy`")
    'rate limiting by envoy'
    """
    folded = markdown.heading_name(name).replace("-", " ")
    return " ".join(words.compounds(words.fold(folded)))
