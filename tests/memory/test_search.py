"""The search: which memories come, in which order, and what is said of them."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SHARED_DATA
from tests.growth import assert_linear
from total_recall.memory.entry import GLOBAL, PROJECT, Memory
from total_recall.memory.matches import Match
from total_recall.memory.search import Hit, near_keys, search
from total_recall.memory.synonyms import Group, Synonyms, packaged

STORE = SHARED_DATA / "nemp" / "sera_memories_4a88915.json"
OLD, NEW = "2026-01-01T00:00:00Z", "2026-06-01T00:00:00+02:00"


def memory(key: str, value: str = "", *, scope: str = PROJECT, updated: str = OLD) -> Memory:
    return Memory((key,), {"value": value, "updated": updated}, (key,), scope)


def found(query: str, *memories: Memory, related: bool = False) -> list[tuple[str, str]]:
    """Give the key and the phase of each hit."""
    answer = search(query, memories, packaged(), related=related)
    return [(hit.memory.key, hit.phase) for hit in answer.hits]


def keys(query: str, *memories: Memory) -> list[str]:
    return [key for key, _ in found(query, *memories)]


# Phase 1


@pytest.mark.parametrize("query", ["auth-flow", "  auth-flow\n"])
def test_the_key_alone_answers_its_own_query(query: str) -> None:
    memories = [memory("my-auth-flow"), memory("auth-flow"), memory("x", "auth-flow")]

    assert found(query, *memories) == [("auth-flow", "key")]


def test_a_key_is_the_same_in_both_forms_of_its_accents() -> None:
    decomposed = unicodedata.normalize("NFD", "café")

    assert found("café", memory(decomposed)) == [(decomposed, "key")]


def test_a_key_in_another_case_is_a_partial_key() -> None:
    memories = [memory("my-stack"), memory("stack"), memory("x", "our stack")]

    assert found("STACK", *memories) == [
        ("stack", "partial key"),
        ("my-stack", "partial key"),
        ("x", "value"),
    ]


def test_the_projects_copy_of_a_key_answers_alone() -> None:
    copies = [memory("stack", "Go", scope=GLOBAL), memory("stack", "Rust")]

    exact = search("stack", copies, Synonyms())
    partial = search("STACK", copies, Synonyms())

    assert [hit.memory.value for hit in exact.hits] == ["Rust"]
    assert [hit.memory.value for hit in partial.hits] == ["Rust", "Go"]


def test_each_of_two_keys_finds_a_memory() -> None:
    both = Memory(("outer-name", "inner-name"), {"value": "v"})

    assert found("inner-name", both) == [("outer-name", "key")]
    assert found("inner name", both) == [("outer-name", "partial key")]


# Phase 2


def test_a_key_that_contains_the_query_is_found() -> None:
    assert found("bun", memory("user-prefers-bun")) == [("user-prefers-bun", "partial key")]


def test_keys_come_by_how_well_they_hold_the_query() -> None:
    memories = [
        memory("api-notes-shared"),
        memory("un-shared-apis"),
        memory("sera-shared-api"),
        memory("Shared_API"),
    ]

    assert keys("shared api", *memories) == [
        "Shared_API",
        "sera-shared-api",
        "un-shared-apis",
        "api-notes-shared",
    ]


@pytest.mark.parametrize(
    "query", ["shared api", "shared-api", "SHARED_API", "shared/api", "ｓhared.api"]
)
def test_separators_and_case_do_not_matter(query: str) -> None:
    assert found(query, memory("sera-shared-api")) == [("sera-shared-api", "partial key")]


@pytest.mark.parametrize(
    "query", ["does the user prefer bun", "bun user", "db for the user who prefers bun"]
)
def test_a_key_with_all_words_of_a_question_is_found(query: str) -> None:
    assert found(query, memory("database-user-prefers-bun")) == [
        ("database-user-prefers-bun", "partial key")
    ]


def test_two_letters_within_words_of_a_key_are_no_two_words() -> None:
    assert found("ed go", memory("mongo-edges")) == []


@pytest.mark.parametrize("query", ["-", "?!", "//", "🎉"])
def test_a_query_without_words_is_no_part_of_every_key(query: str) -> None:
    assert found(query, memory("some-key", "some value"), memory("", "")) == []


def test_keys_come_before_values_and_nothing_twice() -> None:
    memories = [memory("tests", "Redis, redis"), memory("redis-url", "redis://localhost")]

    assert found("redis", *memories) == [("redis-url", "partial key"), ("tests", "value")]


# Phase 3


def test_more_words_come_first_then_whole_ones_then_the_projects_then_the_newest() -> None:
    memories = [
        memory("h", "authors", updated=NEW),
        memory("g", "auth", updated="last week"),
        memory("f", "auth"),
        memory("e", "auth", updated=NEW),
        memory("d", "auth with a tokencount"),
        memory("c", "authentication and tokens", scope=GLOBAL, updated=NEW),
        memory("b", "authorization and tokens"),
        memory("a", "auth and tokens"),
    ]

    assert keys("auth token", *memories) == ["a", "b", "c", "d", "e", "f", "g", "h"]


def test_among_equals_the_key_decides() -> None:
    assert keys("redis", *(memory(key, "redis") for key in "cab")) == ["a", "b", "c"]


def test_how_alive_a_memory_is_does_not_matter() -> None:
    lively = Memory(("b",), {"value": "redis", "vitality": {"score": 100, "reads": 99}})

    assert keys("redis", lively, Memory(("a",), {"value": "redis"})) == ["a", "b"]


def test_some_words_of_a_key_count_like_those_of_a_value() -> None:
    memories = [memory("a", "we style"), memory("pagination-style", "cursors")]

    assert found("which pagination style do we prefer", *memories) == [
        ("pagination-style", "partial key"),
        ("a", "value"),
    ]


def test_what_is_remembered_may_be_no_text() -> None:
    assert found("redis", Memory(("a",), {"value": {"cache": ["Redis"]}})) == [("a", "value")]
    assert found("redis", Memory(("a",), "Redis")) == [("a", "value")]


def test_a_superseded_memory_is_found() -> None:
    old = Memory(("a",), {"value": "redis", "links": {"superseded_by": "b"}})

    assert keys("redis", old) == ["a"]


# Phase 4


def test_a_package_manager_is_found_by_its_name() -> None:
    memories = [
        memory("user-prefers-bun", "Use bun, never npm."),
        memory("lock", "yarn.lock is committed"),
        memory("clock", "UTC everywhere"),
    ]

    assert found("package manager", *memories) == [
        ("user-prefers-bun", "related"),
        ("lock", "related"),
    ]


def test_a_phrase_found_in_part_does_not_hide_its_topic() -> None:
    memories = [memory("boss", "The manager is Ann."), memory("tools", "We use pnpm.")]

    assert found("package manager", *memories) == [("boss", "value"), ("tools", "related")]


def test_a_phrase_found_in_full_is_the_answer() -> None:
    memories = [memory("choice", "Our package manager is bun."), memory("tools", "pnpm here")]

    assert found("package manager", *memories) == [("choice", "value")]
    assert found("package manager", *memories, related=True) == [
        ("choice", "value"),
        ("tools", "related"),
    ]


def test_what_is_related_to_a_key_is_appended_if_asked_for() -> None:
    memories = [memory("login", "by mail"), memory("session", "JWT")]

    assert found("login", *memories) == [("login", "key")]
    assert found("login", *memories, related=True) == [("login", "key"), ("session", "related")]


def test_the_question_of_the_example_finds_both_memories() -> None:
    memories = [
        memory("user-session-handling", "Sessions expire after 30 days of inactivity."),
        memory(
            "auth-flow",
            "Authentication uses JWT access tokens (15min) with refresh tokens (7 days).",
        ),
        memory("stack", "Next.js"),
    ]

    assert found("how does auth work", *memories) == [
        ("auth-flow", "value"),
        ("user-session-handling", "related"),
    ]


def test_an_alias_reaches_a_topic() -> None:
    topics = {"auth": Group(("auth",), ("jwt",))}
    synonyms = Synonyms({"auth": ("authorization",)}, groups=topics)

    answer = search("authorization", [memory("a", "JWT")], synonyms)

    assert answer.hits[0].matches == (Match("auth", "jwt", "related"),)


TOPICS = Synonyms(
    groups={
        "log in": Group(("log in", "account"), ("jwt", "magic link"), ("jwt debugger",)),
        "log": Group(("log",), ("winston",)),
        "ci": Group(("ci", "continuous integration"), ("github actions", "jwt")),
        "words": Group(("?!",), ("cat",)),
    }
)


@pytest.mark.parametrize(
    ("query", "value", "so"),
    [
        pytest.param("how do I log in", "JWT", True, id="before stop words are dropped"),
        pytest.param("logging in", "jwt", True, id="by stem"),
        pytest.param("log-in", "jwt", True, id="joined"),
        pytest.param("log in", "winston", False, id="the longest phrase only"),
        pytest.param("log", "winston", True, id="the short one alone"),
        pytest.param("log it in", "winston", True, id="not in a row"),
        pytest.param("log in, or log", "winston", True, id="both"),
        pytest.param("account", "magic links", True, id="a phrase by stem"),
        pytest.param("account", "magic: link", True, id="with a sign between"),
        pytest.param("account", "link magic", False, id="in this order"),
        pytest.param("account", "a magic old link", False, id="side by side"),
        pytest.param("account", "magical linkage", False, id="not as beginnings"),
        pytest.param("account", "the jwt-debugger", False, id="not in an excluded phrase"),
        pytest.param("account", "jwt debugger, and JWT", True, id="but beside one"),
        pytest.param("jwt", "winston", False, id="an expansion is no trigger"),
        pytest.param("cat", "dog", False, id="a trigger without words"),
        pytest.param("CI", "GitHub Actions", True, id="case"),
        pytest.param("circle", "github actions", False, id="a whole word"),
    ],
)
def test_a_topic_is_asked_for_by_its_phrases(query: str, value: str, so: bool) -> None:
    answer = search(query, [memory("x", value)], TOPICS)

    assert [hit.phase for hit in answer.hits] == (["related"] if so else [])


def test_who_answers_more_of_a_question_comes_first() -> None:
    memories = [
        memory("a", "jwt and magic links", scope=GLOBAL),
        memory("b", "github actions"),
        memory("c", "jwt"),
        memory("d", "magic links and jwt"),
    ]
    topics = Synonyms(
        groups={"log": Group(("log in",), ("jwt", "magic link")), "ci": Group(("ci",), ("jwt",))}
    )

    answer = search("log in by ci", memories, topics)

    assert [hit.memory.key for hit in answer.hits] == ["d", "c", "a"]


def test_an_expansion_is_not_expanded() -> None:
    groups = {"a": Group(("one",), ("two",)), "b": Group(("two",), ("three",))}

    assert search("one", [memory("x", "three")], Synonyms(groups=groups)).hits == ()


# What is said of a hit


def test_a_hit_tells_its_phase_and_how_its_words_were_found() -> None:
    one = memory("auth-flow", "Authentication by tokens.")

    answer = search("auth token refresher", [one], packaged())

    held = (Match("auth", "auth", "equal"), Match("token", "tokens", "stem"))
    assert (answer.query, answer.hits) == ("auth token refresher", (Hit(one, "value", held),))


def test_a_key_tells_what_it_contains() -> None:
    answer = search("shared API", [memory("sera-shared-api")], Synonyms())

    assert answer.hits[0].matches == (Match("shared api", "sera shared api", "contained"),)


# Near keys


@pytest.mark.parametrize(
    ("query", "near"),
    [
        pytest.param("databse", ["database-url"], id="a letter dropped in a word"),
        pytest.param("databaes url", ["database-url"], id="letters swapped in the key"),
        pytest.param("the databse of it", ["database-url"], id="one word of several"),
        pytest.param("jest", [], id="too short for a slip"),
        pytest.param("databases", ["database-url"], id="one letter more"),
        pytest.param("web", [], id="a part only"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_key_is_named_that_may_have_been_meant(query: str, near: list[str]) -> None:
    memories = [memory("test-runner"), memory("database-url"), memory("websocket-port")]

    assert near_keys(query, memories) == near


def test_at_most_three_keys_are_named() -> None:
    assert near_keys("websokets", [memory(f"websockets-{n}") for n in "dcba"]) == [
        "websockets-a",
        "websockets-b",
        "websockets-c",
    ]


# Any query


@given(st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=4), st.booleans())
def test_any_text_is_a_valid_query(query: str, pairs: list[tuple[str, str]], related: bool) -> None:
    memories = [memory(key, value) for key, value in pairs]

    hits = search(query, memories, packaged(), related=related).hits
    near_keys(query, memories)

    assert len({id(hit.memory) for hit in hits}) == len(hits)
    assert all(hit.matches for hit in hits)


@given(st.sampled_from(["auth token", "shared api", "package manager", "db"]), st.randoms())
def test_the_order_of_the_memories_does_not_matter(query: str, random: object) -> None:
    values = ["auth", "shared token", "npm", "database", "the API", "bun, a manager", "tokens"]
    memories = [memory(f"key-{number}", value) for number, value in enumerate(values)]
    shuffled = list(memories)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert search(query, shuffled, packaged()) == search(query, memories, packaged())


SIZE = 64 * 1024


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("a" * SIZE, id="one word"),
        pytest.param("a-" * (SIZE // 2), id="one compound"),
        pytest.param("\ud800 " * (SIZE // 2), id="surrogates"),
        pytest.param("数据库" * (SIZE // 9), id="one run"),
        pytest.param(" ".join(f"word{n:x}ing" for n in range(5500)), id="many words"),
        pytest.param("log in and " * (SIZE // 11), id="many phrases"),
        pytest.param("databse conection " * (SIZE // 18), id="many slips"),
    ],
)
def test_64_kilobytes_cost_at_most_what_their_length_does(query: str) -> None:
    value = "We chose PostgreSQL over MongoDB, with JWT in cookies; see rate_limiter.py. " * 19
    memories = [memory(f"connection-of-database-{n}", value) for n in range(500)]
    synonyms = packaged()

    def ask(query: str) -> None:
        search(query, memories, synonyms)
        near_keys(query, memories)

    assert_linear(ask, lambda size: query[:size], SIZE)


# The real store


@pytest.fixture(scope="module")
def real() -> list[Memory]:
    if not STORE.exists():
        pytest.skip("the public store is not here")
    return [Memory((key,), entry) for key, entry in json.loads(STORE.read_text()).items()]


@pytest.mark.parametrize(
    ("query", "first", "phase"),
    [
        pytest.param("sera-worktrees", "sera-worktrees", "key", id="a key"),
        pytest.param("shared api", "sera-shared-api", "partial key", id="a part of a key"),
        pytest.param("STACK", "stack", "partial key", id="another case"),
        pytest.param("databases", "stack", "value", id="an alias of another number"),
        pytest.param("testing", "stack", "value", id="a stem"),
        pytest.param("who owns which folder", "sera-folder-ownership", "value", id="a question"),
        pytest.param("session folder ownership", "sera-folder-ownership", "value", id="words"),
        pytest.param("package manager", "stack", "related", id="a topic"),
    ],
)
def test_a_reader_finds_what_they_ask_the_real_store_for(
    real: list[Memory], query: str, first: str, phase: str
) -> None:
    hit = search(query, real, packaged()).hits[0]

    assert (hit.memory.key, hit.phase) == (first, phase)


def test_what_the_real_store_does_not_hold_is_not_found(real: list[Memory]) -> None:
    assert search("kubernetes", real, packaged()).hits == ()
    assert near_keys("arhcitecture", real) == ["sera-architecture"]


def test_a_key_with_a_slip_in_it_is_not_answered_by_something_related() -> None:
    memories = [Memory(("deploy-window",), "Tuesdays."), Memory(("ports",), "docker compose: 80")]

    assert search("deploy-windw", memories, packaged()).hits == ()
    assert near_keys("deploy-windw", memories) == ["deploy-window"]
