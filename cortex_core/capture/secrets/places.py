"""Forms that show a credential by themselves: addresses, headers, commands, issuers' names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cortex_core.capture.secrets.names import Demand
from cortex_core.capture.secrets.patterns import Find
from cortex_core.capture.secrets.tokens import is_candidate, is_random
from cortex_core.capture.secrets.values import is_credential, is_placeholder


class Place(NamedTuple):
    """One form."""

    name: str
    hints: tuple[str, ...]
    """One or two lowercase strings that every text with this form holds."""
    pattern: str
    """Its group `v` is the credential."""
    demand: Demand | None
    """None where the form is sure enough, so that only words and known ids are spared."""


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
_CURL = r"(?<=\s)(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'/]{1,64}:(?P<v>[^\s\"']{4,200})"
_FLAG = r"[^\n]{0,100}?\s-p ?[\"']?(?P<v>[^\s\"'\-][^\s\"']{3,200})"
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

_PLACES: tuple[Place, ...] = (
    Place("database-password", ("://", "@"), _SCHEMES + _USER + _WORD, "password"),
    Place("url-password", ("://", "@"), _USER + _WORD, "password"),
    Place("url-token", ("://", "@"), r"://(?P<v>[^\s/:@\"'<>]{16,200})@", "random"),
    Place("authorization", ("authorization",), _HEADER, "token"),
    Place("bearer-token", ("bearer",), r"\bbearer[ \t]{1,4}(?P<v>[\w.\-+/~=]{12,2000})", "token"),
    Place("password", ("login", "password"), _LOGIN, "password"),
    Place("password", ("identified",), _SQL, "password"),
    Place("password", ("password '",), r"\bpassword '(?P<v>[^'\n]{1,200})'", "password"),
    Place("password", (" -u",), _CURL, "password"),
    Place("password", (" --user",), _CURL, "password"),
    Place("password", ("mysql", " -p"), r"\bmysql\w{0,12}\b" + _FLAG, "password"),
    Place("password", ("sshpass", " -p"), r"\bsshpass\b" + _FLAG, "password"),
    Place("password", ("login", " -p"), r"\blogin\b" + _FLAG, "password"),
    *(
        Place("cloudant-key", (product,), rf"\b{product}{_CLOUDANT_KEY}", None)
        for product in ("cloudant", "clou_", "clou-", "cl_", "cl-")
    ),
    Place("cloudant-key", ("cloudant",), _CLOUDANT_PASSWORD, "password"),
    Place("ibm-storage-key", ("secret", "key"), _IBM_STORAGE, "password"),
    Place("softlayer-key", ("api.softlayer.com/soap/",), _SOFTLAYER, "password"),
    Place("aws-secret-key", ("aws",), _AWS, None),
    Place("artifactory-token", ("akc",), _JFROG_TOKEN, None),
    *(
        Place("artifactory-password", (issuer, "ap"), issuer + _JFROG_PASSWORD, None)
        for issuer in ("artif", "jfrog", "buildkite")
    ),
)


def places(text: str, lower: str) -> Iterator[Find]:
    """Credentials in these forms; `lower` is `text` in lower case."""
    for place in [
        place for place in _PLACES if place.hints[0] in lower and place.hints[-1] in lower
    ]:
        for match in _compiled(place.pattern).finditer(text):
            if _is_shown(match["v"], place):
                yield Find(*match.span("v"), place.name)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _is_shown(value: str, place: Place) -> bool:
    if place.name == "url-token":
        return is_random(value) or (len(value) >= 32 and value.isalnum() and value.islower())
    if place.name == "authorization":
        return not is_placeholder(value) and any(map(str.isdigit, value))
    if place.name in ("database-password", "url-password"):
        return len(value) >= 3 and not is_placeholder(value)
    if place.demand is None:
        return is_candidate(value)
    return is_credential(value, place.demand, "tight" if place.demand == "password" else "loose")
