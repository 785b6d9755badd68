"""The language model that the user has chosen, and how it is asked.

`Model` keeps to the deadline and the daily cap, redacts what is sent, and repeats a request where
that can help; `choose` makes one from the settings.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from cortex_core.base.config import Config
from cortex_core.base.errors import ModelFailed
from cortex_core.base.text import clean, tokens
from cortex_core.llm import prompts, protocol, transports
from cortex_core.records.model_replies import Reply, Usage

REPEATS = 2
"""How often a request is sent again within its deadline."""

FIRST_WAIT = 0.5
"""Seconds before the first repetition if the provider names none; doubled for the next."""

REST = 60.0
"""Seconds for which a model that did not answer is not asked again."""

MARGIN = 1.3
"""How many times our estimate of a prompt's tokens the true count may be."""

MOST_MENDED = 100
"""Ends of objects after which an answer that broke off may be closed: the last ones."""

LONGEST_DESCRIPTION = 1_200
"""Most characters of a file's description."""


class Model:
    """A language model that the user has chosen."""

    def __init__(
        self,
        transport: protocol.Transport,
        spending: protocol.Spending,
        project: str,
        deadline: float,
        redact: Callable[[str], str],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """A model behind `transport`.

        Args:
            project: the project that the calls are recorded for.
            deadline: seconds a question may take, repetitions included.
            redact: removes secrets and private text from whatever is sent.
        """
        self.spending = spending
        self.deadline = deadline
        self._transport = transport
        self._project = project
        self._redact = redact
        self._sleep = sleep
        self.tokens, self.cost = 0, 0.0
        """Tokens and US dollars of all calls so far, failed ones included."""
        self._rest: tuple[float, ModelFailed] | None = None

    @property
    def name(self) -> str:
        """Its name in the ledger: `api`, `claude` or `codex`."""
        return self._transport.name

    @property
    def rule(self) -> str:
        """The rule of the memories it wrote: `model:NAME@PROMPT`."""
        return f"model:{self._transport.model}@{prompts.VERSION}"

    def ask(self, request: protocol.ModelRequest) -> Mapping[str, Any]:
        """The JSON object that the model answers `request` with.

        Raises:
            ModelFailed: there is none; it says why.
        """
        if self._rest is not None and time.monotonic() < self._rest[0]:
            raise ModelFailed(self._rest[1].reason, cause="not asked", is_free=True)
        request = replace(request, text=self._redact(request.text))
        end = time.monotonic() + self.deadline
        for repeat in range(REPEATS + 1):
            try:
                return _parsed(self._send(request, end - time.monotonic()))
            except ModelFailed as failure:
                # A repetition must leave a second to answer in, or it would cost and fail.
                pause = FIRST_WAIT * 2**repeat if failure.wait is None else failure.wait
                is_hopeless = not failure.may_repeat or repeat == REPEATS
                if is_hopeless or time.monotonic() + pause + 1 > end:
                    # One that gave no answer is not asked for a while: the next question would
                    # wait too.
                    if failure.cause != "unusable":
                        self._rest = (time.monotonic() + REST, failure)
                    raise
            self._sleep(pause)
        raise AssertionError("unreachable")

    def describe_code(self, outline: str, path: str) -> str:
        """Describe in a few sentences what the file `path` is for.

        Args:
            outline: its names, signatures, docstrings and comments; code itself is never sent.

        Raises:
            ModelFailed: there is no description; it says why.
        """
        # Said before anything is sent, so that it costs nothing.
        if not outline:
            raise ModelFailed(
                f"{path} has no names or comments to describe it by", cause="unusable", is_free=True
            )
        answer = self.ask(
            protocol.ModelRequest(
                purpose="describe",
                system=prompts.DESCRIBE,
                text=f"Path: {path}\n\n{outline}",
                schema=prompts.DESCRIPTION,
                most_output=1_024,
            )
        )
        description = answer.get("description")
        if not isinstance(description, str) or not description.strip():
            raise ModelFailed("its answer contains no description", cause="unusable")
        return clean(description).strip()[:LONGEST_DESCRIPTION]

    def _send(self, request: protocol.ModelRequest, timeout: float) -> Reply:
        """Send one call; its cost is recorded before, as the most it can be, and after."""
        name = self._transport.model
        # The most tokens that it can use.
        prompt = tokens(request.system) + tokens(request.text) + tokens(json.dumps(request.schema))
        written = round(prompt * MARGIN) + self._transport.overhead
        most = protocol.cost(name, Usage(cache_written=written, output=request.most_output))
        number = self.spending.reserve(self._project, request.purpose, self.name, name, most)
        started = time.monotonic()
        try:
            reply = self._transport.send(request, max(timeout, 0.1))
        except ModelFailed as failure:
            cost = 0.0 if failure.is_free else None
            self.spending.settle(number, Usage(), cost, time.monotonic() - started, failure.reason)
            self._add(0, most if cost is None else cost)
            raise
        cost = protocol.cost(name, reply.usage) if reply.cost is None else reply.cost
        error = "" if reply.stop == "end" else reply.stop
        self.spending.settle(number, reply.usage, cost, time.monotonic() - started, error)
        self._add(reply.usage.total, cost)
        return reply

    def _add(self, count: int, cost: float) -> None:
        self.tokens += count
        self.cost += cost


def _parsed(reply: Reply) -> Mapping[str, Any]:
    """The JSON object in a reply, also between other words; of one that broke off what is whole.

    Raises:
        ModelFailed: the model refused, or wrote something else.
    """
    if reply.stop == "refused":
        raise ModelFailed("it refused to answer", cause="unusable")
    text = reply.text[max(reply.text.find("{"), 0) :]
    ends = [at for at, character in enumerate(text, 1) if character == "}"]
    # Objects are in a list of the answer, or in one of the summary.
    mended = (text[:end] + rest for end in reversed(ends[-MOST_MENDED:]) for rest in ("]}", "]}}"))
    whole = (reply.text, text[: max(ends, default=0)])
    for number, form in enumerate(chain(whole, mended)):
        with suppress(ValueError, RecursionError):
            answer = json.loads(form)
            if isinstance(answer, dict):
                return answer if number < len(whole) else {**answer, protocol.BROKEN_OFF: True}
    what = "broke off" if reply.stop == "truncated" else "is not a JSON object"
    raise ModelFailed(f"its answer {what}", cause="unusable")


RULES = "rules"
"""The choice that asks no model: the default."""


def choose(
    config: Config,
    home: str,
    project: str,
    redact: Callable[[str], str],
    clock: Callable[[], float] = time.time,
) -> Model | None:
    """The model to ask; None if the user has chosen none.

    `auto` means the API if the environment has a key, otherwise the first command that is on PATH.

    Args:
        home: the folder of the global side.
        project: the project that the calls are recorded for.
        redact: removes secrets and private text from whatever is sent.

    Raises:
        ModelFailed: one was chosen, but it cannot be used; it says what is missing.
    """
    wanted = config.get("extractor")
    if wanted == RULES:
        return None
    # Nothing is sent here: whether the model answers shows at the first request.
    return Model(
        transports.connect(wanted, config.get("model.name"), home),
        protocol.Spending(home, config.get("model.daily_cap_usd"), clock),
        project,
        config.get("model.deadline"),
        redact,
    )


SENT = (
    "the prose of your sessions (prompts, replies, commands, file names and error messages), the "
    "memories and the rules of the project, without secrets, private text and code"
)
"""What a model is sent, in words."""


def offer(past: str, cap: float) -> str:
    """What a language model would add, what is sent to whom, and its cost.

    Args:
        past: what the user's last sessions would have cost, as a sentence; may be empty.
        cap: the daily cap, US dollars.
    """
    words = (
        "A language model can read your sessions after they have ended. It finds more than the "
        "rules on this machine, such as agreements over many turns, causes and implied wishes, in "
        f"any language. It is sent {SENT}, {transports.route('auto')}."
    )
    return " ".join(filter(None, (words, past, f"The limit of a day is ${cap:g}.")))


def terms(wanted: str, cap: float) -> str:
    """What choosing `wanted` means, shown on choosing it: what is sent, where to, what it costs."""
    if wanted == RULES:
        return "No model reads your sessions: the rules run on this machine."
    return (
        f"A model is sent {SENT}, {transports.route(wanted)}. The limit of a day is "
        f"${cap:g} (model.daily_cap_usd); cortex status shows what was used. To go back: "
        "cortex config set extractor rules"
    )
