"""On the PYTHONPATH of every command that a test runs: no command opens a socket."""

import socket
from typing import Any


class NoSocket(socket.socket):
    """A socket that nobody can open; libraries may still derive theirs from it."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")


if __name__ == "sitecustomize":
    socket.socket = NoSocket  # type: ignore[misc]
