"""What Cortex can do with OpenCode."""

from cortex_core.agents.opencode.hooks import EVENTS
from cortex_core.agents.protocol import Capabilities
from cortex_core.base import hook_words

CAPABILITIES = Capabilities(
    transcripts="`~/.local/share/opencode/opencode.db`, opened read-only; `opencode export` files",
    events=tuple(EVENTS.values()),
    injects=(hook_words.START, hook_words.PROMPT, hook_words.TOOL),
    denies=True,
    mcp=True,
    version="1.18.33",
    gaps=(
        "What is given with a tool call follows its output.",
        "A session's title may hold words that were given with its first prompt.",
    ),
)
