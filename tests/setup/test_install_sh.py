"""`install.sh` as a person runs it: from an empty home to working skills, and back again."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Ran, Snapshot, snapshot

pytestmark = pytest.mark.slow

TIMEOUT_SECONDS = 300  # a run takes ten; a package index may be slow
NOT_IN_A_CLONE = shutil.ignore_patterns(".git", ".venv", ".*cache", ".hypothesis", "__pycache__")
COMMANDS = ("realm-recall", "nemp-recall", "cocorecall", "total-recall")
# In the order of their installation: what is installed where, its launcher and a question for it.
SKILLS = (
    ("realm-recall", ".claude/skills/realm-recall", "scripts/realm-recall", "why JWT"),
    ("recall", ".claude/skills/recall", "scripts/cocorecall", "sources"),
    ("nemp", ".claude/skills/nemp", "skills/list/scripts/nemp-recall", "list"),
    ("realm-recall", ".agents/skills/realm-recall", "scripts/realm-recall", "why JWT"),
    ("recall", ".agents/skills/recall", "scripts/cocorecall", "sources"),
)
ANSWERS = re.compile(r"^(recall done|cocorecall done|sessions: |Measured:|🔍 |❌ )", re.MULTILINE)
PYTHONS = ("python", "python3", *(f"python3.{minor}" for minor in range(11, 15)))
# Where packages come from is the machine's affair, and not in the home of the test.
FROM_OUTSIDE = ("PIP_", "UV_")


@dataclass(frozen=True)
class User:
    """A user with a clone, and a home of their own."""

    clone: Path
    home: Path

    @property
    def bin(self) -> Path:
        return self.home / ".local" / "bin"

    @property
    def venv(self) -> Path:
        return self.home / ".local" / "share" / "total-recall" / "venv"

    def install(self, *words: str, before: Path | None = None) -> Ran:
        """Run install.sh with nothing in the environment but this; `before` leads the PATH."""
        passed = {
            name: value for name, value in os.environ.items() if name.startswith(FROM_OUTSIDE)
        }
        path = f"{sys.base_prefix}/bin:/usr/bin:/bin"
        return run(
            [self.clone / "install.sh", *words],
            self.home,
            passed | {"HOME": str(self.home), "PATH": f"{before}:{path}" if before else path},
        )

    def put_in_place(self) -> Snapshot:
        """Give what is in the home but for caches, and the environment, which pip writes anew."""
        inside = str(self.venv.relative_to(self.home))
        return {
            name: facts
            for name, facts in snapshot(self.home).items()
            if not name.startswith((inside, ".cache"))
        }


def run(words: list[str | Path], folder: Path, environment: dict[str, str]) -> Ran:
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_SECONDS,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Story:
    """What a user did, one after the other, and how the home was after each."""

    user: User
    clone_changed: bool
    first: Ran
    after_first: Snapshot
    versions: dict[str, Ran]
    answers: dict[str, Ran]
    second: Ran
    after_second: Snapshot
    third: Ran
    after_third: Snapshot
    gone: Ran
    after_gone: Snapshot


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Install with the demo, again, again beside a foreign command, and uninstall."""
    user = new_user(tmp_path_factory.mktemp("user"))
    clone = snapshot(user.clone)

    first = user.install("--demo")
    after_first = user.put_in_place()
    examples = user.clone / "examples"
    versions = {name: run([user.bin / name, "--version"], user.home, {}) for name in COMMANDS}
    answers = {
        folder: run([user.home / folder / launcher, question], examples, {})
        for _, folder, launcher, question in SKILLS
    }
    second = user.install()
    after_second = user.put_in_place()
    (user.bin / "realm-recall").unlink()
    (user.bin / "realm-recall").write_text("somebody else's")
    third = user.install()
    after_third = user.put_in_place()
    gone = user.install("--uninstall")
    return Story(
        user=user,
        clone_changed=snapshot(user.clone) != clone,
        first=first,
        after_first=after_first,
        versions=versions,
        answers=answers,
        second=second,
        after_second=after_second,
        third=third,
        after_third=after_third,
        gone=gone,
        after_gone=user.put_in_place(),
    )


def new_user(folder: Path) -> User:
    clone = folder / "a clone"
    shutil.copytree(REPOSITORY, clone, ignore=NOT_IN_A_CLONE)
    home = folder / "home"
    home.mkdir()
    return User(clone, home)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return new_user(tmp_path)


def test_the_first_run_says_what_it_put_where(story: Story) -> None:
    said, _, _ = story.first.out.partition("\n\n")

    home, commands = story.user.home, story.user.bin
    assert (story.first.code, said.splitlines()) == (
        0,
        [
            *(f"installed  {commands}/{name}" for name in COMMANDS),
            f"note       {commands} is not on your PATH; the skills do not need it",
            *(f"installed  {name}  {home}/{folder}" for name, folder, *_ in SKILLS),
        ],
    )
    assert story.first.err == "no agent found here; installing for all that may come\n"


def test_the_demo_shows_each_command_with_its_answer(story: Story) -> None:
    _, _, demo = story.first.out.partition("\n\n")

    parts = re.split(r"^\$ ", demo, flags=re.MULTILINE)
    assert (parts[0], len(parts)) == ("", 22)
    for part in parts[1:]:
        command, _, answer = part.partition("\n")
        assert command.startswith(("realm-recall ", "nemp-recall ", "cocorecall "))
        assert ANSWERS.search(answer), part
    assert "Traceback" not in demo


def test_the_commands_and_the_skills_run_with_an_empty_environment(story: Story) -> None:
    for name, ran in story.versions.items():
        assert (ran.code, ran.err) == (0, "")
        assert re.fullmatch(rf"{name} \d+\.\d+\.\d+\n", ran.out)
    for ran in story.answers.values():
        assert (ran.code, ran.err) == (0, "")
        assert any(each in ran.out for each in ("adr-008-auth-jwt", "[auth-flow]", "cortex: "))


def test_nothing_is_written_into_the_clone(story: Story) -> None:
    assert not story.clone_changed


def test_a_second_run_changes_nothing(story: Story) -> None:
    assert (story.second.code, story.second.err) == (0, "")
    words = [line.split()[0] for line in story.second.out.splitlines()]
    assert words == ["note", *("unchanged" for _ in SKILLS)]
    assert story.after_second == story.after_first


def test_a_foreign_command_is_kept_and_named(story: Story) -> None:
    commands, ours = story.user.bin, story.user.venv / "bin" / "realm-recall"
    said = f"kept       {commands}/realm-recall is not ours; ours is {ours}\n"
    assert story.third.code == 0
    assert story.third.out.startswith(said)
    for after in (story.after_third, story.after_gone):
        assert after[".local/bin/realm-recall"][2] == b"somebody else's"


def test_uninstall_leaves_nothing_but_what_is_not_ours(story: Story) -> None:
    assert (story.gone.code, story.gone.err) == (0, "")
    assert sorted(story.gone.out.splitlines()) == sorted(
        [
            *(f"removed  {name}  {story.user.home}/{folder}" for name, folder, *_ in SKILLS),
            f"removed  {story.user.bin}/nemp-recall",
            f"removed  {story.user.bin}/cocorecall",
            f"removed  {story.user.bin}/total-recall",
            f"removed  {story.user.venv}",
        ]
    )
    assert sorted(story.after_gone) == [".local", ".local/bin", ".local/bin/realm-recall"]
    assert not story.user.venv.exists()


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_the_scripts_are_plain_sh(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    for script in ("install.sh", "check", ".ci/run"):
        checked = run([shell, "-n", REPOSITORY / script], tmp_path, {})
        assert checked == Ran(0, "", "")


def test_help_is_the_head_of_the_script(user: User) -> None:
    ran = user.install("--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Installs Total Recall for this user")
    assert "./install.sh --uninstall" in ran.out


def test_a_dry_run_in_an_empty_home_writes_nothing(user: User) -> None:
    ran = user.install("--dry-run")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"would make     {user.venv} with ")
    assert list(user.home.iterdir()) == []


@pytest.mark.parametrize("words", [["--uninstall"], ["--dry-run", "--uninstall"]])
def test_uninstall_where_nothing_is_says_so(user: User, words: list[str]) -> None:
    assert user.install(*words) == Ran(0, f"nothing to remove: there is no {user.venv}\n", "")
    assert list(user.home.iterdir()) == []


def test_a_python_that_is_too_old_is_one_line(user: User, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for name in PYTHONS:
        # It runs, and answers the question for its version as an old one does.
        (old / name).write_text("#!/bin/sh\nexit 1\n")
        (old / name).chmod(0o755)

    ran = user.install(before=old)

    hint = "install it, or name one with PYTHON=/path/to/python3"
    assert ran == Ran(1, "", f"install.sh: Python 3.11 or newer is needed; {hint}\n")
    assert list(user.home.iterdir()) == []
