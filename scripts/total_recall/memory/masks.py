"""What of memories may be printed, told also by what their keys say of the values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from total_recall import output, secrets
from total_recall.masks import Masks
from total_recall.memory import render
from total_recall.memory.entry import Memory
from total_recall.memory.render import Shown

SCHEMA = "nemp-recall/1"


@dataclass
class MemoryMasks(Masks):
    """The masks of an answer of memories; `whole` says that values are shown to their end."""

    whole: bool = False

    def memory(self, memory: Memory) -> tuple[Memory, int]:
        """Give a memory as it may be shown, and how many masks of its value will be seen."""
        hidden = secrets.Masked("", 0) if self.reveal else masked_value(memory.key, memory.value)
        if not hidden.count:
            return memory, 0
        safe = replace(memory, entry={**memory.fields, "value": hidden.text})
        seen = self.whole or render.preview(memory.value) != render.preview(hidden.text)
        return safe, hidden.count if seen else 0

    def say_json(
        self,
        shown: Sequence[Shown],
        *,
        total: int,
        cut: Mapping[str, Any] | None,
        warnings: Sequence[str],
        facts: Mapping[str, Any],
    ) -> None:
        """Print an answer as JSON, with what is to be said of its masks."""
        hits = self.values([render.as_values(each) for each in shown])
        safe = self.values(dict(facts))
        told = [*warnings, *self.remarks()]
        output.say_json(SCHEMA, hits, total=total, cut=cut, warnings=told, facts=safe)


def masked_value(key: str, value: str) -> secrets.Masked:
    """Give a value without credentials; it is one also by what its key says: `db-password`."""
    hidden = secrets.mask(value)
    start = f'{key}: "'
    both = secrets.mask(f'{start}{value}"')
    if hidden.count or not both.count or not both.text.startswith(start):
        return hidden
    return secrets.Masked(both.text.removeprefix(start).removesuffix('"'), both.count)
