"""Sessions in languages with and without blanks: what the model finds is kept as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.core.model.conftest import capture, stored
from tests.core.model.stub_api import Stub, answer, extraction, memory
from tests.transcript_samples import Sample

SAID = {
    "ja": (
        "デプロイの前に必ずテストを実行してください。",
        "デプロイの前に必ず `make check` を実行する",
        "テストなしのデプロイで本番が一度止まったため。",
    ),
    "zh": (
        "验证器检查130个十六进制字符，而设备密钥只有64个。",
        "验证器接受过长的设备密钥",
        "设备密钥有64个十六进制字符，验证器检查130个。",
    ),
    "th": (
        "ใช้ pnpm เท่านั้น อย่าใช้ npm ในโปรเจกต์นี้",
        "ใช้ pnpm แทน npm เสมอ",
        "ล็อกไฟล์ของ npm ทำให้การติดตั้งไม่ตรงกัน",
    ),
    "ru": (
        "Никогда не запускай миграции на основной базе, только на реплике.",
        "Миграции запускаются только на реплике",
        "Основная база не выдерживает миграций; реплика db-ro-2 выдерживает.",
    ),
}
SUMMARIES = {
    "ja": "テストの順番が決まった",
    "zh": "验证器已经修好",
    "th": "ตกลงใช้ pnpm แล้ว",
    "ru": "Миграции перенесены на реплику",
}


@pytest.mark.parametrize("language", SAID)
def test_it_is_kept_titled_and_injected_in_its_language(
    language: str, asking: Path, sessions: Path, stub: Stub
) -> None:
    said, title, content = SAID[language]
    made = Sample(language, cwd=str(asking)).human(said).assistant("OK.")
    find = memory(content, 1, title=title, kind="policy", quote=said[:12], priority=8)
    summary = {
        "title": SUMMARIES[language],
        "outcome": "done",
        "decided": [content],
        "open": [{"what": title, "waits_for": "user"}],
        "deciding": [1],
        "message": 1,
    }
    stub.act = answer(extraction(find, summary=summary))
    entry = capture(asking, made.write(sessions))
    assert not any(why.startswith("model:") for why in entry.refused)
    (found,) = [one for one in stored(asking) if one.kind == "policy"]
    assert (found.title, found.content) == (title, content)
    with Cortex.open(asking) as cortex:
        (stop,) = [cortex.show(one.id) for one in cortex.list(kinds=("episode",))]
        assert stop.title == SUMMARIES[language] and content in stop.content
        note = cortex.surface().text
    assert title in note or content in note


@pytest.mark.parametrize("content", ["好的。", "はい", "OK", "ok then"])
def test_what_says_nothing_is_refused_in_any_language(
    content: str, asking: Path, sessions: Path, stub: Stub
) -> None:
    made = Sample("short", cwd=str(asking)).human("Is it done now?").assistant("Yes.")
    stub.act = answer(extraction(memory(content, 1)))
    entry = capture(asking, made.write(sessions))
    assert entry.refused["model: too short or too long"] == 1
