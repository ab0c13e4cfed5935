"""Claude Code transcripts that nobody wrote: seeded, with words as frequent as those of prose."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from uuid import UUID

WORDS = 30_000
TURN_LOGARITHM = 5.61  # of a turn's characters, on average: 40,000 turns hold 17.5 MB
FIRST_DAY = datetime(2025, 1, 6, 9, tzinfo=UTC)
COMMON = (
    "the of to and a in is it you that was for on are with as be this have from or one by not but "
    "what all were when we there can an your which their if do will each about how up out them "
    "then she many some so these would other into has more two like him see time could no make "
    "than first been its who now people my made over did down only way find use may long little "
    "very after words called just where most know get through back much before go good new write "
    "our used me man too any day same right look think also around another came come work three"
).split()
_SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo za bra cle dri flo gru pla ske "
    "sti tro ver con ment tion ing er al ic ous per pre"
).split()
_TABLES = ("RAW.PUBLIC.ORDERS", "ANALYTICS.CORE.DIM_CUSTOMER", "STAGE_EVENTS", "MART.FIN.REVENUE")
_FOLDERS = ("src", "models/staging", "app/api", "tests", "pipelines")


@dataclass(frozen=True)
class Shape:
    """How many turns there are, and what tools give beside them.

    Of the replies one in `calls_every` calls a tool, whose output has `output_characters`.
    """

    turns: int
    sessions: int
    calls_every: int = 4
    output_characters: int = 400


def vocabulary(drawn: random.Random) -> list[str]:
    """Give words, the commonest first: those of English, then made ones."""
    common = list(dict.fromkeys(COMMON))
    made: dict[str, None] = {}
    while len(common) + len(made) < WORDS:
        made["".join(drawn.choices(_SYLLABLES, k=drawn.choice((2, 2, 3, 3, 4))))] = None
    # The commoner a word, the shorter it tends to be.
    return common + sorted(made, key=lambda word: len(word) + 6 * drawn.random())


class Text:
    """Gives text by Zipf's law, with names, paths and statements among the words."""

    def __init__(self, seed: int) -> None:
        self.words = vocabulary(random.Random(1))  # the same for every seed
        self._drawn = random.Random(seed)
        # Mandelbrot's form: word number n is as frequent as 1 / (n + 2.7).
        self._shares = list(accumulate(1 / (number + 2.7) for number in range(1, WORDS + 1)))

    def some(self, characters: int) -> str:
        """Give about that many characters of sentences, and now and then what code names."""
        drawn = self._drawn
        words = drawn.choices(self.words, cum_weights=self._shares, k=max(3, characters // 7))
        for at in range(drawn.randrange(25), len(words), 25):
            words[at] = self._named(words[at], words[at - 1])
        for at in range(12, len(words) - 1, 13):
            words[at] += "."
        for at in range(90, len(words) - 1, 91):
            words[at] += "\n\n"
        return " ".join(words)

    def _named(self, one: str, other: str) -> str:
        kind = self._drawn.randrange(7)
        if kind == 0:
            return f"{one}_{other}"
        if kind == 1:
            return f"{one}{other.capitalize()}()"
        if kind == 2:
            return f"`{self._drawn.choice(_FOLDERS)}/{one}_{other}.py`"
        if kind == 3:
            table = self._drawn.choice(_TABLES)
            return f"\n```sql\nSELECT {one}_id, count(*) FROM {table} GROUP BY 1\n```\n"
        if kind == 4:
            return f"SNOWFLAKE.CORTEX.COMPLETE('{one}')"
        return one

    def length(self) -> int:
        """Give the length of a turn: many are short, a few are very long."""
        return int(min(6000, self._drawn.lognormvariate(TURN_LOGARITHM, 1.0)))


def write(folder: Path, shape: Shape, seed: int = 1) -> int:
    """Write the sessions of a shape, each a file; give the characters of their turns."""
    folder.mkdir(parents=True, exist_ok=True)
    text = Text(seed)
    outputs = _Outputs(text, shape.output_characters)
    whole = 0
    left = shape.turns
    for number in range(shape.sessions):
        many = left // (shape.sessions - number)
        left -= many
        session = str(UUID(int=random.Random(f"{seed} {number}").getrandbits(128), version=4))
        with (folder / f"{session}.jsonl").open("w", encoding="utf-8") as file:
            for size, line in _lines(session, number, many, shape, text, outputs):
                whole += size
                file.write(line)
    return whole


def more(folder: Path, turns: int, seed: int = 2) -> None:
    """Write more turns behind those of the first session."""
    path = min(folder.glob("*.jsonl"))
    text = Text(seed)
    with path.open("a", encoding="utf-8") as file:
        for _, line in _lines(path.stem, seed * 1000, turns, Shape(turns, 1), text, None):
            file.write(line)


class _Outputs:
    """Outputs of tools, from a store of ready ones, as JSON: to draw each would take too long."""

    def __init__(self, text: Text, characters: int) -> None:
        self._ready = [self._one(text, characters) for _ in range(40)]
        self._next = 0

    @staticmethod
    def _one(text: Text, characters: int) -> str:
        words = text.some(characters).split(" ")
        lines = (
            f"src/{words[at]}.py:{at}: {' '.join(words[at : at + 9])}"
            for at in range(0, len(words), 9)
        )
        return json.dumps("\n".join(lines)[:characters])

    def one(self) -> str:
        self._next = (self._next + 1) % len(self._ready)
        return self._ready[self._next]


def _lines(
    session: str, number: int, turns: int, shape: Shape, text: Text, outputs: _Outputs | None
) -> Iterator[tuple[int, str]]:
    """Give each line of a session, with the characters of a turn's text that are on it."""
    at = FIRST_DAY + timedelta(hours=7 * (number % 1000))
    parent = "null"
    made = 0
    replies = 0

    def envelope(kind: str) -> str:
        nonlocal parent, made, at
        made += 1
        at += timedelta(seconds=20)
        uuid = f'"{number:08x}-{made:04x}-4000-8000-{made:012x}"'
        before, parent = parent, uuid
        return (
            f'{{"parentUuid":{before},"isSidechain":false,"userType":"external",'
            f'"cwd":"/home/dev/shop","sessionId":"{session}","version":"2.1.40",'
            f'"gitBranch":"main","type":"{kind}","uuid":{uuid},'
            f'"timestamp":"{at:%Y-%m-%dT%H:%M:%S}.{made % 1000:03}Z",'
        )

    for turn in range(turns):
        said = text.some(text.length())
        held = json.dumps(said)
        if turn % 2 == 0:
            content = f'"message":{{"role":"user","content":{held}}}}}\n'
            yield len(said), envelope("user") + content
            continue
        replies += 1
        message = f"msg_{number:06x}{turn:06x}"
        head = f'"message":{{"id":"{message}","type":"message","role":"assistant",'
        head += '"model":"claude-sonnet-4-5","content":['
        tail = '],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":70}}}\n'
        block = f'{{"type":"text","text":{held}}}'
        yield len(said), envelope("assistant") + head + block + tail
        if outputs is None or replies % shape.calls_every:
            continue
        call = f"toolu_{number:06x}{turn:06x}"
        given = '{"command":"rg -n retry src","description":"Look for retries"}'
        block = f'{{"type":"tool_use","id":"{call}","name":"Bash","input":{given}}}'
        yield 0, envelope("assistant") + head + block + tail
        output = outputs.one()
        result = f'{{"tool_use_id":"{call}","type":"tool_result","content":{output}}}'
        # The host writes an output twice.
        content = f'"message":{{"role":"user","content":[{result}]}},'
        content += f'"toolUseResult":{{"stdout":{output},"stderr":"","interrupted":false}}}}\n'
        yield 0, envelope("user") + content
