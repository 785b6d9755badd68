"""Which language model is in force, if any: the person's choice, and what can carry it out."""

from __future__ import annotations

import time
from collections.abc import Callable

from cortex_core.config import Config
from cortex_core.errors import ModelFailed
from cortex_core.model import api, headless
from cortex_core.model.client import Model
from cortex_core.model.protocol import Transport
from cortex_core.model.spend import Spending

RULES = "rules"
"""The choice that asks no model: the default."""


def choose(
    config: Config,
    home: str,
    project: str,
    redact: Callable[[str], str],
    clock: Callable[[], float] = time.time,
) -> Model | None:
    """The model to ask, None where the person has chosen none.

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
    if wanted == "api" or (wanted == "auto" and api.has_key()):
        if not api.has_key():
            raise ModelFailed(f"there is no key in {' or '.join(api.KEYS)}", cause="not asked")
        return api.Api(model)
    if not headless.is_there():
        missing = f"there is no {headless.COMMAND} command on PATH"
        if wanted == "auto":
            missing = f"there is no key in {' or '.join(api.KEYS)}, and {missing}"
        raise ModelFailed(missing, cause="not asked")
    return headless.Headless(model, home)


def terms(wanted: str, cap: float) -> str:
    """What choosing `wanted` means, to be told when it is chosen: what is sent, where, its cost."""
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
