"""The hub of teams in PostgreSQL: its schema, and who speaks to it."""
