"""How records link to each other: names resolved to records, and links turned round."""

import posixpath
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from total_recall.vault import links
from total_recall.vault.node import Node

RELATIONS = ("depends_on", "related", "supersedes", "superseded_by", "links", "called_by")
_OVERVIEWS = frozenset({"index", "readme", "overview", "_meta", "home", "moc"})


class Names:
    """The names that the records of a vault are known by."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._known: dict[str, list[Node]] = {}
        for node in nodes:
            path = node.path.removesuffix(".md")
            for name in dict.fromkeys((node.id, node.stem, path, *node.aliases)):
                self._known.setdefault(name.casefold(), []).append(node)

    def resolve(self, name: str, source: Node) -> Node | None:
        """Give the record that a link in `source` names, or None.

        A relative path starts at the source's folder; of several records of one name the one
        nearest to the source in the tree is meant.
        """
        beside = posixpath.normpath(f"{PurePosixPath(source.path).parent}/{name}").casefold()
        for key in (beside, *links.keys(name)):
            if found := self._known.get(key):
                return max(found, key=lambda node: _shared_folders(node, source))
        return None


def _shared_folders(one: Node, other: Node) -> int:
    return len(posixpath.commonpath([f"/{one.path}", f"/{other.path}"]))


def is_overview(name: str) -> bool:
    """Say whether a link leads to a page that links to everything."""
    return PurePosixPath(name.casefold()).name in _OVERVIEWS


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
