"""`python -m cortex_core.cli`, the same as `cortex`."""

from __future__ import annotations

from cortex_core.cli.main import main

main()
