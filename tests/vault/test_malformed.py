"""A hundred good notes among nineteen hundred malformed ones."""

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Ran

Make = Callable[[Mapping[str, str | bytes]], Path]
Recall = Callable[..., Ran]
Kind = Callable[[Random], str | bytes]

GOOD = 100
MALFORMED = 1_900
MAX_SECONDS = 10.0
FOLDERS = ("decisions", "discoveries", "sessions", "work/plans", "notes")

pytestmark = pytest.mark.fault


def fronted(block: str, rng: Random) -> str:
    return f"---\nid: bad-{rng.randrange(10**9)}\n{block}\n---\n# Bad\n\nSome text.\n"


# What must be named: a block that is no YAML or a bomb, and a file that is no note. What is odd
# but allowed (no frontmatter, an unclosed block, CRLF, a BOM, bad UTF-8) is read without a word.
MALFORMATIONS: dict[str, Kind] = {
    "a colon in a value": lambda rng: fronted(f"title: Auth: part {rng.randrange(99)}", rng),
    "bare wikilinks": lambda rng: fronted(f"depends_on: [[a]], [[b{rng.randrange(99)}]]", rng),
    "tabs": lambda rng: fronted("related:\n" + "\t" * rng.randrange(1, 4) + "- x", rng),
    "a value that starts oddly": lambda rng: fronted(f"owner: {rng.choice('@%*`')}team", rng),
    "a template": lambda rng: fronted("created: {{date}}", rng),
    "an open quote": lambda rng: fronted(f'title: "open {rng.randrange(99)}', rng),
    "an open list": lambda rng: fronted("owners: [one, two", rng),
    "an odd escape": lambda rng: fronted(r'title: "C:\users\q"', rng),
    "a key that is a list": lambda rng: fronted("? [a, b]\n: c", rng),
    "a list at the top": lambda rng: f"---\n- a\n- b{rng.randrange(99)}\n---\n# Bad\n",
    "aliases": lambda rng: fronted("a: &a [x]\nb: [*a, *a]\nc: {<<: *a}", rng),
    "deep nesting": lambda rng: fronted("a: " + "[" * rng.randrange(17, 2_000), rng),
    "control characters": lambda rng: fronted(f"title: a{chr(rng.randrange(1, 9))}b", rng),
    "an empty file": lambda _: b"",
    "NUL bytes": lambda rng: b"# Bad\n" + bytes(rng.randrange(1, 50)) + rng.randbytes(50),
}
RARE: dict[str, Kind] = {
    "over 64 KB": lambda rng: fronted("a: " + "x" * 70_000, rng),
    "too many values": lambda rng: fronted("a: [" + "x," * 12_000 + "]", rng),
    "5 MB": lambda _: b"x" * 5_000_000,
}


def good(number: int, rng: Random) -> str | bytes:
    """Give a good note in one of the spellings that are no fault."""
    tags = rng.choice(["tags: [good]", "tags:\n  - good", "tags: good, x", "tags: '#good'"])
    text = f"---\nid: good-{number}\n{tags}\n---\n# Good {number}\n"
    spellings: list[str | bytes] = [
        text,
        text.replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode() + b"caf\xe9\n",
        f"# Good {number}\n\n#good\n",
        f"---\nnever closed\n\n#good {number}\n",
    ]
    return rng.choice(spellings)


def make_notes(rng: Random) -> tuple[dict[str, str | bytes], set[str]]:
    """Give the notes by path, and the paths of the malformed ones."""
    kinds = [*MALFORMATIONS.values()] * (MALFORMED // len(MALFORMATIONS) + 1)
    rare = [*RARE.values()] * 2
    special = 6  # links, pipes and folders, which `misplace` adds
    bad = [*rare, *kinds[: MALFORMED - len(rare) - special]]
    sources = [(f"good-{number}", good(number, rng)) for number in range(GOOD)]
    sources += [(f"bad-{number}", kind(rng)) for number, kind in enumerate(bad)]
    rng.shuffle(sources)
    notes = {f"{rng.choice(FOLDERS)}/{stem}.md": source for stem, source in sources}
    return notes, {path for path in notes if "/bad-" in path}


def misplace(folder: Path) -> set[str]:
    """Add what is named like a note and is no file inside; give the paths."""
    notes = folder / "notes"
    os.mkfifo(notes / "bad-pipe.md")
    os.mkfifo(notes / "bad-pipe-2.md")
    (notes / "bad-folder.md").mkdir()
    (notes / "bad-passwd.md").symlink_to("/etc/passwd")
    (notes / "bad-zero.md").symlink_to("/dev/zero")
    (notes / "bad-root").symlink_to("/")
    names = "bad-pipe.md bad-pipe-2.md bad-folder.md bad-passwd.md bad-zero.md bad-root"
    return {f"notes/{name}" for name in names.split()}


def test_all_good_notes_are_found_and_each_malformed_one_is_named_once(
    make_vault: Make, recall: Recall
) -> None:
    notes, malformed = make_notes(Random(2024))
    root = make_vault(notes)
    malformed |= misplace(root / "vault" / "projects" / "demo")
    assert (len(notes) + 6 - len(malformed), len(malformed)) == (GOOD, MALFORMED)
    start = time.monotonic()

    ran = recall(root, "#good", "--limit", "200", "--budget", "0")

    assert time.monotonic() - start < MAX_SECONDS
    assert ran.code == 0
    assert ran.out.startswith("recall:#good 100nodes\n")
    found = Counter(re.findall(r"^\d+ \w+:(\S+)", ran.out, re.MULTILINE))
    stems = {Path(path).stem for path in notes if "/good-" in path}
    assert found == Counter(dict.fromkeys(stems, 1))
    named = Counter(line.split(": ")[0] for line in ran.err.splitlines())
    assert named == Counter(dict.fromkeys(malformed, 1))


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, id=name) for name, kind in {**MALFORMATIONS, **RARE}.items()],
)
def test_each_kind_of_fault_leaves_the_others_to_be_found(
    make_vault: Make, recall: Recall, kind: Kind
) -> None:
    root = make_vault({"bad.md": kind(Random(7)), "good.md": "# Good\n#good\n"})

    ran = recall(root, "#good")

    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("bad.md: ")
    assert "# " not in ran.err
    assert ran.out.startswith("good [note] #good\n")
