"""The ways to reach a language model: the Anthropic API, and an agent's command without a session.

The API's key comes from the environment alone.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import threading
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cortex_core import agents
from cortex_core.base import child_processes, hook_io
from cortex_core.base.errors import ModelFailed
from cortex_core.base.json_objects import mapping
from cortex_core.base.text import one_line, tokens
from cortex_core.llm.protocol import ModelRequest, Transport
from cortex_core.records.model_replies import Reply, Stop, Usage

if TYPE_CHECKING:
    import anthropic

    from cortex_core.base.errors import FailureCause

HEADLESS = ("claude", "codex")
"""The agents whose command can be asked, the first choice first."""

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""Environment variables that may hold a key."""

CONNECT = 5.0
"""Most seconds until a connection is made."""

LEAST_CACHED = 512
"""Fewest tokens of a text that the API caches."""

LONGEST_REASON = 200
"""Most characters of an error message from the provider."""

_STOPS: dict[str, Stop] = {
    "refusal": "refused",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
}


_MEANINGS = {
    401: "the service does not accept the key",
    404: "the service does not know the model",
    413: "the request is too long for the service",
    429: "the service takes no more requests for now",
    529: "the service is overloaded",
}
"""What the codes of the service mean that a user can do something about, or wait for."""


def missing(name: str) -> str:
    """What there is not, in words, that the extractor `name` needs; empty if it can be used."""
    if name != "api":
        command = agents.of(name).headless.COMMAND
        return "" if shutil.which(command) else f"there is no {command} command on PATH"
    if not any(os.environ.get(variable, "").strip() for variable in KEYS):
        return f"there is no key in {' or '.join(KEYS)}"
    if find_spec("anthropic") is None:
        return "the package anthropic is missing, which the extra api brings (docs/installing.md)"
    return ""


def connect(wanted: str, model: str, home: str) -> Transport:
    """The transport of the extractor `wanted`; of `auto` the first that can be used.

    Args:
        model: the setting `model.name`.
        home: the folder of the global side.

    Raises:
        ModelFailed: it cannot be used; it says what is missing.
    """
    names = ("api", *HEADLESS) if wanted == "auto" else (wanted,)
    lacks = [missing(name) for name in names]
    if all(lacks):
        raise ModelFailed(", and ".join(lacks), cause="not asked", is_free=True)
    name = names[lacks.index("")]
    return ApiTransport(model) if name == "api" else HeadlessTransport(name, model, home)


def route(wanted: str) -> str:
    """How what is sent reaches the model of the extractor `wanted`, and who gets it, in words."""
    if wanted == "auto":
        return ", otherwise ".join(map(route, ("api", *HEADLESS)))
    if wanted == "api":
        return "to the Anthropic API with the key in your environment"
    client = agents.of(wanted).headless
    return f"through your own {client.COMMAND} command to {client.PROVIDER}"


class ApiTransport:
    """A model that is asked through the Anthropic API."""

    name = "api"
    overhead = 300

    def __init__(self, model: str) -> None:
        self.model = model

    def send(self, request: ModelRequest, timeout: float) -> Reply:
        """Send `request` once and wait at most `timeout` seconds, however slowly bytes come in.

        The library's own timeout counts from one byte to the next, so the call runs in a thread
        of its own that is abandoned after `timeout`.

        Raises:
            ModelFailed: it says why.
        """
        if problem := missing(self.name):
            raise ModelFailed(problem, cause="not asked", is_free=True)
        import anthropic

        key, token = (os.environ.get(name, "").strip() or None for name in KEYS)
        client = anthropic.Anthropic(
            api_key=key,
            auth_token=None if key else token,
            max_retries=0,
            timeout=anthropic.Timeout(timeout, connect=min(CONNECT, timeout)),
        )
        block: dict[str, Any] = {"type": "text", "text": request.system}
        if request.is_one_of_many and tokens(request.system) >= LEAST_CACHED:
            block["cache_control"] = {"type": "ephemeral", "ttl": "5m"}
        form = {"type": "json_schema", "schema": dict(request.schema)}
        arguments: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.most_output,
            "system": [block],
            "messages": [{"role": "user", "content": request.text}],
            "output_config": {"effort": "low", "format": form},
        }
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def call() -> None:
            try:
                answers.put(client.messages.create(**arguments))
            except BaseException as error:
                # It is raised by whoever waits; a thread of its own would only print it.
                answers.put(error)

        threading.Thread(target=call, name="cortex-model", daemon=True).start()
        try:
            answer = answers.get(timeout=timeout)
        except queue.Empty:
            raise _too_slow(timeout) from None
        finally:
            client.close()
        if isinstance(answer, BaseException):
            raise _api_failure(answer, timeout) from answer
        return _api_reply(answer)


def _api_reply(message: Any) -> Reply:
    try:  # a gateway may answer in another form than the types promise
        used = message.usage
        return Reply(
            text="".join(block.text for block in message.content if block.type == "text"),
            stop=_STOPS.get(str(message.stop_reason), "end"),
            usage=Usage(
                input=used.input_tokens,
                output=used.output_tokens,
                cache_written=used.cache_creation_input_tokens or 0,
                cache_read=used.cache_read_input_tokens or 0,
            ),
        )
    except (AttributeError, TypeError) as error:
        raise ModelFailed("its answer is not in the API's form", cause="unusable") from error


def _api_failure(error: BaseException, timeout: float) -> ModelFailed:
    """The failure that an exception of the library means."""
    import anthropic

    if isinstance(error, anthropic.APITimeoutError):
        return _too_slow(timeout)
    if isinstance(error, anthropic.APIStatusError):
        # What the provider refuses as it stands is refused again; the rest passes.
        code = error.status_code
        kind: FailureCause = "unusable" if code in (400, 413, 422) else "unavailable"
        meaning = _MEANINGS.get(code, "the service answered with an error")
        return ModelFailed(
            f"{meaning} (HTTP {code}, {_status_message(error)})",
            cause=kind,
            is_free=True,
            may_repeat=code in (408, 409, 429) or code >= 500,
            wait=_wait(error),
        )
    if isinstance(error, anthropic.APIConnectionError):
        was_sent = "Connect" not in type(error.__cause__).__name__
        message = one_line(str(error.__cause__ or error))[:LONGEST_REASON]
        return ModelFailed(
            f"the connection {'broke off' if was_sent else 'could not be made'} ({message})",
            may_repeat=True,
            is_free=not was_sent,
        )
    message = one_line(f"{type(error).__name__}: {error}")[:LONGEST_REASON]
    return ModelFailed(f"its answer cannot be read ({message})", cause="unusable")


def _status_message(error: anthropic.APIStatusError) -> str:
    """The provider's message on one line; the key is replaced, in case it is repeated there."""
    stated = mapping(mapping(error.body).get("error")).get("message")
    message = one_line(str(stated or error.message))
    for name in KEYS:
        if key := os.environ.get(name, "").strip():
            message = message.replace(key, "[key]")
    return message[:LONGEST_REASON]


def _wait(error: anthropic.APIStatusError) -> float | None:
    """Seconds that the provider asks to wait; None if it does not."""
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _too_slow(timeout: float) -> ModelFailed:
    return ModelFailed(f"there was no complete answer within {timeout:.0f} s")


FOLDER = "headless"
"""The empty folder on the global side where it runs: no project's instructions are read there."""

GRACE = 2.0
"""Seconds between asking the process to stop and killing it."""


class HeadlessTransport:
    """A model that is asked through an agent's command."""

    def __init__(self, name: str, model: str, home: str) -> None:
        """A model behind the command of the agent `name`.

        Args:
            model: the setting `model.name`.
            home: the folder of the global side.
        """
        self._client = agents.of(name).headless
        self.name = name
        self.model = self._client.model(model)
        self.overhead = self._client.OVERHEAD
        self._folder = Path(home, FOLDER)

    def send(self, request: ModelRequest, timeout: float) -> Reply:
        """Run the command once and wait at most `timeout` seconds; no process is left running.

        Raises:
            ModelFailed: it says why.
        """
        command = shutil.which(self._client.COMMAND)
        if command is None:
            raise ModelFailed(missing(self.name), cause="not asked", is_free=True)
        with TemporaryDirectory(prefix="cortex-") as scratch:
            try:
                hook_io.private_folder(str(self._folder))
                line = self._client.command_line(
                    command, self.model, request.system, request.schema, Path(scratch)
                )
                # A session of its own makes a process group, so that all it starts can be ended.
                process = subprocess.Popen(
                    line,
                    cwd=self._folder,
                    env=self._client.environment(request.most_output),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                raise ModelFailed(
                    f"{command} cannot be run ({error.strerror})", cause="not asked", is_free=True
                ) from error
            with process:
                try:
                    out, errors = process.communicate(request.text.encode(), timeout)
                except subprocess.TimeoutExpired:
                    raise _too_slow(timeout) from None
                finally:
                    child_processes.end(process, GRACE)
        return self._client.reply(out, errors, process.returncode)
