"""The marks by which Claude Code and models structure a conversation, made harmless in other text.

A mark is found however it is disguised: spaced, in capitals, in full width or with look-alike
letters, with accents or invisible characters in between. Standard library only: hooks load this.
"""

import re

_COMPOUND = (
    "antml",
    "available",
    "bash",
    "claude",
    "command",
    "cortex",
    "cross",
    "fork",
    "function",
    "ide",
    "local",
    "mcp",
    "new",
    "persisted",
    "session",
    "system",
    "task",
    "teammate",
    "tool",
    "user",
)
"""First words of Claude Code's own tags, such as `<system-reminder>`."""

_PLAIN = (
    "assistant",
    "bos",
    "end_of_turn",
    "eos",
    "human",
    "important[-_ ]instructions?",
    "instructions?",
    "invoke",
    "parameter",
    "private",
    "start_of_turn",
    "system",
)
_TYPES = ("channel", "developer", "env", "user")
"""Tags that are also names of types, as in `List<User>`."""

_ROLES = "assistant|developer|human|inst|sys|system|user"
_IN_BRACKETS = (*_ROLES.split("|"), "request interrupted")

_MARK = (
    rf"<(?=[<\s/]{{0,8}}(?:(?:{'|'.join(_COMPOUND)})[-_: ]|(?:{'|'.join(_PLAIN)})\s{{0,8}}[/>]"
    rf"|(?:invoke|parameter|channel)\s|sys\s{{0,8}}>|\||!--)|\s{{0,8}}/\s{{0,8}}s\s{{0,8}}>)"
    rf"|(?<!\w)<(?=[\s/]{{0,8}}(?:{'|'.join(_TYPES)})\s{{0,8}}[/>])"
    rf"|\[(?=[\s/]{{0,8}}(?:{_ROLES})\s{{0,8}}\]|\s{{0,8}}request interrupted"
    r"|\s{0,8}system (?:notification|message|prompt|reminder|override|note))"
)
"""Searched in `folded` text. Every repetition is bounded, so that no text takes long. `re` compiles
it when a text first needs it: few do, and the hooks cannot wait for it."""

_INSTEAD = {"<": "&lt;", "[": "("}

_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝьАВЕКМНОРСТУХІЈЅαβεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧıɡ‹〈⟨❬❮❰˂ᐸ≺›〉⟩❭❯❱˃ᐳ≻∕⁄⧸［ǀ∣│",
    "aeopcyxijsdhqwbABEKMHOPCTYXIJSaBeikvoptuxABEHIKMNOPTYXig<<<<<<<<<>>>>>>>>>///[|||",
)

_HIDDEN = (
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
_MARK_CHARACTERS = "<[‹〈⟨❬❮❰˂ᐸ≺＜﹤［"


def neutral(text: str) -> str:
    """`text` in which no mark is left: a tag begins with `&lt;`, a role in brackets with `(`.

    Everything else stays as it is, and the result is neutral itself.
    """
    begun = [character for character in _MARK_CHARACTERS if character in text]
    if not begun or (begun == ["["] and not _may_be_role(text)):
        return text
    plain, positions = folded(text)
    found = {positions[match.start()]: match.group() for match in re.finditer(_MARK, plain)}
    if not found:
        return text
    return "".join(
        _INSTEAD[found[index]] if index in found else character
        for index, character in enumerate(text)
    )


def _may_be_role(text: str) -> bool:
    """Whether a `[` of `text` may begin a mark: that of an id need not wait for the search."""
    behind = (part[:40] for part in text.lower().split("[")[1:])
    return any(
        not words.isascii() or words.replace("/", " ").lstrip().startswith(_IN_BRACKETS)
        for words in behind
    )


def folded(text: str) -> tuple[str, range | list[int]]:
    """`text` as a reader takes it, in lower case, and for each character where it comes from.

    Look-alikes are the letters that they look like; accents and invisible characters are left out.
    """
    if text.isascii():
        return text.lower(), range(len(text))
    letters: list[str] = []
    positions: list[int] = []
    for index, character in enumerate(text):
        for plain in _plain(character):
            letters.append(plain)
            positions.append(index)
    return "".join(letters), positions


def _plain(character: str) -> str:
    """What one character looks like, in lower case; empty for one that cannot be seen."""
    if character.isascii():
        return character.lower()
    if re.match(_HIDDEN, character):
        return ""
    import unicodedata  # which ASCII text does not need

    split = unicodedata.normalize("NFKD", character.translate(_LOOK_ALIKES))
    letters = "".join(each for each in split if not unicodedata.combining(each))
    return letters.translate(_LOOK_ALIKES).lower()
