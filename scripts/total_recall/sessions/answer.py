"""The answer to a search: what was found, cited as of now, masked and fitted to its budget."""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from total_recall import files, output
from total_recall.errors import RecallError
from total_recall.masks import Masks
from total_recall.sessions import citations, index, render, search, times
from total_recall.sessions.citations import Citation
from total_recall.sessions.rank import Ranked
from total_recall.sessions.search import Filters, Found

BUDGET = 1000  # tokens of an answer, as the skill promises
MIN_HIT = 90  # tokens that a hit with its citation costs at least
LIMIT = 20  # sessions of an answer; the budget is the bound that is met first
STALE_HOURS = 24
# What hosts tell the commands that they run: in which session they are.
OWN_SESSION = (
    "CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID CODEX_SESSION_ID CORTEX_SESSION_ID OPENCODE_SESSION_ID"
).split()
UNNOTED = "the citations could not be noted: the index is in use or cannot be written"


@dataclass(frozen=True)
class Wishes:
    """What is asked for beside the query; None stands for what is usual."""

    everything: bool = False
    limit: int | None = None
    context: int = 0
    budget: int | None = None
    full_turn: bool = False
    explain: bool = False
    reveal: bool = False


@dataclass(frozen=True)
class Answer:
    """An answer as text and as the parts of an envelope; `cited` are the hits that it shows."""

    page: str
    hits: Sequence[Mapping[str, Any]]
    total: int
    cut: Mapping[str, Any] | None
    facts: Mapping[str, Any]
    cited: Sequence[Citation]
    remarks: Sequence[str]


def answer(
    db: sqlite3.Connection, root: Path, text: str, filters: Filters, wishes: Wishes, at: datetime
) -> Answer:
    """Answer a query from a project's index."""
    budget = BUDGET if wishes.budget is None else wishes.budget
    found = search.search(
        db,
        text,
        filters,
        phase=_phase(root),
        at=at,
        own_session=next((os.environ[name] for name in OWN_SESSION if os.environ.get(name)), ""),
        everything=wishes.everything,
        unbounded=wishes.everything and budget == 0 and wishes.limit is None,
    )
    order = _order(db, found, everything=wishes.everything)
    freshness = _freshness(db, at)
    masks = Masks(wishes.reveal)
    query = masks.text(text)
    if not order:
        return _nothing(db, root, query, found, filters, freshness)
    limit = min(wishes.limit or (len(order) if wishes.everything else LIMIT), len(order))
    most = min(limit, max(1, budget // MIN_HIT)) if budget else limit
    cited = citations.cite(db, root, order[:most], [term.typed for term in found.terms])
    shown, masked = _shown(db, cited, found, wishes)
    command = render.again(query, _flags(filters, wishes, len(order)))
    sessions = {one.candidate.session for one in found.turns}
    turns = len(found.turns) + (len(found.behind) if wishes.everything or not found.turns else 0)
    totals = render.Totals(
        len(order), max(1, len(sessions)), turns, found.more, found.late, command
    )
    page, count = render.answer(
        query, shown, totals, found.surfaces,
        budget=budget, full=wishes.full_turn, freshness=freshness,
    )  # fmt: skip
    masks.count += sum(masked[:count])
    left = len(order) - count
    return Answer(
        page,
        [_hit_json(hit) for hit in shown[:count]],
        len(order),
        {"left": left, "hint": command} if left or found.more else None,
        {"query": query, "freshness": freshness.strip(" ·")},
        cited[:count],
        masks.remarks(),
    )


def note(path: Path, text: str, answered: Answer, at: datetime) -> list[str]:
    """Keep which turns an answer cited; give what there is to say of that."""
    noted = citations.note(path, text, answered.cited, times.stored(at))
    return [] if noted or not answered.cited else [UNNOTED]


def _order(db: sqlite3.Connection, found: Found, *, everything: bool) -> list[int]:
    """Give the turns to show, best first: each, or the best one of each session."""
    ranked = [one.candidate for one in found.turns]
    if everything:
        return [one.turn for one in ranked] + list(found.behind)
    best: dict[int, int] = {}
    for one in ranked:
        best.setdefault(one.session, one.turn)
    for turn in found.behind:
        session = db.execute("SELECT session FROM turns WHERE key = ?", (turn,)).fetchone()[0]
        best.setdefault(session, turn)
    return list(best.values())


def _shown(
    db: sqlite3.Connection, cited: Sequence[Citation], found: Found, wishes: Wishes
) -> tuple[list[render.Shown], list[int]]:
    """Give the hits without credentials, and how many masks each has."""
    numbers = {one.candidate.turn: one for one in found.turns}
    shown = []
    masked = []
    for each in cited:
        masks = Masks(wishes.reveal)
        safe = replace(each, short_path=masks.text(each.short_path), title=masks.text(each.title))
        why = _explained(numbers.get(each.key)) if wishes.explain else ""
        around = _context(db, each, wishes.context, masks)
        shown.append(render.Shown(safe, masks.text(each.text), why, around))
        masked.append(masks.count)
    return shown, masked


def _explained(ranked: Ranked | None) -> str:
    if ranked is None:
        return "score: behind the others, since it quotes an answer or was given up"
    return (
        f"score: lexical {ranked.lexical:.2f} · recency {ranked.recency:.2f}"
        f" · phase {ranked.phase:.0f}"
    )


def _context(db: sqlite3.Connection, each: Citation, around: int, masks: Masks) -> list[str]:
    """Give the first sentence of each turn that stands beside a hit."""
    if not around:
        return []
    rows = db.execute(
        "SELECT role, summary FROM turns WHERE session = (SELECT session FROM turns WHERE key = ?1)"
        " AND seq BETWEEN ?2 AND ?3 AND seq <> ?4 AND NOT superseded ORDER BY seq",
        (each.key, each.seq - around, each.seq + around, each.seq),
    )
    return [f"  beside it, {role}: {output.one_line(masks.text(said))}" for role, said in rows]


def _hit_json(hit: render.Shown) -> dict[str, Any]:
    each = hit.citation
    fields = asdict(each)
    for inner in ("key", "text", "entity", "session", "turn", "source_exists"):
        del fields[inner]
    return {
        "session_id": each.session,
        "turn_id": each.turn,
        "source_exists": each.source_exists,
        "suggested_follow_up": each.follow_up,
        "command": each.command,
        "text": hit.text,
        **fields,
        **({"why": hit.why} if hit.why else {}),
    }


def _flags(filters: Filters, wishes: Wishes, hits: int) -> list[str]:
    """Give the flags that show what a search left out of its view, with its filters."""
    flags = ["--all"] if wishes.everything and not filters.session else []
    if not wishes.everything and hits > LIMIT:
        flags += ["--limit", str(hits)]
    for flag, _, value in filters.clauses():
        flags += [flag, output.quoted(value)]
    return [*flags, "--budget 0"]


def _nothing(
    db: sqlite3.Connection,
    root: Path,
    query: str,
    found: Found,
    filters: Filters,
    freshness: str,
) -> Answer:
    from total_recall.sessions import sources, upkeep

    covered = search.receipt(db, found.terms, filters)
    try:
        not_indexed, _ = upkeep.pending(index.path_in(root), sources.configured(root))
    except RecallError:
        not_indexed = 0
    facts = {
        "query": query,
        "receipt": {
            "sessions": covered.sessions,
            "turns": covered.turns,
            "not_indexed": not_indexed,
            "absent": {word: list(near) for word, near in covered.absent},
            "removed": dict(covered.removed),
            "restated": covered.restated,
        },
        "freshness": freshness.strip(" ·"),
    }
    page = render.nothing(query, covered, not_indexed, freshness)
    return Answer(page, [], 0, None, facts, [], [])


def _phase(root: Path) -> str:
    """Give the current phase of the project; empty if nobody says."""
    try:
        text = files.read(root / index.FOLDER / "lifecycle" / "meta.json", most=1 << 20)
    except RecallError:
        return ""
    import json

    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    phase = held.get("current_phase") if isinstance(held, dict) else ""
    return phase if isinstance(phase, str) else ""


def _freshness(db: sqlite3.Connection, at: datetime) -> str:
    """Give how old the index is, and the command that renews it once it is stale."""
    last = db.execute("SELECT max(imported) FROM sources").fetchone()[0]
    if not last:
        return " · index never finished, run: cocorecall import"
    hours = max(0.0, (at - times.moment(last)).total_seconds() / 3600)
    if hours < 1:
        age = f"{hours * 60:.0f}min"
    else:
        age = f"{hours:.0f}h" if hours < 48 else f"{hours / 24:.0f}d"
    stale = ", run: cocorecall import" if hours >= STALE_HOURS else ""
    return f" · index {age} old{stale}"
