"""What looks like a credential, and its mask."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

# A value that only points at a credential (a variable, a call, a path, a link).
_REFERENCE = re.compile(
    rb"(?i)^\$(?:[a-z_{(]|$)|^[<{\[]|^%[^%]+%$|[\w.]\(|\(\?|\$\{|\{\{|\{[\w.]*\}|://|^[a-z]:[\\/]"
    rb"|^sha\d+[:-]|^env[.:]|environ|process\.env|example|\.\.\."
)
# What people write in place of a value.
_FILLER = re.compile(
    rb"(?i)pass(?:word|wd|phrase)?|secret|token|key|your|change|placeholder|dummy|fake|test|sample"
    rb"|redacted|hidden|insert|here|default|user|value|string|foo|bar|baz|none|null|abc|xyz|x{3,}"
    rb"|\*{3,}|123\d*"
)
# Between dashes, dots and slashes: a word or a short number, as in names, paths and versions.
_WORD = re.compile(rb"(?<![A-Za-z0-9])(?:[A-Za-z]{1,20}|[0-9]{1,4})(?![A-Za-z0-9])")


def _varied(value: bytes) -> bool:
    """Not of the kind `ghp_xxxxxxxx`."""
    return len(set(value)) > 6 and b"example" not in value.lower()


def _real(value: bytes) -> bool:
    """Neither a reference nor a filler."""
    return not _REFERENCE.search(value) and len(_FILLER.sub(b"", value)) >= 3


def _chosen(value: bytes) -> bool:
    """As a person makes up a password: letters, and a digit or a sign that joins no words."""
    rest = _FILLER.sub(b"", value).rstrip(b"?!:*")
    mixed = re.search(rb"[A-Za-z]", rest) and re.search(rb"[^A-Za-z\x80-\xff_./:-]", rest)
    return bool(mixed) and len(rest) >= 6 and value[0] not in b"/~.#" and _real(value)


def _random(value: bytes) -> bool:
    """As a machine makes up a key: what is left without words, names and versions is long."""
    rest = re.sub(rb"[^A-Za-z0-9]", b"", _WORD.sub(b"", _FILLER.sub(b"", value)))
    digits = len(re.findall(rb"[0-9]", rest))
    return 2 <= digits < len(rest) >= 12 and _varied(rest) and _real(value)


@dataclass(frozen=True)
class Pattern:
    """One kind of credential.

    Every match begins with a keyword; one in small letters stands for any case. What is masked
    is the last group of the match (the value of an assignment), or without groups all of it.
    """

    name: str
    keywords: tuple[bytes, ...]
    source: str
    plausible: Callable[[bytes], bool]

    @cached_property
    def regex(self) -> re.Pattern[bytes]:
        """The pattern, made when its keyword is met: most texts meet none."""
        return re.compile(self.source.encode(), re.VERBOSE)


def _pattern(
    name: str, keywords: str, source: str, plausible: Callable[[bytes], bool] = _varied
) -> Pattern:
    return Pattern(name, tuple(keywords.encode().split()), source, plausible)


# Runs are taken whole and possessively (`*+`), and a match that could fail late starts only where
# a run does: so no byte is read more than a few times whatever the text, and what stands beside a
# mask is judged as it was before. In JSON a line break is two characters, and a run starts behind.
_START = r"(?:(?<![\w-])|(?<=\\[nrt]))"
_REST = r"[\w-]*+"

# Credentials that show by their own form; all lie in a long run of `_RUN`.
_TOKENS = (
    _pattern("aws-access-key", "AKIA ASIA", _START + r"A[KS]IA[A-Z2-7]{16}" + _REST),
    _pattern("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_\w{36}" + _REST),
    _pattern("github-token", "github_pat_", r"github_pat_\w{36}" + _REST),
    _pattern(
        "gitlab-token", "glpat- gldt- glrt- glptt-", r"gl[a-z]{2,3}-[\w-]{20,}+(?:\.[\w-]{9,}+)*+"
    ),
    _pattern("slack-token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[\w-]{15}" + _REST),
    _pattern("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/[a-z]{1,12}/([\w/-]{20,}+)"),
    _pattern("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_\w{4}_\w{16}" + _REST),
    _pattern("stripe-key", "whsec_", r"whsec_[\w+/]{24}[\w+/-]*+=*+"),
    _pattern("anthropic-key", "sk-ant-", r"sk-ant-[a-z0-9]{2,12}-[\w-]{32}" + _REST),
    _pattern("openai-key", "sk-", _START + r"sk-(?!ant-|ecdsa-|ssh-)[\w-]{20}" + _REST, _random),
    _pattern("google-key", "AIza", _START + r"AIza[\w-]{35}" + _REST),
    _pattern("google-key", "GOCSPX-", r"GOCSPX-[\w-]{28}" + _REST),
    _pattern("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}" + _REST),
    _pattern("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{50}" + _REST),
    _pattern("sendgrid-key", "SG.", r"SG\.[\w-]{22}\.[\w-]{43}" + _REST),
    _pattern("twilio-key", "SK", _START + r"SK[0-9a-f]{32}" + _REST),
    _pattern("telegram-token", ":AA", r"(?<=\d{8}):(AA[\w-]{33,}+)"),
    _pattern("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{34}" + _REST),
    _pattern("jwt", "eyJ", _START + r"eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+(?:\.[\w-]{10,}+)++"),
    _pattern("azure-key", "accountkey=", r"(?i:accountkey)=([\w+/-]{86,}+=*+)"),
    _pattern("azure-key", "sharedaccesskey=", r"(?i:sharedaccesskey)=([\w+/-]{43,}+=*+)"),
    _pattern("azure-key", "sig=", r"(?<=[?&;])sig=([\w%+/-]{43,}+=*+)"),
)

# From the end of a name to its value: in JSON (also in a string), code and YAML; in shell and XML.
_TO_QUOTED = (
    r"""\\{0,3}(?:["'`]\]?)?\s{0,4}(?::\s{0,4}[\w.|\[\]]{1,24}\s?=|=>|:=|={1,3}|:)"""
    r"""\s{0,4}[bru]?\\{0,3}"""
)
_QUOTED = r"""(?:"([^\s"]{6,}?)\\{0,3}"|'([^\s']{6,}?)\\{0,3}'|`([^\s`]{6,}?)`)"""
_TO_BARE = r"""["']?[\ \t]{0,2}(?:={1,2}|:|>)[\ \t]?"""
_BARE = r"([\w+/~!@\#^*-][\w+/.~%!@\#^*$-]{5,}+={0,2})(?![(\[{])"
_OPTION = r"(?:(?<=--)|(?<=--api-))"
_CHOSEN_NAME = r"(?i:pass(?:word|wd|phrase)|(?<![a-z])pass|pwd)"
_RANDOM_NAME = (
    r"(?i:(?:password|passwd|passphrase|secret|token"
    r"|(?:(?<=api)|(?<=access)|(?<=(?:api|ess|ate|uth)[\ _-]))key)"
    r"(?:[\ _-]?(?:access|key|value|base|\d{1,2})){0,3})"
)

# Credentials that show by what stands before them.
_VALUES = (
    _pattern(
        "private-key",
        "-----BEGIN",
        r"""-----BEGIN\ (?:[A-Z0-9]{1,10}\ ){0,3}PRIVATE\ KEY(?:\ BLOCK)?-----(?:
        # whole, with whatever headers, quotation marks or line numbers
        (?>[\s\S]*?(?:[A-Za-z0-9+/]{40}|-----))(?<!-)(?>[\s\S]*?-----)
        END\ (?:[A-Z0-9]{1,10}\ ){0,3}PRIVATE\ KEY(?:\ BLOCK)?-----[\w-]*+
        # cut off: the full lines that are left
        |(?:(?:\\[nr]|\d{1,6}(?![A-Za-z0-9+/=])|[^A-Za-z0-9+/=-]){1,24}+[A-Za-z0-9+/=]{40,}+)+)""",
    ),
    _pattern(
        "url-password",
        "://",
        r"""://[^\s/:@"'`<>]{0,100}:([^\s/?\#"'`<>]{3,200})@(?!sha)(?:\w|\[[0-9a-f:])""",
        _real,
    ),
    _pattern("bearer-token", "bearer", r"(?i:bearer)[ ]{1,4}([\w.~+/-]{16,}+={0,2})", _random),
    _pattern(
        "authorization",
        "authorization",
        r"""(?i:authorization\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?(?:basic|token))[ ]
        ([\w.~+/-]{12,}+={0,2})""",
        _random,
    ),
    _pattern(
        "aws-secret-key",
        "secret",
        rf"""(?i:secret[ _-]?(?:access)?[ _-]?key)(?:{_TO_QUOTED}["'`]|{_TO_BARE})
        ([A-Za-z0-9/+]{{40}})(?![\w/+=\[-])""",
    ),
    _pattern(
        "password",
        "pass pwd",
        rf"""{_CHOSEN_NAME}{_TO_QUOTED}{_QUOTED}
        |(?:PASS(?:WORD|WD|PHRASE)|(?<=_)(?:PASS|PWD))(?:=|:\ ){_BARE}|{_OPTION}password[ =]{_BARE}
        |(?:(?<=[;&?])|(?<=[;&?]\ )){_CHOSEN_NAME}\ ?=\ ?([^\s;&"'`<>]{{6,}}+)""",
        _chosen,
    ),
    _pattern(
        "secret",
        "pass secret token key",
        rf"""{_RANDOM_NAME}(?:{_TO_QUOTED}{_QUOTED}|{_TO_BARE}{_BARE})
        |{_OPTION}(?:token|secret|key)[ =]{_BARE}""",
        _random,
    ),
)
PATTERNS = (*_TOKENS, *_VALUES)

# A token lies in a run of at least so many of these bytes, and prose has few such runs: asking
# them alone for the many token keywords is what makes masking quick.
_RUN_BYTES = 20
_RUN = bytes(ord("x" if re.match(rb"[\w.:/+=-]", bytes([at])) else " ") for at in range(256))


def _by_keyword(patterns: tuple[Pattern, ...]) -> dict[bytes, list[Pattern]]:
    watched = defaultdict(list)
    for pattern in patterns:
        for keyword in pattern.keywords:
            watched[keyword].append(pattern)
    return dict(watched)


_TOKEN_WATCH = _by_keyword(_TOKENS)
_VALUE_WATCH = _by_keyword(_VALUES)


@dataclass(frozen=True)
class Masked:
    """A text without its credentials, and how many they were."""

    text: str
    count: int


def mask(text: str) -> Masked:
    """Give the text with `[masked <name>]` in place of whatever looks like a credential.

    A careful guess: a token is known by its form, a password by the name before it, and what
    is plainly a placeholder, a variable, a hash or prose stays. Masking twice changes nothing.

    >>> mask('export DB_PASSWORD="hunter2-again"')
    Masked(text='export DB_PASSWORD="[masked password]"', count=1)
    >>> mask('password = "changeme", commit d1c9a2b7, token: the unit of cost').count
    0
    """
    # Bytes keep their offsets when their case is folded, and any text is searched equally fast.
    data = text.encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    done = count = 0
    # The earliest and longest wins; what a later one has beyond it is not shown either.
    for start, end, name in sorted(_spans(data), key=lambda span: (span[0], -span[1])):
        if start >= done:
            pieces += data[done:start], f"[masked {name}]".encode()
            count += 1
        done = max(done, end)
    if not count:
        return Masked(text, 0)
    pieces.append(data[done:])
    return Masked(b"".join(pieces).decode("utf-8", "surrogatepass"), count)


def _spans(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Each credential's place and name: where a keyword stands, its patterns are tried.

    So a text costs little more than looking for words in it, and no window has a border.
    """
    folded = data.lower()
    runs = _long_runs(folded)
    tokens = {word: kinds for word, kinds in _TOKEN_WATCH.items() if word.lower() in runs}
    for keyword, patterns in (tokens | _VALUE_WATCH).items():
        haystack = folded if keyword.islower() else data
        at = haystack.find(keyword)
        while at >= 0:
            after = at + 1
            for pattern in patterns:
                if found := pattern.regex.match(data, at):
                    group = found.lastindex or 0
                    if pattern.plausible(found[group]):
                        yield *found.span(group), pattern.name
                    if not group:  # within a run all ends alike; in a value may be another name
                        after = max(after, found.end() - len(keyword) + 1)
            at = haystack.find(keyword, after)


def _long_runs(data: bytes) -> bytes:
    shape = data.translate(_RUN) + b" "
    runs = []
    start = shape.find(b"x" * _RUN_BYTES)
    while start >= 0:
        end = shape.find(b" ", start)
        runs.append(data[start:end])
        start = shape.find(b"x" * _RUN_BYTES, end)
    return b" ".join(runs)
