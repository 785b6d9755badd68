"""The events at which agents call Cortex, by the words under which they are stored.

Spool, ledger and receipts keep them. Each agent's hooks map the agent's own events to these. Hooks
load this module: it imports nothing.
"""

START = "SessionStart"
PROMPT = "UserPromptSubmit"
TOOL = "PreToolUse"
STOP = "Stop"
"""The agent has answered."""
SUBAGENT_START = "SubagentStart"
SUBAGENT_STOP = "SubagentStop"
COMPACTION = "PreCompact"
"""The agent is about to summarise the conversation."""
END = "SessionEnd"

ALL = (START, PROMPT, TOOL, STOP, SUBAGENT_START, SUBAGENT_STOP, COMPACTION, END)
ANSWERED = (START, PROMPT, TOOL)
"""Events that are answered with memories; the others but `SUBAGENT_START` are recorded."""
