"""The command `nemp-recall`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from total_recall import clock, dates, files, output, secrets
from total_recall.errors import NotFoundError, RecallError, RefusedError
from total_recall.memory import change, kept, patch, reads, render, store, vitality
from total_recall.memory.entry import GLOBAL, PROJECT, Memory, named, own_form
from total_recall.memory.masks import MemoryMasks, masked_value
from total_recall.memory.patch import Value
from total_recall.memory.render import Shown
from total_recall.memory.store import Place, Store

if TYPE_CHECKING:
    from total_recall.memory.synonyms import Synonyms

BUDGET = 2000
LIMIT = 10
AGENT = "main"
_KEY, _RELATED = "key", "related"  # phases, as in search, which takes long to load

_root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The project's folder  [default: the working directory]",
)
_scope_option = click.option(
    "--scope", type=click.Choice([PROJECT, GLOBAL, "all"]), default="all", show_default=True
)
_budget_option = click.option(
    "--budget",
    type=click.IntRange(0),
    default=BUDGET,
    metavar="TOKENS",
    help=f"Most to print; 0 = no bound  [default: {BUDGET}]",
)
_agent_option = click.option(
    "--agent",
    envvar="CLAUDE_AGENT_NAME",
    default=AGENT,
    callback=lambda _context, _option, name: name if name.strip() else AGENT,
    help=f"Who asks  [default: $CLAUDE_AGENT_NAME, else {AGENT}]",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope.")
_reveal_option = click.option(
    "--reveal", is_flag=True, help="Show credentials instead of masking them."
)


@dataclass(frozen=True)
class _Wishes:
    """What the flags ask for."""

    limit: int
    budget: int
    related: bool
    explain: bool
    no_track: bool
    reveal: bool
    agent: str
    as_json: bool


@click.command("nemp-recall", cls=output.Command)
@click.argument("query", nargs=-1, required=True)
@_scope_option
@click.option("--limit", type=click.IntRange(1), default=LIMIT, show_default=True)
@_budget_option
@click.option("--related", is_flag=True, help="Also what only names a thing of the topic.")
@click.option("--explain", is_flag=True, help="Say how each memory was found.")
@click.option("--no-track", is_flag=True, help="Log the read, but do not count it.")
@_reveal_option
@_agent_option
@_json_option
@_root_option
@output.version_option
def recall(query: tuple[str, ...], root: Path | None, scope: str, **wishes: Any) -> None:
    """Recall a saved fact: by its exact key, or by words.

    \b
      nemp-recall auth-flow
      nemp-recall how does auth work
      nemp-recall save test-runner 'We use pytest.'
      nemp-recall list | forget KEY | vitality KEY

    To search for one of these four words: nemp-recall -- list
    """
    text = " ".join(" ".join(query).split())
    if not text:
        raise click.UsageError("the query is blank: name a key or some words")
    start = root or Path.cwd()
    stores, faults = _read(_places(start, scope))
    hits = _hits(text, _memories(stores), start, faults, related=wishes["related"])
    for fault in faults:
        output.warn(fault)
    _answer(text, start, stores, hits, faults, _Wishes(**wishes))


def _places(start: Path, scope: str) -> list[Place]:
    return [each for each in store.places(start, Path.home()) if scope in (each.scope, "all")]


def _read(places: Sequence[Place]) -> tuple[list[Store], list[str]]:
    """Give the healthy stores, and what is wrong with the others; raises if none is healthy."""
    stores: list[Store] = []
    faults: list[str] = []
    errors: list[RecallError] = []
    for place in places:
        try:
            stores.append(store.read(place))
        except RecallError as error:
            errors.append(error)
            faults.append(reads.told(error))
        else:
            faults += stores[-1].faults
    if errors and not stores:
        for fault in faults[1:]:
            output.warn(fault)
        raise errors[0]
    return stores, faults


def _memories(stores: Sequence[Store]) -> list[Memory]:
    return [memory for each in stores for memory in each.memories]


@dataclass(frozen=True)
class _Hit:
    """A memory that was found, the phase that found it, what of the query it has, and as what."""

    memory: Memory
    phase: str
    asked: tuple[str, ...]
    found: tuple[str, ...]


def _hits(
    text: str, memories: Sequence[Memory], start: Path, faults: list[str], *, related: bool
) -> list[_Hit]:
    """Give the memories that answer a query, best first."""
    held = named(text, memories)
    if held and not related:
        own = [memory for memory in held if memory.scope == PROJECT]
        return [_Hit(memory, _KEY, (text,), (text,)) for memory in own or held]
    # To compare words takes longer to load than all of the above takes to run.
    from total_recall.memory import search

    answer = search.search(text, memories, _synonyms(start, faults), related=related)
    return [
        _Hit(
            hit.memory,
            hit.phase,
            tuple(match.term for match in hit.matches),
            tuple(render.matched(match) for match in hit.matches),
        )
        for hit in answer.hits
    ]


def _synonyms(start: Path, faults: list[str]) -> "Synonyms":
    """Give the packaged synonyms with the project's own; a bad file is reported and ignored."""
    from total_recall.memory import synonyms
    from total_recall.safeyaml import FaultyYamlError

    packaged = synonyms.packaged()
    path = reads.folder_of(start) / "synonyms.yaml"
    try:
        text = files.read(path, most=synonyms.MOST_BYTES).decode("utf-8", "replace")
        return synonyms.merged(packaged, synonyms.parse(text))
    except NotFoundError:
        return packaged
    except (RecallError, FaultyYamlError) as error:
        faults.append(f"{path}: {reads.told(error).removeprefix(f'{path}: ')}; ignored")
        return packaged


def _answer(
    text: str,
    start: Path,
    stores: Sequence[Store],
    hits: Sequence[_Hit],
    faults: Sequence[str],
    wishes: _Wishes,
) -> None:
    at = clock.now()
    goals = reads.active_goals(start)
    masks = MemoryMasks(wishes.reveal, whole=wishes.as_json or len(hits) == 1)
    ready: list[Shown] = []
    masked: list[int] = []
    for hit in hits[: wishes.limit]:
        after = hit.memory if wishes.no_track else reads.after_read(hit.memory, at, goals)
        memory, many = masks.memory(after)
        # What a credential was found by is a part of it.
        found = hit.asked if memory is not after else hit.found
        why = render.explained(hit.phase, found) if wishes.explain else ""
        ready.append(Shown(memory, hit.phase, why))
        masked.append(many)
    # What only belongs to the topic may be no answer: a key may have been typed wrong.
    is_named = any(hit.phase != _RELATED for hit in hits)
    near = [] if is_named else _near(text, _memories(stores))
    if not hits:
        page, count = render.nothing(masks.text(text), near), 0
    elif len(hits) == 1:
        page, count = render.record(ready[0], wishes.budget), 1
    else:
        page, count = render.found(masks.text(text), ready, len(hits), wishes.budget)
    masks.count += sum(masked[:count])
    counted = [hit.memory for hit in hits[:count]]
    remarks = reads.log(reads.folder_of(start), counted, text, wishes.agent, at)
    if wishes.as_json:
        # The envelope holds every remark, so all that may fail comes first.
        remarks += [] if wishes.no_track else reads.count(stores, counted, at, goals)
        left = len(hits) - count
        masks.say_json(
            ready[:count],
            total=len(hits),
            cut={"left": left, "hint": "a larger --limit or --budget"} if left else None,
            warnings=[*faults, *remarks],
            facts={} if is_named else {"did_you_mean": near},
        )
    else:
        output.say(masks.text(page))
        remarks += [] if wishes.no_track else reads.count(stores, counted, at, goals)
    hints = [f"did you mean: {' | '.join(near)}"] if near and hits else []
    for remark in [*remarks, *masks.remarks(), *hints]:
        output.warn(remark)


def _near(text: str, memories: Sequence[Memory]) -> list[str]:
    from total_recall.memory import search

    return search.near_keys(text, memories)


@click.command("nemp-recall save", cls=output.Command)
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@click.option("--type", "kind", type=click.Choice(sorted(kept.DECAY)), help="[default: inferred]")
@click.option("--global", "is_global", is_flag=True, help="For all projects.")
@click.option("--allow-secret", is_flag=True, help="Keep a value that looks like a credential.")
@_agent_option
@_root_option
@output.version_option
def save(
    key: str,
    value: tuple[str, ...],
    kind: str | None,
    is_global: bool,
    allow_secret: bool,
    agent: str,
    root: Path | None,
) -> None:
    """Keep a fact under a key, or change the one that is kept there.

    \b
      nemp-recall save test-runner 'We use pytest.'
    """
    name = own_form(key)
    text = value[0] if len(value) == 1 else " ".join(value)
    if not name or not text.strip():
        raise click.UsageError("a memory needs a key and a value")
    if not allow_secret and (secrets.mask(name).count or masked_value(name, text).count):
        raise RefusedError(
            "that looks like a credential, and what is recalled goes to a model's provider",
            hint="keep it elsewhere, or add --allow-secret",
        )
    start = (root or Path.cwd()).resolve()
    at = clock.now()
    place = _place(start, is_global=is_global)
    owner = None if place.scope == GLOBAL else str(place.path.parent.parent)
    was_there = False

    def with_memory(held: Value) -> dict[patch.Path, Value]:
        nonlocal was_there
        same = named(name, store.memories_in(held, place.scope)[0])
        was_there = bool(same)
        if not same:
            fresh = kept.new(
                name,
                text,
                kind=kind or kept.type_of(name, text),
                agent=agent,
                project=owner,
                at=at,
            )
            added: dict[patch.Path, Value] = {store.path_for_new(held, name): fresh}
            return added | store.tally(held, dates.stamp(at))
        entry = kept.updated(reads.entry_of(same[0]), text, kind=kind or "", agent=agent, at=at)
        return patch.differences(same[0].entry, entry, same[0].path)

    change.change(place, with_memory, at)
    done = "Updated" if was_there else "Saved"
    _say(f"{done} [{output.one_line(name)}] in {render.SOURCES[place.scope]}")


def _say(text: str) -> None:
    output.say(secrets.mask(text).text)


def _place(start: Path, *, is_global: bool) -> Place:
    home = Path.home()
    if is_global:
        return Place(GLOBAL, home / store.FOLDER / store.STORE)
    return store.place_for_new(start, home)


@click.command("nemp-recall list", cls=output.Command)
@_scope_option
@_budget_option
@_reveal_option
@_json_option
@_root_option
@output.version_option
def list_all(scope: str, budget: int, reveal: bool, as_json: bool, root: Path | None) -> None:
    """List every memory in a line; to look through them is not to read them."""
    stores, faults = _read(_places(root or Path.cwd(), scope))
    for fault in faults:
        output.warn(fault)
    masks = MemoryMasks(reveal, whole=as_json)
    ready = [masks.memory(each) for each in _memories(stores)]
    page, count = render.listing([memory for memory, _ in ready], budget)
    masks.count += sum(many for _, many in ready[:count])
    if as_json:
        left = len(ready) - count
        masks.say_json(
            [Shown(memory) for memory, _ in ready[:count]],
            total=len(ready),
            cut={"left": left, "hint": "a larger --budget"} if left else None,
            warnings=faults,
            facts={},
        )
    else:
        output.say(masks.text(page))
    for remark in masks.remarks():
        output.warn(remark)


@click.command("nemp-recall forget", cls=output.Command)
@click.argument("key")
@click.option("--project", "is_project", is_flag=True, help="The project's, if both have the key.")
@click.option("--global", "is_global", is_flag=True, help="The global one, if both have the key.")
@_root_option
@output.version_option
def forget(key: str, is_project: bool, is_global: bool, root: Path | None) -> None:
    """Move a memory to the archive beside its store; nothing is deleted."""
    if is_project and is_global:
        raise click.UsageError("choose --project or --global")
    scope = PROJECT if is_project else GLOBAL if is_global else "all"
    stores, faults = _read(_places(root or Path.cwd(), scope))
    for fault in faults:
        output.warn(fault)
    holding = {each.place: held for each in stores if (held := named(key, each.memories))}
    if not holding:
        raise _unknown(key, _memories(stores))
    if len(holding) > 1:
        raise RefusedError(f"both stores have {own_form(key)!r}", hint="add --project or --global")
    ((place, held),) = holding.items()
    at = clock.now()
    archive = Place(place.scope, place.path.resolve().with_name("archive.json"))

    def keep(memory: Memory) -> None:
        entry = {"key": memory.key, **reads.entry_of(memory), "archived_at": dates.stamp(at)}
        change.change(archive, lambda old: _archived(old, entry), at)

    if not change.remove(place, held[0].key, at, keep):
        raise _unknown(key, [])
    _say(
        f"Forgot [{output.one_line(held[0].key)}] in {render.SOURCES[place.scope]};"
        f" kept in {archive.path.name} beside it"
    )
    if len(held) > 1:
        output.warn(f"{len(held) - 1} more of that key in this store; forget it again to go on")


def _archived(held: Value, entry: Value) -> dict[patch.Path, Value]:
    before = held.get("archived") if isinstance(held, dict) else None
    if isinstance(before, list):
        return {("archived", len(before)): entry}
    if before is None and isinstance(held, dict):
        return {("archived",): [entry]}
    raise RefusedError("archive.json is no archive", hint="move it away; nothing was forgotten")


def _unknown(key: str, memories: Sequence[Memory]) -> NotFoundError:
    name = own_form(key)
    near = _near(name, memories)
    hint = "did you mean " + " or ".join(near) if near else "see: nemp-recall list"
    return NotFoundError(f"no memory {name!r}", hint=hint)


@click.command("nemp-recall vitality", cls=output.Command)
@click.argument("key")
@_root_option
@output.version_option
def explain_vitality(key: str, root: Path | None) -> None:
    """Tell a memory's score term by term; nothing is counted."""
    start = root or Path.cwd()
    stores, faults = _read(_places(start, "all"))
    for fault in faults:
        output.warn(fault)
    held = named(key, _memories(stores))
    if not held:
        raise _unknown(key, _memories(stores))
    parts = vitality.parts(reads.entry_of(held[0]), clock.now(), reads.active_goals(start))
    _say(render.explained_vitality(held[0], parts))


_COMMANDS: Mapping[str, Callable[..., Any]] = {
    "save": save.main,
    "list": list_all.main,
    "forget": forget.main,
    "vitality": explain_vitality.main,
}


def main(args: Sequence[str] | None = None) -> None:
    """Run `nemp-recall`; `save`, `list`, `forget` and `vitality` as the first word are commands."""
    import sys

    words = list(sys.argv[1:] if args is None else args)
    if words and words[0] in _COMMANDS:
        _COMMANDS[words[0]](words[1:], prog_name=f"nemp-recall {words[0]}")
    recall.main(words, prog_name="nemp-recall")
