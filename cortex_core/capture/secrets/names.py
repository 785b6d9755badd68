"""What a name such as `DB_PASSWORD` or `tokenLimit` says about the value beside it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Demand = Literal["password", "token", "random"]
"""What a name asks of its value before that counts as a credential: nearly nothing; not to be a
word; to look drawn by chance."""

STEMS = (
    "pass", "pwd", "pw", "secret", "token", "credential", "key", "auth", "sig", "session", "cookie",
    "sid", "dsn",
)  # fmt: skip
"""Lowercase strings, one of which stands in every name that tells of a secret."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORDS = frozenset(("pass", "pw", "pwd", "passcode", "dbpass", "userpass", "rootpw"))
_PASSWORD_ENDS = ("password", "passwd", "passphrase", "pwd", "passwords")
_TOKEN_ENDS = (
    "secret", "secrets", "token", "tokens", "credential", "credentials", "apikey", "apikeys",
    "secretkey", "accesskey", "privatekey", "authkey",
)  # fmt: skip
_KEY_KINDS = frozenset(
    """
    api access private auth account encryption signing master service shared license deploy app
    storage subscription publish admin hmac aes client secret webhook
    """.split()
)
_RANDOM = frozenset(
    """
    key keys auth sig signature session sessionid sessid phpsessid jsessionid cookie sid dsn
    """.split()
)
_METADATA = frozenset(
    """
    name names type types id ids url urls uri link path file filename dir folder field fields header
    headers param params parameter parameters prefix suffix len length count limit limits size sizes
    expiry expires expire expiration expired ttl policy policies format env var vars variable label
    hint endpoint error errors required min max regex pattern rotation age manager management store
    storage provider version ref refs arn description reset usage usages budget backend index column
    enabled disabled strategy class algorithm kind mode cost costs source stage status lifetime
    window scheme scope scopes generator validation validator validate handler input page form fn
    func callback exists valid invalid in per total used estimate estimator rate ratio bucket hash
    hashed confirm confirmation visible change changed update rules rule checker strength message
    placeholder title text list map table set map cache lookup press pressed binding bindings map
    up down code codes event events board word words pair pairs vault stream parser
    """.split()
)


def parts(name: str) -> list[str]:
    """The words a name is made of, in lower case: `dbPassword_2` is db, password, 2."""
    return [match.group().lower() for match in _PART.finditer(name)]


@lru_cache(maxsize=4096)
def demand(name: str) -> Demand | None:
    """What `name` asks of its value; None when it tells of no secret, or only about one."""
    words = parts(name)
    found: Demand | None = None
    after = 0
    for position, word in enumerate(words):
        asked = _asked(word, words[position - 1] if position else "")
        if asked and (found is None or asked != "random"):
            found, after = asked, position + 1
    if found is None or _METADATA.intersection(words[after:]):
        return None
    return found


def _asked(word: str, previous: str) -> Demand | None:
    if word in _PASSWORDS or word.endswith(_PASSWORD_ENDS):
        return "password"
    if word.endswith(_TOKEN_ENDS) or (word in ("key", "keys") and previous in _KEY_KINDS):
        return "token"
    return "random" if word in _RANDOM else None


def label(name: str, asked: Demand) -> str:
    """What the mark in the text calls the value of `name`."""
    if asked == "password":
        return "password"
    words = parts(name)
    for word in ("secret", "token"):
        if any(word in part for part in words):
            return word
    return "key"
