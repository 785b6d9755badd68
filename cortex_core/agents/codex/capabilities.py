"""What Cortex can do with Codex."""

from cortex_core.agents.protocol import Capabilities
from cortex_core.base import hook_words

CAPABILITIES = Capabilities(
    transcripts="`~/.codex/sessions`, JSONL in two forms, compressed or not",
    events=(*hook_words.ANSWERED, hook_words.STOP, hook_words.COMPACTION, hook_words.END),
    injects=hook_words.ANSWERED,
    denies=True,
    limit=2_200,
    mcp=True,
    version="0.169.0",
    gaps=(
        "The hooks run only after you have trusted them in Codex, and again after each change.",
        "What Codex noted of your trust stays in its config.toml after cortex uninstall.",
        "A rule that asks before a call refuses it: Codex has no question at a hook.",
        "Summaries of compactions by OpenAI's own service are encrypted.",
        "In the terminal no hook reports the end of a session: it is read when it has been idle.",
        "Nothing is learned from sessions of Codex's sub-agents and reviewers.",
        "Newer models search for tools: Cortex's are found some seconds after the start.",
        "Compressed sessions are read with the program zstd, the package zstandard or Python 3.14.",
    ),
)
