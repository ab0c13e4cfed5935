"""A session while it is read: turns and tool calls in order, each with its id, time and bytes."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, tzinfo
from typing import Any

from total_recall.sessions import model, times
from total_recall.sessions.model import Facts, ToolCall, Turn
from total_recall.sessions.records import Faults, Record
from total_recall.sessions.stored import canonical, storable, text_sha

MAX_INPUT = 4096
MAX_OUTPUT_END = 512  # so much of an output's head, and of its tail

_FACTS = tuple(each.name for each in fields(Facts))

Known = Callable[[str], bytes | None]


class ReachesBackError(Exception):
    """A record changes what has been given away, so the file must be read as a whole."""


def cut(text: str, head: int, tail: int) -> str:
    """Give a text's head and tail, with the number of characters left out between them."""
    if len(text) <= head + tail:
        return text
    left = f"[… {len(text) - head - tail:,} characters …]"
    return f"{text[:head]}\n{left}\n{text[len(text) - tail :]}"


@dataclass(slots=True)
class Mark:
    """How far a file was read for good: reading may go on from here with these facts alone."""

    offset: int = 0
    line: int = 1
    turns: int = 0
    calls: int = 0
    time: str = ""
    faults: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Entry:
    """A turn that may still grow: its parts, and a running hash of its records."""

    native: str
    seq: int
    role: str
    kind: str
    parts: list[str]
    time: str
    time_quality: str
    spans: list[model.Span]
    places: list[str]
    sha: "hashlib._Hash"
    is_sidechain: bool
    seen: set[str]
    abandoned: bool = False

    def text(self) -> str:
        return _joined(self.parts)


class Draft:
    """Collects one session.

    Turns before the latest mark are given away by `drain`, whole; with `patient` nothing is
    before the end. `known` gives the hash of the text of a turn that was given away earlier.
    """

    def __init__(
        self,
        facts: Facts,
        *,
        latest: str,
        mark: Mark,
        known: Known,
        faults: Faults,
        patient: bool,
    ) -> None:
        self.facts = facts
        self.facets: dict[str, list[tuple[str, ...]]] = {}
        self.unknown: dict[str, int] = dict(mark.unknown)
        self.mark = mark
        self.resumed = mark.offset > 0
        self._latest = latest  # what is later cannot be true
        self._known = known
        self._faults = faults
        self._patient = patient
        self._time = mark.time
        self._seq = mark.turns
        self._calls = mark.calls
        self._given = mark.turns  # turns before this seq have been given away
        self._open: list[_Entry] = []
        self._by_native: dict[str, _Entry] = {}
        self._pending: dict[str, ToolCall] = {}
        self._done: list[ToolCall] = []
        self._seen_calls: set[str] = set()
        self._undated = False  # whether a turn's time is still to be found

    # What readers say

    def at(self, value: Any, zone: tzinfo = UTC) -> tuple[str, str]:
        """Give the time of a record and its quality, and widen the session's span by it."""
        stored, knows_zone = times.utc(value, zone)
        if not stored:
            return self._time, model.INHERITED if self._time else model.OF_FILE
        quality = model.EXACT
        if not knows_zone or not times.EARLIEST <= stored <= self._latest:
            quality = model.ASSUMED
        self._time = stored
        facts = self.facts
        if not facts.started or stored < facts.started:
            facts.started = stored
            facts.time_quality = quality
        facts.ended = max(facts.ended, stored)
        return stored, quality

    def spans(self, value: Any, zone: tzinfo = UTC) -> None:
        """Widen the session's span by a time that belongs to no record."""
        before = self._time
        self.at(value, zone=zone)
        self._time = before

    def add(
        self,
        record: Record,
        parts: Sequence[str],
        *,
        native: str,
        role: str,
        kind: str,
        at: tuple[str, str],
        is_sidechain: bool = False,
        merge: bool = False,
        before: Sequence[Record] = (),
    ) -> None:
        """Add a message of these parts. Without a `native` id its place in the file names it.

        One of an id that is there is the same turn if its text is equal, and else a second one.
        With `merge` its parts are more of that message: those that continue what is there take
        its place, others are put behind it. `before` are its records so far, without text.
        """
        name = native or self._place(record)
        entry = self._by_native.get(name)
        if entry and merge:
            self._extend(entry, record, parts)
            return
        if merge and self._given and self._known(name) is not None:
            raise ReachesBackError
        number = 1
        unique = name
        while (known := self._sha(unique)) is not None:
            if known == _text_sha(_joined(parts)):
                return
            number += 1
            unique = f"{name}~{number}"
        entry = _Entry(
            unique, self._seq, role, kind, list(parts), *at, [], [],
            hashlib.sha256(), is_sidechain, set(),
        )  # fmt: skip
        for each in (*before, record):
            self._join(entry, each)
        self._seq += 1
        self._undated = self._undated or not entry.time
        self._open.append(entry)
        self._by_native[unique] = entry

    def take_in(self, record: Record, native: str) -> bool:
        """Count a record without text to the message of this id; say whether there is one."""
        entry = self._by_native.get(native)
        if entry:
            self._join(entry, record)
        return entry is not None

    def call(self, call_id: str, name: str, given: str) -> None:
        """Add a tool call after the turn so far."""
        key = call_id or f"#{self._calls}"
        if key in self._seen_calls:
            return
        self._seen_calls.add(key)
        self._pending[key] = ToolCall(
            storable(call_id)[0],
            self._calls,
            self._seq - 1,
            storable(name)[0],
            storable(cut(given, MAX_INPUT, 0))[0],
        )
        self._calls += 1

    def result(self, call_id: str, output: str, status: str) -> None:
        """Add what a tool gave; without an id it answers the oldest open call."""
        key = call_id or next(iter(self._pending), "")
        call = self._pending.pop(key, None)
        if call is None:
            if self.resumed and call_id:
                raise ReachesBackError
            return
        safe, _ = storable(cut(output, MAX_OUTPUT_END, MAX_OUTPUT_END))
        call.output, call.output_length, call.status = safe, len(output), status
        self._done.append(call)

    def count_unknown(self, kind: str) -> None:
        """Count a record or a block of a type that no rule reads."""
        name = storable(kind[:60])[0]
        self.unknown[name] = self.unknown.get(name, 0) + 1

    def name(self, title: str, rank: int) -> None:
        """Take a title, unless one of a higher rank is there."""
        if title.strip() and rank >= self.facts.title_rank:
            self.facts.title = storable(" ".join(title.split())[:200])[0]
            self.facts.title_rank = rank

    def abandon(self, first: int) -> None:
        """Mark the turns from this seq on as branched away from."""
        if first < self._given:
            raise ReachesBackError
        for entry in self._open:
            if entry.seq >= first:
                entry.abandoned = True

    @property
    def seq(self) -> int:
        """The seq of the next turn."""
        return self._seq

    def set_mark(self, record: Record) -> None:
        """Say that nothing before this record changes any more, as far as can be told."""
        self._seen_calls = set()
        if record.place or self._undated:
            return
        self.mark = Mark(
            record.start,
            record.line,
            self._seq,
            self._calls,
            self._time,
            self._faults.count,
            dict(self.unknown),
            {name: getattr(self.facts, name) for name in _FACTS},
        )

    # What the importer takes

    def drain(self, *, end: bool = False) -> Iterator[Turn | ToolCall]:
        """Give away what will not change: what stands before the mark, at the end everything."""
        if self._patient and not end:
            return
        calls, self._done = self._done, []
        if end:
            calls += self._pending.values()
            self._pending = {}
        yield from calls
        keep = [] if end else [entry for entry in self._open if entry.seq >= self.mark.turns]
        for entry in self._open[: len(self._open) - len(keep)]:
            del self._by_native[entry.native]
            if not entry.time:
                entry.time = self.facts.started
            yield _finished(entry)
        self._given = max(self._given, self._seq - len(keep))
        self._open = keep

    # Inner

    def _place(self, record: Record) -> str:
        if record.place:
            return record.place.rpartition("/")[2]
        return f"L{record.line}" + (f".{record.nth}" if record.nth > 1 else "")

    def _sha(self, native: str) -> bytes | None:
        entry = self._by_native.get(native)
        if entry:
            return _text_sha(entry.text())
        return self._known(native) if self._given else None

    def _extend(self, entry: _Entry, record: Record, parts: Sequence[str]) -> None:
        if not self._join(entry, record):
            return
        held = entry.parts
        if len(parts) >= len(held) and all(map(str.startswith, parts, held)):
            held[:] = parts
        elif parts[0].startswith(held[-1]):
            held[-1:] = parts
        elif list(parts) != held[-len(parts) :]:
            held += parts

    def _join(self, entry: _Entry, record: Record) -> bool:
        """Take a record's bytes into a turn; say whether they are new to it."""
        uuid = _uuid(record)
        if uuid and uuid in entry.seen:
            return False
        entry.seen.add(uuid)
        if record.end:
            entry.spans.append((record.start, record.end))
        if record.place:
            entry.places.append(record.place)
        entry.sha.update(canonical(record.value) if record.place else record.raw)
        return True


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(parts)


def _uuid(record: Record) -> str:
    uuid = record.value.get("uuid")
    return uuid if isinstance(uuid, str) else ""


def _text_sha(text: str) -> bytes:
    return text_sha(storable(text)[0])


def _finished(entry: _Entry) -> Turn:
    text, lossy = storable(entry.text())
    return Turn(
        storable(entry.native)[0],
        entry.seq,
        entry.role,
        entry.kind,
        text,
        lossy,
        entry.time,
        entry.time_quality,
        tuple(entry.spans),
        ",".join(entry.places),
        entry.sha.digest(),
        entry.is_sidechain,
        entry.abandoned,
    )
