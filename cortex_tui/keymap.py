"""Every key of the app in one table, and the keymap in effect: the table with the user's own keys.

Bindings, footer, help, palette and configuration read the table. An id is what the user writes in
the configuration (`[keys] "memory.pin" = "Z"`); a configured line that is wrong is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from textual.binding import Binding
from textual.keys import Keys, _character_to_key, format_key, key_to_character


class KeyPlace(NamedTuple):
    """Where keys work: a screen, a widget of it, or what several screens share."""

    name: str
    title: str
    """Heading in the help."""
    inside: tuple[str, ...] = ()
    """The places around it, whose keys work here too; none for the app."""
    moves: bool = False
    """Whether its keys only move about, so that the palette leaves them out."""
    words: tuple[tuple[str, str], ...] = ()
    """Words that the screen uses, and what they mean, for the help."""
    about: str = ""
    """What the screen is for, in a sentence or two, for the help."""
    is_screen: bool = False
    """Whether it is a screen: the keys of two screens are never in effect together."""


class Key(NamedTuple):
    """One thing a key can do."""

    id: str
    keys: str
    """Separated by commas, Textual's names or single characters."""
    action: str
    label: str
    """One or two words: footer and palette."""
    tooltip: str
    """One sentence: help and hover."""
    place: str
    """The name of the place where it works."""
    footer: int = 0
    """Rank in the footer, 1 first; 0: not shown there."""
    at_once: bool = False
    """Done before the next key is read, because it decides where that one goes."""


_OF_THE_SURFACE = (
    ("score", "The sum of the parts, in points; the best come first."),
    ("conf", "How sure Cortex is of it today, at most 50."),
    ("prio", "How much it matters to you (priority), at most 20."),
    ("links", "Links to it from other sessions, at most 15."),
    ("use", "How many sessions used it, at most 15."),
    ("branch", "It was learned on the branch you are on: 10."),
    ("kind", "Policies and procedures most, at most 10."),
    ("often", "It was learned in several sessions, at most 10."),
    ("said", "You said it, chose it or approved it, at most 10."),
    ("works", "A command that works, or a fact of the machine: 20."),
    ("words", "How much of the prompt its words cover, at most 100."),
    ("meaning", "How similar it is to the prompt, about 100 at most."),
    ("baseline", "It applies always: what you said or pinned. 100."),
    ("in its share", "Each section of the note is sure of some tokens."),
    ("best of rest", "The tokens that no section needs go to the best."),
    ("left out", "Compared and not injected; the reason is next to it."),
)
"""Words in the reasons and scores of the surface."""

_OF_THE_LIST = (
    ("at calls", "Tool calls recall it; the key of calls shows which."),
    ("ask at calls", "Claude Code asks you before such a call."),
    ("deny at calls", "Such a call does not run."),
    ("new", "It is the team's, and you have not opened it."),
    ("shared", "It is yours, and the team has it too, maybe reworded."),
)
"""Words in the remarks of rows."""

_ABOUT = {
    "today": "What was learned, what waits for you, how your rules were kept, and what the next "
    "session gets. Each line opens what it is about.",
    "memories": "What Cortex remembers, in this project and for all projects. Search it, read it, "
    "change it: every change can be undone.",
    "detail": "All about one memory: what it says, how important it is and why, where it came "
    "from, its links and its changes.",
    "turn": "The part of a session that a memory was learned from.",
    "neighbours": "A memory in the middle and those linked to it, to walk from one to the next.",
    "inbox": "All that waits for you: suggestions, contradictions, memories that may say the same, "
    "what you had to say again, requests of the team, what does not work. Yes, no, edit or later.",
    "surface": "What Claude gets at the start of a session, with a prompt or with a file, and why "
    "each line is in or out.",
    "capture": "What Cortex learned from your sessions, how your rules are kept, and whether "
    "everything works.",
    "settings": "Settings, themes, keys, embedding models and stores. A change takes effect at "
    "once, and can be undone.",
    "sessions": "What was said in your sessions, kept after Claude Code deletes its transcripts. "
    "Search it; words that were said find the message.",
    "conversation": "One session as it reads. Commands and files in a row are one line.",
    "log": "Every change to the memories: when, by whom, and what it did. Each can be undone by "
    "itself.",
}
"""What each screen is for."""

_PLACES: tuple[KeyPlace, ...] = (
    KeyPlace(
        "memories",
        "Memories",
        ("memory",),
        words=_OF_THE_LIST,
        about=_ABOUT["memories"],
        is_screen=True,
    ),
    KeyPlace("list", "In the list", ("memories",), moves=True),
    KeyPlace("preview", "In the preview", ("memories",), moves=True),
    KeyPlace("search", "While typing a search", ("memories",), moves=True),
    KeyPlace("detail", "Detail", ("memory", "page"), about=_ABOUT["detail"], is_screen=True),
    KeyPlace("turn", "In the session turn", ("page",), about=_ABOUT["turn"], is_screen=True),
    KeyPlace("sheet", "While reading", ("detail", "turn"), moves=True),
    KeyPlace(
        "neighbours", "Neighbours", ("memory", "page"), about=_ABOUT["neighbours"], is_screen=True
    ),
    KeyPlace("map", "On the map of neighbours", ("neighbours",), moves=True),
    KeyPlace("pick", "While choosing a memory", ("dialog",), moves=True),
    KeyPlace("today", "Today", ("page",), about=_ABOUT["today"], is_screen=True),
    KeyPlace("days", "On the page of today", ("today",), moves=True),
    KeyPlace("inbox", "Inbox", ("page",), about=_ABOUT["inbox"], is_screen=True),
    KeyPlace("queue", "In the inbox", ("inbox",), moves=True),
    KeyPlace("words", "While editing in the inbox", ("app",), moves=True),
    KeyPlace(
        "surface",
        "Surface",
        ("memory", "page"),
        words=_OF_THE_SURFACE,
        about=_ABOUT["surface"],
        is_screen=True,
    ),
    KeyPlace("given", "In the injected text", ("surface",), moves=True),
    KeyPlace("prompt", "While typing a prompt", ("surface",), moves=True),
    KeyPlace("capture", "Capture and health", ("page",), about=_ABOUT["capture"], is_screen=True),
    KeyPlace(
        "items", "In a list of capture, settings or log", ("capture", "settings", "log"), moves=True
    ),
    KeyPlace("reader", "In the pane next to it", ("capture", "settings", "log"), moves=True),
    KeyPlace("settings", "Settings", ("page",), about=_ABOUT["settings"], is_screen=True),
    KeyPlace("log", "Log", ("page",), about=_ABOUT["log"], is_screen=True),
    KeyPlace("sessions", "Sessions", ("page",), about=_ABOUT["sessions"], is_screen=True),
    KeyPlace(
        "conversation", "Conversation", ("page",), about=_ABOUT["conversation"], is_screen=True
    ),
    KeyPlace("talk", "In sessions and conversations", ("sessions", "conversation"), moves=True),
    KeyPlace("dialog", "In a dialog", ("app",), moves=True),
    KeyPlace("confirm", "In a question", ("dialog",), moves=True),
    KeyPlace("write", "While writing", ("dialog",), moves=True),
    KeyPlace("calls", "While setting triggers", ("dialog",), moves=True),
    KeyPlace("choose", "In a choice", ("dialog",), moves=True),
    KeyPlace("app", "Everywhere"),
    KeyPlace("store", "On every screen", ("app",)),
    KeyPlace("page", "On every screen except the memories", ("store",), moves=True),
    KeyPlace("memory", "With a memory", ("store",)),
    KeyPlace("help", "In the help", ("app",), moves=True),
)

Two = tuple[str, str]
"""What the key that goes on has, and the key that goes back."""
FAR = ("move(-100000)", "move(100000)")
"""To the first and to the last of any list."""


def _steps(
    place: str,
    one: str,
    act: Two = ("move(1)", "move(-1)"),
    *,
    keys: Two = ("j,down", "k,up"),
    at_once: bool = False,
) -> tuple[Key, Key]:
    """To the next and to the previous of what a list has; `one` names it."""
    return (
        Key(f"{place}.down", keys[0], act[0], "down", f"Next {one}.", place, at_once=at_once),
        Key(f"{place}.up", keys[1], act[1], "up", f"Previous {one}.", place, at_once=at_once),
    )


def _pages(
    place: str,
    act: Two = ("page(1)", "page(-1)"),
    *,
    keys: Two = ("pagedown,ctrl+d", "pageup,ctrl+u"),
    does: str = "A page",
) -> tuple[Key, Key]:
    """A page down and a page up."""
    return (
        Key(f"{place}.page_down", keys[0], act[0], "page down", f"{does} down.", place),
        Key(f"{place}.page_up", keys[1], act[1], "page up", f"{does} up.", place),
    )


def _ends(place: str, one: str = "", *, act: Two = ("top", "bottom")) -> tuple[Key, Key]:
    """To the beginning and to the end; `one` names what a list has."""
    first, last = (
        (f"First {one}.", f"Last {one}.") if one else ("Go to the beginning.", "Go to the end.")
    )
    return (
        Key(f"{place}.top", "g,home", act[0], "top", first, place),
        Key(f"{place}.bottom", "G,end", act[1], "bottom", last, place),
    )


TABLE: tuple[Key, ...] = (
    # Keys of the memories: the list, its preview and the search.
    Key(
        "search.open",
        "/",
        "search",
        "search",
        "Type words to search for.",
        "memories",
        1,
        at_once=True,
    ),
    Key("memory.new", "n", "new", "new", "Write a new memory.", "memories", 18),
    Key(
        "list.filter",
        "f",
        "filter",
        "filter",
        "Choose a kind, scope, status, tag or branch.",
        "memories",
        8,
    ),
    Key("list.unfilter", "x", "unfilter", "drop filter", "Remove the last filter.", "memories"),
    Key(
        "list.statuses",
        "a",
        "statuses",
        "show all",
        "Show every status, or only active memories.",
        "memories",
        13,
    ),
    Key(
        "list.sort",
        "s",
        "sort",
        "sort",
        "Sort by change, age, importance, title and more.",
        "memories",
        14,
    ),
    Key(
        "list.sort_by", "S", "sort_by", "sort by", "Choose the sort order from a list.", "memories"
    ),
    Key("mark.range", "v", "mark_range", "mark range", "Start or end marking a range.", "memories"),
    Key("mark.all", "A", "mark_all", "mark all", "Mark all shown memories.", "memories"),
    Key("mark.none", "U", "mark_none", "unmark", "Remove all marks.", "memories"),
    Key("mark.one", "space", "mark", "mark", "Mark the memory, or unmark it.", "memories", 9),
    Key(
        "list.detail",
        "enter",
        "screen.detail",
        "open",
        "Show everything about the memory.",
        "list",
        5,
    ),
    Key("memory.open", "l,right", "open", "read", "Go into the preview to scroll it.", "list"),
    *_steps("list", "memory"),
    Key("list.half_down", "ctrl+d", "half(1)", "half down", "Half a page down.", "list"),
    Key("list.half_up", "ctrl+u", "half(-1)", "half up", "Half a page up.", "list"),
    *_pages("list", keys=("pagedown", "pageup")),
    *_ends("list", "memory"),
    Key(
        "list.clear",
        "escape",
        "clear_search",
        "clear",
        "End the range, clear the search, drop filters.",
        "list",
    ),
    Key("preview.down", "j,down", "scroll_down", "down", "Scroll a line down.", "preview"),
    Key("preview.up", "k,up", "scroll_up", "up", "Scroll a line up.", "preview"),
    *_pages("preview", does="Scroll a page"),
    *_ends("preview", act=("scroll_home", "scroll_end")),
    Key("preview.leave", "escape,enter,h,left", "leave", "back", "Back to the list.", "preview"),
    Key(
        "search.leave",
        "escape",
        "leave",
        "stop typing",
        "Leave the search; a second time clears it.",
        "search",
        1,
    ),
    Key(
        "search.unfilter",
        "backspace",
        "backspace",
        "drop filter",
        "In an empty search: remove the last filter.",
        "search",
        4,
    ),
    Key("search.down", "down", "list_down", "next", "Next line, while typing.", "search", 2),
    Key("search.up", "up", "list_up", "previous", "Previous line, while typing.", "search", 3),
    # Keys of the detail of one memory, and of the turn that it came from.
    Key(
        "detail.follow",
        "enter",
        "follow",
        "follow",
        "Follow the link, source or breach at the cursor.",
        "detail",
        1,
    ),
    Key("detail.next", "n,]", "step(1)", "next", "Show the next memory of the list.", "detail", 5),
    Key(
        "detail.previous",
        "N,[",
        "step(-1)",
        "previous",
        "Show the previous memory of the list.",
        "detail",
        13,
    ),
    Key("detail.text", "T", "jump('text')", "text", "Go to the text.", "detail"),
    Key("detail.code", "C", "jump('code')", "code", "Go to the code that it describes.", "detail"),
    Key(
        "detail.importance",
        "S",
        "jump('importance')",
        "importance",
        "Go to its importance, and when it decays.",
        "detail",
    ),
    Key("detail.from", "F", "jump('from')", "from", "Go to where it came from.", "detail", 8),
    Key(
        "detail.kept",
        "K",
        "jump('kept')",
        "kept",
        "Go to how the rule was kept, and breaches.",
        "detail",
    ),
    Key("detail.links", "L", "jump('links')", "links", "Go to its links.", "detail", 8),
    Key("detail.history", "H", "jump('history')", "history", "Go to its changes.", "detail", 8),
    Key(
        "detail.session",
        "s",
        "session",
        "session",
        "Read the session that it came from.",
        "detail",
        8,
    ),
    Key(
        "detail.receipts",
        "R",
        "jump('receipts')",
        "receipts",
        "Go to when it was injected.",
        "detail",
    ),
    *_steps("sheet", "line or choice"),
    *_pages(
        "sheet",
        keys=("pagedown,ctrl+d,space", "pageup,ctrl+u"),
        does="Scroll a page",
    ),
    *_ends("sheet"),
    # Keys of the neighbours of a memory.
    Key(
        "map.centre",
        "enter",
        "centre",
        "centre",
        "Put the neighbour in the middle.",
        "neighbours",
        1,
    ),
    Key("map.detail", "v", "detail", "open", "Show everything about the memory.", "neighbours", 5),
    Key(
        "map.link",
        "+",
        "link",
        "link",
        "Link the memory in the middle to another.",
        "neighbours",
        2,
    ),
    Key("map.unlink", "-", "unlink", "unlink", "Remove the link at the cursor.", "neighbours", 2),
    Key("map.depth", "D", "depth", "depth", "Show one, two or three steps.", "neighbours", 6),
    Key("map.tree", "T", "tree", "tree", "Show columns, or a tree.", "neighbours", 8),
    *_steps("map", "neighbour"),
    Key("map.left", "h,left", "left", "left", "Go to a memory that links here.", "map"),
    Key("map.right", "l,right", "right", "right", "Go to a linked memory.", "map"),
    *_pages("map"),
    *_ends("map", "neighbour"),
    *_steps("pick", "memory", keys=("down", "up"), at_once=True),
    # Keys of the page of today.
    Key("today.open", "enter", "pick", "open", "Show it whole.", "today", 1),
    Key("today.yes", "y", "answer('yes')", "yes", "Do what the inbox suggests.", "today", 2),
    Key("today.no", "n", "answer('no')", "no", "Discard it, or leave both memories.", "today", 3),
    Key("today.source", "s", "source", "turn", "Show the turn in which it was said.", "today", 5),
    *_steps("days", "line"),
    *_ends("days", "line", act=FAR),
    # Keys of the inbox.
    Key(
        "inbox.yes",
        "y",
        "answer('yes')",
        "yes",
        "Do what is proposed; with edited words.",
        "inbox",
        1,
    ),
    Key("inbox.no", "n", "answer('no')", "no", "Leave it as it is, or discard it.", "inbox", 2),
    Key(
        "inbox.edit",
        "e",
        "edit",
        "edit",
        "Edit the words where they are; yes uses them.",
        "inbox",
        3,
    ),
    Key("inbox.later", "space,l", "later", "later", "Go to the next that waits.", "inbox", 4),
    Key("inbox.left", "<", "answer('left')", "keep A", "Keep A; it inherits from B.", "inbox", 5),
    Key("inbox.right", ">", "answer('right')", "keep B", "Keep B; it inherits from A.", "inbox", 5),
    Key(
        "inbox.default",
        "enter",
        "default",
        "suggested",
        "Use your words, else do what is suggested.",
        "inbox",
        13,
    ),
    Key("inbox.source", "s", "source", "turn", "Show the turn in which it was said.", "inbox", 8),
    Key(
        "inbox.approve_all",
        "A",
        "approve_all",
        "approve all",
        "Merge all proposals without conflicts.",
        "inbox",
        15,
    ),
    Key(
        "inbox.consolidate",
        "c",
        "consolidate",
        "consolidate",
        "Search for possible duplicates now.",
        "inbox",
        16,
    ),
    Key("queue.down", "j,down", "move(1)", "next", "Next in the list.", "queue"),
    Key("queue.up", "k,up", "move(-1)", "previous", "Previous in the list.", "queue"),
    Key("queue.top", "g,home", "move(-100000)", "first", "First in the list.", "queue"),
    Key("queue.bottom", "G,end", "move(100000)", "last", "Last in the list.", "queue"),
    Key(
        "queue.page_down",
        "pagedown,ctrl+d",
        "scroll(0.8)",
        "scroll down",
        "Scroll what is judged down.",
        "queue",
    ),
    Key(
        "queue.page_up",
        "pageup,ctrl+u",
        "scroll(-0.8)",
        "scroll up",
        "Scroll what is judged up.",
        "queue",
    ),
    Key(
        "words.done",
        "ctrl+s,escape",
        "done",
        "done",
        "Keep the words for the next yes.",
        "words",
        1,
        at_once=True,
    ),
    # Keys of the surface workbench.
    Key(
        "surface.prompt",
        "/",
        "prompt",
        "prompt",
        "Type a prompt, or file: and a path.",
        "surface",
        1,
        at_once=True,
    ),
    Key(
        "surface.find",
        "f",
        "find",
        "find",
        "Find a memory, injected or not, and why.",
        "surface",
        2,
        at_once=True,
    ),
    Key(
        "surface.wrong",
        "w",
        "wrong",
        "wrong here",
        "Inject it no more with such prompts, or at the start.",
        "surface",
        3,
    ),
    Key(
        "surface.text",
        "v",
        "text",
        "exact text",
        "Show the exact text, or the lines again.",
        "surface",
        5,
    ),
    Key("given.open", "enter", "detail", "open", "Show everything about the memory.", "given"),
    *_steps("given", "line"),
    *_pages("given", ("scroll(0.8)", "scroll(-0.8)")),
    *_ends("given", "line", act=FAR),
    *_steps("prompt", "line, while typing", act=("line(1)", "line(-1)"), keys=("down", "up")),
    # Keys of capture and health, and of the lists and panes that it shares with the settings.
    Key(
        "capture.ledger",
        "L",
        "section('ledger')",
        "ledger",
        "Show what capture has read.",
        "capture",
    ),
    Key(
        "capture.secrets",
        "X",
        "section('secrets')",
        "secrets",
        "Search everything that is kept for secrets.",
        "capture",
    ),
    Key(
        "capture.rules",
        "R",
        "section('rules')",
        "rules",
        "Show the rules and your verdicts.",
        "capture",
    ),
    Key(
        "capture.kept",
        "K",
        "section('kept')",
        "kept",
        "Show how often each rule was kept, by past sessions.",
        "capture",
    ),
    Key(
        "capture.health",
        "H",
        "section('health')",
        "health",
        "Run the checks of the doctor.",
        "capture",
    ),
    Key(
        "capture.numbers",
        "N",
        "section('numbers')",
        "numbers",
        "Show figures over time: captured, used, paid.",
        "capture",
    ),
    Key(
        "capture.replay",
        "r",
        "replay",
        "replay",
        "Read the session again from its start.",
        "capture",
        1,
    ),
    Key(
        "capture.rule", "s", "rule", "set rule", "Set where the finds of the rule go.", "capture", 1
    ),
    Key("capture.fix", "f", "fix", "fix", "Repair what can be repaired safely.", "capture", 1),
    Key(
        "capture.exchange",
        "x",
        "exchange",
        "exchange",
        "Exchange with your other machines now.",
        "capture",
        2,
    ),
    Key(
        "capture.pull", "p", "pull", "read team", "Read what the team approved since.", "capture", 3
    ),
    Key(
        "capture.scrub",
        "b",
        "scrub",
        "scrub",
        "Remove the secrets everywhere, permanently.",
        "capture",
        1,
    ),
    Key(
        "capture.import",
        "i",
        "import",
        "import",
        "Import past sessions, after a preview.",
        "capture",
        6,
    ),
    Key(
        "capture.import_all",
        "A",
        "import_all",
        "import all",
        "Import sessions of all projects, after a preview.",
        "capture",
    ),
    Key(
        "capture.export",
        "E",
        "export",
        "export",
        "Write all memories to a folder of Markdown files.",
        "capture",
    ),
    Key("capture.embed", "v", "embed", "embed", "Compute missing vectors.", "capture", 7),
    Key(
        "capture.pause",
        "P",
        "pause",
        "pause",
        "Pause or resume capture in this project.",
        "capture",
        8,
    ),
    *_steps("items", "line"),
    *_pages("items"),
    *_ends("items", "line"),
    Key("items.enter", "enter", "pick", "open", "Open, set or use what the cursor is on.", "items"),
    Key("items.copy", "y", "screen.copy_item", "copy", "Copy what the pane says.", "items"),
    Key("items.right", "right,l", "screen.section_by(1)", "next section", "Next section.", "items"),
    Key(
        "items.left",
        "left,h",
        "screen.section_by(-1)",
        "previous section",
        "Previous section.",
        "items",
    ),
    Key("reader.down", "j,down", "lines(1)", "down", "Scroll a line down.", "reader"),
    Key("reader.up", "k,up", "lines(-1)", "up", "Scroll a line up.", "reader"),
    *_pages("reader", ("pages(1)", "pages(-1)"), does="Scroll a page"),
    Key("reader.leave", "enter,h,left", "leave", "back", "Back to the list.", "reader"),
    # Keys of the settings.
    Key(
        "settings.options", "O", "section('options')", "options", "Show every setting.", "settings"
    ),
    Key(
        "settings.themes",
        "T",
        "section('themes')",
        "themes",
        "Choose a theme, with a preview.",
        "settings",
    ),
    Key(
        "settings.keys",
        "K",
        "section('keys')",
        "keys",
        "Show every key, and change it.",
        "settings",
    ),
    Key(
        "settings.models",
        "M",
        "section('models')",
        "models",
        "Choose the embedding model.",
        "settings",
    ),
    Key(
        "settings.stores",
        "U",
        "section('stores')",
        "stores",
        "Show the stores, and whether they are trusted.",
        "settings",
    ),
    Key(
        "settings.search",
        "/",
        "search",
        "search",
        "Type words to search the section for.",
        "settings",
        4,
        at_once=True,
    ),
    Key("settings.change", "c", "change", "change", "Change what the cursor is on.", "settings", 1),
    Key("settings.reset", "x", "reset", "reset", "Remove it from its file.", "settings", 2),
    Key(
        "settings.side",
        "w",
        "side",
        "other file",
        "Write to the other file: the project's, or your own.",
        "settings",
        3,
    ),
    Key("settings.reembed", "m", "reembed", "reembed", "Recompute all vectors.", "settings", 1),
    Key(
        "settings.trust",
        "t",
        "trust",
        "trust",
        "Trust the project store, or stop trusting it.",
        "settings",
        1,
    ),
    # Keys of the log.
    Key(
        "log.undo",
        "U",
        "undo_this",
        "undo this",
        "Undo this change, whatever was done since.",
        "log",
        1,
    ),
    Key("log.redo", "R", "redo_this", "redo this", "Redo this change, if it is undone.", "log", 2),
    Key("log.search", "/", "search", "search", "Search the changes by words.", "log", 5),
    Key("log.all", "A", "section('all')", "all", "Show every change.", "log"),
    Key(
        "log.session",
        "S",
        "section('session')",
        "session",
        "Show what was done in this app, settings too.",
        "log",
    ),
    Key("log.you", "Y", "section('you')", "you", "Show what you changed.", "log"),
    Key("log.agent", "T", "section('agent')", "agent", "Show what agents changed.", "log"),
    Key("log.capture", "C", "section('capture')", "capture", "Show what capture changed.", "log"),
    Key("log.imports", "M", "section('imports')", "imports", "Show what imports changed.", "log"),
    # Keys of the sessions and of one conversation.
    Key(
        "sessions.search",
        "/",
        "search",
        "search",
        "Type words that were said.",
        "sessions",
        1,
        at_once=True,
    ),
    Key("sessions.filter", "f", "filter", "filter", "Choose a branch or a time.", "sessions", 3),
    Key(
        "sessions.unfilter",
        "x",
        "unfilter",
        "drop filter",
        "Remove the last filter.",
        "sessions",
        9,
    ),
    Key(
        "sessions.forget",
        "d",
        "forget",
        "forget",
        "Forget the session, and its memories if you want.",
        "sessions",
        5,
    ),
    Key("sessions.copy_id", "Y", "copy_id", "copy id", "Copy the session's id.", "sessions", 15),
    Key(
        "conversation.next",
        "n",
        "match(1)",
        "next match",
        "Go to the next match.",
        "conversation",
        1,
    ),
    Key(
        "conversation.previous",
        "N",
        "match(-1)",
        "previous match",
        "Go to the previous match.",
        "conversation",
        9,
    ),
    Key(
        "conversation.search",
        "/",
        "search",
        "find",
        "Find words in this conversation.",
        "conversation",
        5,
        at_once=True,
    ),
    Key(
        "conversation.turn_next",
        "]",
        "turn(1)",
        "next turn",
        "Go to what you said next.",
        "conversation",
        6,
    ),
    Key(
        "conversation.turn_previous",
        "[",
        "turn(-1)",
        "previous turn",
        "Go to what you said before.",
        "conversation",
        8,
    ),
    Key(
        "conversation.keep",
        "a",
        "keep",
        "make a memory",
        "Make a memory of the message, after editing it.",
        "conversation",
        2,
    ),
    Key(
        "conversation.memories",
        "m",
        "memories",
        "memories",
        "Open the memory that came from the message.",
        "conversation",
        3,
    ),
    Key(
        "conversation.forget",
        "d",
        "forget",
        "forget",
        "Forget the session, and its memories if you want.",
        "conversation",
        13,
    ),
    Key("conversation.copy", "y", "copy", "copy", "Copy the message.", "conversation", 15),
    Key(
        "conversation.copy_id", "Y", "copy_id", "copy id", "Copy the session's id.", "conversation"
    ),
    Key("talk.open", "enter", "pick", "open", "Open the session, the fold or the memory.", "talk"),
    *_steps("talk", "line or message"),
    *_pages("talk", keys=("pagedown,ctrl+d,space", "pageup,ctrl+u")),
    *_ends("talk"),
    # Keys of the dialogs.
    Key("dialog.leave", "escape", "leave", "cancel", "Close it without changes.", "dialog"),
    Key("confirm.yes", "y", "yes", "yes", "Do it.", "confirm"),
    Key("confirm.no", "n", "leave", "no", "Change nothing.", "confirm"),
    Key(
        "confirm.other", "left,right", "other", "other answer", "Go to the other answer.", "confirm"
    ),
    Key(
        "confirm.down", "j,down", "lines(1)", "down", "Scroll what is said a line down.", "confirm"
    ),
    Key("confirm.up", "k,up", "lines(-1)", "up", "Scroll what is said a line up.", "confirm"),
    Key(
        "confirm.page_down",
        "pagedown,ctrl+d",
        "lines(10)",
        "page down",
        "Scroll it down.",
        "confirm",
    ),
    Key("confirm.page_up", "pageup,ctrl+u", "lines(-10)", "page up", "Scroll it up.", "confirm"),
    Key("write.save", "ctrl+s", "save", "save", "Save the text.", "write", at_once=True),
    Key(
        "triggers.save",
        "ctrl+s",
        "save",
        "save",
        "Save the triggers and the guard.",
        "calls",
        at_once=True,
    ),
    Key(
        "triggers.guard",
        "ctrl+g",
        "guard",
        "guard",
        "What becomes of such a call.",
        "calls",
        at_once=True,
    ),
    Key(
        "triggers.words",
        "ctrl+t",
        "words",
        "from its words",
        "Write the triggers that the rule's words have.",
        "calls",
        at_once=True,
    ),
    *_steps("choose", "choice", keys=("down", "up"), at_once=True),
    Key(
        "choose.page_down",
        "pagedown",
        "move(10)",
        "page down",
        "Ten choices down.",
        "choose",
        at_once=True,
    ),
    Key(
        "choose.page_up",
        "pageup",
        "move(-10)",
        "page up",
        "Ten choices up.",
        "choose",
        at_once=True,
    ),
    # Keys of the whole app, of every screen over the stores, and of the memory at hand.
    Key("change.undo", "u", "undo", "undo", "Undo the last change.", "store", 4),
    Key("change.redo", "ctrl+r", "redo", "redo", "Redo the last undone change.", "store", 18),
    Key(
        "page.triggers",
        "!",
        "switch_triggers",
        "all triggers",
        "Switch all triggers and guards off, or on again.",
        "store",
    ),
    Key(
        "page.connect",
        "I",
        "connect",
        "connect",
        "Connect with Claude Code, after a preview.",
        "store",
    ),
    Key(
        "page.refresh",
        "f5",
        "refresh",
        "read again",
        "Read again; removes rows that no longer match.",
        "store",
    ),
    Key(
        "page.back",
        "escape,backspace",
        "back",
        "back",
        "Go back to where you came from.",
        "page",
        14,
    ),
    Key("memory.pin", "p", "pin", "pin", "Pin or unpin the memory.", "memory", 2),
    Key(
        "memory.forget",
        "d",
        "forget",
        "forget",
        "Archive the memory; undo restores it.",
        "memory",
        3,
    ),
    Key(
        "memory.restore",
        "r",
        "restore",
        "restore",
        "Restore, keep, release; confirm what is out of date.",
        "memory",
        16,
    ),
    Key(
        "memory.copy",
        "y",
        "copy",
        "copy",
        "Copy the memory's text, or the injected text.",
        "memory",
        15,
    ),
    Key("memory.copy_id", "Y", "copy_id", "copy id", "Copy the memory's id.", "memory"),
    Key(
        "memory.edit",
        "e",
        "edit",
        "edit",
        "Edit it in your editor ($EDITOR), else here.",
        "memory",
        7,
    ),
    Key(
        "memory.replace",
        "W",
        "replace",
        "replace",
        "Write a new memory that takes its place.",
        "memory",
    ),
    Key("memory.tag", "t", "change_tags", "tag", "Add or remove tags.", "memory", 17),
    Key(
        "memory.move",
        "m",
        "change_store",
        "move",
        "Move it to the other store: project, global.",
        "memory",
    ),
    Key("memory.give", "i", "change_injection", "inject", "Set the injection policy.", "memory"),
    Key(
        "memory.triggers",
        "c",
        "triggers",
        "calls",
        "Set at which tool calls it is recalled.",
        "memory",
        17,
    ),
    Key(
        "memory.propose",
        "P",
        "propose",
        "propose",
        "Propose it to the team, with a reason.",
        "memory",
    ),
    Key(
        "memory.neighbours",
        "o",
        "neighbours",
        "neighbours",
        "Show the memories linked to it.",
        "memory",
        6,
    ),
    Key("go.today", "0", "app.go('today')", "today", "Go to what is new and what waits.", "app"),
    Key("go.memories", "1", "app.go('memories')", "memories", "Go to the memories.", "app"),
    Key("go.inbox", "2", "app.go('inbox')", "inbox", "Go to what waits for your decision.", "app"),
    Key("go.surface", "3", "app.go('surface')", "surface", "See what Claude will get next.", "app"),
    Key(
        "go.capture",
        "4",
        "app.go('capture')",
        "capture",
        "See what was captured or failed.",
        "app",
    ),
    Key("go.settings", "5", "app.go('settings')", "settings", "Go to the settings.", "app"),
    Key("go.log", "6", "app.go('log')", "log", "Go to the log of all changes.", "app"),
    Key(
        "go.sessions",
        "7",
        "app.go('sessions')",
        "sessions",
        "Search and read what was said in sessions.",
        "app",
    ),
    Key("app.next", "tab", "app.focus_next", "next pane", "Go to the next pane.", "app"),
    Key(
        "app.previous",
        "shift+tab",
        "app.focus_previous",
        "previous pane",
        "Go to the previous pane.",
        "app",
    ),
    Key("app.help", "?", "help", "help", "Show every key; type to filter.", "app", 10),
    Key(
        "app.commands",
        "ctrl+p",
        "command_palette",
        "commands",
        "Find a command by name.",
        "app",
        11,
    ),
    Key(
        "app.suspend",
        "ctrl+z",
        "suspend_process",
        "suspend",
        "Put Cortex in the background; fg brings it back.",
        "app",
    ),
    Key("app.quit", "q,ctrl+q,ctrl+c", "quit", "quit", "Leave Cortex.", "app", 12, at_once=True),
    Key("help.down", "down", "scroll(1)", "down", "Scroll a line down.", "help"),
    Key("help.up", "up", "scroll(-1)", "up", "Scroll a line up.", "help"),
    *_pages("help", keys=("pagedown", "pageup")),
    Key("help.leave", "escape", "leave", "back", "Close the help.", "help"),
)

PLACES: dict[str, KeyPlace] = {place.name: place for place in _PLACES}
"""Each place by name, in the order of the help."""


@cache
def around(name: str) -> tuple[str, ...]:
    """The place called `name` and those around it, the innermost first."""
    outer = (place for inside in PLACES[name].inside for place in around(inside))
    return tuple(dict.fromkeys((name, *outer)))


@cache
def together(name: str) -> frozenset[str]:
    """The places whose keys can be in effect together with those of `name`."""
    found = {place for at in PLACES if name in around(at) for place in around(at)}
    others = {place for place in found if PLACES[place].is_screen} - {name}
    return frozenset(found - others if PLACES[name].is_screen else found)


UNBOUND = "unbound"
"""Represents an action without a key in Textual's keymap: no terminal sends it."""

_SHORT = {
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
    "delete": "del",
    "enter": "enter",
    "backspace": "bksp",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
}
_NAMES = frozenset(key.value for key in Keys) | {"newline"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})


class Keymap(NamedTuple):
    """The keys in effect and what was wrong with the configured ones."""

    keys: Mapping[str, tuple[str, ...]]
    """Action id → its keys, Textual's names; empty when another action took them."""
    problems: tuple[str, ...] = ()

    def shown(self, name: str) -> str:
        """The keys of an action as the user reads them: `j down`."""
        return " ".join(display(key) for key in self.keys.get(name, ()))

    def first(self, name: str) -> str:
        """The first key of an action, or "" when it has none."""
        keys = self.keys.get(name, ())
        return display(keys[0]) if keys else ""

    def nothing_here(self, key: str, place: str) -> str:
        """Why `key` does nothing on the screen `place`, and where it does something; "" where it
        has a meaning on the screen or in one of its parts."""
        elsewhere: list[Key] = []
        for one in TABLE:
            if key in self.keys[one.id]:
                if one.place in around(place) or place in around(one.place):
                    return ""
                if not PLACES[one.place].moves:
                    elsewhere.append(one)
        shown = display(key)
        if not elsewhere:
            every = self.first("app.help")
            return f"“{shown}” does nothing." + (f" {every} shows every key." if every else "")
        where = "; ".join(f"{PLACES[one.place].title}: {one.label}" for one in elsewhere)
        return f"“{shown}” does nothing here. {where}."

    def overrides(self) -> dict[str, str]:
        """What differs from the table, as Textual's keymap wants it."""
        return {
            key.id: ",".join(self.keys[key.id]) or UNBOUND
            for key in TABLE
            if self.keys[key.id] != _split(key.keys)
        }


def _split(keys: str) -> tuple[str, ...]:
    """`"j,?"` as Textual's names; a lone comma is the comma key."""
    parts = [","] if keys.strip() == "," else keys.split(",")
    return tuple(_named(part.strip()) for part in parts if part.strip())


def _named(key: str) -> str:
    return _character_to_key(key) if len(key) == 1 else key


def _exists(key: str) -> bool:
    *modifiers, last = key.split("+")
    if not set(modifiers) <= _MODIFIERS:
        return False
    character = key_to_character(last)
    named = last in _NAMES or key in _NAMES
    return named or (character is not None and character.isprintable() and ord(character) < 0x250)


def display(key: str) -> str:
    """One key as the user reads it: `^d`, `?`, `pgdn`."""
    *modifiers, last = key.split("+")
    shown = _SHORT.get(last) or format_key(last)
    if modifiers == ["ctrl"] and len(shown) == 1:
        return f"^{shown}"
    return "+".join([*modifiers, shown])


def resolve(configured: Mapping[str, str]) -> Keymap:
    """The keys in effect when `configured` (id → keys) overrides the table.

    A configured key wins over a default one; between two configured ones the first wins. Whatever
    is not as the user wrote it is reported in `problems`.
    """
    problems: list[str] = []
    wanted = _wanted(configured, problems)
    taken: dict[tuple[str, str], str] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for key in sorted(TABLE, key=lambda key: key.id not in wanted):
        keys[key.id] = ()
        for one in wanted.get(key.id, _split(key.keys)):
            if (owner := _owner(key, one, taken)) is not None:
                problems.append(f"keys: {display(one)} is {owner}, so {key.id} lost it.")
                continue
            keys[key.id] += (one,)
            taken[key.place, one] = key.id
    return Keymap(keys, tuple(problems))


def refusal(current: Keymap, name: str, typed: str) -> str:
    """Why the action `name` cannot have the keys `typed` while others are as in `current`; "" when
    it can."""
    place = next(key.place for key in TABLE if key.id == name)
    for one in _split(typed):
        if not _exists(one):
            return f"“{one}” is no key. Nothing was changed."
        for other in TABLE:
            if (
                other.id != name
                and other.place in together(place)
                and one in current.keys[other.id]
            ):
                return (
                    f"{display(one)} is the key of {other.id}. Nothing was changed: choose another "
                    "one, or change that first."
                )
    return "" if _split(typed) else "There must be a key. Nothing was changed."


def _wanted(configured: Mapping[str, str], problems: list[str]) -> dict[str, tuple[str, ...]]:
    known = {key.id for key in TABLE}
    wanted: dict[str, tuple[str, ...]] = {}
    for name, value in configured.items():
        if name not in known:
            problems.append(f"keys: there is no action “{name}”; ? lists those there are.")
            continue
        keys = _split(str(value))
        bad = [key for key in keys if not _exists(key)]
        problems.extend(f"keys: “{key}” for {name} is no key." for key in bad)
        if good := tuple(key for key in keys if key not in bad):
            wanted[name] = good
        else:
            problems.append(f"keys: {name} keeps its own key.")
    return wanted


def _owner(key: Key, one: str, taken: Mapping[tuple[str, str], str]) -> str | None:
    """The action that already has `one` in a place where `key` works too."""
    return next((taken[place, one] for place in together(key.place) if (place, one) in taken), None)


def bindings(place: str) -> list[Binding]:
    """Textual's bindings for one place, from the table."""
    return [
        Binding(
            key.keys,
            key.action,
            key.label,
            show=bool(key.footer),
            tooltip=key.tooltip,
            id=key.id,
            priority=key.at_once,
        )
        for key in TABLE
        if key.place == place
    ]
