"""What a finder of secrets is given, a text read once, and what it returns: spans of it."""

from collections.abc import Sequence
from typing import NamedTuple

from cortex_core.language.patterns import Pattern

OPENING = "`'\"($\\[{"
"""What a word may begin with that is not a part of it."""


PUBLIC = Pattern(
    "what is random and public: certificates, public keys, hashed hosts, tokens of maps",
    r"-----BEGIN (?:(?:TRUSTED |X509 )?CERTIFICATE(?: REQUEST)?|X509 CRL|SSH2 PUBLIC KEY"
    r"|PGP SIGNATURE|PGP MESSAGE|AGE ENCRYPTED FILE"
    r"|(?:[A-Z0-9]+ ){0,2}PUBLIC KEY(?: BLOCK)?)-----[^\-]{0,40000}-----END"
    r"|\|1\|[A-Za-z0-9+/=]{28}\|[A-Za-z0-9+/=]{28}|\bpk\.eyJ[\w.\-]+"
    r"|\bversionId=[\w.\-]{32}",
    finds="-----BEGIN PUBLIC KEY-----\nMFkwEwYHKo\n-----END PUBLIC KEY-----",
    spares="-----BEGIN PRIVATE KEY-----\nMFkwEwYHKo\n-----END PRIVATE KEY-----",
    flags=0,
)
_PUBLIC_SIGNS = ("-----BEGIN ", "|1|", "pk.eyJ", "versionId=")
"""One of them is in every text that has such."""


class SecretSpan(NamedTuple):
    """A part of a text that is a secret, and the name of its kind, such as `password`."""

    start: int
    end: int
    name: str


class SearchedText:
    """A text with what several finders want to know of it."""

    def __init__(self, text: str, words: Sequence[str]) -> None:
        """Read `text`, which consists of `words`."""
        self.text = text
        opened = [word.lstrip(OPENING) for word in words if word[0] in OPENING]
        self.vocabulary = {*words, *opened}
        """The words, each once, also without what opens a quotation."""
        self.hints = " ".join(self.vocabulary).lower()
        """The vocabulary in lower case: shorter than the text, for what is searched often."""
        if any(sign in text for sign in _PUBLIC_SIGNS):
            words = PUBLIC.regex.sub(" ", text).split()
        self.unusual = [word for word in words if len(word) >= 8 and _is_unusual(word)]
        """The words, in order, that can contain a key or half of one; those of prose cannot."""
        self.unusual_once = " ".join(set(self.unusual))
        """The unusual words, each once."""
        self.lower = text.lower()
        """The text in lower case, every character at its index."""
        if len(self.lower) != len(text):
            self.lower = "".join(char.lower() if char.isascii() else char for char in text)


def _is_unusual(word: str) -> bool:
    plain = word.strip(".,;:!?()\"'*`")
    return len(word) >= 20 or not (plain.isalpha() and plain[1:].islower())
