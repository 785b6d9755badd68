"""Credentials that the text around them shows: addresses, headers, and keys of certain issuers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cortex_core.redaction.assignments import (
    Demand,
    is_candidate,
    is_credential,
    is_placeholder,
    is_random,
)
from cortex_core.redaction.keys import compiled
from cortex_core.redaction.patterns import SecretSpan


class CredentialForm(NamedTuple):
    """One form of text that shows a credential, such as an address or a header."""

    name: str
    hints: tuple[str, ...]
    """One or two lowercase strings without spaces that every text with this form contains."""
    pattern: str
    """Its group `v` is the credential."""
    demand: Demand | None
    """None if the form is certain enough that only words and known ids are spared."""


_SCHEMES = (
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse"
    r"|cockroachdb|jdbc|couchbase|neo4j|bolt|cassandra|snowflake)[\w+:]{0,16}"
)
_USER = r"://[^\s/:@\"'<>]{0,100}:"
_WORD = r"(?P<v>[^\s/\"'<>]{1,200})@"
_HEADER = (
    r"authorization[\"'\])\\]{0,4}[ \t]{0,4}[:=,][ \t]{0,4}[\"'`\\]{0,2}"
    r"(?:(?:bearer|basic|token|apikey|bot|digest|negotiate|key)[ \t]{1,4})?"
    r"(?P<v>[^\s\"'`,;\\<>{}$]{6,2000})"
)
_LOGIN = r"\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?P<v>\S{1,200})"
_SQL = (
    r"\bidentified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?by\s{1,4}[\"'](?P<v>[^\"'\n]{1,200})[\"']"
)
_IS = r"[\"']?\]?[ \t]{0,4}(?:=>|:=|::|[=: ])[ \t]{0,4}[\"']?"
_KEY = r"(?:key|pwd|pw|pass(?:word)?|token)"
_CLOUDANT_KEY = rf"[_\-]?(?:api)?[_\-]?{_KEY}{_IS}(?P<v>[a-z]{{24}})(?![a-z0-9])"
_CLOUDANT_PASSWORD = rf"\bcloudant[_\-]?(?:api)?[_\-]?{_KEY}{_IS}(?P<v>[0-9a-f]{{64}})(?![a-z0-9])"
_IBM_STORAGE = (
    rf"\b(?:(?:ibm[_\-]?)?cos[_\-]?(?:hmac[_\-]?)?)?secret[_\-]?(?:access[_\-]?)?key{_IS}"
    r"(?P<v>[0-9a-f]{48})(?![a-z0-9])"
)
_SOFTLAYER = r"api\.softlayer\.com/soap/v3(?:\.1)?/(?P<v>[a-z0-9]{64})(?![a-z0-9])"
_AWS = rf"aws[^\n]{{0,20}}?{_KEY}[^\n]{{0,20}}?(?P<v>(?<![\w/+])[A-Za-z0-9/+]{{40}}(?![\w/+]))"
_JFROG_TOKEN = r"(?<![^\s=:\"])(?P<v>(?-i:AKC)[a-z0-9]{17,200})(?![^\s\"])"
_JFROG_PASSWORD = r"[\s\S]{0,120}?[\s=:\"](?P<v>(?-i:AP[0-9A-F])[A-Za-z0-9]{17,200})(?![^\s\"])"

_CREDENTIAL_FORMS: tuple[CredentialForm, ...] = (
    CredentialForm("database-password", ("://", "@"), _SCHEMES + _USER + _WORD, "password"),
    CredentialForm("url-password", ("://", "@"), _USER + _WORD, "password"),
    CredentialForm("url-token", ("://", "@"), r"://(?P<v>[^\s/:@\"'<>]{16,200})@", "random"),
    CredentialForm("authorization", ("authorization",), _HEADER, "token"),
    CredentialForm(
        "bearer-token", ("bearer",), r"\bbearer[ \t]{1,4}(?P<v>[\w.\-+/~=]{12,2000})", "token"
    ),
    CredentialForm("password", ("login", "password"), _LOGIN, "password"),
    CredentialForm("password", ("identified",), _SQL, "password"),
    CredentialForm("password", ("password",), r"\bpassword '(?P<v>[^'\n]{1,200})'", "password"),
    *(
        CredentialForm("cloudant-key", (product,), rf"\b{product}{_CLOUDANT_KEY}", None)
        for product in ("cloudant", "clou_", "clou-", "cl_", "cl-")
    ),
    CredentialForm("cloudant-key", ("cloudant",), _CLOUDANT_PASSWORD, "password"),
    CredentialForm("ibm-storage-key", ("secret", "key"), _IBM_STORAGE, "password"),
    CredentialForm("softlayer-key", ("api.softlayer.com/soap/",), _SOFTLAYER, "password"),
    CredentialForm("aws-secret-key", ("aws",), _AWS, None),
    CredentialForm("artifactory-token", ("akc",), _JFROG_TOKEN, None),
    *(
        CredentialForm("artifactory-password", (issuer, "ap"), issuer + _JFROG_PASSWORD, None)
        for issuer in ("artif", "jfrog", "buildkite")
    ),
)


def credentials(text: str, hints: str) -> Iterator[SecretSpan]:
    """Credentials in the forms above; `hints` has the words of `text` in lower case."""
    for form in _CREDENTIAL_FORMS:
        if form.hints[0] not in hints or form.hints[-1] not in hints:
            continue
        for match in compiled(form.pattern, re.IGNORECASE).finditer(text):
            if _is_secret(match["v"], form):
                yield SecretSpan(*match.span("v"), form.name)


def _is_secret(value: str, form: CredentialForm) -> bool:
    if form.name == "url-token":
        return is_random(value) or (len(value) >= 32 and value.isalnum() and value.islower())
    if form.name == "authorization":
        return not is_placeholder(value) and any(map(str.isdigit, value))
    if form.name in ("database-password", "url-password"):
        return len(value) >= 3 and not is_placeholder(value)
    if form.demand is None:
        return is_candidate(value)
    return is_credential(value, form.demand, "tight" if form.demand == "password" else "loose")
