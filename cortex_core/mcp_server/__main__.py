"""`python -I -m cortex_core.mcp_server [--project DIR]`: what Claude Code starts."""

from __future__ import annotations

import sys

from cortex_core.mcp_server.start import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
