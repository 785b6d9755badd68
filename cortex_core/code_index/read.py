"""Reading the structure of a source file.

Python is read by `ast`, five other languages by their tree-sitter grammars, which are ordinary
packages; nothing is guessed by looks and nothing is downloaded.
"""

from __future__ import annotations

from cortex_core.code_index.outline import NAMES, Outline, Unparsable, language_of


def outline(source: str, path: str) -> Outline:
    """The structure of `source`, whose language the suffix of `path` tells.

    Raises:
        Unparsable: there is no reader of that language, or the source is broken.
    """
    language = language_of(path)
    if language == "python":
        from cortex_core.code_index import python_source

        return python_source.outline(source, path)
    if not language:
        known = ", ".join(dict.fromkeys(NAMES.values()))
        raise Unparsable(
            f"{path} is in a language that Cortex cannot parse ({known}). Nothing was indexed. "
            "Describe it yourself: cortex index-code FILE --prose TEXT"
        )
    from cortex_core.code_index import tree_source

    return tree_source.outline(source, language)
