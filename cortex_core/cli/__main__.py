"""`python -m cortex_core.cli`, the same as `cortex`."""

from cortex_core.cli.main import main

main()
