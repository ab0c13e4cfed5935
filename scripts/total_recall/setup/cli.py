"""The command `total-recall`."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click

from total_recall import files, output
from total_recall.errors import RecallError
from total_recall.setup import bundle, demo, hosts, install, programs
from total_recall.setup.hosts import Host, Skill
from total_recall.setup.install import Installed

LOCK_SECONDS = 30.0  # an install takes less than one

_host_option = click.option(
    "--host",
    metavar="NAMES",
    default="",
    help="claude, agents (or codex, gemini, copilot, opencode, cursor); commas between  "
    "[default: those found]",
)
_scope_option = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Your home folder, or the project here.",
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


@click.group("total-recall", cls=output.Group)
@output.version_option
def main() -> None:
    """Put the recall skills where your agents look for them."""


@main.command("install", cls=output.Command)
@_host_option
@_scope_option
@_dry_run_option
@click.option("--force", is_flag=True, help="Overwrite folders that are not ours, too.")
def install_skills(host: str, scope: str, dry_run: bool, force: bool) -> None:
    """Install the skills for the hosts found here; a second time changes nothing."""
    wanted = _hosts(host)
    if not wanted:
        output.warn("no agent found here; installing for all that may come")
        wanted = list(hosts.HOSTS)
    refused: list[RecallError] = []
    with _manifest(dry_run) as (path, known):
        for place, skill in _pairs(wanted):
            try:
                word, target = _install_one(
                    place, skill, scope, known, dry_run=dry_run, force=force
                )
            except RecallError as error:
                refused.append(error)
                continue
            if not dry_run:
                install.write_manifest(path, known)
            output.say(f"{word}  {skill.name}  {target}")
    if refused:
        for each in refused[:-1]:
            output.warn(f"total-recall: {each.message}" + (f" ({each.hint})" if each.hint else ""))
        raise refused[-1]


def _install_one(
    place: Host,
    skill: Skill,
    scope: str,
    known: dict[str, Installed],
    *,
    dry_run: bool,
    force: bool,
) -> tuple[str, Path]:
    """Install a skill for a host, note it in `known`, and give what was done and where."""
    target = _target(place, skill, scope)
    contents = bundle.skill_files(skill.source, programs.path_of(skill.command))
    ours = known.get(str(target))
    state = install.state_of(target, contents, ours)
    if not force:
        install.refuse_what_is_not_ours(target, state)
    if state == "same":
        known[str(target)] = ours or install.remembered(contents)
        return "unchanged", target
    if dry_run:
        return "would install", target
    known[str(target)] = install.install(target, contents, ours, known.values())
    return "installed", target


@main.command("uninstall", cls=output.Command)
@_host_option
@_scope_option
@_dry_run_option
def uninstall_skills(host: str, scope: str, dry_run: bool) -> None:
    """Remove the skills that `install` put there, and nothing else."""
    wanted = _hosts(host) if host else list(hosts.HOSTS)
    targets = {str(_target(place, skill, scope)): skill for place, skill in _pairs(wanted)}
    with _manifest(dry_run) as (path, known):
        for folder in [folder for folder in known if folder in targets]:
            if dry_run:
                output.say(f"would remove  {targets[folder].name}  {folder}")
                continue
            for name in install.uninstall(Path(folder), known.pop(folder)):
                output.warn(f"kept, since it was added or changed: {folder}/{name}")
            install.write_manifest(path, known)
            output.say(f"removed  {targets[folder].name}  {folder}")


@contextmanager
def _manifest(dry_run: bool) -> Iterator[tuple[Path, dict[str, Installed]]]:
    """Give the list of what was installed, which nobody else changes meanwhile."""
    path = install.manifest_path()
    with nullcontext() if dry_run else files.locked(path, seconds=LOCK_SECONDS):
        known = install.read_manifest(path)
        yield path, known
        if not known and not dry_run:
            install.forget_manifest(path)


@main.command("demo", cls=output.Command)
def show_demo() -> None:
    """Run the skills' commands over the example workspace."""
    for part in demo.conversation():
        output.say(part)


def _hosts(names: str) -> list[Host]:
    given = [name.strip() for name in names.split(",") if name.strip()]
    return hosts.chosen(given) if given else hosts.found()


def _pairs(wanted: list[Host]) -> Iterator[tuple[Host, Skill]]:
    for place in wanted:
        for skill in hosts.SKILLS:
            if place.name in skill.hosts:
                yield place, skill


def _target(host: Host, skill: Skill, scope: str) -> Path:
    project = Path.cwd() if scope == "project" else None
    return hosts.skills_folder(host, project) / skill.name
