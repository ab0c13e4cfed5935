"""The records of a vault, and what in it could not be read."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from total_recall import files
from total_recall.errors import RecallError
from total_recall.vault import node
from total_recall.vault.node import Node
from total_recall.vault.state import State

MAX_NOTE_BYTES = 1 << 20  # the longest record met has 120 KB
# A folder named like a record is one, whatever else lies in it.
_NUMBERED_FOLDER = re.compile(r"(?:^|/)(?:[a-z]+-)?\d[^/]*$", re.IGNORECASE)
_DRAFTS = "manifest-draft.md"


@dataclass(frozen=True)
class Records:
    """Nodes in path order, and one line for each file that was skipped or had to be repaired."""

    nodes: tuple[Node, ...]
    faults: tuple[str, ...]


def read(state: State) -> Records:
    """Give every record below a project's folder; links are followed inside the fence only."""
    sources: list[tuple[str, bytes]] = []
    faults: list[str] = []
    top = state.folder.resolve()
    for found in files.walk(state.folder, state.fence, suffix=".md", enter=_is_entered):
        if isinstance(found, files.Skipped):
            faults.append(f"{_shown(found.path, top)}: skipped, {found.reason}")
            continue
        if found.name == _DRAFTS:
            continue
        path = _shown(found, top)
        try:
            source = files.read(found, most=MAX_NOTE_BYTES)
        except RecallError as error:
            reason = error.message.removeprefix(f"{found}: ")
            faults.append(f"{path}: skipped, {reason}")
            continue
        if problem := _unusable(source):
            faults.append(f"{path}: skipped, {problem}")
        else:
            sources.append((path, source))
    in_folder = Counter(path.rpartition("/")[0] for path, _ in sources)
    nodes = []
    for path, source in sources:
        above = path.rpartition("/")[0]
        alone = in_folder[above] == 1 or _NUMBERED_FOLDER.search(above) is not None
        read_node = node.read(path, source, home=top.name, alone=alone)
        if read_node.fault:
            faults.append(f"{path}: {read_node.fault}")
        if node.is_record(read_node):
            stale = not state.stale.isdisjoint((read_node.id, path))
            nodes.append(replace(read_node, stale=True) if stale else read_node)
    return Records(tuple(nodes), tuple(faults))


def _is_entered(name: str) -> bool:
    return not name.startswith(".") and name != "_templates"


def _unusable(source: bytes) -> str:
    if not source:
        return "empty"
    return "binary (NUL bytes)" if b"\0" in source else ""


def _shown(path: Path, top: Path) -> str:
    """Give a path as it is named: below the project's folder, else whole (reached by a link)."""
    return path.as_posix().removeprefix(f"{top.as_posix().rstrip('/')}/")
