"""Where a turn stands: the disk is asked when it is shown, and anything may have happened to it."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from total_recall.sessions.locators import (
    CHANGED,
    MAX_CHECKED_BYTES,
    MISSING,
    UNCHECKED,
    VERIFIED,
    source_state,
)
from total_recall.sessions.stored import canonical


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


@pytest.mark.parametrize(
    ("now", "state"),
    [
        pytest.param(b"head\nsaid\ntail\n", (True, VERIFIED), id="as it was"),
        pytest.param(b"head\nsaid\ntail\nmore\n", (True, VERIFIED), id="grown"),
        pytest.param(b"head\nSAID\ntail\n", (True, CHANGED), id="edited"),
        pytest.param(b"said\n", (True, CHANGED), id="shorter"),
        pytest.param(b"", (True, CHANGED), id="empty"),
    ],
)
def test_bytes_are_compared_as_of_now(tmp_path: Path, now: bytes, state: tuple[bool, str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(now)

    assert source_state(path, "5-9", "", sha(b"said")) == state


def test_values_of_a_document_are_compared_however_it_is_laid_out(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    value = {"history": [{"text": "é", "n": 1}, {"text": "b"}]}
    path.write_text(json.dumps(value, indent=3, ensure_ascii=False))
    first, second = value["history"]

    both = sha(canonical(first) + canonical(second))
    assert source_state(path, "", "history/0", sha(canonical(first))) == (True, VERIFIED)
    assert source_state(path, "", "history/0,history/1", both) == (True, VERIFIED)
    assert source_state(path, "", "history/1", sha(canonical(first))) == (True, CHANGED)
    assert source_state(path, "", "history/7", sha(b"x")) == (True, CHANGED)


def test_a_file_that_is_gone_is_missing(tmp_path: Path) -> None:
    assert source_state(tmp_path / "a", "0-1", "", b"") == (False, MISSING)


def test_what_cannot_be_looked_at_is_unchecked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to(tmp_path / "fifo")
    huge = tmp_path / "huge.json"
    huge.write_bytes(b"{" + b" " * MAX_CHECKED_BYTES + b"}")

    for path in (tmp_path / "fifo", tmp_path / "link", tmp_path, huge):
        assert source_state(path, "", "history/0", b"") == (True, UNCHECKED)
