"""What a trigger begins with: the words of Cortex's own language of triggers.

They mean the same whatever an agent calls its tools; users know the first three from permission
rules. Hooks load this module: it imports nothing.
"""

COMMAND = "Bash"
CHANGE = "Edit"
READING = "Read"
TEXT = "Text"
PUSH = "Push"
STAGED = "Commit"
