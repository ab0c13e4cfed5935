"""The search: which turns answer a query, best first, and what was covered when none does."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from total_recall.sessions import index, query, rank, times
from total_recall.sessions.chunks import pairs
from total_recall.sessions.copies import Matching, SessionFacts, without_copies
from total_recall.sessions.query import Term
from total_recall.sessions.rank import Candidate, Ranked
from total_recall.words import fold, is_unspaced

MOST_CHUNKS = 600  # that are ranked, best first; enough for the neighbours of the best turns
MOST_SESSIONS = 20  # so many should have a place before one has many
MOST_TOLD = 50  # best turns whose terms tell what their session is about
EXTRA_WEIGHT = 0.5  # of names and parts beside the text itself
_WORD = re.compile(r"[^\W_]+")
_RANK = f"bm25(1.0, {EXTRA_WEIGHT})"
DAY_SECONDS = 86_400
SORTED_SECONDS, UNSORTED_SECONDS = 1.2, 0.5  # of the time that a query has, for two attempts


@dataclass(frozen=True)
class Filters:
    """What of the index is searched; `since` is a stored time."""

    session: str = ""
    function: str = ""
    outcome_type: str = ""
    since: str = ""
    role: str = ""

    def clauses(self) -> list[tuple[str, str, str]]:
        """Give each filter that is set: its flag, its SQL, and the value for that."""
        functions = (
            "(turns.session IN (SELECT session FROM function_touches WHERE lower(function) = ?1)"
            " OR turns.session IN (SELECT session FROM outcome_contracts"
            " WHERE lower(function) = ?1))"
        )
        types = "turns.session IN (SELECT session FROM outcome_contracts WHERE lower(type) = ?1)"
        every = (
            ("--session", "sessions.id = ?1", self.session),
            ("--function", functions, self.function.lower()),
            ("--outcome-type", types, self.outcome_type.lower()),
            ("--since", "sessions.started >= ?1", self.since),
            ("--role", "turns.role = ?1", self.role),
        )
        return [each for each in every if each[2]]


@dataclass(frozen=True)
class Found:
    """The turns that match, best first; echoes and what was given up stand behind the others.

    `surfaces` are the spellings in which the terms were found. `more` says that not every match
    was ranked, `late` that the time was over before every match was looked at.
    """

    turns: Sequence[Ranked]
    terms: Sequence[Term]
    surfaces: frozenset[str]
    behind: Sequence[int]
    more: bool = False
    late: bool = False


def search(
    db: sqlite3.Connection,
    text: str,
    filters: Filters,
    *,
    phase: str,
    at: datetime,
    own_session: str,
    everything: bool,
    unbounded: bool,
) -> Found:
    """Give the turns that match a query.

    `everything` takes in what was given up, `unbounded` ranks every match. The session
    `own_session`, in which the search runs, comes behind the others.
    """
    terms = query.terms(text)
    if not terms:
        return Found([], [], frozenset(), [])
    match = query.fts_query(terms)
    chunks, late = _in_time(db, match, filters, -1 if unbounded else MOST_CHUNKS)
    rows = _rows(db, [number for number, _ in chunks])
    is_cut = len(chunks) == MOST_CHUNKS and not unbounded
    if is_cut and not everything and not late:
        more = _of_others(db, match, filters, {row.session for row in rows.values()})
        chunks += more
        rows |= _rows(db, [number for number, _ in more])
    scores, best_chunk = _best(chunks, rows)
    sessions = _sessions(db, {rows[best_chunk[turn]].session for turn in scores})
    kept = without_copies([rows[best_chunk[turn]] for turn in scores], sessions)
    told, surfaces = _terms_held(db, terms, [best_chunk[turn] for turn in kept[:MOST_TOLD]])
    candidates = []
    for turn in kept:
        row = rows[best_chunk[turn]]
        about = sessions[row.session]
        age = (at - times.moment(row.time)).total_seconds() / DAY_SECONDS if row.time else 1e6
        candidates.append(
            Candidate(
                turn, row.session, row.seq, row.role == "user", scores[turn],
                told.get(best_chunk[turn], frozenset()), age,
                bool(phase) and about.phase.lower() == phase.lower(), bool(row.superseded),
            )
        )  # fmt: skip
    total = int(db.execute("SELECT count(*) FROM sessions").fetchone()[0])
    lengths = {key: about.turns for key, about in sessions.items()}
    ranked = rank.ranked(candidates, lengths, total)
    ours = [one for one in ranked if sessions[one.candidate.session].id == own_session]
    others = [one for one in ranked if sessions[one.candidate.session].id != own_session]
    behind = _behind(db, match, filters, everything=everything)
    return Found(
        [*others, *ours],
        terms,
        surfaces | {term.typed.lower() for term in terms},
        behind,
        more=is_cut,
        late=late,
    )


def _in_time(
    db: sqlite3.Connection, match: str, filters: Filters, most: int
) -> tuple[list[tuple[int, float]], bool]:
    """Give the best chunks with their scores, and whether the time was over before all were seen.

    What is sorted comes at the end only; so when that takes too long, what can be seen in the
    time that is left is taken as it comes.
    """
    chunks: list[tuple[int, float]] = []
    for seconds, order in ((SORTED_SECONDS, "ORDER BY rank"), (UNSORTED_SECONDS, "")):
        try:
            with index.deadline(db, seconds):
                chunks.extend(_matches(db, match, filters, most if order else -1, order=order))
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
        else:
            return chunks, not order
    chunks.sort(key=lambda chunk: (-chunk[1], chunk[0]))
    return chunks[:most] if most >= 0 else chunks, True


def _of_others(
    db: sqlite3.Connection, match: str, filters: Filters, seen: set[int]
) -> list[tuple[int, float]]:
    """Give the best chunks of other sessions, if a few have taken every place."""
    if len(seen) >= MOST_SESSIONS:
        return []
    numbers = ", ".join(map(str, sorted(seen)))
    try:
        with index.deadline(db, UNSORTED_SECONDS):
            rows = _matches(db, match, filters, MOST_CHUNKS, only=f"session NOT IN ({numbers})")
            return list(rows)
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        return []


def _matches(
    db: sqlite3.Connection,
    match: str,
    filters: Filters,
    most: int,
    *,
    behind: bool = False,
    only: str = "",
    order: str = "ORDER BY rank",
) -> Iterable[tuple[int, float]]:
    """Give the chunks that match, with their scores: of evidence, or of what stands `behind` it.

    `only` is a condition on the turn.
    """
    clauses = filters.clauses()
    # Joined in this order: to ask the full-text index for each chunk of a session would cost more.
    joined = (
        " CROSS JOIN chunks ON chunks.id = passages_fts.rowid"
        " CROSS JOIN turns ON turns.key = chunks.turn"
        " CROSS JOIN sessions ON sessions.key = turns.session"
        if clauses or only
        else ""
    )
    values = [value for _, _, value in clauses]
    where = "".join(
        f" AND {sql.replace('?1', f'?{number}')}" for number, (_, sql, _) in enumerate(clauses, 4)
    )
    where += f" AND {only}" if only else ""
    # What stands behind the others is not ranked: its score would cost as much as all of theirs.
    score, side, order = ("0.0", "<", "") if behind else ("-rank", ">", order)
    ranking = "" if behind else "AND rank MATCH ?2 "
    statement = (
        f"SELECT passages_fts.rowid, {score} FROM passages_fts{joined}"  # noqa: S608  # our own words
        f" WHERE passages_fts MATCH ?1 {ranking}AND passages_fts.rowid {side} 0{where}"
        f" {order} LIMIT ?3"
    )
    return db.execute(statement, (match, _RANK, most, *values))


def _behind(db: sqlite3.Connection, match: str, filters: Filters, *, everything: bool) -> list[int]:
    """Give the turns that come last: those that quote us, and with `everything` those given up."""
    kinds = ["turns.echo AND NOT turns.abandoned"]
    if everything:
        kinds.append("turns.abandoned")
    if filters.role in ("summary", "system"):
        kinds = ["NOT turns.echo AND NOT turns.abandoned", *kinds]
    found: dict[int, None] = {}
    try:
        with index.deadline(db):
            for kind in kinds:
                matching = _matches(db, match, filters, MOST_CHUNKS, behind=True, only=kind)
                numbers = [number for number, _ in matching]
                rows = _rows(db, numbers)
                found.update(dict.fromkeys(rows[number].turn for number in numbers))
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
    return list(found)


def _rows(db: sqlite3.Connection, chunks: Sequence[int]) -> dict[int, Matching]:
    """Give the turn of each chunk."""
    found: dict[int, Matching] = {}
    for start in range(0, len(chunks), 500):
        part = chunks[start : start + 500]
        rows = db.execute(
            "SELECT chunks.id, turns.key, session, seq, role, native, text_sha, time, superseded"  # noqa: S608
            " FROM chunks JOIN turns ON turns.key = chunks.turn"
            f" WHERE chunks.id IN ({', '.join('?' * len(part))})",
            part,
        )
        for number, *facts in rows:
            found[number] = Matching(*facts)
    return found


def _best(
    chunks: Sequence[tuple[int, float]], rows: dict[int, Matching]
) -> tuple[dict[int, float], dict[int, int]]:
    """Give each turn's best score and the chunk that has it, best first."""
    scores: dict[int, float] = {}
    best: dict[int, int] = {}
    for number, score in chunks:
        turn = rows[number].turn
        if turn not in scores:
            scores[turn], best[turn] = score, number
    return scores, best


def _sessions(db: sqlite3.Connection, keys: set[int]) -> dict[int, SessionFacts]:
    rows = db.execute(
        "SELECT key, id, phase_context, started, ended,"  # noqa: S608
        " (SELECT count(*) FROM turns WHERE session = sessions.key)"
        f" FROM sessions WHERE key IN ({', '.join('?' * len(keys))})",
        sorted(keys),
    )
    return {key: SessionFacts(*facts) for key, *facts in rows}


def _terms_held(
    db: sqlite3.Connection, terms: Sequence[Term], chunks: Sequence[int]
) -> tuple[dict[int, frozenset[str]], frozenset[str]]:
    """Give the terms that each chunk holds, as stems, and every spelling that they have there."""
    typed = {word for term in terms for word in _typed(term.typed)}
    starts = {word[:2] for word in typed}  # which a word and its stem share
    spelled: dict[int, dict[str, str]] = {}
    for number in chunks:
        text = db.execute(
            "SELECT text || ' ' || extra FROM passages WHERE id = ?", (number,)
        ).fetchone()[0]
        folded = {
            word.lower(): word.lower() if text.isascii() else fold(word)
            for word in set(_WORD.findall(text))
        }
        spelled[number] = {word: same for word, same in folded.items() if same[:2] in starts}
    stems = index.stems(sorted(typed.union(*(words.values() for words in spelled.values()))))
    wanted = {stems.get(word, word) for word in typed}
    told = {
        number: {word: stem for word, same in words.items() if (stem := stems.get(same)) in wanted}
        for number, words in spelled.items()
    }
    held = {number: frozenset(map(str, words.values())) for number, words in told.items()}
    return held, frozenset(word for words in told.values() for word in words)


def _typed(text: str) -> list[str]:
    """Give the folded words of a term; a run of a script without blanks is its pairs."""
    folded = (fold(word) for word in _WORD.findall(text))
    return [part for word in folded for part in (pairs(word)[:-1] if is_unspaced(word) else [word])]


def turns_matching(db: sqlite3.Connection, text: str, session: int) -> set[int]:
    """Give the turns of one session that a query matches, by their keys."""
    found = query.terms(text)
    if not found:
        return set()
    rows = db.execute(
        "SELECT DISTINCT turn FROM passages_fts JOIN chunks ON chunks.id = passages_fts.rowid"
        " JOIN turns ON turns.key = chunks.turn WHERE passages_fts MATCH ? AND turns.session = ?",
        (query.fts_query(found), session),
    )
    return {turn for (turn,) in rows}


@dataclass(frozen=True)
class Receipt:
    """What was searched when nothing was found."""

    sessions: int
    turns: int
    absent: Sequence[tuple[str, Sequence[str]]]  # a word that occurs nowhere, and near spellings
    removed: Sequence[tuple[str, int]]  # a filter, and how many turns match without it
    restated: int  # turns that match, but only restate what was said, or are a host's notices


def receipt(db: sqlite3.Connection, terms: Sequence[Term], filters: Filters) -> Receipt:
    """Say what was covered: how much, which words occur nowhere, and what each filter removed."""
    sessions = db.execute("SELECT count(*) FROM sessions").fetchone()[0]
    turns = db.execute("SELECT count(*) FROM turns").fetchone()[0]
    absent = [term.typed for term in terms if not _occurs(db, term.match)]
    match = query.fts_query(list(terms)) if terms else ""
    removed = []
    for flag, _, _ in filters.clauses():
        name = flag.removeprefix("--").replace("-", "_")
        without = Filters(**{**filters.__dict__, name: ""})
        many = len({number for number, _ in _matches(db, match, without, MOST_CHUNKS)})
        if match and many:
            removed.append((flag, many))
    unranked = list(_matches(db, match, filters, MOST_CHUNKS, behind=True)) if match else []
    near = [(word, _near(db, word)) for word in absent]
    return Receipt(sessions, turns, near, removed, len(unranked))


def _occurs(db: sqlite3.Connection, match: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT 1", (match,)
    ).fetchone()
    return row is not None


def _near(db: sqlite3.Connection, word: str) -> list[str]:
    """Give words of the index that a slip could have turned into this one, commonest first."""
    from total_recall.suggest import near

    folded = fold(word)
    if not folded.isalnum():
        return []
    with index.vocabulary(db) as rows:
        common = Counter({term: count for term, count in rows if term[:1] == folded[:1]})
    stem = index.stems([folded]).get(folded, folded)
    return near(stem, common)
