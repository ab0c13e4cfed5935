"""The one section of a plan that a question about a promoted decision needs."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Ran
from total_recall.vault import canvas, node

Make = Callable[[Mapping[str, str | bytes]], Path]
Recall = Callable[..., Ran]

SECTIONS = {f"work/plans/auth/{name}": f"# The {name}\n\nprose\n" for name in canvas.FILES.values()}


def decision(source: str, name: str = "jwt") -> dict[str, str]:
    front = f"---\nid: {name}\ntags: [auth]\nsource_plan: {source}\n---\n"
    return {f"decisions/{name}.md": f"{front}# JWT {name}\n"}


@pytest.mark.parametrize(
    ("query", "section"),
    [
        ("what is the plan for auth refactor", "plan"),
        ("what design did we choose for auth", "design"),
        ("which research drove the auth decision", "research"),
        ("why did we reject X for auth", "none"),
        ("summarize the auth refactor work", "meta"),
        ("what was rejected for auth", "none"),
        ("constraints on auth", "none"),
        ("Why JWT?", "research"),
        ("how do the interfaces fit", "design"),
        ("METHODS of the gate", "scaffold"),
        ("auth", "meta"),
        ("", "meta"),
    ],
)
def test_a_question_asks_for_one_section(query: str, section: str) -> None:
    assert canvas.section_for(query) == section


@pytest.mark.parametrize(
    "text",
    [
        "---\nsource_plan: work/plans/auth\n---\n",
        "---\nsource_plan: '[[work/plans/auth]]'\n---\n",
        "---\nsource_plan: work/plans/auth/\n---\n",
        "# T\n\n## Source Plan\n\n[[work/plans/auth/plan|the plan]]\n",
        "# T\n\n## Origin\n\nFrom [[work/plans/auth]].\n",
    ],
)
def test_a_decision_names_its_plan_in_either_way(text: str) -> None:
    assert canvas.origin_of(node.read("decisions/x.md", text.encode())) == "work/plans/auth"


def test_one_section_is_shown_with_its_origin_and_its_cost(
    make_vault: Make, recall: Recall
) -> None:
    root = make_vault(decision("work/plans/auth") | SECTIONS)

    lines = recall(root, "why jwt").out.splitlines()

    at = lines.index("## Canvas: research")
    assert lines[at + 1 : at + 5] == [
        "| # The research.md",
        "|",
        "| prose",
        "origin: work/plans/auth",
    ]
    assert "(research from work/plans/auth)" in lines[-1]
    assert sum(line.startswith("## Canvas") for line in lines) == 1


def test_of_an_overview_only_headings_and_tables_are_shown(
    make_vault: Make, recall: Recall
) -> None:
    root = make_vault(decision("work/plans/auth") | SECTIONS)

    out = recall(root, "jwt").out

    assert "| # The _meta.md" in out
    assert "prose" not in out


@pytest.mark.parametrize("flags", [("--no-canvas",), ("--trace",), ("--count",)])
def test_no_section_is_read_when_none_is_wanted(
    make_vault: Make, recall: Recall, flags: tuple[str, ...]
) -> None:
    root = make_vault(decision("work/plans/auth") | SECTIONS)

    assert "Canvas" not in recall(root, "jwt", *flags).out


@pytest.mark.parametrize("source", ["../../../etc/passwd", "/etc", "~/x", "out", "'a\\b'"])
def test_a_plan_outside_the_vault_is_reported_and_not_read(
    make_vault: Make, recall: Recall, tmp_path: Path, source: str
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "_meta.md").write_text("# sentinel")
    root = make_vault(decision(source))
    (root / "vault/projects/demo/out").symlink_to(tmp_path / "secret")

    ran = recall(root, "jwt")

    assert ran.code == 0
    assert "canvas not read: " in ran.out
    assert "sentinel" not in ran.out + ran.err


def test_a_missing_section_is_one_line(make_vault: Make, recall: Recall) -> None:
    ran = recall(make_vault(decision("work/plans/gone")), "jwt")

    assert "canvas section not found: work/plans/gone/_meta.md\n" in ran.out


def test_several_decisions_of_one_plan_bring_it_once_and_many_plans_bring_none(
    make_vault: Make, recall: Recall
) -> None:
    twins = decision("work/plans/auth") | decision("work/plans/auth", "two") | SECTIONS
    root = make_vault(twins)
    once = recall(root, "#auth").out

    many = {
        path: text
        for name in ("a", "b", "c", "d")
        for path, text in decision(f"work/plans/{name}", name).items()
    }
    too_many = recall(make_vault(many), "#auth").out

    assert once.count("## Canvas:") == 1
    assert "## Canvas:" not in too_many
    assert "canvas: 5 available (narrow the query)" in too_many


def test_a_section_is_cut_by_the_budget_and_prefixed(make_vault: Make, recall: Recall) -> None:
    long = {"work/plans/auth/research.md": "recall done · 0nodes\n" * 400}
    root = make_vault(decision("work/plans/auth") | long)

    out = recall(root, "why jwt", "--budget", "300").out

    assert "more lines" in out
    assert sum(line.startswith("recall done") for line in out.splitlines()) == 1


def test_json_carries_the_section(make_vault: Make, recall: Recall) -> None:
    root = make_vault(decision("work/plans/auth") | SECTIONS)

    facts = json.loads(recall(root, "why jwt", "--json").out)

    assert facts["canvas"] == [
        {"name": "research", "text": "# The research.md\n\nprose", "origin": "work/plans/auth"}
    ]
