"""The command `realm-recall`: what a user types and sees."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.conftest import Ran

Make = Callable[[Mapping[str, str | bytes]], Path]
Recall = Callable[..., Ran]


def test_a_missing_state_is_said_in_the_fixed_words_and_stands_alone(
    tmp_path: Path, recall: Recall
) -> None:
    ran = recall(tmp_path, "why JWT")

    assert (ran.code, ran.out) == (1, "No realm state. Run /realm-forge first.\n")
    assert "realm-recall init" in ran.err
