"""Recall's own printed answers, quoted back in a later session."""

import re

# The footer of an answer and the first line of a citation; nobody else writes either.
_FOOTER = re.compile(r"^(?:\| )*cocorecall done · \d", re.MULTILINE)
_CITED = re.compile(r"^(?:\| )*source_exists: (?:true|false) · ", re.MULTILINE)


def is_echo(text: str) -> bool:
    """Say whether a text quotes an answer of ours.

    >>> is_echo("cocorecall done · 2 of 2 hits · ~80t"), is_echo("we use cocorecall")
    (True, False)
    """
    if "cocorecall done" not in text and "source_exists" not in text:
        return False
    return bool(_FOOTER.search(text) or _CITED.search(text))
