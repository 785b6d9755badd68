"""How the words of a rule say which tool calls it is about: the table of patterns."""

from __future__ import annotations

from cortex_core.language.negation import DO_NOT
from cortex_core.language.patterns import Pattern
from cortex_core.triggers.forms import CHANGE, COMMAND, READING, STAGED

# --- what a sentence names

SPAN = Pattern(
    "a code span", r"`+([^`\n]{1,160})`+", finds="Run `make fmt` first", spares="Run make` first"
)
QUOTED = Pattern(
    "a short quotation, or a mark between brackets",
    r"[“\"]([^”\"\n]{3,60})[”\"]|(?P<mark>\[[a-z][^\]\n]{2,40}\])(?!\()",
    finds='Never write "Co-Authored-By"',
    spares='Write "ab" alone',
)
TOOL = Pattern(
    "a tool of an MCP server",
    r"\bmcp__[\w-]+(?:__[\w*-]+)?",
    finds="Never use mcp__github__create_*",
    spares="an mcp server",
    flags=0,
)
PATH = Pattern(
    "what may be a path or a glob",
    r"(?<![\w:/@.~-])/?(?:[\w.@*-]+/)+[\w.*{},-]*|(?<![\w/])[\w*-]+\.[a-z]{1,6}\b|(?<!\w)\.\w[\w.*-]+"
    r"|\b(?:Docker|Make|Gem|Proc|Jenkins|Vagrant|Rake|Pod)file\b|\bCODEOWNERS\b",
    finds="Leave src/generated/ alone",
    spares="https://example.org: a page",
    flags=0,
)
OUTSIDE = Pattern(
    "a file outside of the project; other paths from the root are rather routes",
    r"(?:~|/(?:etc|usr|var|opt|home|Users|srv|root|tmp|Library|System|boot|mnt))/[\w.@*/-]+",
    finds="Never touch /etc/hosts",
    spares="GET /api/users",
    flags=0,
)
PLACEHOLDER = Pattern(
    "a part that stands for something else",
    r"[<>{}$]|\.\.\.|…|^\W+$",
    finds="git push <remote>",
    spares="git push origin",
)
WORD = Pattern(
    "a word that may be a program",
    r"(?<![\w./-])([a-z][\w-]*)(?![\w./-]*\w)",
    finds="use pnpm",
    spares="./Makefile",
    flags=0,
)
FOLLOWING = Pattern(
    "the next word of a command outside of code",
    r" (?:(?:with|mit|avec|con) )?(--?[A-Za-z][\w-]*|[a-z][\w:.-]*|[0-7]{3,4})(?=[\s,.;:!?)]|$)",
    finds="git push --force",
    spares="git (never)",
    flags=0,
)

# --- what is said of it

NO_FURTHER = Pattern(
    "behind this a prohibition does not reach",
    r"[:—–]|\b(?:unless|except|before|until)\b",
    finds="Never push before the tests",
    spares="Never push to main",
)
ASKS_FOR = Pattern(
    "asks for what comes after it",
    r"\b(?:use|uses|using|prefer|run|always|only|make sure|must|should|stick (?:to|with)|go with"
    r"|switch to|but|repo is|nutz\w*|nimm|verwend\w*|immer|usa|usamos|siempre"
    r"|utilis\w*|toujours)\b",
    finds="Stick to pnpm",
    spares="pnpm is the reason",
)
TURNS = Pattern(
    "where a prohibition may end",
    r"[,;]|\bbut\b|\band\b",
    finds="not npm but pnpm",
    spares="not npm",
)
JUST_FORBIDDEN = Pattern(
    "a prohibition right before a program",
    r"\b(?:never|instead of|not|no|rather than|leave|keep|without|keine?|pas de|sin)(?: use)? $",
    finds="never use ",
    spares="never on main: ",
)
SPEAKS_OF = {
    COMMAND: "run*, execut*, launch*, start*, call*, ausfuhr*, lanc*, ejecut*, for me",
    CHANGE: "edit*, chang*, bump*, modif*, touch*, writ*, overwrit*, delet*, remov*, add*, mov*"
    ", renam*, generat*, hands off, off limits, out of, leave*, stay*, ander*, verander*"
    ", bearbeit*, anfass*, losch*, schreib*, tocar*, toqu*, cambi*, borr*, supprim*, ecri*",
    STAGED: "commit*, check in, checked in, checking in, stage, staged, staging, track*"
    ", out of git, to git, eincheck*",
    READING: "open*, read*, print*, cat, show*, look at, look into, lesen, lies, offne*, leer*"
    ", leas*, abr*, lire, lis, ouvr*",
}
"""What a sentence says of a file, by the form of its trigger: words as those of `DEEDS`."""

EDITED_THERE = Pattern(
    "forbids to change what was named before it",
    r"\b(?:don['’]?t|do not|never|nobody|no one|not)\b[^.;]{0,30}\b(?:edit|chang|touch|modif)\w*"
    r"(?: anything| stuff)? (?:it|them|there|in there|in it|that|those|in place|by hand)\b"
    r"|, hands off|\bis off limits",
    finds="nginx.conf is puppet's, don't change it",
    spares="a.py is new, don't forget it",
)
FOLDER = Pattern(
    "a folder that is called one",
    r"(?<![\w/.])(node_modules|(?!(?:the|this|that|any|each|every|one|new|same|whole|its|our|your"
    r"|current|root|home|project) )[a-z_][\w.-]{2,30}(?=/? (?:folder|directory|dir|ordner)\b))"
    r"|\b(?:folder|directory|carpeta|dossier|ordner|verzeichnis) ([a-z_][\w.-]*/[\w./-]+)",
    finds="Leave the migrations folder alone",
    spares="Use one folder",
)
WRITES = Pattern(
    "speaks of writing a text",
    r"\b(?:add|writ|put|includ|mention|append|use|log|leav|insert|sign|say|message)\w*\b",
    finds="Never include it in a message",
    spares="Never trust it",
)
ASKS_FIRST = Pattern(
    "wants to be asked before",
    r"\b(?:ask|confirm|check with|tell|warn|get (?:an? )?(?:approval|permission)|wait for)\b.*"
    r"\b(?:before|prior to|first)\b",
    finds="Ask me before a release",
    spares="Format it before a release",
)
TOPIC = Pattern(
    "“Shadow branches: … never use git add” speaks of one part of the program, not of every call",
    r"^(?!.*\b(?:now on|rules?|notes?|important|remember|packages?|git|commits?|tests?|tool\w*"
    r"|style|lint\w*|format\w*|ci|prs?|shell|commands?)\b[^:]*:)(?:[^\s:`]+ ){0,3}[^\s:`]+: ",
    finds="Shadow branches: never use git add",
    spares="Git: never use git add",
)

# --- occasions

BEFORE = Pattern(
    "the event before which something has to be done",
    r"\bbefore (?:(?:each|every|any|a|the|you|we|making a|creating a|opening a|your)\s+)*"
    r"(?P<what>commit|push|merg|pull request|pr\b|releas|deploy|tagg)"
    rf"|\b{DO_NOT} (?P<not_yet>commit|push|merg)\w*\b[^.;,]{{0,40}}?"
    r"\b(?:before|until|unless|without)\b",
    finds="Run the tests before each commit",
    spares="Run the tests before lunch",
)
BRANCH = Pattern(
    "a branch that pushes go to",
    r"(?<![\w/.-])(?:(main|master|trunk|develop|staging|production|gh-pages)(?![\w/-]|\.\w)"
    r"|(release|hotfix)(?:/| branch))",
    finds="Never push to main",
    spares="the main.py of src/main/java",
    flags=0,
)
CONTEXT = Pattern(
    "the one context of a cluster that may be used",
    r"\b(?:only|nur|solo|seulement|uniquement)\b[^.;]{0,30}?\b([a-z][\w-]*-[\w-]+)`?"
    r" (?:context|cluster|kontext)",
    finds="kubectl only against the kind-dev context",
    spares="kubectl in any context",
)
HOST = Pattern(
    "the name of a machine",
    r"(?<![\w@/.-])((?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|cloud|internal|local|lan|de|es|fr|eu"
    r"|it|uk|ch|at|nl|br))(?![\w-])",
    finds="the database (db.acme.io)",
    spares="src/store.py",
)
CONDITION = Pattern(
    "says under which condition the same is right",
    r"\b(?:if|when|unless|until|without|before|after|yet|first|except|ohne|sin|sans|bevor|shared"
    r"|others['’]|on (?:an? )?\w+days?)\b",
    finds="Never push without asking",
    spares="Never push",
)

LIVE = Pattern(
    "where alone a program is forbidden",
    r"\b(?:against|on|in|at|to|gegen|auf|contra|sur|contre|en)\b (?:the |our |any |die |la )?`?"
    r"(prod|production|live|staging|produktion|produccion)\b",
    finds="never run psql against prod",
    spares="never run psql for production",
)
WITHIN = frozenset("in from with via through inside".split())
"""Words that put a program in the place of something else."""

BEFORE_PATHS = frozenset(
    """
    in under below inside within into of from touch edit change modify folder directory beneath
    everything anything about to unter in aus dans sous en bajo de at and or, from files: alone
    """.split()
)
"""Words after which a path without an ending is one."""

DEEDS: tuple[tuple[str, str], ...] = (
    # commits and branches
    ("amend* & commit*", "Bash(git commit --amend)"),
    ("--no-verify", "Bash(git commit --no-verify); Bash(git push --no-verify)"),
    (
        "skip*, bypass*, umgeh*, saltar*, saut* & hook*, pre-commit",
        "Bash(git commit --no-verify); Bash(git push --no-verify)",
    ),
    (
        "force-push*, force push*, forced push*, push* --force, push* by force, push* forzad*"
        ", push* force*, push* mit gewalt, forc* le push, forc* un push",
        "Push(+*)",
    ),
    ("rewrit*, reescrib*, reecri* & remote*, remota*, pushed, shared, public*", "!Push(+*)"),
    ("push*, pousse*, empuj*, hochschieb*", "Push(*)"),
    ("rebas*", "!Bash(git rebase)"),
    ("reset --hard, reset hard, hard reset*, hard-reset*", "!Bash(git reset --hard)"),
    ("commit -a, commit -am, commit --all", "!Bash(git commit -a)"),
    ("add -a, add --all", "!Bash(git add -A)"),
    ("add ., stag* everything", "!Bash(git add .)"),
    (
        "merg*, zusammenfuhr*, fusion* & pull request*, pull-request*, pr, prs, mr, mrs"
        ", merge request*",
        "Bash(gh pr merge); mcp__*__merge_pull_request; Bash(glab mr merge)",
    ),
    (
        "tag, tags, tagg* & creat*, crea*, cre*, mak*, push*, set*, anleg*, git, version*, cut*",
        "Bash(git tag *) unless Bash(git tag -l)",
    ),
    ("release, releases & github, creat*, cut*, publish*, draft*", "Bash(gh release create)"),
    ("delet*, losch*, borr*, supprim* & branch*, rama*", "!Bash(git push --delete)"),
    (
        "discard*, throw away, verwerf*, descart* & change*, work, anderung*, cambios",
        "!Bash(git restore); !Bash(git reset --hard); !Bash(git clean -f); !Bash(git stash)",
    ),
    ("clos* & issue*, issues", "!Bash(gh issue close)"),
    # what leaves the machine
    (
        "publish*, upload*, veroffentlich*, hochlad*, publi*, subir, sub*"
        " & pypi, testpypi, wheel*, twine",
        "!Bash(twine upload); !Bash(uv publish); !Bash(poetry publish); !Bash(flit publish)"
        "; !Bash(hatch publish)",
    ),
    (
        "publish*, veroffentlich*, publi* & npm, registry, package*, paket*, paquete*, paquet*",
        "!Bash(npm publish); !Bash(pnpm publish); !Bash(yarn publish); !Bash(yarn npm publish)",
    ),
    ("publish*, veroffentlich*, publi* & crate, crates, crates.io", "!Bash(cargo publish)"),
    (
        "deploy*, ausroll*, desplieg*, despleg*, deploi*",
        "!Bash(make deploy*); !Bash(npm run deploy*); !Bash(pnpm deploy*); !Bash(deploy.sh)"
        "; !Bash(fly deploy); !Bash(vercel --prod); !Bash(netlify deploy)",
    ),
    (
        "copi*, copy*, kopier*, upload*, transfer* & HOST",
        "!Bash(scp @HOST$); !Bash(rsync @HOST$); !Bash(sftp @HOST); !Bash(ssh @HOST)",
    ),
    ("ssh* & prod, production, live, produktion, produccion", "!Bash(ssh ~prod); !Bash(ssh ~live)"),
    (
        "kubectl, helm, cluster* & prod, production, live, produktion, produccion",
        "!Bash(kubectl --context=*prod*); !Bash(kubectl --context=*live*)"
        "; !Bash(kubectl config use-context *prod*); !Bash(kubectl config use-context *live*)"
        "; !Bash(helm --kube-context=*prod*)",
    ),
    (
        "creat*, chang*, delet*, modif*, touch*, borr*, losch*, anleg*, supprim* & aws",
        "!Bash(aws * rm|mb|rb|cp|mv|sync|create-*|delete-*|run-*|put-*|update-*|modify-*"
        "|terminate-*|start-*|stop-*|remove-*)",
    ),
    (
        "creat*, chang*, delet*, modif*, borr*, losch*, anleg*, supprim* & gcloud, gcp",
        "!Bash(gcloud * * create|delete|update|deploy|set-*|add-*|remove-*)",
    ),
    # what cannot be taken back
    (
        "destroy*, taint*, drop*, zerstor*, destru*, detrui* & terraform, tofu, infra*, state",
        "!Bash(terraform destroy|taint); !Bash(terraform state rm)"
        "; !Bash(terraform apply -destroy); !Bash(tofu destroy|taint); !Bash(tofu state rm)"
        "; !Bash(tofu apply -destroy)",
    ),
    (
        "prun*, aufraum*, limpi*, nettoy* & docker, container*, image*, volume*",
        "!Bash(docker system|container|image|volume|network|builder|buildx prune)",
    ),
    (
        "drop*, truncat*, losch*, borr*, supprim* & table, tables, database*, tabell*, datenbank*"
        ", tabla*, base de datos",
        "!Text(drop table); !Text(drop database); !Text(truncate table); !Bash(dropdb)",
    ),
    # what runs here
    ("as root, als root, como root, en root, sudo", "!Bash(sudo); !Bash(su); !Bash(doas)"),
    (
        "restart*, stop*, neustart*, neu start*, reinici*, redemarr*, arret* & service*, daemon*"
        ", dienst*, servic*, systemd",
        "!Bash(systemctl restart|stop|try-restart|reload-or-restart|disable|kill)"
        "; !Bash(service * restart|stop)",
    ),
    ("apply*, anwend* & terraform", "!Bash(terraform apply)"),
    ("apply*, anwend* & tofu", "!Bash(tofu apply)"),
    (
        "start*, run*, launch* & dev server, dev-server, devserver",
        "!Bash(npm run dev); !Bash(npm start); !Bash(pnpm dev); !Bash(yarn dev); !Bash(next dev)"
        "; !Bash(vite); !Bash(rails server); !Bash(python manage.py runserver)",
    ),
    (
        "new, install*, add*, neue*, nueva*, nouvelle* & dependenc*, package*, librar*, paket*"
        ", abhangigkeit*, dependencia*, paquete*",
        "!Bash(npm install *); !Bash(pnpm add); !Bash(yarn add); !Bash(pip install *)"
        "; !Bash(uv add); !Bash(poetry add); !Bash(cargo add); !Bash(go get)",
    ),
    (
        "global* & install*",
        "!Bash(npm install -g); !Bash(pnpm add -g); !Bash(yarn global add); !Bash(bun add -g)",
    ),
    (
        "run, runs, running, apply*, execut*, ausfuhr*, fuhr*, lanc*, ejecut*, start* & migrat*",
        "!Bash(python manage.py migrate); !Bash(manage.py migrate); !Bash(alembic upgrade)"
        "; !Bash(prisma migrate deploy|dev|reset); !Bash(rails db:migrate)"
        "; !Bash(php artisan migrate); !Bash(flyway migrate)",
    ),
    (
        "whole, full, entire, complete, all, ganz*, komplett*, toute, toda, entera & suite, tests"
        ", specs, testsuite",
        "!Bash(pytest $); !Bash(npm test $); !Bash(playwright test $); !Bash(jest $)"
        "; !Bash(vitest run $); !Bash(cargo test $); !Bash(go test ./...); !Bash(make test $)",
    ),
    (
        "lock file*, lockfile*, lock-file* & edit*, chang*, touch*, modif*, by hand, hands off"
        ", off limits, alone, bearbeit*, ander*, toucher, modifier, tocar, cambi*",
        "!Edit(*.lock); !Edit(*-lock.*); !Edit(*.lockb); !Edit(go.sum)",
    ),
    ("updat* & cargo.lock", "!Bash(cargo update)"),
    ("updat* & package-lock.json", "!Bash(npm update)"),
    # what is only recalled
    ("commit*", "?Bash(git commit)"),
    ("pull request*, pr, prs", "?Bash(gh pr create)"),
    (
        "new branch, branch off, name branches, name the branches, branch name*, branches are named"
        ", branches must be named",
        "?Bash(git checkout -b); ?Bash(git switch -c); ?Bash(git worktree add)",
    ),
)
"""What a rule may be about without naming the command: the words of it, and its triggers.

Words are without accents; `*` means any ending, and of each group (`&`) one has to be there. `!`
means a trigger only of a rule that forbids it, `?` only of one that does not. `HOST` is a machine
that the rule names. Where a rule names programs itself, only the triggers of these count.
"""

EVENTS = {
    "commit": "git commit",
    "push": "git push",
    "merg": "git merge",
    "pull request": "gh pr create",
    "pr": "gh pr create",
}
"""The commands of the events that `BEFORE` finds."""

BEFORE_WHICH = tuple(dict.fromkeys(EVENTS.values()))
"""The commands before which something else has to be done."""

MEANT = {"grep": "grep -r"}
"""What a rule against a program is about that every other line uses for something else."""

# --- corrections, and what to do instead

REPLACES = Pattern(
    "a correction puts something else in the place of the call",
    r"\b(?:never|don['’]?t|do not|not|instead|rather than|stop|avoid|use)\b",
    finds="use the release script",
    spares="that was the release script",
)
OTHERWISE = Pattern(
    "a correction says that something is to be done in another way",
    r"\b(?:never|don['’]?t|do not|not|no|instead|rather|always|only|use|must|should|stop|avoid)\b",
    finds="not like that",
    spares="fine, go on",
)
INSTEAD = Pattern(
    "what comes right before the command to use instead",
    r"\b(?:use|uses|using|prefer|run|via|through|with|switch to|stick to|go with)"
    r"(?: (?:only|just|always|the))?[\s`\"“]*$",
    finds="Never call it, use only `",
    spares="Use it before ",
)
STEP = Pattern(
    "steps: it asks for a command at another moment, not in place of another one",
    r"\b(?:before|after|first|then|when|whenever|once)\b",
    finds="Run `make fmt` first",
    spares="Run `make fmt` instead",
)
