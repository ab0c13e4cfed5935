"""Answers out: text and `--json`, exit codes, and text from elsewhere made harmless to show."""

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from total_recall import __version__, secrets
from total_recall.errors import RecallError

# Control characters, and the invisible ones that reorder or hide what stands around them.
_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_INVISIBLE = re.compile(f"[{_CONTROLS}]")
_INVISIBLE_OR_BREAK = re.compile(f"[\t\n{_CONTROLS}]")
_LINE_ENDS = re.compile("\r\n?")


def visible(text: str) -> str:
    """Give the text with every control and bidirectional character spelled out; lines stay.

    >>> visible("a\\x1b[31mb\\u202ec\\r\\nd")
    'a\\\\x1b[31mb\\\\u202ec\\nd'
    """
    return _INVISIBLE.sub(_spelled, _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """Give the text as one line: line breaks and tabs are spelled out too.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    return _INVISIBLE_OR_BREAK.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def prefixed(text: str) -> str:
    """Give text from elsewhere with `| ` before every line, so that no line passes for ours.

    >>> print(prefixed("one\\n\\ntwo"))
    | one
    |
    | two
    """
    return "\n".join(f"| {line}".rstrip() for line in visible(text).split("\n"))


def quoted(words: str) -> str:
    """Give words as one shell argument.

    >>> print(quoted("why JWT"), quoted("auth"), quoted("#auth"), quoted("it's"))
    'why JWT' auth '#auth' 'it'"'"'s'
    """
    import shlex

    return shlex.quote(words)


def say(text: str) -> None:
    """Print a part of the answer."""
    click.echo(text)


def warn(text: str) -> None:
    """Print one line about the answer."""
    click.echo(one_line(secrets.mask(text).text), err=True)


def say_json(
    schema: str,
    hits: Sequence[Mapping[str, Any]],
    *,
    total: int,
    cut: Mapping[str, Any] | None,
    warnings: Sequence[str],
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Print an answer in the envelope that every command shares.

    `cut` says what was left out of the answer and how to get it, None if nothing was; `facts`
    are what only this kind of answer has.
    """
    envelope = {
        "schema": schema,
        "hits": hits,
        "shown": len(hits),
        "total": total,
        "cut": cut,
        "warnings": [secrets.mask(warning).text for warning in warnings],
        **(facts or {}),
    }
    _echo_json(envelope)


def _echo_json(value: Mapping[str, Any]) -> None:
    import json  # most answers are text

    click.echo(json.dumps(value, indent=1))


class _Manner(click.Command):
    """The one manner of every command: exit 0 answered, 1 a problem to fix, 2 usage."""

    def main(  # type: ignore[override]  # click's own has modes that nobody here asks for
        self, args: Sequence[str] | None = None, **extra: Any
    ) -> NoReturn:
        """Run the command and leave with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        for stream in (sys.stdout, sys.stderr):
            # A query may hold bytes that are no text; showing it must not fail.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        code = 0
        try:
            code = self._run(words, **extra)
        except BrokenPipeError:
            # The reader has seen enough; at exit Python would complain about the closed pipe.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in (sys.stdout, sys.stderr):
                os.dup2(nowhere, stream.fileno())
        except SystemExit:
            # Click met the closed pipe, and has silenced both streams.
            pass
        sys.exit(code)

    def _run(self, words: list[str], **extra: Any) -> int:
        as_json = "--json" in words
        try:
            super().main(words, standalone_mode=False, **extra)
        except click.UsageError as error:
            if as_json:
                self._say_error_json("usage", error.format_message(), "")
            else:
                shown = io.StringIO()
                error.show(shown)
                click.echo(visible(shown.getvalue()), nl=False, err=True)
            return 2
        except click.Abort:
            return 130
        except RecallError as error:
            self._show_error(error, as_json=as_json)
            return 1
        return 0

    def _show_error(self, error: RecallError, *, as_json: bool) -> None:
        if as_json:
            self._say_error_json(error.code, error.message, error.hint)
        elif error.fixed:
            say(error.message)
            if error.hint:
                warn(f"hint: {error.hint}")
        else:
            warn(f"{self.name}: {error.message}" + (f" ({error.hint})" if error.hint else ""))

    def _say_error_json(self, code: str, message: str, hint: str) -> None:
        facts = {
            "code": code,
            "message": secrets.mask(message).text,
            "hint": secrets.mask(hint).text,
        }
        _echo_json({"schema": f"{self.name}/1", "error": facts})


class Command(_Manner):
    """A command in the one manner."""


class Group(_Manner, click.Group):
    """A command with subcommands, in the one manner."""


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how far long work is, with its rate and the time that remains.

    What is given is told the size of each step, of `total` in all. Elsewhere than on a
    terminal nothing is shown.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda size: bar.advance(task, size)


version_option = click.version_option(__version__, message="%(prog)s %(version)s")
