"""English or not."""

from __future__ import annotations

import pytest

from cortex_core.language.detect import language

ENGLISH = [
    "Use pnpm, never npm.",
    "pnpm only",
    "Always run `mix format` before committing",
    "no, fix CI",
    "The résumé page must load",
    "integer cents per currency",
    "npm → pnpm",
    "See https://example.org/de/die/und and src/de/el/la.py for the rest of it",
]
OTHER = [
    "Bitte immer pnpm verwenden, nie npm",
    "Всегда используй pnpm",
    "总是使用 pnpm",
    "Usa siempre pnpm, nunca npm",
    "Toujours utiliser pnpm dans ce dépôt",
    "mdファイルを最新",
    "Gebruik altijd pnpm en nooit npm",
    "Use sempre pnpm, nunca npm, por favor",
    "Der Router erneuert die Sitzung nicht, wenn der Worker läuft, und das ist ein Problem.",
    "Questa sessione non è mai rinnovata quando il worker è attivo nella pagina",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english(text: str) -> None:
    assert language(text) == "en"


@pytest.mark.parametrize("text", OTHER)
def test_other(text: str) -> None:
    assert language(text) != "en"
