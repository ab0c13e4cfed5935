import pytest

from total_recall.masks import Masks

SECRET = 'password = "hunter2-again"'
HIDDEN = 'password = "[masked password]"'


def test_every_text_of_a_value_is_masked_and_counted() -> None:
    masks = Masks(reveal=False)

    assert masks.values({"a": [SECRET, 1, None], "b": {"c": SECRET}}) == {
        "a": [HIDDEN, 1, None],
        "b": {"c": HIDDEN},
    }
    assert masks.count == 2


def test_what_is_asked_for_is_shown() -> None:
    masks = Masks(reveal=True)

    assert (masks.text(SECRET), masks.values([SECRET]), masks.count) == (SECRET, [SECRET], 0)


@pytest.mark.parametrize(
    ("count", "remarks"),
    [
        (0, []),
        (1, ["1 credential masked (--reveal shows it)"]),
        (3, ["3 credentials masked (--reveal shows them)"]),
    ],
)
def test_the_reader_is_told_how_many(count: int, remarks: list[str]) -> None:
    assert Masks(reveal=False, count=count).remarks() == remarks
