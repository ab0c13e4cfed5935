"""The things a turn names: Snowflake objects, functions, Cortex features and data concepts."""

import re
from collections.abc import Iterator, Sequence

OBJECT = "Snowflake object"
FUNCTION = "function name"
FEATURE = "Cortex API feature"
CONCEPT = "data concept"

MOST = 24  # of one turn; a listing of a thousand columns is about none of them
LONGEST = 80

_NAME = r"[A-Za-z_][\w$]*"
_CALL = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\($")
_DEFINERS = ("def ", "func ", "fn ", "function ", "procedure ", "class ")
_DEFINED = re.compile(r"([A-Za-z_]\w*)(?=[(:<{]| *\()")
_SNAKE = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w(/])")
_QUOTED = re.compile(r"`([a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+)`")

_VERBS = ("create ", "alter ", "drop ", "truncate ", "describe ", "grant ", "use ", "undrop ")
_MADE = re.compile(
    r"[\w ]{0,40}?\b(table|view|schema|database|warehouse|stage|stream|task|pipe|role|procedure"
    rf"|function|sequence)\s+(?:if\s+(?:not\s+)?exists\s+)?(\"?{_NAME}\"?(?:\.\"?{_NAME}\"?){{0,2}})",
    re.IGNORECASE,
)
_INTO = ("into ", "join ")
_FROM = ("from ", "update ")
_READ = re.compile(rf"({_NAME}(?:\.{_NAME}){{1,2}}|[A-Z][A-Z0-9_$]{{2,}})(?![\w(./])")
_QUALIFIED = re.compile(r"(?<![\w./])[A-Z][A-Z0-9_]+(?:\.[A-Z][A-Z0-9_]+){1,2}(?![\w(/])")

_FEATURES = frozenset(
    "COMPLETE EXTRACT_ANSWER SUMMARIZE SENTIMENT TRANSLATE CLASSIFY_TEXT PARSE_DOCUMENT EMBED_TEXT"
    " EMBED_TEXT_768 EMBED_TEXT_1024 FINETUNE SEARCH_PREVIEW COUNT_TOKENS".split()
)
_FEATURE = re.compile(
    r"\bCORTEX\.([A-Z][A-Z0-9_]+)|\b(AI_[A-Z]+(?:_[A-Z]+)*)\b|\bCortex\s+(Search|Analyst|Agents?)\b"
)
_FEATURE_SIGNS = ("CORTEX.", "AI_", "Cortex ")

_FILE_SIGN = re.compile(r"\.[a-z]")
_FILE = re.compile(
    r"(?<![\w/.-])(?:[\w-]+/)*[\w-][\w.-]*\.(?:py|sql|ts|tsx|js|jsx|go|rs|java|rb|md|ya?ml|toml|json"
    r"|css|html|sh|c|h|cpp|kt|swift)\b(?![/(])"
)

# Words that stand before a parenthesis, or between the words of a statement, and name nothing.
_NO_NAMES = frozenset(
    """
    if for while switch catch return and or not in is as with on by from where select values
    insert into update delete set join using over partition when then else elif case print len
    str int float list dict set tuple range type self super this function def class import
    except raise assert await async new sizeof typeof void bool char end exists the a an it of
    to be was table view any all each some key primary foreign references unique check default
    varchar number decimal numeric integer text timestamp date boolean count sum min max avg
    e.g i.e eg ie etc see note
    """.split()
)


def entities(text: str) -> dict[str, str]:
    """Give what a text names, with the type of each, in the order of their first mention by type.

    >>> entities("SELECT * FROM RAW.PUBLIC.ORDERS, then retry_after in api.py calls load_orders()")
    {'RAW.PUBLIC.ORDERS': 'Snowflake object', 'load_orders': 'function name', \
'retry_after': 'data concept', 'api.py': 'data concept'}
    >>> entities("use SNOWFLAKE.CORTEX.COMPLETE here (really), if (it) works")
    {'COMPLETE': 'Cortex API feature'}
    """
    found: dict[str, str] = {}
    for name, kind in _named(text):
        if len(name) <= LONGEST and name.lower() not in _NO_NAMES:
            found.setdefault(name, kind)
            if len(found) == MOST:
                break
    return found


def _named(text: str) -> Iterator[tuple[str, str]]:
    """Give every name; each pattern runs only where a sign of it is there."""
    if any(sign in text for sign in _FEATURE_SIGNS):
        for found in _FEATURE.finditer(text):
            yield next(part for part in found.groups() if part), FEATURE
    folded = text.lower()
    if len(folded) != len(text):  # then places in one are none in the other
        folded = text
    yield from _objects(text, folded)
    yield from _functions(text, folded)
    yield from _concepts(text)


def _objects(text: str, folded: str) -> Iterator[tuple[str, str]]:
    """Give what statements make, change and read, and whatever stands qualified in capitals."""
    for found in _after(_VERBS, _MADE, text, folded):
        name = found[2].replace('"', "")
        if name.isupper() or "_" in name or "." in name or found[1].isupper():
            yield name, FUNCTION if found[1].lower() in ("function", "procedure") else OBJECT
    for found in _after(_INTO, _READ, text, folded):
        if found[1].isupper() or "." in found[1] or "_" in found[1]:
            yield found[1], OBJECT
    for found in _after(_FROM, _READ, text, folded):
        # Prose and Python say "from" too, but neither in capitals.
        if found[1].isupper() or text[found.start() - 2].isupper():
            yield found[1], OBJECT
    if _joins_capitals(text):
        for found in _QUALIFIED.finditer(text):
            if "CORTEX." not in found[0]:
                yield found[0], OBJECT


def _joins_capitals(text: str) -> bool:
    """Say whether a point stands between capitals, which is rarer than either."""
    at = text.find(".")
    while at >= 0:
        if text[at - 1 : at].isupper() and text[at + 1 : at + 2].isupper():
            return True
        at = text.find(".", at + 1)
    return False


def _functions(text: str, folded: str) -> Iterator[tuple[str, str]]:
    """Give names that are called, right before a parenthesis, and names that are defined."""
    at = text.find("(")
    while at >= 0:
        found = _CALL.search(text, max(0, at - LONGEST), at + 1)
        if found and found[1] in _FEATURES:
            yield found[1], FEATURE
        elif found and not found[1].isupper():
            yield found[1], FUNCTION
        at = text.find("(", at + 1)
    for found in _after(_DEFINERS, _DEFINED, text, folded):
        yield found[1], FUNCTION


def _concepts(text: str) -> Iterator[tuple[str, str]]:
    """Give names in snake case, quoted names in camel case, and files."""
    # None of them holds a blank, so the patterns need to see few of the words.
    signs = [word for word in text.split() if "_" in word or "." in word or "`" in word]
    few = " ".join(signs)
    if "_" in few:
        for found in _SNAKE.finditer(few):
            yield found[0], CONCEPT
    if "`" in few:
        for found in _QUOTED.finditer(few):
            yield found[1], CONCEPT
    if _FILE_SIGN.search(few):
        for found in _FILE.finditer(few):
            yield found[0], CONCEPT


def _after(
    words: Sequence[str], pattern: re.Pattern[str], text: str, folded: str
) -> Iterator[re.Match[str]]:
    """Give the matches of a pattern right behind any of the words, which is quick to look for."""
    for word in words:
        at = folded.find(word)
        while at >= 0:
            if not folded[at - 1 : at].isalnum():
                found = pattern.match(text, at + len(word))
                if found:
                    yield found
            at = folded.find(word, at + 1)
