"""Checks of the embedding model and of its vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    failed,
    ok,
    over_stores,
    skipped,
    warning,
)  # fmt: skip
from cortex_core.embedding.names import SHIPPED_TAG
from cortex_core.errors import CortexError, ModelUnavailable
from cortex_core.storage import health, signs
from cortex_core.storage.reader import Reader
from cortex_core.storage.vector_search import FEW
from cortex_core.text import counted

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Vector

FIX = "Run: cortex doctor --fix"

KNOWN_TEXT = "Use pnpm, never npm, in this repository."

KNOWN_VECTOR = (
    "+ebO8ifm5gXcLiAB4RoHPPAdXw7f9xn2B/MmHAXiABkW+wpL2uTJ2Dwf+tQMCPT/I/Xx69vnAe4ZDuvs/vrz8w5C"
    "Ixz/+fH6/PzcFf3mFBXvEvUJHDT0Fvz5+gnzEev8JgzzAPjj4Qj7HAr8/iXrF/3p8goNC/sg3An8Ct3wBgAaBQsN"
    "Lhko/MfL5Mvy/+TGDA4mC/fe6wseFBcAHvMhG9wI/um9Fc7k9RML7P3b9g0ZAe0p1foRzQP/8+4RHAXnGBrO9Bof"
    "IfcXK+n1+An6CgIF5/8I4gsM/QAl5wv5tAD6++8S4PD19Q4nIvoa+B8L7gHy6OQ4DAQPA/0R7wHwJ6ff9gv/F/P4"
    "ChTI/P7tDhUIB/EBFOMQ/AgkCOAbxt/w+B3kNxX3AjtOGPv18SX+8xn7HiMA5Cjm9Q72EAkmHAAf7wL3KPv8Cwj4"
    "+PPqHxvm+iTl0eMA3hwR+S71Aefd/fTqCCQNGgD31vD3D+8J/ff5/RwBBQj7D/jvCuoG8CHp"
)
"""The shipped model's vector of `KNOWN_TEXT`, each dimension as a signed byte of 1/500."""

SAME = 0.98
"""Minimum cosine with the known vector; processors differ slightly in rounding."""

LATE = 3600.0
"""Seconds within which the worker should have embedded new memories."""

MOST_EMBEDDED = 2000
"""Memories that a fix embeds, in about ten seconds per thousand; the worker does the rest."""


def model_files(_case: Case) -> Finding:
    """Whether the model files in the package have the checksums of the shipped ones."""
    from cortex_core.embedding import shipped

    wrong = [
        name
        for name, digest in shipped.SHA256.items()
        if not (path := shipped.FOLDER / name).is_file()
        or hashlib.sha256(path.read_bytes()).hexdigest() != digest
    ]
    if wrong:
        return failed(
            f"The model in {shipped.FOLDER} is damaged: {', '.join(wrong)}.",
            "Install Cortex again: pipx reinstall cortex-memory",
        )
    return ok("The model in the package is intact.")


def model_loads(case: Case) -> Finding:
    """Whether the current model loads, and computes the right vector for a known text."""
    try:
        model = case.cortex.models.embedder()
        if model is None:
            raise ModelUnavailable(case.cortex.models.problem())
        vector = model.encode(KNOWN_TEXT).vector
    except ModelUnavailable as error:
        return failed(
            f"{error} Until this is fixed, search uses words only.",
            "To see the models: cortex models list",
        )
    if model.name != SHIPPED_TAG:
        return ok(f"The model {model.name} loads.")
    cosine = float(vector @ known_vector())
    if cosine < SAME:
        return failed(
            f"The model loads but computes wrong vectors (cosine {cosine:.2f} with the right one).",
            "Install Cortex again: pipx reinstall cortex-memory",
        )
    return ok("The model in the package loads and computes the right vectors.")


def known_vector() -> Vector:
    """The known vector of the shipped model, of unit length."""
    import base64

    import numpy as np

    made = np.frombuffer(base64.b64decode(KNOWN_VECTOR), np.int8).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made), np.float32)


def _vectors(case: Case, store: Reader) -> Iterator[Finding]:
    tag = case.cortex.models.tag()
    misshapen = health.unreadable_vectors(store)
    if misshapen:
        damaged = counted(misshapen, "vector")
        yield failed(f"{store.file} has {damaged} that cannot be read.", FIX, fixable=True)
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
    """Delete damaged vectors and compute the missing ones."""
    with case.opened() as stores:
        for store in stores:
            health.drop_unreadable_vectors(Path(store.file))
    done = case.cortex.models.embed_pending(limit=MOST_EMBEDDED)
    if problem := case.cortex.models.problem():
        raise CortexError(problem)
    return f"Computed {counted(done, 'vector')}."


def _cache(case: Case, store: Reader) -> Iterator[Finding]:
    path = Path(signs.place(store.file, store.scope))
    count = health.vectors(store)
    try:
        with path.open("rb") as file:
            head = signs.header(file.read(signs.HEAD))
    except FileNotFoundError:
        if count > FEW:
            yield warning(f"{path} is missing, so the first search is slow.", FIX, fixable=True)
        return
    label = head.get("label")
    if not label or label[:2] != [store.identity, case.cortex.models.tag()]:
        yield warning(f"{path} is damaged, or belongs to other vectors.", FIX, fixable=True)
        return
    behind = health.vectors(store, head["stamp"])
    if behind > max(FEW, count // 10) or head["count"] > count + max(FEW, count // 10):
        yield warning(f"{path} lacks {behind:,} vectors.", FIX, fixable=True)


def renew_cache(case: Case) -> str:
    """Rewrite the cache files from the stores; they contain nothing else."""
    from cortex_core.storage import vector_search

    for store in case.cortex.workspace.stores:
        Path(signs.place(store.file, store.scope)).unlink(missing_ok=True)
        tag = case.cortex.models.tag()
        if dimension := health.dimension(store, tag):
            vector_search.refresh(store, tag, dimension)
    return "Rewrote the vector cache."


def remote_model(case: Case) -> Finding:
    """Whether a remote embedding model gets the texts of memories, so that the user knows it."""
    name = str(case.cortex.llm.settings().get("embedding.model"))
    far = [each.strip() for each in name.split(",") if ":" in each and "ollama:" not in each]
    if not far:
        return skipped("No remote embedding model is in use.")
    return warning(
        f"The texts of memories are sent to {far[0].partition(':')[0]} for embedding.",
        "If you do not want that, run: cortex models use sentence-transformers/all-MiniLM-L6-v2",
    )


CHECKS = (
    Check("model-files", "meaning", model_files),
    Check("model", "meaning", model_loads),
    Check("vectors", "meaning", over_stores(_vectors, "Every memory has a vector."),
          embed_missing),
    Check("vector-cache", "meaning", over_stores(_cache, "The vector cache is up to date."),
          renew_cache),
    Check("remote-model", "meaning", remote_model),
)  # fmt: skip
