"""Links between notes, in every spelling that people use."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from total_recall.vault.frontmatter import Value, texts

_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_MARKDOWN_LINK = re.compile(
    r"(?<!!)\[[^\[\]\n]*\]\(<?([^()<>#\s]+\.md)(?:#[^()\s]*)?>?(?:\s[^()]*)?\)"
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def in_text(text: str) -> list[str]:
    """Give the targets of a text's wikilinks and of its Markdown links to `.md` files.

    >>> in_text("see [[jobs|the queue]], [[a/b#why]] and [it](../adr/0007-x.md#top)")
    ['jobs', 'a/b', '../adr/0007-x']
    """
    found = [(match.start(), target(match[1])) for match in _WIKILINK.finditer(text)]
    if ".md" in text:
        found += [
            (match.start(), target(unquote(match[1])))
            for match in _MARKDOWN_LINK.finditer(text)
            if not _SCHEME.match(match[1])
        ]
    return _distinct(name for _, name in sorted(found))


def in_value(value: Value | None) -> list[str]:
    """Give the targets that a frontmatter value names: wikilinks, a list, comma text, plain ids.

    >>> in_value("[[a|b]], [[c#d]]"), in_value([["a"], "[[b]]", "c.md"]), in_value("a, b")
    (['a', 'c'], ['a', 'b', 'c'], ['a', 'b'])
    """
    targets: list[str] = []
    for text in texts(value):
        linked = in_text(text)
        targets += linked or (target(part) for part in text.split(","))
    return _distinct(targets)


def target(text: str) -> str:
    """Give what a link names, without alias, heading, brackets and file ending.

    >>> target(" [[dir/a.md#h|b]] ")
    'dir/a'
    """
    name = text.strip().strip("[]\"'").split("|")[0].split("#")[0].strip()
    return name.removesuffix(".md").replace("[[", "").replace("]]", "")


def keys(name: str) -> list[str]:
    """Give the folded names under which a linked note may be known, the whole path first.

    >>> keys("Plans/Auth-JWT"), keys("decision:adr-7")
    (['plans/auth-jwt', 'auth-jwt'], ['decision:adr-7', 'adr-7'])
    """
    whole = name.casefold().removeprefix("./")
    plain = whole.rpartition(":")[2]
    return _distinct([whole, plain, plain.rstrip("/").rpartition("/")[2]])


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))
