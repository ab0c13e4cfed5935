"""Transcript formats: each tells its own records, and reads them into a draft."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Protocol

from total_recall.sessions.draft import Draft
from total_recall.sessions.records import Record

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Origin:
    """Where records come from: the file's stem and folders, and what lies beside it.

    `beside` is the value of the `.json` file that describes a `.jsonl` file, `is_beside` says
    whether a session has a file of its own in the same folder, `zone` is this machine's.
    """

    stem: str
    folders: Sequence[str]
    zone: tzinfo
    beside: Value
    is_beside: Callable[[str], bool]


class Reader(Protocol):
    """Reads the records of one session, in file order."""

    def take(self, record: Record) -> None:
        """Read one record."""


@dataclass(frozen=True)
class Format:
    """A transcript format.

    `tells` says whether a record can only be of this format. `session` gives the id of the
    session that a record belongs to; empty if it does not say. In a file that is one document,
    `unfold` gives the records that its value stands for, by their keys; None if the value itself
    is the record.
    """

    name: str
    tells: Callable[[Value], bool]
    session: Callable[[Origin, Record], str]
    reader: Callable[[Origin, Draft], Reader]
    unfold: Callable[[Value], Iterator[tuple[str, Value]] | None] = lambda _: None


def formats() -> tuple[Format, ...]:
    """Give the formats, in the order in which they are asked."""
    from total_recall.sessions.formats import claude, cocoplus, cortex

    return cocoplus.FORMAT, cortex.FORMAT, claude.FORMAT
