"""The Anthropic API, by its own library. The key comes from the environment alone."""

from __future__ import annotations

import os
import queue
import threading
from typing import TYPE_CHECKING, Any

from cortex_core.errors import ModelFailed
from cortex_core.model.protocol import Reply, Request, Stop, Usage
from cortex_core.text import one_line, tokens

if TYPE_CHECKING:
    import anthropic

    from cortex_core.errors import FailureCause

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""Environment variables of which one must hold a key."""

CONNECT = 5.0
"""Seconds in which a connection has to stand."""

LEAST_CACHED = 512
"""Tokens under which the API caches nothing."""

LONGEST_REASON = 200
"""Characters of what the other side says about an error."""

_STOPS: dict[str, Stop] = {
    "refusal": "refused", "max_tokens": "truncated", "model_context_window_exceeded": "truncated",
}  # fmt: skip


def has_key() -> bool:
    """Whether the environment holds a key."""
    return any(os.environ.get(name, "").strip() for name in KEYS)


class Api:
    """A model behind the Anthropic API."""

    name = "api"
    overhead = 300

    def __init__(self, model: str) -> None:
        self.model = model
        self._client: anthropic.Anthropic | None = None

    def send(self, request: Request, timeout: float) -> Reply:
        """Send `request` once and wait at most `timeout` seconds, however slowly bytes come in.

        The library's own timeout counts from one byte to the next, so the call runs in a thread
        of its own, which the deadline cuts off.

        Raises:
            ModelFailed: it says why.
        """
        client = self._connected(timeout)
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def call() -> None:
            try:
                answers.put(client.messages.create(**_arguments(request, self.model)))
            except BaseException as error:
                answers.put(error)

        threading.Thread(target=call, name="cortex-model", daemon=True).start()
        try:
            answer = answers.get(timeout=timeout)
        except queue.Empty:
            raise _too_slow(timeout) from None
        finally:
            client.close()
        if isinstance(answer, BaseException):
            raise _failed(answer, timeout) from answer
        return _reply(answer)

    def _connected(self, timeout: float) -> anthropic.Anthropic:
        if not has_key():
            raise _no_key()
        import anthropic

        key, token = (os.environ.get(name, "").strip() or None for name in KEYS)
        return anthropic.Anthropic(
            api_key=key, auth_token=None if key else token, max_retries=0,
            timeout=anthropic.Timeout(timeout, connect=min(CONNECT, timeout)),
        )  # fmt: skip


def _arguments(request: Request, model: str) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": request.system}
    if request.is_one_of_many and tokens(request.system) >= LEAST_CACHED:
        block["cache_control"] = {"type": "ephemeral", "ttl": "5m"}
    return {
        "model": model,
        "max_tokens": request.most_output,
        "system": [block],
        "messages": [{"role": "user", "content": request.text}],
        "output_config": {
            "effort": "low",
            "format": {"type": "json_schema", "schema": dict(request.schema)},
        },
    }


def _reply(message: Any) -> Reply:
    try:
        used = message.usage
        return Reply(
            text="".join(block.text for block in message.content if block.type == "text"),
            stop=_STOPS.get(str(message.stop_reason), "end"),
            usage=Usage(
                input=used.input_tokens, output=used.output_tokens,
                cache_written=used.cache_creation_input_tokens or 0,
                cache_read=used.cache_read_input_tokens or 0,
            ),
        )  # fmt: skip
    except (AttributeError, TypeError) as error:
        raise ModelFailed("its answer is not in the API's form", cause="unusable") from error


def _failed(error: BaseException, timeout: float) -> ModelFailed:
    """What an exception of the library means for us."""
    import anthropic

    if isinstance(error, anthropic.APITimeoutError):
        return _too_slow(timeout)
    if isinstance(error, anthropic.APIStatusError):
        return _refused(error)
    if isinstance(error, anthropic.APIConnectionError):
        was_sent = "Connect" not in type(error.__cause__).__name__
        told = one_line(str(error.__cause__ or error))[:LONGEST_REASON]
        return ModelFailed(
            f"the connection {'broke off' if was_sent else 'could not be made'} ({told})",
            may_repeat=True, is_free=not was_sent,
        )  # fmt: skip
    if isinstance(error, TypeError) and "auth" in str(error).lower():
        return _no_key()
    told = one_line(f"{type(error).__name__}: {error}")[:LONGEST_REASON]
    return ModelFailed(f"its answer cannot be read ({told})", cause="unusable")


def _refused(error: anthropic.APIStatusError) -> ModelFailed:
    code = error.status_code
    kind: FailureCause = "unusable" if code in (400, 413, 422) else "unavailable"
    return ModelFailed(
        f"HTTP {code}, {_told(error)}", cause=kind, too_long=code == 413, is_free=True,
        may_repeat=code in (408, 409, 429) or code >= 500, wait=_wait(error),
    )  # fmt: skip


def _told(error: anthropic.APIStatusError) -> str:
    """What the other side says, in a line, without the key in case it is repeated there."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error")
    found = inner.get("message") if isinstance(inner, dict) else None
    told = one_line(str(found or error.message))
    for name in KEYS:
        if key := os.environ.get(name, "").strip():
            told = told.replace(key, "[key]")
    return told[:LONGEST_REASON]


def _wait(error: anthropic.APIStatusError) -> float | None:
    """Seconds that the other side asks to wait."""
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _too_slow(timeout: float) -> ModelFailed:
    return ModelFailed(f"no complete answer within {timeout:.0f} s")


def _no_key() -> ModelFailed:
    return ModelFailed(f"there is no key in {' or '.join(KEYS)}", cause="not asked", is_free=True)
