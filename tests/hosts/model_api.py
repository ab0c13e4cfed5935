"""A stand-in for the model's API: scripted replies on a loopback port, every request kept."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Json = dict[str, Any]

USAGE = {"input_tokens": 1, "output_tokens": 1}


@dataclass(frozen=True)
class Bash:
    """A reply that asks the client to run a shell command."""

    command: str


Reply = str | Bash


@dataclass(frozen=True)
class Request:
    """One request as it came in; a body that is not JSON is an empty one."""

    path: str
    body: Json

    def is_message(self) -> bool:
        """Tell whether a message is asked for, and not, say, the count of its tokens."""
        return self.path.partition("?")[0].endswith("/messages")

    def is_turn(self) -> bool:
        """Tell whether it is a turn of the agent.

        A request that offers no tools is a side job of the client, such as finding a title.
        """
        return self.is_message() and bool(self.body.get("tools"))


class ModelApi(ThreadingHTTPServer):
    """The server: answers the agent's turns by the script, then with "done"."""

    # Closing the server waits for the last answer, so that no socket outlives its test.
    daemon_threads = False

    def __init__(self, *script: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[Request] = []
        self.script = iter(script)
        self.one_at_a_time = Lock()

    def turns(self) -> list[Json]:
        """Give what the client sent for each turn of its agent, oldest first."""
        return [request.body for request in self.requests if request.is_turn()]

    def reply(self, request: Request) -> Json:
        """Keep the request and give the message that answers it."""
        with self.one_at_a_time:
            self.requests.append(request)
            reply = next(self.script, "done") if request.is_turn() else "done"
            return message(reply, len(self.requests))


@contextmanager
def model_api(*script: Reply) -> Iterator[ModelApi]:
    """Serve the script on a free loopback port while the block runs."""
    with ModelApi(*script) as api:
        thread = Thread(target=api.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield api
        finally:
            api.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    """Answers one request; the connection closes after it, as HTTP/1.0 has it."""

    server: ModelApi

    def do_POST(self) -> None:
        request = Request(self.path, self.body())
        message = self.server.reply(request)
        if not request.is_message():
            # The only other answer that a client reads is its count of tokens.
            self.send("application/json", json.dumps({"input_tokens": 1}))
        elif request.body.get("stream"):
            self.send("text/event-stream", "".join(map(event_text, events(message))))
        else:
            self.send("application/json", json.dumps(message))

    def do_GET(self) -> None:
        self.do_POST()

    def do_HEAD(self) -> None:
        self.do_POST()

    def body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def send(self, content_type: str, text: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base's name)
        """Stay silent: the tests' output is about the tests."""


def message(reply: Reply, number: int) -> Json:
    """Give the reply as a message in the API's shape, with ids of its own.

    A client takes a second tool use under the same id for the first one.
    """
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [block(reply, number)],
        "stop_reason": "end_turn" if isinstance(reply, str) else "tool_use",
        "stop_sequence": None,
        "usage": USAGE,
    }


def block(reply: Reply, number: int) -> Json:
    """Give the reply as the one content block of its message."""
    if isinstance(reply, str):
        return {"type": "text", "text": reply}
    used = {"command": reply.command, "description": "Scripted by the test"}
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": used}


def events(message: Json) -> Iterator[Json]:
    """Give the message as the events of a stream: an empty block, what fills it, the stop."""
    (whole,) = message["content"]
    if whole["type"] == "text":
        empty = whole | {"text": ""}
        delta = {"type": "text_delta", "text": whole["text"]}
    else:
        empty = whole | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(whole["input"])}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": stop, "usage": message["usage"]}
    yield {"type": "message_stop"}


def event_text(event: Json) -> str:
    """Give the event as a server sends it.

    >>> event_text({"type": "message_stop"})
    'event: message_stop\\ndata: {"type": "message_stop"}\\n\\n'
    """
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
