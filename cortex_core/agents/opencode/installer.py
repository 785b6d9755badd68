"""Connecting Cortex with OpenCode: a plugin that calls the hooks and registers the MCP server."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from cortex_core.agents import hook_command
from cortex_core.agents.opencode import hooks
from cortex_core.agents.own_installation import OwnInstaller
from cortex_core.base import agent_names

_PLUGIN = """\
// Memory for coding agents. `cortex install` wrote this file, `cortex uninstall` removes it.
const HOOK = %(hook)s
const SERVER = %(server)s

const ask = async (word, payload) => {
  try {
    const stdin = new Blob([JSON.stringify(payload)])
    const hook = Bun.spawn([...HOOK, word], { stdin, stdout: "pipe", stderr: "ignore" })
    const text = await new Response(hook.stdout).text()
    return text ? JSON.parse(text) : {}
  } catch {
    return {} // a session goes on without its memory
  }
}

export const Cortex = async ({ directory }) => {
  const notes = {} // what each session was given when it began
  const late = {} // what belongs to the output of a tool call
  const send = (word, session, more) => ask(word, { session, folder: directory, ...more })
  const begin = async (session) =>
    (notes[session] ??= (await send("start", session, { id: session })).text ?? "")
  process.on("exit", () => {
    for (const session of Object.keys(notes)) {
      const stdin = Buffer.from(JSON.stringify({ session, folder: directory, id: session }))
      Bun.spawnSync([...HOOK, "end"], { stdin })
    }
  })
  return {
    config: async (config) => {
      const server = { type: "local", command: SERVER, enabled: true }
      config.mcp = { cortex: server, ...config.mcp }
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      await send("stop", event.properties.sessionID, { id: event.id })
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID) return
      const note = await begin(sessionID)
      if (note) system.push(note)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\\n")
      await begin(sessionID) // what the note holds is not given with the prompt again
      const { text } = await send("prompt", sessionID, { id: message.id, prompt })
      const id = "prt_z" + message.id.slice(4) // parts are in the order of their ids
      const of = { id, sessionID, messageID: message.id }
      if (text) parts.push({ ...of, type: "text", text, synthetic: true })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const more = { id: callID, tool, arguments: args }
      const { text, refused } = await send("tool", sessionID, more)
      if (refused) throw new Error(refused)
      if (text) late[callID] = text
    },
    "tool.execute.after": async ({ callID }, output) => {
      if (late[callID]) output.output += "\\n" + late[callID]
      delete late[callID]
    },
  }
}
"""


def files(python: Sequence[str]) -> Mapping[Path, str]:
    """The plugin, whose hooks and server `python` runs."""
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    hook = hook_command.command(python, "", "opencode")[:-1]
    text = _PLUGIN % {
        "hook": json.dumps(hook),
        "server": json.dumps([*python, "-m", agent_names.SERVER_MODULE]),
    }
    return {Path(settings, "opencode", "plugin", "cortex.js"): text}


PART = OwnInstaller("opencode", lambda: os.path.dirname(hooks.data_file()), files)
