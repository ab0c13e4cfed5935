"""Which records a query means: the rungs of the ladder, the first one with a hit wins."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from total_recall import suggest, words
from total_recall.matching import Matcher, query_terms
from total_recall.vault import intents, links, rank, respell
from total_recall.vault.node import FOLDER_TYPES, Node

BY_ID = "id"  # the first rung
SEARCH = "search"  # the last one, by words
MOST_RANKED = 20  # more than that is no answer but a list to search again
MOST_NAMED = 20

# Words that make a query a question rather than a name.
QUESTION_WORDS = frozenset(
    "why how what does do is are was has have who when where which rejected reject rejecting "
    "constraint constraints tried".split()
)
KEYWORDS = {
    "decisions": "decision",
    "discoveries": "discovery",
    "sessions": "session",
    "work": "work",
}
_CANVAS_WORDS = frozenset(
    "plan plans steps tasks phases roadmap milestones design architecture research scaffold "
    "blueprint canvas work".split()
)
_TYPE_ORDER = {"decision": 0, "discovery": 1, "session": 2, "work": 4}
_NUMBERED = re.compile(r"([a-z]*)[-_ ]?0*(\d+)")
_SHORTEST_PART = 5  # letters of a word that may stand for the whole: `auth` is not `author`


@dataclass(frozen=True)
class Hit:
    """A node that answers, and why; no reason where the rung says it all.

    `label` says whether it adopted, rejected or only mentions what was asked for, `line` what
    in it answers the question, "" if the usual view does.
    """

    node: Node
    reasons: tuple[str, ...] = ()
    label: str = ""
    line: str = ""


@dataclass(frozen=True)
class Answer:
    """The ordered hits, the rung that gave them ("" for none), and how many there are in all."""

    query: str
    rung: str
    hits: tuple[Hit, ...]
    total: int


@dataclass(frozen=True)
class Rung:
    """A stage of the search."""

    name: str
    climb: Callable[[str, Sequence[Node]], list[Node]]


def climb(query: str, nodes: Sequence[Node], *, limit: int | None = None) -> Answer:
    """Give the answer of the first rung that has one.

    Names (id, tag, file name) list all they mean; the search by words gives the best 20.
    `limit` asks for another number of hits.
    """
    name = named(query)
    for rung in LADDER:
        if named_nodes := rung.climb(name, nodes):
            listed = behind_successors([Hit(node) for node in sorted(named_nodes, key=_listed)])
            return Answer(query, rung.name, tuple(listed[:limit]), len(listed))
    most = most_listed(query, SEARCH, len(nodes)) if limit is None else limit
    found, total = ranked(query, nodes, most=most)
    hits = tuple(behind_successors(found))
    return Answer(query, SEARCH if hits else "", hits, total)


def most_listed(query: str, rung: str, total: int) -> int:
    """Give how many hits of a rung are listed when nobody asks for another number.

    Of what was tried all are: "never" would be the wrong answer if one were left out.
    """
    if rung == SEARCH and intents.intent_of(query) != "tried":
        return min(MOST_RANKED, total)
    return total


def behind_successors(hits: Sequence[Hit]) -> list[Hit]:
    """Give the hits with each superseded one somewhere behind its successor, if that is there."""
    waiting: dict[str, list[Hit]] = {}
    ids = {hit.node.id for hit in hits}
    placed: list[Hit] = []
    for hit in hits:
        successor = hit.node.successor
        if successor in ids and all(each.node.id != successor for each in placed):
            waiting.setdefault(successor, []).append(hit)
            continue
        ready = [hit]
        while ready:
            placed.append(ready.pop(0))
            ready = waiting.pop(placed[-1].node.id, []) + ready
    return placed + [hit for held in waiting.values() for hit in held]


def named(query: str) -> str:
    """Give a query without the brackets of a link.

    >>> named(" [[adr-7|the seventh]] "), named("why JWT")
    ('adr-7', 'why JWT')
    """
    text = " ".join(query.split())
    return links.target(text) if text.startswith("[[") else text


def is_question(query: str) -> bool:
    """Say whether a query asks in words rather than by name."""
    return not QUESTION_WORDS.isdisjoint(words.fold(word) for word in words.compounds(query))


def by_id(name: str, nodes: Sequence[Node]) -> list[Node]:
    """Give the nodes of exactly this id, `type:id`, path, or number.

    An id that is only a file's name yields to a tag of that name, as `auth` means the tag.
    """
    if " " in name or name.startswith(("@", "#")) or is_question(name):
        return []
    kind, _, rest = name.rpartition(":")
    wanted_type = FOLDER_TYPES.get(kind.casefold(), kind.casefold())
    pool = [node for node in nodes if not kind or node.type == wanted_type]
    wanted = (rest or name).removesuffix(".md")
    folded = wanted.casefold()
    if exact := [node for node in pool if node.given_id == wanted]:
        return exact
    if same := [node for node in pool if node.given_id.casefold() == folded]:
        return same
    if kind or not by_tag(name, nodes):
        if files := [node for node in pool if _file_is(node, folded)]:
            return files
        if kind and (
            inside := [node for node in pool if f"/{folded}/" in f"/{node.path}".casefold()]
        ):
            return inside
    return _by_number(folded, pool)


def _file_is(node: Node, folded: str) -> bool:
    path = node.path.casefold().removesuffix(".md")
    return folded in (node.id.casefold(), node.stem.casefold(), path)


def _by_number(folded: str, pool: Sequence[Node]) -> list[Node]:
    """Give the one node with this number; two of a number are nobody's id."""
    asked = _NUMBERED.fullmatch(folded)
    if not asked:
        return []
    prefix, number = asked.groups()
    found = [
        node
        for node in pool
        if node.number == number and _prefix(node) in ("", prefix or _prefix(node))
    ]
    return found if len(found) == 1 else []


def _prefix(node: Node) -> str:
    found = re.match(r"[a-z]*(?=[-_ ]?\d)", node.id.casefold())
    return found[0] if found else ""


def by_tag(name: str, nodes: Sequence[Node]) -> list[Node]:
    """Give the nodes with a tag, `a/b` under `a` too; `decisions` and its like name their type."""
    if " " in name or is_question(name):
        return []
    if name.casefold() in KEYWORDS:
        return [node for node in nodes if node.type == KEYWORDS[name.casefold()]]
    tag = name.lstrip("@#").casefold().strip("/")
    if not tag:
        return []
    return [node for node in nodes if _has_tag(node, tag)]


def _has_tag(node: Node, tag: str) -> bool:
    inline = f"#{tag}".encode("utf-8", "replace")
    # The tags of a body are looked for only where they can be.
    may_be_inline = not tag.isascii() or inline in node.source.lower()
    tags = node.tags if may_be_inline else node.given_tags
    return any(f"{has.casefold()}/".startswith(f"{tag}/") for has in tags)


def by_file_name(name: str, nodes: Sequence[Node]) -> list[Node]:
    """Give the nodes whose file name, alias or plan folder is the query, holds it, or a part of it.

    Two words apart must be the whole name; a part of a word must have five letters.
    """
    sought = _name_words(name.lstrip("@#"))
    if not sought or is_question(name) or len(name.split()) > 2:
        return []
    names = [(node, [_name_words(each) for each in _names(node)]) for node in nodes]
    if same := [node for node, known in names if sought in known]:
        return same
    if " " in name:
        return []
    if holding := [node for node, known in names if any(_holds(each, sought) for each in known)]:
        return holding if len(holding) <= MOST_NAMED else []
    part = "-".join(sought)
    if len(part) < _SHORTEST_PART:
        return []
    partly = [node for node, known in names if any(part in "-".join(each) for each in known)]
    return partly if len(partly) <= MOST_NAMED else []


def _names(node: Node) -> list[str]:
    names = [node.stem, *node.aliases]
    if node.path.startswith("work/"):
        names.append(node.folder.rpartition("/")[2])
    return names


def _name_words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", words.fold(name)))


def _holds(known: tuple[str, ...], sought: tuple[str, ...]) -> bool:
    size = len(sought)
    return any(known[at : at + size] == sought for at in range(len(known) - size + 1))


def ranked(query: str, nodes: Sequence[Node], *, most: int) -> tuple[list[Hit], int]:
    """Give the best nodes by the words and the intent of a query, and how many answer it.

    If none answers the intent, those that hold the words do. A term that no node holds is looked
    for as the nearest word that one does. Plans of work are searched when a
    word asks for them, or when nothing else answers.
    """
    intent = intents.intent_of(query)
    asking = words.STOP_WORDS | QUESTION_WORDS | intents.telling_words(intent)
    matcher = Matcher(query_terms(query, dropped=asking))
    if not matcher.terms:
        return [], 0
    held = rank.held_by(matcher, nodes)
    found = {number for _, numbers in held for number in numbers}
    meant = respell.respelled(matcher.terms, found, nodes)
    if meant != matcher.terms:
        matcher = Matcher(meant)
        held = rank.held_by(matcher, nodes)
    others = [(node, numbers) for node, numbers in held if node.filed_type != "work"]
    wants_work = not _CANVAS_WORDS.isdisjoint(term.word for term in matcher.terms)
    for pool in (held,) if wants_work else (others, held):
        hits, total = _answering(intent, matcher, pool, most=most)
        if hits:
            return hits[:most], total
    return [], 0


def _answering(
    intent: str, matcher: Matcher, nodes: Sequence[rank.Held], *, most: int
) -> tuple[list[Hit], int]:
    """Give the nodes that answer an intent, best first; if none does, those with the words.

    For what was rejected and what binds, nodes with fewer of the words are only asked if none
    with more of them answers.
    """
    for enough in (most, len(nodes)):
        scored, total = rank.search(matcher, nodes, most=enough)
        found = [(one, intents.finding(intent, matcher, one.node)) for one in scored]
        answering = [(one, how) for one, how in found if how is not None]
        if answering or len(scored) == total:
            break
    if not answering:
        return [Hit(one.node, one.reasons) for one in scored], total
    # These ask for one thing, so the words decide first; the others collect by place.
    words_first = intent in ("rationale", "constraint", intents.TOPIC)
    ordered = sorted(
        enumerate(answering),
        key=lambda each: (-each[1][0].coverage if words_first else 0, each[1][1].tier, each[0]),
    )
    hits = [Hit(one.node, one.reasons, how.label, how.line) for _, (one, how) in ordered]
    return hits, total if len(answering) == len(scored) else len(hits)


def _listed(node: Node) -> tuple[int, bool, int, str, str]:
    """Order a list: by type, what holds before what held, newest first, then by id."""
    past = rank.is_past(node)
    newest_first = -(node.day.toordinal() if node.day else 0)
    return _TYPE_ORDER.get(node.type, 3), past, newest_first, node.id, node.path


def suggestions(query: str, nodes: Sequence[Node]) -> list[str]:
    """Give up to three tags, ids or words of titles that may have been meant."""
    tags = {tag.casefold() for node in nodes for tag in node.tags}
    ids = {name.casefold() for node in nodes for name in (node.id, node.stem)}
    titles = {words.fold(word) for node in nodes for word in words.compounds(node.title)}
    sought = words.fold(named(query).lstrip("@#"))
    pool = tags | ids | titles
    close = suggest.near(sought, pool)
    for word in words.compounds(sought):
        close += suggest.near(word, titles | tags)
    if len(sought) > 1:
        close += sorted(name for name in tags | ids if name.startswith(sought) and name != sought)
    return list(dict.fromkeys(close))[:3]


def commonest_tags(nodes: Sequence[Node], most: int = 10) -> list[str]:
    """Give the tags on most nodes, commonest first, ties by name."""
    counted = Counter(tag.casefold() for node in nodes for tag in node.tags)
    return sorted(counted, key=lambda tag: (-counted[tag], tag))[:most]


def newest_ids(nodes: Sequence[Node], most: int = 20) -> list[str]:
    """Give the ids of the newest nodes, undated ones last."""
    dated = sorted(nodes, key=lambda node: (-(node.day.toordinal() if node.day else 0), node.id))
    return [node.id for node in dated[:most]]


LADDER = (Rung(BY_ID, by_id), Rung("tag", by_tag), Rung("file", by_file_name))
