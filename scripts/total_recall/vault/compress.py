"""Prose in fewer words."""

import re

from total_recall.vault import markdown

MOST_WORDS = 30  # what a reader takes in at a glance

_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_ENDS = (".", "!", "?", ":", ";", ",")


def brief(text: str, most: int = MOST_WORDS) -> str:
    """Give the start of a section on one line, at most `most` words; `…` marks a cut.

    List items and paragraphs are joined by `;`, and code blocks left out.

    >>> brief("We use JWT.\\n\\n- short lived\\n- signed")
    'We use JWT. short lived; signed'
    >>> brief("one two three", most=2)
    'one two …'
    """
    plain = _TABLE_RULE.sub("", _IMAGE.sub("", markdown.without_fences(text)))
    items = (" ".join(block.split()) for block in markdown.blocks(plain))
    line = ""
    for item in items:
        if item:
            joint = "" if not line else " " if line.endswith(_ENDS) else "; "
            line += joint + item
        if line.count(" ") > most:
            break
    words = line.split(" ")
    return line if len(words) <= most else " ".join(words[:most]).rstrip(",;:") + " …"
