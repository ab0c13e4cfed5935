import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.suggest import alike, edits, near, slips_allowed

word = st.text("abc", max_size=7)
long_word = st.text("abcdef", min_size=5, max_size=12)


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        pytest.param("redis", "redis", 0, id="the same"),
        pytest.param("redis", "reds", 1, id="a letter dropped"),
        pytest.param("redis", "reddis", 1, id="a letter added"),
        pytest.param("redis", "radis", 1, id="a letter replaced"),
        pytest.param("redis", "rdeis", 1, id="neighbours swapped"),
        pytest.param("abcd", "badc", 2, id="two swaps"),
        pytest.param("ca", "abc", 3, id="no letter is edited twice"),
        pytest.param("", "abc", 3, id="from nothing"),
    ],
)
def test_edits_are_counted(one: str, other: str, count: int) -> None:
    assert edits(one, other, 9) == count


@given(word, word)
def test_the_way_there_is_the_way_back(one: str, other: str) -> None:
    assert edits(one, other, 9) == edits(other, one, 9)


@given(word, word)
def test_no_edits_means_the_same_word(one: str, other: str) -> None:
    assert (edits(one, other, 9) == 0) == (one == other)


@given(word, word, st.integers(0, 4))
def test_what_is_over_the_limit_is_one_over_it(one: str, other: str, most: int) -> None:
    assert edits(one, other, most) == min(edits(one, other, 9), most + 1)


@given(word, st.data())
def test_a_swap_is_one_edit(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, max(0, len(text) - 2)))
    swapped = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]

    assert edits(text, swapped, 9) == (text != swapped)


@given(word, word)
def test_edits_agree_with_the_plain_definition(one: str, other: str) -> None:
    def count(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        best = min(
            count(i - 1, j) + 1,
            count(i, j - 1) + 1,
            count(i - 1, j - 1) + (one[i - 1] != other[j - 1]),
        )
        if i > 1 and j > 1 and (one[i - 1], one[i - 2]) == (other[j - 2], other[j - 1]):
            best = min(best, count(i - 2, j - 2) + 1)
        return best

    one, other = one[:5], other[:5]

    assert edits(one, other, 9) == count(len(one), len(other))


@given(st.text(max_size=4), st.lists(st.text(max_size=5)))
def test_a_short_word_is_never_guessed_at(short: str, candidates: list[str]) -> None:
    assert (slips_allowed(short), near(short, candidates)) == (0, [])


@given(long_word, st.lists(long_word))
def test_a_guess_is_near_and_never_the_word_itself(typed: str, candidates: list[str]) -> None:
    guesses = near(typed, [*candidates, typed])

    counts = [edits(typed, guess, 9) for guess in guesses]
    assert counts == sorted(counts)
    assert set(counts) <= set(range(1, slips_allowed(typed) + 1))
    assert len(guesses) <= 3


def test_the_nearest_come_first_and_ties_go_by_the_alphabet() -> None:
    known = ["websocket", "websockets", "webcokets", "webhooks", "websocketz"]

    assert near("websokets", known) == ["webcokets", "websockets", "websocket"]
    assert near("websokets", known, most=1) == ["webcokets"]


def test_the_order_of_the_candidates_does_not_matter() -> None:
    known = ["redit", "redas", "redis"]

    assert near("redix", known) == near("redix", known[::-1]) == ["redis", "redit"]


@pytest.mark.parametrize(
    ("one", "other", "so"),
    [
        pytest.param("databse", "database", True, id="one letter in eight"),
        pytest.param("webhook", "webhooks", True, id="one more"),
        pytest.param("jwtoken", "jwtokne", True, id="one swap in seven"),
        pytest.param("reddis", "redis", False, id="one letter in six"),
        pytest.param("jest", "test", False, id="another short word"),
        pytest.param("database", "database", False, id="the same"),
        pytest.param("continuous-integration", "continous-integratoin", True, id="three"),
    ],
)
def test_what_is_alike_differs_in_one_letter_of_seven(one: str, other: str, so: bool) -> None:
    assert alike(one, [other]) == ([other] if so else [])


@given(long_word, st.lists(long_word, max_size=5))
def test_what_is_alike_is_what_its_edits_say(typed: str, candidates: list[str]) -> None:
    found = alike(typed, candidates, most=9)

    share = {each: edits(typed, each, 99) / max(len(typed), len(each)) for each in candidates}
    assert found == sorted((e for e in share if 0 < share[e] <= 0.15), key=lambda e: (share[e], e))


def test_the_most_alike_come_first() -> None:
    assert alike("websokets", ["websoketses", "websockets", "websocket"]) == ["websockets"]
    assert alike("continuous", ["continuouss", "continuou", "contxnuous"], most=2) == [
        "continuouss",
        "continuou",
    ]
