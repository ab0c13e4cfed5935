"""How the index is: what it holds, how fresh it is, and what could not be read."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from total_recall import files
from total_recall.errors import RecallError
from total_recall.output import one_line
from total_recall.project import written
from total_recall.sessions import index, times, upkeep
from total_recall.sessions.sources import STATE_FOLDER, Source

AMBER_AFTER = timedelta(hours=48)  # since the last consolidation
MOST_NAMED = 10


@dataclass(frozen=True)
class Condition:
    """What there is to know of an index; times as they are stored, empty if never."""

    index: str
    sessions: int = 0
    turns: int = 0
    bytes: int = 0
    last_import: str = ""
    age_hours: float = 0.0
    not_indexed: int = 0
    unreadable: Sequence[tuple[str, str]] = ()
    bad_fragments: Sequence[tuple[str, int, int]] = ()  # file, how many, the first's byte offset
    unknown_records: dict[str, int] = field(default_factory=dict)
    last_consolidation: str = ""
    amber: bool = True


def of(root: Path, path: Path, listed: list[Source], at: datetime) -> Condition:
    """Give the condition of an index."""
    last = _last_consolidation(root)
    amber = last is None or at - last >= AMBER_AFTER or last > at
    consolidated = times.stored(last) if last else ""
    state = index.state(path)
    pending, failed = upkeep.pending(path, listed)
    unreadable = [(written(each), reason) for each, reason in failed]
    if state != index.CURRENT:
        return Condition(
            state, not_indexed=pending, unreadable=unreadable,
            last_consolidation=consolidated, amber=amber,
        )  # fmt: skip
    with index.reading(path) as db:
        imported = db.execute("SELECT coalesce(max(imported), '') FROM sources").fetchone()[0]
        errors = db.execute("SELECT path, error FROM files WHERE error <> '' ORDER BY path")
        unreadable += [(written(Path(each)), reason) for each, reason in errors]
        bad = db.execute("SELECT path, bad, faults FROM files WHERE bad > 0 ORDER BY path")
        fragments = [
            (written(Path(each)), many, json.loads(faults)[0][0] if faults != "[]" else 0)
            for each, many, faults in bad
        ]
        unknown: Counter[str] = Counter()
        for (text,) in db.execute("SELECT unknown FROM files WHERE unknown <> '{}'"):
            unknown.update(json.loads(text))
        return Condition(
            state,
            db.execute("SELECT count(*) FROM sessions").fetchone()[0],
            db.execute("SELECT count(*) FROM turns").fetchone()[0],
            path.stat().st_size,
            imported,
            max(0.0, (at - times.moment(imported)) / timedelta(hours=1)) if imported else 0.0,
            pending,
            unreadable,
            fragments,
            dict(sorted(unknown.items(), key=lambda each: (-each[1], each[0]))),
            consolidated,
            amber,
        )


def _last_consolidation(root: Path) -> datetime | None:
    """Give the time in `.last-consolidation`: epoch milliseconds or ISO; None if there is none."""
    try:
        held = files.read(root / STATE_FOLDER / ".last-consolidation", most=1024)
    except RecallError:
        return None
    stored, _ = times.utc(held.decode("utf-8", "replace").strip(), UTC)
    return times.moment(stored) if stored else None


def lines(found: Condition) -> list[str]:
    """Give a condition as it is printed."""
    said = [
        f"sessions: {found.sessions:,} indexed, {found.turns:,} turns, {found.bytes / 1e6:.1f} MB"
        if found.index == index.CURRENT
        else f"index: {found.index}, make it with: cocorecall import",
    ]
    if found.last_import:
        said.append(f"last import: {found.last_import[:16]}Z, {found.age_hours:.1f}h ago")
    if found.not_indexed:
        files_ = "file" if found.not_indexed == 1 else "files"
        said.append(
            f"not indexed: {found.not_indexed} new or changed {files_}, run: cocorecall import"
        )
    else:
        said.append("not indexed: none")
    said += [f"unreadable: {one_line(path)}: {one_line(why)}" for path, why in found.unreadable]
    for path, many, offset in found.bad_fragments[:MOST_NAMED]:
        parts = "part" if many == 1 else "parts"
        said.append(
            f"bad: {one_line(path)}: {many} unreadable {parts}, the first at byte {offset:,}"
        )
    if len(found.bad_fragments) > MOST_NAMED:
        said.append(f"bad: {len(found.bad_fragments) - MOST_NAMED} more files")
    if found.unknown_records:
        named = [f"{one_line(kind)} {many}" for kind, many in found.unknown_records.items()]
        said.append(f"unknown records: {', '.join(named[:MOST_NAMED])}")
    consolidated = found.last_consolidation[:16] + "Z" if found.last_consolidation else "never"
    said.append(f"last consolidation: {consolidated}{' · amber' if found.amber else ''}")
    return said
