#!/bin/sh
# Runs the hook for a Claude Code event with the interpreter of the installed Cortex.
# A machine without Cortex, or any failure, must never disturb a session: always exits with 0.

event=$1
here=${0%/*}
root=${CLAUDE_PLUGIN_ROOT:-$here/..}
[ -r "$here/python.sh" ] || exit 0  # sourcing a missing file would exit with another code
. "$here/python.sh" 2>/dev/null

[ -n "$python" ] &&
    CLAUDE_PLUGIN_ROOT=$root "$python" $isolation -m cortex_core.hook "$event" 2>/dev/null
exit 0
