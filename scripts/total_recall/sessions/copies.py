"""Which matching turns are copies: those that forks, resumed files and second files hold again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# An id that only says where in its session a turn stands.
_PLACE = re.compile(r"L?\d+(?:\.\d+)?(?:~\d+)?")
SHORTEST_UNIQUE = 8  # characters of the ids that hosts give to messages


@dataclass(frozen=True, slots=True)
class Matching:
    """A turn that matches, with what is asked of it before it is ranked."""

    turn: int
    session: int
    seq: int
    role: str
    native: str
    text_sha: bytes
    time: str
    superseded: bool


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What is asked of a matching turn's session; `turns` is how many it has."""

    id: str
    phase: str
    started: str
    ended: str
    turns: int


def without_copies(found: Sequence[Matching], sessions: Mapping[int, SessionFacts]) -> list[int]:
    """Give the turns, by key and in their order, of which each text stands there once.

    Of copies the one in the earliest session stays, and of one session in two files that in the
    file which goes on longer. Copies have one native id and one text; an id that is only a place
    makes no copy of another session's turn.
    """
    kept: dict[tuple[object, ...], Matching] = {}
    for row in found:
        is_place = len(row.native) < SHORTEST_UNIQUE or _PLACE.fullmatch(row.native)
        within = (sessions[row.session].id, row.time) if is_place else ()
        copy = row.native, row.text_sha, within
        if copy not in kept or _is_before(row, kept[copy], sessions):
            kept[copy] = row
    left = {row.turn for row in kept.values()}
    return [row.turn for row in found if row.turn in left]


def _is_before(one: Matching, other: Matching, sessions: Mapping[int, SessionFacts]) -> bool:
    first, second = sessions[one.session], sessions[other.session]
    if first.id == second.id:
        return (second.ended, one.turn) < (first.ended, other.turn)
    return (first.started, first.id) < (second.started, second.id)
