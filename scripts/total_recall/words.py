"""What is the same word: folding, splitting, stemming and stop words."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

_MARKS = re.compile("[\u0300-\u036f]+")
# Scripts that write no blanks between words; they are matched by pairs of characters.
UNSPACED = (
    "\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff"
)
_FIRST_UNSPACED = "\u0e00"
_ASCII_COMPOUND = re.compile(r"[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*")
_JOINTED = re.compile(r"(?<![^\W_])[^\W_]+(?:[-_.]+[^\W_]+)+")
_JOINTS = re.compile(r"[-_.]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# Function words of English questions and sentences; they say how, not what, is asked.
STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any anyone are as at be because been before being
    below between both but by can could did do does doing don down during each either ever few for
    from further had has have having he her here hers him his how i if in into is it its itself just
    let like may me might more most much my no nor not of off on once one only or other ought our
    ours out over own per same shall she should so some someone still such than that the their
    theirs them then there these they this those through to too under until up us use used uses
    using very was we were what when where whether which while who whom whose why will with would
    yet you your yours
    """.split()
)


def fold(text: str) -> str:
    """Give the text as it is compared: compatibility forms, case and accents are levelled.

    >>> fold("Café ＡＰＩ Straße")
    'cafe api strasse'
    """
    return levelled(text)[1]


def levelled(text: str) -> tuple[str, str]:
    """Give the text without accents, and that folded; each character has one place in both.

    >>> levelled("Café Straße")
    ('Cafe Strasse', 'cafe strasse')
    """
    cased = unaccented(text)
    return cased, cased.lower() if cased.isascii() else cased.casefold()


def unaccented(text: str) -> str:
    """Level compatibility forms and accents, and keep case, which camelCase is split by."""
    if text.isascii():
        return text
    # The commonest signs of prose, and what else lower case would make longer.
    levelled = text.replace("…", "...").replace("\xa0", " ").replace("ß", "ss").replace("ẞ", "SS")
    if _is_level(levelled):
        return levelled
    # Composed again, since taking marks apart takes Korean syllables apart too.
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", levelled)))


def _is_level(text: str) -> bool:
    """Say without rewriting a text whether it holds nothing to level."""
    if not (unicodedata.is_normalized("NFKD", text) and unicodedata.is_normalized("NFC", text)):
        return False
    # The first byte of every mark; far quicker to find than the marks.
    data = text.encode("utf-8", "surrogatepass")
    return b"\xcc" not in data and b"\xcd" not in data


def compounds(text: str) -> list[str]:
    """Give the runs of letters and digits in order, inner `-`, `_` and `.` included.

    >>> compounds("Use node.js, not get_userName (v1.2)!")
    ['Use', 'node.js', 'not', 'get_userName', 'v1.2']
    """
    if text.isascii():
        return _ASCII_COMPOUND.findall(text)
    return _compound().findall(unaccented(text))


def compound_at(text: str, start: int, at: int) -> tuple[int, int]:
    """Give where the compound over the offset `at` begins and ends; `start` begins no later.

    The text is unaccented, and no compound runs over `start`.

    >>> compound_at("use rate-limits", 0, 9)
    (4, 15)
    """
    pattern = _ASCII_COMPOUND if text.isascii() else _compound()
    return next(found.span() for found in pattern.finditer(text, start) if found.end() > at)


def jointed(text: str) -> list[tuple[int, int]]:
    """Give where the compounds with joints stand in an unaccented text.

    >>> jointed("use rate-limits v1.2")
    [(4, 15), (16, 20)]
    """
    return [found.span() for found in _JOINTED.finditer(text)]


def pieces(compound: str) -> list[str]:
    """Give the folded words that one compound stands for: joined, and each of its parts.

    >>> pieces("session-refresh"), pieces("数据库")
    (['sessionrefresh', 'session', 'refresh'], ['数据', '据库'])
    >>> pieces("getUserName")
    ['getusername', 'get', 'user', 'name']
    """
    if is_unspaced(compound):
        pairs = [compound[i : i + 2] for i in range(len(compound) - 1)]
        return list(dict.fromkeys(fold(pair) for pair in pairs or [compound]))
    jointed = _JOINTS.split(compound)
    return list(dict.fromkeys([fold("".join(jointed)), *map(fold, jointed), *parts(compound)]))


def parts(compound: str) -> list[str]:
    """Give the smallest folded words of a compound.

    >>> parts("getUser-name"), parts("OAuth"), parts("API")
    (['get', 'user', 'name'], ['o', 'auth'], ['api'])
    """
    return [fold(word) for part in _JOINTS.split(compound) for word in _CAMEL.split(part)]


def is_unspaced(compound: str) -> bool:
    """Say whether a compound is a run of a script that writes no blanks between words."""
    return compound[:1] >= _FIRST_UNSPACED and _run().match(compound) is not None


# Large sets of characters take long to compile, and most texts and queries are plain.
@cache
def _compound() -> re.Pattern[str]:
    return re.compile(
        rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_])+(?:[-_.]+(?:(?![{UNSPACED}])[^\W_])+)*"
    )


@cache
def _run() -> re.Pattern[str]:
    return re.compile(rf"[{UNSPACED}]+")


@cache
def _stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stem_word: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem_word


@cache
def stem(word: str) -> str:
    """Give the Snowball stem of a folded word; short words and words with digits stay.

    >>> stem("websockets"), stem("auth"), stem("author"), stem("utf8s"), stem("js")
    ('websocket', 'auth', 'author', 'utf8s', 'js')
    """
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    return _stemmer()(word)


def root(stem_: str) -> str:
    """Give the letters that every word of this stem begins with.

    Snowball keeps a word's start and changes at most the last letter of what is left, to one of
    four (policies, policy: polici); only dying, lying and tying change more.
    With it a text is asked for a stem without stemming the text.
    """
    if not stem_.isalpha() or not stem_.isascii() or len(stem_) < 3:
        return stem_
    if len(stem_) == 3 and stem_.endswith("ie"):
        return stem_[:1]
    return stem_[:-1] if stem_[-1] in "eily" else stem_
