"""The `config` commands: read and change settings.

They work on the files themselves, so that you can correct a mistake in one from here.
"""

from __future__ import annotations

import click

from cortex_core import config as configuration
from cortex_core.cli import model_choice, output, views
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.errors import UsageError
from cortex_core.memory import Scope
from cortex_core.project import Project, find
from cortex_core.settings import SETTINGS

EVERYWHERE = click.option(
    "--global",
    "everywhere",
    is_flag=True,
    help="Use the file for all projects, instead of the project's.",
)


@group("config", examples=("cortex config get", "cortex config set surface.tokens 400"))
def config() -> None:
    """Read and change settings."""


@config.command("get", examples=("cortex config get", "cortex config get surface.tokens --json"))
@click.argument("name", required=False)
@pass_run
def get(run: Run, name: str | None) -> None:
    """Show one setting, or all of them."""
    settings = configuration.load(find(explicit=run.project))
    if name is not None and not run.json:
        output.say(views.value(settings.get(name)))
        return
    fixed = [setting.name for setting in SETTINGS]
    names = [name] if name else list(dict.fromkeys([*fixed, *settings.changed]))
    pairs = [(each, settings.get(each)) for each in names]
    output.show(views.SETTINGS, pairs, as_json=run.json)


@config.command(
    "set",
    examples=(
        "cortex config set consolidation.mode auto",
        "cortex config set lifecycle.archive_after_days 30 --global",
        "cortex config set kinds.gotcha.half_life 90",
        "cortex config set surface.tokens --default",
    ),
)
@click.argument("name")
@click.argument("value", required=False)
@click.option(
    "--default",
    "reset",
    is_flag=True,
    help="Remove the setting from the file, which restores its default.",
)
@EVERYWHERE
@pass_run
def set_(run: Run, name: str, value: str | None, reset: bool, everywhere: bool) -> None:
    """Change a setting.

    It changes the project's file, or with --global the file for all projects.
    """
    if (value is None) != reset:
        raise UsageError("Use either a value or --default. Nothing was changed.")
    project = find(explicit=run.project)
    stored = configuration.set(project, name, value, _scope(project, everywhere))
    in_effect = configuration.load(project).get(name)
    if run.json:
        output.show(views.SETTINGS, [(name, in_effect)], as_json=True)
        return
    output.say(f"{name} is {views.value(in_effect)}")
    if name == "extractor":
        output.note(model_choice.terms(in_effect, configuration.load(project)))
    if stored is not None and views.value(stored) != views.value(in_effect):
        output.note("The project's own file has another value, which takes precedence here.")


@config.command("path", examples=("cortex config path", "cortex config path --global"))
@EVERYWHERE
@pass_run
def path(run: Run, everywhere: bool) -> None:
    """Print the path of the settings file, even if it does not exist yet."""
    project = find(explicit=run.project)
    file = configuration.path(project, _scope(project, everywhere))
    if run.json:
        output.emit({"path": file})
    else:
        output.say(file)


def _scope(project: Project, everywhere: bool) -> Scope:
    return "global" if everywhere or project.root is None else "project"
