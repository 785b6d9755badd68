"""A team: memories that a member proposed and another approved, on a hub in PostgreSQL."""
