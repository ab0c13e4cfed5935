"""Near spellings: what someone may have meant."""

from collections.abc import Iterable

_PERCENT_DIFFERENT = 15  # one letter in seven: databse is database, jest is not test


def edits(one: str, other: str, most: int) -> int:
    """Count the single-letter edits between two words; anything over `most` is `most + 1`.

    An edit inserts, drops or replaces a letter or swaps two neighbours (optimal string
    alignment, so no letter is edited twice).

    >>> edits("databse", "database", 2), edits("jest", "test", 2), edits("ab", "ba", 2)
    (1, 1, 1)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        two_before, before = before, row
        row = [i]
        for j, rival in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != rival))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == rival:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def slips_allowed(word: str) -> int:
    """Give how many edits still make the same word: short words leave no room for a guess.

    >>> [slips_allowed(w) for w in ("jest", "redis", "websokets")]
    [0, 1, 2]
    """
    return 0 if len(word) < 5 else 1 if len(word) < 8 else 2


def alike(word: str, candidates: Iterable[str], *, most: int = 3) -> list[str]:
    """Give up to `most` other candidates with at most 15 % of the letters edited, nearest first.

    >>> alike("databse", ["database", "databases"]), alike("jest", ["test"])
    (['database'], [])
    """
    letters = set(word)
    scored = []
    for candidate in set(candidates):
        longer = max(len(word), len(candidate))
        allowed = longer * _PERCENT_DIFFERENT // 100
        # An edit brings in one letter at most, which is quicker told than counting edits.
        if abs(len(word) - len(candidate)) <= allowed >= len(letters.difference(candidate)):
            cost = edits(word, candidate, allowed)
            if 0 < cost <= allowed:
                scored.append((cost / longer, candidate))
    return [name for _, name in sorted(scored)][:most]


def near(word: str, candidates: Iterable[str], *, most: int = 3) -> list[str]:
    """Give up to `most` candidates that a slip could have turned into this word, nearest first.

    >>> near("websokets", ["websockets", "sockets", "webhooks"])
    ['websockets']
    """
    allowed = slips_allowed(word)
    if not allowed:
        return []
    scored = ((edits(word, candidate, allowed), candidate) for candidate in set(candidates))
    return [name for cost, name in sorted(scored) if 0 < cost <= allowed][:most]
