"""What Cortex can do with Claude Code."""

from cortex_core.agents.protocol import Capabilities
from cortex_core.base import hook_words

CAPABILITIES = Capabilities(
    transcripts="`~/.claude/projects`, JSONL",
    events=hook_words.ALL,
    injects=(*hook_words.ANSWERED, hook_words.SUBAGENT_START),
    denies=True,
    asks=True,
    mcp=True,
    folder_variable="CLAUDE_PROJECT_DIR",
    version="2.1.329",
)
