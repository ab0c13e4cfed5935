"""Which turns answer best: lexical score with its neighbourhood, then phase, then recency."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A reply often lacks the words of its question: what stands beside a match is likelier meant.
# Measured with neighbours' shares of .2/.05, .3/.1 and .5/.2; the middle one is best.
NEIGHBOUR_SHARES = ((1, 0.3), (2, 0.1))
SESSION_WEIGHT = 1.0
K1, B = 1.2, 0.75  # of BM25, its usual values
USER_WEIGHT = 1.25  # a person says once what an agent repeats
# SQLite gives a word that stands in half of all passages next to no weight, so that an answer to
# such words alone would have no order. Such scores are told by their size, and raised to the
# height that they would have with a weight of 1.
NO_WEIGHT = 1e-6
MOST_WITHOUT_WEIGHT = 1e-3  # far more than any number of such words can have
BUCKET = 0.03  # scores that differ by less than this share of the best are near-equal
HALF_LIFE_DAYS = 30.0  # what was said last month weighs half of what was said today


@dataclass(frozen=True, slots=True)
class Candidate:
    """A turn that matches: its lexical score (higher is better) and the terms that it holds.

    `age_days` is that of the turn, `in_phase` says whether its session is of the current phase,
    `superseded` whether its source no longer holds it.
    """

    turn: int
    session: int
    seq: int
    is_user: bool
    score: float
    terms: frozenset[str] = frozenset()
    age_days: float = 0.0
    in_phase: bool = False
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its place in the answer, and the three numbers that gave it."""

    candidate: Candidate
    lexical: float
    recency: float
    phase: float


def ranked(
    candidates: Sequence[Candidate], session_turns: Mapping[int, int], sessions: int
) -> list[Ranked]:
    """Give the candidates, best first.

    `session_turns` is the number of turns of each candidate's session, `sessions` that of all
    sessions. Of equals what still stands in its source comes first, then the lower key.
    """
    scores = _lexical(candidates, session_turns, sessions)
    best = max(scores.values(), default=0.0)
    step = best * BUCKET or 1.0
    found = [
        Ranked(
            each,
            scores[each.turn],
            2.0 ** (-max(0.0, each.age_days) / HALF_LIFE_DAYS),
            float(each.in_phase),
        )
        for each in candidates
    ]
    return sorted(
        found,
        key=lambda one: (
            -math.floor(one.lexical / step),
            -one.phase,
            -one.recency,
            one.candidate.superseded,
            one.candidate.turn,
        ),
    )


def _lexical(
    candidates: Sequence[Candidate], session_turns: Mapping[int, int], sessions: int
) -> dict[int, float]:
    """Give each candidate's score with those of its neighbours and of its session."""
    best = max((each.score for each in candidates), default=0.0)
    raised = 1.0 / NO_WEIGHT if best < MOST_WITHOUT_WEIGHT else 1.0
    own = {
        each.turn: each.score * raised * (USER_WEIGHT if each.is_user else 1.0)
        for each in candidates
    }
    places = {(each.session, each.seq): own[each.turn] for each in candidates}
    whole = _session_scores(candidates, session_turns, sessions)
    found = {}
    for each in candidates:
        beside = sum(
            share * (places.get((each.session, each.seq - step), 0.0)
                     + places.get((each.session, each.seq + step), 0.0))
            for step, share in NEIGHBOUR_SHARES
        )  # fmt: skip
        found[each.turn] = own[each.turn] + beside + SESSION_WEIGHT * whole[each.session]
    return found


def _session_scores(
    candidates: Sequence[Candidate], session_turns: Mapping[int, int], sessions: int
) -> dict[int, float]:
    """Give the BM25 of each session as one document, whose terms are counted by turns.

    Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), formula 3.15.
    """
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for each in candidates:
        counts[each.session].update(each.terms)
    held = Counter(term for counted in counts.values() for term in counted)
    mean = sum(session_turns[session] for session in counts) / max(1, len(counts))
    scores = {}
    for session, counted in counts.items():
        norm = K1 * (1 - B + B * session_turns[session] / (mean or 1.0))
        scores[session] = sum(
            math.log(1 + (sessions - held[term] + 0.5) / (held[term] + 0.5))
            * many * (K1 + 1) / (many + norm)
            for term, many in counted.items()
        )  # fmt: skip
    return scores
