"""Which sentences of a user are kept, suggested or left out."""

from __future__ import annotations

import pytest

from tests.core.rules.session import Session, statements

POLICIES = """
Always use pnpm, never npm, in this repository.
never push directly to main
please always run the linter before committing
Please never edit files under vendor/.
from now on, write commit messages in the imperative mood
From now on use tabs.
going forward, every endpoint needs an integration test
can we always run the linter before pushing?
can you always run the tests before you say you're done?
could you please never touch the generated files
whenever you change the schema, regenerate the client
every time I ask for a plan, keep it under a page
run the type checker every time you edit a TypeScript file
before every commit run `make check`
make sure to always escape user input
you should never edit files under vendor/
We always deploy from the release branch.
Don't ever force-push.
in the future, ask before adding a dependency
please don't add emoji to the readme again
NEVER log tokens, not even in debug mode
When you add a column, ALWAYS write a down migration too.
i want you to use type hints in all new code
Under no circumstances should you touch the billing module.
As a rule, keep functions under thirty lines.
When reviewing, always mention the file and line.
ok so also, always keep the changelog in sync with the tags
Always answer in British English when I ask for prose.
don't add comments like "changed by the bot", ever
I want a summary at the end of each session
Whenever I say "ship it" I mean commit, push and open a PR.
why did you remove the retry? never remove error handling without asking me
we never deploy on fridays
Respond in German from now on
""".strip().splitlines()

REMEMBERED = {
    "Remember that staging uses Postgres 14 while production is on 16.": (
        "fact",
        "Staging uses Postgres 14 while production is on 16.",
    ),
    "remember: the API key lives in Vault, not in .env": (
        "fact",
        "The API key lives in Vault, not in .env.",
    ),
    "please remember to bump the schema version with every migration": (
        "policy",
        "Bump the schema version with every migration.",
    ),
    "keep in mind that the mobile client caches for 24h": (
        "fact",
        "The mobile client caches for 24h.",
    ),
    "Don't forget to update the changelog with every release": (
        "policy",
        "Update the changelog with every release.",
    ),
    "Our cron runs in UTC. Remember that.": ("fact", "Our cron runs in UTC."),
    "The importer needs Java 17 on the build agents, please remember that.": (
        "fact",
        "The importer needs Java 17 on the build agents.",
    ),
    "Remember this for next time: the e2e suite needs `docker compose up` first": (
        "fact",
        "The e2e suite needs `docker compose up` first.",
    ),
    "and remember that I'd rather see plain SQL than a query builder": (
        "preference",
        "I'd rather see plain SQL than a query builder.",
    ),
}

FACTS = {
    "fyi the prod database is read only on weekends": (
        "The prod database is read only on weekends."
    ),
    "For context, we inherited this service from the payments team and cannot change its API.": (
        "We inherited this service from the payments team and cannot change its API."
    ),
    "I forgot to mention, the old importer lives in tools/legacy": (
        "The old importer lives in tools/legacy."
    ),
    "note that the worker restarts every six hours": "The worker restarts every six hours.",
    "heads up: the CI machines have only 2 GB of memory": (
        "The CI machines have only 2 GB of memory."
    ),
}

CORRECTIONS = {
    "No, not npm: pnpm": "Not npm: pnpm.",
    "no, we use pnpm, not npm": "We use pnpm, not npm.",
    "No, the tests live next to the code, not in a tests folder.": (
        "The tests live next to the code, not in a tests folder."
    ),
    "actually, the source of truth is the OpenAPI file, not the handlers": (
        "The source of truth is the OpenAPI file, not the handlers."
    ),
    "wrong, the timeout is in milliseconds, not seconds": (
        "The timeout is in milliseconds, not seconds."
    ),
    "That's not right. We store money as integer cents, never floats.": (
        "We store money as integer cents, never floats."
    ),
    "no. the endpoint is /v2/users, not /users": "The endpoint is /v2/users, not /users.",
}

PREFERENCES = {
    "I prefer small commits over big ones": "I prefer small commits over big ones.",
    "I prefer composition over inheritance, can you refactor this?": (
        "I prefer composition over inheritance."
    ),
    "we prefer named exports": "We prefer named exports.",
    "my preference is plain SQL over an ORM": "My preference is plain SQL over an ORM.",
    "I'm reworking the settings page, and I prefer native selects over custom widgets, how do I "
    "style them?": "I prefer native selects over custom widgets.",
    "I generally prefer early returns to nested ifs.": (
        "I generally prefer early returns to nested ifs."
    ),
}

SUGGESTED = {
    "our convention is to name hooks useX": "constraint",
    "we don't use classes here, only functions": "constraint",
    "we use vitest, not jest": "constraint",
    "all endpoints must return problem+json": "constraint",
    "Tests should live next to the code": "constraint",
    "don't mock the database in integration tests": "constraint",
    "stop adding comments that restate the code": "constraint",
    "only edit files under src/": "constraint",
    "you MUST run migrations inside a transaction": "constraint",
    "when writing tests, use factories instead of fixtures": "constraint",
    "the export button should always be visible to admins": "constraint",
    "every PR needs a changelog entry": "constraint",
    "each migration has to be reversible": "constraint",
    "the convention in this repo is that hooks live in src/hooks": "constraint",
    "our API returns snake_case, the frontend uses camelCase": "constraint",
    "this project uses semantic release so commit messages matter": "constraint",
    "we use 2 spaces for indentation": "constraint",
    "we don't need IE11 support": "constraint",
    "IMPORTANT: do not touch package.json": "constraint",
    "Before you commit, run make lint": "constraint",
    "that's wrong, prices are stored in cents": "constraint",
    "I want the sidebar to always be collapsed on small screens": "constraint",
    "let's use Redis for the queue": "decision",
    "let's go with SQLite because we only have one writer": "decision",
    "we decided to drop Windows support": "decision",
    "I've decided to use Fly over Heroku due to its private network": "decision",
    "use uv instead of pip": "decision",
    "i18n is out of scope": "decision",
    "name the command /share:publish": "decision",
    "we want this to be usable without an account": "wish",
    "I hate when tests sleep": "wish",
    "I'd rather not add another dependency": "wish",
    "I don't want a second config file": "wish",
    "we want the CLI to work offline": "wish",
    "I really dislike default exports in shared packages": "wish",
}

PASSED_OVER = """
never mind, I found it
I've never seen this error before
it always fails on the second run
why does it always time out?
I always forget how this works
you always forget the semicolons
Always happy to help!
can you fix the login bug?
do you remember the bug we fixed yesterday?
remember when we tried webpack?
I remember that this worked last week
don't forget to commit
don't commit yet
don't push until I say so
for now just use a hardcoded value
add a test for this
use the other approach instead
I prefer the second option
I prefer that
let's try that
let's keep it simple
let's go with option B
let's look at the logs first
Please run the tests and tell me what fails
Add a function called multiply(a, b) and a test for it.
In the future we will add dark mode
run the linter for every file in src
DO NOT implement anything, just analyze
I think this seems like a good approach
I'd like to add pagination to the list
I want to understand how the cache works
we should probably clean this up at some point
no, that's not it
no, the other one
actually, never mind
Actually, let me check first.
ok great, commit and push
yes
looks good to me!
Is it always necessary to call close()?
Should we use Redis or Postgres?
Should I always call close() myself?
I hate this bug
what do you prefer?
when you're done, open a PR
once the tests pass, merge it
before continuing, read the plan
Don't stop until all functions are ported
Use the Read tool for ALL of these - do not use bash cat
maybe we should use Kafka instead of Redis?
it will never work like that
You never told me about that file
If the user never logs in, the token stays valid, right?
We never got around to testing it.
i'll keep an eye on it
I'd rather do this in a separate PR
Only read the first 10 lines
I decided to stay home today because of the rain
did you always test it like that?
don't do that again
this never worked
The tooltip never shows up on mobile, please fix
make sure the test never hits the network
The old code always returned an array
as always, great work
the deploy always takes 20 minutes, can we speed it up?
NOTE: The server is already running on port 3000
just so you know, Tom is refactoring the auth module this week so avoid touching it
I'd prefer a single file for this
ok let's go with your recommendation
""".strip().splitlines()


@pytest.mark.parametrize("prompt", POLICIES)
def test_standing_instructions_are_kept_at_once(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier, found.kind) == ("prompt-policy", "kept", "policy")
    assert found.priority == 8 and found.content[0] != " " and found.session == "s1"


@pytest.mark.parametrize("prompt", REMEMBERED)
def test_what_is_to_be_remembered(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier) == ("prompt-remember", "kept")
    assert (found.kind, found.content) == REMEMBERED[prompt]


@pytest.mark.parametrize("prompt", FACTS)
def test_what_is_told_for_information(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier, found.kind) == ("prompt-fact", "kept", "fact")
    assert found.content == FACTS[prompt]


@pytest.mark.parametrize("prompt", CORRECTIONS)
def test_corrections_are_facts_of_high_priority(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier, found.kind) == ("prompt-correction", "kept", "fact")
    assert found.content == CORRECTIONS[prompt] and found.priority == 8


@pytest.mark.parametrize("prompt", PREFERENCES)
def test_preferences_are_kept_without_the_question_around_them(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier, found.kind) == ("prompt-preference", "kept", "preference")
    assert found.content == PREFERENCES[prompt]


@pytest.mark.parametrize(
    "prompt",
    [
        "we've agreed that the public API stays stable until 2.0 because of the partners",
        "We decided to keep SQLite because there is a single user.",
        "the team settled on trunk-based development since branches lived for weeks",
    ],
)
def test_our_decisions_with_their_reason_are_kept_at_once(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier, found.kind) == ("prompt-decided", "kept", "decision")


@pytest.mark.parametrize("prompt", SUGGESTED)
def test_rules_and_choices_in_passing_wait_for_a_verdict(prompt: str) -> None:
    (found,) = statements(prompt)
    assert (found.rule, found.tier) == (f"prompt-{SUGGESTED[prompt]}", "suggested")


@pytest.mark.parametrize("prompt", PASSED_OVER)
def test_what_does_not_last_is_passed_over(prompt: str) -> None:
    assert statements(prompt) == []


def test_each_rule_of_a_prompt_is_a_memory_of_its_own() -> None:
    found = statements("Always use uv. Never commit lock files of other tools. What is the time?")
    assert [one.content for one in found] == [
        "Always use uv.",
        "Never commit lock files of other tools.",
    ]


def test_choices_that_tell_one_story_are_one_memory() -> None:
    (found,) = statements("Let's use Redis for the queue. We want the workers to stay stateless.")
    assert found.content == "Let's use Redis for the queue. We want the workers to stay stateless."


def test_a_sentence_that_explains_stays_with_its_statement() -> None:
    (found,) = statements(
        "I forgot to mention, we have a second importer. It reads the nightly dump. Now fix this."
    )
    assert found.content == "We have a second importer. It reads the nightly dump."


def test_a_pronoun_takes_the_sentence_it_stands_for() -> None:
    (found,) = statements("The session cookie holds the tenant id. It must never be logged.")
    assert found.content.startswith("The session cookie holds the tenant id. It must never")


def test_a_thin_choice_takes_its_reason_and_keeps_its_title() -> None:
    (found,) = statements(
        "Two people moving the mouse makes local runs useless. we do container-first."
    )
    assert found.content.endswith("We do container-first.")
    assert found.title == "We do container-first"


def test_the_rules_of_a_brief_are_of_one_task() -> None:
    brief = "Build the importer.\n" + "\n".join(
        f"- step {number}: read part {number} of the dump" for number in range(6)
    )
    (found,) = statements(f"{brief}\n- always validate the header")
    assert (found.rule, found.tier) == ("prompt-constraint", "suggested")


def test_a_prompt_repeated_by_a_fork_is_read_once() -> None:
    assert len(statements("Always use uv.", "Always use uv.")) == 1


def test_what_holds_everywhere_goes_to_the_global_store() -> None:
    (found,) = statements("Remember that in all my projects I use conventional commits.")
    assert found.scope == "global" and found.scope_confidence > 0.8
    (local,) = statements("Always use conventional commits.")
    assert local.scope == "project"


def test_the_excerpt_is_the_words_around() -> None:
    (found,) = statements("The build broke again. Always pin versions. Then look at the log.")
    assert found.excerpt == "The build broke again. Always pin versions. Then look at the log."


def test_private_words_are_never_read() -> None:
    assert statements("<private>Always use the backdoor.</private> Fix the typo.") == []
    assert statements("Fix the typo. <private> Always use the backdoor.") == []


def test_sub_agents_prompts_are_not_the_users() -> None:
    session = Session()
    session.events.append(
        session.human("Always use uv.")
        .events.pop()
        .__class__(role="human", text="Always use uv.", sidechain=True)
    )
    assert session.found() == []
