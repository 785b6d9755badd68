"""When a text is a complete statement that can be understood alone.

Asked where memories are made and where the lines of a surface are chosen. Standard library only:
hooks load it.
"""

from cortex_core.base.text import tokens
from cortex_core.language import verbs
from cortex_core.language.detect import language
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import split

MOST_TOKENS = 40
"""Tokens of a statement that fits a line of the hand-over note."""

_OPEN_END = Pattern(
    "end of a text that was cut off",
    r"(?:[:,;(\[{—–=+&/-]|\.\.\.|…|(?<!\w)(?:and|or|but|nor|the|an?|of|to|for|with|by|from|into"
    r"|via|because|since|so|that|which|who|when|where|if|unless|than|as|at|not|never))$",
    finds="Deploy with the",
    spares="Deploy with care",
)
_ASKS = Pattern(
    "question", r"[?？؟](?=[\s\"'”’)]|$)", finds="Which one?", spares="which?x=1", flags=0
)
_SUBORDINATE = Pattern(
    "word that begins a clause which is none alone",
    r"(?:when|while|if|because|since|although|though|unless|until|whereas|which|who|whose|that"
    r"|and|or|but|nor|than|so|as|after|before)\b",
    finds="Because the store is slow",
    spares="The store",
)
_POINTING = Pattern(
    "word that points at what was said before",
    r"(?:this|that|these|those|it|its|it's|they|their|them|he|she|his|her|both|such|the (?:former"
    r"|latter|above|other)|same)\b(?!\s+(?:repo(?:sitory)?|project|codebase|app|application|service"
    r"|package|library|team|site|product|is (?:important|essential|required|forbidden)))",
    finds="They are slow",
    spares="A lock",
)
_COUNTED = Pattern(
    "ordinal without a noun, which points at a list elsewhere",
    r"(?:(?:for|in|on|about|with) )?the (?:first|second|third|fourth|last|next|rest)(?: ones?)?"
    r"(?:,| (?:we|i|you|it|they|is|isn't|are|was|should|can|could|will|would|has|does|doesn't)\b)",
    finds="For the first we need a lock",
    spares="For the first time we",
)
_LABEL = Pattern(
    "topic of “topic: choice”, up to four words; not what any report is divided into",
    r"(?!\w*(?:problem|issue|cause|fix|bug|error)\b)(?:[^\s:.!?]|\.\b)+"
    r"(?: (?:[^\s:.!?]|\.\b)+){0,3}: ",
    finds="Test runner: pytest",
    spares="pytest",
)
_LETTERS = Pattern(
    "letters of a word, or one of a script without spaces",
    r"[^\W\d_]{2}|[^\W\d_a-zA-Z]",
    finds="ab",
    spares="1 a",
    flags=0,
)


def is_complete(text: str, context: str = "") -> bool:
    """Whether `text` is a whole statement: it asks nothing and leaves nothing open.

    An English one has a finite verb or gives an order, or names a choice (“topic: choice”), and
    begins neither with a pronoun for something outside it nor with a lone subordinate clause. Of
    other languages only the punctuation is judged.

    Args:
        context: the longer text that it is from, by which its language is recognised.
    """
    words = text.strip().rstrip(".!。！ ")
    if (
        not _LETTERS.regex.search(words)
        or _ASKS.regex.search(words)
        or _OPEN_END.regex.search(words)
        or not _closed(words)
    ):
        return False
    if language(context or words) != "en":
        return True
    # A label is no sentence, so what follows it is judged.
    label = _LABEL.regex.match(words)
    rest = words[label.end() :] if label else words
    if _POINTING.regex.match(words) or _POINTING.regex.match(rest) or _COUNTED.regex.match(rest):
        return False
    return not _is_only_subordinate(rest) and (label is not None or verbs.has_verb(words))


def _closed(text: str) -> bool:
    """Whether brackets, code spans and quotes that open in `text` are closed in it."""
    bare = "".join(text.split("`")[::2])
    return (
        text.count("`") % 2 == 0
        and all(bare.count(one) <= bare.count(other) for one, other in ("()", "[]", "«»", "「」"))
        and bare.count("“") <= bare.count("”") + bare.count("„")  # German closes with “
        and bare.count('"') % 2 == 0
    )


def _is_only_subordinate(text: str) -> bool:
    """Whether `text` begins with “when”, “because” … and no main clause follows."""
    if not _SUBORDINATE.regex.match(text):
        return False
    _, comma, rest = text.partition(", ")
    return not (comma and verbs.has_verb(rest) and not _SUBORDINATE.regex.match(rest))


def is_short(text: str) -> bool:
    """Whether `text` is one line and fits a line of the hand-over note."""
    return "\n" not in text.strip() and tokens(text) <= MOST_TOKENS


def is_cut(title: str, content: str) -> bool:
    """Whether `title` is the beginning of `content`."""
    return content.casefold().startswith(title.rstrip(".…").casefold())


def statement(title: str, content: str) -> str:
    """The one statement that says a memory in a line: its title, or a content as short.

    A short content, of several lines the first, is preferred to a title that was cut from it. Empty
    if neither is a complete statement of at most `MOST_TOKENS` tokens: such a memory gets no line.
    """
    title, content = title.strip(), content.strip().partition("\n")[0].rstrip()
    texts = (content, title) if is_cut(title, content) else (title, content)
    return next(
        (
            text
            for text in texts
            if is_short(text)
            and (text is title or len(split(text)) <= 2)
            # “The quirk (found today)” of “The quirk (found today): it hangs” says nothing.
            and is_complete(
                verbs.BRACKETS.regex.sub("", text) if content.startswith(f"{text}:") else text,
                content,
            )
        ),
        "",
    )
