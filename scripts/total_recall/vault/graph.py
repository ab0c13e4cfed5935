"""How records link to each other: names resolved to records, and links turned round."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from total_recall.vault import links
from total_recall.vault.frontmatter import texts
from total_recall.vault.node import STATUSES, Node, decoded

RELATIONS = ("depends_on", "related", "supersedes", "superseded_by", "links", "called_by")
# Only files with these bytes can tell of a succession.
_SUCCESSION = (b"supersed", b"superced", b"replaces", b"replaced")
_BY_KEYS = ("superseded_by", "replaced_by")
_OF_KEYS = ("supersedes", "replaces")
# A line that tells it: a bullet, a row, a status, but not the middle of a sentence.
_SUCCESSION_LINE = re.compile(
    r"^[ \t>|*_-]*(?:status[*_]*[ \t]*[:|][ \t*_]*)?(?:~~[^~\n]*~~[ \t*_]*)?"
    rf"(?:(?:{'|'.join(STATUSES)})[*_]*[.,;][ \t*_]*)?"
    r"(?:(?P<by>(?:super[sc]eded|replaced)[*_]*[ \t]+(?:\([^()\n]{1,60}\)[ \t]+)?by)"
    r"|(?P<of>supersedes|replaces))\b(?P<rest>.*)$",
    re.IGNORECASE,
)
# A record of which only a part was superseded still holds.
_PARTLY = re.compile(
    r"[\s:*_|(-]*(?:in part|partial\w*|partly|(?:(?:some|a|the) )?(?:parts?|aspects?|sections?))\b",
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(r"\b(?:adr|rfc)?[-_ #]{0,2}0*(\d{1,4})\b", re.IGNORECASE)

_OVERVIEWS = frozenset({"index", "readme", "overview", "_meta", "home", "moc"})


class Names:
    """The names that the records of a vault are known by."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = tuple(nodes)

    @cached_property
    def _known(self) -> dict[str, list[Node]]:
        known: dict[str, list[Node]] = {}
        for node in self._nodes:
            path = node.path.removesuffix(".md")
            for name in dict.fromkeys((node.id, node.stem, path, *node.aliases)):
                known.setdefault(name.casefold(), []).append(node)
        return known

    @cached_property
    def _numbered(self) -> dict[tuple[str, str], list[Node]]:
        numbered: dict[tuple[str, str], list[Node]] = {}
        for node in self._nodes:
            numbered.setdefault((_shelf(node), node.number), []).append(node)
        return numbered

    def resolve(self, name: str, source: Node) -> Node | None:
        """Give the record that a link in `source` names, or None.

        A relative path starts at the source's folder; of several records of one name the one
        nearest to the source in the tree is meant.
        """
        beside = posixpath.normpath(f"{source.folder}/{name}").casefold()
        for key in (beside, *links.keys(name)):
            if found := self._known.get(key):
                return max(found, key=lambda node: _shared_folders(node, source))
        return None

    def numbered(self, number: str, source: Node) -> Node | None:
        """Give the one record of this number beside `source`, or None."""
        found = self._numbered.get((_shelf(source), number), [])
        return found[0] if len(found) == 1 else None


def _shelf(node: Node) -> str:
    """Give the folder that holds a record's neighbours: one that stands for its folder is that."""
    stands_for_folder = node.folder.rpartition("/")[2] == node.stem
    return node.folder.rpartition("/")[0] if stands_for_folder else node.folder


def _shared_folders(one: Node, other: Node) -> int:
    return len(posixpath.commonpath([f"/{one.path}", f"/{other.path}"]))


def is_overview(name: str) -> bool:
    """Say whether a link leads to a page that links to everything."""
    return name.casefold().rpartition("/")[2] in _OVERVIEWS


def outgoing(node: Node) -> dict[str, list[str]]:
    """Give the link targets of a node by relation, in its own spelling; `links` are the body's."""
    found = {relation: node.linked(relation) for relation in RELATIONS}
    named = {name for names in found.values() for name in names}
    found["links"] += [name for name in node.body_links if name not in named | set(found["links"])]
    return {relation: names for relation, names in found.items() if names}


def incoming(targets: Sequence[Node], nodes: Iterable[Node], names: Names) -> dict[str, list[str]]:
    """Give, by a target's path, the ids of the other records that link to it in any relation."""
    paths = {node.path for node in targets}
    found: dict[str, list[str]] = {path: [] for path in paths}
    for node in nodes:
        if is_overview(node.stem):
            continue
        linked = (names.resolve(name, node) for each in outgoing(node).values() for name in each)
        for path in {target.path for target in linked if target} & paths - {node.path}:
            found[path].append(node.id)
    return found


def dependencies(nodes: Sequence[Node], names: Names) -> tuple[list[Node], list[str]]:
    """Give the records that these depend on, one step deep and without repeats, and dead links."""
    seen = {node.path for node in nodes}
    found: list[Node] = []
    dead: list[str] = []
    for node in nodes:
        for name in node.linked("depends_on"):
            target = names.resolve(name, node)
            if target is None:
                dead.append(name)
            elif target.path not in seen:
                seen.add(target.path)
                found.append(target)
    return found, list(dict.fromkeys(dead))


def with_successors(nodes: Sequence[Node], names: Names) -> list[Node]:
    """Give the nodes, each superseded one with the id of its successor.

    What a newer record says of an older one counts as well, since the older often still says
    accepted. Links that resolve to no record tell nothing; of two that claim to supersede each
    other the older one gives way.
    """
    successors: dict[str, Node] = {}
    for node in nodes:
        lowered = node.source.lower()
        if any(word in lowered for word in _SUCCESSION):
            for old, new in _successions(node, names):
                rival = successors.get(new.path)
                if old.path != new.path and not (rival is old and _is_older(new, old)):
                    successors[old.path] = new
                    if rival is old:
                        del successors[new.path]
    return [
        replace(node, successor=successors[node.path].id) if node.path in successors else node
        for node in nodes
    ]


def _successions(node: Node, names: Names) -> Iterator[tuple[Node, Node]]:
    """Give the (older, newer) pairs that a record tells of, itself being one of each."""
    for key in _BY_KEYS:
        yield from ((node, new) for new in _resolved(node.linked(key), node, names))
    for key in _OF_KEYS:
        yield from ((old, node) for old in _resolved(node.linked(key), node, names))
    for told in (*texts(node.meta.get("status")), *_told(node)):
        line = _SUCCESSION_LINE.match(told)
        if not line or _PARTLY.match(line["rest"]):
            continue
        linked = _resolved(links.in_text(line["rest"]), node, names)
        if not linked and (number := _PLAIN_NUMBER.match(line["rest"].strip(" \t:*_[(|"))):
            known = names.numbered(number[1], node)
            linked = [known] if known else []
        for other in linked:
            yield (node, other) if line["by"] else (other, node)


def _told(node: Node) -> Iterator[str]:
    """Give the lines that may tell of a succession, found by their bytes and outside comments."""
    lowered = node.source.lower()
    starts = set()
    for word in _SUCCESSION:
        at = lowered.find(word)
        while at >= 0:
            starts.add(lowered.rfind(b"\n", 0, at) + 1)
            at = lowered.find(word, at + 1)
    for start in sorted(starts):
        end = lowered.find(b"\n", start)
        line = decoded(node.source[start : end if end >= 0 else len(lowered)]).rstrip("\n")
        if _SUCCESSION_LINE.match(line) and line in node.body:
            yield line


def _resolved(targets: Iterable[str], source: Node, names: Names) -> list[Node]:
    return [found for target in targets if (found := names.resolve(target, source))]


def _is_older(one: Node, other: Node) -> bool:
    return bool(one.day and other.day and one.day < other.day)
