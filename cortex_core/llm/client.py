"""Asking the chosen model: within the deadline, under the cap, repeated where that helps.

Which language model is in force, if any: the user's choice, and what can carry it out.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cortex_core.base.config import Config
from cortex_core.base.errors import ModelFailed
from cortex_core.base.text import clean, tokens
from cortex_core.llm import prompts, protocol, transports
from cortex_core.llm.protocol import Reply, Request, Spending, Transport, Usage

REPEATS = 2
"""How often a request is sent again within its deadline."""

FIRST_WAIT = 0.5
"""Seconds before the first repetition, where the other side names none; doubled for the next."""

REST = 60.0
"""Seconds for which a model that did not answer is left alone."""

MARGIN = 1.3
"""How far the count of a prompt may lie above our estimate."""

LONGEST_DESCRIPTION = 1_200
"""Characters of a file's description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What several calls came to."""

    tokens: int = 0
    cost: float = 0.0
    """US dollars."""


class Model:
    """A language model that the user has chosen."""

    def __init__(
        self,
        transport: Transport,
        spending: Spending,
        project: str,
        deadline: float,
        redact: Callable[[str], str],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """A model behind `transport`.

        Args:
            project: whose calls these are.
            deadline: seconds a question may take in all.
            redact: takes secrets and private text out of whatever is sent.
        """
        self.spending = spending
        self.deadline = deadline
        self._transport = transport
        self._project = project
        self._redact = redact
        self._sleep = sleep
        self._spent = Spent()
        self._rest: tuple[float, ModelFailed] | None = None

    @property
    def name(self) -> str:
        """What the ledger calls it: `api` or `claude`."""
        return self._transport.name

    @property
    def rule(self) -> str:
        """What a memory that it wrote has as its rule: `model:NAME@PROMPT`."""
        return f"model:{self._transport.model}@{prompts.VERSION}"

    @property
    def spent(self) -> Spent:
        """What all calls came to so far, failed ones included."""
        return self._spent

    def ask(self, request: Request) -> Mapping[str, Any]:
        """The JSON object that the model answers `request` with.

        Raises:
            ModelFailed: there is none; it says why.
        """
        self._let_rest()
        request = replace(request, text=self._redact(request.text))
        end = time.monotonic() + self.deadline
        for repeat in range(REPEATS + 1):
            try:
                return _parsed(self._send(request, end - time.monotonic()))
            except ModelFailed as failure:
                pause = FIRST_WAIT * 2**repeat if failure.wait is None else failure.wait
                is_hopeless = not failure.may_repeat or repeat == REPEATS
                if is_hopeless or time.monotonic() + pause + 1 > end:
                    self._note(failure)
                    raise
            self._sleep(pause)
        raise AssertionError("unreachable")

    def describe_code(self, outline: str, path: str) -> str:
        """A few sentences on what the file `path` is for.

        Args:
            outline: its names, signatures, docstrings and comments; code itself is never sent.

        Raises:
            ModelFailed: there is no description; it says why.
        """
        if not outline:
            raise ModelFailed(
                f"{path} has no names or comments to describe it by", cause="unusable", is_free=True
            )
        answer = self.ask(
            Request(
                purpose="describe", system=prompts.DESCRIBE, text=f"Path: {path}\n\n{outline}",
                schema=prompts.describe_schema(), most_output=1_024,
            )
        )  # fmt: skip
        found = answer.get("description")
        if not isinstance(found, str) or not found.strip():
            raise ModelFailed("its answer contains no description", cause="unusable")
        return clean(found).strip()[:LONGEST_DESCRIPTION]

    def _send(self, request: Request, timeout: float) -> Reply:
        """One call, entered in the record before and after."""
        name = self._transport.model
        most = protocol.cost(name, self._most(request))
        number = self.spending.reserve(
            self._project, request.purpose, self.name, name, most
        )  # fmt: skip
        started = time.monotonic()
        try:
            reply = self._transport.send(request, max(timeout, 0.1))
        except ModelFailed as failure:
            cost = 0.0 if failure.is_free else None
            took = time.monotonic() - started
            self.spending.settle(number, Usage(), cost, took, failure.reason)
            self._add(0, most if cost is None else cost)
            raise
        cost = protocol.cost(name, reply.usage) if reply.cost is None else reply.cost
        error = "" if reply.stop == "end" else reply.stop
        self.spending.settle(number, reply.usage, cost, time.monotonic() - started, error)
        self._add(reply.usage.total, cost)
        return reply

    def _most(self, request: Request) -> Usage:
        """The most tokens that a request can come to."""
        prompt = tokens(request.system) + tokens(request.text) + tokens(json.dumps(request.schema))
        return Usage(
            cache_written=round(prompt * MARGIN) + self._transport.overhead,
            output=request.most_output,
        )

    def _add(self, count: int, cost: float) -> None:
        self._spent = Spent(tokens=self._spent.tokens + count, cost=self._spent.cost + cost)

    def _note(self, failure: ModelFailed) -> None:
        """Leave a model alone for a while that did not answer: the next question would wait too."""
        if failure.cause != "unusable":
            self._rest = (time.monotonic() + REST, failure)

    def _let_rest(self) -> None:
        if self._rest is None:
            return
        until, failure = self._rest
        if time.monotonic() >= until:
            self._rest = None
            return
        raise ModelFailed(failure.reason, cause="not asked", is_free=True)


def _parsed(reply: Reply) -> Mapping[str, Any]:
    """The object in a reply.

    Raises:
        ModelFailed: the model refused, was cut off, or wrote something else.
    """
    if reply.stop == "refused":
        raise ModelFailed("it refused to answer", cause="unusable")
    if reply.stop == "truncated":
        raise ModelFailed("its answer broke off", cause="unusable", too_long=True)
    try:
        found = json.loads(reply.text)
    except (ValueError, RecursionError):
        raise ModelFailed("its answer is not JSON", cause="unusable") from None
    if not isinstance(found, dict):
        raise ModelFailed("its answer is not a JSON object", cause="unusable")
    return found


RULES = "rules"
"""The choice that asks no model: the default."""


def choose(
    config: Config,
    home: str,
    project: str,
    redact: Callable[[str], str],
    clock: Callable[[], float] = time.time,
) -> Model | None:
    """The model to ask, None where the user has chosen none.

    `auto` takes the API where the environment holds a key, else `claude -p` where it is on PATH.

    Args:
        home: the global side's folder.
        project: whose calls these are, for the record of what was spent.
        redact: takes secrets and private text out of whatever is sent.

    Raises:
        ModelFailed: one was chosen and there is nothing to ask it with.
    """
    wanted = config.get("extractor")
    if wanted == RULES:
        return None
    return Model(
        _transport(wanted, config.get("model.name"), home),
        Spending(home, config.get("model.daily_cap_usd"), clock),
        project, config.get("model.deadline"), redact,
    )  # fmt: skip


def _transport(wanted: str, model: str, home: str) -> Transport:
    if wanted == "api" or (wanted == "auto" and transports.has_key()):
        if not transports.has_key():
            raise ModelFailed(
                f"there is no key in {' or '.join(transports.KEYS)}", cause="not asked"
            )
        return transports.ApiTransport(model)
    if not transports.is_installed():
        missing = f"there is no {transports.COMMAND} command on PATH"
        if wanted == "auto":
            missing = f"there is no key in {' or '.join(transports.KEYS)}, and {missing}"
        raise ModelFailed(missing, cause="not asked")
    return transports.HeadlessTransport(model, home)


def terms(wanted: str, cap: float) -> str:
    """What choosing `wanted` means, shown when it is chosen: what is sent, where to, its cost."""
    if wanted == RULES:
        return "Nothing is sent anywhere: the rules run on this machine."
    way = {
        "api": "to the Anthropic API, with the key in your environment",
        "claude": "through your own claude command, to its provider",
        "auto": "to the Anthropic API if your environment has a key, otherwise through your own "
        "claude command",
    }[wanted]
    return (
        f"The prose of your sessions is sent {way}: prompts, replies, commands, file names and "
        "error messages, without secrets, private text and code. It costs about $0.001 a session, "
        f"at most ${cap:g} a day (model.daily_cap_usd). To go back: cortex config set extractor "
        "rules"
    )
