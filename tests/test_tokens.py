import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.tokens import estimate, share

FIXTURE = Path(__file__).with_name("fixtures") / "token_counts.json"


@dataclass(frozen=True)
class Counted:
    kind: str
    text: str
    tokens: int


COUNTED = [Counted(**entry) for entry in json.loads(FIXTURE.read_text("utf-8"))]


# The mean error that was measured for a kind of text, rounded up.
BOUNDS = {
    "record": 0.03,
    "compressed": 0.09,
    "table": 0.11,
    "code": 0.07,
    "chinese": 0.10,
    "japanese": 0.05,
    "german": 0.08,
    "mixed": 0.09,
    "reference": 0.10,
}


def errors(guess: Callable[[str], float], kind: str) -> list[float]:
    return [guess(each.text) / each.tokens - 1 for each in COUNTED if each.kind == kind]


def mean_size(values: list[float]) -> float:
    return sum(map(abs, values)) / len(values)


def test_every_kind_of_text_has_a_bound() -> None:
    assert {each.kind for each in COUNTED} == set(BOUNDS)


@pytest.mark.parametrize("kind", BOUNDS)
def test_the_estimate_is_near_the_true_count(kind: str) -> None:
    assert mean_size(errors(estimate, kind)) <= BOUNDS[kind]


@pytest.mark.parametrize("kind", BOUNDS)
def test_a_quarter_of_the_characters_is_a_worse_guess(kind: str) -> None:
    assert mean_size(errors(estimate, kind)) < mean_size(errors(lambda text: len(text) / 4, kind))


def test_the_fixture_holds_true_counts() -> None:
    encoding = pytest.importorskip("bpe_openai").get_encoding("o200k_base")

    assert [len(encoding.encode(each.text)) for each in COUNTED] == [
        each.tokens for each in COUNTED
    ]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" \t ", 0, id="blanks"),
        pytest.param("one two three four", 4, id="words"),
        pytest.param("internationalisation " * 10, 24, id="long words"),
        pytest.param("123456789 " * 10, 28, id="digits in threes"),
        pytest.param("a\n\n\n" * 10, 17, id="line breaks in one run"),
        pytest.param("-" * 80, 11, id="a rule"),
        pytest.param("决策记录" * 10, 29, id="Chinese"),
        pytest.param("тест " * 10, 11, id="other letters"),
    ],
)
def test_each_kind_of_piece_has_its_price(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(), st.text())
def test_a_line_more_costs_more(before: str, after: str) -> None:
    assert estimate(f"{before}\n{after}") <= estimate(f"{before}\n{after}\nword")


HITS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), max_size=12)


def shared(hits: list[tuple[int, int]], budget: int) -> list[int]:
    return share([least for least, _ in hits], [wanted for _, wanted in hits], budget)


@given(HITS, st.integers(1, 1000))
def test_the_budget_is_never_exceeded(hits: list[tuple[int, int]], budget: int) -> None:
    assert sum(shared(hits, budget)) <= budget


@given(HITS, st.integers(1, 1000))
def test_hits_drop_from_the_tail_only_when_their_least_does_not_fit(
    hits: list[tuple[int, int]], budget: int
) -> None:
    kept = len(shared(hits, budget))

    assert kept >= min(1, len(hits))
    if kept > 1:
        assert sum(least for least, _ in hits[:kept]) <= budget
    if kept < len(hits):
        assert sum(least for least, _ in hits[: kept + 1]) > budget


@given(HITS, st.integers(1, 1000))
def test_a_hit_grows_only_when_all_before_it_are_whole(
    hits: list[tuple[int, int]], budget: int
) -> None:
    allotted = shared(hits, budget)
    growing = [size > least for size, (least, _) in zip(allotted, hits, strict=False)]
    whole = [size >= wanted for size, (_, wanted) in zip(allotted, hits, strict=False)]

    assert all(all(whole[:at]) for at, grows in enumerate(growing) if grows)


@given(HITS, st.integers(1, 1000))
def test_no_hit_gets_more_than_it_wants_and_nothing_is_held_back(
    hits: list[tuple[int, int]], budget: int
) -> None:
    allotted = shared(hits, budget)
    whole = [max(hit) for hit in hits[: len(allotted)]]

    assert all(size <= most for size, most in zip(allotted, whole, strict=True))
    assert allotted == whole or sum(allotted) == budget


@given(HITS)
def test_no_budget_gives_every_hit_what_it_wants(hits: list[tuple[int, int]]) -> None:
    assert shared(hits, 0) == [max(hit) for hit in hits]


def test_hits_and_wants_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        share([1, 2], [3], 10)
