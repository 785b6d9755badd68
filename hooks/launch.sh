#!/bin/sh
# Runs the hook of a Claude Code event with the interpreter that Cortex is installed for.
# A machine without Cortex, or a failure of any kind, must never disturb a session: always 0.

event=$1
here=${0%/*}
root=${CLAUDE_PLUGIN_ROOT:-$here/..}
[ -r "$here/python.sh" ] || exit 0  # sourcing what is not there would end with another code
. "$here/python.sh" 2>/dev/null

[ -n "$python" ] &&
    CLAUDE_PLUGIN_ROOT=$root "$python" $isolation -m cortex_core.hook "$event" 2>/dev/null
exit 0
