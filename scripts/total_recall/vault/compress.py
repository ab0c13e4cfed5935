"""Prose in fewer words."""

import re

from total_recall.vault import markdown

MOST_WORDS = 30  # what a reader takes in at a glance

_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_ENDS = (".", "!", "?", ":", ";", ",")

# What is no prose and stays as it is: code, links, addresses, quoted names, table rows. The
# bounds keep hostile text from costing more than its length.
_KEPT = (
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|(?P<ticks>`{1,2})(?!`)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)"
    r"|\[\[[^\[\]\n]{0,300}\]\]|!?\[[^\[\]\n]{0,300}\]\([^()\n]{0,500}\)|<[^<>\n]{0,300}>"
    r"|\b[A-Za-z][A-Za-z0-9+.-]{0,15}://\S+|\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|^[ \t]*\|[^\n]*"
)
# An "A" further in a sentence is a name: plan A.
_ARTICLE = r"[Tt]he|[Aa]n|a|(?<![^.!?:;] )A(?= [a-z`])"
# Neither modals nor "only", "just", "rather" and "at least": they change what a sentence says.
_FILLER = (
    r"[Pp]lease|[Kk]indly|[Bb]asically|[Ee]ssentially|[Aa]ctually|[Rr]eally|[Ss]imply|[Vv]ery"
    r"|[Qq]uite|[Oo]f course,?|[Ii]n order(?=[ \t]+to\b)|[Nn]ote that"
)
_SHORTENED = re.compile(
    rf"(?P<kept>{_KEPT})|(?<![^\s(*_>])(?:{_ARTICLE}|(?P<filler>{_FILLER}))[ \t]+"
    r"(?=[(*_]*[^\W\d_]{2}|[`\"“\[])",
    re.DOTALL | re.MULTILINE,
)
# "not very fast" is not "not fast": what stands behind one of these in its clause stays.
_NEGATION = re.compile(r"\b(?:not?|nor|none|never|cannot|without|hardly)\b|n['’]t\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.,;:!?\n]")
# Words of English sentences; "an" and "a" are no articles in other languages.
_ENGLISH = re.compile(
    r"\b(?:the|and|is|are|to|of|we|for|with|this|it|use|that|in)\b", re.IGNORECASE
)


def terse(text: str) -> str:
    """Give English prose without articles, fillers and pleasantries, all else byte for byte.

    >>> terse("Please use the queue in order to `log the error` of a [[job]], never the API.")
    'use queue to `log the error` of [[job]], never API.'
    >>> terse("Wir hängen an der Queue")
    'Wir hängen an der Queue'
    """
    return _SHORTENED.sub(_shortened, text) if _ENGLISH.search(text) else text


def _shortened(found: re.Match[str]) -> str:
    if found["kept"]:
        return found[0]
    if found["filler"]:
        clause = _CLAUSE_END.split(found.string[max(0, found.start() - 200) : found.start()])[-1]
        if _NEGATION.search(clause):
            return found[0]
    return ""


def brief(text: str, most: int = MOST_WORDS, *, is_prose: bool = False) -> str:
    """Give the start of a section on one line, at most `most` words; `…` marks a cut.

    List items and paragraphs are joined by `;`, and code blocks left out. Prose is made terse.

    >>> brief("We use JWT.\\n\\n- short lived\\n- signed")
    'We use JWT. short lived; signed'
    >>> brief("one two three", most=2)
    'one two …'
    """
    plain = _TABLE_RULE.sub("", _IMAGE.sub("", markdown.without_fences(text)))
    blocks = (" ".join(block.split()) for block in markdown.blocks(plain))
    items = map(terse, blocks) if is_prose else blocks
    line = ""
    for item in items:
        if item:
            joint = "" if not line else " " if line.endswith(_ENDS) else "; "
            line += joint + item
        if line.count(" ") > most:
            break
    words = line.split(" ")
    return line if len(words) <= most else " ".join(words[:most]).rstrip(",;:") + " …"
