"""What is read of every format alike: each message once, in order, wherever and however it lies."""

import hashlib
import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sessions.transcripts import (
    CLAUDE_SAID,
    COCOPLUS_SAID,
    CORTEX_ID,
    CORTEX_SAID,
    SID,
    SIDECAR,
    Read,
    claude_session,
    cocoplus_session,
    cortex_document,
    cortex_rows,
    lines,
    read,
)
from total_recall.sessions.draft import ReachesBackError
from total_recall.sessions.model import Turn
from total_recall.sessions.reading import UnreadError
from total_recall.sessions.stored import canonical, text_sha


@dataclass(frozen=True)
class Sample:
    """A transcript, where it lies, and what is to be read of it."""

    data: bytes
    stem: str
    session: str
    said: list[tuple[str, str]]
    is_lines: bool = True


SAMPLES = {
    "claude": Sample(claude_session(), SID, SID, CLAUDE_SAID),
    "cortex lines": Sample(
        lines(cortex_rows()), f"{CORTEX_ID}.history", CORTEX_ID, CORTEX_SAID
    ),
    "cortex document": Sample(cortex_document(), CORTEX_ID, CORTEX_ID, CORTEX_SAID, False),
    "cocoplus document": Sample(
        json.dumps(cocoplus_session(), indent=1).encode(), "x", "review-7", COCOPLUS_SAID, False
    ),
    "cocoplus in a line": Sample(
        lines([cocoplus_session()]), "x", "review-7", COCOPLUS_SAID, False
    ),
    "cocoplus turns in lines": Sample(
        lines([{"speaker": role, "text": text, "session_id": "flat"}
               for role, text in COCOPLUS_SAID]),
        "x", "flat", COCOPLUS_SAID,
    ),
    "claude export": Sample(
        json.dumps({"loglines": [json.loads(line) for line in claude_session().splitlines()]})
        .encode(),
        "export", SID, CLAUDE_SAID, False,
    ),
}  # fmt: skip
every_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
of_lines = {name: sample for name, sample in SAMPLES.items() if sample.is_lines}
every_lines = pytest.mark.parametrize("sample", of_lines.values(), ids=of_lines)


@every_sample
def test_every_prompt_and_reply_is_there_once_in_order(sample: Sample) -> None:
    found = read(sample.data, sample.stem)

    assert list(found.turns) == [sample.session]
    assert found.said() == sample.said
    assert [turn.seq for turn in found.only] == list(range(len(sample.said)))
    assert found.faults == []


@every_sample
def test_neither_the_name_nor_the_folder_decides(sample: Sample) -> None:
    found = read(sample.data, "notes", folders=("/", "tmp"))

    if sample.session in (SID, "flat", "review-7") or not sample.is_lines:
        assert list(found.turns) == [sample.session]
    assert found.said() == sample.said


@every_sample
def test_ids_are_unique_and_times_ascend(sample: Sample) -> None:
    turns = read(sample.data, sample.stem).only

    assert len({turn.native for turn in turns}) == len(turns)
    assert all(turn.time or turn.time_quality == "file" for turn in turns)


@every_sample
def test_the_cited_bytes_are_those_that_were_read(sample: Sample) -> None:
    for turn in read(sample.data, sample.stem).only:
        assert hashlib.sha256(cited(sample.data, turn)).digest() == turn.raw_sha


def cited(data: bytes, turn: Turn) -> bytes:
    """Give the bytes that a turn's locator leads to."""
    held = b"".join(data[start:end] for start, end in turn.spans) if turn.spans else data
    if not turn.place:
        assert turn.spans
        return held
    found = b""
    for place in turn.place.split(","):
        value = json.loads(held)
        for key in place.split("/"):
            value = value[int(key)] if isinstance(value, list) else value[key]
        found += canonical(value)
    return found


@every_sample
@pytest.mark.parametrize("change", ["bom and crlf", "no last newline", "NUL padding"])
def test_how_a_file_is_stored_changes_nothing_that_is_said(sample: Sample, change: str) -> None:
    data = {
        "bom and crlf": b"\xef\xbb\xbf" + sample.data.replace(b"\n", b"\r\n"),
        "no last newline": sample.data.rstrip(b"\n"),
        "NUL padding": sample.data + b"\x00" * 512,
    }[change]

    assert read(data, sample.stem).said() == sample.said


@every_lines
def test_glued_lines_are_all_read(sample: Sample) -> None:
    data = sample.data.replace(b"\n", b"", 3)

    assert read(data, sample.stem).said() == sample.said


@every_lines
def test_a_truncated_tail_costs_the_last_message_alone(sample: Sample) -> None:
    *_, last = sample.data.splitlines()
    data = sample.data[: -len(last) // 2]

    found = read(data, sample.stem)

    assert found.said() == sample.said[: len(found.said())]
    assert len(found.said()) >= len(sample.said) - 1
    assert found.faults == [(len(sample.data) - len(last) - 1, "not JSON")]


@every_lines
def test_a_line_of_five_megabytes_is_a_message_like_others(sample: Sample) -> None:
    # The image is cut out before the line is parsed; the bytes that are cited are still whole.
    image = json.dumps("data:image/png;base64," + "iVBORw0K" * 650_000)
    first, _, rest = sample.data.partition(b"\n")
    data = first[:-1] + b', "attached": ' + image.encode() + b"}\n" + rest

    found = read(data, sample.stem)

    assert found.said() == sample.said
    for turn in found.only:
        assert hashlib.sha256(cited(data, turn)).digest() == turn.raw_sha


@every_lines
def test_a_line_over_the_limit_is_passed_by_and_named(sample: Sample) -> None:
    huge = b'{"x": "' + b"a" * (17 << 20) + b'"}\n'
    first, _, rest = sample.data.partition(b"\n")

    found = read(first + b"\n" + huge + rest, sample.stem)

    assert found.said() == sample.said
    assert found.faults == [(len(first) + 1, "a line over 16 MB")]


@every_lines
def test_unknown_records_are_counted_and_cost_nothing(sample: Sample) -> None:
    strange = lines([{"type": "hologram", "role": "oracle", "sessionId": SID, "text": 7}])
    first, _, rest = sample.data.partition(b"\n")

    found = read(first + b"\n" + strange + rest, sample.stem)

    assert found.said() == sample.said


@every_lines
def test_values_that_are_no_objects_are_passed_by(sample: Sample) -> None:
    data = b'[]\nnull\n7\n"x"\n{}\n\n' + sample.data

    assert read(data, sample.stem).said() == sample.said


@every_lines
def test_lone_surrogates_and_nul_are_kept_as_what_can_be_stored(sample: Sample) -> None:
    role, text = sample.said[1]
    odd = json.dumps(text)[:-1].encode() + rb"\ud83d\u0000" + b'"'
    data = sample.data.replace(json.dumps(text).encode(), odd)

    found = read(data, sample.stem)

    assert found.said()[1] == (role, f"{text}\ufffd\u2400")
    assert found.only[1].lossy


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n", b"{}", b"[]", b"null", b"7", b'"text"', b"plain words\nand more\n", b"\x00" * 9,
        json.dumps(SIDECAR).encode(), b'{"name": "package", "version": "1.0.0"}',
        b'{"sessionId": "x", "projectHash": "y", "messages": []}', b"\x89PNG\r\n\x1a\n",
        b'[{"a": 1}]', b'{"a":1}\n{"b":2}\n',
    ],
)  # fmt: skip
def test_what_is_no_transcript_is_none(data: bytes) -> None:
    assert read(data).turns == {}


@pytest.mark.parametrize("data", [b'{"history": [', b"{" * 100_000, b'{"a": ' + b"1" * 5000])
def test_a_document_that_cannot_be_read_says_why(data: bytes) -> None:
    with pytest.raises(UnreadError, match="not JSON: "):
        read(data)


# Growing files


def read_in_steps(data: bytes, stem: str, cut: int) -> Read:
    """Read the start of a file, then what was added, as an import does."""
    try:
        first = read(data[:cut], stem)
    except UnreadError:
        return read(data, stem)
    if first.mark.offset == 0:
        return read(data, stem)
    (session,) = first.drafts
    before = [turn for turn in first.turns.get(session, []) if turn.seq < first.mark.turns]
    earlier = {turn.native: text_sha(turn.text) for turn in before}
    calls = [call for call in first.calls.get(session, []) if call.number < first.mark.calls]
    try:
        second = read(data, stem, mark=first.mark, earlier=earlier)
    except ReachesBackError:
        return read(data, stem, patient=True)
    second.turns = {session: before + second.turns.get(session, [])}
    second.calls = {session: calls + second.calls.get(session, [])}
    return second


def outcome(found: Read) -> object:
    """Give what is to be the same however often a file was read on the way."""
    calls = {
        session: sorted(calls, key=lambda call: call.number)
        for session, calls in found.calls.items()
    }
    facts = {session: draft.facts for session, draft in found.drafts.items()}
    return found.turns, {key: held for key, held in calls.items() if held}, facts, found.unknown


@every_lines
def test_a_file_read_in_steps_gives_what_reading_it_whole_gives(sample: Sample) -> None:
    whole = outcome(read(sample.data, sample.stem))
    cuts = {at + 1 for at, byte in enumerate(sample.data) if byte == 10}
    cuts |= set(random.Random(3).sample(range(1, len(sample.data)), 60))

    for cut in sorted(cuts):
        assert outcome(read_in_steps(sample.data, sample.stem, cut)) == whole, cut


@every_lines
def test_a_whole_reading_is_the_same_whether_or_not_turns_are_given_early(sample: Sample) -> None:
    assert outcome(read(sample.data, sample.stem)) == outcome(
        read(sample.data, sample.stem, patient=True)
    )


# Damage

MUTATORS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "truncated": lambda data, source: data[: source.randrange(len(data))],
    "spliced": lambda data, source: (
        data[: source.randrange(len(data))] + data[source.randrange(len(data)) :]
    ),
    "glued": lambda data, source: data.replace(b"\n", b"", source.randint(1, 5)),
    "NUL runs": lambda data, source: _inserted(data, source, b"\x00" * source.randint(1, 600)),
    "bad UTF-8": lambda data, source: _inserted(data, source, b"\xff\xc3\x28\x80"),
    "garbage lines": lambda data, source: _inserted(data, source, b'\n{"half": [1, {"x"\n'),
    "deep nesting": lambda data, source: _inserted(data, source, b"\n" + b'{"a":' * 3000 + b"\n"),
    "wrong types": lambda data, source: data.replace(
        source.choice([b'"text"', b'"content"', b'"message"', b'"timestamp"', b'"type"']),
        source.choice([b'"texts"', b'"role"', b'"id"']),
        source.randint(1, 3),
    ),
}


def _inserted(data: bytes, source: random.Random, what: bytes) -> bytes:
    at = source.randrange(len(data))
    return data[:at] + what + data[at:]


def intact(sample: Sample, data: bytes) -> list[str]:
    """Give the texts of the lines that a damage left as they were."""
    kept = set(data.split(b"\n"))
    return [
        text
        for line in sample.data.splitlines()
        if line in kept
        for text in _texts_of(sample, line)
    ]


def _texts_of(sample: Sample, line: bytes) -> list[str]:
    """Give the texts of a sample that stand in a line, but for those too short to be told apart."""
    alone = [
        text
        for _, text in sample.said
        if json.dumps(text, ensure_ascii=False)[1:-1].encode() in line
    ]
    return [text for text in alone if len(text) > 5]


@pytest.mark.fault
@pytest.mark.parametrize("name", MUTATORS)
@every_lines
def test_five_hundred_damaged_files_keep_every_intact_message(sample: Sample, name: str) -> None:
    source = random.Random(f"{name} {sample.session}")
    for _ in range(500 // len(of_lines) + 1):
        data = MUTATORS[name](sample.data, source)

        try:
            found = read(data, sample.stem)
        except UnreadError:
            assert intact(sample, data) == []
            continue

        texts = [text for _, text in found.said()]
        if name != "wrong types":
            left = iter(texts)
            assert all(text in left for text in intact(sample, data)), data
        assert all(0 <= at <= len(data) for at, _ in found.faults)


@settings(max_examples=300)
@given(st.binary(max_size=200), st.sampled_from(sorted(of_lines)))
def test_any_bytes_are_read_or_refused(junk: bytes, name: str) -> None:
    sample = of_lines[name]
    for data in (junk, sample.data + junk, junk + b"\n" + sample.data):
        with suppress(UnreadError):
            read(data, sample.stem)
