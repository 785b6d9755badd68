"""Regular expressions that come from outside, such as those of the setting `redact.extra`.

They are matched by RE2, in time that grows with the text whatever the expression is. No hook loads
it.
"""

from __future__ import annotations

from functools import lru_cache

from cortex_core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


@lru_cache(maxsize=64)
def compiled(source: str) -> re.Pattern[str]:
    """What matches `source`, an expression in the syntax of RE2.

    Raises:
        UsageError: it is none.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        found: re.Pattern[str] = re2.compile(source, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace")
        raise UsageError(
            f"“{source}” is no regular expression that can be used ({said}). Nothing was changed. "
            r"Write it in the syntax of RE2: what refers back (\1) or looks around ((?=…), (?<!…)) "
            "is refused, because it can take forever."
        ) from None
    return found
