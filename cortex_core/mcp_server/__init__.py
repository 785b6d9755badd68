"""Cortex as an MCP server: tools over standard input and output, for the agent of a session.

Each tool is one verb of `Cortex`. What an agent writes is journalled as the agent's and can be
undone by the user; it approves nothing, and sees nothing that waits for a user's verdict.
"""
