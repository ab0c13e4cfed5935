"""Which other words mean the same, or belong to the same topic."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from total_recall import files, safeyaml, words
from total_recall.safeyaml import FaultyYamlError

if TYPE_CHECKING:
    import yaml

# What `synonyms.yaml` says, as a test holds it to. Loading YAML takes longer than a whole search.
_PACKAGED = Path(__file__).with_name("synonyms.json")
MOST_BYTES = 256 * 1024

_NAMES = ("aliases", "stopwords", "groups")
_GROUP_NAMES = ("triggers", "expands", "not", "source")
_MISSING = {"", "~", "null"}


@dataclass(frozen=True)
class Group:
    """A topic: a query with one of the `triggers` also asks for the names that it `expands` to.

    They do not count inside one of the phrases in `unless`.
    """

    triggers: tuple[str, ...] = ()
    expands: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True)
class Synonyms:
    """The words that a search adds to those of a query, and those that it leaves out.

    A row of `aliases`, its key included, is one thing under several names. Aliases and
    `stopwords` are folded single words.
    """

    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stopwords: frozenset[str] = frozenset()
    groups: Mapping[str, Group] = field(default_factory=dict)


def packaged() -> Synonyms:
    """Give the synonyms that come with the package."""
    # A link, where an installer shares the files of packages.
    held = json.loads(files.read(_PACKAGED.resolve(), most=MOST_BYTES))
    return Synonyms(
        {name: tuple(others) for name, others in held["aliases"].items()},
        frozenset(held["stopwords"]),
        {
            name: Group(*(tuple(group[part]) for part in ("triggers", "expands", "unless")))
            for name, group in held["groups"].items()
        },
    )


def merged(own: Synonyms, extra: Synonyms) -> Synonyms:
    """Give both; lists of the same name are joined."""
    aliases = dict(own.aliases)
    for name, others in extra.aliases.items():
        aliases[name] = _joined(aliases.get(name, ()), others)
    groups = dict(own.groups)
    for name, group in extra.groups.items():
        known = groups.get(name, Group())
        groups[name] = Group(
            _joined(known.triggers, group.triggers),
            _joined(known.expands, group.expands),
            _joined(known.unless, group.unless),
        )
    return Synonyms(aliases, own.stopwords | extra.stopwords, groups)


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one + other))


def parse(text: str) -> Synonyms:
    """Give what a file of synonyms says.

    Raises FaultyYamlError, which tells the line, for YAML that we do not follow and for what is
    not in the format: aliases (a map of words to words), stopwords (words) and groups (a map of
    maps with triggers, expands and not, all phrases, and a source).

    >>> parse("aliases: {db: [database]}").aliases
    {'db': ('database',)}
    >>> parse("aliases:\\n  ci: [continuous integration]")
    Traceback (most recent call last):
        ...
    total_recall.safeyaml.FaultyYamlError: line 2: 'continuous integration' is not one word
    """
    parts = _members(safeyaml.composed(text), "the file", _NAMES)
    return Synonyms(
        {
            _word(key): tuple(_word(each) for each in _scalars(value, key.value))
            for key, value in _pairs(parts.get("aliases"), "aliases")
        },
        frozenset(_word(each) for each in _scalars(parts.get("stopwords"), "stopwords")),
        {
            key.value: _group(value, key.value)
            for key, value in _pairs(parts.get("groups"), "groups")
        },
    )


def _group(node: "yaml.Node", name: str) -> Group:
    parts = _members(node, name, _GROUP_NAMES)
    return Group(
        *(
            tuple(_phrase(each) for each in _scalars(parts.get(part), part))
            for part in ("triggers", "expands", "not")
        )
    )


def _members(
    node: "yaml.Node | None", name: str, allowed: tuple[str, ...]
) -> dict[str, "yaml.Node"]:
    """Give the values of a map by their names."""
    found: dict[str, yaml.Node] = {}
    for key, value in _pairs(node, name):
        if key.value not in allowed:
            raise FaultyYamlError.at(key, f"{key.value!r} is none of {', '.join(allowed)}")
        found[key.value] = value
    return found


def _pairs(node: "yaml.Node | None", name: str) -> Iterator[tuple["yaml.ScalarNode", "yaml.Node"]]:
    """Give the keys and values of a map, of which nothing may be said twice."""
    import yaml

    if node is None or _is_missing(node):
        return
    if not isinstance(node, yaml.MappingNode):
        raise FaultyYamlError.at(node, f"{name} must be a map")
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise FaultyYamlError.at(key, f"a key of {name} is no text")
        if (folded := words.fold(key.value)) in seen:
            raise FaultyYamlError.at(key, f"the key {key.value!r} stands twice")
        seen.add(folded)
        yield key, value


def _scalars(node: "yaml.Node | None", name: str) -> Iterator["yaml.ScalarNode"]:
    """Give the items of a list, or the one thing that stands in its place."""
    import yaml

    if node is None:
        return
    for item in node.value if isinstance(node, yaml.SequenceNode) else [node]:
        if not isinstance(item, yaml.ScalarNode):
            raise FaultyYamlError.at(item, f"{name} must be a list of texts")
        if not _is_missing(item):
            yield item


def _is_missing(node: "yaml.Node") -> bool:
    import yaml

    return isinstance(node, yaml.ScalarNode) and not node.style and node.value in _MISSING


def _word(node: "yaml.ScalarNode") -> str:
    folded = words.fold(node.value)
    if words.compounds(folded) != [folded]:
        raise FaultyYamlError.at(node, f"{node.value!r} is not one word")
    return folded


def _phrase(node: "yaml.ScalarNode") -> str:
    if not words.compounds(node.value):
        raise FaultyYamlError.at(node, f"{node.value!r} holds no word")
    return str(node.value)
