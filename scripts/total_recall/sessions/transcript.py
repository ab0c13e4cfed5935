"""A whole session as it is shown: every turn in order, those that match marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from total_recall.masks import Masks
from total_recall.output import one_line, prefixed
from total_recall.project import shown, written
from total_recall.sessions import locators, times
from total_recall.sessions.lookup import CallRow, SessionRow, TurnRow
from total_recall.sessions.stored import text_sha

MATCH = "▶"


@dataclass(frozen=True)
class Page:
    """A session as text, and as what `--json` prints."""

    text: str
    hits: Sequence[dict[str, Any]]
    facts: dict[str, Any]


def page(
    about: SessionRow,
    root: Path,
    turns: Sequence[TurnRow],
    calls: Sequence[CallRow],
    asked: str,
    matching: set[int],
    only: TurnRow | None,
    sides: tuple[int | None, int | None],
    masks: Masks,
) -> Page:
    """Give a session, or the parts of it around the turns that match or are named.

    `asked` is the query whose turns, `matching` by key, are marked. `sides` are how many turns
    before and after each match are shown; without either, or without a match, everything is.
    """
    centres = {only.key} if only else matching
    chosen = _chosen(turns, centres, sides, is_named=only is not None)
    lines = [_head(about, root, masks)]
    if asked:
        many = len(matching)
        lines.append(f"{MATCH} {many} of {len(turns)} turns match: {one_line(masks.text(asked))}")
    hits = []
    last = -1
    for number, turn in enumerate(turns):
        if number not in chosen:
            continue
        if last >= 0 and number > last + 1:
            lines.append(f"[… {number - last - 1} turns …]")
        last = number
        text = masks.text(turn.text)
        is_damaged = text_sha(turn.text) != turn.text_sha
        lines += _turn_lines(turn, text, is_match=turn.key in matching, is_damaged=is_damaged)
        lines += _call_lines(calls, turn.seq, masks)
        hits.append(
            {
                "turn_id": f"{about.id}:{turn.native}", "seq": turn.seq, "role": turn.role,
                "kind": turn.kind, "time": turn.time, "time_quality": turn.time_quality,
                "text": text, "matches": turn.key in matching, "damaged": is_damaged,
                "abandoned": turn.abandoned, "superseded": turn.superseded,
            }
        )  # fmt: skip
    lines.append(f"cocorecall done · {len(hits)} of {len(turns)} turns")
    facts = {
        "session_id": about.id,
        "title": masks.text(about.title),
        "path": about.path,
        "source_exists": Path(about.path).is_file(),
    }
    return Page("\n".join(lines), hits, facts)


def _chosen(
    turns: Sequence[TurnRow],
    centres: set[int],
    sides: tuple[int | None, int | None],
    *,
    is_named: bool,
) -> set[int]:
    before, after = sides
    if not centres or (before is None and after is None and not is_named):
        return set(range(len(turns)))
    chosen: set[int] = set()
    for number, turn in enumerate(turns):
        if turn.key in centres:
            chosen.update(range(max(0, number - (before or 0)), number + (after or 0) + 1))
    return chosen


def _head(about: SessionRow, root: Path, masks: Masks) -> str:
    said = [f"session_id: {one_line(about.id)}"]
    if about.title:
        said.append(one_line(masks.text(about.title)))
    if about.started:
        said.append(f"{times.shown(about.started)} to {times.shown(about.ended)}")
    if about.parent:
        said.append(f"{about.relation} of {one_line(about.parent)}")
    if about.cwd:
        said.append(one_line(written(Path(about.cwd))))
    exists = "true" if Path(about.path).is_file() else "false"
    return (
        " · ".join(said)
        + f"\n  source_exists: {exists} · {one_line(shown(Path(about.path), root))}"
    )


def _turn_lines(turn: TurnRow, text: str, *, is_match: bool, is_damaged: bool) -> list[str]:
    marks = [
        turn.role if turn.kind in ("prompt", "reply") else turn.kind,
        times.shown(turn.time, turn.time_quality),
    ]
    if turn.abandoned:
        marks.append("abandoned")
    if turn.superseded:
        marks.append("no longer in the source")
    if is_damaged:
        marks.append(f"{locators.DAMAGED}: not what was said")
    sign = MATCH if is_match else " "
    return [f"{sign} {turn.seq} {one_line(turn.native)} · {' · '.join(marks)}", prefixed(text)]


def _call_lines(calls: Sequence[CallRow], seq: int, masks: Masks) -> list[str]:
    lines = []
    for call in calls:
        if call.turn == seq:
            size = f"{call.output_length:,} characters" if call.output_length else "no output"
            lines.append(f"  tool {one_line(call.name)} · {call.status} · {size}")
            lines += [
                prefixed(f"{name} {masks.text(said)}")
                for name, said in (("<", call.input), (">", call.output))
                if said
            ]
    return lines
