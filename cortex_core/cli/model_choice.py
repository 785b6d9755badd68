"""Asks the user once whether a language model may read sessions."""

from __future__ import annotations

import click

from cortex_core import config as configuration
from cortex_core.cli import output
from cortex_core.cli.options import at_terminal
from cortex_core.model import choosing
from cortex_core.project import Project
from cortex_core.settings import find

SETTING = "extractor"


def offer(project: Project) -> None:
    """Ask who may read sessions, if nobody has decided yet; without a terminal, only print a hint.

    The answer applies to all projects. An empty answer means the rules.
    """
    settings = configuration.load(project)
    if SETTING in settings.changed:
        return
    output.say("Rules on this machine read your sessions, and nothing is sent anywhere.")
    if not at_terminal():
        output.say("A language model finds more: cortex config set extractor auto --global")
        return
    output.say("A language model finds more. " + terms("auto", settings))
    answer = click.prompt(
        "Who may read your sessions?",
        type=click.Choice(find(SETTING).choices),
        default=choosing.RULES,
    )
    configuration.set(project, SETTING, answer, "global")
    output.say(f"{SETTING} is {answer} for all projects. {terms(answer, settings)}")


def terms(wanted: str, settings: configuration.Config) -> str:
    """What choosing `wanted` means: what is sent, where to, and what it costs."""
    return choosing.terms(wanted, settings.get("model.daily_cap_usd"))
