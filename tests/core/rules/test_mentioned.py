"""Facts that the user mentions without announcing them, and what only looks like one."""

from __future__ import annotations

import pytest

from cortex_core.extract import orders
from tests.core.rules.session import Session, statements

KEPT = {
    "you dont have access to kubernetes here": "You dont have access to kubernetes here.",
    "did we not try this before, you can't reach the registry from here": (
        "You can't reach the registry from here."
    ),
    "you're in a container, so there is no systemd": (
        "You're in a container, so there is no systemd."
    ),
    "you can use the staging database at 10.0.4.17:5432": (
        "You can use the staging database at 10.0.4.17:5432."
    ),
    "there is no internet in this sandbox": "There is no internet in this sandbox.",
    "you can't push to main, it's protected": "You can't push to main, it's protected.",
    "that isn't the right file, the right one is src/api.ts": "The right file is src/api.ts.",
    "thats not the table I meant - its called billing_events": (
        "The table I meant is called billing_events."
    ),
    "That is not the right port, it's 8081": "The right port is 8081.",
    "the first column is not correct, that is the id of the tenant": (
        "The first column is the id of the tenant."
    ),
    "the port in the readme is not correct, use the one in compose": (
        "The port in the readme is not correct, use the one in compose."
    ),
    "parcel == what the carrier takes": "Parcel == what the carrier takes.",
    "By parcel I mean what the carrier takes": "By parcel I mean what the carrier takes.",
    '"cold" means that nothing was cached yet, at the carrier either': None,
    "claude code is not correct, that is the id of the worker": (
        "Claude code is the id of the worker."
    ),
    "DLQ stands for dead letter queue": "DLQ stands for dead letter queue.",
    "given that carriers read our logs, I think it's better not to print addresses there": (
        "Given that carriers read our logs, it's better not to print addresses there."
    ),
}

SUGGESTED = [
    "the dashboard is deployed here: https://metrics.example.dev/parcels",
    "postgres is running on your host",
    "the API listens on port 4040",
    "production uses postgres 14",
    "you have access to the deploy keys",
    "this is a Django project, not Flask",
    "node is installed via nvm, not brew",
    "the fixtures live in tests/data/carriers",
    "I think we should separate the carriers for clarity",
    "keep each commit with working code please (no broken state)",
    "No, use port 8080.",
    "no, we use yarn here",
    "No, the config lives in /etc/shop/config.toml.",
    "Actually, the staging server runs Postgres 16.",
    "actually we deploy from the release branch",
    "A signed CLA is required before a merge.",
    "Python 3.11 is required.",
    "Required: every migration has a down step.",
    "please please fix up any slow tests you notice and don't leave them for later",
]

NONE = """
no, use the other one
actually no, let's do this later
actually the tests still fail
no, we use it already
Email is required.
you can't do that
you don't need to do that
you can merge it now
you can't be serious
you can't fix that now
there is no test yet
the consultant session is on May 20
the error is in src/app.py
the build is failing on the server
it is in src/app.py
I'm on main
this means that we have to start over
what does DLQ stand for?
is postgres running on your host?
the API is now listening on port 4040
that's not good, it's broken
weight := max(parcelWeight, minimumWeight)
total == sum(parts)
I think it's better
I prefer the name ParcelSent or something like it
keep every file open
I think we should look at the logs
we have a problem on the server
""".strip().splitlines()


@pytest.mark.parametrize("prompt", KEPT)
def test_facts_with_a_negation_a_value_or_a_name_are_kept(prompt: str) -> None:
    found = statements(prompt)
    assert [one.content for one in found] == [KEPT[prompt]] * (KEPT[prompt] is not None)
    assert all(one.tier == "kept" for one in found)


@pytest.mark.parametrize("prompt", SUGGESTED)
def test_where_things_are_is_suggested(prompt: str) -> None:
    (found,) = statements(prompt)
    assert found.tier == "suggested"


@pytest.mark.parametrize("prompt", NONE)
def test_how_the_work_goes_is_no_fact(prompt: str) -> None:
    assert statements(prompt) == []


def test_each_definition_of_a_line_is_one() -> None:
    found = statements(
        "we really need other words for this (note this also)\n\n"
        "parcel == what the carrier takes from us, with one label on it\n"
        "box == what we pack, several of them in one parcel"
    )
    assert len(found) == 2 and found[0].content.startswith("Parcel == ")


@pytest.mark.parametrize(
    ("prompt", "is_environment"),
    [
        ("you don't have access to docker", True),
        ("the API listens on port 4040", True),
        ("By parcel I mean what the carrier takes", False),
    ],
)
def test_facts_of_the_machine_are_marked(prompt: str, is_environment: bool) -> None:
    (found,) = statements(prompt)
    assert ("environment" in found.tags) == is_environment


def test_a_line_of_a_log_is_no_fact() -> None:
    log = "\n".join(f"2026-11-02 09:00:0{n} worker started, reading the queue" for n in range(9))
    prompt = f"Server is running on http://localhost:3000\n{log}\nwhy does it stop then?"
    assert statements(prompt) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "write a comment in #172, I'll handle it there",
        "we don't need to commit",
        "like there should always be one commit for a session",
        "each subagent should do a search for carriers of its country",
        "we want a carrier page with a map, a list of the "
        "parcels on their way, the last place of each"
        " of them, the name of the driver, a search by number, and an export of all that for the"
        " people at the warehouse",
    ],
)
def test_what_is_of_one_task_is_no_rule(prompt: str) -> None:
    assert statements(prompt) == []


def test_a_review_is_not_the_users_policy() -> None:
    prompt = (
        "Missing field loses the tracking of parcels\n\nMedium Severity\n\nWhen the state is saved"
        " the map is lost. This causes estimateWeight to always return 0 and must be fixed."
    )
    assert statements(prompt) == []


def test_the_register_of_a_report_is_not_the_users() -> None:
    prompt = (
        "The weight of a parcel is computed from the dimensions of the box although the carrier"
        " returns it with every response. The value must always be read from the response, since"
        " the dimensions are rounded before they are stored in the table. Every importer should"
        " therefore read the field directly and must never fall back to the dimensions of a box."
    )
    assert statements(prompt) == []
    assert statements(f"I think we have a problem with this: {prompt}") != []


# --- orders that come back


def test_an_order_given_three_times_in_a_session_is_suggested() -> None:
    session = Session().human("add a ticket for that please, in the board Parcels").says("Done.")
    session.human("can we log a ticket for the flaky test").says("Done.")
    assert session.found() == []
    (found,) = session.human("great, let's open a ticket for this as well").found()
    assert (found.rule, found.kind, found.tier) == ("prompt-order", "policy", "suggested")
    seen, *_ = (one for one in session.extracted().observations if one.topic == "order")
    assert (seen.key, seen.text) == ("add ticket", "Add a ticket, in the board Parcels.")


def test_each_order_is_counted_over_sessions() -> None:
    session = Session().human("please run the type checker.").says("Done.").human("commit it")
    (seen,) = (one for one in session.extracted().observations if one.topic == "order")
    assert (seen.topic, seen.key, seen.text) == (
        "order",
        "run type checker",
        "Run the type checker.",
    )


@pytest.mark.parametrize("thing", ["shop:ticket", "shop ticket", "shop/ticket", "shop tickets"])
def test_the_thing_of_a_tool_is_known_with_and_without_its_mark(thing: str) -> None:
    order = orders.read(f"please create a {thing} about this, on a branch of its own")
    assert order is not None and order.key == "add shop ticket"


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the tests",
        "work on ENT-12",
        "add a note to #91",
        "commit and push",
        "do it",
        "go on",
        "why?",
    ],
)
def test_orders_of_the_moment_are_not_counted(prompt: str) -> None:
    found = Session().human(prompt).extracted().observations
    assert [one for one in found if one.topic == "order"] == []
