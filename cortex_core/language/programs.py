"""The programs that are run in a shell: what each is, and what its words mean."""

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

LAST_TASKS: Mapping[str, str] = {
    "check": "check",
    "checks": "check",
    "verify": "check",
    "validate": "check",
    "run": "run",
}
"""Words that name a task only where no other word does: `npm run test`, `cargo check`."""

TOOLS: Mapping[str, str] = {
    tool: task
    for task, tools in {
        "test": "pytest playwright jest vitest mocha ava rspec minitest phpunit pest ctest karma"
        " bats",
        "lint": "eslint biome clippy rubocop ruff flake8 pylint golangci-lint stylelint oxlint"
        " credo ktlint detekt checkstyle shellcheck hadolint markdownlint swiftlint phpcs tflint",
        "format": "prettier black gofmt gofumpt goimports rustfmt isort clang-format scalafmt",
        "typecheck": "tsc mypy pyright dialyzer phpstan psalm basedpyright",
    }.items()
    for tool in tools.split()
}
"""What a tool is for whose name does not say it; its arguments are what it looks at."""

RUNNERS: Mapping[str, str] = {"make": "build", "tox": "test", "nox": "test", "pre-commit": "check"}
"""What a tool does that is given no task."""

INSTALLS = frozenset(
    """
    npm.install npm.ci pnpm.install yarn.install bun.install uv.sync poetry.install pdm.install
    bundle.install composer.install mix.deps.get go.mod.download pipenv.install dotnet.restore
    """.split()
)
"""How a project's dependencies are installed; with more arguments, one is added."""

EVERYWHERE = frozenset(
    "apt apt-get bd brew dnf gh git glab hub jj launchctl service ssh systemctl winget".split()
)
"""Programs that record, send and discuss work, or look after the machine: they are used in the same
way in every project."""

# --- programs that run others

PLUMBING = frozenset(
    """
    . : [ [[ awk basename break cat cd chmod chown clear column command continue cp curl cut
    date declare diff dirname done du echo env esac exit export false fi file find for grep head
    hexdump history jq kill less ln local ls lsof md5 md5sum mdfind mkdir more mv nc nl open pbcopy
    pgrep pkill popd printf ps pushd pwd read readlink realpath return rg rm rmdir sed seq set
    sha256sum shasum shift sleep sort source stat tac tail tee test touch tr trap tree true type
    ulimit uniq unset unzip wait wc wget which whoami xargs xxd yes zip
    """.split()
)
"""Programs that look, wait, or move text and files: no project is in them. Nothing in a line shows
that, so they are listed."""

INTERPRETERS = frozenset("bash node perl python python3 ruby sh zsh".split())
"""Programs that run the script they are given: the script is what the command is about."""

SHELLS = frozenset("bash dash ksh sh zsh".split())
"""Programs that read shell code."""

WRAPPERS = frozenset(
    "! { } builtin do else elif exec if nohup sudo then time until while gtimeout timeout".split()
)
"""Words before a command that change when or how it runs and not what it does."""

KEYWORDS_BEFORE = frozenset("! { do elif else if then until while".split())
"""Keywords of the shell that a command follows."""

PREFIXES = {
    "builtin": "",
    "command": "v V",
    "doas": "-C -u",
    "env": "-C -S -u",
    "exec": "-a",
    "nice": "-n",
    "nohup": "",
    "setsid": "",
    "stdbuf": "-e -i -o",
    "sudo": "-C -D -g -h -p -u",
    "time": "-f -o",
    "xargs": "-a -d -E -I -L -n -P -s",
    "gtimeout": "-k -s",
    "timeout": "-k -s",
    "ionice": "-c -n -p",
    "chronic": "",
    "caffeinate": "",
    "watch": "-n --interval",
    "unbuffer": "",
    "coproc": "",
    "busybox": "",
    "corepack": "",
    "parallel": "-j --jobs",
    "runuser": "-u",
    "sshpass": "-e -f -p",
}
"""Programs that run the command after them, and which of their options take a value."""

GIVEN_CODE = frozenset("-c -C -S -x --command --eval --split-string --exec --run -Command".split())
"""Options whose value is code, of programs that run others; of others it is no command."""

REMOTE_SHELLS = frozenset("autossh mosh ssh".split())
"""Programs that run what follows the name of a machine, there."""

REMOTE_OPTIONS = frozenset(
    "-B -b -c -D -E -e -F -I -i -J -L -l -M -m -O -o -P -p -Q -R -S -W -w".split()
)
"""Options of these that take a value."""

RUNS_PROGRAMS = frozenset(
    tuple(words.split())
    for words in (
        "npx,bunx,pnpx,uvx,pipx run,pnpm exec,pnpm dlx,yarn exec,yarn dlx,npm exec,npm x,"
        "bun x,uv run,poetry run,pdm run,hatch run,pipenv run,rye run,bundle exec,mise exec,"
        "mise x,direnv exec,dotenv run,volta run,asdf exec,fnm exec,nvm exec,lerna exec,"
        "dotenv,dotenvx run,doppler run,infisical run,railway run,op run,chamber exec,"
        "mix cmd"
    ).split(",")
)
"""What runs a program of the project's: both the whole and the program are looked at. Not what
runs one in a container: there a program that is ruled out here is often the right way."""

RUNS_NEXT = frozenset(
    (
        "uv run,poetry run,pdm run,npx,bunx,uvx,bundle exec,npm run,pnpm run,yarn run,bun run"
        ",pnpm exec"
    ).split(",")
)
"""After these the next word is a program or script of the project."""

RUNS_OTHERS = frozenset("bun npm pnpm yarn mise just task make docker podman npx uv poetry".split())
"""Programs whose `run` runs what is named after it."""

RUNS_SCRIPTS = frozenset("bun composer deno just make mise npm pnpm rake task yarn".split())
"""Programs whose commands are defined by the project itself."""

SAME_PROGRAM = {
    "py": "python",
    "nodejs": "node",
    "apt-get": "apt",
    "mamba": "conda",
    "esptool.py": "esptool",
    "vim": "vi",
    "gmake": "make",
    "docker-compose": "docker compose",
    "gsed": "sed",
    "grm": "rm",
}
"""Programs by another name."""

MODULES = frozenset("pip pytest mypy ruff black isort flake8 unittest venv build twine".split())
"""Modules of Python that are programs too: `python -m pytest` is `pytest`."""

RUNTIMES = frozenset(
    "python node go golang rust ruby java jdk php bun deno nodejs node.js npm pnpm yarn".split()
)
"""Programs that a version is named of without a dot: `Node 20`."""

# --- words of a command line

IN_RULES = frozenset(
    """
    ansible apt autopep8 aws az bazel biome black brew bun bunx bundle cargo composer conda curl
    deno docker dotnet eslint flake8 flutter gcloud gh git glab go golangci-lint gradle heroku helm
    grep
    jest jj just kubectl lerna make mix mocha mypy mysql nix node npm npx nx pdm perl php pip pipenv
    playwright pnpm podman poetry pre-commit prettier prisma psql pyright pytest python rails
    rake
    redis-cli rm rsync ruff ruby rustfmt sbt sed ssh sudo supabase swift task terraform tox tsc
    turbo unittest uv uvx vercel vi vitest wrangler wget yapf yarn alembic artisan kill pkill
    killall mise
    chmod chown mv cp dd tofu scp doas twine find systemctl crontab reboot shutdown dropdb mongosh
    sqlite3 gem mvn ansible-playbook fly flyctl firebase netlify serverless cdk packer vagrant
    docker-compose eas fastlane xcodebuild adb pulumi snap flatpak dnf pacman k6 artillery pio
    sbatch dbt airflow liquibase terragrunt nomad minikube skaffold argocd gsutil doctl wp
    drush hugo
    cypress pod gradlew rustup wasm-pack jupyter dvc mlflow wandb ollama ffmpeg pandoc latexmk nvm
    semantic-release sleep changeset rush mysql mysqldump pg_dump pg_restore printenv
    ngrok cloudflared
    eksctl istioctl jenv restic vault velero
    ufw iptables nmcli useradd passwd esptool pdflatex awk gpg avrdude openocd renv quarto
    """.split()
)
"""Programs that rules are about."""

IN_TITLES = frozenset(
    """
    git npm npx pnpm yarn bun pip pipx uv mix cargo go docker make cmake python node gh kubectl bd
    ruff mypy pytest pyright black isort flake8 pylint tox alembic eslint prettier tsc vite vitest
    jest webpack esbuild rollup deno rustc clippy gofmt gcc clang helm terraform ansible nginx psql
    sqlite3 redis systemd systemctl ssh curl wget grep sed awk tmux bash zsh sh sudo apt brew rsync
    """.split()
)
"""Programs whose names keep their letters at the beginning of a title."""

LIBRARIES = frozenset(
    """
    requests moment lodash underscore axios jquery redux mobx zustand pandas polars urllib3 httpx
    aiohttp nose enzyme sinon chai bluebird ramda rxjs dayjs date-fns luxon styled-components
    tailwind bootstrap sequelize typeorm knex mongoose sqlalchemy celery pydantic marshmallow attrs
    argparse typer loguru log4j lombok guava gson mockito junit testify gorm logrus left-pad
    classnames formik puppeteer selenium cheerio gulp grunt webpack rollup babel tslint node-sass
    node-fetch superagent winston pino simplejson pytz pendulum freezegun nokogiri httparty faraday
    jest vitest mocha prettier
    """.split()
)
"""Libraries that rules ask for or rule out by their names."""

WORDS_TOO = frozenset(
    "just make task go node mix black python ruby rails swift vi sed perl php aws az nix kill "
    "cp mv dd find crontab reboot shutdown gem fly packer serverless rake turbo flutter deno "
    "composer conda curl bundle prettier snap pod rush drush sleep passwd changeset vault".split()
)
"""Programs whose names are words of the language, or of what is talked about: alone and outside of
code they are not taken for commands."""

GOES_ON = frozenset(
    """
    a after again against all alone and any anymore anything anywhere are as at because before but
    by can commands directly either even ever except for from here if in instead into is it like
    locally
    manually may must no nor not now on only or out outside please rather should since so that the
    then
    there this though to unless until via was when where while will with without would yet yourself
    """.split()
)
"""Words that may follow a program's bare name; behind another one it is rather a part of a name."""

NO_VERBS = frozenset(
    "prettier black curl conda deno composer flutter perl php aws az rails snap serverless"
    " sleep".split()
)
"""Those of them that a rule forbids by their bare name: they are no verbs."""

ALTERNATIVES = {
    program: tuple(other for other in group.split() if other != program)
    for group in (
        "npm pnpm yarn bun",
        "jest vitest mocha",
        "docker podman",
        "eslint biome prettier",
        "black autopep8 yapf",
    )
    for program in group.split()
}
"""Programs of which a project uses one: to ask for one is to rule out these others."""

INSTALLERS = {
    "uv": ("pip install", "poetry add", "pipenv install"),
    "poetry": ("pip install", "pipenv install"),
    "pdm": ("pip install",),
    "conda": ("pip install",),
    "pipenv": ("pip install",),
}
"""What one who asks for a package manager of Python rules out."""

SUBCOMMANDS = {
    "git": "add am amend apply bisect branch checkout cherry-pick clean clone commit fetch gc init "
    "merge mv prune pull push rebase reflog reset restore revert rm stash submodule switch tag "
    "worktree",
    "reflog": "delete expire",
    "get": "secret secrets",
    "run": "rerun watch",
    "config": "set use-context",
    "npm": "audit ci exec i install link publish run test uninstall update",
    "docker": "build compose exec image kill prune ps pull push rm rmi run stop system volume",
    "pnpm": "add build dlx exec format install lint publish remove run test typecheck",
    "yarn": "add build format install lint publish run test typecheck",
    "audit": "fix",
    "aws": "cloudformation dynamodb ec2 ecs iam lambda rds s3 s3api secretsmanager",
    "s3": "cp mb mv rb rm sync",
    "vault": "delete kv write",
    "kv": "delete destroy patch put",
    "secretsmanager": "create-secret delete-secret put-secret-value update-secret",
    "helm": "install rollback uninstall upgrade",
    "chmod": "777 666",
    "systemctl": "disable enable restart start stop",
    "firebase": "deploy",
    "pulumi": "destroy up",
    "issue": "close comment create delete edit reopen",
    "release": "create delete edit upload",
    "repo": "archive create delete edit fork",
    "gh": "api issue pr release repo run workflow",
    "cargo": "add build check clippy fmt publish run test update",
    "go": "build fmt generate get install mod run test vet",
    "pip": "install uninstall",
    "uv": "add pip run sync",
    "poetry": "add install run update",
    "terraform": "apply destroy import plan",
    "tofu": "apply destroy import plan",
    "docker-compose": "build down exec pull restart run up",
    "kubectl": "apply cordon delete drain edit exec get rollout scale",
    "make": "clean",
    "pr": "close comment create edit merge ready review",
    "bun": "add install run test",
    "prisma": "db migrate",
    "migrate": "deploy dev reset",
    "system": "df prune",
    "volume": "create prune rm",
    "compose": "build down exec kill pull restart rm run start stop up",
    "brew": "install",
    "apt": "install",
    "dotnet": "build run test",
}
"""What may follow a program outside of code; the word after a subcommand must be an option."""

USUAL_SUBCOMMANDS = frozenset(
    "add apply build clean create delete deploy destroy halt install prune publish push reload"
    " remove"
    " reset"
    " restart rollback run start stop submit sync uninstall up update upgrade upload".split()
)
"""What may follow a program of which no subcommands are listed."""

LOOKING = frozenset(
    "check config describe diff freeze get help info inspect lint list logs ls outdated plan search"
    " show status template tree validate version view why --version --help".split()
)
"""Subcommands and options with which most programs change nothing."""

SAME_SUBCOMMAND = {
    (program, other): usual
    for program, rows in {
        "npm": {
            "install": "i in ins inst insta instal isnt isnta isntal isntall add install-test it",
            "ci": "clean-install ic install-clean isntall-clean install-ci-test cit sit"
            " clean-install-test",
            "uninstall": "un unlink remove rm r",
            "update": "u up upgrade udpate",
            "run": "run-script rum urn",
            "exec": "x",
            "test": "t tst",
            "link": "ln",
            "config": "c",
            "view": "info show v",
        },
        "pnpm": {
            "install": "i it install-test",
            "remove": "rm un uninstall",
            "update": "up upgrade",
            "run": "run-script",
            "test": "t tst",
            "link": "ln",
        },
        "yarn": {"install": "i"},
        "bun": {"install": "i", "add": "a", "remove": "rm"},
        "cargo": {"test": "t", "build": "b", "run": "r", "check": "c", "remove": "rm"},
        "composer": {"install": "i", "update": "u upgrade", "require": "r", "remove": "rm"},
        "helm": {"uninstall": "un del delete"},
        "brew": {"uninstall": "rm remove"},
        "chmod": {"777": "0777 a+rwx", "666": "0666 a+rw"},
        "rails": {"generate": "g", "destroy": "d", "console": "c", "server": "s", "test": "t"},
    }.items()
    for usual, others in rows.items()
    for other in others.split()
}
"""Subcommands by their other names."""

SHORT_OPTIONS = {
    ("rm", "--recursive"): "-r",
    ("rm", "-R"): "-r",
    ("rm", "--force"): "-f",
    ("grep", "--recursive"): "-r",
    ("grep", "-R"): "-r",
    ("git", "--set-upstream"): "-u",
    ("git", "--force"): "-f",
    ("git", "--all"): "-a",
    ("git", "--gpg-sign"): "-S",
    ("git", "--signoff"): "-s",
    ("gh", "--merge"): "-m",
    ("gh", "--squash"): "-s",
    ("gh", "--draft"): "-d",
    ("npm", "--global"): "-g",
    ("npm", "--save-dev"): "-D",
    ("docker", "--force"): "-f",
    ("docker", "--volumes"): "-v",
    ("pytest", "--exitfirst"): "-x",
    ("chmod", "--recursive"): "-R",
    ("cp", "--recursive"): "-r",
    ("jest", "--updateSnapshot"): "-u",
    ("vitest", "--update"): "-u",
}
"""Long options by their short form."""

OPTIONS_OF_SUBCOMMAND = {("git", "commit", "-n"): "--no-verify", ("git", "add", "-a"): "-A"}
"""Options, in their short form, that mean another one for one subcommand only."""

TARGETS = frozenset("make just task rake".split())
"""Programs whose first word is a target of the project."""

OPTIONS_MATTER = frozenset("rm sed grep chmod".split())
"""Programs whose options say what a call does."""

# --- what they do to files

WRITERS = frozenset("chmod chown mkdir mv patch rm rmdir tee touch truncate".split())
"""Programs whose arguments are files that they change."""

COPIERS = frozenset("cp install ln rsync".split())
"""Programs that write what their last argument names."""

OUTPUT_OPTIONS = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
}
"""Options that name a file which a program writes."""

PRINTERS = frozenset("cat head tail less more bat nl tac strings source .".split())
"""Programs that print, or load, the files they are given."""

SEARCHERS = frozenset("grep rg ag awk sed jq yq".split())
"""Programs that print of the files behind their first word."""

SENDERS = frozenset("curl gh glab hub".split())
"""Programs that write the text of a here-document elsewhere than into a file."""

LOOKERS = PLUMBING - WRITERS - COPIERS - SENDERS
"""Programs that change nothing of a project: they look, wait, or pass text on."""

SHOWING: Mapping[str, frozenset[str]] = {
    "git": frozenset(
        """
        add blame branch cat-file config describe diff fetch grep log ls-files ls-remote ls-tree
        merge-base reflog remote rev-list rev-parse shortlog show status
        """.split()
    ),
    "gh": frozenset("api auth diff list search status view".split()),
    "glab": frozenset("api diff list view".split()),
    **dict.fromkeys(
        ("npm", "yarn", "bun"), frozenset("info list ls outdated search show view why".split())
    ),
}
"""Subcommands that only show something, or get it ready for the next, by program."""

SHOWING_BY_CHECK = frozenset("black cargo prettier ruff".split())
"""Formatters that only show what they would change with `--check` or `--diff`."""

FOLDER_MAKERS = ("mkdir", "rmdir")
"""Programs that change no file."""
