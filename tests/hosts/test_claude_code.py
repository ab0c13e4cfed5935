"""The installed skills in the real Claude Code: listed, expanded, and run without asking."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from .model_api import Bash, Json, ModelApi, model_api
from .npm import NpmUnreachableError, executable

pytestmark = [pytest.mark.slow, pytest.mark.host]

PACKAGE = "@anthropic-ai/claude-code"
VERSION = "2.1.332"
TIMEOUT_SECONDS = 60  # a run takes one; a program that asks and waits should fail, not hang
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Host:
    """Claude Code with a home and a project of its own, and nothing of ours in its environment."""

    claude: Path
    home: Path
    project: Path

    @property
    def skill(self) -> Path:
        return self.home / ".claude" / "skills" / "realm-recall"

    @property
    def launcher(self) -> Path:
        return self.skill / "scripts" / "realm-recall"

    @property
    def recall(self) -> Path:
        return self.home / ".claude" / "skills" / "recall"

    @property
    def plugin(self) -> Path:
        return self.home / ".claude" / "skills" / "nemp"

    def install(self, *options: str) -> None:
        """Install the skills as a person does."""
        installer = Path(sys.executable).with_name("total-recall")
        self.run([str(installer), "install", "--host", "claude", *options])

    def uninstall(self) -> None:
        """Take the skills away again."""
        installer = Path(sys.executable).with_name("total-recall")
        self.run([str(installer), "uninstall"])

    def trust(self) -> None:
        """Answer the question that Claude Code asks a person in a folder that is new to it."""
        facts = {"projects": {str(self.project): {"hasTrustDialogAccepted": True}}}
        (self.home / ".claude.json").write_text(json.dumps(facts))

    def ask(self, words: str, api: ModelApi) -> list[Json]:
        """Give the events that Claude Code prints for the user's words."""
        done = self.run(
            [str(self.claude), "-p", words, "--output-format", "stream-json", "--verbose"],
            ANTHROPIC_BASE_URL=api.url,
            ANTHROPIC_API_KEY="none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
        return [json.loads(line) for line in done.splitlines()]

    def run(self, command: list[str], **variables: str) -> str:
        """Give what the command prints to stdout; that it fails is a failure.

        PATH is the system's own: the skill has to work where our environment is not on it.
        """
        base = {"PATH": os.defpath, "HOME": str(self.home), "TMPDIR": str(self.home)}
        done = subprocess.run(
            command,
            cwd=self.project,
            env=base | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
        assert done.returncode == 0, f"{command[0]}:\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def claude() -> Path:
    try:
        return executable(PACKAGE, VERSION, "claude")
    except NpmUnreachableError as error:
        pytest.skip(str(error))


@pytest.fixture
def host(claude: Path, tmp_path: Path) -> Host:
    host = Host(claude, home=tmp_path / "home", project=tmp_path / "project")
    host.home.mkdir()
    shutil.copytree(EXAMPLES, host.project)
    host.install()
    return host


def test_the_skill_is_listed(host: Host) -> None:
    with model_api() as api:
        first = host.ask("/realm-recall auth", api)[0]

    assert (first["subtype"], first["claude_code_version"]) == ("init", VERSION)
    assert first["slash_commands"].count("realm-recall") == 1
    assert first["skills"].count("realm-recall") == 1


def test_the_two_skills_named_recall_are_told_apart(host: Host) -> None:
    with model_api() as api:
        first = host.ask("/recall search refresh token", api)[0]

    for name in ("recall", "nemp:recall"):
        assert first["slash_commands"].count(name) == 1
        assert first["skills"].count(name) == 1


def test_the_skills_of_the_plugin_are_listed(host: Host) -> None:
    with model_api() as api:
        first = host.ask("/nemp:recall auth-flow", api)[0]

    for name in ("nemp:recall", "nemp:save", "nemp:list", "nemp:forget"):
        assert first["slash_commands"].count(name) == 1


def test_the_model_gets_the_plugins_skill_with_its_real_folder_and_the_users_words(
    host: Host,
) -> None:
    with model_api() as api:
        host.ask("/nemp:recall how does auth work", api)

    (turn,) = api.turns()
    assert body_with_folder(host.plugin / "skills" / "recall") in prompt(turn)
    assert prompt(turn).endswith("ARGUMENTS: how does auth work")


@pytest.mark.parametrize(
    ("skill", "command", "said"),
    [
        pytest.param("recall", "{launcher} 'auth-flow'", "🔍 Memory: auth-flow\n", id="bare path"),
        pytest.param(
            "recall", "\"{launcher}\" 'auth-flow'", "🔍 Memory: auth-flow\n", id="quoted path"
        ),
        pytest.param("save", "{launcher} save editor 'Two spaces.'", "Saved [editor] ", id="save"),
        pytest.param("list", "{launcher} list", "9 memories (9 project):\n", id="list"),
        pytest.param(
            "forget", "{launcher} forget test-runner", "Forgot [test-runner] ", id="forget"
        ),
    ],
)
def test_each_skill_of_the_plugin_runs_its_command_without_asking(
    host: Host, skill: str, command: str, said: str
) -> None:
    launcher = host.plugin / "skills" / skill / "scripts" / "nemp-recall"
    with model_api(Bash(command.format(launcher=launcher))) as api:
        *_, result = host.ask(f"/nemp:{skill} auth-flow", api)

    assert result["permission_denials"] == []
    assert tool_result(api).startswith(said)


@pytest.mark.parametrize("is_trusted", [False, True])
def test_a_project_has_its_plugin_once_the_folder_is_trusted(host: Host, is_trusted: bool) -> None:
    host.uninstall()
    host.install("--scope", "project")
    if is_trusted:
        host.trust()

    with model_api() as api:
        first = host.ask("hello", api)[0]

    assert "realm-recall" in first["slash_commands"]
    assert ("nemp:recall" in first["slash_commands"]) == is_trusted


def test_the_plugin_is_valid_for_its_host(host: Host) -> None:
    said = host.run([str(host.claude), "plugin", "validate", "--strict", str(host.plugin)])

    assert "Validation passed" in said


def test_the_model_gets_the_skill_with_its_real_folder_and_the_users_words(host: Host) -> None:
    words = """what was "rejected" for auth, and don't #skip --full"""

    with model_api() as api:
        host.ask(f"/realm-recall {words}", api)

    (turn,) = api.turns()
    assert body_with_folder(host.skill) in prompt(turn)
    assert prompt(turn).endswith(f"ARGUMENTS: {words}")


def test_the_model_gets_the_skill_for_sessions_with_its_real_folder_and_the_users_words(
    host: Host,
) -> None:
    with model_api() as api:
        host.ask("/recall search refresh token --all", api)

    (turn,) = api.turns()
    assert body_with_folder(host.recall) in prompt(turn)
    assert prompt(turn).endswith("ARGUMENTS: search refresh token --all")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        pytest.param("{launcher} import", "sessions: 6 new, ", id="bare path"),
        pytest.param('"{launcher}" sources', "sessions/claude-code: ", id="quoted path"),
    ],
)
def test_the_command_for_sessions_runs_without_asking(host: Host, command: str, said: str) -> None:
    with model_api(Bash(command.format(launcher=host.recall / "scripts" / "cocorecall"))) as api:
        *_, result = host.ask("/recall import", api)

    assert result["permission_denials"] == []
    assert tool_result(api).startswith(said)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("{launcher} 'auth'", id="bare path"),
        pytest.param("\"{launcher}\" 'auth'", id="quoted path"),
    ],
)
def test_the_command_runs_without_asking(host: Host, command: str) -> None:
    with model_api(Bash(command.format(launcher=host.launcher))) as api:
        *_, result = host.ask("/realm-recall auth", api)

    assert result["permission_denials"] == []
    assert any(line.startswith("recall done") for line in tool_result(api).splitlines())


def test_another_command_is_not_run_unasked(host: Host) -> None:
    # Shows that the tests above mean something: here, what is not allowed is refused.
    with model_api(Bash("python3 -c 'print(6 * 7)'")) as api:
        *_, result = host.ask("/realm-recall auth", api)

    assert len(result["permission_denials"]) == 1
    assert "requires approval" in tool_result(api)


def body_with_folder(skill: Path) -> str:
    """Give what the SKILL.md says below its frontmatter, for a skill in this folder."""
    _, _, body = (skill / "SKILL.md").read_text().split("---\n", 2)
    assert "${CLAUDE_SKILL_DIR}" in body
    return body.strip().replace("${CLAUDE_SKILL_DIR}", str(skill))


def prompt(turn: Json) -> str:
    """Give the text that the skill and the user's words became.

    It is the last that the user says; the host puts its own reminders before it.
    """
    said = [entry["content"] for entry in turn["messages"] if entry["role"] == "user"]
    return str(said[-1][-1]["text"])


def tool_result(api: ModelApi) -> str:
    """Give what came back from the one tool use of the script."""
    (result,) = (
        part
        for entry in api.turns()[-1]["messages"]
        if isinstance(entry["content"], list)
        for part in entry["content"]
        if part["type"] == "tool_result"
    )
    return str(result["content"])
