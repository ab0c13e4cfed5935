"""Synonyms: which words a file joins, and what is said of a file that is none."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall import words
from total_recall.memory import synonyms
from total_recall.memory.synonyms import Group, Synonyms, merged, packaged, parse
from total_recall.safeyaml import FaultyYamlError

FOLDER = Path(synonyms.__file__).parent

OWN = """\
aliases:
  DB: [Database, Café]
  fe: frontend
stopwords: [please, Bitte]
groups:
  maps:
    triggers: [map, geo data]
    expands:
      - leaflet
      - open street map
    not: [source map]
    source: https://example.org/maps
"""


def test_a_file_gives_aliases_and_stop_words_folded_and_groups_as_written() -> None:
    assert parse(OWN) == Synonyms(
        {"db": ("database", "cafe"), "fe": ("frontend",)},
        frozenset({"please", "bitte"}),
        {"maps": Group(("map", "geo data"), ("leaflet", "open street map"), ("source map",))},
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("# a comment", id="a comment"),
        pytest.param("~", id="null"),
        pytest.param("aliases:\nstopwords: ~\ngroups: {}", id="empty parts"),
        pytest.param("stopwords: []", id="an empty list"),
    ],
)
def test_a_file_may_say_nothing(text: str) -> None:
    assert parse(text) == Synonyms()


def test_parts_of_a_group_may_be_left_out() -> None:
    assert parse("groups: {ci: {expands: [earthly]}}").groups == {"ci": Group(expands=("earthly",))}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("a: b: c", "line 1: mapping values are not allowed", id="no YAML"),
        pytest.param("\n- db\n", "line 2: the file must be a map", id="a list"),
        pytest.param("just text", "line 1: the file must be a map", id="a text"),
        pytest.param(
            "stopwords: [a]\nalias: {db: [database]}",
            "line 2: 'alias' is none of aliases, stopwords, groups",
            id="an unknown part",
        ),
        pytest.param(
            "groups:\n  ci:\n    expand: [x]",
            "line 3: 'expand' is none of triggers, expands, not, source",
            id="an unknown part of a group",
        ),
        pytest.param("aliases: [db]", "line 1: aliases must be a map", id="aliases in a list"),
        pytest.param("groups:\n  ci: [x]", "line 2: ci must be a map", id="a group that is a list"),
        pytest.param(
            "aliases:\n  db:\n    - {a: b}", "line 3: db must be a list of texts", id="a map in it"
        ),
        pytest.param(
            "stopwords:\n  a: b", "line 2: stopwords must be a list of texts", id="a map for a list"
        ),
        pytest.param(
            "aliases:\n  [a]: b", "line 2: a key of aliases is no text", id="a list as key"
        ),
        pytest.param(
            "aliases:\n  db: [a]\n  DB: [b]", "line 3: the key 'DB' stands twice", id="twice"
        ),
        pytest.param(
            "stopwords:\n- a\n- if any", "line 3: 'if any' is not one word", id="two stop words"
        ),
        pytest.param("aliases:\n  c#: [csharp]", "line 2: 'c#' is not one word", id="a sign"),
        pytest.param(
            "groups:\n  a:\n    triggers: ['?!']", "line 3: '?!' holds no word", id="no word"
        ),
        pytest.param(
            "aliases: &a {db: [database]}\ngroups: *a",
            "line 2: aliases are not followed",
            id="alias",
        ),
        pytest.param("groups: " + "[" * 17, "line 1: nested over 16 deep", id="too deep"),
        pytest.param("# x\n" * 20_000, "line 16385: over 64 KB", id="too large"),
    ],
)
def test_a_bad_file_is_told_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(FaultyYamlError) as raised:
        parse(text)

    assert str(raised.value).startswith(fault)


@given(st.text(st.sampled_from("ab:-[]{}#'\"\n\n  \t|>&*!?,%@`~\\"), max_size=80))
def test_any_text_is_a_file_or_has_one_fault(text: str) -> None:
    for each in (text, f"aliases: {text}", f"groups:\n  a:\n    expands: {text}"):
        with suppress(FaultyYamlError):
            assert isinstance(parse(each), Synonyms)


def test_lists_of_the_same_name_are_joined() -> None:
    one = Synonyms(
        {"db": ("database",), "js": ("javascript",)},
        frozenset({"please"}),
        {"ci": Group(("ci",), ("jenkins",)), "cloud": Group(("cloud",), ("aws",))},
    )
    other = Synonyms(
        {"db": ("datastore", "database"), "fe": ("frontend",)},
        frozenset({"bitte"}),
        {"ci": Group(("ci", "builds"), ("earthly",), ("ci fees",)), "maps": Group(("map",))},
    )

    assert merged(one, other) == Synonyms(
        {"db": ("database", "datastore"), "js": ("javascript",), "fe": ("frontend",)},
        frozenset({"please", "bitte"}),
        {
            "ci": Group(("ci", "builds"), ("jenkins", "earthly"), ("ci fees",)),
            "cloud": Group(("cloud",), ("aws",)),
            "maps": Group(("map",)),
        },
    )


def test_nothing_more_changes_nothing() -> None:
    own = parse(OWN)

    assert merged(own, Synonyms()) == merged(Synonyms(), own) == merged(own, own) == own


def test_what_is_packaged_is_what_the_yaml_says(request: pytest.FixtureRequest) -> None:
    """After a change of synonyms.yaml, run this with --accept."""
    said = parse((FOLDER / "synonyms.yaml").read_text())
    if request.config.getoption("--accept"):
        plain = asdict(said) | {"stopwords": sorted(said.stopwords)}
        text = json.dumps(plain, ensure_ascii=False, indent=1)
        (FOLDER / "synonyms.json").write_text(text + "\n")

    assert packaged() == said


def test_the_groups_that_are_promised_are_there() -> None:
    names = """package-manager auth database styling testing deployment api state framework errors
        date-time ci cloud queues caching logging"""

    assert list(packaged().groups) == names.split()


def test_no_packaged_name_expands_to_its_own_trigger() -> None:
    """Such a name has been looked for as a word of the query already."""
    for group in packaged().groups.values():
        assert not set(group.triggers) & set(group.expands)


def test_a_packaged_alias_stands_in_one_row() -> None:
    rows = packaged().aliases

    names = [name for key, others in rows.items() for name in (key, *others)]
    assert len(names) == len(set(names))
    assert not set(names) & words.STOP_WORDS
