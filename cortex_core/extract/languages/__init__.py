"""One table of words a language, loaded by `extract/grammar.py`."""
