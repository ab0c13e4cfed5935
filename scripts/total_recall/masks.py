"""What of an answer may be printed: its credentials are masked, unless they are asked for."""

from dataclasses import dataclass
from typing import Any

from total_recall import secrets


@dataclass
class Masks:
    """The masks of one answer; `count` is how many of them the reader will see.

    Whole texts are masked before anything is cut from them.
    """

    reveal: bool
    count: int = 0

    def text(self, text: str) -> str:
        """Give a text without its credentials."""
        if self.reveal:
            return text
        hidden = secrets.mask(text)
        self.count += hidden.count
        return hidden.text

    def values(self, value: Any) -> Any:
        """Give a JSON value with every text in it masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.values(inner) for key, inner in value.items()}
        return [self.values(inner) for inner in value] if isinstance(value, list) else value

    def remarks(self) -> list[str]:
        """Give what is to be said of the masks beside the answer.

        >>> Masks(reveal=False, count=2).remarks()
        ['2 credentials masked (--reveal shows them)']
        """
        if self.count == 1:
            return ["1 credential masked (--reveal shows it)"]
        return [f"{self.count} credentials masked (--reveal shows them)"] if self.count else []
