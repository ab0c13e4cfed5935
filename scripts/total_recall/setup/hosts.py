"""Which hosts there are, where each looks for skills, and which are on this machine."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from total_recall.errors import NotFoundError


@dataclass(frozen=True)
class Host:
    """A place where agents look for skills.

    `folders` and `programs` tell that an agent that reads the place is here. `home` names the
    variable that moves the place, `folder` is where it is by default, below home or a project.
    """

    name: str
    agents: str
    folder: str
    home: str
    folders: tuple[str, ...]
    programs: tuple[str, ...]


HOSTS = (
    Host("claude", "Claude Code", ".claude", "CLAUDE_CONFIG_DIR", (".claude",), ("claude",)),
    Host(
        "agents",
        "Codex, Gemini CLI, Copilot CLI, OpenCode, Cursor",
        ".agents",
        "",
        (".agents", ".codex", ".gemini", ".copilot", ".config/opencode", ".cursor"),
        ("codex", "gemini", "copilot", "opencode", "cursor-agent"),
    ),
)
_ALIASES = dict.fromkeys(("codex", "gemini", "copilot", "opencode", "cursor"), "agents")


@dataclass(frozen=True)
class Skill:
    """A skill of the bundle: its folder below `skills`, its installed name, command and hosts."""

    source: str
    name: str
    command: str
    hosts: tuple[str, ...]


SKILLS = (
    Skill("realm-recall", "realm-recall", "realm-recall", ("claude", "agents")),
    Skill("cocorecall", "recall", "cocorecall", ("claude", "agents")),
    # A plugin of several skills; only Claude Code reads one from its skills folder.
    Skill("nemp", "nemp", "nemp-recall", ("claude",)),
)


def chosen(names: Sequence[str]) -> list[Host]:
    """Give the hosts of these names, each once. Raises NotFoundError for a name nobody has."""
    wanted = {_ALIASES.get(name, name) for name in names}
    known = {host.name for host in HOSTS}
    if unknown := sorted(wanted - known):
        hint = "choose from " + ", ".join(sorted(known | _ALIASES.keys()))
        raise NotFoundError(f"no host {unknown[0]!r}", hint=hint)
    return [host for host in HOSTS if host.name in wanted]


def found() -> list[Host]:
    """Give the hosts that an agent on this machine reads."""
    return [host for host in HOSTS if _is_here(host)]


def _is_here(host: Host) -> bool:
    if os.environ.get(host.home):
        return True
    folders = any((Path.home() / folder).is_dir() for folder in host.folders)
    return folders or any(shutil.which(program) for program in host.programs)


def skills_folder(host: Host, project: Path | None) -> Path:
    """Give where a host looks for skills: the user's folder, or that of a project."""
    if project is not None:
        return project / host.folder / "skills"
    moved = os.environ.get(host.home) if host.home else None
    base = Path(moved).expanduser().absolute() if moved else Path.home() / host.folder
    return base / "skills"
