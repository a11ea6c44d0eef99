"""An endpoint in a thread, that answers as a test says: well, slowly, broken, or not at all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: given the request and how many came before it: (status, body, headers)
Behaviour = Callable[[dict[str, Any], int], tuple[int, "str | bytes", dict[str, str]]]


class JudgeServer:
    """``requests`` are the bodies that came, ``keys`` their Authorization headers."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.times: list[float] = []
        self.under_way = self.most_at_once = 0
        lock, outer = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    before = len(outer.requests)
                    outer.requests.append(body)
                    outer.keys.append(self.headers.get("Authorization"))
                    outer.times.append(time.monotonic())
                    outer.under_way += 1
                    outer.most_at_once = max(outer.most_at_once, outer.under_way)
                status, said, headers = outer.behaviour(body, before)
                with lock:
                    outer.under_way -= 1
                raw = said if isinstance(said, bytes) else said.encode()
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(raw)))
                    self.end_headers()
                    self.wfile.write(raw)
                except OSError:
                    pass  # whoever asked has gone

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def completion(content: object, finish: str = "stop") -> tuple[int, str, dict[str, str]]:
    """A chat completion with this content."""
    said = content if isinstance(content, str) or content is None else json.dumps(content)
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return 200, json.dumps({"choices": [choice], "usage": usage}), {}


def asked_about(body: dict[str, Any]) -> list[str]:
    """The criteria in the order the schema has them."""
    return list(body["response_format"]["json_schema"]["schema"]["properties"])


def well(body: dict[str, Any], before: int = 0) -> tuple[int, str, dict[str, str]]:
    """Rates each criterion with the number of geese in the question, 1 to 5."""
    return completion(dict.fromkeys(asked_about(body), geese(body)))


def geese(body: dict[str, Any]) -> int:
    return min(max(body["messages"][1]["content"].count("goose"), 1), 5)
