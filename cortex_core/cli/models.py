"""The `models` commands: the embedding model for search by meaning."""

from __future__ import annotations

import click

from cortex_core import shapes
from cortex_core.cli import output, views
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.cli.options import DRY_RUN


@group("models", examples=("cortex models list", "cortex models reembed"))
def models() -> None:
    """List and choose embedding models, and recompute vectors."""


@models.command("list", examples=("cortex models list", "cortex models list --json"))
@pass_run
def models_list(run: Run) -> None:
    """List the models, and how many memories have a vector of each."""
    with run.cortex() as cortex:
        found = cortex.models.list()
    output.show(views.MODELS, found, as_json=run.json)


@models.command("use", examples=("cortex models use BAAI/bge-small-en-v1.5",))
@click.argument("name")
@pass_run
def models_use(run: Run, name: str) -> None:
    """Choose the embedding model.

    A model that is not installed yet is downloaded now. New vectors are computed in the
    background; until then, search uses words only.
    """
    with run.cortex() as cortex:
        chosen = cortex.models.use(name)
    if run.json:
        output.emit(shapes.model(chosen))
    else:
        output.say(f"Now using {chosen.name}. {views.memories(chosen.pending)} to embed.")
        if chosen.pending:
            output.note("To compute the vectors now: cortex models reembed")


@models.command("reembed", examples=("cortex models reembed --dry-run", "cortex models reembed"))
@DRY_RUN
@pass_run
def models_reembed(run: Run, dry_run: bool) -> None:
    """Recompute all vectors."""
    with run.cortex() as cortex:
        if dry_run:
            made = sum(each.embedded + each.pending for each in cortex.models.list() if each.active)
        else:
            with output.progress("Computing embeddings") as progress:
                made = cortex.models.reembed(progress)
    if run.json:
        output.emit({"embedded": made, "dry_run": dry_run})
    else:
        output.say(f"{'Would embed' if dry_run else 'Embedded'} {views.memories(made)}.")
