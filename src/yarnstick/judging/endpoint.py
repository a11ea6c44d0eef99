"""Any endpoint that speaks OpenAI's chat completions, over plain HTTP.

What may pass (a busy server, a broken connection, nonsense instead of JSON) is tried again, each time after a longer
wait; what will not pass (a wrong key, an unknown model) ends the run at once.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from yarnstick.errors import InputError
from yarnstick.judging.designs import Messages
from yarnstick.judging.form import Form
from yarnstick.judging.models import CallFailedError, JudgeGoneError, JudgeRefusedError, Reply
from yarnstick.version import __version__

STRUCTURED = ("schema", "object", "none")
#: where the key is looked for; not the key of any provider, so that none is sent where it does not belong
KEY_VARIABLE = "YARNSTICK_API_KEY"

_LONGEST_WAIT = 60.0
_LARGEST_REPLY = 4_000_000
_REFUSALS = {
    401: "check the key: it is read from the environment variable {key_env}",
    403: "check the key: it is read from the environment variable {key_env}",
    404: "check --endpoint (it usually ends in /v1) and --model",
}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected question would carry the key to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Endpoint:
    """A model behind an address. ``structured`` is how it is held to JSON, ``body`` more fields of the request."""

    url: str
    model: str
    temperature: float = 0.0
    max_tokens: int = 1024
    structured: str = "schema"
    body: Mapping[str, Any] = field(default_factory=dict)
    key_env: str = ""
    timeout: float = 120.0
    retries: int = 5
    backoff: float = 1.0
    at_once: int = 8
    _stopping: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(
                f"{self.url!r} is no address of an endpoint", remedy="for example http://localhost:8000/v1"
            )
        if parts.username or parts.password or parts.query:
            raise InputError(
                "the address of the endpoint holds a user, a password or a query, which would be logged",
                remedy="put the key into an environment variable and name it with --key-env",
            )
        if self.structured not in STRUCTURED:
            raise InputError(
                f"unknown way {self.structured!r} to ask for JSON", remedy=f"one of {', '.join(STRUCTURED)}"
            )
        if self.key_env and not os.environ.get(self.key_env):
            raise InputError(f"the environment variable {self.key_env} is not set", remedy="put the key into it")

    @property
    def name(self) -> str:
        """What ratings call it."""
        return self.model

    @property
    def identity(self) -> dict[str, Any]:
        """The address and all that is sent besides the conversation."""
        return {"url": self._address, "structured": self.structured, **self._settings}

    def stop(self) -> None:
        """Wait no longer before a next try."""
        self._stopping.set()

    def ask(self, messages: Messages, form: Form, draw: int) -> Reply:
        """Send the conversation, and again where that may help."""
        request = {**self._settings, "messages": messages, **self._format(form)}
        for name in [name for name, value in request.items() if value is None]:
            del request[name]
        payload = json.dumps(request).encode()
        tries = self.retries + 1
        for attempt in range(1, tries + 1):
            try:
                return self._once(payload)
            except _PassingError as problem:
                if attempt == tries or self._stopping.wait(self._delay(attempt, problem.wait)):
                    counted = "one try" if attempt == 1 else f"{attempt} tries"
                    raise JudgeGoneError(f"{self._address} {problem} ({counted})", remedy=_LATER) from None
        raise AssertionError("the last try returns or raises")

    @property
    def _address(self) -> str:
        address = self.url.rstrip("/")
        return address if address.endswith("/chat/completions") else f"{address}/chat/completions"

    @property
    def _settings(self) -> dict[str, Any]:
        return {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens, **self.body}

    def _format(self, form: Form) -> dict[str, Any]:
        if self.structured == "none" or "response_format" in self.body:
            return {}
        if self.structured == "object":
            return {"response_format": {"type": "json_object"}}
        schema = {"name": "ratings", "strict": True, "schema": form.schema()}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def _delay(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return min(asked, _LONGEST_WAIT)
        # Spread out, so that questions that were refused together do not come back together.
        return min(self.backoff * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25), _LONGEST_WAIT)

    def _once(self, payload: bytes) -> Reply:
        headers = {"Content-Type": "application/json", "User-Agent": f"yarnstick/{__version__}"}
        key = os.environ.get(self.key_env or KEY_VARIABLE, "")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._address, payload, headers)
        try:
            with _OPENER.open(request, timeout=self.timeout) as response:
                raw = self._read(response)
        except urllib.error.HTTPError as error:
            raise self._refusal(error, key) from None
        except TimeoutError:
            raise _PassingError(f"no answer within {self.timeout:g} s") from None
        except urllib.error.URLError as error:
            timed_out = isinstance(error.reason, TimeoutError)
            says = f"no answer within {self.timeout:g} s" if timed_out else f"cannot be reached: {error.reason}"
            raise _PassingError(_one_line(says, key)) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _PassingError(_one_line(f"the connection broke: {type(error).__name__} {error}", key)) from None
        return _reply(raw, key)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        # A timeout of the socket begins anew with every byte: a server that drips would hold the run for ever.
        parts, size, end = list[bytes](), 0, time.monotonic() + self.timeout
        while part := response.read1(65_536):
            parts.append(part)
            size += len(part)
            if size > _LARGEST_REPLY:
                raise _PassingError("answers with more than 4 MB")
            if time.monotonic() > end:
                raise TimeoutError
        return b"".join(parts)

    def _refusal(self, error: urllib.error.HTTPError, key: str) -> Exception:
        with error:
            try:
                said = _one_line(_told(error.read(20_000)), key)
            except (OSError, http.client.HTTPException):
                said = ""
        what = f"answers {error.code}{f': {said}' if said else ''}"
        if error.code in (408, 409, 425, 429) or error.code >= 500:
            return _PassingError(what, _retry_after(error.headers.get("Retry-After")))
        if 300 <= error.code < 400:
            return JudgeRefusedError(f"{self._address} {what}", remedy="give the address it redirects to")
        if error.code in _REFUSALS:
            remedy = _REFUSALS[error.code].format(key_env=self.key_env or KEY_VARIABLE)
            return JudgeRefusedError(f"{self._address} {what}", remedy=remedy)
        if "response_format" in said or "json_schema" in said:
            return JudgeRefusedError(
                f"{self._address} {what}", remedy="this endpoint needs --structured object or --structured none"
            )
        return CallFailedError(f"{self._address} {what}", remedy="--body changes fields of the request")


_LATER = "run the same command again later: answers are kept"
_OPENER = urllib.request.build_opener(_NoRedirects)


class _PassingError(Exception):
    """A failure that another try may not meet; ``wait`` seconds where the server said how long."""

    def __init__(self, says: str, wait: float | None = None) -> None:
        super().__init__(says)
        self.wait = wait


def _reply(raw: bytes, key: str) -> Reply:
    try:
        given = json.loads(raw)
        choice = given["choices"][0]
        said = choice["message"].get("content")
        usage = given.get("usage") or {}
        counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise _PassingError(f"answers what is no chat completion: {_one_line(_told(raw), key)!r}") from None
    if isinstance(said, list):  # some servers answer in parts
        said = "".join(str(part.get("text", "")) for part in said if isinstance(part, dict))
    return Reply(str(said or ""), counts[0], counts[1], choice.get("finish_reason") == "length")


def _told(raw: bytes) -> str:
    """The message of an error's body, whichever of the usual shapes it has."""
    text = raw.decode("utf-8", "replace")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for name in ("error", "message", "detail"):
        if isinstance(given, dict) and name in given:
            given = given[name]
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _one_line(text: str, key: str) -> str:
    """Cut to a line, and the key taken out: some servers say it back."""
    clean = " ".join((text.replace(key, "[key]") if key else text).split())
    return clean if len(clean) <= 200 else f"{clean[:199]}…"


def _retry_after(value: str | None) -> float | None:
    if not value:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError):
        return None
