"""The archive of conversations: the prose of every session, kept and searched."""
