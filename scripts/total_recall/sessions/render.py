"""What cocorecall prints: hits with their citations, the receipt of an empty answer, a session."""

from collections.abc import Sequence
from dataclasses import dataclass

from total_recall import tokens
from total_recall.output import one_line, prefixed, quoted
from total_recall.sessions import times
from total_recall.sessions.citations import Citation
from total_recall.sessions.excerpt import excerpt, match_spans
from total_recall.sessions.locators import DAMAGED
from total_recall.sessions.search import Receipt

MOST_QUERY = 120  # characters of a query that are repeated
BREAKS = 3  # tokens of the line ends of a hit
MIN_EXCERPT = 30  # tokens that each hit's text gets before hits drop from the tail


@dataclass(frozen=True)
class Shown:
    """A hit as it may be shown: its citation, its text without credentials, and what is said."""

    citation: Citation
    text: str
    why: str = ""
    context: Sequence[str] = ()


@dataclass(frozen=True)
class Totals:
    """How many there are: hits in this view, sessions and turns that match, and what was cut off.

    `more` says that there are more matches than were ranked, `command` shows the rest.
    """

    hits: int
    sessions: int
    turns: int
    more: bool
    late: bool
    command: str


def head_lines(number: int, hit: Shown) -> list[str]:
    """Give the first line of a hit: who said it, when, and where it is cited."""
    each = hit.citation
    marks = [
        word
        for word, is_so in (
            (each.role if each.kind in ("prompt", "reply") else each.kind, True),
            (times.shown(each.time, each.time_quality), True),
            ("abandoned", each.abandoned),
            ("no longer in the source", each.superseded),
            ("echo of an earlier answer", each.echo),
            ("characters replaced", each.lossy),
            ("damaged: not what was said", each.source_state == DAMAGED),
        )
        if is_so
    ]
    names = f"session_id: {one_line(each.short_session)} · turn_id: {one_line(each.short_turn)}"
    return [f"{number} {names} · {' · '.join(marks)}"]


def foot_lines(hit: Shown) -> list[str]:
    """Give the rest of a citation: whether its source is there, where, and what to ask next."""
    each = hit.citation
    exists = "true" if each.source_exists else "false"
    lines = [
        f"  source_exists: {exists} · {each.source_state} · {one_line(each.short_path)}",
        f"  suggested_follow_up: {one_line(each.follow_up)}",
    ]
    if hit.why:
        lines.append(f"  {hit.why}")
    return lines


def answer(
    query: str,
    hits: Sequence[Shown],
    totals: Totals,
    surfaces: frozenset[str],
    *,
    budget: int,
    full: bool,
    freshness: str,
) -> tuple[str, int]:
    """Give the answer and how many hits it holds, all of it within the budget in tokens."""
    head = f"recall: {_brief(query)} · {_matching(totals)}"
    citations = [[*head_lines(n, hit), *foot_lines(hit)] for n, hit in enumerate(hits, 1)]
    fixed = [tokens.estimate("\n".join([*lines, *hit.context])) + BREAKS
             for lines, hit in zip(citations, hits, strict=True)]  # fmt: skip
    whole = [tokens.estimate(prefixed(hit.text)) for hit in hits]
    least = [
        cost + (size if full else min(size, MIN_EXCERPT))
        for cost, size in zip(fixed, whole, strict=True)
    ]
    wanted = [cost + size for cost, size in zip(fixed, whole, strict=True)]
    room = budget
    while True:
        allotted = tokens.share(least, wanted, room)
        texts = [
            hit.text
            if full or not budget or allowed >= want
            else _part(hit, surfaces, allowed - cost)
            for hit, allowed, want, cost in zip(hits, allotted, wanted, fixed, strict=False)
        ]
        page = _page(head, hits, texts, totals, freshness)
        over = tokens.estimate(page) - budget
        if not budget or over <= 0 or room <= 1:
            return page, len(texts)
        # Of a single hit that is too long even so, the citation is worth more than the bound.
        room = max(1, room - over)


def _part(hit: Shown, surfaces: frozenset[str], budget: int) -> str:
    return excerpt(hit.text, match_spans(hit.text, surfaces), max(MIN_EXCERPT // 2, budget))


def _page(
    head: str, hits: Sequence[Shown], texts: Sequence[str], totals: Totals, freshness: str
) -> str:
    lines = [head]
    for number, (hit, text) in enumerate(zip(hits, texts, strict=False), 1):
        lines += [*head_lines(number, hit), *hit.context, prefixed(text), *foot_lines(hit)]
    left = totals.hits - len(texts)
    if left or totals.more or totals.late:
        lines.append(_cut(left, totals))
    body = "\n".join(lines)
    shown = f"{len(texts)} of {totals.hits} {'hit' if totals.hits == 1 else 'hits'}"
    size = tokens.estimate(f"{body}\ncocorecall done · {shown} · ~1000t{freshness}")
    return f"{body}\ncocorecall done · {shown} · ~{size}t{freshness}"


def _matching(totals: Totals) -> str:
    more = "more than " if totals.more else ""
    turns = f"{more}{totals.turns} {'turn' if totals.turns == 1 else 'turns'}"
    sessions = f"{totals.sessions} {'session' if totals.sessions == 1 else 'sessions'}"
    verb = "matches" if totals.turns == 1 and not more else "match"
    return f"{turns} in {sessions} {verb}"


def _cut(left: int, totals: Totals) -> str:
    said = []
    if left:
        said.append(f"{left} more: {totals.command}")
    if totals.more and not left:
        said.append(f"more match: {totals.command}")
    if totals.late:
        said.append("the time was over before every turn was looked at")
    return f"cut: {'; '.join(said)}"


def nothing(query: str, found: Receipt, not_indexed: int, freshness: str) -> str:
    """Give the receipt of an answer without hits."""
    lines = [
        f"recall: {_brief(query)} · nothing found",
        f"  searched: {found.turns:,} turns of {found.sessions:,} sessions"
        + (f"; {not_indexed} in the sources are not indexed" if not_indexed else ""),
    ]
    for word, near in found.absent:
        hint = f"; near it: {', '.join(map(one_line, near))}" if near else ""
        lines.append(f"  occurs nowhere: {_brief(word)}{hint}")
    if found.restated:
        lines.append(
            f"  only in what restates or notifies: {found.restated} (--role summary, --role system)"
        )
    lines += [
        f"  removed by {flag}: {many} {'turn' if many == 1 else 'turns'}"
        for flag, many in found.removed
    ]
    body = "\n".join(lines)
    return f"{body}\ncocorecall done · 0 hits · ~{tokens.estimate(body) + 12}t{freshness}"


def again(query: str, flags: Sequence[str]) -> str:
    """Give the command that shows what an answer left out."""
    return " ".join(["cocorecall search", quoted(one_line(query)), *flags])


def _brief(query: str) -> str:
    """Give a query as one line; a long one is cut, as its asker has it."""
    line = one_line(query[:MOST_QUERY])
    return line if len(query) <= MOST_QUERY else f"{line}[…]"
