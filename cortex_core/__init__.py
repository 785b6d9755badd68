"""Cortex, the memory of a coding agent. `from cortex_core import Cortex` is the whole library.

Names are fetched when they are first asked for: the hooks import this package and must not pay
for what they do not use. Their types are in `__init__.pyi`.
"""

__version__ = "1.0.0"
__all__ = ["Cortex", "__version__"]

CHILD = "CORTEX_CHILD"
"""Set in the environment of everything that Cortex starts: no hook of ours does anything below."""


def __getattr__(name: str) -> object:
    if name != "Cortex":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module("cortex_core.api"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), "Cortex"])
