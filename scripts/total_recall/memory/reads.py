"""Reads of memories: logged, counted, and what they make of a memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from total_recall import files, project
from total_recall.errors import RecallError
from total_recall.memory import audit, change, patch, store, vitality
from total_recall.memory.entry import PROJECT, Memory
from total_recall.memory.patch import Value
from total_recall.memory.store import Store


def active_goals(start: Path) -> frozenset[str]:
    """Give the goals that are active in the project or everywhere; a broken file counts as none."""
    found: frozenset[str] = frozenset()
    for folder in dict.fromkeys([folder_of(start), Path.home() / store.FOLDER]):
        try:
            data = files.read(folder / "cortex.json", most=store.MAX_BYTES)
            found |= vitality.active_goal_ids(store.parsed(data, folder)[0])
        except RecallError:
            continue
    return found


def after_read(memory: Memory, at: datetime, goals: frozenset[str]) -> Memory:
    """Give a memory as it will be once this read is counted."""
    return replace(memory, entry=vitality.after_read(entry_of(memory), at, goals))


def entry_of(memory: Memory) -> Mapping[str, Value]:
    """Give a memory's entry; a bare value becomes the object that its counters need."""
    return memory.fields if isinstance(memory.entry, dict) else {"value": memory.entry}


def log(
    folder: Path, memories: Sequence[Memory], query: str, agent: str, at: datetime
) -> list[str]:
    """Append a line for each memory that is shown; gives a remark if that cannot be done."""
    if not memories:
        return []
    lines = [audit.line(at, each.key, agent, query, each.scope) for each in memories]
    try:
        files.append(folder / "access.log", audit.data(lines))
    except (RecallError, OSError) as error:
        return [f"read not logged: {told(error)}"]
    return []


def count(
    stores: Sequence[Store], memories: Sequence[Memory], at: datetime, goals: frozenset[str]
) -> list[str]:
    """Count a read of each memory in its store; the answer stands if that cannot be done."""
    remarks: list[str] = []
    for each in stores:
        keys = {memory.keys for memory in memories if memory.scope == each.place.scope}

        def counted(
            value: Value, each: Store = each, keys: set[tuple[str, ...]] = keys
        ) -> dict[patch.Path, Value]:
            changes: dict[patch.Path, Value] = {}
            is_same = value is each.value
            held = each.memories if is_same else store.memories_in(value, each.place.scope)[0]
            for memory in held:
                if memory.keys in keys:
                    after = vitality.after_read(entry_of(memory), at, goals)
                    changes |= patch.differences(memory.entry, after, memory.path)
            return changes

        try:
            if keys:
                change.change(each.place, counted, at, known=each)
        except RecallError as error:
            remarks.append(f"read not counted: {told(error)}")
    return remarks


def folder_of(start: Path) -> Path:
    """Give the `.nemp` folder of the project if there is one, else the global one."""
    home = Path.home().resolve()
    held = store.places(start, home)
    if held and held[0].scope == PROJECT:
        return held[0].path.parent
    folders = (each / store.FOLDER for each in project.folders_upward(start) if each != home)
    return next(filter(_is_folder, folders), home / store.FOLDER)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def told(error: Exception) -> str:
    """Give an error and its next step on one line."""
    if isinstance(error, RecallError):
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return getattr(error, "strerror", None) or str(error)
