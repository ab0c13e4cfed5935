"""One record of the vault: what it is, and what it says of itself."""

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from total_recall import dates, secrets
from total_recall.vault import fields, links, markdown
from total_recall.vault.frontmatter import Frontmatter, Value, parse, split, texts

FOLDER_TYPES = {
    "decisions": "decision",
    "decision": "decision",
    "adr": "decision",
    "adrs": "decision",
    "decision-records": "decision",
    "architecture-decision-records": "decision",
    "architecture-decisions": "decision",
    "discoveries": "discovery",
    "sessions": "session",
    "work": "work",
}
_TYPE_ALIASES = {"adr": "decision", "decisions": "decision", "discoveries": "discovery"}

STATUSES = {
    "accepted": "accepted",
    "approved": "approved",
    "proposed": "proposed",
    "draft": "draft",
    "pending": "pending",
    "active": "active",
    "implemented": "implemented",
    "superseded": "superseded",
    "superceded": "superseded",
    "deprecated": "deprecated",
    "rejected": "rejected",
    "stale": "stale",
}
# Files that list or explain records, and are records only if they say so.
INDEX_STEMS = re.compile(r"readme|index|template|adr-0+-index", re.IGNORECASE)

_INLINE_TAG = re.compile(r"(?<![\w/#&(\[{:.-])#([\w/-]+)")
_NOT_PROSE = re.compile(
    r"https?://\S+|\]\((?:[^()\n]|\([^()\n]*\))*\)|^\s{0,3}#{1,6}\s.*$", re.MULTILINE
)
# A label with its value behind it or on the next line.
_FACT = re.compile(
    r"^[ \t]*(?:[-*+>][ \t]+|(?P<row>\|)[ \t]*)?[*_]{0,3}(?P<name>status|date)[*_]{0,3}[ \t]*"
    r"(?::[*_ \t]*(?:\|[*_ \t]*)?|\|[*_ \t]*)"
    r"(?:(?P<value>[^|\s][^\n]*)|(?=\n{1,2}(?P<below>[^\n|#]+)))",
    re.IGNORECASE | re.MULTILINE,
)
_RULE = frozenset(" \t:|-")  # what the line under the head of a table is made of
_SECTION = re.compile(r"^(?:#{2,6}[ \t]|-{2,}[ \t]*$)", re.MULTILINE)
_DATE_SECTION = re.compile(
    r"^(?:#{2,6}[ \t][^\w\n]{0,5})?date[^\w\n]*$", re.IGNORECASE | re.MULTILINE
)
_BRACED = re.compile(r"^(?P<name>status|date):[ \t]*\{(?P<value>[^{}\n]*)\}", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]*~~")
_WORD = re.compile(r"[a-z]+")
# A day in front of a name is no number, but one may follow it.
_NUMBER = re.compile(
    r"(?:\d{4}-\d\d-\d\d[-_ ]+(?=\d))?(?:[a-z]+[-_ ]?)?0*(\d+)(?=$|[-_. ])(?!-\d\d-\d\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Node:
    """A record as read; all it says is worked out from its frontmatter and body when asked for.

    `path` is relative to the project's folder, with slashes. `home` is the name of that folder,
    which may itself say what its notes are (`docs/adr`). `source` is the file's bytes, `alone`
    whether it stands for its folder (its only note, or in one named like a record), `stale`
    whether the state file calls it so, `successor` the id of the record that superseded it.
    """

    path: str
    source: bytes
    meta: Mapping[str, Value]
    home: str = ""
    alone: bool = False
    stale: bool = False
    successor: str = ""
    fault: str = field(default="", compare=False)

    @cached_property
    def text(self) -> str:
        """The file's text, line ends levelled."""
        return decoded(self.source)

    @cached_property
    def body(self) -> str:
        """The text after the frontmatter, without HTML comments."""
        return markdown.without_comments(split(self.text)[1])

    @cached_property
    def id(self) -> str:
        """The id that the frontmatter gives, else the stem."""
        return self.given_id or self.stem

    @cached_property
    def given_id(self) -> str:
        """The id that the frontmatter gives, or ""."""
        return _first(self.meta.get("id"))

    @cached_property
    def stem(self) -> str:
        """The file's name without its ending, or the folder's for an index file alone in it."""
        name = _file_stem(self.path)
        if self.alone and INDEX_STEMS.fullmatch(name):
            return self.folder.rpartition("/")[2] or self.home
        return name

    @property
    def folder(self) -> str:
        """The path of the folder that it lies in, "" for the project's own."""
        return self.path.rpartition("/")[0]

    @cached_property
    def number(self) -> str:
        """The number of a record (`7` of `ADR-007-x`), or ""."""
        found = _NUMBER.match(self.id) or _NUMBER.match(self.stem)
        return found[1] if found else ""

    @cached_property
    def type(self) -> str:
        """What kind of note it is: by its own word, else its folder, else its sections."""
        return self.filed_type or ("decision" if self.has_decision else "note")

    @cached_property
    def filed_type(self) -> str:
        """The kind that it or its folder names, "" if neither does; no section is read."""
        if given := _first(self.meta.get("type")).casefold():
            return _TYPE_ALIASES.get(given, given)
        folders = (folder.casefold() for folder in reversed([self.home, *self.folder.split("/")]))
        return next((FOLDER_TYPES[folder] for folder in folders if folder in FOLDER_TYPES), "")

    @property
    def has_decision(self) -> bool:
        """Whether a section or key of it tells a decision."""
        return bool(self.field("decision"))

    @cached_property
    def title(self) -> str:
        """The title of the frontmatter, else the first top heading, else the file's name."""
        given = _first(self.meta.get("title"))
        headings = (heading.title for heading in self.outline if heading.level == 1)
        return given or next(headings, "") or self.stem.replace("-", " ").replace("_", " ").strip()

    @cached_property
    def outline(self) -> list[markdown.Heading]:
        """The headings of the body, and the labels that open a field."""
        return markdown.outline(self.body, fields.LABELS)

    @cached_property
    def _body_fields(self) -> dict[str, str]:
        return fields.from_body(self.body, self.outline)

    def field(self, name: str) -> str:
        """Give the text of a field of `fields.KEYS`: the frontmatter's, else the section's."""
        return fields.from_meta(self.meta, name) or self._body_fields.get(name, "")

    @cached_property
    def compressed(self) -> str:
        """The author's own one-line summary, or ""."""
        return self.field("compressed").split("\n\n")[0]

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Tags as written, without `#`: the frontmatter's, then those in the body."""
        first: dict[str, str] = {}
        for tag in (*self.given_tags, *inline_tags(self.body)):
            first.setdefault(tag.casefold(), tag)
        return tuple(first.values())

    @property
    def given_tags(self) -> list[str]:
        """The tags of the frontmatter."""
        parts = (
            part.strip().lstrip("#@")
            for text in texts(self.meta.get("tags") or self.meta.get("tag"))
            for part in re.split(r"[,\s]+", text)
        )
        return [part for part in parts if part]

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """Other names that the frontmatter gives."""
        return tuple(texts(self.meta.get("aliases") or self.meta.get("alias")))

    @cached_property
    def status(self) -> str:
        """One of STATUSES, or "" if the record gives none."""
        if self.successor:
            return "superseded"
        if self.stale:
            return "stale"
        given = fields.from_meta(self.meta, "status") or self._braced.get("status", "")
        for text in (given, *self._facts.get("status", ())):
            if known := status_in(text):
                return known
        if known := status_in(self._body_fields.get("status", "")):
            return known
        return next(
            (STATUSES[tag.casefold()] for tag in self.tags if tag.casefold() in STATUSES), ""
        )

    @cached_property
    def day(self) -> datetime.date | None:
        """The day of the record: its frontmatter's, its `Date:` line's, else its file name's."""
        given = (_first(self.meta.get(key)) for key in ("date", "decided", "created", "updated"))
        told = (*given, self._braced.get("date", ""), *self._facts.get("date", ()), self.stem)
        for text in told:
            if text and (found := dates.day(text)):
                return found
        has_section = _DATE_SECTION.search(self.body) is not None
        return dates.day(self._body_fields.get("date", "")) if has_section else None

    @cached_property
    def _braced(self) -> dict[str, str]:
        """A status and a date that stand in a template's braces, where YAML sees no text."""
        if not self.meta or "{" not in self.text:
            return {}
        return {found["name"]: found["value"] for found in _BRACED.finditer(split(self.text)[0])}

    @cached_property
    def _facts(self) -> dict[str, list[str]]:
        """The first `Status:` and `Date:` line, bullet or table row, and the head table's."""
        found: dict[str, list[str]] = {}
        if _FACT.search(self.body):
            for line in _FACT.finditer(markdown.without_fences(self.body)):
                value = line["value"] or line["below"] or ""
                told = value.split("|")[0] if line["row"] else value
                found.setdefault(line["name"].casefold(), [told])
        # Further down a table tells the status of something else.
        preamble = _SECTION.split(self.body, maxsplit=1)[0]
        if "|" in preamble:
            for name, value in _head_facts(markdown.without_fences(preamble)):
                found.setdefault(name, []).append(value)
        return found

    def linked(self, key: str) -> list[str]:
        """Give the link targets under a frontmatter key, however the key is spelled."""
        wanted = fields.folded_key(key)
        values = [value for name, value in self.meta.items() if fields.folded_key(name) == wanted]
        return [name for value in values for name in links.in_value(value)]

    @cached_property
    def body_links(self) -> list[str]:
        """The link targets in the body, code aside."""
        if "[[" not in self.body and ".md" not in self.body:
            return []
        return links.in_text(markdown.without_code(self.body))


def read(path: str, source: bytes, *, home: str = "", alone: bool = False) -> Node:
    """Give the node that a file's bytes hold; `fault` says what was wrong with its frontmatter."""
    block = ""
    if source.startswith((b"---", b"\xef\xbb\xbf---")):
        block = split(decoded(source))[0]
    front = parse(block) if block else Frontmatter({})
    return Node(path, source, front.values, home=home, alone=alone, fault=front.fault)


def is_record(node: Node) -> bool:
    """Say whether a file is a record: all are, except an index that says nothing of its own."""
    if not INDEX_STEMS.fullmatch(_file_stem(node.path)):
        return True
    return bool(node.alone or "id" in node.meta or "type" in node.meta or node.has_decision)


def masked(node: Node) -> tuple[Node, int]:
    """Give the node with its credentials masked, and how many there were."""
    hidden = secrets.mask(node.text)
    if not hidden.count:
        return node, 0
    fresh = read(node.path, hidden.text.encode(), home=node.home, alone=node.alone)
    return (
        replace(fresh, stale=node.stale, successor=node.successor, fault=node.fault),
        hidden.count,
    )


def decoded(source: bytes) -> str:
    """Give a file's text: UTF-8 with replacement, without a BOM, lines ended by a line feed."""
    text = source.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def inline_tags(body: str) -> list[str]:
    r"""Give the `#tag` words of prose; a number alone is no tag.

    >>> inline_tags("see #auth/jwt and #12, not `#x` or a#b\n# Heading #no\nhttps://x.y/#z")
    ['auth/jwt']
    """
    if not _INLINE_TAG.search(body):
        return []
    prose = _NOT_PROSE.sub(" ", markdown.without_code(body))
    found = (tag.strip("/-") for tag in _INLINE_TAG.findall(prose))
    return [tag for tag in found if tag and not tag.isdigit()]


def status_in(text: str) -> str:
    """Give the status that a text begins with, or ""; what is struck out does not count.

    >>> status_in("~~Accepted~~ **Superceded** by [ADR 3](0003.md)"), status_in("see below")
    ('superseded', '')

    A template's choice of several is none.

    >>> status_in("[proposed | accepted]")
    ''
    """
    told = _STRUCK.sub("", text.casefold())
    word = _WORD.search(told)
    if not word or word[0] not in STATUSES:
        return ""
    others = told[word.end() :].partition("\n")[0].split("|")[1:]
    is_choice = any(other and other[0] in STATUSES for other in map(_WORD.search, others))
    return "" if is_choice else STATUSES[word[0]]


def _head_facts(text: str) -> Iterator[tuple[str, str]]:
    """Give the names and values of the first table with a head and one row."""
    lines = [line.strip() for line in text.split("\n")]
    tables = zip(lines, lines[1:], lines[2:], [*lines[3:], ""], strict=False)
    for head, rule, row, after in tables:
        if head.startswith("|") and "-" in rule and _RULE.issuperset(rule):
            if row.startswith("|") and not after.startswith("|"):
                names = map(markdown.heading_name, head.split("|"))
                yield from zip(names, row.split("|"), strict=False)
            return


def _first(value: Value | None) -> str:
    return next(iter(texts(value)), "").strip()


def _file_stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
