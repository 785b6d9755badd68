"""What Cortex can do with Gemini CLI."""

from cortex_core.agents.gemini.hooks import EVENTS
from cortex_core.agents.protocol import Capabilities
from cortex_core.base import hook_words

CAPABILITIES = Capabilities(
    transcripts="`~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, before that `.json`; kept 30 days",
    events=tuple(EVENTS.values()),
    injects=(hook_words.START, hook_words.PROMPT),
    denies=True,
    mcp=True,
    folder_variable="GEMINI_PROJECT_DIR",
    version="0.61.0",
    gaps=(
        "Nothing can be given with a tool call.",
        "Gemini CLI lays out its settings.json again where it drops an old setting. Cortex writes "
        "nothing there: its hooks and server are in an extension.",
        "Gemini CLI does not say when it summarises a conversation.",
        "Turns that were taken back after Cortex had read them stay in the archive.",
    ),
)
