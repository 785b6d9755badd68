"""Whether the hooks are installed, and fire."""

from cortex_core.agents.opencode.installer import PART as INSTALLER
from cortex_core.agents.own_checks import OwnChecks

PART = OwnChecks("opencode", INSTALLER)
