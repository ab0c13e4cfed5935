"""The ladder over the decision records of fifteen public projects."""

from pathlib import Path

import pytest

from tests.conftest import unpack_records
from total_recall.vault import ladder, records
from total_recall.vault.records import Records
from total_recall.vault.state import State


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_records(tmp_path_factory.mktemp("adr"))


@pytest.fixture(scope="module")
def found(folder: Path) -> Records:
    return records.read(State(folder, folder))


def test_every_record_loads_and_only_lists_of_records_do_not(folder: Path, found: Records) -> None:
    loaded = {node.path for node in found.nodes}
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")} - loaded

    assert len(found.nodes) == 591
    assert {Path(path).name for path in left} <= {"README.md", "index.md"}
    assert sum(path.endswith("/README.md") for path in loaded) == 107


def test_each_is_a_decision_by_its_folder_or_its_sections_and_has_a_title(found: Records) -> None:
    others = [node.path for node in found.nodes if node.type != "decision"]

    # Two sets lie in folders whose names say nothing, and these tell no decision.
    assert {Path(path).parent.name for path in others} == {"architecture"}
    assert len(others) == 5
    assert [node.path for node in found.nodes if not node.title] == []


def test_auth_never_answers_with_author(found: Records) -> None:
    answer = ladder.climb("auth", found.nodes, limit=len(found.nodes))
    by_search, total = ladder.ranked("auth", found.nodes, most=len(found.nodes))

    assert answer.rung == "file"
    assert total == len(by_search) > 10
    for hit in by_search:
        text = f"{hit.node.path} {hit.node.text}".casefold().replace("author", "")
        assert "auth" in text, hit.node.path


def test_an_id_finds_its_own_record(found: Records) -> None:
    lost = [
        node.path
        for node in found.nodes[::5]
        if node.path not in {hit.node.path for hit in ladder.climb(node.id, found.nodes).hits}
    ]

    assert lost == []


def test_any_title_is_among_the_first_twenty(found: Records) -> None:
    sample = found.nodes[::10]

    lost = [
        node.path
        for node in sample
        if node.path not in {hit.node.path for hit in ladder.climb(node.title, found.nodes).hits}
    ]

    assert lost == []
