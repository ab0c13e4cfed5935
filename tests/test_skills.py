"""The skills as text: valid for every host, and each command they show is one that parses."""

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tests.conftest import BIN, REPOSITORY
from total_recall import __version__
from total_recall.files import replace_folder
from total_recall.memory import cli as memory
from total_recall.sessions import cli as sessions
from total_recall.setup import bundle, cli, hosts
from total_recall.vault import cli as vault

SKILLS = sorted(path.parent for path in (REPOSITORY / "skills").rglob("SKILL.md"))
ALONE = sorted(path.parent for path in (REPOSITORY / "skills").glob("*/SKILL.md"))
REFERENCES = sorted((REPOSITORY / "references").glob("*.md"))
READMES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "skills").glob("*/README.md"))]
DOCUMENTS = [*(folder / "SKILL.md" for folder in SKILLS), *REFERENCES, *READMES]

FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
MOST_LINES = 200
MOST_DESCRIPTION = 1024
MOST_COMPATIBILITY = 500

# What a shell would do more than run the command; a host asks about it, or does it otherwise.
SHELL_EXTRAS = re.compile(r"[|;&`]|\$\(|>|^\w+=")

PROGRAMS: dict[str, click.Command] = {
    "realm-recall": vault.search,
    "nemp-recall": memory.recall,
    "cocorecall": sessions.main,
    "total-recall": cli.main,
}
# What a first word makes of a command that is no group.
FIRST_WORDS: dict[tuple[str, str], click.Command] = {
    ("realm-recall", "init"): vault.init,
    ("nemp-recall", "save"): memory.save,
    ("nemp-recall", "list"): memory.list_all,
    ("nemp-recall", "forget"): memory.forget,
    ("nemp-recall", "vitality"): memory.explain_vitality,
}
OF_OTHERS = ("./install.sh", "./check", "git", "cd", "pip", "pipx", "uv", "claude", "codex", "npx")

each_skill = pytest.mark.parametrize("folder", SKILLS, ids=lambda path: path.name)


@dataclass(frozen=True)
class Shown:
    """A command that a document shows, and where."""

    document: Path
    command: str

    def __str__(self) -> str:
        return f"{self.document.parent.name}/{self.document.name}: {self.command}"


def commands_in(text: str) -> Iterator[str]:
    """Give each command in the blocks for a shell, the tables, and the inline code of a document.

    >>> list(commands_in("```bash\\nrun a  # why\\n\\n```\\nor `realm-recall b`, not `c`"))
    ['run a  # why', 'realm-recall b']
    >>> list(commands_in("```console\\n$ run a\\nits answer\\n```"))
    ['run a']
    >>> list(commands_in("| it says | run |\\n|---|---|\\n| `no` | `'a' --full` |"))
    ["realm-recall 'a' --full"]
    >>> list(commands_in("| flag | gives |\\n|---|---|\\n| `--expand <id>` | one |"))
    ['realm-recall x --expand <id>']
    """
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        lines = block.splitlines()
        if language == "console":
            yield from (line[2:] for line in lines if line.startswith("$ "))
        elif language in {"bash", "sh", "shell"}:
            yield from (line for line in lines if line and not line.startswith("#"))
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"`((?:(?:realm|nemp|total)-recall|cocorecall) [^`]+)`", prose)
    launchers = re.findall(r"<skill-dir>/scripts/([\w-]+)", text)
    yield from commands_in_tables(prose, launchers[0] if launchers else "realm-recall")


# What a flag of a table belongs to, where the program itself takes none.
ASKING = {"cocorecall": "cocorecall search"}


def commands_in_tables(prose: str, program: str) -> Iterator[str]:
    """Give the arguments below `run` and the flags below `flag`, as whole commands."""
    for table in re.findall(r"(?:^\|.*\n?)+", prose, re.MULTILINE):
        heads, _, *rows = (
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            for line in table.splitlines()
        )
        for row in rows:
            for head, cell in zip(heads, row, strict=True):
                for code in re.findall(r"`([^`]+)`", cell):
                    if head == "run":
                        yield f"{program} {code}"
                    if head == "flag":
                        yield f"{ASKING.get(program, program)} x {code}"


def words_of(command: str) -> list[str]:
    """Give the words of a shown command, with something in the place of each `<placeholder>`.

    >>> words_of("<skill-dir>/scripts/realm-recall '<topic>' --dir <folder of notes> [flags]")
    ['realm-recall', 'x', '--dir', 'x']
    >>> words_of("realm-recall why JWT --limit N")
    ['realm-recall', 'why', 'JWT', '--limit', '1']
    """
    plain = re.sub(r"<[^>]+>", "x", command.replace("<skill-dir>/scripts/", ""))
    plain = re.sub(r"(--[\w-]+) [A-Z]+\b", r"\1 1", plain)
    return [word for word in shlex.split(plain, comments=True) if word != "[flags]"]


def parse(words: list[str]) -> None:
    """Let the real parser read a command, without running it."""
    name, *rest = words
    command = PROGRAMS[name]
    if rest and (name, rest[0]) in FIRST_WORDS:
        command, rest = FIRST_WORDS[name, rest[0]], rest[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        command, rest = command.commands[rest[0]], rest[1:]
    with suppress(click.exceptions.Exit):  # --help and --version answer at once
        command.make_context(name, rest, resilient_parsing=False)


SHOWN = [Shown(path, command) for path in DOCUMENTS for command in commands_in(path.read_text())]
OURS = [shown for shown in SHOWN if words_of(shown.command)[0] in PROGRAMS]


@pytest.mark.parametrize("shown", OURS, ids=str)
def test_each_shown_command_is_one_that_parses(shown: Shown) -> None:
    parse(words_of(shown.command))


def test_a_command_that_does_not_parse_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parse(["realm-recall", "auth", "--no-such-flag"])
    with pytest.raises(KeyError):
        parse(["total-recall", "no-such-command"])


@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_each_shown_command_is_of_a_program_we_know(shown: Shown) -> None:
    assert words_of(shown.command)[0] in {*PROGRAMS, *OF_OTHERS}


@each_skill
def test_a_skill_shows_its_own_command_only_and_as_the_shell_of_a_host_takes_it(
    folder: Path,
) -> None:
    shown = [shown.command for shown in SHOWN if shown.document.parent == folder]

    assert len(shown) > 1
    for command in shown:
        assert words_of(command)[0] == program_of(folder)
        outside_quotes = re.sub(r"'[^']*'|<[^>]+>", "x", command)
        assert not SHELL_EXTRAS.search(outside_quotes), command


@each_skill
def test_a_skill_runs_its_command_by_the_path_of_its_folder(folder: Path) -> None:
    _, text = parts_of(folder)
    blocks = re.findall(r"^```bash\n(.*?)^```", text, re.DOTALL | re.MULTILINE)

    lines = [line for block in blocks for line in block.splitlines()]
    assert lines
    assert all(line.startswith(f"<skill-dir>/scripts/{program_of(folder)} ") for line in lines)


def program_of(folder: Path) -> str:
    """Give the command that a skill runs: the one installed for its folder or its plugin's."""
    path = folder.relative_to(REPOSITORY / "skills").parts[0]
    return next(skill.command for skill in hosts.SKILLS if skill.source == path)


def installed_name(folder: Path) -> str:
    """Give the name of a skill's folder once it is installed, which is the skill's own."""
    own = {skill.source: skill.name for skill in hosts.SKILLS}
    return own.get(folder.name, folder.name)


def parts_of(folder: Path) -> tuple[dict[str, Any], str]:
    """Give the frontmatter and the body of a skill."""
    _, front, body = (folder / "SKILL.md").read_text().split("---\n", 2)
    return yaml.safe_load(front), body


@each_skill
def test_the_frontmatter_is_what_every_host_takes(folder: Path) -> None:
    fields, _ = parts_of(folder)

    assert set(fields) <= FIELDS
    assert fields["name"] == installed_name(folder)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    assert fields["description"].startswith("Use when ")
    assert len(fields["description"]) <= MOST_DESCRIPTION
    assert len(fields["compatibility"]) <= MOST_COMPATIBILITY


@each_skill
def test_the_launcher_may_run_quoted_and_unquoted(folder: Path) -> None:
    fields, _ = parts_of(folder)

    launcher = f"${{CLAUDE_SKILL_DIR}}/scripts/{program_of(folder)}"
    assert f"Bash({launcher} *)" in fields["allowed-tools"]
    assert f'Bash("{launcher}" *)' in fields["allowed-tools"]


@each_skill
def test_the_body_is_short_and_holds_nothing_that_only_one_host_expands(folder: Path) -> None:
    _, body = parts_of(folder)

    assert len(body.splitlines()) < MOST_LINES
    assert "$ARGUMENTS" not in body
    assert not re.search(r"!`|^```!", body, re.MULTILINE)
    # The folder is named once, with what to do where that is not replaced by a path.
    own = {f"${installed_name(folder)}", "$pod"}  # as a user types a skill's name
    assert [each for each in re.findall(r"\$\{?\w+\}?", body) if each not in own] == [
        "${CLAUDE_SKILL_DIR}"
    ]
    assert "if that is not a real path" in body


@each_skill
def test_the_references_that_a_skill_names_exist_and_say_when_to_be_read(folder: Path) -> None:
    _, body = parts_of(folder)

    for name in re.findall(r"references/[\w./-]+\w", body):
        assert (REPOSITORY / name).is_file()
        assert re.search(rf"Read `{re.escape(name)}` only when ", body)


def test_each_reference_is_named_by_a_skill() -> None:
    bodies = "".join(parts_of(folder)[1] for folder in SKILLS)

    assert [path.name for path in REFERENCES if f"references/{path.name}" not in bodies] == []


def test_the_import_contract_names_each_table_and_column_of_the_index() -> None:
    contract = (REPOSITORY / "references" / "recall-import.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ((?:`\w+` ?)+)\|", contract, re.MULTILINE)

    assert {table: re.findall(r"\w+", columns) for table, columns in rows} == tables_of_the_index()


def tables_of_the_index() -> dict[str, list[str]]:
    """Give the columns of each table that the schema makes, but for those of the full text."""
    schema = REPOSITORY / "scripts" / "total_recall" / "sessions" / "schema.sql"
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(schema.read_text())
        names = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        return {
            table: [row[1] for row in db.execute(f"PRAGMA table_xinfo({table})") if row[6] != 1]
            for (table,) in db.execute(names).fetchall()
            if not table.startswith("passages_fts_")
        }


@pytest.mark.parametrize("folder", ALONE, ids=lambda path: path.name)
def test_codex_gets_a_name_a_line_and_a_first_prompt(folder: Path) -> None:
    facts = yaml.safe_load((folder / "agents" / "openai.yaml").read_text())

    interface = facts["interface"]
    assert set(interface) == {"display_name", "short_description", "default_prompt"}
    assert all(interface.values())
    assert f"${installed_name(folder)} " in interface["default_prompt"]
    assert facts["policy"] == {"allow_implicit_invocation": True}


def test_each_skill_is_installed_under_the_name_it_gives_itself() -> None:
    own = {skill.source: skill.name for skill in hosts.SKILLS if skill.source != "nemp"}

    assert own == {folder.name: parts_of(folder)[0]["name"] for folder in ALONE}


def test_the_plugin_gives_its_skills_their_first_name() -> None:
    facts = json.loads((REPOSITORY / "skills/nemp/.claude-plugin/plugin.json").read_text())

    assert (facts["name"], facts["version"]) == ("nemp", __version__)
    assert {folder.name for folder in SKILLS if "nemp" in folder.parts} == {
        "recall", "save", "list", "forget",
    }  # fmt: skip


@each_skill
def test_the_reference_validator_accepts_a_skill_in_the_clone(folder: Path, tmp_path: Path) -> None:
    # Only a folder of the skill's own name is valid, and one has another in the clone.
    validate(Path(shutil.copytree(folder, tmp_path / installed_name(folder))))


@pytest.mark.parametrize("skill", hosts.SKILLS, ids=lambda skill: skill.name)
def test_the_reference_validator_accepts_a_skill_as_installed(
    skill: hosts.Skill, tmp_path: Path
) -> None:
    folder = tmp_path / skill.name
    replace_folder(folder, bundle.skill_files(skill.source, BIN / skill.command))

    installed = sorted(path.parent for path in folder.rglob("SKILL.md"))
    assert installed
    for each in installed:
        validate(each)


def validate(folder: Path) -> None:
    done = subprocess.run([BIN / "agentskills", "validate", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
