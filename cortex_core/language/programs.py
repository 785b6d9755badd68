"""The programs that are run in a shell: what each is, and what its words mean."""

from __future__ import annotations

from collections.abc import Mapping

TASKS: Mapping[str, str] = {
    word: task
    for task, words in {
        "test": "test tests spec specs e2e unittest",
        "lint": "lint linter linting vet",
        "format": "format fmt formatter reformat",
        "typecheck": "typecheck typechecks checktypes checktype types typing",
        "build": "build compile assemble",
        "migrate": "migrate migration migrations",
        "deploy": "deploy release publish",
        "generate": "generate codegen gen",
        "run": "dev start serve server runserver up",
    }.items()
    for word in words.split()
}
"""Words that name a task in the scripts and targets of any ecosystem: `npm run lint`, `make build`,
`mix ecto.migrate`. Its name is all that says what a task is for, so there is no structure to go by;
the names are English whatever language the project's people speak."""
