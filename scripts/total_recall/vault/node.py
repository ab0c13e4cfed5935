"""One record of the vault: what it is, and what it says of itself."""

import datetime
import re
from collections.abc import Mapping
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
_FACT = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+|\|[ \t]*)?[*_]{0,3}(?P<name>status|date)[*_]{0,3}"
    r"[ \t]*[:|][*_]{0,3}[ \t]*"
    r"(?P<value>[^|\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
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
        if given := _first(self.meta.get("type")).casefold():
            return _TYPE_ALIASES.get(given, given)
        folders = (self.home, *self.folder.split("/"))
        for folder in reversed(folders):
            if folder.casefold() in FOLDER_TYPES:
                return FOLDER_TYPES[folder.casefold()]
        return "decision" if self.has_decision else "note"

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
        given = [
            part.strip().lstrip("#@")
            for text in texts(self.meta.get("tags") or self.meta.get("tag"))
            for part in re.split(r"[,\s]+", text)
        ]
        found = given + (inline_tags(self.body) if "#" in self.body else [])
        first: dict[str, str] = {}
        for tag in filter(None, found):
            first.setdefault(tag.casefold(), tag)
        return tuple(first.values())

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
        for text in (fields.from_meta(self.meta, "status"), self._facts.get("status", "")):
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
        for text in (*given, self._facts.get("date", ""), self.stem):
            if text and (found := dates.day(text)):
                return found
        return None

    @cached_property
    def _facts(self) -> dict[str, str]:
        """The first `Status:` and `Date:` line, bullet or table row of the body."""
        found: dict[str, str] = {}
        if not _FACT.search(self.body):
            return found
        for line in _FACT.finditer(markdown.without_fences(self.body)):
            found.setdefault(line["name"].casefold(), line["value"].strip(" *_"))
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
    prose = _NOT_PROSE.sub(" ", markdown.without_code(body))
    found = (tag.strip("/-") for tag in _INLINE_TAG.findall(prose))
    return [tag for tag in found if tag and not tag.isdigit()]


def status_in(text: str) -> str:
    """Give the status that a text begins with, or "".

    >>> status_in("**Superceded** by [ADR 3](0003.md)"), status_in("see below")
    ('superseded', '')
    """
    word = _WORD.search(text.casefold())
    return STATUSES.get(word[0], "") if word else ""


def _first(value: Value | None) -> str:
    return next(iter(texts(value)), "").strip()


def _file_stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
