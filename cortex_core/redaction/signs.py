"""Signs that a name can hold a secret; whoever sees none needs no patterns."""

SHORTEST_KEY = 14
"""Letters and digits in a row from which they can be a key; the parts of a UUID are shorter."""


NAMES = ("pass", "pwd", "secret", "token", "credential", "bearer")
"""What a name contains that may go on with a password, which has a digit."""


def can_hold_secret(name: str) -> bool:
    """Whether there are signs of a password in `name`, or letters and digits as long as a key."""
    is_named = any(map(str.isdigit, name)) and any(word in name.lower() for word in NAMES)
    if is_named or any(mark in name for mark in "=:@") or any(map(str.isspace, name)):
        return True
    runs = "".join(char if char.isalnum() else " " for char in name).split()
    return any(len(run) >= SHORTEST_KEY and not run.isalpha() for run in runs)
