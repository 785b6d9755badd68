"""Cortex as an MCP server: tools over standard input and output, for the agent of a session.

Each tool is one verb of `Cortex`. The journal records changes as the agent's, and the user
can undo them. An agent approves nothing, and sees nothing that waits for the user's verdict.
"""
