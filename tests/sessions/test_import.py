import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.sessions.projects import (
    Project,
    claude,
    command,
    cortex_rows,
    flat,
    golden,
    lines,
    prompt,
    reply,
    result,
    sidecar,
    use,
)
from total_recall.sessions import records
from total_recall.sessions.importer import Candidate


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Give where each reading of a file's records, beyond the first look at it, begins."""
    found: list[int] = []
    read = records.read

    def noted(file: BinaryIO, start: int, end: int, line: int, faults: Any) -> Any:
        found.append(start)
        return read(file, start, end, line, faults)

    monkeypatch.setattr("total_recall.sessions.reading.read", noted)
    return found


def record_ends(data: bytes) -> list[int]:
    return [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]


# What is unchanged, and what grew


def test_a_file_that_has_not_changed_is_not_read(project: Project, starts: list[int]) -> None:
    project.write("one.jsonl", claude("one"))
    project.write("notes.txt", b"no transcript")
    project.refresh()
    starts.clear()

    counts, _ = project.refresh()

    assert starts == []
    assert (counts.new, counts.updated, counts.unchanged, counts.turns) == (0, 0, 1, 0)


def test_a_file_that_grew_is_read_from_where_its_last_round_began(
    project: Project, starts: list[int]
) -> None:
    data = claude("one", rounds=40)
    ends = record_ends(data)
    project.write("one.jsonl", data[: ends[-4]])
    project.refresh()
    starts.clear()
    project.write("one.jsonl", data)

    counts, _ = project.refresh()

    looked, began = starts
    assert looked == 0  # at the first records, to tell the format
    assert data[began:].startswith(b'{"type": "user"')
    assert ends[-4] - 2000 < began < ends[-4]
    assert (counts.new, counts.updated, counts.turns) == (0, 1, 1)


@pytest.mark.parametrize("name", ["one.jsonl", "one.history.jsonl"])
def test_steps_of_a_file_that_grows_make_what_one_import_makes(
    project: Project, tmp_path: Path, name: str
) -> None:
    data = claude("one") if name == "one.jsonl" else lines(cortex_rows())
    project.write(name, data)
    whole = golden(project, tmp_path / "golden")
    cuts = random.Random(5)
    steps = [[end] for end in record_ends(data)]
    steps += [[cuts.randrange(1, len(data))] for _ in range(12)]
    steps += [sorted(cuts.sample(range(1, len(data)), 4)) for _ in range(4)]

    for number, step in enumerate([*steps, record_ends(data)]):
        grown = Project(tmp_path / f"step-{number}")
        for end in [*step, len(data)]:
            grown.write(name, data[:end])
            grown.refresh()

        assert grown.dump() == whole, step
        shutil.rmtree(grown.root)


@pytest.mark.fault
@pytest.mark.parametrize("name", ["one.jsonl", "one.history.jsonl"])
def test_a_file_that_grows_at_any_byte_makes_what_one_import_makes(
    project: Project, tmp_path: Path, name: str
) -> None:
    data = claude("one") if name == "one.jsonl" else lines(cortex_rows())
    project.write(name, data)
    whole = golden(project, tmp_path / "golden")

    for end in range(1, len(data), 23):
        grown = Project(tmp_path / "grown")
        grown.write(name, data[:end])
        grown.refresh()
        grown.write(name, data)
        grown.refresh()

        assert grown.dump() == whole, end
        shutil.rmtree(grown.root)


ROLE_FIRST = {
    "message": {"role": "user", "content": "hello there"},
    "type": "user",
    "uuid": "u1",
    "sessionId": "other",
    "timestamp": "2026-05-01T09:00:00Z",
}


def test_half_a_record_that_looks_like_another_format_leaves_nothing_behind(
    project: Project, tmp_path: Path
) -> None:
    data = lines([ROLE_FIRST])
    end = data.index(b"}") + 1
    project.write("one.jsonl", data[:end])
    project.refresh()
    assert [text for _, text, _ in project.turns()] == ["hello there"]
    project.write("one.jsonl", data)

    project.refresh()

    assert project.turns() == [("other", "hello there", 0)]
    assert project.dump() == golden(project, tmp_path / "golden")


def test_an_answer_that_was_half_written_is_the_same_turn_later(project: Project) -> None:
    first = lines([prompt("one", 0, "why?"), reply("one", 1, "m", "Because of the index.")])
    more = lines([reply("one", 2, "m", "And it was cold."), prompt("one", 3, "thanks")])
    project.write("one.jsonl", first)
    project.refresh()
    project.write("one.jsonl", first + more)

    counts, _ = project.refresh()

    assert [text for _, text, _ in project.turns()] == [
        "why?",
        "Because of the index.\n\nAnd it was cold.",
        "thanks",
    ]
    assert (counts.updated, counts.turns) == (1, 2)


def test_a_result_that_comes_later_goes_to_its_call(project: Project, tmp_path: Path) -> None:
    first = [prompt("one", 0, "why?"), reply("one", 1, "m", "I look.", use("c", "Read", path="a"))]
    last = prompt("one", 2, "", message={"role": "user", "content": result("c", "found")})
    project.write("one.jsonl", lines(first))
    project.refresh()
    assert project.rows("SELECT call_id, status FROM tool_calls") == [("c", "pending")]
    project.write("one.jsonl", lines([*first, last]))

    project.refresh()

    assert project.rows("SELECT call_id, status, output FROM tool_calls") == [("c", "ok", "found")]
    assert project.dump() == golden(project, tmp_path / "golden")


def test_a_result_after_the_next_prompt_makes_the_file_read_as_a_whole(
    project: Project, tmp_path: Path
) -> None:
    first = [
        prompt("one", 0, "why?"),
        reply("one", 1, "m", "I look.", use("c", "Bash", command="sleep")),
        prompt("one", 2, "go on"),
        reply("one", 3, "n", "I do."),
    ]
    late = prompt("one", 4, "", message={"role": "user", "content": result("c", "late")})
    project.write("one.jsonl", lines(first))
    project.refresh()
    project.write("one.jsonl", lines([*first, late]))

    project.refresh()

    assert project.rows("SELECT status, output FROM tool_calls") == [("ok", "late")]
    assert project.dump() == golden(project, tmp_path / "golden")


def test_a_branch_from_before_what_was_read_marks_what_was_left(
    project: Project, tmp_path: Path
) -> None:
    first = [prompt("one", 0, "a"), reply("one", 1, "m", "A"), prompt("one", 2, "b")]
    back = prompt("one", 9, "c instead", parentUuid="one-u1")
    project.write("one.jsonl", lines(first))
    project.refresh()
    project.write("one.jsonl", lines([*first, reply("one", 3, "n", "B"), back]))

    project.refresh()

    left = project.rows("SELECT text, abandoned FROM turns ORDER BY seq")
    assert left == [("a", 0), ("A", 0), ("b", 1), ("B", 1), ("c instead", 0)]
    assert project.dump() == golden(project, tmp_path / "golden")


def test_what_is_written_while_it_is_imported_comes_with_the_next_import(
    project: Project, tmp_path: Path, starts: list[int]
) -> None:
    data = claude("one", rounds=3)
    end = record_ends(data)[9]
    project.write("one.jsonl", data[: end + 7])

    def write_more(found: Sequence[Candidate]) -> Callable[[Candidate], None]:
        assert [each.size for each in found] == [end + 7]
        project.write("one.jsonl", data[: end + 300])
        return lambda _: None

    project.refresh(progress=write_more)
    assert project.rows("SELECT size FROM files") == [(end + 300,)]
    starts.clear()
    project.write("one.jsonl", data)

    project.refresh()

    assert min(starts[1:]) > 0
    assert project.dump() == golden(project, tmp_path / "golden")


# Documents, and files with another beside them


def test_a_document_that_grew_makes_what_one_import_makes(project: Project, tmp_path: Path) -> None:
    said = [f"turn {number} of load_orders" for number in range(6)]
    for end in range(1, len(said) + 1):
        project.write("flat.json", flat("flat", said[:end]))
        project.refresh()

        assert project.dump() == golden(project, tmp_path / "golden")


def test_a_document_of_cortex_that_is_written_anew_makes_what_one_import_makes(
    project: Project, tmp_path: Path
) -> None:
    rows = cortex_rows()
    for end in range(1, len(rows) + 1):
        about = json.loads(sidecar("2026-05-01T08-59-00Z-ab", end))
        project.write("ab.json", json.dumps({**about, "history": rows[:end]}).encode())
        project.refresh()

        assert project.dump() == golden(project, tmp_path / "golden")


def test_a_history_and_the_file_beside_it_may_come_in_any_order(
    project: Project, tmp_path: Path
) -> None:
    rows = cortex_rows()
    session = "2026-05-01T08-59-00Z-ab"
    steps = [(2, None), (2, 1), (5, 1), (5, 5), (9, 5), (9, 9)]
    for many, described in steps:
        project.write("ab.history.jsonl", lines(rows[:many]))
        if described is not None:
            more = {"title": "Orders"} if described == 9 else {}
            project.write("ab.json", sidecar(session, described, **more))
        project.refresh()

        assert project.dump() == golden(project, tmp_path / "golden"), (many, described)
    assert project.rows("SELECT id, title, cwd FROM sessions") == [
        (session, "Orders", "/work/shop")
    ]


def test_a_history_is_read_on_when_the_file_beside_it_only_tells_of_its_growth(
    project: Project, starts: list[int]
) -> None:
    rows = cortex_rows(rounds=20)
    project.write("ab.history.jsonl", lines(rows[:-4]))
    project.write("ab.json", sidecar("ab", 1))
    project.refresh()
    starts.clear()
    project.write("ab.history.jsonl", lines(rows))
    project.write("ab.json", sidecar("ab", 2))

    project.refresh()

    assert max(starts) > 1000


# The same from every order, under every hash seed


def test_the_order_of_imports_does_not_matter(project: Project, tmp_path: Path) -> None:
    written = {
        "b/one.jsonl": claude("one"),
        "a/one.jsonl": claude("one", rounds=3),
        "fork.jsonl": claude("one").replace(b'"sessionId": "one"', b'"sessionId": "fork"'),
        "ab.history.jsonl": lines(cortex_rows()),
        "ab.json": sidecar("ab", 3),
        "flat.json": flat("flat", ["one", "two"]),
    }
    dumps = []
    for seed in range(4):
        ordered = Project(tmp_path / f"order-{seed}")
        names = sorted(written)
        random.Random(seed).shuffle(names)
        stamps = {name: 1_770_000_000 + number for number, name in enumerate(sorted(written))}
        for name in names:
            path = ordered.write(name, written[name])
            os.utime(path, (stamps[name], stamps[name]))
            ordered.refresh()
        dumps.append(ordered.dump())

    assert dumps[1:] == dumps[:1] * 3


def test_two_files_of_one_session_keep_their_own_rows(project: Project) -> None:
    project.write("a/one.jsonl", claude("one"))
    project.write("b/one.jsonl", claude("one", rounds=3))

    counts, _ = project.refresh()

    held = project.rows(
        "SELECT id, source_path, (SELECT count(*) FROM turns WHERE session = sessions.key)"
        " FROM sessions ORDER BY source_path"
    )
    assert counts.new == 2
    assert held == [
        ("one", str(project.past / "a" / "one.jsonl"), 6),
        ("one", str(project.past / "b" / "one.jsonl"), 9),
    ]


def test_the_index_does_not_depend_on_the_hash_seed(project: Project, tmp_path: Path) -> None:
    project.write("one.jsonl", claude("one", rounds=4))
    project.write("flat.json", flat("flat", ["We use load_orders() and ORDERS", "and parse_it()"]))
    dumps = []
    for seed in ("1", "2"):
        ran = command(project.root, "import", PYTHONHASHSEED=seed)
        assert (ran.code, ran.err) == (0, "")
        dumps.append(project.dump())
        project.index.unlink()

    assert dumps[0] == dumps[1]


# Sources that went or were written anew


def test_what_was_read_of_a_file_that_is_gone_stays(project: Project) -> None:
    path = project.write("one.jsonl", claude("one"))
    project.write("two.jsonl", claude("two"))
    project.refresh()
    before = project.dump()
    path.unlink()

    counts, _ = project.refresh()

    assert project.dump() == before
    assert (counts.updated, counts.unchanged, counts.failed) == (0, 1, [])


def test_turns_that_a_file_no_longer_holds_stay_and_are_marked(project: Project) -> None:
    project.write("one.jsonl", lines([prompt("one", n, f"said {n}") for n in range(4)]))
    project.refresh()
    project.write("one.jsonl", lines([prompt("one", n, f"said {n}") for n in (0, 3)]))

    counts, _ = project.refresh()

    assert sorted(project.turns()) == [
        ("one", "said 0", 0), ("one", "said 1", 1), ("one", "said 2", 1), ("one", "said 3", 0),
    ]  # fmt: skip
    assert counts.updated == 1


def test_a_file_that_shrank_and_grew_again_has_all_its_turns_back(
    project: Project, tmp_path: Path
) -> None:
    data = claude("one", rounds=4)
    ends = record_ends(data)
    for size in (len(data), ends[8], ends[3], 0, ends[12], len(data)):
        project.write("one.jsonl", data[:size])
        project.refresh()

    assert project.dump() == golden(project, tmp_path / "golden")


def test_a_file_in_which_the_same_bytes_end_is_read_anew_if_it_is_another_file(
    project: Project,
) -> None:
    said = [prompt("one", n, f"said {n} " + "x" * 2000) for n in range(9)]
    path = project.write("one.jsonl", lines(said))
    project.refresh()
    said[4] = prompt("one", 4, "SAID 4 " + "x" * 2000)
    other = project.write("new", lines([*said, prompt("one", 9, "more")]))
    other.replace(path)

    project.refresh()

    texts = [text.partition(" x")[0] for _, text, is_gone in project.turns() if not is_gone]
    assert texts[4] == "SAID 4"
    assert texts[-1] == "more"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE files SET mark = replace(mark, '\"offset\": ', '\"offset\": 1')",
        "UPDATE files SET mark = '{'",
        "UPDATE files SET faults = '[['",
        "UPDATE files SET size = size - 1",
        "UPDATE files SET ends = ''",
    ],
)
def test_where_the_note_of_a_file_is_damaged_the_file_is_read_anew(
    project: Project, tmp_path: Path, damage: str
) -> None:
    data = claude("one", rounds=3)
    project.write("one.jsonl", data[: record_ends(data)[14]])
    project.refresh()
    project.change(damage)
    project.write("one.jsonl", data)

    counts, _ = project.refresh()

    assert counts.failed == []
    assert project.dump() == golden(project, tmp_path / "golden")


def test_a_session_that_a_file_no_longer_holds_is_marked_as_a_whole(project: Project) -> None:
    project.write("mixed.jsonl", lines([prompt("one", 0, "first"), prompt("two", 1, "second")]))
    project.refresh()
    project.write("mixed.jsonl", lines([prompt("two", 1, "second")]))

    project.refresh()

    assert project.turns() == [("one", "first", 1), ("two", "second", 0)]


def test_a_file_that_is_another_format_now_keeps_what_it_held(project: Project) -> None:
    project.write("one.json", claude("one"))
    project.refresh()
    project.write("one.json", flat("one", ["other"]))

    project.refresh()

    gone = [is_gone for _, text, is_gone in project.turns() if text != "other"]
    assert gone == [1] * 6
    assert ("one", "other", 0) in project.turns()


# --since


def test_since_takes_the_sessions_that_started_then_or_later(project: Project) -> None:
    for name, day in (("old", "2026-05-01"), ("new", "2026-05-20")):
        record = prompt(name, 0, f"said in {name}", timestamp=f"{day}T09:00:00Z")
        project.write(f"{name}.jsonl", lines([record]))
    project.write("undated.jsonl", lines([prompt("undated", 0, "undated", timestamp=None)]))

    counts, _ = project.refresh(since="2026-05-20T09:00:00.000Z")

    assert (counts.new, counts.skipped) == (2, 1)
    assert [name for name, _, _ in project.turns()] == ["new", "undated"]

    counts, _ = project.refresh()

    assert (counts.new, counts.unchanged) == (1, 2)
    assert [name for name, _, _ in project.turns()] == ["new", "old", "undated"]


def test_since_looks_at_when_a_session_started_not_at_when_it_was_written(
    project: Project, tmp_path: Path
) -> None:
    records = [prompt("one", n, f"said {n}", timestamp=f"2026-05-{n + 1:02d}T09:00:00Z")
               for n in (20, 1, 28)]  # fmt: skip
    project.write("one.jsonl", lines(records))

    counts, _ = project.refresh(since="2026-05-10T00:00:00.000Z")

    assert (counts.new, counts.skipped, project.turns()) == (0, 1, [])
    project.refresh()
    assert project.dump() == golden(project, tmp_path / "golden")


def test_an_import_since_then_and_a_whole_one_make_what_a_whole_one_makes(
    project: Project, tmp_path: Path
) -> None:
    mixed = [
        prompt("a", 0, "early", timestamp="2026-04-01T09:00:00Z"),
        prompt("b", 1, "late", timestamp="2026-05-20T09:00:00Z"),
    ]
    project.write("mixed.jsonl", lines(mixed))
    project.write("one.jsonl", claude("one"))
    project.refresh(since="2026-05-10T00:00:00.000Z")
    assert project.turns() == [("b", "late", 0)]

    project.refresh()

    assert project.dump() == golden(project, tmp_path / "golden")


# One bad file


BAD_FILES = [
    pytest.param(b'{"session_id": "x", "turns": [', "not JSON", id="half a document"),
    pytest.param(b"[" * 100_000, "not JSON", id="deep"),
]


@pytest.mark.parametrize(("data", "reason"), BAD_FILES)
def test_one_bad_file_costs_one_file_and_is_read_once_it_is_mended(
    project: Project, data: bytes, reason: str
) -> None:
    project.write("a.jsonl", claude("a"))
    bad = project.write("b.json", data)
    project.write("c.jsonl", claude("c"))

    counts, _ = project.refresh()

    assert (counts.new, [path for path, _ in counts.failed]) == (2, [bad])
    assert counts.failed[0][1].startswith(reason)
    assert project.rows("SELECT path, error FROM files WHERE error <> ''") == [
        (str(path), why) for path, why in counts.failed
    ]

    again, _ = project.refresh()
    assert again.failed == counts.failed

    project.write("b.json", flat("b", ["whole"]))
    mended, _ = project.refresh()
    assert (mended.new, mended.failed) == (1, [])
    assert project.rows("SELECT 1 FROM files WHERE error <> ''") == []
