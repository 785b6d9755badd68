"""The house stays as small as it was decided to be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "budget.py"


def loaded() -> ModuleType:
    """`tools/budget.py`, which is a script."""
    spec = importlib.util.spec_from_file_location("budget", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BUDGET = loaded()
HOUSE = BUDGET.modules()


@pytest.mark.parametrize("name", [count.name for count in BUDGET.COUNTS])
def test_no_count_is_above_its_ceiling(name: str) -> None:
    count = next(count for count in BUDGET.COUNTS if count.name == name)
    found = list(count.found(HOUSE))
    assert len(found) <= count.ceiling, f"see: python tools/budget.py --show '{name}'"
