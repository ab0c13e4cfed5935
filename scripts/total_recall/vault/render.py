"""Answers as text and as values for JSON: one node, several, a tree, a count."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from total_recall import tokens
from total_recall.output import one_line, prefixed, quoted
from total_recall.vault import canvas, choice, graph, options
from total_recall.vault.compress import brief
from total_recall.vault.ladder import Answer, Hit
from total_recall.vault.node import Node

# The cost that the seed's template gives a node, before anything is measured.
COMPRESSED_COST = 20
FULL_COST = 120

# How many words a fact gets: alone, and beside other nodes, of which a reader wants to choose.
ALONE_WORDS = 30
AMONG_WORDS = 14
ANSWER_WORDS = 45  # the line that answers the question itself

_ARRAYS = ("depends_on", "related", "supersedes", "superseded_by")
_CURRENT = frozenset({"", "accepted", "approved", "active", "implemented"})
_MORE = "with a larger --budget or --limit"
_LEAD = re.compile(r"(?:chosen|selected) (?:option|solution)(?: is)?:\s*", re.IGNORECASE)
_SMALLEST_HIT = 12  # tokens of a number, a type, an id and a line
_CUT_COST = 10  # what the line that marks a cut takes


@dataclass(frozen=True)
class Page:
    """A printed answer: its text, the size of that in tokens, and the hits that it shows."""

    text: str
    size: int
    shown: tuple[Hit, ...]


@dataclass(frozen=True)
class Extras:
    """What goes with an answer: dependencies, dead links, one node to expand, plan sections.

    `remarks` are lines about plans that could not be shown.
    """

    dependencies: tuple[Node, ...] = ()
    dead_links: tuple[str, ...] = ()
    expanded: Node | None = None
    sections: tuple[canvas.Section, ...] = ()
    remarks: tuple[str, ...] = ()


NO_EXTRAS = Extras()


def compressed(answer: Answer, budget: int, extras: Extras = NO_EXTRAS) -> Page:
    """Give the compressed view: a few lines a node, cut to the budget in tokens."""
    return _listing(answer, budget, extras, "compressed", _compressed_lines)


def full(answer: Answer, budget: int, extras: Extras = NO_EXTRAS) -> Page:
    """Give every node's whole file, each line prefixed, cut to the budget in tokens."""
    return _listing(answer, budget, extras, "full", _full_lines)


def _listing(
    answer: Answer,
    budget: int,
    extras: Extras,
    mode: str,
    lines_of: Callable[[Hit, int], list[str]],
) -> Page:
    single = answer.total == 1
    repeated = _repeated_ids(answer.hits)
    blocks: list[list[str]] = []
    least = 0  # what the blocks need at least; hits that cannot fit are not worked out
    for number, hit in enumerate(answer.hits, 1):
        if budget and least > budget:
            break
        lines = lines_of(hit, ALONE_WORDS if single else AMONG_WORDS)
        if hit.node.id in repeated:
            lines.insert(0, f"path: {one_line(hit.node.path)}")
        if why := [*filter(None, [hit.label]), *hit.reasons]:
            lines.append("match: " + " ".join(one_line(reason) for reason in why))
        name = _single_head(hit.node) if single else f"{number} {_cluster_head(hit.node)}"
        indent = "" if single or mode == "full" else "  "
        blocks.append([name, *(indent + line for line in lines)])
        least += tokens.estimate("\n".join(blocks[-1][:2]))
    head = [] if single else [f"recall:{one_line(answer.query)} {answer.total}nodes"]
    after = [] if single else [_next_commands(answer)]
    # The hits and each kind of extra get an equal part of the budget.
    kinds = (extras.sections, extras.dependencies or extras.dead_links, extras.expanded)
    part = budget // (1 + sum(map(bool, kinds)))
    canvases, canvas_note = _canvas_lines(extras, part)
    tail = [*canvases, *_extra_lines(extras, part), *after]
    return _page(answer, mode, budget, head, blocks, tail, canvas_note)


def _page(
    answer: Answer,
    mode: str,
    budget: int,
    head: list[str],
    blocks: list[list[str]],
    tail: list[str],
    note: str = "",
) -> Page:
    """Give the blocks, one a hit, cut so that all that is printed keeps to the budget."""
    single = answer.total == 1 and mode != "trace"
    footer = _footer(answer, mode, 1000, single=single) + note
    room = max(1, budget - tokens.estimate(footer) - 1)
    allowed = 0 if budget == 0 else room
    while True:
        kept = _fitted(blocks, allowed)
        left = answer.total - len(kept)
        cut = [f"cut: {len(kept)} of {answer.total} shown, {left} more {_MORE}"] if left else []
        body = "\n".join([*head, *(line for block in kept for line in block), *cut, *tail])
        size = tokens.estimate(body)
        if budget == 0 or size <= room or allowed == 1:
            footer = _footer(answer, mode, size, single=single) + note
            return Page(f"{body}\n{footer}", size, answer.hits[: len(kept)])
        # What stands around the hits, and what rounding lost, is taken from the hits' share.
        allowed = max(1, allowed - (size - room))


def most_hits(budget: int) -> int | None:
    """Give how many hits can be shown within a budget at the very most, None for no bound."""
    return budget // _SMALLEST_HIT + 1 if budget else None


def _repeated_ids(hits: Sequence[Hit]) -> set[str]:
    many = Counter(hit.node.id for hit in hits)
    return {one for one, times in many.items() if times > 1}


def _fitted(blocks: list[list[str]], budget: int) -> list[list[str]]:
    """Give the blocks that fit: the last ones drop whole, then each is cut to its share."""
    costs: list[list[int]] = []
    least: list[int] = []
    for block in blocks:
        costs.append([tokens.estimate(line + "\n") for line in block])
        least.append(min(sum(costs[-1]), sum(costs[-1][:2]) + _CUT_COST))
        if budget and sum(least) > budget:
            break
    shares = tokens.share(least, [sum(cost) for cost in costs], budget)
    return [
        _fitted_block(block, cost, share)
        for block, cost, share in zip(blocks, costs, shares, strict=False)
    ]


def _fitted_block(block: list[str], costs: list[int], share: int) -> list[str]:
    if sum(costs) <= share:
        return block
    used = _CUT_COST
    for kept, cost in enumerate(costs):
        used += cost
        if used > share and kept > 0:
            more = len(block) - kept
            return [*block[:kept], f"[… {more} more lines, ~{sum(costs[kept:])}t: --budget 0]"]
    return block


def _single_head(node: Node) -> str:
    status = f"·{node.status}" if node.status else ""
    return f"{one_line(node.id)} [{one_line(node.type)}{status}]{_tags(node)}"


def _cluster_head(node: Node) -> str:
    status = "" if node.status in _CURRENT else f" [{node.status}]"
    return f"{one_line(node.type)}:{one_line(node.id)}{status}{_tags(node)}"


def _tags(node: Node) -> str:
    return "".join(f" #{one_line(tag)}" for tag in node.tags)


def _compressed_lines(hit: Hit, most: int) -> list[str]:
    facts = summary(hit.node, most)
    lines = [f"⚠ superseded by {one_line(hit.node.successor)}"] if hit.node.successor else []
    lines.append(facts.pop("one_liner"))
    if hit.line:
        name, _, told = hit.line.partition(": ")
        facts = {name: one_line(brief(told, ANSWER_WORDS))} | {
            other: text for other, text in facts.items() if other != name
        }
    elif hit.label == "rejected" and "rejected" in facts:
        facts = {"rejected": facts["rejected"]} | facts
    lines += [f"{name}: {text}" for name, text in facts.items()]
    arrays = ((relation, hit.node.linked(relation)) for relation in _ARRAYS)
    lines += [f"{relation}: {_wikilinks(names)}" for relation, names in arrays if names]
    return [line for line in lines if line]


def summary(node: Node, most: int = ALONE_WORDS) -> dict[str, str]:
    """Give a node's one-liner and, for a decision, what it decided, rejected and causes.

    Each is one line, what the node decided of at most so many words; what it does not say is
    left out.
    """
    facts = {"one_liner": brief(node.compressed or node.title, ALONE_WORDS)}
    if node.type == "decision":
        facts["decided"] = brief(_LEAD.sub("", node.field("decision")), most, is_prose=True)
        facts |= _weighed(node, most)
        facts["consequences"] = brief(node.field("consequences"), most, is_prose=True)
    lines = {name: one_line(text) for name, text in facts.items()}
    return {name: text for name, text in lines.items() if text or name == "one_liner"}


def _weighed(node: Node, most: int) -> dict[str, str]:
    """Give what a decision rejected, and what it considered if it does not tell what it took."""
    rejected = options.options(node.field("rejected"))
    considered = options.options(node.field("considered"))
    left = choice.without_chosen(considered, node.field("decision"))
    rejected += left or []
    return {
        "rejected": _names(rejected, most) or brief(node.field("rejected"), most, is_prose=True),
        "considered": _names(considered, most) if left is None else "",
    }


def _names(found: Sequence[options.Option], most: int) -> str:
    whole = most >= ALONE_WORDS
    return brief("; ".join(option.text if whole else option.name for option in found), most)


def _full_lines(hit: Hit, _: int = 0) -> list[str]:
    mark = [f"⚠ superseded by {one_line(hit.node.successor)}"] if hit.node.successor else []
    return mark + prefixed(hit.node.text.rstrip("\n")).split("\n")


def _wikilinks(names: Sequence[str]) -> str:
    return " ".join(f"[[{one_line(name)}]]" for name in names)


def _canvas_lines(extras: Extras, budget: int) -> tuple[list[str], str]:
    """Give the plan sections, within a budget, and what the footer says of them."""
    lines: list[str] = []
    notes: list[str] = []
    left = budget
    for section in extras.sections:
        whole = [f"## Canvas: {section.name}", *prefixed(section.text).split("\n")]
        block = whole if budget == 0 else _within(whole, max(1, left))
        block = [*block, f"origin: {one_line(section.origin)}"]
        cost = tokens.estimate("\n".join(block))
        left -= cost
        lines += block
        notes.append(f" · canvas: +{cost}t ({section.name} from {one_line(section.origin)})")
    return [*lines, *map(one_line, extras.remarks)], "".join(notes)


def _extra_lines(extras: Extras, budget: int) -> list[str]:
    """Give the dependencies and the expanded node, each within a budget."""
    below: list[str] = []
    for node in extras.dependencies:
        below.append(f"  {_cluster_head(node)}")
        below += [f"    {line}" for line in _compressed_lines(Hit(node), AMONG_WORDS)]
    if extras.dead_links:
        below.append(f"  unresolved: {_wikilinks(extras.dead_links)}")
    whole: list[str] = []
    if extras.expanded:
        whole = [f"Expanded {_cluster_head(extras.expanded)}", *_full_lines(Hit(extras.expanded))]
    parts = (["Dependencies", *below] if below else [], whole)
    return [line for part in parts for line in (_within(part, budget) if budget else part)]


def _within(lines: list[str], budget: int) -> list[str]:
    """Give the lines that a budget has room for, the first one in any case."""
    return _fitted_block(lines, [tokens.estimate(line + "\n") for line in lines], budget)


def _next_commands(answer: Answer) -> str:
    query = quoted(one_line(answer.query))
    return f"→ {quoted(answer.hits[0].node.id)} --full | {query} --deps | {query} --trace"


def _footer(answer: Answer, mode: str, size: int, *, single: bool) -> str:
    parts = [f"recall done · {answer.total}nodes · ~{size}t · mode:{mode} · rung:{answer.rung}"]
    if single:
        node = answer.hits[0].node
        command = "--deps" if mode == "full" else "--full"
        parts.append(one_line(node.path))
        parts.append(f"next: {quoted(one_line(node.id))} {command}")
    return " · ".join(parts)


def tree(
    answer: Answer,
    budget: int,
    extras: Extras,
    nodes: Sequence[Node],
    names: graph.Names,
) -> Page:
    """Give ids and links only, one branch a relation; dependencies are further roots."""
    targets = [*(hit.node for hit in answer.hits), *extras.dependencies]
    backward = graph.incoming(targets, nodes, names)
    blocks = [_branches(node, backward[node.path]) for node in targets]
    head = [f"tree:{one_line(answer.query)}"]
    many = len(answer.hits)
    tail = [line for block in blocks[many:] for line in block]
    return _page(answer, "trace", budget, head, blocks[:many], tail)


def _branches(node: Node, linked_by: list[str]) -> list[str]:
    links = {
        relation: [name for name in found if not graph.is_overview(name)]
        for relation, found in graph.outgoing(node).items()
    }
    texts = [
        f"{relation}:" + "".join(f"[[{one_line(name)}]]" for name in found)
        for relation, found in (links | {"linked-by": linked_by}).items()
        if found
    ]
    branches = [f"├─{text}" for text in texts[:-1]] + [f"└─{text}" for text in texts[-1:]]
    return [f"{one_line(node.type)}:{one_line(node.id)}", *branches]


def count(answer: Answer, sizes: dict[str, int]) -> str:
    """Give the seed's estimate by the number of nodes, then the measured size of each view."""
    kinds = ", ".join(f"{name}: {many}" for name, many in counts(answer.hits).items())
    measured = " · ".join(f"{mode} ~{size}" for mode, size in sizes.items())
    return (
        f"/realm-recall {one_line(answer.query)} --count\n"
        "\n"
        f"  Matched nodes: {answer.total}  ({kinds})\n"
        "\n"
        f"  Cost if compressed (default): ~{answer.total * COMPRESSED_COST} tokens\n"
        f"  Cost if --full:               ~{answer.total * FULL_COST} tokens\n"
        "  Cost if --trace:              <10 tokens\n"
        "\n"
        "Run without --count to pull content.\n"
        f"Measured: {measured} tokens"
    )


def counts(hits: Sequence[Hit]) -> dict[str, int]:
    """Give how many hits there are of each type that the template names, and `other` if any."""
    by_type = {"decisions": "decision", "discoveries": "discovery", "sessions": "session"}
    found = {name: sum(hit.node.type == kind for hit in hits) for name, kind in by_type.items()}
    other = len(hits) - sum(found.values())
    return found | {"other": other} if other else found


def nothing(query: str, tags: Sequence[str], ids: Sequence[str], near: Sequence[str]) -> str:
    """Give what to try when no record answers: near names, common tags, new ids."""
    lines = [f"recall:{one_line(query)} 0nodes"]
    if near:
        lines.append("did you mean: " + " | ".join(quoted(one_line(name)) for name in near))
    if tags:
        lines.append("tags: " + " ".join(f"#{one_line(tag)}" for tag in tags))
    if ids:
        lines.append("newest: " + " ".join(quoted(one_line(each)) for each in ids))
    return "\n".join(lines)


def as_values(hit: Hit, *, whole: bool = False) -> dict[str, Any]:
    """Give a hit for JSON: the same facts as the text, uncut if `whole`."""
    node = hit.node
    facts: dict[str, Any] = {
        "id": node.id,
        "type": node.type,
        "status": node.status or None,
        "superseded_by": node.successor or None,
        "title": node.title,
        "date": node.day.isoformat() if node.day else None,
        "tags": list(node.tags),
        "path": node.path,
        **summary(node),
        "links": graph.outgoing(node),
        "match": list(hit.reasons),
        "label": hit.label or None,
        "answer": brief(hit.line, ANSWER_WORDS) or None,
    }
    return facts | {"text": node.text} if whole else facts
