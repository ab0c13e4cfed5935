"""One memory as its store holds it, whatever spelling its writer used."""

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from total_recall.memory.patch import Path, Value

PROJECT = "project"
GLOBAL = "global"

# The spellings of each field that tools write, the usual one first.
_SPELLINGS = {
    "created": ("created", "created_at", "createdAt", "timestamp"),
    "updated": (
        "updated", "updated_at", "updatedAt", "timestamp", "created", "created_at", "createdAt",
    ),
    "agent": ("agent_id", "agent"),
}  # fmt: skip


@dataclass(frozen=True)
class Memory:
    """A kept fact.

    `keys` are the names that find it: its own, and its map's if that differs. `path` leads to it
    in its store's JSON, `scope` is PROJECT or GLOBAL, and `entry` is what stands there: an object,
    or the bare value.
    """

    keys: tuple[str, ...]
    entry: Value
    path: Path = ()
    scope: str = PROJECT
    fields: Mapping[str, Value] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", self.entry if isinstance(self.entry, dict) else {})

    @property
    def key(self) -> str:
        """The name that it is shown by."""
        return self.keys[0]

    @cached_property
    def value(self) -> str:
        """What is remembered; what is no text is given as JSON."""
        value = self.fields.get("value") if isinstance(self.entry, dict) else self.entry
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    @property
    def created(self) -> str:
        """When it was made, as written, "" if that is not told."""
        return self._text("created")

    @property
    def updated(self) -> str:
        """When it was last changed, as written, "" if that is not told."""
        return self._text("updated")

    @property
    def agent(self) -> str:
        """Who wrote it, "" if that is not told."""
        return self._text("agent")

    def _text(self, name: str) -> str:
        found = (self.fields.get(spelling) for spelling in _SPELLINGS[name])
        return next((text for text in found if isinstance(text, str) and text.strip()), "")


def named(key: str, memories: Iterable[Memory]) -> list[Memory]:
    """Give the memories with this very key; only blanks and how letters are composed may differ.

    >>> [memory.value for memory in named(" a", [Memory(("a",), "one"), Memory(("A",), "two")])]
    ['one']
    """
    wanted = own_form(key)
    return [each for each in memories if wanted in map(own_form, each.keys)]


def own_form(key: str) -> str:
    """Give a key as it is compared and kept: composed, with single blanks between its words.

    >>> own_form(" auth\\n flow")
    'auth flow'
    """
    return " ".join(unicodedata.normalize("NFC", key).split())
