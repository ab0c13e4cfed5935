"""The command `total-recall`: what it puts into the hosts' folders, keeps, and takes away."""

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import BIN, REPOSITORY, Ran, snapshot
from total_recall.files import Content
from total_recall.setup import bundle, cli, hosts

Run = Callable[..., Ran]

CLAUDE = Path(".claude/skills/realm-recall")
AGENTS = Path(".agents/skills/realm-recall")
PLUGIN = Path(".claude/skills/nemp")
LAUNCHER = Path("scripts/realm-recall")
MANIFEST = Path(".local/share/total-recall/installed.json")
OLD = {"SKILL.md": Content(b"old"), "references/gone.md": Content(b"gone")}


EVERY_SKILL = hosts.SKILLS


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home where no agent is, with the folder for data that every desktop has.

    The bundle has one skill here, since what is kept and taken away is told by each folder.
    """
    monkeypatch.setattr(hosts, "SKILLS", EVERY_SKILL[:1])
    home = tmp_path / "home"
    (home / ".local" / "share").mkdir(parents=True)
    (tmp_path / "programs").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    return home


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run total-recall in this process."""

    def run(*words: str) -> Ran:
        with pytest.raises(SystemExit) as left:
            cli.main.main(list(words))
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def run_old(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a total-recall whose skill has other files."""

    def skill_files(source: str, program: Path) -> Mapping[str, Content]:
        return OLD

    def run_old(*words: str) -> Ran:
        with monkeypatch.context() as patch:
            patch.setattr(bundle, "skill_files", skill_files)
            return run(*words)

    return run_old


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_both_hosts_get_the_skill_the_references_it_names_and_a_launcher(
    run: Run, home: Path
) -> None:
    ran = run("install", "--host", "claude,agents")

    claude, agents = home / CLAUDE, home / AGENTS
    assert ran == Ran(
        0, f"installed  realm-recall  {claude}\ninstalled  realm-recall  {agents}\n", ""
    )
    for folder in (claude, agents):
        assert names_in(folder) == [
            "SKILL.md",
            "agents/openai.yaml",
            "references/canvas-expansion.md",
            "references/output-format.md",
            "scripts/realm-recall",
        ]


def test_only_the_references_that_a_skill_names_are_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text in {
        "skills/one/SKILL.md": "Read `references/named.md` only when needed.",
        "references/named.md": "named",
        "references/other.md": "other",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(bundle, "folder", lambda name: tmp_path / name)

    contents = bundle.skill_files("one", Path("/opt/one"))

    assert sorted(contents) == ["SKILL.md", "references/named.md", "scripts/one"]


def test_what_is_copied_is_what_the_clone_holds(run: Run, home: Path) -> None:
    run("install", "--host", "claude")

    source = REPOSITORY / "skills" / "realm-recall"
    for name in names_in(source):
        assert (home / CLAUDE / name).read_bytes() == (source / name).read_bytes()


def test_the_launcher_runs_the_command_by_its_full_path_with_no_path_set(
    run: Run, home: Path, examples: Path
) -> None:
    run("install", "--host", "claude")
    launcher = home / CLAUDE / LAUNCHER

    done = subprocess.run(
        [launcher, "why JWT"], cwd=examples, env={}, capture_output=True, text=True
    )

    assert f"program='{BIN / 'realm-recall'}'\n" in launcher.read_text()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("recall:why JWT ")


def test_the_installed_program_installs_as_well(home: Path) -> None:
    done = subprocess.run(
        [BIN / "total-recall", "install", "--host", "claude"],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (home / CLAUDE / "SKILL.md").is_file()


def test_a_second_time_changes_nothing(run: Run, home: Path) -> None:
    run("install", "--host", "claude,agents")
    before = snapshot(home)

    ran = run("install", "--host", "claude,agents")

    assert [line.split()[0] for line in ran.out.splitlines()] == ["unchanged", "unchanged"]
    assert snapshot(home) == before


def test_an_older_version_of_ours_is_swapped_for_this_one(
    run: Run, run_old: Run, home: Path
) -> None:
    run_old("install", "--host", "claude")
    assert names_in(home / CLAUDE) == ["SKILL.md", "references/gone.md"]

    ran = run("install", "--host", "claude")

    assert ran.out == f"installed  realm-recall  {home / CLAUDE}\n"
    assert "references/gone.md" not in names_in(home / CLAUDE)
    assert [path.name for path in (home / CLAUDE).parent.iterdir()] == ["realm-recall"]


def test_an_older_version_of_ours_can_be_uninstalled(run: Run, run_old: Run, home: Path) -> None:
    before = names_in(home)
    run_old("install", "--host", "claude")

    ran = run("uninstall")

    assert ran == Ran(0, f"removed  realm-recall  {home / CLAUDE}\n", "")
    assert names_in(home) == before


def foreign_folder(target: Path) -> None:
    target.mkdir(parents=True)
    (target / "SKILL.md").write_text("somebody else's")


def foreign_link(target: Path) -> None:
    elsewhere = target.parents[2] / "elsewhere"
    foreign_folder(elsewhere)
    target.parent.mkdir(parents=True)
    target.symlink_to(elsewhere)


def dangling_link(target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.symlink_to("nowhere")


def foreign_file(target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.write_text("somebody else's")


FOREIGN = [
    pytest.param(foreign_folder, id="a folder"),
    pytest.param(foreign_link, id="a link to a folder"),
    pytest.param(dangling_link, id="a link to nowhere"),
    pytest.param(foreign_file, id="a file"),
]


@pytest.mark.parametrize("make", FOREIGN)
def test_what_is_not_ours_is_kept_and_the_other_host_is_served(
    run: Run, home: Path, make: Callable[[Path], None]
) -> None:
    make(home / CLAUDE)
    before = snapshot(home / ".claude")

    ran = run("install", "--host", "claude,agents")

    assert ran == Ran(
        1,
        f"installed  realm-recall  {home / AGENTS}\n",
        f"total-recall: {home / CLAUDE} is not ours; left as it is (--force overwrites it)\n",
    )
    assert snapshot(home / ".claude") == before
    assert (home / AGENTS / "SKILL.md").is_file()


@pytest.mark.parametrize("make", FOREIGN)
def test_force_overwrites_what_is_not_ours_but_nothing_behind_a_link(
    run: Run, home: Path, make: Callable[[Path], None]
) -> None:
    make(home / CLAUDE)
    before = snapshot(home / "elsewhere")

    ran = run("install", "--host", "claude", "--force")

    assert ran == Ran(0, f"installed  realm-recall  {home / CLAUDE}\n", "")
    assert (home / CLAUDE / LAUNCHER).is_file()
    assert not (home / CLAUDE).is_symlink()
    assert [path.name for path in (home / CLAUDE).parent.iterdir()] == ["realm-recall"]
    assert snapshot(home / "elsewhere") == before


def edit_a_file(folder: Path) -> None:
    (folder / "SKILL.md").write_text("mine now")


def add_a_file(folder: Path) -> None:
    (folder / "references" / "mine.md").write_text("mine")


def add_a_large_file(folder: Path) -> None:
    (folder / "mine.bin").write_bytes(bytes(2 << 20))


def remove_a_file(folder: Path) -> None:
    (folder / "SKILL.md").unlink()


def add_a_link_to_a_folder(folder: Path) -> None:
    (folder / "mine").symlink_to("..")


@pytest.mark.parametrize(
    "change", [edit_a_file, add_a_file, add_a_large_file, remove_a_file, add_a_link_to_a_folder]
)
def test_one_of_ours_that_somebody_changed_is_kept_until_forced(
    run: Run, home: Path, change: Callable[[Path], None]
) -> None:
    run("install", "--host", "claude")
    change(home / CLAUDE)
    before = snapshot(home / CLAUDE)

    kept = run("install", "--host", "claude,agents")

    said = f"{home / CLAUDE} was changed since it was installed; left as it is"
    assert kept == Ran(
        1,
        f"installed  realm-recall  {home / AGENTS}\n",
        f"total-recall: {said} (--force overwrites it)\n",
    )
    assert snapshot(home / CLAUDE) == before
    assert run("install", "--host", "claude", "--force").code == 0
    assert names_in(home / CLAUDE) == names_in(home / AGENTS)


def test_each_refusal_is_a_line(run: Run, home: Path) -> None:
    foreign_folder(home / CLAUDE)
    foreign_folder(home / AGENTS)
    before = snapshot(home / ".claude") | snapshot(home / ".agents")

    ran = run("install")

    refused = "is not ours; left as it is (--force overwrites it)"
    assert ran == Ran(
        1,
        "",
        f"total-recall: {home / CLAUDE} {refused}\ntotal-recall: {home / AGENTS} {refused}\n",
    )
    assert snapshot(home / ".claude") | snapshot(home / ".agents") == before
    assert list((home / ".local/share").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line_and_the_other_host_is_served(
    run: Run, home: Path
) -> None:
    (home / ".claude").write_text("a file where a folder should be")

    ran = run("install", "--host", "claude,agents")

    assert ran.code == 1
    assert ran.out == f"installed  realm-recall  {home / AGENTS}\n"
    assert ran.err.startswith(f"total-recall: {home / CLAUDE} not installed: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("there", ["", ".claude", ".claude/skills"])
def test_uninstall_leaves_the_home_as_it_was(run: Run, home: Path, there: str) -> None:
    (home / there).mkdir(parents=True, exist_ok=True)
    before = set(home.rglob("*"))
    run("install", "--host", "claude,agents")

    ran = run("uninstall")

    claude, agents = home / CLAUDE, home / AGENTS
    assert sorted(ran.out.splitlines()) == [
        f"removed  realm-recall  {agents}",
        f"removed  realm-recall  {claude}",
    ]
    assert set(home.rglob("*")) == before


def test_uninstall_can_be_for_one_host(run: Run, home: Path) -> None:
    run("install", "--host", "claude,agents")

    ran = run("uninstall", "--host", "claude")

    assert ran == Ran(0, f"removed  realm-recall  {home / CLAUDE}\n", "")
    assert list(json.loads((home / MANIFEST).read_text())["folders"]) == [str(home / AGENTS)]
    assert not (home / ".claude").exists()


def test_uninstall_keeps_and_names_what_somebody_added_or_edited(run: Run, home: Path) -> None:
    run("install", "--host", "claude")
    edit_a_file(home / CLAUDE)
    add_a_file(home / CLAUDE)

    ran = run("uninstall")

    assert names_in(home / CLAUDE) == ["SKILL.md", "references/mine.md"]
    assert (home / CLAUDE / "SKILL.md").read_text() == "mine now"
    kept = f"kept, since it was added or changed: {home / CLAUDE}"
    assert ran == Ran(
        0,
        f"removed  realm-recall  {home / CLAUDE}\n",
        f"{kept}/SKILL.md\n{kept}/references/mine.md\n",
    )


def test_uninstall_does_not_touch_a_folder_that_was_never_ours(run: Run, home: Path) -> None:
    foreign_folder(home / AGENTS)
    run("install", "--host", "claude,agents")
    before = snapshot(home / ".agents")

    run("uninstall")

    assert snapshot(home / ".agents") == before
    assert not (home / ".claude").exists()


def test_uninstall_does_not_reach_through_a_link_put_in_our_place(run: Run, home: Path) -> None:
    run("install", "--host", "claude")
    (home / CLAUDE).rename(home / "moved")
    (home / CLAUDE).symlink_to(home / "moved")
    before = snapshot(home / "moved")

    assert run("uninstall").code == 0

    assert snapshot(home / "moved") == before
    assert (home / CLAUDE).is_symlink()


def test_uninstall_of_a_folder_that_is_gone_only_forgets_it(run: Run, home: Path) -> None:
    run("install", "--host", "claude")
    (home / ".claude").rename(home / "moved")

    assert run("uninstall").code == 0

    assert not (home / MANIFEST).exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["install"], "would install  realm-recall", id="install"),
        pytest.param(["uninstall"], "would remove  realm-recall", id="uninstall"),
    ],
)
def test_a_dry_run_writes_nothing(
    run: Run, run_old: Run, home: Path, words: list[str], said: str
) -> None:
    run_old("install", "--host", "claude")
    before = snapshot(home)

    ran = run(*words, "--host", "claude", "--dry-run")

    assert ran == Ran(0, f"{said}  {home / CLAUDE}\n", "")
    assert snapshot(home) == before


def test_a_dry_run_in_an_empty_home_writes_nothing(run: Run, home: Path) -> None:
    before = snapshot(home)

    ran = run("install", "--host", "claude", "--dry-run")

    assert ran.out == f"would install  realm-recall  {home / CLAUDE}\n"
    assert snapshot(home) == before


def test_scope_project_installs_into_the_project_and_takes_it_away_again(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))

    run("install", "--host", "claude,agents", "--scope", "project")

    assert (project / CLAUDE / LAUNCHER).is_file()
    assert (project / AGENTS / LAUNCHER).is_file()
    assert names_in(home) == [str(MANIFEST), f"{MANIFEST}.lock"]
    run("uninstall", "--scope", "project")
    assert list(project.iterdir()) == []
    assert names_in(home) == []


def test_the_folders_that_the_environment_names_are_used(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    run("install", "--host", "claude")

    assert (tmp_path / "config" / "skills" / "realm-recall" / LAUNCHER).is_file()
    assert (tmp_path / "data" / "total-recall" / "installed.json").is_file()
    assert names_in(home) == []


def test_a_relative_folder_from_the_environment_is_noted_in_full(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "config")

    ran = run("install", "--host", "claude")

    assert ran.out == f"installed  realm-recall  {home}/config/skills/realm-recall\n"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "config"))
    monkeypatch.chdir("/")
    assert run("uninstall").out == f"removed  realm-recall  {home}/config/skills/realm-recall\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"folders": []}',
        '{"folders": {"/x": {}}}',
        "[" * 100_000,
        b"\xff",
    ],
    ids=["empty", "cut", "a list", "no table", "no files", "deep", "no text"],
)
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_broken_list_of_what_was_installed_is_one_line(
    run: Run, home: Path, command: str, text: str | bytes
) -> None:
    run("install", "--host", "claude")
    (home / MANIFEST).write_bytes(text if isinstance(text, bytes) else text.encode())
    before = snapshot(home)

    ran = run(command)

    said = f"total-recall: {home / MANIFEST}: not a list of what was installed"
    hint = "move it away; then --force takes the skill folders over"
    assert ran == Ran(1, "", f"{said} ({hint})\n")
    assert snapshot(home) == before


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_an_unknown_host_is_one_line_with_the_choices(run: Run, home: Path, command: str) -> None:
    ran = run(command, "--host", "claude,emacs")

    choices = "agents, claude, codex, copilot, cursor, gemini, opencode"
    assert ran == Ran(1, "", f"total-recall: no host 'emacs' (choose from {choices})\n")
    assert names_in(home) == []


@pytest.mark.parametrize("agent", ["codex", "gemini", "copilot", "opencode", "cursor"])
def test_agents_that_share_a_folder_are_one_host(run: Run, home: Path, agent: str) -> None:
    ran = run("install", "--host", f"{agent}, agents")

    assert ran.out == f"installed  realm-recall  {home / AGENTS}\n"


@pytest.mark.parametrize(
    ("folder", "found"),
    [pytest.param(folder, host.name, id=folder) for host in hosts.HOSTS for folder in host.folders],
)
def test_a_host_is_found_by_its_folder(run: Run, home: Path, folder: str, found: str) -> None:
    (home / folder).mkdir(parents=True)

    ran = run("install")

    target = {"claude": CLAUDE, "agents": AGENTS}[found]
    assert ran == Ran(0, f"installed  realm-recall  {home / target}\n", "")


@pytest.mark.parametrize(
    ("program", "found"),
    [
        pytest.param(program, host.name, id=program)
        for host in hosts.HOSTS
        for program in host.programs
    ],
)
def test_a_host_is_found_by_its_program(
    run: Run, home: Path, tmp_path: Path, program: str, found: str
) -> None:
    (tmp_path / "programs" / program).write_text("#!/bin/sh\n")
    (tmp_path / "programs" / program).chmod(0o755)

    ran = run("install")

    target = {"claude": CLAUDE, "agents": AGENTS}[found]
    assert ran == Ran(0, f"installed  realm-recall  {home / target}\n", "")


def test_with_no_host_found_all_are_served_and_that_is_said(run: Run, home: Path) -> None:
    ran = run("install")

    assert ran == Ran(
        0,
        f"installed  realm-recall  {home / CLAUDE}\ninstalled  realm-recall  {home / AGENTS}\n",
        "no agent found here; installing for all that may come\n",
    )


def test_files_are_for_all_to_read_and_only_the_launcher_runs(run: Run, home: Path) -> None:
    run("install", "--host", "claude")

    modes = {
        name: (home / CLAUDE / name).stat().st_mode & 0o777 for name in names_in(home / CLAUDE)
    }
    assert {name for name, mode in modes.items() if mode == 0o755} == {"scripts/realm-recall"}
    assert set(modes.values()) == {0o644, 0o755}


def test_the_demo_shows_each_command_with_its_answer(run: Run) -> None:
    ran = run("demo")

    parts = re.split(r"^\$ ", ran.out, flags=re.MULTILINE)[1:]
    assert len(parts) == 21
    for part in parts:
        command, _, answer = part.partition("\n")
        assert command.startswith(("realm-recall ", "nemp-recall ", "cocorecall "))
        assert answer.strip()
        assert "Traceback" not in answer


def test_a_folder_of_ours_that_nobody_remembers_is_taken_over(run: Run, home: Path) -> None:
    run("install", "--host", "claude")
    (home / ".local/share/total-recall/installed.json").unlink()

    again = run("install", "--host", "claude")
    gone = run("uninstall", "--host", "claude")

    assert (again.code, gone.code) == (0, 0)
    assert not (home / ".claude/skills/realm-recall").exists()


def test_the_demo_workspace_comes_without_an_index() -> None:
    # One would tell of this machine; git ignores it, a wheel would carry it.
    assert [path for path in bundle.example_files() if "recall.db" in path] == []


def test_two_installs_at_once_both_succeed_and_are_both_remembered(home: Path) -> None:
    command = [str(BIN / "total-recall"), "install", "--host"]

    running = [subprocess.Popen([*command, host]) for host in ("claude", "agents")]

    assert [each.wait(timeout=60) for each in running] == [0, 0]
    noted = json.loads((home / ".local/share/total-recall/installed.json").read_text())
    assert set(noted["folders"]) == {
        str(home / each)
        for each in (CLAUDE, AGENTS, PLUGIN, ".claude/skills/recall", ".agents/skills/recall")
    }


def test_the_plugin_goes_to_claude_code_with_a_launcher_for_each_of_its_skills(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "SKILLS", EVERY_SKILL)

    ran = run("install", "--host", "claude,agents")

    assert ran.out.splitlines() == [
        f"installed  realm-recall  {home / CLAUDE}",
        f"installed  recall  {home / '.claude/skills/recall'}",
        f"installed  nemp  {home / PLUGIN}",
        f"installed  realm-recall  {home / AGENTS}",
        f"installed  recall  {home / '.agents/skills/recall'}",
    ]
    skills = ("forget", "list", "recall", "save")
    assert names_in(home / PLUGIN) == sorted(
        [
            ".claude-plugin/plugin.json",
            "README.md",
            "skills/recall/references/memory-format.md",
            *(f"skills/{skill}/SKILL.md" for skill in skills),
            *(f"skills/{skill}/scripts/nemp-recall" for skill in skills),
        ]
    )


def test_the_plugin_is_taken_away_whole(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "SKILLS", EVERY_SKILL)
    before = snapshot(home)
    run("install", "--host", "claude")

    ran = run("uninstall")

    assert f"removed  nemp  {home / PLUGIN}" in ran.out.splitlines()
    assert set(snapshot(home)) == set(before)


def test_the_launcher_of_the_plugin_runs_with_no_path_set(
    run: Run, home: Path, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "SKILLS", EVERY_SKILL)
    run("install", "--host", "claude")

    done = subprocess.run(
        [home / PLUGIN / "skills/recall/scripts/nemp-recall", "auth-flow"],
        cwd=examples,
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("🔍 Memory: auth-flow\n")
