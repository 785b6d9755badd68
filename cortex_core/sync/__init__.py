"""One user, several machines: their stores exchange journal entries through files of their own."""
