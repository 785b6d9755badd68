"""Checks of the machine (packages, disk, environment), the embedding model and its vectors."""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from cortex_core.agents.protocol import Check
from cortex_core.base.errors import CortexError, ModelUnavailable
from cortex_core.base.text import counted
from cortex_core.doctor.case import FIX, Case, over_stores
from cortex_core.embeddings.names import MULTILINGUAL, SHIPPED_TAG
from cortex_core.embeddings.protocol import Embedder
from cortex_core.language.detect import language
from cortex_core.maintenance.embedding_models import EmbeddingModels
from cortex_core.records.findings import failed, ok, together, warning
from cortex_core.records.upkeep import CheckResult
from cortex_core.store import health
from cortex_core.store.reader import Reader

MISTAKEN = "cortex-memory"
"""Another project's distribution, which is easily taken for this one."""

FULL = 50 << 20
"""Free bytes below which storing may fail."""

TIGHT = 500 << 20


def packages(_case: Case) -> CheckResult:
    """Whether Cortex is installed, and not another project's package of a similar name."""
    try:
        installed = metadata.version("agent-cortex")
    except metadata.PackageNotFoundError:
        return warning(
            "Cortex is not installed but runs from a folder, so hooks may not find it.",
            "Install it: pipx install agent-cortex",
        )
    if any(metadata.distributions(name=MISTAKEN)):
        return warning(
            f"The package {MISTAKEN}, which is another project's, is installed next to Cortex.",
            f"Remove it if you meant Cortex: {sys.executable} -m pip uninstall {MISTAKEN}",
        )
    return ok(f"Cortex {installed} is installed, and no package that is mistaken for it.")


def disk(case: Case) -> CheckResult:
    """Whether there is free space for the stores."""
    # Of each, the nearest folder that exists already.
    folders = (next(filter(Path.exists, (at, *at.parents))) for at in (case.data, case.home))
    free = {folder: shutil.disk_usage(folder).free for folder in folders}
    return together(
        (
            failed(
                f"Only {room / 1e6:.0f} MB are free at {folder}, so nothing more can be stored.",
                "Free some space.",
            )
            if room < FULL
            else warning(f"Only {room / 1e6:.0f} MB are free at {folder}.", "Free some space.")
            for folder, room in free.items()
            if room < TIGHT
        ),
        f"{min(free.values()) / 1e9:.1f} GB are free.",
    )


def environment(_case: Case) -> CheckResult:
    """Whether an environment variable turns Cortex off or selects another project."""
    if os.environ.get("CORTEX_CHILD"):
        return failed(
            "CORTEX_CHILD is set in this shell, so the hooks of its sessions do nothing.",
            "Remove it from the start files of your shell, or run: unset CORTEX_CHILD",
        )
    named = os.environ.get("CORTEX_PROJECT", "")
    if named and not Path(named).expanduser().is_dir():
        return failed(
            f"CORTEX_PROJECT is {named}, which is not a folder.", "Run: unset CORTEX_PROJECT"
        )
    if named:
        return warning(
            f"CORTEX_PROJECT is set, so the project is always {named}.",
            "If you do not want that, run: unset CORTEX_PROJECT",
        )
    return ok("No environment variable interferes.")


MACHINE_CHECKS = (
    Check("packages", "machine", packages),
    Check("disk", "machine", disk),
    Check("environment", "machine", environment),
)

KNOWN_TEXT = "Use pnpm, never npm, in this repository."

LATE = 3600.0
"""Seconds within which the worker should have embedded new memories."""

MOST_EMBEDDED = 2000
"""Memories that a fix embeds, in about ten seconds per thousand; the worker does the rest."""


def model_files(_case: Case) -> CheckResult:
    """Whether the model files in the package have the checksums of the shipped ones."""
    from cortex_core.embeddings import local

    if wrong := local.verify(local.SHIPPED_FOLDER):
        return failed(" ".join(wrong), "Install Cortex again: pipx reinstall agent-cortex")
    return ok("The model in the package is intact.")


def model_loads(case: Case) -> CheckResult:
    """Whether the current model loads, and computes a vector."""
    try:
        model = _working(case.cortex.models)
    except ModelUnavailable as error:
        return failed(
            f"{error} Until this is fixed, search uses words only.",
            "To see the models: cortex models list",
        )
    if model.name != SHIPPED_TAG:
        return ok(f"The model {model.name} loads.")
    if fallback := case.cortex.models.fallback:
        return warning(fallback, "To see the models: cortex models list")
    return ok("The model in the package loads and computes vectors.")


def _working(models: EmbeddingModels) -> Embedder:
    """The model in force, tried on a text; one that fails is passed over.

    Raises:
        ModelUnavailable: not even the shipped model works.
    """
    model = models.embedder()
    while model is not None:
        try:
            model.encode(KNOWN_TEXT)
            return model
        except ModelUnavailable as error:
            model = models.instead_of(model, error)
    raise ModelUnavailable(models.problem)


def _vectors(case: Case, store: Reader) -> Iterator[CheckResult]:
    tag = case.cortex.models.tag()
    late = health.without_vector(store, tag, case.now - LATE)
    other = health.of_other_models(store, tag)
    if late or other:
        why = f"; {other:,} have one of another model" if other else ""
        yield warning(
            f"In the {store.scope} store {counted(late, 'memory', 'memories')} lack a vector{why}; "
            "until then, only search by words finds them.",
            FIX,
            fixable=True,
        )


def embed_missing(case: Case) -> str:
    """Compute the missing vectors."""
    done = case.cortex.models.embed_pending(limit=MOST_EMBEDDED)
    if problem := case.cortex.models.problem:
        raise CortexError(problem)
    return f"Computed {counted(done, 'vector')}."


SAMPLE = 200
"""The newest memories of a store by which its language is judged."""

LEAST_FOREIGN = 5
"""Memories in other languages below which nothing follows from them."""


def _language(case: Case, store: Reader) -> Iterator[CheckResult]:
    if case.cortex.models.tag() != SHIPPED_TAG:
        return
    texts = health.newest_contents(store, SAMPLE)
    foreign = sum(language(text) != "en" for text in texts)
    if foreign >= LEAST_FOREIGN and 2 * foreign > len(texts):
        yield warning(
            f"In the {store.scope} store {foreign:,} of {counted(len(texts), 'memory', 'memories')}"
            " looked at are not in English, which the embedding model in use was made for: words "
            "find them, meaning hardly does.",
            f"For a model of many languages, run: cortex models use {MULTILINGUAL}",
        )


MODEL_CHECKS = (
    Check("model-files", "meaning", model_files),
    Check("model", "meaning", model_loads),
    Check("vectors", "meaning", over_stores(_vectors, "Every memory has a vector."), embed_missing),
    Check(
        "language",
        "meaning",
        over_stores(_language, "The embedding model reads the language of the memories."),
    ),
)
