"""What hosts put into a person's text: found, and replaced by a marker."""

import re
from collections.abc import Sequence

MARKER = "[… host reminder …]"
_CODE = re.compile(
    r"^(`{3,}|~{3,}).*?(?:^\1[`~]*\s*$|\Z)|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)",
    re.MULTILINE | re.DOTALL,
)
_MARKERS = re.compile(rf"\s*{re.escape(MARKER)}(?:\s*{re.escape(MARKER)})*\s*")


def without(text: str, tags: Sequence[str]) -> str:
    """Give a text with `MARKER` where elements of these tags stood; empty if there was no more.

    What is not closed stays, and so does what stands in code.

    >>> without("<system-reminder>x</system-reminder>What is Python?", ["system-reminder"])
    '[… host reminder …]\\nWhat is Python?'
    >>> without("<system-reminder>x</system-reminder> ", ["system-reminder"])
    ''
    >>> without("why does `<system-reminder>` `</system-reminder>` stay", ["system-reminder"])
    'why does `<system-reminder>` `</system-reminder>` stay'
    """
    if "</" not in text:
        return text
    spans = _elements(text, tags)
    if not spans:
        return text
    kept: list[str] = []
    at = 0
    for start, end in spans:
        kept += [text[at:start], MARKER]
        at = end
    kept.append(text[at:])
    left = _MARKERS.sub(f"\n{MARKER}\n", "".join(kept)).strip()
    return "" if left == MARKER else left


def _elements(text: str, tags: Sequence[str]) -> list[tuple[int, int]]:
    """Give where the outermost closed elements stand, outside code."""
    tag = re.compile(rf"<(/?)({'|'.join(map(re.escape, tags))})(?:\s[^<>]*)?>")
    found = list(tag.finditer(text))
    if not found:
        return []
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text or "~~~" in text else []
    spans: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for match in found:
        if any(start <= match.start() < end for start, end in code):
            continue
        if not match[1]:
            opened.append((match[2], match.start()))
        elif match[2] in (name for name, _ in opened):
            while (last := opened.pop())[0] != match[2]:
                pass  # what was opened inside and never closed goes with it
            spans = [span for span in spans if span[0] < last[1]]
            spans.append((last[1], match.end()))
    return spans
