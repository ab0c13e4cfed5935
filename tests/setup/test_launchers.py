"""The two ways to run a command without an installation on the PATH: from a clone, by a skill."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Ran
from total_recall.setup import bundle

SCRIPTS = REPOSITORY / "scripts"
LAUNCHER = "scripts/realm-recall"


def run(folder: Path, *words: str | Path) -> Ran:
    """Run a program with nothing in its environment but a home."""
    done = subprocess.run(
        words,
        cwd=folder,
        env={"HOME": os.environ["HOME"]},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def test_a_clone_runs_with_a_python_that_has_the_packages(examples: Path) -> None:
    ran = run(examples, sys.executable, SCRIPTS / "realm_recall.py", "why", "JWT")

    assert (ran.code, ran.err) == (0, "")
    assert "adr-008-auth-jwt" in ran.out


def test_a_clone_recalls_facts_as_well(examples: Path) -> None:
    ran = run(examples, sys.executable, SCRIPTS / "nemp_recall.py", "auth-flow")
    alone = run(examples, sys.executable, "-S", SCRIPTS / "nemp_recall.py", "auth-flow")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("🔍 Memory: auth-flow\n")
    assert alone == Ran(1, "", "nemp-recall: the package click is missing; run ./install.sh\n")


def test_a_clone_recalls_sessions_as_well(examples: Path) -> None:
    ran = run(examples, sys.executable, SCRIPTS / "cocorecall.py", "import")
    alone = run(examples, sys.executable, "-S", SCRIPTS / "cocorecall.py", "import")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("sessions: 6 new, ")
    assert alone == Ran(1, "", "cocorecall: the package click is missing; run ./install.sh\n")


def test_a_clone_answers_as_the_installed_command_does(examples: Path) -> None:
    words = ["auth", "--json"]
    script = run(examples, sys.executable, SCRIPTS / "realm_recall.py", *words)

    assert script == run(examples, Path(sys.executable).with_name("realm-recall"), *words)


def test_a_clone_says_which_package_is_missing_and_what_installs_it(examples: Path) -> None:
    # Without `site`, Python sees the clone and its own library, and nothing that was installed.
    ran = run(examples, sys.executable, "-S", SCRIPTS / "realm_recall.py", "why", "JWT")

    assert ran == Ran(1, "", "realm-recall: the package click is missing; run ./install.sh\n")


def test_a_script_without_its_clone_says_what_installs_it(tmp_path: Path) -> None:
    alone = shutil.copy(SCRIPTS / "realm_recall.py", tmp_path)

    ran = run(tmp_path, sys.executable, "-S", alone, "why", "JWT")

    said = "realm-recall: the package total_recall is missing; run ./install.sh\n"
    assert ran == Ran(1, "", said)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "it's gone" / "realm-recall"


@pytest.fixture
def launcher(tmp_path: Path, program: Path) -> Path:
    content = bundle.skill_files("realm-recall", program)[LAUNCHER]
    path = tmp_path / "launcher"
    path.write_bytes(content.data)
    path.chmod(content.mode)
    return path


def make_program(path: Path, text: str, mode: int = 0o755) -> None:
    path.parent.mkdir()
    path.write_text(text)
    path.chmod(mode)


def test_the_launcher_passes_each_word_on_as_it_is(
    tmp_path: Path, program: Path, launcher: Path
) -> None:
    make_program(program, '#!/bin/sh\nprintf "%s|" "$@"\nexit 3\n')

    assert run(tmp_path, launcher, "why JWT", "it's", "", "$HOME *") == Ran(
        3, "why JWT|it's||$HOME *|", ""
    )


def test_the_launcher_of_a_program_that_is_gone_says_so(
    tmp_path: Path, program: Path, launcher: Path
) -> None:
    said = f"realm-recall: {program} is gone; run the install.sh of Total Recall again\n"
    assert run(tmp_path, launcher, "why JWT") == Ran(127, "", said)


def test_the_launcher_of_a_program_that_cannot_run_says_so_too(
    tmp_path: Path, program: Path, launcher: Path
) -> None:
    make_program(program, "not for running", mode=0o644)

    ran = run(tmp_path, launcher, "why JWT")

    assert (ran.code, ran.out, ran.err.count("\n")) == (127, "", 1)


def test_the_launcher_is_plain_sh(launcher: Path) -> None:
    assert run(launcher.parent, "/bin/sh", "-n", launcher) == Ran(0, "", "")
