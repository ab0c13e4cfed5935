"""Entities: what a turn names, and what only looks like a name."""

import pytest

from tests.growth import assert_linear
from total_recall.sessions.entities import CONCEPT, FEATURE, FUNCTION, MOST, OBJECT, entities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("CREATE TABLE raw.orders (id int)", {"raw.orders": OBJECT}, id="DDL"),
        pytest.param(
            'create or replace view "SALES"."PUBLIC"."Daily" as',
            {"SALES.PUBLIC.Daily": OBJECT},
            id="quoted DDL",
        ),
        pytest.param("alter warehouse LOAD_WH suspend", {"LOAD_WH": OBJECT}, id="a warehouse"),
        pytest.param("SELECT * FROM ORDERS", {"ORDERS": OBJECT}, id="a table that is read"),
        pytest.param(
            "insert into analytics.daily_totals",
            {"analytics.daily_totals": OBJECT},
            id="a qualified name behind a verb in small letters",
        ),
        pytest.param("RAW.PUBLIC.EVENTS is late", {"RAW.PUBLIC.EVENTS": OBJECT}, id="qualified"),
        pytest.param(
            "CREATE FUNCTION mask_email(x)", {"mask_email": FUNCTION}, id="a function's DDL"
        ),
        pytest.param("call load_orders() first", {"load_orders": FUNCTION}, id="a call"),
        pytest.param("client.retry(3)", {"client.retry": FUNCTION}, id="a method"),
        pytest.param("def backoff(n):", {"backoff": FUNCTION}, id="a definition"),
        pytest.param("SNOWFLAKE.CORTEX.COMPLETE('m', x)", {"COMPLETE": FEATURE}, id="a feature"),
        pytest.param("SELECT AI_CLASSIFY(x)", {"AI_CLASSIFY": FEATURE}, id="an AI function"),
        pytest.param("we use Cortex Search here", {"Search": FEATURE}, id="a feature by name"),
        pytest.param("the column retry_after", {"retry_after": CONCEPT}, id="snake case"),
        pytest.param("set `refreshToken` anew", {"refreshToken": CONCEPT}, id="quoted camel case"),
        pytest.param("see src/auth/session.ts", {"src/auth/session.ts": CONCEPT}, id="a file"),
    ],
)
def test_what_is_named_is_found_with_its_type(text: str, found: dict[str, str]) -> None:
    assert {name: entities(text).get(name) for name in found} == found


@pytest.mark.parametrize(
    "text",
    [
        "Choose from the list above, and join us.",
        "If (and only if) it fails, return (early).",
        "I read it from a table in the report.",
        "Use the view you like; update everything.",
        "print(x) or len(y)",
        "e.g. this one, i.e. that one",
        "It costs $3.50 at 10:30.",
        "Create a task for the team",
    ],
)
def test_common_words_name_nothing(text: str) -> None:
    assert entities(text) == {}


def test_a_listing_of_names_is_about_none_of_them_beyond_the_first() -> None:
    assert len(entities(" ".join(f"column_{n}" for n in range(500)))) == MOST


@pytest.mark.parametrize(
    "unit", ["a", "a_", "(", "a(", "from ", "create table ", "A.", "`", "a.b", "İ", "use "]
)
def test_a_long_text_is_scanned_at_the_cost_of_its_length(unit: str) -> None:
    assert_linear(entities, lambda size: (unit * size)[:size], 1 << 17)
