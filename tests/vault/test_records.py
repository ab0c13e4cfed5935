"""The records of a vault: which files count, and what is survived and named."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Ran, snapshot
from total_recall.vault import records, state
from total_recall.vault.records import Records

Make = Callable[[Mapping[str, str | bytes]], Path]
Recall = Callable[..., Ran]

SENTINEL = "sentinel-outside-of-the-vault"


def read(root: Path) -> Records:
    return records.read(state.load(root))


def paths(root: Path) -> list[str]:
    return [node.path for node in read(root).nodes]


def folder_of(root: Path) -> Path:
    return root / "vault" / "projects" / "demo"


def test_every_note_below_the_folder_counts_in_path_order(make_vault: Make) -> None:
    root = make_vault({"b.md": "b", "a/c.md": "c", "a/b/d.md": "d", "a/x.txt": "no", "y": "no"})

    assert read(root).faults == ()
    assert sorted(paths(root)) == ["a/b/d.md", "a/c.md", "b.md"]


def test_hidden_folders_templates_and_drafts_do_not_count(make_vault: Make) -> None:
    root = make_vault(
        {
            ".obsidian/a.md": "no",
            "x/.trash/a.md": "no",
            "_templates/a.md": "no",
            "x/_templates/a.md": "no",
            "manifest-draft.md": "no",
            "x/manifest-draft.md": "no",
            "templates/a.md": "yes",
            "x/b.md": "yes",
        }
    )

    assert sorted(paths(root)) == ["templates/a.md", "x/b.md"]


def test_an_index_counts_if_it_says_something_or_is_alone(make_vault: Make) -> None:
    root = make_vault(
        {
            "adr/ADR-000-index.md": "# All records\n",
            "adr/README.md": "# How we decide\n",
            "adr/template.md": "# Title\n",
            "adr/use-jwt.md": "# JWT\n",
            "work/index.md": "---\nid: plans\n---\n",
            "work/README.md": "## Decision\nwe plan\n",
            "work/x.md": "# X\n",
            "long/jobs/README.md": "# Jobs\n",
        }
    )

    found = {node.path: node.id for node in read(root).nodes}

    assert found == {
        "adr/use-jwt.md": "use-jwt",
        "work/index.md": "plans",
        "work/README.md": "README",
        "work/x.md": "x",
        "long/jobs/README.md": "jobs",
    }


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        pytest.param(b"", "bad.md: skipped, empty", id="0 bytes"),
        pytest.param(b"# T\0\n", "bad.md: skipped, binary (NUL bytes)", id="NUL"),
        pytest.param(
            b"x" * 5_000_000,
            "bad.md: skipped, 5,000,000 bytes, over the limit of 1,048,576",
            id="5 MB",
        ),
    ],
)
def test_a_file_that_is_no_note_costs_itself_and_is_named(
    make_vault: Make, source: bytes, fault: str
) -> None:
    root = make_vault({"bad.md": source, "good.md": "# Good\n"})

    found = read(root)

    assert ([node.path for node in found.nodes], found.faults) == (["good.md"], (fault,))


def test_a_repaired_note_counts_and_is_named(make_vault: Make) -> None:
    root = make_vault({"a.md": "---\nid: x\ntitle: a: b\n---\n"})

    found = read(root)

    assert [(node.id, node.title) for node in found.nodes] == [("x", "a: b")]
    assert found.faults == (
        "a.md: frontmatter repaired: line 3: mapping values are not allowed in this context",
    )


def test_what_is_no_regular_file_is_named_and_never_waited_for(make_vault: Make) -> None:
    root = make_vault({"good.md": "# Good\n", "folder.md/inner.md": "no"})
    os.mkfifo(folder_of(root) / "fifo.md")
    (folder_of(root) / "dead.md").symlink_to("nowhere.md")
    (folder_of(root) / "zero.md").symlink_to("/dev/zero")
    start = time.monotonic()

    found = read(root)

    assert time.monotonic() - start < 1
    assert [node.path for node in found.nodes] == ["good.md"]
    assert sorted(found.faults) == [
        "dead.md: skipped, a link to nothing",
        "fifo.md: skipped, not a regular file",
        "folder.md: skipped, a folder, not a file",
        "zero.md: skipped, a link out of vault",
    ]


def test_no_link_out_of_the_vault_is_read(make_vault: Make, recall: Recall, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "notes").mkdir(parents=True)
    (outside / "secret.md").write_text(f"# {SENTINEL}\n#auth\n")
    (outside / "notes" / "secret.md").write_text(f"# {SENTINEL}\n#auth\n")
    root = make_vault({"good.md": "# Good\n#auth\n"})
    before = snapshot(outside)
    (folder_of(root) / "one.md").symlink_to(outside / "secret.md")
    (folder_of(root) / "up.md").symlink_to("../../../../outside/secret.md")
    (folder_of(root) / "two").symlink_to(outside / "notes")
    (folder_of(root) / "root").symlink_to("/")
    (folder_of(root) / "first.md").symlink_to("second.md")
    (folder_of(root) / "second.md").symlink_to(outside / "secret.md")

    found = read(root)
    runs = [recall(root, query, "--full") for query in ("#auth", SENTINEL, "one", "secret")]

    assert [node.path for node in found.nodes] == ["good.md"]
    assert sorted(found.faults) == [
        f"{name}: skipped, a link out of vault"
        for name in ("first.md", "one.md", "root", "second.md", "two", "up.md")
    ]
    assert not [ran for ran in runs if f"# {SENTINEL}" in ran.out + ran.err]
    assert snapshot(outside) == before


def test_a_link_inside_the_vault_is_followed_once(make_vault: Make) -> None:
    root = make_vault({"a.md": "# A\n"})
    shared = root / "vault" / "shared"
    shared.mkdir()
    (shared / "s.md").write_text("# S\n")
    for name in ("one", "two"):
        (folder_of(root) / name).symlink_to(shared)
    (folder_of(root) / "same.md").symlink_to("a.md")

    found = read(root)

    assert [node.title for node in found.nodes] == ["A", "S"]
    assert found.faults == ()


def test_folders_that_link_in_a_circle_end(make_vault: Make) -> None:
    root = make_vault({"x/a.md": "# A\n"})
    (folder_of(root) / "x" / "up").symlink_to(folder_of(root))
    (folder_of(root) / "x" / "vault").symlink_to(root / "vault")
    (folder_of(root) / "x" / "self.md").symlink_to("self.md")

    found = read(root)

    assert [node.title for node in found.nodes] == ["A"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_named(make_vault: Make) -> None:
    root = make_vault({"a.md": "# A\n", "b.md": "# B\n", "x/c.md": "# C\n"})
    (folder_of(root) / "b.md").chmod(0)
    (folder_of(root) / "x").chmod(0)

    found = read(root)
    (folder_of(root) / "x").chmod(0o755)

    assert [node.path for node in found.nodes] == ["a.md"]
    assert found.faults == (
        "b.md: skipped, permission denied",
        "x: skipped, folder not listed: permission denied",
    )


@pytest.mark.parametrize(
    "docs",
    [
        pytest.param('{"ADR-1": {"status": "stale"}}', id="by id"),
        pytest.param('{"adr/a.md": {"status": "stale"}, "b": {"status": "fresh"}}', id="by path"),
        pytest.param('[{"id": "ADR-1", "status": "stale"}, 7, {"status": "stale"}]', id="a list"),
        pytest.param('{"x": {"path": "adr/a.md", "status": "stale"}}', id="by the entry's path"),
    ],
)
def test_a_note_that_the_state_calls_stale_is_stale(make_vault: Make, docs: str) -> None:
    root = make_vault({"adr/a.md": "---\nid: ADR-1\nstatus: accepted\n---\n", "b.md": "# B\n"})
    facts = f'{{"vaultPath": "vault", "projectSlug": "demo", "docs": {docs}}}'
    (root / state.MARKER).write_text(facts)

    assert {node.path: node.status for node in read(root).nodes} == {
        "adr/a.md": "stale",
        "b.md": "",
    }


@pytest.mark.parametrize("docs", ["null", "7", '"stale"', "[[]]", '{"a": "stale"}', '{"a": null}'])
def test_docs_of_another_shape_are_ignored(make_vault: Make, docs: str) -> None:
    root = make_vault({"a.md": "# A\n"})
    facts = f'{{"vaultPath": "vault", "projectSlug": "demo", "docs": {docs}}}'
    (root / state.MARKER).write_text(facts)

    assert [node.status for node in read(root).nodes] == [""]


def test_a_vault_without_notes_is_said_in_the_fixed_words(make_vault: Make, recall: Recall) -> None:
    root = make_vault({"x.txt": "no", "_templates/a.md": "no"})

    assert recall(root, "auth") == Ran(1, state.NO_NODES + "\n", "")
