"""The verb that looks whether all is well: `doctor`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from cortex_core import project as projects
from cortex_core.config import Config
from cortex_core.errors import ConfigError
from cortex_core.reports.care import CheckResult
from cortex_core.verbs.base import Base

if TYPE_CHECKING:
    from cortex_core.cortex import Cortex


class Checking(Base):
    """Looking after a project's memory, also where it cannot be opened."""

    _config_problem = ""

    @classmethod
    def at_the_doctor(
        cls,
        project: str | Path | None = None,
        home: str | Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """As `open`, and with the defaults in force where the configuration has a mistake."""
        try:
            return cls.open(project, home, clock=clock)
        except ConfigError as error:
            found = projects.find(
                explicit=None if project is None else str(project),
                home=None if home is None else str(home),
            )
            made = cls(found, Config(), clock)
            made._config_problem = str(error)
            return made

    def doctor(
        self, *, fix: bool = False, progress: Callable[[int, int, str], None] | None = None
    ) -> tuple[CheckResult, ...]:
        """Look at everything that is known to go wrong; it takes some seconds.

        Hooks are sent every event in a project made for it. Nothing is changed without `fix`.

        Args:
            fix: mend what can be mended safely, after a snapshot of the stores.
            progress: told the checks done, the checks in all, and the one at work.
        """
        from cortex_core.doctor import examine

        return examine.examine(
            cast("Cortex", self), fix=fix, config_problem=self._config_problem, progress=progress
        )
