"""The command `realm-recall`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from total_recall import files, output, project
from total_recall.errors import NotFoundError, RecallError
from total_recall.masks import Masks
from total_recall.vault import canvas, graph, ladder, node, records, render, state
from total_recall.vault.ladder import Answer, Hit
from total_recall.vault.node import Node
from total_recall.vault.render import Extras, Page

SCHEMA = "realm-recall/1"
COMPRESSED_BUDGET = 2000
FULL_BUDGET = 8000

_root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The project's folder  [default: found upward from here]",
)


@dataclass(frozen=True)
class _Wishes:
    """What the flags ask for."""

    count: bool
    trace: bool
    full: bool
    deps: bool
    expand: str
    as_json: bool
    limit: int | None
    budget: int | None
    reveal: bool
    no_canvas: bool


class _Shown(Masks):
    """The masks of an answer of nodes."""

    def node(self, read: Node) -> Node:
        if self.reveal:
            return read
        safe, count = node.masked(read)
        self.count += count
        return safe


@click.command("realm-recall", cls=output.Command)
@click.argument("query", nargs=-1, required=True)
@click.option("--trace", is_flag=True, help="Ids and links only.")
@click.option("--full", is_flag=True, help="The whole text of each node.")
@click.option("--deps", is_flag=True, help="Also the nodes that these depend on.")
@click.option("--count", is_flag=True, help="Only how many nodes, and what each view costs.")
@click.option("--expand", metavar="ID", default="", help="Also the whole text of one node.")
@click.option("--limit", type=click.IntRange(1), help="Show at most this many nodes.")
@click.option(
    "--budget",
    type=click.IntRange(0),
    metavar="TOKENS",
    help=f"Most to print; 0 = no bound  [default: {COMPRESSED_BUDGET}, --full {FULL_BUDGET}]",
)
@click.option("--no-canvas", is_flag=True, help="Without the plan that a decision came from.")
@click.option("--reveal", is_flag=True, help="Show credentials instead of masking them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope.")
@_root_option
@output.version_option
def search(query: tuple[str, ...], root: Path | None, **wishes: Any) -> None:
    """Ask the vault: an id, a #tag, a file name, or a question in words.

    \b
      realm-recall why JWT
      realm-recall what was rejected for auth
      realm-recall '#critical-path' --count

    The first time: `realm-recall init --dir docs/adr` names the folder of notes.
    """
    text = " ".join(" ".join(query).split())
    if not text:
        raise click.UsageError("the query is blank: name an id, a #tag or a topic")
    where = state.load(root or project.find_root(Path.cwd(), state.MARKER))
    _answer(text, where, _records(where), _Wishes(**wishes))


def _records(where: state.State) -> records.Records:
    found = records.read(where)
    for fault in found.faults:
        output.warn(fault)
    if not found.nodes:
        raise NotFoundError(state.NO_NODES, fixed=True)
    nodes = graph.with_successors(found.nodes, graph.Names(found.nodes))
    return replace(found, nodes=tuple(nodes))


def _answer(text: str, where: state.State, found: records.Records, wishes: _Wishes) -> None:
    shown = _Shown(wishes.reveal)
    limit = len(found.nodes) if wishes.count else wishes.limit
    answer = ladder.climb(text, found.nodes, limit=limit)
    names = graph.Names(found.nodes)
    extras = _extras(answer, found.nodes, names, wishes, shown)
    # Only what the budget has room for is made ready to be shown.
    room = render.most_hits(_budget(wishes, FULL_BUDGET if wishes.full else COMPRESSED_BUDGET))
    hits = answer.hits if wishes.count else answer.hits[:room]
    safe = replace(
        answer,
        query=shown.text(text),
        hits=tuple(replace(hit, node=shown.node(hit.node)) for hit in hits),
    )
    if not (wishes.no_canvas or wishes.trace):
        sections, remarks = _canvases(_printed(safe, wishes), where.folder, shown)
        extras = replace(extras, sections=sections, remarks=remarks)
    if not safe.hits:
        _say_nothing(safe, found, wishes, shown)
    elif wishes.count:
        _say_count(safe, found.nodes, names, wishes, extras)
    else:
        page = _page(safe, found.nodes, names, wishes, extras)
        if wishes.as_json:
            warnings = [*found.faults, *extras.remarks, *_remarks(answer, shown)]
            _say_hits(page, safe, extras, warnings, wishes, shown)
        else:
            # A node's own text is masked whole; this reaches the ids and links of others.
            output.say(shown.text(page.text))
    for line in _remarks(answer, shown):
        output.warn(line)


def _printed(answer: Answer, wishes: _Wishes) -> Answer:
    """Give the answer as it is printed without --count, which asks for every hit."""
    if not wishes.count:
        return answer
    most = wishes.limit or ladder.most_listed(answer.query, answer.rung, answer.total)
    return replace(answer, hits=answer.hits[:most])


def _remarks(answer: Answer, shown: _Shown) -> list[str]:
    """Give what is to be said about an answer beside it."""
    many = Counter(hit.node.id for hit in answer.hits if answer.rung == ladder.BY_ID)
    lines = [f"{count} nodes have the id {each}" for each, count in many.items() if count > 1]
    return lines + shown.remarks()


def _extras(
    answer: Answer, nodes: Sequence[Node], names: graph.Names, wishes: _Wishes, shown: _Shown
) -> Extras:
    dependencies: list[Node] = []
    dead: list[str] = []
    if wishes.deps and not wishes.count:
        dependencies, dead = graph.dependencies([hit.node for hit in answer.hits], names)
    expanded = None
    if wishes.expand and not (wishes.count or wishes.trace or wishes.full):
        same = ladder.by_id(ladder.named(wishes.expand), nodes)
        if not same:
            near = ladder.suggestions(wishes.expand, nodes)
            hint = "did you mean " + " or ".join(near) if near else "see: realm-recall decisions"
            raise NotFoundError(f"no node {wishes.expand!r} to expand", hint=hint)
        expanded = shown.node(same[0])
    return Extras(tuple(shown.node(each) for each in dependencies), tuple(dead), expanded)


def _canvases(
    answer: Answer, folder: Path, shown: _Shown
) -> tuple[tuple[canvas.Section, ...], tuple[str, ...]]:
    """Give the one section of each plan that the decisions came from, and what went wrong."""
    decisions = [hit.node for hit in answer.hits if hit.node.type == "decision"]
    origins = list(dict.fromkeys(filter(None, map(canvas.origin_of, decisions))))
    name = canvas.section_for(answer.query)
    if not origins or name == canvas.NONE:
        return (), ()
    if len(origins) > canvas.MOST_CANVASES:
        return (), (f"canvas: {len(origins)} available (narrow the query)",)
    sections: list[canvas.Section] = []
    remarks: list[str] = []
    for origin in origins:
        path = f"{origin}/{canvas.FILES[name]}"
        try:
            data = files.read(files.inside(folder, path), most=records.MAX_NOTE_BYTES)
        except NotFoundError:
            remarks.append(f"canvas section not found: {path}")
        except RecallError as error:
            remarks.append(f"canvas not read: {error.message}")
        else:
            text = canvas.shown(name, shown.text(node.decoded(data)))
            sections.append(canvas.Section(name, text, origin))
    return tuple(sections), tuple(remarks)


def _page(
    answer: Answer, nodes: Sequence[Node], names: graph.Names, wishes: _Wishes, extras: Extras
) -> Page:
    if wishes.trace:
        return render.tree(answer, _budget(wishes, COMPRESSED_BUDGET), extras, nodes, names)
    if wishes.full:
        return render.full(answer, _budget(wishes, FULL_BUDGET), extras)
    return render.compressed(answer, _budget(wishes, COMPRESSED_BUDGET), extras)


def _budget(wishes: _Wishes, default: int) -> int:
    return default if wishes.budget is None else wishes.budget


def _say_nothing(answer: Answer, found: records.Records, wishes: _Wishes, shown: _Shown) -> None:
    near = shown.values(ladder.suggestions(answer.query, found.nodes))
    tags = shown.values(ladder.commonest_tags(found.nodes))
    ids = shown.values(ladder.newest_ids(found.nodes))
    if wishes.as_json:
        facts = {"did_you_mean": near, "tags": tags, "newest": ids}
        output.say_json(SCHEMA, [], total=0, cut=None, warnings=found.faults, facts=facts)
    else:
        output.say(render.nothing(answer.query, tags, ids, near))


def _say_count(
    answer: Answer, nodes: Sequence[Node], names: graph.Names, wishes: _Wishes, extras: Extras
) -> None:
    printed = _printed(answer, wishes)
    few, many = _budget(wishes, COMPRESSED_BUDGET), _budget(wishes, FULL_BUDGET)
    sizes = {
        "compressed": render.compressed(printed, few, extras).size,
        "full": render.full(printed, many, extras).size,
        "trace": render.tree(printed, few, render.NO_EXTRAS, nodes, names).size,
    }
    if wishes.as_json:
        facts = {"counts": render.counts(answer.hits), "measured": sizes}
        output.say_json(SCHEMA, [], total=answer.total, cut=None, warnings=[], facts=facts)
    else:
        output.say(render.count(answer, sizes))


def _say_hits(
    page: Page,
    answer: Answer,
    extras: Extras,
    warnings: Sequence[str],
    wishes: _Wishes,
    shown: _Shown,
) -> None:
    hits = [render.as_values(hit, whole=wishes.full) for hit in page.shown]
    facts: dict[str, Any] = {}
    if wishes.deps:
        facts["dependencies"] = [render.as_values(Hit(each)) for each in extras.dependencies]
        facts["unresolved"] = list(extras.dead_links)
    if extras.expanded:
        facts["expanded"] = render.as_values(Hit(extras.expanded), whole=True)
    if extras.sections:
        facts["canvas"] = [asdict(section) for section in extras.sections]
    left = answer.total - len(hits)
    cut = {"left": left, "hint": "a larger --budget or --limit"} if left else None
    output.say_json(
        SCHEMA,
        shown.values(hits),
        total=answer.total,
        cut=cut,
        warnings=warnings,
        facts=shown.values(facts),
    )


@click.command("realm-recall init", cls=output.Command)
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="The folder of the notes.")
@click.option("--vault", type=click.Path(path_type=Path), help="A vault of several projects.")
@click.option("--slug", default="", help="The project's name in it  [default: the root's name]")
@_root_option
@output.version_option
def init(folder: Path | None, vault: Path | None, slug: str, root: Path | None) -> None:
    """Name the folder of notes, once a project: writes .realm/realm-state.json.

    \b
      realm-recall init --dir docs/adr
      realm-recall init --vault ~/vault --slug shop      notes in ~/vault/projects/shop

    The notes themselves are never written. To search for the word: realm-recall -- init
    """
    if (folder is None) == (vault is None):
        raise click.UsageError("name the notes with either --dir DIR or --vault DIR")
    here = (root or project.repository_root(Path.cwd())).resolve()
    notes = folder or (vault or here) / "projects" / (slug or here.name)
    path = state.init(here, notes, vault=vault, slug=slug)
    many = len(_records(state.load(here)).nodes)
    output.say(f"{path}: {many} nodes in {notes}\nnext: realm-recall decisions --count")


def main(args: Sequence[str] | None = None) -> None:
    """Run `realm-recall`; `init` as the first word is the set-up, any other a query."""
    import sys

    words = list(sys.argv[1:] if args is None else args)
    if words[:1] == ["init"]:
        init.main(words[1:], prog_name="realm-recall init")
    search.main(words, prog_name="realm-recall")
