"""Writes docs/commands.md, configuration.md and keys.md from the tables the product itself reads.

    python tools/reference.py            write the pages
    python tools/reference.py --check    say whether they are up to date, and change nothing

A test runs the second form, so that no command, no setting and no key goes undocumented.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from cortex_core.cli.main import COMMANDS, cli
from cortex_core.kinds import BUILT_IN, Kind
from cortex_core.settings import KIND_FIELDS, SETTINGS, Setting
from cortex_tui.keymap import Keymap, display, resolve
from cortex_tui.keys import PLACES, TABLE

DOCS = Path(__file__).resolve().parents[1] / "docs"
SHARED = {"project", "json", "help"}
"""Options that go with every command and are told once."""

COMMANDS_INTRO = """\
# Commands

Written by `python tools/reference.py` from the commands' own help; edit that, not this page.

Every command takes `--project DIR` (the project's folder, instead of the one found from here),
`--json` (one object, or one object a line) and `--help`. Ids may be shortened to their first
characters, four at least. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found.
"""

CONFIGURATION = """\
# Configuration

Written by `python tools/reference.py` from the table of settings; edit that, not this page.

Settings are TOML. `config.toml` on the global side (`$CORTEX_HOME`, else
`$CLAUDE_CONFIG_DIR/memory`, else `~/.claude/memory`) holds for everything; `.memory/config.toml`
in a project overrides it. `cortex config path` names the files, `cortex config get` and
`cortex config set` read and change them. A mistake is refused with the file, the setting and what
it takes.

| setting | takes | default | what it does |
|---|---|---|---|
{settings}

## Kinds of memory

A kind of your own is a table `[kinds.NAME]`; a built-in one can be changed in the same way.

| setting | takes | default | what it does |
|---|---|---|---|
{fields}

Built in are:

| kind | also called | half-life, days | weight | surface lines | every session |
|---|---|--:|--:|--:|---|
{kinds}

## Keys of the app

`keys.ACTION = "KEY"` gives an action of the app another key; [keys.md](keys.md) has them all.
"""

KEYS = """\
# Keys of the app

Written by `python tools/reference.py` from the table of keys; edit that, not this page.

`?` in the app shows the same, and typing there filters it. An action's name is what the
configuration takes: `cortex config set keys.memory.pin P`, or in `config.toml` below `[keys]` the
line `"memory.pin" = "P"`; several keys are separated by commas. Names that there are not, keys that
do not exist and two actions on one key are told when the app starts.
"""


def commands_page() -> str:
    """Every command with its usage, words, options and examples, in the order of the help."""
    context = click.Context(cli, info_name="cortex")
    parts = [COMMANDS_INTRO]
    for heading, names in COMMANDS.items():
        parts.append(f"## {heading}\n")
        for name in names:
            command = cli.get_command(context, name)
            if command is None:
                raise SystemExit(f"cortex {name} is listed and cannot be loaded")
            parts += command_parts(click.Context(command, parent=context, info_name=name))
    return "\n".join(parts)


def command_parts(context: click.Context) -> Iterator[str]:
    """The paragraphs about one command and then about those under it."""
    command = context.command
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"### `{context.command_path}`\n"
    yield f"```\n{context.command_path} {pieces}\n```\n"
    yield _prose(command.help or "") + "\n"
    if options := [_option(context, each) for each in command.params if _is_told(each)]:
        yield "\n".join(options) + "\n"
    if examples := getattr(command, "examples", ()):
        yield "```sh\n" + "\n".join(examples) + "\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from command_parts(click.Context(below, parent=context, info_name=name))


def _prose(help: str) -> str:
    """Click's help as Markdown: its mark for kept line breaks dropped, quoting undone."""
    return "\n".join(line.strip() for line in help.replace("\b\n", "").strip().splitlines())


def _is_told(parameter: click.Parameter) -> bool:
    return (
        isinstance(parameter, click.Option)
        and not parameter.hidden
        and parameter.name not in SHARED
    )


def _option(context: click.Context, parameter: click.Parameter) -> str:
    assert isinstance(parameter, click.Option)
    names = ", ".join(parameter.opts + parameter.secondary_opts)
    if not parameter.is_flag and not parameter.count:
        number = parameter.metavar is None and parameter.type.name.startswith(("integer", "float"))
        names += " N" if number else f" {parameter.make_metavar(context)}"
    default = parameter.default if parameter.show_default else None
    tail = f" Default: {default}." if default not in (None, "", ()) else ""
    return f"- `{names}`: {parameter.help or ''}{tail}"


def configuration_page() -> str:
    """Every setting with what it takes and its default, and the kinds that are built in."""
    return CONFIGURATION.format(
        settings="\n".join(_setting_row(each.name, each) for each in SETTINGS),
        fields="\n".join(
            _setting_row(f"kinds.NAME.{name}", each) for name, each in KIND_FIELDS.items()
        ),
        kinds="\n".join(_kind_row(kind) for kind in BUILT_IN),
    )


def _setting_row(name: str, setting: Setting) -> str:
    cells = (f"`{name}`", setting.allowed, _value(setting.default), setting.help)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _value(default: object) -> str:
    if default is None:
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, tuple):
        return f"`{list(default)}`"
    return f"`{default}`"


def _kind_row(kind: Kind) -> str:
    half_life = "" if kind.half_life is None else f"{kind.half_life:g}"
    cells = (kind.name, ", ".join(kind.aliases), half_life, f"{kind.weight:g}",
             str(kind.surface_lines), "yes" if kind.baseline else "")  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def keys_page() -> str:
    """Every key, by the place where it counts."""
    keymap = resolve({})
    parts = [KEYS]
    for place in PLACES.values():
        if mine := [key for key in TABLE if key.place == place.name]:
            parts.append(f"## {place.title}\n\n| keys | what it does | action |\n|---|---|---|")
            parts += [f"| {_shown(keymap, key.id)} | {key.tooltip} | `{key.id}` |" for key in mine]
            parts.append("")
    return "\n".join(parts)


def _shown(keymap: Keymap, name: str) -> str:
    keys = (display(key).replace("|", "\\|") for key in keymap.keys[name])
    return " ".join(f"`` {key} ``" if "`" in key else f"`{key}`" for key in keys)


def pages() -> Mapping[Path, str]:
    """File and text of every page this tool writes."""
    return {
        DOCS / "commands.md": commands_page(),
        DOCS / "configuration.md": configuration_page(),
        DOCS / "keys.md": keys_page(),
    }


def stale() -> list[str]:
    """Names of the pages that no longer say what the product says."""
    return [
        path.name
        for path, text in pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main() -> int:
    """Write the pages, or check them; 0 when they are as they should be."""
    if "--check" in sys.argv[1:]:
        if old := stale():
            print(f"Out of date: {', '.join(old)}. Write them with: python tools/reference.py")
        return int(bool(old))
    DOCS.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
