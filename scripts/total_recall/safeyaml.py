"""YAML that anyone may have written, followed only as far as is safe."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 16  # real blocks nest three or four deep
MAX_EVENTS = 10_000


class FaultyYamlError(ValueError):
    """Where a text stops being YAML that we follow, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason

    @classmethod
    def at(cls, item: "yaml.Event | yaml.Node", reason: str) -> "FaultyYamlError":
        """Give the fault of an event or a node, which know their place."""
        return cls(item.start_mark.line + 1 if item.start_mark else 1, reason)


def events(text: str) -> "Iterator[yaml.Event]":
    """Give the events of a YAML text one by one, so that a bomb costs what was read of it.

    Raises FaultyYamlError for what is not YAML, nests too deeply, holds too many values or has
    aliases. The caller bounds the text.
    """
    import yaml

    depth = 0
    try:
        for number, event in enumerate(yaml.parse(text, Loader=_loader())):
            if number > MAX_EVENTS:
                raise FaultyYamlError.at(event, f"over {MAX_EVENTS:,} values")
            if isinstance(event, yaml.AliasEvent):
                raise FaultyYamlError.at(event, "aliases are not followed")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise FaultyYamlError.at(event, f"nested over {MAX_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            yield event
    except FaultyYamlError:
        raise
    except _errors() as error:
        raise _told(error, text) from None


def composed(text: str) -> "yaml.Node | None":
    """Give the nodes of a YAML text, which know their lines; None for a text that says nothing.

    Raises FaultyYamlError as `events` does, for over 64 KB, and for more than one document.
    """
    import yaml

    if len(text) > MAX_CHARACTERS:
        reason = f"over {MAX_CHARACTERS // 1024} KB"
        raise FaultyYamlError(text.count("\n", 0, MAX_CHARACTERS) + 1, reason)
    for _ in events(text):
        pass
    try:
        return yaml.compose(text, Loader=_loader())
    except _errors() as error:
        raise _told(error, text) from None


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@cache
def _errors() -> tuple[type[Exception], ...]:
    import yaml

    # Beside its own errors, the scanner lets these through on odd escapes and indents.
    return (yaml.YAMLError, ValueError, IndexError, KeyError, AttributeError, OverflowError)


def _told(error: Exception, text: str) -> FaultyYamlError:
    from yaml.reader import Reader

    if mark := getattr(error, "problem_mark", None):
        return FaultyYamlError(mark.line + 1, str(getattr(error, "problem", error)))
    # The two loaders count differently where a character is not allowed; they agree on which.
    unwanted = Reader.NON_PRINTABLE.search(text)
    line = text.count("\n", 0, unwanted.start()) + 1 if unwanted else 1
    return FaultyYamlError(line, str(error).splitlines()[0])
