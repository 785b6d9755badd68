"""Compaction summaries: concepts, problems, errors, files; never what is pending."""

from __future__ import annotations

from cortex_core.transcripts.events import Candidate
from tests.core.rules.session import Session

OPENING = "This session is being continued from a previous one.\n\nAnalysis:\nFirst I looked.\n\n"


def summary(**sections: str) -> str:
    names = {
        "intent": "Primary Request and Intent", "concepts": "Key Technical Concepts",
        "files": "Files and Code Sections", "errors": "Errors and fixes",
        "problems": "Problem Solving", "pending": "Pending Tasks",
    }  # fmt: skip
    parts = [
        f"{number}. {name}:\n{sections[key]}\n"
        for number, (key, name) in enumerate(names.items(), 1)
        if key in sections
    ]
    return f"{OPENING}Summary:\n" + "\n".join(parts)


def found(**sections: str) -> list[Candidate]:
    return Session().compacts(summary(**sections)).found()


def test_concepts_need_a_rule() -> None:
    listed = found(
        concepts="   - React 19, Vite and Tailwind\n"
        "   - Server components must never import the `db` client directly\n"
        "   - **Feature flags** - rollout by tenant\n"
    )
    assert [one.content for one in listed] == [
        "Server components must never import the `db` client directly."
    ]
    assert (listed[0].rule, listed[0].tier) == ("concept", "kept")


def test_problems_need_a_reason() -> None:
    listed = found(
        problems="   - Successfully moved the importer to the worker\n"
        "   - Chose advisory locks over a lock table because a crashed worker frees them\n"
        "   - Split the parser\n"
        "   - Currently investigating why the export is slow because of the index\n"
    )
    assert [one.content for one in listed] == [
        "Chose advisory locks over a lock table because a crashed worker frees them."
    ]
    assert (listed[0].rule, listed[0].tier) == ("problem-solving", "suggested")


def test_errors_need_symptom_mechanism_and_fix() -> None:
    listed = found(
        errors="   - **Unused import in `cart.ts`**: Removed the import.\n"
        "   - **Checkout returned 500 in production**: `PriceCache` is filled per worker, so the "
        "second worker found it empty. Fixed by filling it in `boot.ts`.\n"
        "   - **Flaky test (UNRESOLVED)**: `upload.test.ts` still fails when run in parallel.\n"
        "   - **User corrected the endpoint**: I had used `/v1`, changed to `/v2` because the user "
        "said so.\n"
        "   - **Missing header**: Added the header to the request in `api.ts` yesterday evening.\n"
        "   - **ESLint hook rejects generated files**: the hook runs on `gen/` too and doesn't "
        "support ignores, so `--no-warn-ignored` is required. Fixed in `lefthook.yml`.\n"
    )
    assert [one.title.split(":")[0] for one in listed] == [
        "Checkout returned 500 in production", "ESLint hook rejects generated files"
    ]  # fmt: skip
    assert all((one.rule, one.tier, one.kind) == ("error", "suggested", "gotcha") for one in listed)


def test_nested_items_stay_with_their_parent() -> None:
    (one,) = found(
        errors="   - **Uploads were cut off at 100 MB**:\n"
        "     - The proxy closes the stream when `client_max_body_size` is not set\n"
        "     - Fixed by setting it in `nginx.conf`\n"
    )
    assert one.content == (
        "Uploads were cut off at 100 MB: The proxy closes the stream when `client_max_body_size` "
        "is not set; Fixed by setting it in `nginx.conf`"
    )


def test_new_files_need_a_description() -> None:
    listed = found(
        files="   - **`src/upload/worker.ts`** (NEW)\n"
        "     - Runs uploads outside the page and renews the session once a minute, so that long "
        "ones are not cut off\n"
        "     ```ts\n     const x = 1\n     ```\n"
        "   - **`src/api.ts`** (MODIFIED)\n"
        "     - Renews the session on every navigation and hands the token to the worker thread\n"
        "   - **`tests/worker.test.ts`** (NEW)\n"
        "     - Covers uploads that outlive the page, with a fake clock and a server of its own\n"
    )
    assert [(one.rule, one.title, one.files) for one in listed] == [
        ("file", "worker.ts: Runs uploads outside the page", ("src/upload/worker.ts",))
    ] or [one.files for one in listed] == [("src/upload/worker.ts",)]
    assert listed[0].kind == "architecture" and "const x" not in listed[0].content


def test_what_is_pending_and_what_stands_before_the_summary_is_not_read() -> None:
    assert found(
        intent="   The user must always have the importer finished first.",
        pending="   - The importer must never run during backups, fix it in `cron.ts`",
    ) == []  # fmt: skip
    text = summary(concepts="   - nothing").replace("First I looked.", "2. Concepts:\n - x must y")
    assert Session().compacts(text).found() == []


def test_a_summary_in_a_language_without_a_table_is_left_alone() -> None:
    text = (
        "Summary:\n2. Key Technical Concepts:\n   - Il file di importazione deve essere bloccato "
        "con il worker, perché la copia non è più consistente quando il programma è attivo"
    )
    assert Session().compacts(text).extracted().refused == {"language": 1}
