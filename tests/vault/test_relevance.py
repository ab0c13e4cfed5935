"""Questions and the answers that a reader judged right, over the demo and the public records."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import REPOSITORY, unpack_records
from total_recall.vault import graph, ladder, records, state
from total_recall.vault.node import Node

CASES: dict[str, Any] = yaml.safe_load((REPOSITORY / "tests/cases/vault.yaml").read_text())
USUAL_WITHIN = 3


def loaded(where: state.State) -> list[Node]:
    found = records.read(where).nodes
    return graph.with_successors(found, graph.Names(found))


@pytest.fixture(params=["examples", "records"])
def judged(
    request: pytest.FixtureRequest, tmp_path: Path, examples: Path
) -> tuple[list[dict[str, Any]], list[Node]]:
    if request.param == "examples":
        return CASES["examples"], loaded(state.load(examples))
    folder = unpack_records(tmp_path / "adr")
    return CASES["records"], loaded(state.State(folder, folder))


def test_questions_find_what_a_reader_expects(
    judged: tuple[list[dict[str, Any]], list[Node]],
) -> None:
    cases, nodes = judged

    answers = {case["query"]: answered(case["query"], nodes) for case in cases}

    wanted = [(case, one) for case in cases for one in [case.get("first"), *case.get("must", [])]]
    wanted = [(case, one) for case, one in wanted if one]
    missed = [
        (case["query"], one)
        for case, one in wanted
        if one not in answers[case["query"]][: case.get("within", USUAL_WITHIN)]
    ]
    later = [
        (case["query"], answers[case["query"]][:1])
        for case in cases
        if "first" in case and answers[case["query"]][:1] != [case["first"]]
    ]
    unwanted = [
        (case["query"], one)
        for case in cases
        for one in case.get("must_not", [])
        if one in answers[case["query"]]
    ]
    firsts = sum("first" in case for case in cases)
    assert 1 - len(missed) / len(wanted) >= CASES["floors"]["found"], missed
    assert 1 - len(later) / firsts >= CASES["floors"]["first"], later
    assert unwanted == []


def answered(query: str, nodes: Sequence[Node]) -> list[str]:
    return [hit.node.id for hit in ladder.climb(query, nodes).hits]
