"""A transcript file, whatever its format: its sessions' turns and tool calls, as they are read."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import islice
from typing import Any, BinaryIO

from total_recall.sessions.draft import Draft, Known, Mark
from total_recall.sessions.formats import Format, Origin, Reader, Value, formats
from total_recall.sessions.model import Facts, ToolCall, Turn
from total_recall.sessions.records import Faults, Record, read

MAX_DOCUMENT_BYTES = 256 << 20
SNIFFED_RECORDS = 40  # a file that has not told its format by then is no transcript
DRAIN_BYTES = 8 << 20  # so much is read between two times that turns are given away
END_BYTES = 4096  # of a file's head and tail, which tell whether it only grew

Item = Turn | ToolCall


@dataclass(frozen=True)
class File:
    """A file to be read: its bytes up to `size`, and what is known of it from outside.

    `latest` is the latest time that a record of it can truly have; `known` gives, for a session
    id, the hash of the text of a turn of it that is stored.
    """

    data: BinaryIO
    size: int
    stem: str
    folders: Sequence[str]
    zone: tzinfo
    latest: str
    beside: Value = field(default_factory=dict)
    is_beside: Callable[[str], bool] = lambda _: False


@dataclass(frozen=True)
class Content:
    """What a file holds: records of a format, in lines or in one document, and the first ones."""

    format: Format
    first: Sequence[Value]
    document: Any = None


class UnreadError(ValueError):
    """Why nothing of a file could be read."""


def content_of(file: File) -> Content | None:
    """Give what a file holds, judged by its records alone; None if it is no transcript.

    Raises UnreadError for a document that is damaged or too large.
    """
    first = list(islice(read(file.data, 0, file.size, 1, Faults()), SNIFFED_RECORDS))
    is_lines = bool(first) and first[0].nth == 1 and not _leading(file, first[0].start)
    if is_lines and len(first) == 1:
        content = _of_document(first[0].value)
        # Only what unfolds is a document; the first record of a file that will grow is none.
        if content and content.format.unfold(first[0].value) is not None:
            return content
    if not is_lines and _begins_document(file):
        if file.size > MAX_DOCUMENT_BYTES:
            raise UnreadError(f"one document of over {MAX_DOCUMENT_BYTES >> 20} MB")
        file.data.seek(0)
        try:
            text = file.data.read(file.size).decode("utf-8-sig", "replace").strip("\0")
            document = json.loads(text, strict=False)
        except (ValueError, RecursionError) as error:
            if not first:
                raise UnreadError(f"not JSON: {str(error)[:80]}") from None
        else:
            return _of_document(document)
    # What is left of a broken line may look like a record of another format.
    whole = [record.value for record in first if not record.is_piece]
    values = [record.value for record in first]
    told = _told(whole) or _told(values)
    return Content(told, values) if told else None


def _leading(file: File, start: int) -> bytes:
    """Give what stands before the first record and is no blank."""
    file.data.seek(0)
    return file.data.read(start).strip(b" \t\r\n\x00").removeprefix(b"\xef\xbb\xbf")


def _begins_document(file: File) -> bool:
    file.data.seek(0)
    head = file.data.read(64).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\x00")
    return head[:1] in (b"{", b"[")


def _told(values: Sequence[Value]) -> Format | None:
    known = formats()
    for value in values:
        for each in known:
            if each.tells(value):
                return each
    return None


def _of_document(document: Any) -> Content | None:
    values = [document] if isinstance(document, dict) else document
    if not isinstance(values, list):
        return None
    told = _told(first := [value for value in values[:SNIFFED_RECORDS] if isinstance(value, dict)])
    return Content(told, first, document) if told else None


class Reading:
    """One pass over a file, from a mark or from the start.

    `items` gives turns and tool calls with the draft of their session, each once it is whole.
    After that `drafts` holds the sessions, by id, and `faults` what could not be read.
    """

    def __init__(
        self,
        file: File,
        content: Content,
        *,
        mark: Mark,
        known: Callable[[str], Known],
        patient: bool,
    ) -> None:
        self.drafts: dict[str, Draft] = {}
        self.faults = Faults(mark.faults)
        self.file = file
        self.format = content.format.name
        self._content = content
        self._mark = mark
        self._known = known
        self._patient = patient
        self._readers: dict[str, Reader] = {}
        self._origin = Origin(file.stem, file.folders, file.zone, file.beside, file.is_beside)
        if mark.facts:
            self._reader(str(mark.facts["id"]))

    def items(self) -> Iterator[tuple[Draft, Item]]:
        """Give every turn and tool call."""
        waiting: list[Record] = []
        last = ""
        drained = self._mark.offset
        for record in self._records():
            session = self._content.format.session(self._origin, record) or last
            if not session:
                waiting.append(record)
                continue
            reader = self._readers.get(session) or self._reader(session)
            last = session
            for each in waiting:
                reader.take(each)
            waiting.clear()
            reader.take(record)
            if record.start - drained > DRAIN_BYTES:
                drained = record.start
                yield from self._drained(end=False)
        if waiting:
            reader = self._reader(self.file.stem)
            for each in waiting:
                reader.take(each)
        yield from self._drained(end=True)

    def mark(self) -> Mark:
        """Give where the next pass may go on: nowhere if the file holds several sessions."""
        drafts = list(self.drafts.values())
        return drafts[0].mark if len(drafts) == 1 else Mark()

    def unknown(self) -> dict[str, int]:
        """Give the records of types that no rule reads, counted."""
        found: dict[str, int] = {}
        for draft in self.drafts.values():
            for kind, many in draft.unknown.items():
                found[kind] = found.get(kind, 0) + many
        return found

    def _drained(self, *, end: bool) -> Iterator[tuple[Draft, Item]]:
        # With several sessions in a file nothing is given before the end, as there is no mark.
        if end or len(self.drafts) == 1:
            for draft in self.drafts.values():
                for item in draft.drain(end=end):
                    yield draft, item

    def _reader(self, session: str) -> Reader:
        is_resumed = self._mark.facts.get("id") == session
        mark = self._mark if is_resumed else Mark()
        facts = Facts(**mark.facts) if is_resumed else Facts(session)
        self.drafts[session] = draft = Draft(
            facts,
            latest=self.file.latest,
            mark=mark,
            known=self._known(session),
            faults=self.faults,
            patient=self._patient,
        )
        self._readers[session] = reader = self._content.format.reader(self._origin, draft)
        return reader

    def _records(self) -> Iterator[Record]:
        file, content = self.file, self._content
        if content.document is not None:
            return self._of_document(content.document)
        return read(file.data, self._mark.offset, file.size, self._mark.line, self.faults)

    def _of_document(self, document: Any) -> Iterator[Record]:
        values = enumerate(document) if isinstance(document, list) else [("", document)]
        for key, value in values:
            if not isinstance(value, dict):
                continue
            place = str(key)
            unfolded = self._content.format.unfold(value)
            if unfolded is None:
                yield Record(value, 0, 0, 1, 1, b"", place)
                continue
            for inner, item in unfolded:
                whole = "/".join(part for part in (place, inner) if part)
                yield Record(dict(item), 0, 0, 1, 1, b"", whole)


def ends_of(data: BinaryIO, size: int) -> str:
    """Give a hash of a file's first bytes and of the last before `size`.

    A file that is larger and still has these has only grown, unless somebody means to deceive.
    """
    data.seek(0)
    head = data.read(min(END_BYTES, size))
    data.seek(max(0, size - END_BYTES))
    return hashlib.sha256(head + data.read(min(END_BYTES, size))).hexdigest()
