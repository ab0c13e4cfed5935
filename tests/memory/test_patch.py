import copy
import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import SHARED_DATA
from tests.growth import assert_linear
from total_recall.memory.patch import NotJsonError, Path, Value, parse, removed, replaced

BOM = "\ufeff"


def stores(pattern: str) -> list[Any]:
    """Give the stores of a name, each as a parameter; a skip where they are not."""
    skip = pytest.mark.skip(reason="the public stores are not here")
    paths = sorted((SHARED_DATA / "nemp").glob(pattern))
    found = [pytest.param(path, id=path.stem) for path in paths]
    return found or [pytest.param(None, marks=skip, id="none")]


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        pytest.param("", 1, 1, "the text ends too early", id="blank"),
        pytest.param('{\n  "a": 1', 2, 9, "the text ends too early", id="cut after a value"),
        pytest.param('{\n  "a": "x', 2, 8, "the text ends inside a string", id="cut in a string"),
        pytest.param('{"a": 1}\n{}', 2, 1, "more text after the end", id="a second text"),
        pytest.param('{"a" 1}', 1, 6, "expecting ':' delimiter", id="no colon"),
        pytest.param('["\t"]', 1, 3, "invalid control character", id="a raw tab in a string"),
        pytest.param('{"a": NaN}', 1, 7, "NaN is not JSON", id="NaN"),
        pytest.param('["NaN",\n -Infinity]', 2, 2, "-Infinity is not JSON", id="infinity"),
        pytest.param("[1, NaN, NaN]", 1, 5, "NaN is not JSON", id="the first of two"),
        pytest.param('{"a": 1,\r\n "a": 2}', 2, 2, 'the key "a" stands twice', id="a key twice"),
        pytest.param(
            '{"a": {"a": "a"}, "\\u0061": 2}', 1, 19, 'the key "a" stands twice', id="in disguise"
        ),
        pytest.param('[{"a": 1}, {"é": 1, "é": 1}]', 1, 21, 'the key "é" stands twice', id="deep"),
        pytest.param("[" * 100_000, 1, 1, "nested too deeply", id="too deep"),
        pytest.param(
            f"[1, -{'9' * 5000}, 2.{'9' * 5000}]", 1, 5, "an integer of too many digits", id="huge"
        ),
        pytest.param(
            '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> b\n}',
            2,
            1,
            "git conflict markers",
            id="a conflict",
        ),
        pytest.param("<<<<<<< HEAD\n{}", 1, 1, "git conflict markers", id="a conflict on line 1"),
        pytest.param(f"{BOM}{{}}", 1, 1, "expecting value", id="a byte order mark"),
    ],
)
def test_what_is_doubtful_is_refused_with_its_place(
    text: str, line: int, column: int, reason: str
) -> None:
    with pytest.raises(NotJsonError) as refused:
        parse(text)

    assert (refused.value.line, refused.value.column, refused.value.reason) == (
        line,
        column,
        reason,
    )
    assert str(refused.value) == f"line {line}, column {column}: {reason}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('[{"a": {"a": 1}}, {"a": 2}]', [{"a": {"a": 1}}, {"a": 2}], id="a key again"),
        pytest.param('"<<<<<<< HEAD"', "<<<<<<< HEAD", id="a conflict that is only told of"),
        pytest.param(" \t\r\n3 ", 3, id="blanks around"),
        pytest.param('"\\ud83d\\ude00 \\ud800"', "😀 \ud800", id="surrogates"),
    ],
)
def test_what_is_json_is_given(text: str, value: Value) -> None:
    assert parse(text) == value


@given(st.text(alphabet='{}[]",:\\ \n0123456789-eE.aunltrfsNI<', max_size=40))
def test_any_text_is_given_as_the_decoder_does_or_refused(text: str) -> None:
    try:
        value = parse(text)
    except NotJsonError:
        return

    assert value == json.loads(text)


@pytest.mark.parametrize("path", stores("synthetic/*.json"))
def test_made_stores_are_read_or_refused_for_what_they_are(path: Any) -> None:
    reasons = {
        "empty": "line 1, column 1: the text ends too early",
        "git_conflict_markers": "line 2, column 1: git conflict markers",
        "map_duplicate_keys": 'line 3, column 3: the key "auth" stands twice',
        "truncated": "line 2, column 44: the text ends inside a string",
    }
    text = path.read_bytes().decode("utf-8-sig")
    if path.stem not in reasons:
        assert parse(text) == json.loads(text)
        return

    with pytest.raises(NotJsonError) as refused:
        parse(text)

    assert str(refused.value) == reasons[path.stem]


LINES = """\
{
    "a": {
        "x": 1,
        "y": [ 1,2 ]
    },
    "b": {},
    "c": 0.90
}
"""


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        pytest.param("3", {(): 4}, "4", id="a whole text"),
        pytest.param(" 3\n", {(): [4]}, " [\n   4\n ]\n", id="blanks around stay"),
        pytest.param("{}", {}, "{}", id="nothing"),
        pytest.param('{"a":1}', {("a",): 22}, '{"a":22}', id="a number"),
        pytest.param('{ "a" :\t1 }', {("a",): None}, '{ "a" :\tnull }', id="odd blanks"),
        pytest.param('{"a":1}', {("b",): 2}, '{"a":1,"b":2}', id="added, tight"),
        pytest.param('{"a": 1}', {("b",): 2}, '{"a": 1, "b": 2}', id="added, loose"),
        pytest.param('{ "a": 1 }', {("b",): 2}, '{ "a": 1, "b": 2 }', id="added in a frame"),
        pytest.param('{"a":1 , "b":2}', {("c",): 3}, '{"a":1 , "b":2 , "c":3}', id="odd joints"),
        pytest.param('{"a": 1}', {("b", "c"): 2}, '{"a": 1, "b": {"c": 2}}', id="missing parents"),
        pytest.param(
            '{"a": 1}', {("b", "x"): 2, ("b", "y"): 3}, '{"a": 1, "b": {"x": 2, "y": 3}}', id="two"
        ),
        pytest.param("{}", {("a",): {}}, '{\n  "a": {}\n}', id="an empty text"),
        pytest.param(
            "{\r\n}\r\n", {("a",): 1}, '{\r\n  "a": 1\r\n}\r\n', id="an empty text of lines"
        ),
        pytest.param('{"a": {}}', {("a", "b"): 1}, '{"a": {"b": 1}}', id="empty on one line"),
        pytest.param("[1]", {(1,): 2, (2,): 3}, "[1, 2, 3]", id="appended"),
        pytest.param("[1,2]", {(2,): [3, 4]}, "[1,2,[3,4]]", id="appended, tight"),
        pytest.param("[ ]", {(0,): 1}, "[\n  1\n]", id="appended to nothing"),
        pytest.param("[1]", {(1, "a"): 2}, '[1, {"a": 2}]', id="appended with a parent"),
        pytest.param('{"\\u0061": 1}', {("a",): 2}, '{"\\u0061": 2}', id="a key in disguise"),
        pytest.param('{"": {"": 1}}', {("", ""): 2}, '{"": {"": 2}}', id="empty keys"),
        pytest.param('{"{": "}", "b": 1}', {("b",): 2}, '{"{": "}", "b": 2}', id="brackets in it"),
        pytest.param('{"a": 1}', {("a",): {"b": 2}}, '{"a": {"b": 2}}', id="a value nests"),
        pytest.param('{"a": 1}', {("a",): {}, ("a", "b"): 2}, '{"a": {"b": 2}}', id="in turn"),
        pytest.param(
            '{"a": 1}', {("b", "c"): 2, ("b",): 3}, '{"a": 1, "b": 3}', id="the last wins"
        ),
        pytest.param(
            LINES,
            {("c",): 0.5, ("a", "x"): 22, ("a", "y", 2): 3, ("a", "z"): [1, {}]},
            LINES.replace("0.90", "0.5")
            .replace('"x": 1', '"x": 22')
            .replace("[ 1,2 ]", '[ 1,2,3 ],\n        "z": [1, {}]'),
            id="many",
        ),
        pytest.param(
            LINES,
            {("b", "u"): {"v": 1}},
            LINES.replace("{}", '{\n        "u": {\n            "v": 1\n        }\n    }'),
            id="an empty object of a text of lines",
        ),
        pytest.param(
            LINES,
            {("d",): {"x": 1}},
            LINES.replace("0.90", '0.90,\n    "d": {\n        "x": 1\n    }'),
            id="an object at the end",
        ),
        pytest.param(
            LINES, {("a", "y"): [7, 8]}, LINES.replace("[ 1,2 ]", "[7, 8]"), id="a line stays one"
        ),
        pytest.param(
            '{\n  "a": {"x": 1}\n}',
            {("b",): {"x": 2}},
            '{\n  "a": {"x": 1},\n  "b": {"x": 2}\n}',
            id="one line each",
        ),
        pytest.param(
            '[{\n\t"a": 1\n}]', {(1,): {"a": 2}}, '[{\n\t"a": 1\n}, {\n\t"a": 2\n}]', id="hugging"
        ),
        pytest.param(
            '{\n\n\t"a": 1\n\n}', {("b",): 2}, '{\n\n\t"a": 1,\n\n\t"b": 2\n\n}', id="blank lines"
        ),
        pytest.param(
            '{ "a": 1\n, "b": 2\n}',
            {("c",): 3},
            '{ "a": 1\n, "b": 2\n, "c": 3\n}',
            id="comma first",
        ),
        pytest.param(
            '{\r\n\t"a": 1\r\n}\r\n',
            {("b",): [2]},
            '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t2\r\n\t]\r\n}\r\n',
            id="CRLF and tabs",
        ),
    ],
)
def test_a_change_is_written_as_its_neighbours_are(
    text: str, changes: dict[Path, Value], expected: str
) -> None:
    assert replaced(text, changes) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("0.90", 0.9, id="the same number"),
        pytest.param('"\\u0041\\/"', "A/", id="the same string"),
        pytest.param('{"a":1,\n "b":[ ]}', {"b": [], "a": 1}, id="the same object"),
    ],
)
def test_an_equal_value_keeps_its_spelling(text: str, value: Value) -> None:
    assert replaced(text, {(): value}) == text


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        pytest.param("1", True, "true", id="a truth is no number"),
        pytest.param("1", 1.0, "1.0", id="a float is no integer"),
        pytest.param("[0]", [False], "[false]", id="inside"),
    ],
)
def test_a_value_of_another_type_is_another_value(text: str, value: Value, expected: str) -> None:
    assert replaced(text, {(): value}) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"x"', '"é😀"', id="ASCII, but nothing to escape"),
        pytest.param('"\\u001b\\n"', '"é😀"', id="only escapes that must be"),
        pytest.param('"C:\\\\u00e9"', '"é😀"', id="a backslash before a u"),
        pytest.param('"ü\\u00fc"', '"é😀"', id="both"),
        pytest.param('"\\u00fc"', '"\\u00e9\\ud83d\\ude00"', id="all escaped"),
        pytest.param('"\\\\\\u00FC"', '"\\u00e9\\ud83d\\ude00"', id="all escaped, in capitals"),
    ],
)
def test_what_is_not_ascii_is_written_as_the_text_does(old: str, new: str) -> None:
    assert replaced(f"[{old}, 1]", {(1,): "é😀"}) == f"[{old}, {new}]"


@pytest.mark.parametrize("text", ['{"é": 1}', '{"\\u00e9": 1}', '{"e": 1}'])
def test_half_a_character_is_always_escaped(text: str) -> None:
    assert replaced(text, {("\udfff",): "\ud800"}) == text[:-1] + ', "\\udfff": "\\ud800"}'


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param('{"a": 3}', ("a", "b"), id="through a number"),
        pytest.param('{"a": null}', ("a", "b"), id="through null"),
        pytest.param("[1]", ("a",), id="a key of an array"),
        pytest.param("[1]", ("1",), id="an index as a key"),
        pytest.param('{"a": 3}', (1,), id="an index of an object"),
        pytest.param("{}", (0,), id="an index of an empty object"),
        pytest.param("[1]", (2,), id="beyond the end"),
        pytest.param("[1]", (-1,), id="from the end"),
        pytest.param('{"a": 3}', ("b", 0), id="an index of what is missing"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(text: str, path: Path) -> None:
    with pytest.raises(LookupError, match="no place for"):
        replaced(text, {path: 1})


def test_a_deep_path_is_followed() -> None:
    depth = 500
    text = '{"a":' * depth + "1" + "}" * depth

    assert replaced(text, {("a",) * depth: 2}) == text.replace("1", "2")


def test_not_a_number_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        replaced("[1]", {(0,): float("nan")})


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param(LINES, ("a",), LINES[:1] + LINES[LINES.index('\n    "b"') :], id="the first"),
        pytest.param(LINES, ("b",), LINES.replace('    "b": {},\n', ""), id="one between"),
        pytest.param(LINES, ("c",), LINES.replace(',\n    "c": 0.90', ""), id="the last"),
        pytest.param(LINES, ("a", "y", 0), LINES.replace("1,2", "2"), id="an item"),
        pytest.param('{\n  "a": 1\n}\n', ("a",), "{}\n", id="the only one"),
        pytest.param('{"a": 1, "b": 2, "c": 3}', ("a",), '{"b": 2, "c": 3}', id="first on a line"),
        pytest.param('{"a": 1, "b": 2, "c": 3}', ("b",), '{"a": 1, "c": 3}', id="between"),
        pytest.param('{"a": 1, "b": 2, "c": 3}', ("c",), '{"a": 1, "b": 2}', id="last on a line"),
        pytest.param('{ "a": 1\n, "b": 2\n}', ("b",), '{ "a": 1\n}', id="comma first"),
        pytest.param('{"\\u0061": {"b": [1]}}', ("a", "b", 0), '{"\\u0061": {"b": []}}', id="deep"),
    ],
)
def test_what_is_removed_leaves_no_gap(text: str, path: Path, expected: str) -> None:
    assert removed(text, path) == expected


@pytest.mark.parametrize("path", [(), ("x",), ("a", "b"), ("b", 1), ("b", "0"), (0,)])
def test_what_is_not_there_cannot_be_removed(path: Path) -> None:
    with pytest.raises(LookupError):
        removed('{"a": 3, "b": [1]}', path)


# Some programs escape DEL, which is ASCII, and some do not.
names = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=3)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), names
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
# Two members show how a text is written, and one of them whether it is in ASCII.
documents = st.dictionaries(names, values, min_size=1, max_size=4).map(lambda held: {"é": 0} | held)


@st.composite
def writers(draw: st.DrawFn) -> Callable[[Any], str]:
    """Give a way to write a document as some program would."""
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    comma = "," if indent is not None else draw(st.sampled_from([", ", ","]))
    colon = draw(st.sampled_from([": ", ":"]))
    ascii_only = draw(st.booleans())
    newline = draw(st.sampled_from(["\n", "\r\n"]))

    def write(value: Any) -> str:
        written = json.dumps(
            value, indent=indent, separators=(comma, colon), ensure_ascii=ascii_only
        )
        return written.replace("\n", newline)

    return write


@st.composite
def scrawls(draw: st.DrawFn) -> Callable[[Any], str]:
    """Give a way to write a document with any blanks anywhere."""
    blanks = draw(st.lists(st.text(" \t\r\n", max_size=3), min_size=1, max_size=7))

    def write(value: Any) -> str:
        tokens = re.findall(
            r'"(?:[^"\\]|\\.)*"|[^][{}:,"]+|.', json.dumps(value, ensure_ascii=False)
        )
        between = itertools.cycle(blanks)
        return "".join(next(between) + token.strip(" ") for token in tokens) + next(between)

    return write


def members(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def places(value: Any) -> list[tuple[Path, Any]]:
    """Give the path of a value and of all below it, each with what is there."""
    below = [(key, found) for key, held in members(value) for found in places(held)]
    return [((), value), *(((key, *path), held) for key, (path, held) in below)]


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def changed(document: Any, changes: dict[Path, Any]) -> Any:
    """Give the document after plain assignments."""
    root = copy.deepcopy({"": document})
    for path, value in changes.items():
        holder: Any = root
        for key, below in itertools.pairwise(["", *path]):
            holder = holder.setdefault(key, {}) if isinstance(holder, dict) else holder[key]
            if isinstance(holder, list) and below == len(holder):
                holder.append({})
        last = path[-1]
        is_new = isinstance(holder, dict) and last not in holder
        if is_new or not same(holder[last], value):
            holder[last] = copy.deepcopy(value)
    return root[""]


@st.composite
def changes_of(draw: st.DrawFn, document: Any) -> dict[Path, Any]:
    """Give changes inside a document that it allows, of which none leads through another."""
    found: dict[Path, Any] = {}
    for _ in range(draw(st.integers(1, 4))):
        path, held = draw(st.sampled_from(places(document)))
        if isinstance(held, list) and draw(st.booleans()):
            path = (*path, len(held))
        elif isinstance(held, dict) and draw(st.booleans()):
            more = draw(st.lists(names, min_size=1, max_size=3))
            path = (*path, *more[: 1 if more[0] in held else 3])
        if path and not any(path[: len(other)] == other[: len(path)] for other in found):
            found[path] = draw(values)
    return found


@given(st.data(), documents, writers())
def test_a_change_is_what_its_writer_would_have_written(
    data: st.DataObject, document: Any, write: Callable[[Any], str]
) -> None:
    changes = data.draw(changes_of(document))

    text = replaced(write(document), changes)

    assert text == write(changed(document, changes))


@given(st.data(), documents, scrawls())
def test_a_text_is_changed_as_its_value_would_be(
    data: st.DataObject, document: Any, write: Callable[[Any], str]
) -> None:
    changes = data.draw(changes_of(document))

    text = replaced(write(document), changes)

    assert same(parse(text), changed(document, changes))


@given(st.data(), documents, scrawls(), scalars)
def test_a_change_taken_back_leaves_no_trace(
    data: st.DataObject, document: Any, write: Callable[[Any], str], other: Any
) -> None:
    text = write(document)
    single = [(path, held) for path, held in places(document) if not members(held)]
    path, held = data.draw(st.sampled_from(single))
    assume(held != [] and held != {})

    there = replaced(text, {path: other})

    assert replaced(there, {path: held}) == text


@given(st.data(), documents, scrawls(), values)
def test_what_is_added_and_removed_leaves_no_trace(
    data: st.DataObject, document: Any, write: Callable[[Any], str], value: Any
) -> None:
    text = write(document)
    filled = [(path, held) for path, held in places(document) if members(held)]
    path, held = data.draw(st.sampled_from(filled))
    key = len(held) if isinstance(held, list) else "four"

    there = replaced(text, {(*path, key): value})

    assert removed(there, (*path, key)) == text


@given(st.data(), documents, st.one_of(writers(), scrawls()))
def test_a_text_loses_what_its_value_would(
    data: st.DataObject, document: Any, write: Callable[[Any], str]
) -> None:
    path, _ = data.draw(st.sampled_from(places(document)[1:]))
    less = copy.deepcopy(document)
    holder: Any = less
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]

    text = removed(write(document), path)

    assert json.dumps(parse(text)) == json.dumps(less)


@given(st.data(), documents, writers())
def test_what_is_left_is_what_its_writer_would_have_written(
    data: st.DataObject, document: Any, write: Callable[[Any], str]
) -> None:
    key = data.draw(st.sampled_from([*document]))

    text = removed(write(document), (key,))

    assert text == write({name: held for name, held in document.items() if name != key})


COUNTERS = {"score": 91, "reads": 92, "reads_7d": 93, "reads_30d": 94}


@pytest.mark.parametrize("path", stores("sera_memories_*.json"))
def test_four_counters_of_a_real_store_change_and_nothing_else(path: Any) -> None:
    text = path.read_bytes().decode()
    store: Any = parse(text)

    for key in store:
        new = replaced(text, {(key, "vitality", name): n for name, n in COUNTERS.items()})

        head, mark, rest = text.partition(f'"key": "{key}"')
        before, vitality, counters = rest.partition('"vitality": {')
        for name, count in COUNTERS.items():
            counters = re.sub(rf'"{name}": \d+', f'"{name}": {count}', counters, count=1)
        assert new == head + mark + before + vitality + counters


@pytest.mark.parametrize("path", stores("sera_memories_*.json"))
def test_a_memory_of_a_real_store_goes_with_its_lines(path: Any) -> None:
    text = path.read_bytes().decode()
    store: Any = parse(text)

    for key in store:
        lines = removed(text, (key,)).splitlines()

        gone = text.splitlines()
        first = gone.index(f'  "{key}": {{')
        last = next(n for n in range(first, len(gone)) if gone[n].rstrip(",") == "  }")
        left = gone[:first] + gone[last + 1 :]
        left[-2] = left[-2].rstrip(",")
        assert lines == left


MEMORY = {"value": "Next.js " * 150, "vitality": {"score": 50, "reads_7d": 0, "last_read": None}}


def test_a_large_store_is_changed_at_the_cost_of_its_length() -> None:
    def store(size: int) -> str:
        memories = [{"key": f"key-{number}", **MEMORY} for number in range(size)]
        return json.dumps({"memories": memories, "metadata": {"lastModified": ""}}, indent=2)

    memory: Path = ("memories", 190, "vitality")
    changes: dict[Path, Value] = {(*memory, f"counter {number}"): number for number in range(12)}

    def change(text: str) -> None:
        parse(text)
        replaced(text, changes | {("metadata", "lastModified"): "now"})

    assert_linear(change, store, 2000)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda size: f'["{"{" * size}"]', id="brackets in a string"),
        pytest.param(lambda size: "[" + '"{", ' * (size // 5) + "0]", id="brackets in strings"),
        pytest.param(lambda size: "[" + "{}," * (size // 3) + "0]", id="empty objects"),
        pytest.param(lambda size: "[" + " " * size + "]", id="blanks"),
        pytest.param(lambda size: "[" + "\n" * size + "]", id="line ends"),
        pytest.param(lambda size: "[" + "\n  " * (size // 3) + "]", id="blank lines"),
        pytest.param(lambda size: f'["{chr(92) * (size // 2 * 2)}"]', id="backslashes"),
        pytest.param(lambda size: f"[{'1,' * (size // 2)}0]", id="numbers"),
    ],
)
def test_a_strange_text_is_changed_at_the_cost_of_its_length(make: Callable[[int], str]) -> None:
    def change(text: str) -> None:
        held = parse(text)
        assert isinstance(held, list)
        new = replaced(text, {(len(held),): {"é": 1}})
        removed(new, (len(held),))

    assert_linear(change, make, 200_000)
