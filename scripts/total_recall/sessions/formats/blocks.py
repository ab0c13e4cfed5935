"""The blocks of a message's content, whatever shape it has."""

import json
from typing import Any

IMAGE = "[image]"
IMAGES = frozenset(("image", "document", "input_image"))


def blocks(content: Any) -> list[dict[str, Any]]:
    """Give the blocks of a content that may be a text, a block, or a list of either.

    >>> blocks("a"), blocks(None), blocks(["a", {"type": "image"}, 1])
    ([{'type': 'text', 'text': 'a'}], [], [{'type': 'text', 'text': 'a'}, {'type': 'image'}])
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, dict):
        return [content]
    if not isinstance(content, list):
        return []
    texts = ({"type": "text", "text": item} if isinstance(item, str) else item for item in content)
    return [item for item in texts if isinstance(item, dict)]


def output(content: Any) -> str:
    """Give the text of a tool's result.

    >>> output([{"type": "text", "text": "a"}, {"type": "image", "source": {}}])
    'a\\n[image]'
    """
    if isinstance(content, str):
        return content
    parts = []
    for block in blocks(content):
        text = block.get("text")
        if isinstance(text, str):
            parts.append(text)
        elif block.get("type") in IMAGES:
            parts.append(IMAGE)
    return "\n".join(parts)


def text(value: Any) -> str:
    """Give a value that should be a text; empty if it is none."""
    return value if isinstance(value, str) else ""


def mapping(value: Any) -> dict[str, Any]:
    """Give a value that should be an object; empty if it is none."""
    return value if isinstance(value, dict) else {}


def compact(value: Any) -> str:
    """Give a tool's input as one text: a text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
