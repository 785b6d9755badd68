"""The address of a hub: what of it may be shown, and how the connection to it is protected."""

import ipaddress
import os
from dataclasses import dataclass, field
from typing import Any

from cortex_core.base.errors import TeamError

ENCRYPTED = ("require", "verify-ca", "verify-full")
"""The values of `sslmode` that never send anything in the clear."""

_PARAMETERS = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""Bounds of libpq on how long a silent network is waited for; seconds, the last one in ms."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a hub is. Its text has no password."""

    shown: str
    """User, host and database, for messages."""
    parameters: dict[str, Any] = field(repr=False)
    """What libpq gets, the password included."""

    def __str__(self) -> str:
        return self.shown


def parse(url: str, *, plain: bool = False) -> Address:
    """Read the URL of a hub, `postgresql://USER@HOST/DATABASE`.

    Off this machine the connection is encrypted and the server's certificate checked, unless the
    URL's `sslmode` asks for encryption alone (`require`).

    Args:
        plain: whether the user allows a connection that is not encrypted.

    Raises:
        TeamError: it is no such URL, or it asks for a connection that is not encrypted.
    """
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        if not url.startswith(("postgresql://", "postgres://")):
            raise ProgrammingError
        parameters = {**_PARAMETERS, **conninfo_to_dict(url)}
    except ProgrammingError:
        # The message of libpq quotes parts of the URL, the password among them.
        raise TeamError(
            "This is not the address of a hub. Nothing was changed. "
            "It has the form postgresql://USER:PASSWORD@HOST/DATABASE; "
            "write signs of a password such as @ / : in percent, as %40 %2F %3A"
        ) from None
    if not is_local(parameters):
        _protect(parameters, plain)
    host = parameters.get("host") or parameters.get("hostaddr") or "this machine"
    user, database = parameters.get("user", ""), parameters.get("dbname", "")
    return Address(f"{user}@{host}/{database}".removeprefix("@"), parameters)


def is_local(parameters: dict[str, Any]) -> bool:
    """Whether every host of it is this machine: a socket, or an address of its own."""
    if "service" in parameters or "PGSERVICE" in os.environ:
        return False
    hosts = [
        parameters.get(name) or os.environ.get(variable) or ""
        for name, variable in (("hostaddr", "PGHOSTADDR"), ("host", "PGHOST"))
    ]
    return all(_is_own(host) for each in hosts if each for host in str(each).split(","))


def _is_own(host: str) -> bool:
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _protect(parameters: dict[str, Any], plain: bool) -> None:
    mode = parameters.get("sslmode") or os.environ.get("PGSSLMODE")
    if mode is None:
        parameters["sslmode"] = "verify-full"
        if not (parameters.get("sslrootcert") or os.environ.get("PGSSLROOTCERT")):
            parameters["sslrootcert"] = "system"
    elif mode not in ENCRYPTED and not plain:
        raise TeamError(
            f"The address asks for sslmode={mode}, which may send memories and your password in "
            "the clear. Nothing was changed. Leave sslmode out, or write sslmode=require."
        )
