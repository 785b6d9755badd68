# Finds the interpreter of the installed Cortex. Source it with $root set. It sets $python (empty if
# there is none) and $isolation, the flags that keep other packages out.

of_command() {  # the interpreter named in the first lines of the `cortex` command on PATH
    IFS=:
    for folder in $PATH; do
        [ -x "$folder/cortex" ] && read -r first <"$folder/cortex" || continue
        case $first in
            "#!"*python*) echo "${first#??}" && return ;;
            "#!/bin/sh"*)
                named=$(sed -n "2s/^'''exec' \"\{0,1\}\([^\"]*python[^\" ]*\).*/\1/p" "$folder/cortex")
                [ -n "$named" ] && echo "$named" && return ;;
        esac
    done
}

take() {
    [ -z "$python" ] && [ -n "$1" ] && [ -x "$1" ] && python=$1
}

python=
take "$CORTEX_PYTHON"
take "${CLAUDE_PLUGIN_DATA:+$CLAUDE_PLUGIN_DATA/venv/bin/python}"
take "$root/.venv/bin/python"
[ -n "$python" ] || take "$(of_command)"

isolation=-I
[ -e "${python%/*}/../pyvenv.cfg" ] || isolation="-E -P"  # it may be in the user's site
