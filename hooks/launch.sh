#!/bin/sh
# Runs the hook of a Claude Code event with the interpreter that Cortex is installed for.
# A machine without Cortex, or a failure of any kind, must never disturb a session: always 0.

event=$1
root=${CLAUDE_PLUGIN_ROOT:-$(dirname "$0")/..}

run() {
    [ -n "$1" ] && [ -x "$1" ] || return 0
    isolation=-I
    [ -e "$(dirname "$1")/../pyvenv.cfg" ] || isolation="-E -P"  # it may be in the user's site
    CLAUDE_PLUGIN_ROOT=$root "$1" $isolation -m cortex_core.hook "$event" 2>/dev/null
    exit 0
}

of_command() {  # the interpreter named in the first lines of the `cortex` command
    command=$(command -v cortex) && read -r first <"$command" || return 0
    case $first in
        "#!"*python*) echo "${first#??}" ;;
        "#!/bin/sh"*) sed -n "2s/^'''exec' \"\{0,1\}\([^\"]*python[^\" ]*\).*/\1/p" "$command" ;;
    esac
}

run "$CORTEX_PYTHON"
run "$CLAUDE_PLUGIN_DATA/venv/bin/python"
run "$root/.venv/bin/python"
run "$(of_command)"
exit 0
