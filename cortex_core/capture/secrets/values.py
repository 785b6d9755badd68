"""Whether the value beside a telling name is a credential, or a placeholder, reference or word.

The name decides how much the value has to show: after `password` nearly anything counts, after
`token` it must not be a word, after a bare `key` it must look drawn by chance.
"""

from __future__ import annotations

import re
from typing import Literal

from cortex_core.capture.secrets.names import Demand
from cortex_core.capture.secrets.tokens import is_path, is_random, oddness

Style = Literal["quoted", "tight", "loose", "argument", "line"]
"""How the value is written: in quotes; `A=b`; with spaces or in prose; as an argument of a call;
or alone on a line of a configuration file."""

_PLACEHOLDER = re.compile(
    r"\b(?-i:x{3,}|X{3,})|(?-i:x{5,}|X{5,})|\*{3,}|•{2,}|\.{3}|…|_{4,}|your|example|placeholder|change[_\-]?(?:me|it|this)|redacted|replace|"
    r"insert|todo|dummy|fixme|sample|\bfake|\bmock|<[^>]*>?|\{\{|\$\{|\$\(|%\(|not[_\-]?set|n/a\Z|lorem|"
    r"\bhere\b|goes[_\-]here|12345678(?:9|\Z)(?!\d*[a-z])",
    re.I,
)
_REFERENCE = re.compile(
    r"\$(?:[({]|[A-Z_][A-Z0-9_]*\}?\Z|[a-z_]+\Z)|<|\{|%[({sdA-Z]|\[redacted"
    r"|(?:vault|op|ssm|arn|file|aws|gcp|ref|env|kms|secretsmanager):|https?://[^\s@]*\Z"
)
"""`$TOKEN`, `{token}`, `<token>`, `op://vault/item`: in quotes or out of them."""
_EXPRESSION = re.compile(
    r"[$%{}<>(\[\]?^|&*@#~,;=+]|![a-z]+\Z|:[a-z_]+\Z|\\|[\w.\->:]+\(|[a-z][a-z0-9+.\-]*://"
    r"|(?:process|os|env|vars|secrets?|config|settings|self|this|params|request|req|args|options"
    r"|opts|ctx|context|data|props|input|event|Deno|import|System|ENV|viper|st)\b[.\[(:]"
    r"|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+[;,)\]]*\Z"
)
"""What code outside quotes computes its value from."""
_WORDS = frozenset(
    """
    str string text bytes int integer number float bool boolean any object optional required none
    null nil undefined true false void auto default empty hidden masked varchar char blob type
    secretstr password passwd passphrase pass pwd secret token key apikey api_key api-key username
    user login value test testing tests foo bar baz foobar abc asdf qwerty yes no on off enabled
    disabled bearer basic digest oauth jwt csrf session cookie header query body path field name
    invalid valid expired missing unset unknown is are was will must should may can the a an and or
    for from with without not never always if when then this that it in of to by as at be only
    next current new old await function async return const let var self props static public private
    generated random vault keychain keyring env prompt stdin file input manual rotate rotated
    """.split()
)
_TERM = re.compile(
    r"(?:base\d+|sha-?\d+|md5|o?auth\d?|utf-?\d+|https?\d?|argon2\w*|b?s?crypt\d?|pbkdf2|aes-?\d+|rsa-?\d+|"
    r"x509|ed25519|[hrep]s\d{3}|ipv\d|k8s|s3|ec2|v\d+(?:\.\d+)*|i18n|jwt|python\d|web\d|p\d\d)(?:[-/].*)?\Z"
    r"|(?:\d+(?:st|nd|rd|th)|\d+(?:\.\d+)*(?:[a-z]{1,3}|%)?|\d+-[a-z]+|\d{4}-\d\d(?:-\d\d.*)?)\Z",
    re.I,
)
_FILE_NAME = re.compile(
    r"[\w\-./\\~]+\.(?:[a-z]{1,4}|json|yaml|toml|lock|local|swift|properties)\Z"
)
_FILLER = re.compile(
    r"(?:my|the|a|test|some|this|new|old|app|user|admin|value|string|token|key|secret|api|access|auth|"
    r"password|pass|id|name|demo|dev|prod|local|default|client|db|for|is|[_\-\d.])+\Z",
    re.I,
)
_UUID_OR_HASH = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z|[0-9a-f]{7,40}\Z|[0-9a-f]{64}\Z|[0-9a-f]{128}\Z",
    re.I,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")


def is_placeholder(value: str) -> bool:
    """Whether `value` only stands for a secret: `<token>`, `xxxx`, `$TOKEN`, `changeme`."""
    return (
        len(set(value)) <= 2
        or bool(_PLACEHOLDER.search(value))
        or bool(_REFERENCE.match(value))
        or value.casefold().strip("-_.!") in _WORDS
    )


def is_credential(value: str, demand: Demand, style: Style) -> bool:
    """Whether `value`, found beside a name that asks `demand`, is to be hidden."""
    if is_placeholder(value) or (style != "quoted" and _EXPRESSION.match(value)):
        return False
    if len(value) < (4 if demand == "password" else 6):
        return False
    judge = {"password": _is_password, "token": _is_token, "random": _is_key}[demand]
    return judge(value, style)


def _is_password(value: str, style: Style) -> bool:
    if " " in value:
        return style == "quoted" and _is_passphrase(value)
    if style == "quoted" or (style == "tight" and not _is_path_like(value)):
        return True
    if _TERM.match(value) or _is_path_like(value):
        return value.isdigit() and len(value) >= 6
    if style == "line" and not (value.istitle() or value.isdigit()):
        return True
    return _is_mixed(value) or _is_symbol_rich(value) or value.count("-") >= 3


def _is_token(value: str, style: Style) -> bool:
    if " " in value or _TERM.match(value) or _is_path_like(value) or _FILLER.match(value):
        return False
    if style == "quoted":
        plain_word = value.isalpha() and value.islower() and len(value) >= 8
        return plain_word or _is_mixed(value) or _is_symbol_rich(value) or oddness(value) >= 0.3
    if style == "tight":
        return True
    if _IDENTIFIER.match(value):
        return _is_mixed(value) and len(value) >= 8 and oddness(value) >= 0.25
    return _is_mixed(value) and len(value) >= 8 and oddness(value) >= 0.2


def _is_key(value: str, style: Style) -> bool:
    if _UUID_OR_HASH.match(value) or _TERM.match(value) or " " in value:
        return False
    return is_random(value) or (len(value) >= 16 and _is_mixed(value) and oddness(value) >= 0.45)


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_symbol_rich(value: str) -> bool:
    """Whether letters stand beside signs that neither words nor identifiers hold."""
    signs = sum(sign in "!@#$%^&*+=?~" for sign in value[1:])
    return signs > 0 and len(value) >= 6 and any(map(str.isalnum, value))


def _is_passphrase(value: str) -> bool:
    words = value.split()
    if not 3 <= len(words) <= 10 or not value.replace(" ", "").isalnum() or value[0].isupper():
        return False
    return not any(word in _WORDS or word in ("enter", "your", "please") for word in words)


def _is_path_like(value: str) -> bool:
    return bool(_FILE_NAME.match(value)) or ("/" in value and is_path(value))
