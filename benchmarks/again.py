"""How surely a sentence of the user is recognised as one that was said before.

    python -m benchmarks.again [--show] [--record]

The pairs are made up: what a rule or an earlier correction says, and what the user says later. In
`SAME` the user says it again; those of `OTHER` share words and mean something else. The bound was
chosen on these and on real sessions (`duplicates/again.py`), and `UNSEEN_SAME` and `UNSEEN_OTHER`
were written before it. A wrong “same” is worse than a missed one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks import report
from benchmarks.report import Figure
from cortex_core.duplicates import again
from cortex_core.extract.hearing import rule_in

Pairs = tuple[tuple[str, str], ...]

SAME = (
    ("Use pnpm in this repo, never npm.", "no, use pnpm"),
    ("Use pnpm in this repo, never npm.", "why did you run npm install again?"),
    ("Use pnpm in this repo, never npm.", "I told you to use pnpm"),
    ("Use pnpm, not npm.", "you keep using npm, we use pnpm"),
    ("Always run the tests before committing.", "you forgot to run the tests before you committed"),
    ("Always run the tests before committing.", "again: run the test suite before a commit"),
    ("Run `make lint` before every push.", "you pushed without make lint again"),
    ("Never commit directly to main.", "I said don't commit to main"),
    ("Never commit directly to main.", "why are you committing to main?"),
    ("Never force-push.", "stop force-pushing"),
    ("Do not add comments that repeat the code.", "stop adding comments that just repeat the code"),
    ("Don't add Co-Authored-By lines to commits.", "no Co-Authored-By in the commit please"),
    ("Don't add Co-Authored-By lines to commits.", "why is there a Co-Authored-By line again?"),
    ("We use tabs for indentation.", "I told you we use tabs for indentation"),
    ("The staging server is at 10.0.0.7.", "no, staging is at 10.0.0.7"),
    ("You have no access to docker here.", "did we not go through this, you dont have docker"),
    ("Docker runs on the host, not in the VM.", "docker is running on your host"),
    ("Prefer composition over inheritance.", "I prefer composition to inheritance, as I said"),
    ("Write commit messages in English.", "again, commit messages in English"),
    ("Use ruff for linting, not flake8.", "no, ruff, not flake8"),
    ("Use ruff for linting, not flake8.", "why did you install flake8?"),
    ("Integration tests need the docker daemon.", "as I said, integration tests need docker"),
    ("Never edit generated files below src/gen.", "stop editing generated files in src/gen"),
    ("Never edit generated files below src/gen.", "you edited src/gen again"),
    ("Branch off main, not off the current branch.", "dont forget to branch off main"),
    ("Branch off main for each todo.", "no, branch off main, not off this branch"),
    ("Ask before you delete files.", "you should have asked before deleting files"),
    ("Use the Makefile targets.", "no, use the makefile targets"),
    ("Don't mock the database in tests.", "I told you not to mock the database"),
    ("Don't mock the database in tests.", "stop mocking the database in tests"),
    ("Errors are logged with structlog.", "no, use structlog"),
    ("Answer in German.", "I said answer in German"),
    ("Keep functions under 20 lines.", "again: functions under 20 lines"),
    ("Don't use any in TypeScript.", "why did you use any in the TypeScript again"),
    ("Run the migrations with alembic.", "no, run migrations with alembic"),
    ("Use uv instead of pip.", "use uv instead"),
    ("Use uv instead of pip.", "you used pip again, we have uv"),
    ("Deploy only after CI is green.", "how often must I say it: deploy only when CI is green"),
    ("Nie direkt auf main pushen.", "nein, nicht direkt auf main pushen"),
    ("Используй pnpm, а не npm.", "я же говорил, используй pnpm"),
    ("Use conventional commits.", "that's not what I asked, conventional commits please"),
    ("Do not touch the vendored code.", "I told you not to touch vendored code"),
    ("Use the existing date helper in utils/dates.ts.", "no, use the helper in utils/dates.ts"),
    ("Put new components below src/ui.", "no, put components in src/ui"),
)

OTHER = (
    ("Use pnpm in this repo, never npm.", "no, use npm here"),
    ("Use pnpm in this repo, never npm.", "no, use the new API"),
    ("Use pnpm in this repo, never npm.", "no, don't publish it to npm"),
    ("Always run the tests before committing.", "no, commit the tests in a commit of their own"),
    ("Always run the tests before committing.", "no, skip the tests for now"),
    ("Always run the tests before committing.", "you forgot to add a test"),
    ("Run `make lint` before every push.", "you forgot to push"),
    ("Never commit directly to main.", "no, the main function is in app.py"),
    ("Never commit directly to main.", "no, commit that as a fix"),
    ("Never commit directly to main.", "push directly to main please, not a PR"),
    ("Do not add comments that repeat the code.", "no, reply to the review comments first"),
    ("Do not add comments that repeat the code.", "you forgot to add the comment to the PR"),
    ("Don't add Co-Authored-By lines to commits.", "no, add two blank lines"),
    ("We use tabs for indentation.", "no, open it in a new tab"),
    ("The staging server is at 10.0.0.7.", "no, staging is at 10.0.0.9"),
    ("The staging server is at 10.0.0.7.", "why is the staging server down?"),
    ("You have no access to docker here.", "why do you need docker for the logs?"),
    ("Docker runs on the host, not in the VM.", "no, remove the docker image"),
    ("Write commit messages in English.", "no, the error messages come from the backend"),
    ("Use ruff for linting, not flake8.", "no, the linting job fails in CI"),
    ("Integration tests need the docker daemon.", "no, delete that integration test"),
    ("Never edit generated files below src/gen.", "no, edit the file I named"),
    ("Branch off main, not off the current branch.", "no, delete the current branch"),
    ("Branch off main for each todo.", "you forgot the todo"),
    ("Ask before you delete files.", "no, delete the files"),
    ("Use the Makefile targets.", "no, the target is staging"),
    ("Don't mock the database in tests.", "no, the database is empty"),
    ("Don't mock the database in tests.", "why did the tests fail?"),
    ("Errors are logged with structlog.", "why are the errors not shown?"),
    ("Answer in German.", "you did not answer my question"),
    ("Keep functions under 20 lines.", "no, rename the function"),
    ("Keep functions under 20 lines.", "no, functions under 40 lines are fine"),
    ("Don't use any in TypeScript.", "no, the TypeScript build is broken"),
    ("Run the migrations with alembic.", "no, that migration was already applied"),
    ("Use uv instead of pip.", "no, use pip for this one"),
    ("Deploy only after CI is green.", "why is CI not green?"),
    ("Deploy only after CI is green.", "no, deploy it to staging"),
    ("Use conventional commits.", "you forgot to commit"),
    ("Do not touch the vendored code.", "no, touch the file so that it is rebuilt"),
    ("Use the existing date helper in utils/dates.ts.", "no, the date is wrong"),
    ("Put new components below src/ui.", "no, the component does not render"),
    ("The command is named /share:publish.", "no, don't publish it yet"),
    ("Checkpoints are saved on refs/checkpoints/v1.", "no, the checkpoint of session 2 is lost"),
    ("The API listens on port 8080.", "no, the API returns 500"),
    ("Store dates in UTC.", "no, store it in the session"),
    ("Never log personal data.", "no, log the request id"),
)


UNSEEN_SAME = (
    ("Use bun for scripts, not node.", "I said bun, not node"),
    ("Use bun for scripts, not node.", "why are you running node again?"),
    ("Never edit package-lock.json by hand.", "stop editing package-lock.json"),
    ("Put SQL only in the store package.", "no, SQL goes in the store package"),
    ("Tests live in tests/, not next to the code.", "again, tests go into tests/"),
    ("Always use absolute imports.", "I told you to use absolute imports"),
    ("Don't use print for logging.", "you keep using print for logging"),
    ("Don't use print for logging.", "why is there a print for logging again?"),
    ("Squash commits before merging.", "you forgot to squash the commits before merging"),
    ("Use the British spelling in docs.", "no, British spelling in the docs, not American"),
    ("Never run terraform apply without asking me.", "you ran terraform apply again unasked"),
    ("Start the dev server with `just dev`.", "no, use just dev to start the server"),
    ("Every endpoint needs a rate limit.", "as I said, every endpoint needs a rate limit"),
    ("Write the changelog entry with each change.", "you forgot the changelog entry"),
    ("Keep answers short.", "I asked you to keep answers short"),
    ("Do not push without my approval.", "I did not ask you to push without my approval"),
    ("Use React Query for fetching, never useEffect.", "no fetching in useEffect, use React Query"),
    ("Python code is typed; run mypy before committing.", "you did not run mypy before the commit"),
    ("Open pull requests as drafts.", "no, open the pull request as a draft"),
    ("The API key is read from the environment.", "I said the API key is in the environment"),
)

UNSEEN_OTHER = (
    ("Use bun for scripts, not node.", "no, the node in the graph is missing"),
    ("Use bun for scripts, not node.", "no, use node for this script"),
    ("Never edit package-lock.json by hand.", "no, commit package-lock.json as well"),
    ("Put SQL only in the store package.", "no, publish the package first"),
    ("Tests live in tests/, not next to the code.", "you forgot to fix the failing tests"),
    ("Always use absolute imports.", "no, import the CSV file"),
    ("Don't use print for logging.", "no, print the invoice"),
    ("Squash commits before merging.", "no, revert the last two commits"),
    ("Squash commits before merging.", "no, do not squash this one"),
    ("Use the British spelling in docs.", "you forgot the docs"),
    ("Never run terraform apply without asking me.", "no, run terraform plan"),
    ("Start the dev server with `just dev`.", "why did you stop the server?"),
    ("Every endpoint needs a rate limit.", "no, remove the endpoint"),
    ("Every endpoint needs a rate limit.", "no, the rate limit is 100 a minute"),
    ("Write the changelog entry with each change.", "no, write it in the README"),
    ("Keep answers short.", "you did not answer"),
    ("Do not push without my approval.", "no, push it"),
    ("Use React Query for fetching, never useEffect.", "no, fetch the main branch"),
    ("Open pull requests as drafts.", "no, close the pull request"),
    ("The API key is read from the environment.", "no, rename the key"),
)


def is_again(before: str, said: str) -> bool:
    """Whether `said` says what `before` says."""
    return (
        again.Sentences([said], [again.encode(rule_in(said, objects=True))]).similarity(0, before)
        > 0
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "again")
    parser.add_argument("--show", action="store_true", help="print what is judged wrongly")
    chosen = parser.parse_args(arguments)
    figures: list[Figure] = []
    for name, same, other in (("seen", SAME, OTHER), ("unseen", UNSEEN_SAME, UNSEEN_OTHER)):
        missed = [pair for pair in same if not is_again(*pair)]
        wrong = [pair for pair in other if is_again(*pair)]
        figures += [
            Figure(
                f"said again, {name}: of {len(same)}",
                len(same) - len(missed),
                must=0.75 * len(same),
                more=True,
            ),
            Figure(f"taken for the same, {name}: of {len(other)}", len(wrong), must=2),
        ]
        for what, pairs in (("missed", missed), ("wrong", wrong)) if chosen.show else ():
            for before, said in pairs:
                print(f"{what:6}  {before}  |  {said}")
    return report.finish("again", chosen, figures)


if __name__ == "__main__":
    sys.exit(main())
