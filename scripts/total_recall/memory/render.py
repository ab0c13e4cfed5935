"""Memories as the seed's blocks: one whole, several in a line each, or none."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from total_recall.memory import vitality
from total_recall.memory.entry import GLOBAL, PROJECT, Memory
from total_recall.memory.patch import Value
from total_recall.output import one_line, quoted, visible

if TYPE_CHECKING:
    from total_recall.memory.matches import Match

PREVIEW_LETTERS = 44
QUERY_LETTERS = 500  # as many as the log keeps: who pastes a page need not get it back

SOURCES = {PROJECT: "project (.nemp/memories.json)", GLOBAL: "global (~/.nemp/memories.json)"}

NOTHING = """\
❌ No memories found for "{query}"
Suggestions:

Use /nemp:list to see all available memories
Try different keywords
Save a new memory with /nemp:save"""
NONE_YET = "No memories yet. Save one with /nemp:save"

_MOST_TOKENS_A_LETTER = 1.01  # no sign costs more, so a short text need not be estimated
_VIRAMA = 9  # Unicode's class of the sign that takes a consonant its vowel
_NUMBER = (int, float)


@dataclass(frozen=True)
class Shown:
    """A memory that is shown, the phase that found it, and `why` it was found if that is told."""

    memory: Memory
    phase: str = ""
    why: str = ""


def record(shown: Shown, budget: int) -> str:
    """Give the full record of a memory, its value cut to what a budget in tokens leaves for it.

    A value's further lines are indented, and none of ours is, so none of them passes for ours.
    """
    memory = shown.memory
    score, state = vitality.shown(memory.fields)
    facts = {
        "Agent": memory.agent,
        "Created": memory.created,
        "Updated": memory.updated,
        "Superseded by": superseded_by(memory),
        "Source": SOURCES[memory.scope],
        "Match": shown.why,
    }
    rest = [
        f"Type: {one_line(_type(memory))} | Vitality: {score} ({one_line(state)})"
        f" | Confidence: {confidence(memory.fields):.2f}",
        *(f"{name}: {one_line(text)}" for name, text in facts.items() if text),
    ]

    def page(letters: int) -> str:
        value = visible(memory.value[:letters]).replace("\n", "\n  ")
        left = len(memory.value) - letters
        cut = [f"[… {left} more characters: --budget 0]"] if left else []
        return "\n".join([f"🔍 Memory: {one_line(memory.key)}", f'Value: "{value}"', *cut, *rest])

    room = _most(len(memory.value), lambda letters: _fits(page(letters), budget))
    return page(_whole_letters(memory.value, max(room, min(PREVIEW_LETTERS, len(memory.value)))))


def found(query: str, hits: Sequence[Shown], total: int, budget: int) -> tuple[str, int]:
    """Give a line for each hit, and how many of them a budget in tokens had room for."""
    lines = [
        line + (f"\n  {one_line(hit.why)}" if hit.why else "")
        for hit, line in zip(hits, _lines(hit.memory for hit in hits), strict=True)
    ]

    def page(count: int) -> str:
        left = total - count
        cut = [f"… {left} more: --limit {total} --budget 0", ""] if left else []
        head = f'🔍 Found {total} memories matching "{_asked(query)}":'
        foot = "Use /nemp:recall <exact-key> for full details."
        return "\n".join([head, "", *lines[:count], "", *cut, foot])

    count = max(1, _most(len(lines), lambda count: _fits(page(count), budget)))
    return page(count), count


def listing(memories: Sequence[Memory], budget: int) -> tuple[str, int]:
    """Give a line for each memory there is, and how many of them a budget had room for."""
    if not memories:
        return NONE_YET, 0
    lines = _lines(memories)
    many = Counter(memory.scope for memory in memories)
    told = ", ".join(f"{count} {scope}" for scope, count in many.items())

    def page(count: int) -> str:
        left = len(lines) - count
        cut = ["", f"… {left} more: --budget 0"] if left else []
        noun = "memory" if len(lines) == 1 else "memories"
        return "\n".join([f"{len(lines)} {noun} ({told}):", "", *lines[:count], *cut])

    count = max(1, _most(len(lines), lambda count: _fits(page(count), budget)))
    return page(count), count


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """Give the greatest number up to `high` that fits, by halving; 0 if none does."""
    low = high if fits(high) else 0
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _fits(text: str, budget: int) -> bool:
    if not budget or len(text) * _MOST_TOKENS_A_LETTER <= budget:
        return True
    from total_recall import tokens

    return tokens.estimate(text) <= budget


def _lines(memories: Iterable[Memory]) -> list[str]:
    """Give each memory in a line: its key, who wrote it, how its value begins, and what it is.

    A global memory is told by its line only where the project's of the same key stands too.
    """
    several = list(memories)
    many = Counter(memory.key for memory in several)
    return [_line(memory, is_twice=many[memory.key] > 1) for memory in several]


def _line(memory: Memory, *, is_twice: bool) -> str:
    by = f" (by {one_line(memory.agent)})" if memory.agent else ""
    other = superseded_by(memory)
    notes = {
        f"superseded by {other}": bool(other),
        "extinct": vitality.shown(memory.fields)[1] == "extinct",
        "global": is_twice and memory.scope == GLOBAL,
    }
    told = ", ".join(note for note, is_so in notes.items() if is_so)
    note = f" [{one_line(told)}]" if told else ""
    return f'[{one_line(memory.key)}]{by} - "{one_line(preview(memory.value))}"{note}'


def preview(value: str) -> str:
    """Give the start of a value on one line, cut between words; `...` marks a cut.

    >>> preview("Authentication uses JWT access tokens (15min) with refresh tokens (7 days).")
    'Authentication uses JWT access tokens...'
    >>> preview("Use\\n pnpm.")
    'Use pnpm.'
    """
    text = unicodedata.normalize("NFC", " ".join(value.split()))
    if len(text) <= PREVIEW_LETTERS:
        return text
    ends = range(PREVIEW_LETTERS, 0, -1)
    end = next((at for at in ends if _is_between_words(text, at)), PREVIEW_LETTERS)
    return text[: _whole_letters(text, end)].rstrip(" ,;:.") + "..."


def _is_between_words(text: str, at: int) -> bool:
    """Say whether words end at an offset: at a blank, or where a script writes none."""
    return text[at] == " " or (_is_wide(text[at - 1]) and _is_wide(text[at]))


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF"


def _whole_letters(text: str, end: int) -> int:
    """Give where the letter ends that ends last within so many characters; 0 if none does.

    What a reader takes for one letter may be many: its marks, an emoji and its parts, a flag.
    """
    while 0 < end < len(text) and _goes_on(text, end):
        end -= 1
    return end


def _goes_on(text: str, at: int) -> bool:
    """Say whether the character at an offset belongs to the letter before it."""
    before, here = text[at - 1], text[at]
    if _is_regional(before) and _is_regional(here):
        start = at
        while start and _is_regional(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 1  # two make a flag
    return (
        unicodedata.category(here).startswith("M")
        or here in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= here <= "\U0001f3ff"
        or "\U000e0020" <= here <= "\U000e007f"
        or before == "\u200d"
        # In Indian scripts a sign between two consonants makes one of them.
        or (unicodedata.combining(before) == _VIRAMA and here.isalpha())
    )


def _is_regional(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def nothing(query: str, near: Sequence[str]) -> str:
    """Give the block of a query without an answer, and keys that may have been meant."""
    hint = [f"Did you mean: {' | '.join(quoted(one_line(key)) for key in near)}"] if near else []
    return "\n".join([NOTHING.format(query=_asked(query)), *hint])


def _asked(query: str) -> str:
    cut = query[: _whole_letters(query, QUERY_LETTERS)] if len(query) > QUERY_LETTERS else query
    return one_line(cut) + ("…" if len(cut) < len(query) else "")


def explained(phase: str, matched: Iterable[str]) -> str:
    """Give the phase that found a memory, and what of the query it has.

    >>> explained("value", ["flow", "auth ~ authentication (alias)"])
    'value: flow, auth ~ authentication (alias)'
    """
    return f"{phase}: {', '.join(matched)}"


def matched(match: "Match") -> str:
    """Give a word of the query, and what it was found as if that is another."""
    if match.term == match.word:
        return match.term
    return f"{match.term} ~ {match.word} ({match.how})"


def explained_vitality(memory: Memory, parts: Sequence[vitality.Part]) -> str:
    """Give the addends of a memory's score, and the stored one that it may differ from."""
    score = vitality.score(parts)
    stored, state = vitality.shown(memory.fields)
    lines = [
        f"{part.name:22} {part.amount:8.2f} × {part.weight:6.2f} = {part.points:8.2f}"
        for part in parts
    ]
    total = sum(part.points for part in parts)
    return "\n".join(
        [
            f"Vitality of {one_line(memory.key)}: {stored} ({one_line(state)}), stored until the"
            f" next counted read · by the formula now {score} ({vitality.state_of(score)})",
            "",
            *lines,
            f"{'sum, within 0 to 100':22} {'':17} = {total:8.2f}",
        ]
    )


def superseded_by(memory: Memory) -> str:
    """Give the key of the memory that took this one's place, or ""."""
    links = memory.fields.get("links")
    other = links.get("superseded_by") if isinstance(links, dict) else None
    return other if isinstance(other, str) else ""


def confidence(fields: Mapping[str, Value]) -> float:
    """Give how sure a memory is, the default if it does not tell."""
    held = fields.get("confidence")
    score = held.get("score") if isinstance(held, dict) else held
    usable = isinstance(score, _NUMBER) and not isinstance(score, bool) and 0 <= score <= 1
    return float(score) if usable and isinstance(score, _NUMBER) else vitality.DEFAULT_CONFIDENCE


def _type(memory: Memory) -> str:
    held = memory.fields.get("type")
    return held if isinstance(held, str) and re.search(r"\w", held) else "fact"


def as_values(shown: Shown) -> dict[str, Any]:
    """Give a memory for JSON: the same facts as the text, whole."""
    memory = shown.memory
    score, state = vitality.shown(memory.fields)
    values = {
        "key": memory.key,
        "value": memory.value,
        "type": _type(memory),
        "vitality": {"score": score, "state": state},
        "confidence": confidence(memory.fields),
        "agent": memory.agent or None,
        "created": memory.created or None,
        "updated": memory.updated or None,
        "superseded_by": superseded_by(memory) or None,
        "scope": memory.scope,
    }
    told = {"phase": shown.phase, "match": shown.why}
    return values | {name: text for name, text in told.items() if text}
