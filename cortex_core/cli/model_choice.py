"""Asking the person, once, whether a language model may read sessions."""

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
    """Ask who is to read sessions, where nobody has said so yet; without a person only tell.

    The answer holds for all projects. Rules are what an empty answer means.
    """
    settings = configuration.load(project)
    if SETTING in settings.changed:
        return
    output.say("Sessions are read by rules on this machine, and nothing is sent anywhere.")
    if not at_terminal():
        output.say("A language model finds more in them: cortex config set extractor auto --global")
        return
    output.say("A language model finds more in them. " + terms("auto", settings))
    answer = click.prompt(
        "Who shall read them?", type=click.Choice(find(SETTING).choices), default=choosing.RULES
    )
    configuration.set(project, SETTING, answer, "global")
    output.say(f"{SETTING} is {answer} for all projects. {terms(answer, settings)}")


def terms(wanted: str, settings: configuration.Config) -> str:
    """What choosing `wanted` means: what is sent, where, and its cost."""
    return choosing.terms(wanted, settings.get("model.daily_cap_usd"))
