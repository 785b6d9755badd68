"""Commands about models and settings (models, config), and the question which extractor to use."""

import os
from importlib import import_module
from importlib.util import find_spec

import click
from click.shell_completion import CompletionItem

from cortex_core.base import config as configuration, project as projects
from cortex_core.base.errors import UsageError
from cortex_core.base.settings import SETTINGS
from cortex_core.cli import output, prose
from cortex_core.cli.command import APP, DRY_RUN, Run, at_terminal, group, pass_run, start_worker
from cortex_core.embeddings.names import MULTILINGUAL, SHIPPED
from cortex_core.llm import client, transports
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import Scope

SETTING = "extractor"


def offer(run: Run) -> None:
    """Ask once for all projects whether a model may read sessions; without a terminal only say how.

    Enter means yes where an agent's command can be asked. No answer leaves it undecided.
    """
    project = run.cortex.project
    if SETTING in configuration.load(project).changed:
        return
    later = f"To choose who reads your sessions: cortex config set {SETTING} auto --global"
    # Whoever runs an installation unattended has nobody who could agree to send anything.
    if not at_terminal() or os.environ.get("CI"):
        output.say(f"Only rules on this machine read your sessions. {later}")
        return
    output.say(run.cortex.llm.offer())
    is_there = not all(map(transports.missing, transports.HEADLESS))
    try:
        agreed = click.confirm("May a model read your sessions?", default=is_there)
    except click.Abort:
        output.say(f"\nNothing was chosen. {later}")
        return
    answer = "auto" if agreed else client.RULES
    configuration.set(project, SETTING, answer, "global")
    output.say(
        f"{SETTING} is {answer} for all projects. To change that: cortex config set {SETTING} "
        f"{'rules' if agreed else 'auto'} --global"
    )


@group("models", examples=("cortex models list", "cortex models use --reembed"))
def models() -> None:
    """List and choose embedding models, and recompute vectors."""


@models.command("list", examples=("cortex models list", "cortex models list --json"))
@pass_run
def models_list(run: Run) -> None:
    """List the models that are offered, and how many memories have a vector of each.

    Any other model that fastembed knows, or that one of the providers has, can be used by its name.
    """
    output.show(prose.MODELS, run.cortex.models.list(), as_json=run.json)
    if find_spec("fastembed") is None:
        output.say("More models run on this machine with the extra models (docs/installing.md).")


@models.command(
    "use",
    examples=(
        f"cortex models use {MULTILINGUAL}",
        "cortex models use BAAI/bge-small-en-v1.5",
        "cortex models use --reembed --dry-run",
    ),
)
@click.argument("name", required=False)
@click.option("--reembed", is_flag=True, help="Recompute all vectors of the model in use instead.")
@DRY_RUN
@pass_run
def models_use(run: Run, name: str | None, reembed: bool, dry_run: bool) -> None:
    """Choose the embedding model for all projects.

    NAME may be several, separated by commas: of these the first that can be used is in force, and
    the shipped model comes after all others. A model that is not installed yet is downloaded now.
    New vectors are computed in the background; until then, search uses words only. A project that
    has a setting of its own keeps it.

    The shipped model reads English. For memories in other languages there is the model in the first
    example, which reads about 50; cortex models list names its size. A model other than the shipped
    one takes longer and compares whole sentences only, and prompts are then compared by words:
    hooks have no time to load it.
    """
    if name is None or reembed:
        if name is not None or not reembed:
            raise UsageError("Use either a name or --reembed. Nothing was changed.")
        _reembed(run, dry_run)
        return
    if dry_run:
        raise UsageError("Only --reembed takes --dry-run. Nothing was changed.")
    chosen = run.cortex.models.use(name)
    in_force = run.cortex.models.names()
    # Vectors of a model that is not in force here would be computed for nobody.
    if chosen.pending and in_force == name:
        start_worker(run.cortex.project)
    done = f"Set to {name} for all projects."
    if in_force == name:
        done = f"Now using {chosen.name}. {prose.memories(chosen.pending)} to embed."
    run.say(to_json(chosen), done)
    if not run.json and chosen.name != SHIPPED:
        output.note("Prompts are compared by words alone: hooks have no time to load this model.")
    if in_force != name:
        output.note(
            f"In force here is {in_force}, a setting of this project. To use {name} here too: "
            "cortex config set embedding.model --default"
        )


def _reembed(run: Run, dry_run: bool) -> None:
    if dry_run:
        count = sum(
            each.embedded + each.pending for each in run.cortex.models.list() if each.active
        )
    else:
        with output.progress("Computing embeddings") as progress:
            count = run.cortex.models.reembed(progress)
    run.say(
        {"embedded": count, "dry_run": dry_run},
        f"{'Would embed' if dry_run else 'Embedded'} {prose.memories(count)}.",
    )


EVERYWHERE = click.option(
    "--global",
    "everywhere",
    is_flag=True,
    help="The file for all projects, instead of the project's.",
)


def complete_setting(
    _context: click.Context, _argument: click.Parameter, start: str
) -> list[CompletionItem]:
    """The settings whose names begin with `start`."""
    return [
        CompletionItem(one.name, help=one.help) for one in SETTINGS if one.name.startswith(start)
    ]


@group("config", examples=("cortex config get", "cortex config set surface.tokens 400"))
def config() -> None:
    """Read and change settings."""


@config.command(
    "get",
    examples=(
        "cortex config get",
        "cortex config get surface.tokens --json",
        "cortex config get --path --global",
    ),
)
@click.argument("name", required=False, shell_complete=complete_setting)
@click.option(
    "--path",
    "as_path",
    is_flag=True,
    help="Print the path of the settings file instead, even if it does not exist yet.",
)
@EVERYWHERE
@pass_run
def get(run: Run, name: str | None, as_path: bool, everywhere: bool) -> None:
    """Show one setting, or all of them."""
    project = projects.find(explicit=run.project)
    if as_path:
        file = configuration.path(project, _scope(project, everywhere))
        run.say({"path": file}, file)
        return
    settings = configuration.load(project)
    if name is not None and not run.json:
        output.say(prose.value(settings.get(name)))
        return
    fixed = [setting.name for setting in SETTINGS]
    names = [name] if name else list(dict.fromkeys([*fixed, *settings.changed]))
    output.show(prose.SETTINGS, [(each, settings.get(each)) for each in names], as_json=run.json)


@config.command(
    "set",
    examples=(
        "cortex config set consolidation.mode auto",
        "cortex config set lifecycle.archive_after_days 30 --global",
        "cortex config set kinds.gotcha.half_life 90",
        "cortex config set surface.tokens --default",
    ),
)
@click.argument("name", shell_complete=complete_setting)
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
    project = projects.find(explicit=run.project)
    # Only the app knows its themes, and it would take another one for each that it does not know.
    known = import_module(APP).themes(project.home) if name == "theme" and not reset else ()
    if known and value not in known:
        raise UsageError(
            f"There is no theme “{value}”. Nothing was changed. Use one of: {', '.join(known)}."
        )
    stored = configuration.set(project, name, value, _scope(project, everywhere))
    in_effect = configuration.load(project).get(name)
    if run.json:
        output.show(prose.SETTINGS, [(name, in_effect)], as_json=True)
        return
    output.say(f"{name} is {prose.value(in_effect)}")
    if name == SETTING:
        output.note(client.terms(in_effect, configuration.load(project).get("model.daily_cap_usd")))
    if name == "embedding.model":
        start_worker(project)
    if stored is not None and prose.value(stored) != prose.value(in_effect):
        output.note("The project's own file has another value, which takes precedence here.")


def _scope(project: projects.Project, everywhere: bool) -> Scope:
    return "global" if everywhere or project.root is None else "project"
