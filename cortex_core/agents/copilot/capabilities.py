"""What Cortex can do with Copilot CLI."""

from cortex_core.agents.copilot.hooks import EVENTS
from cortex_core.agents.protocol import Capabilities
from cortex_core.base import hook_words

CAPABILITIES = Capabilities(
    transcripts="`~/.copilot/session-state/ID/events.jsonl`: lines of JSON, which it never changes",
    events=tuple(EVENTS.values()),
    injects=(hook_words.START, hook_words.PROMPT, hook_words.TOOL),
    denies=True,
    asks=True,
    mcp=True,
    version="1.0.102",
    gaps=("Where several hooks give text with a prompt, Copilot CLI keeps that of the last.",),
)
