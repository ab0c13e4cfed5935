"""Frontmatter: what a block says, whatever shape its YAML is in."""

from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import NOISE_SECONDS, cost
from total_recall.safeyaml import MAX_EVENTS
from total_recall.vault import frontmatter
from total_recall.vault.frontmatter import Frontmatter, Value, parse, split

YAML_MARKS = "ab:-[]{}#'\"\n\n  \t|>&*!?,%@`~\\"


@pytest.fixture(params=["C", "pure Python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Each of the two YAML loaders that a machine may have."""
    if request.param == "pure Python":
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    frontmatter._handler.cache_clear()
    yield request.param
    frontmatter._handler.cache_clear()


@pytest.mark.parametrize(
    ("text", "block", "body"),
    [
        pytest.param("---\nid: 7\n---\nbody\n", "id: 7\n", "body\n", id="a block"),
        pytest.param("---  \nid: 7\n---\t\nbody", "id: 7\n", "body", id="blanks after the marks"),
        pytest.param("---\nid: 7\n---", "id: 7\n", "", id="no body"),
        pytest.param("---\n---\nbody", "", "body", id="an empty block"),
        pytest.param("---\na: 1\n---\none\n---\ntwo", "a: 1\n", "one\n---\ntwo", id="later rule"),
        pytest.param("---\na: 1\n----\nb: 2\n---\n", "a: 1\n----\nb: 2\n", "", id="four dashes"),
        pytest.param("---\nid: 7\nbody", "", "---\nid: 7\nbody", id="never closed"),
        pytest.param("\n---\nid: 7\n---\n", "", "\n---\nid: 7\n---\n", id="not at the start"),
        pytest.param("----\nid: 7\n----\n", "", "----\nid: 7\n----\n", id="a rule, no block"),
        pytest.param('{"id": 7}', "", '{"id": 7}', id="a body like JSON"),
        pytest.param("+++\nid = 7\n+++\n", "", "+++\nid = 7\n+++\n", id="a body like TOML"),
        pytest.param("", "", "", id="nothing"),
    ],
)
def test_a_block_stands_at_the_start_and_ends_at_the_first_mark(
    text: str, block: str, body: str
) -> None:
    assert split(text) == (block, body)


SOUND: list[tuple[str, str, dict[str, Value]]] = [
    ("leading zeros stay", "id: 0012", {"id": "0012"}),
    ("a date stays text", "id: 2024-01-01", {"id": "2024-01-01"}),
    ("yes stays text", "a: yes\nb: off", {"a": "yes", "b": "off"}),
    ("a time stays text", "at: 12:30", {"at": "12:30"}),
    ("a float stays text", "v: 1.10\nw: 1e3", {"v": "1.10", "w": "1e3"}),
    ("null is missing", "a: null\nb: Null\nc: NULL\nd: 1", {"d": "1"}),
    ("a tilde is missing", "a: ~\nb: 1", {"b": "1"}),
    ("empty is missing", "a:\nb: 1", {"b": "1"}),
    ("null in a list is missing", "a: [x, ~, null, y]", {"a": ["x", "y"]}),
    ("a quoted null stays", "a: \"null\"\nb: '~'", {"a": "null", "b": "~"}),
    (
        "keys that python-frontmatter uses itself",
        "content: a\nhandler: b\nself: c",
        {"content": "a", "handler": "b", "self": "c"},
    ),
    ("a list", "tags:\n  - a\n  - b", {"tags": ["a", "b"]}),
    ("a list without indent", "tags:\n- a\n- b", {"tags": ["a", "b"]}),
    ("an inline list", "tags: [a, 'b']", {"tags": ["a", "b"]}),
    ("a wikilink", "related: [[a]]", {"related": [["a"]]}),
    ("a map", "a: {b: c, d: [e]}", {"a": {"b": "c", "d": ["e"]}}),
    ("a literal block", "a: |\n  one: 1\n  - two\n", {"a": "one: 1\n- two\n"}),
    ("a folded block", "a: >-\n  one\n  two\n", {"a": "one two"}),
    ("a comment", "a: b # no\n# c: d", {"a": "b"}),
    ("a URL", "a: http://x.y/z", {"a": "http://x.y/z"}),
    ("a key in quotes", '"a key": b', {"a key": "b"}),
    ("a key with a blank", "a key: b", {"a key": "b"}),
    ("a key that is a number", "1: a\n2.5: b", {"1": "a", "2.5": "b"}),
    ("a key that is a date or truth", "2024-01-01: a\ntrue: b", {"2024-01-01": "a", "true": "b"}),
    ("a key that is null", "~: a\nb: c", {"b": "c"}),
    ("the last of two equal keys", "a: 1\nb: 2\na: 3", {"a": "3", "b": "2"}),
    ("a tag of YAML's is ignored", "a: !!python/object:os.system x", {"a": "x"}),
    ("an anchor alone is harmless", "a: &b c", {"a": "c"}),
    ("a merge key is a key", "<<: {a: b}\nc: d", {"<<": {"a": "b"}, "c": "d"}),
    ("odd escapes that YAML knows", r'a: "\x41\u00e9\e\/"', {"a": "A\u00e9\x1b/"}),
    ("a #tag is no comment", "tags: #auth", {"tags": "#auth"}),
    ("a #tag in a list is no comment", "tags:\n  - #a/b\n  - c", {"tags": ["#a/b", "c"]}),
    ("comments only", "# nothing here", {}),
    ("null only", "null", {}),
    ("nothing", "", {}),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("block", "values"), [pytest.param(block, values, id=name) for name, block, values in SOUND]
)
def test_a_sound_block_gives_its_values_as_text(block: str, values: dict[str, Value]) -> None:
    assert parse(block) == Frontmatter(values)


REPAIRED: list[tuple[str, str, dict[str, Value]]] = [
    ("a colon in a title", "title: Auth: JWT", {"title": "Auth: JWT"}),
    ("a colon at the end", "title: so be it:\na: b", {"title": "so be it:", "a": "b"}),
    ("an apostrophe too", "title: it's: fine", {"title": "it's: fine"}),
    ("a quoted start", 'title: "hi": there', {"title": '"hi": there'}),
    ("two wikilinks", "depends_on: [[a]], [[b]]", {"depends_on": "[[a]], [[b]]"}),
    ("a wikilink with more", "up: [[a]] and b\nc: d", {"up": "[[a]] and b", "c": "d"}),
    ("wikilinks in a list", "up:\n  - [[a]] x\n  - [[b|c]]", {"up": ["[[a]] x", "[[b|c]]"]}),
    ("a template", "made: {{date}}\ntags: [x]", {"made": "{{date}}", "tags": ["x"]}),
    ("a template inside", "a: on {{date}}: b", {"a": "on {{date}}: b"}),
    ("starts with @", "a: @x", {"a": "@x"}),
    ("starts with %", "a: %x", {"a": "%x"}),
    ("starts with *", "a: *x", {"a": "*x"}),
    ("starts with &", "a: & x", {"a": "& x"}),
    ("starts with {", "a: {x", {"a": "{x"}),
    ("starts with |", "a: |x", {"a": "|x"}),
    ("starts with !", "a: !<x", {"a": "!<x"}),
    ("starts with #, beside another fault", "a: # x\nb: @y", {"a": "# x", "b": "@y"}),
    ("starts with a backtick", "a: `x`", {"a": "`x`"}),
    ("tabs for indent", "a:\n\t- b\n\t- c", {"a": ["b", "c"]}),
    (
        "a value that is sound stays",
        "a: @x\nb: 'c: d'\nc: [e]",
        {"a": "@x", "b": "c: d", "c": ["e"]},
    ),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("block", "values"), [pytest.param(block, values, id=name) for name, block, values in REPAIRED]
)
def test_a_broken_block_is_repaired_line_by_line_and_says_so(
    block: str, values: dict[str, Value]
) -> None:
    front = parse(block)

    assert front.values == values
    assert front.fault.startswith("frontmatter repaired: ")


LAST_RESORT: list[tuple[str, str, dict[str, Value]]] = [
    (
        "a quote that is not closed",
        'title: "un\ntags: [good, x]\nid: q',
        {"title": "un", "tags": ["good", "x"], "id": "q"},
    ),
    ("a quote too early", 'title: "a" b\nid: z', {"title": 'a" b', "id": "z"}),
    ("a list that is not closed", "tags: [a, b\nid: x", {"tags": ["a", "b"], "id": "x"}),
    ("#tags in an inline list", "tags: [#a, #b]", {"tags": ["#a", "#b"]}),
    ("a list below a key", 'id: "x\ntags:\n- a\n  - b\n- ~', {"id": "x", "tags": ["a", "b"]}),
    ("an unknown escape", r'a: "\q"', {"a": r"\q"}),
    ("a code point that is none", r'a: "\U99999999"', {"a": r"\U99999999"}),
    ("a code point beyond an int", r'a: "\UFFFFFFFF"', {"a": r"\UFFFFFFFF"}),
    ("an escape cut short", r'a: "\x4"', {"a": r"\x4"}),
    ("a control character", "a: \x07b\nc: d", {"a": "\x07b", "c": "d"}),
    ("a key that is a list", "? [a]\n: b\nc: d", {"c": "d"}),
    ("a key that is a map", "? {a: b}\n: c\nd: e", {"d": "e"}),
    ("a rule of four dashes", "a: 1\n----\nb: 2", {"a": "1", "b": "2"}),
    ("a deeper key after a value", "a: b\n  c: d", {"a": "b", "c": "d"}),
    ("null is missing here too", 'a: "x\nb: ~\nc:\nd: null', {"a": "x"}),
    ("a list at the top", "- a\n- b", {}),
    ("text at the top", "just text", {}),
    ("no blank after the colon", "a:b", {}),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("block", "values"),
    [pytest.param(block, values, id=name) for name, block, values in LAST_RESORT],
)
def test_the_line_parse_keeps_what_can_be_read(block: str, values: dict[str, Value]) -> None:
    front = parse(block)

    assert front.values == values
    assert front.fault.startswith("frontmatter read line by line: ")


def test_a_fault_names_the_line_of_the_file() -> None:
    fault = parse("id: 7\ntitle: a: b").fault

    assert fault == ("frontmatter repaired: line 3: mapping values are not allowed in this context")


BOMBS = [
    ("brackets", "a: " + "[" * 60_000, "nest"),
    ("braces", "a: " + "{" * 60_000, "nest"),
    ("bracket pairs", "a: " + "[" * 17 + "]" * 17, "nested over 16 deep"),
    ("dashes", "a:\n" + "- " * 30_000 + "x", "nested over 16 deep"),
    ("question marks", "? " * 30_000 + "x", "nested over 16 deep"),
    (
        "deep maps",
        "".join(" " * depth + "k:\n" for depth in range(300)),
        "nested over 16 deep",
    ),
    (
        "billion laughs",
        "a0: &a0 [x]\n"
        + "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)),
        "aliases are not followed",
    ),
    (
        "merge keys",
        "a0: &a0 {x: y}\n" + "\n".join(f"a{n}: &a{n}\n  <<: *a{n - 1}" for n in range(1, 900)),
        "aliases are not followed",
    ),
    ("an alias of itself", "a: &a [*a]", "aliases are not followed"),
    ("many values", "a: [" + "x," * 30_000 + "]", "over 10,000 values"),
    ("over 64 KB", "a: " + "x" * 65_536, "over 64 KB"),
    ("a key with many blanks", "a" + " " * 65_000 + "b\nc: ]", ""),
    ("a line of blanks", "- " * 5 + " " * 65_000 + "b\nc: ]", ""),
    ("quotes", "a: " + '"' * 65_001, ""),
    ("empty lines", "a: ]" + "\n" * 65_000, "line"),
    ("hashes", "#a " * 21_000 + "\n- ]", ""),
    ("tags", "tags: " + "#a, " * 16_000 + "!\nb: ]", "line"),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("block", "reason"), [pytest.param(block, reason, id=name) for name, block, reason in BOMBS]
)
def test_a_bomb_costs_no_more_than_a_full_block_and_is_named(block: str, reason: str) -> None:
    full = "a: [" + "x," * (MAX_EVENTS - 10) + "]"  # the most that an honest block can cost

    took = cost(parse, block)

    assert took <= 10 * max(cost(parse, full), NOISE_SECONDS)
    front = parse(block)
    assert front.fault.startswith("frontmatter ")
    assert reason in front.fault
    assert "\n" not in front.fault


def test_a_block_over_the_limit_is_ignored_whole() -> None:
    front = parse("id: 7\na: " + "x" * 65_536)

    assert front == Frontmatter({}, "frontmatter ignored: over 64 KB")


def test_sixteen_deep_is_still_read() -> None:
    front = parse("a: " + "[" * 15 + "x" + "]" * 15)

    assert (frontmatter.texts(front.values["a"]), front.fault) == (["x"], "")


@given(st.text(st.one_of(st.characters(), st.sampled_from(YAML_MARKS)), max_size=200))
def test_any_text_is_a_block_of_texts_lists_and_maps(block: str) -> None:
    values = parse(block).values

    assert isinstance(values, dict)
    assert _is_plain(values)


@given(st.text(st.sampled_from(YAML_MARKS), max_size=60))
def test_any_row_of_yaml_marks_is_a_block(block: str) -> None:
    values = parse(block).values

    assert isinstance(values, dict)
    assert _is_plain(values)


@given(st.text(st.sampled_from("-a:\n \t"), max_size=60))
def test_splitting_loses_nothing_but_the_marks(text: str) -> None:
    block, body = split(text)

    assert text == body or text.startswith("---")
    assert block in text
    assert text.endswith(body)


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(_is_plain(inner) for inner in value)
    return isinstance(value, str)
