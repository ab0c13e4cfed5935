"""Excerpts: exact parts of a text around its matches, as many as a budget allows."""

import re
from collections.abc import Iterable, Sequence

from total_recall import tokens

SMALLEST_CUT = 60  # characters; a cut of fewer saves nothing, as it takes a line to say so
AROUND = 200  # characters that are shown on each side of a match, if there is room
_ENDS = "\n.!?。！？"


def left_out(characters: int) -> str:
    """Give the mark of a cut.

    >>> left_out(1240)
    '[… 1,240 characters …]'
    """
    return f"[… {characters:,} characters …]"


def excerpt(text: str, spans: Sequence[tuple[int, int]], budget: int) -> str:
    """Give a text whole if it fits the budget in tokens, else exact parts of it.

    They begin with that around the densest matches; what is between and around them is marked by
    its number of characters. Without matches it is the beginning. A budget of 0 is no bound.
    """
    if budget == 0 or tokens.estimate(text) <= budget:
        return text
    around = AROUND
    while True:
        shown = _marked(text, _windows(text, spans, around, budget))
        if around <= 20 or tokens.estimate(shown) <= budget:
            return shown
        around = around * 2 // 3


def _windows(
    text: str, spans: Sequence[tuple[int, int]], around: int, budget: int
) -> list[tuple[int, int]]:
    """Give the parts to show: around the matches, those with most of them first, in order."""
    if not spans:
        return [(0, _at_word(text, min(len(text), around * 2)))]
    joined: list[list[int]] = []
    for start, end in spans:
        if joined and start - around <= joined[-1][1] and end - joined[-1][0] < 4 * around:
            joined[-1][1] = min(len(text), end + around)
            joined[-1][2] += 1
        else:
            joined.append([max(0, start - around), min(len(text), end + around), 1])
    best = sorted(joined, key=lambda window: (-window[2], window[0]))
    kept: list[tuple[int, int]] = []
    spent = 0
    for start, end, _ in best:
        cost = tokens.estimate(text[start:end])
        if kept and spent + cost > budget:
            break
        kept.append((start, end))
        spent += cost
    return _merged([(_from_word(text, start), _at_word(text, end)) for start, end in sorted(kept)])


def _merged(windows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in windows:
        if found and start <= found[-1][1] + SMALLEST_CUT:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _from_word(text: str, start: int) -> int:
    """Give where a part begins: at a word, if one begins near."""
    if start == 0 or text[start - 1].isspace():
        return start
    near = next((at for at in range(start, min(start + 20, len(text))) if text[at].isspace()), -1)
    return near + 1 if near >= 0 else start


def _at_word(text: str, end: int) -> int:
    """Give where a part ends: behind a word, if one ends near."""
    if end >= len(text) or text[end].isspace():
        return min(end, len(text))
    near = next((at for at in range(end, max(end - 20, 0), -1) if text[at].isspace()), -1)
    return near if near > 0 else end


def _widened(windows: Sequence[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Give the windows with what is too little to be cut off at either end of the text."""
    return [
        (0 if start <= SMALLEST_CUT else start, size if size - end <= SMALLEST_CUT else end)
        for start, end in windows
    ]


def _marked(text: str, windows: Sequence[tuple[int, int]]) -> str:
    """Give the parts with a mark wherever text was left out, each mark on a line of its own."""
    lines: list[str] = []
    at = 0
    for start, end in _widened(windows, len(text)):
        if start > at:
            lines.append(left_out(start - at))
        lines.append(text[start:end].strip("\n"))
        at = end
    if at < len(text):
        lines.append(left_out(len(text) - at))
    return "\n".join(lines)


def match_spans(text: str, surfaces: Iterable[str]) -> list[tuple[int, int]]:
    """Give where the spellings stand in a text, as whole words, in order.

    >>> match_spans("Rotate the token; tokens expire", ["token", "tokens"])
    [(11, 16), (18, 24)]
    """
    words = sorted({surface for surface in surfaces if surface}, key=len, reverse=True)
    if not words:
        return []
    pattern = "|".join(
        rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" if word.isascii() else re.escape(word)
        for word in words
    )
    return [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
