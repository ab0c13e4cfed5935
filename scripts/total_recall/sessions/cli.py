"""The command `cocorecall`."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from total_recall import clock, files, output, project
from total_recall.errors import NotFoundError
from total_recall.masks import Masks

if TYPE_CHECKING:
    import sqlite3

    from total_recall.sessions.importer import Candidate

SCHEMA = "cocorecall/1"
BUDGET, LIMIT = 1000, 20  # as in answer.py, which takes longer to load than --help to print
NOT_INITIALIZED = "CocoPlus is not initialized. Run `$pod init` first."
STATE_FOLDER = ".cocoplus"
_root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The project's folder  [default: found upward from here]",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope.")
_reveal_option = click.option(
    "--reveal", is_flag=True, help="Show credentials instead of masking them."
)


@click.group("cocorecall", cls=output.Group)
@output.version_option
def main() -> None:
    """Search past agent sessions, and get the turns word for word with citations.

    \b
      cocorecall init            once a project: where its sessions are
      cocorecall import          read what is new
      cocorecall search refresh token
      cocorecall show 3f2a9c1e
    """


def _root(given: Path | None) -> Path:
    """Give the project's root; raises NotFoundError, in the skill's words, if there is none."""
    root = project.find_root(given or Path.cwd(), STATE_FOLDER)
    if not (root / STATE_FOLDER).is_dir():
        raise NotFoundError(NOT_INITIALIZED, hint="without CocoPlus: cocorecall init", fixed=True)
    return root


# search


@main.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--all", "everything", is_flag=True, help="Every matching turn of every session.")
@click.option("--session", default="", metavar="ID", help="Only in this session, every turn.")
@click.option("--function", default="", metavar="NAME", help="Sessions that touched a function.")
@click.option("--outcome-type", default="", metavar="TYPE", help="Sessions with such an outcome.")
@click.option("--since", default="", metavar="TIME", help="Sessions from then on: 7d, 2026-05-01.")
@click.option("--role", type=click.Choice(["user", "assistant", "summary", "system"]), default=None)
@click.option("--limit", type=click.IntRange(1), help=f"Most hits  [default: {LIMIT}]")
@click.option(
    "--context", type=click.IntRange(0), default=0, metavar="N", help="Turns around each hit."
)
@click.option(
    "--budget",
    type=click.IntRange(0),
    metavar="TOKENS",
    help=f"Most to print; 0 = no bound  [default: {BUDGET}]",
)
@click.option("--full-turn", is_flag=True, help="Whole turns instead of excerpts.")
@click.option("--explain", is_flag=True, help="The three numbers behind each place.")
@_reveal_option
@_json_option
@_root_option
def search(
    query: tuple[str, ...],
    session: str,
    function: str,
    outcome_type: str,
    since: str,
    role: str | None,
    root: Path | None,
    *,
    as_json: bool,
    **wishes: Any,
) -> None:
    """Find turns by their words: the best one of each session, verbatim, with its citation.

    \b
      cocorecall search refresh token
      cocorecall search '"refresh token" expiry' --since 30d
      cocorecall search load_orders --all
    """
    from total_recall.sessions import index, when
    from total_recall.sessions.answer import Wishes, answer, note
    from total_recall.sessions.search import Filters

    text = " ".join(query)
    if not text.strip():
        raise click.UsageError("the query is blank: give some words")
    folder = _root(root)
    at = clock.now()
    moment = when.since(since, at, clock.LOCAL) if since else ""
    path = index.path_in(folder)
    with index.reading(path) as db:
        whole = _whole_session(db, session) if session else ""
        filters = Filters(whole, function, outcome_type, moment, role or "")
        everything = wishes.pop("everything") or bool(session)
        found = answer(db, folder, text, filters, Wishes(everything, **wishes), at)
    if as_json:
        remarks = [*found.remarks, *note(path, text, found, at)]
        output.say_json(
            SCHEMA,
            found.hits,
            total=found.total,
            cut=found.cut,
            warnings=remarks,
            facts=found.facts,
        )
        return
    output.say(found.page)
    for remark in [*found.remarks, *note(path, text, found, at)]:
        output.warn(remark)


def _whole_session(db: "sqlite3.Connection", start: str) -> str:
    from total_recall.sessions.lookup import session_named

    return session_named(db, start).id


# init, import, sources, status


@main.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@_root_option
def init(root: Path | None, *, dry_run: bool) -> None:
    """Make `.cocoplus/` here, and list the session folders that are on this machine."""
    from total_recall.sessions import sources, upkeep

    folder = (root or project.repository_root(Path.cwd())).resolve()
    listing = folder / sources.FILE
    found = [
        sources.Source(project.written(each), each, sources.PROJECT)
        for each in sources.host_folders()
        if each.is_dir()
    ]
    if listing.exists():
        output.say(f"{sources.FILE} is there and stays as it is")
    else:
        for each in found:
            output.say(f"source: {output.one_line(each.written)} (sessions of this project only)")
        if not found:
            output.say("no session folders found; name one with: cocorecall sources add PATH")
    if dry_run:
        return
    upkeep.ignore(folder)
    if not listing.exists():
        files.replace(listing, sources.text_of(found).encode(), mode=files.PUBLIC_FILE)
        output.say(f"wrote {sources.FILE}; it can be committed, next: cocorecall import")


@main.command("import")
@click.option("--since", default="", metavar="TIME", help="Sessions that started then or later.")
@click.option("--rebuild", is_flag=True, help="Read everything anew into a new index.")
@click.option("--dry-run", is_flag=True, help="Only say how many files would be read.")
@_root_option
def import_sessions(since: str, root: Path | None, *, rebuild: bool, dry_run: bool) -> None:
    """Read what is new in the sources into the index.

    \b
      cocorecall import
      cocorecall import --since 2026-05-01
    """
    from total_recall.sessions import index, sources, upkeep, when

    folder = _root(root)
    at = clock.now()
    moment = when.since(since, at, clock.LOCAL) if since else ""
    listed = sources.configured(folder)
    path = index.path_in(folder)
    if dry_run:
        many, failed = upkeep.pending(path, listed)
        output.say(f"{many} {'file' if many == 1 else 'files'} would be read")
        _warn_of(failed)
        return
    if not any(each.enabled for each in listed):
        output.warn("no sources; name a folder with: cocorecall sources add PATH")
    for each in listed:
        if each.enabled and not each.is_there:
            output.warn(f"source {each.written} is not there")

    def shown(found: "Sequence[Candidate]") -> "Callable[[Candidate], None]":
        advance = bars.enter_context(output.progress("import", sum(one.size for one in found)))
        return lambda one: advance(one.size)

    from contextlib import ExitStack

    with ExitStack() as bars:
        counts, remark = upkeep.refresh(
            folder, listed, since=moment, rebuild=rebuild, zone=clock.LOCAL, at=at, progress=shown
        )
    output.say(
        f"sessions: {counts.new} new, {counts.updated} updated, {counts.unchanged} unchanged,"
        f" {counts.skipped} skipped, {len(counts.failed)} failed"
    )
    output.say(f"turns: {counts.turns} written")
    if remark:
        output.warn(remark)
    _warn_of(counts.failed)


def _warn_of(failed: "Sequence[tuple[Path, str]]") -> None:
    from total_recall.project import written

    for path, reason in failed:
        output.warn(f"not read: {written(path)}: {reason}")


@main.group("sources", cls=output.Group, invoke_without_command=True)
@_root_option
@click.pass_context
def list_sources(context: click.Context, root: Path | None) -> None:
    """List the folders that sessions are read from, with what is indexed of each."""
    context.obj = root
    if context.invoked_subcommand is None:
        _list_sources(_root(root))


def _list_sources(folder: Path) -> None:
    from total_recall.sessions import index, sources

    listed = sources.configured(folder)
    counts: dict[str, tuple[int, str]] = {}
    path = index.path_in(folder)
    if index.state(path) == index.CURRENT:
        with index.reading(path) as db:
            rows = db.execute(
                "SELECT files.source, count(DISTINCT sessions.key), coalesce(sources.imported, '')"
                " FROM files LEFT JOIN sessions ON sessions.source_path = files.path"
                " LEFT JOIN sources ON sources.path = files.source GROUP BY files.source"
            )
            counts = {source: (many, last) for source, many, last in rows}
    for each in listed:
        many, last = counts.get(each.written, (0, ""))
        said = [f"{many} {'session' if many == 1 else 'sessions'} indexed"]
        said.append(f"last import {last[:16]}Z" if last else "never imported")
        if each.scope:
            said.append(f"only of this {each.scope}")
        if not each.enabled:
            said.append("disabled")
        elif not each.is_there:
            said.append("not there")
        elif next(sources.transcripts(each), None) is None:
            said.append("empty")
        output.say(f"{output.one_line(each.written)}: {', '.join(said)}")
    if not listed:
        output.say("no sources")
    known = {each.path for each in listed}
    for each_folder in sources.host_folders():
        if each_folder.is_dir() and each_folder not in known:
            name = project.written(each_folder)
            output.say(f"not a source: {name}  (cocorecall sources add {output.quoted(name)})")


@list_sources.command("add")
@click.argument("path")
@click.option("--all-projects", is_flag=True, help="Also sessions of other projects.")
@_root_option
@click.pass_obj
def add_source(above: Path | None, path: str, root: Path | None, *, all_projects: bool) -> None:
    """Read sessions from one more folder."""
    from total_recall.sessions import sources

    folder = _root(root or above)
    whole = project.expand(path, Path.cwd())
    if not whole.is_dir():
        raise NotFoundError(f"{path} is no folder", hint="name a folder that holds sessions")
    listed = _listed(folder)
    scope = "" if all_projects or whole not in sources.host_folders() else sources.PROJECT
    if any(each.path == whole for each in listed):
        output.say(f"{output.one_line(path)} is a source already")
        return
    listed.append(sources.Source(project.shown(whole, folder), whole, scope))
    files.replace(folder / sources.FILE, sources.text_of(listed).encode(), mode=files.PUBLIC_FILE)
    output.say(f"added {output.one_line(listed[-1].written)}; next: cocorecall import")


@list_sources.command("remove")
@click.argument("path")
@_root_option
@click.pass_obj
def remove_source(above: Path | None, path: str, root: Path | None) -> None:
    """Read no more sessions from a folder; what was indexed of it stays."""
    from total_recall.sessions import sources

    folder = _root(root or above)
    listed = _listed(folder)
    whole = project.expand(path, Path.cwd())
    left = [each for each in listed if path != each.written and each.path != whole]
    if len(left) == len(listed):
        raise NotFoundError(f"{path} is no source", hint="see: cocorecall sources")
    files.replace(folder / sources.FILE, sources.text_of(left).encode(), mode=files.PUBLIC_FILE)
    output.say(f"removed {output.one_line(path)}; what was indexed of it stays")


def _listed(folder: Path) -> list[Any]:
    from total_recall.sessions import sources

    return sources.configured(folder) if (folder / sources.FILE).exists() else []


@main.command()
@_json_option
@_root_option
def status(root: Path | None, *, as_json: bool) -> None:
    """Say what is indexed, how fresh it is, and what could not be read."""
    from total_recall.sessions import condition, index, sources

    folder = _root(root)
    listed = sources.configured(folder)
    path = index.path_in(folder)
    found = condition.of(folder, path, listed, clock.now())
    if as_json:
        output.say_json(SCHEMA, [], total=0, cut=None, warnings=[], facts=asdict(found))
        return
    for line in condition.lines(found):
        output.say(line)


# show


@main.command()
@click.argument("session")
@click.option("--query", default="", help="Highlight the turns with these words.")
@click.option("--turn", default="", metavar="ID", help="Only this turn, and the lines around it.")
@click.option("-A", "--after", type=click.IntRange(0), metavar="N", help="Turns after a match.")
@click.option("-B", "--before", type=click.IntRange(0), metavar="N", help="Turns before a match.")
@click.option("-C", "--context", type=click.IntRange(0), metavar="N", help="Turns on both sides.")
@click.option("--tools", is_flag=True, help="Also what tools were given and gave.")
@_reveal_option
@_json_option
@_root_option
def show(
    session: str,
    query: str,
    turn: str,
    after: int | None,
    before: int | None,
    context: int | None,
    root: Path | None,
    *,
    tools: bool,
    reveal: bool,
    as_json: bool,
) -> None:
    """Show a session turn by turn; the start of its id is enough."""
    from total_recall.sessions import index, lookup, transcript
    from total_recall.sessions import search as search_

    folder = _root(root)
    with index.reading(index.path_in(folder)) as db:
        about = lookup.session_named(db, session)
        turns = lookup.turns_of(db, about.key)
        asked = query or lookup.last_query(db, about.id)
        matching = search_.turns_matching(db, asked, about.key)
        calls = lookup.calls_of(db, about.key) if tools else []
        only = lookup.turn_named(turns, about.id, turn) if turn else None
    masks = Masks(reveal)
    sides = (
        context if before is None else before,
        context if after is None else after,
    )
    page = transcript.page(about, folder, turns, calls, asked, matching, only, sides, masks)
    if as_json:
        output.say_json(
            SCHEMA,
            page.hits,
            total=len(turns),
            cut=None,
            warnings=masks.remarks(),
            facts=page.facts,
        )
        return
    output.say(page.text)
    for remark in masks.remarks():
        output.warn(remark)
