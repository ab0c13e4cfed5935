"""Which folders hold sessions: what the project lists, and what hosts keep on this machine."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from total_recall import files, project
from total_recall.errors import NotFoundError, RecallError, UnreadableError
from total_recall.sessions.stored import canonical

FILE = Path("cocoplus", "recall-sources.json")
STATE_FOLDER = ".cocoplus"
MAX_BYTES = 1 << 20
PROJECT = "project"
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
# Files that lie beside transcripts and are none, by name.
_NO_TRANSCRIPTS = re.compile(
    r"\.back\.|\.tmp|\.unreadable-|\.lock$|\.meta\.json$|^journal\.jsonl$|^sessions-index\.json$"
    r"|^history\.jsonl$|^logs\.json$|^checkpoint-.*\.json$"
)
# Folders of a session's folder that hold output of tools and notes.
_NO_FOLDERS = frozenset(("tool-results", "memory", "node_modules", ".git"))


# What a description says of how far its transcript has grown.
_MOVING = frozenset(
    "last_updated lastMessageDate history_length permission_cache summarization".split()
)


@dataclass(frozen=True)
class Source:
    """A configured folder: as it was written, where it is, and whether it is used.

    `scope` is `project` if only sessions whose working directory is inside the project count.
    """

    written: str
    path: Path
    scope: str = ""
    enabled: bool = True
    description: str = ""

    @property
    def is_there(self) -> bool:
        """Say whether there is such a folder that can be looked at."""
        try:
            return self.path.is_dir()
        except OSError:  # a name that is too long, a folder above that is closed
            return False


@dataclass(frozen=True)
class HostFolder:
    """Where a host keeps the sessions of all projects, below home unless a variable moves it."""

    host: str
    folder: str
    variable: str
    below: str


HOST_FOLDERS = (
    HostFolder(
        "Cortex Code", ".snowflake/cortex/conversations", "SNOWFLAKE_HOME", "cortex/conversations"
    ),
    HostFolder("Claude Code", ".claude/projects", "CLAUDE_CONFIG_DIR", "projects"),
)


def configured(root: Path) -> list[Source]:
    """Give the project's sources, in order; those of Cortex Code if it lists none.

    Raises UnreadableError, naming the place, for a list that cannot be used.
    """
    path = root / FILE
    try:
        raw = files.read(path, most=MAX_BYTES)
    except NotFoundError:
        return [_source(project.written(folder), root) for folder in host_folders(("Cortex Code",))]
    try:
        held = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{path}: {error}", hint="mend it by hand") from None
    listed = held.get("sources") if isinstance(held, dict) else held
    if not isinstance(listed, list):
        raise UnreadableError(f"{path}: no list of sources", hint='like ["~/.claude/projects"]')
    return [_of_entry(entry, root, path, number) for number, entry in enumerate(listed, 1)]


def _of_entry(entry: Any, root: Path, file: Path, number: int) -> Source:
    fields = entry if isinstance(entry, dict) else {"path": entry}
    path = fields.get("path")
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise UnreadableError(f"{file}: source {number} has no path", hint='give it a "path"')
    for key, (allowed, hint) in _FIELDS.items():
        if not allowed(fields.get(key)):
            shown = json.dumps(fields[key])[:80]
            raise UnreadableError(f"{file}: source {number} has the {key} {shown}", hint=hint)
    return _source(path, root, fields)


# What a source may hold beside its path. To take a mistaken scope for none would read the
# sessions of every project.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "scope": (lambda held: held in (None, "", PROJECT), f'it may be "{PROJECT}", or be left out'),
    "enabled": (lambda held: held in (None, True, False), "it may be true or false"),
    "description": (lambda held: held is None or isinstance(held, str), "it may be a text"),
}


def _source(path: str, root: Path, fields: Mapping[str, Any] | None = None) -> Source:
    given = fields or {}
    return Source(
        path,
        project.expand(_with_variables(path), root),
        given.get("scope") or "",
        given.get("enabled") is not False,
        given.get("description") or "",
    )


def _with_variables(text: str) -> str:
    """Give a path with the values of its variables; one that is not set stays as it is."""
    return _VARIABLE.sub(lambda found: os.environ.get(found[1] or found[2], found[0]), text)


def host_folders(hosts: Sequence[str] = ()) -> list[Path]:
    """Give where the named hosts, or all that we know, keep sessions, there or not."""
    found = []
    for each in HOST_FOLDERS:
        if not hosts or each.host in hosts:
            moved = os.environ.get(each.variable, "").split(",")
            here = Path.cwd()
            bases = [project.expand(base, here) / each.below for base in moved if base.strip()]
            found += bases or [Path.home() / each.folder]
    return found


def transcripts(source: Source) -> Iterator[Path | files.Skipped]:
    """Give every file of a source that may be a transcript, in order; links out are skipped."""
    found = files.walk(
        source.path, source.path, suffix="", enter=lambda name: name not in _NO_FOLDERS
    )
    for each in found:
        if isinstance(each, files.Skipped) or not _NO_TRANSCRIPTS.search(each.name):
            yield each


def text_of(listed: Sequence[Source]) -> str:
    """Give the file that lists these sources."""
    entries = []
    for each in listed:
        entry: dict[str, Any] = {"path": each.written}
        if each.description:
            entry["description"] = each.description
        if not each.enabled:
            entry["enabled"] = False
        if each.scope:
            entry["scope"] = each.scope
        entries.append(entry)
    return json.dumps({"sources": entries}, indent=2, ensure_ascii=False) + "\n"


def beside(path: Path) -> Path | None:
    """Give the file that describes a transcript, if such a one has any."""
    end = ".history.jsonl"
    if not path.name.endswith(end):
        return None
    return path.with_name(path.name.removesuffix(end) + ".json")


def description(path: Path) -> Mapping[str, Any]:
    """Give what the file beside a transcript says; nothing if there is none to be read."""
    other = beside(path)
    if other is None:
        return {}
    try:
        held = json.loads(files.read(other, most=MAX_BYTES).decode("utf-8-sig", "replace"))
    except (RecallError, ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def lasting(about: Mapping[str, Any]) -> str:
    """Give a hash of what a description says, apart from what each new message changes."""
    held = {key: value for key, value in about.items() if key not in _MOVING}
    return hashlib.sha256(canonical(held)).hexdigest() if held else ""
