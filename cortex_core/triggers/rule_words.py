"""How the words of a rule say which tool calls it is about: the table of patterns."""

from cortex_core.language import programs
from cortex_core.language.negation import DO_NOT
from cortex_core.language.patterns import Pattern
from cortex_core.triggers.forms import CHANGE, COMMAND, READING, STAGED

# --- what a sentence names

SPAN = Pattern(
    "a code span", r"`+([^`\n]{1,160})`+", finds="Run `make fmt` first", spares="Run make` first"
)
QUOTED = Pattern(
    "a short quotation, or a mark between brackets",
    r"[“\"]([^”\"\n]{3,60})[”\"]|(?<!\w)'([^'\n]{3,60})'(?!\w)|(?P<mark>\[[a-z][^\]\n]{2,40}\])(?!\()",
    finds=('Never write "Co-Authored-By"', "no 'Signed-off-by: me' here"),
    spares=('Write "ab" alone', "the user's and the admins' names"),
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
    r"(?<![\w:/@.~-])/?(?:[\w.@*-]+/)+[\w.*{},-]*|(?<![\w/])[\w*-]+(?:\.[a-z]+)?\.[a-z][a-z0-9]{0,7}\b"
    r"|(?<!\w)\.\w[\w.*-]+"
    r"|\b(?:Docker|Make|Gem|Proc|Jenkins|Vagrant|Rake|Pod)file\b|\b(?:CODEOWNERS|README"
    r"|CHANGELOG|LICENSE)\b",
    finds="Leave src/generated/ alone",
    spares="https://example.org: a page",
    flags=0,
)
OUTSIDE = Pattern(
    "a file outside of the project; other paths from the root are rather routes",
    r"(?<![\w/.])(?:~/[\w.@*/-]+|/(?:etc|usr|var|opt|home|Users|srv|root|tmp|Library|System|boot"
    r"|mnt)"
    r"(?:/[\w.@*/-]*[\w*/])?(?![\w/]))",
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
    r"(?<![\w./-])([A-Za-z][\w-]*)(?![\w./-]*\w)",
    finds="use pnpm",
    spares="./Makefile",
    flags=0,
)
FOLLOWING = Pattern(
    "the next word of a command outside of code",
    r" (?:(?:with|mit|avec|con) )?(--?[A-Za-z][\w-]*|-\d|[a-z][\w:.-]*(?:/[a-z]+)*"
    r"|[0-7]{3,4})(?=[\s,.;:!?)]"
    r"|$)",
    finds="git push --force",
    spares="git (never)",
    flags=0,
)

# --- what is said of it

OPTION = Pattern(
    "an option, with a value that is none of the usual words",
    r"(?<![\w-])(--[a-z][\w-]*)(?:[ =](?!with|on|in|for|to|and|or|mit|bei|und|con|y|avec|et|first"
    r"|please|bitte|when|always|here)"
    r"([a-z][\w-]*)(?=$|[ ,.;)]))?",
    finds="only with --limit staging",
    spares="a--b",
    flags=0,
)
CODE = Pattern(
    "code without marks of it: a trailer of a commit, a call, a variable, a mark in a comment",
    r"(?<![\w/.`-])(?:[A-Z][a-z]+(?:-[A-Za-z]+)?-(?:by|By|to|To|Id|For|Author)|[a-z]+-[a-z]+-by"
    r"|(?:SELECT|DROP|ALTER|TRUNCATE|DELETE|INSERT|UPDATE|GRANT)(?: (?:[A-Z]{3,}|\*))+"
    r"|@?[A-Za-z_]\w*(?:\.\w+)+(?:\(\))?"
    r"|[A-Z][A-Z_]+=\w+|@?\w+-(?:ignore|disable|expect"
    r"-error)|[a-z_]\w+\(\)|noqa|TODO|FIXME|XXX|WIP)(?![\w/-])"
    r"|(?<![\w.`-])(?:[a-z_]\w+\(\)|(?:try|as|panic|dbg|println|todo|unreachable)!)(?![\w-])",
    finds=("no console.log here", "no unwrap()/expect()", "no try! here"),
    spares="no logging here",
    flags=0,
)
TOKEN = Pattern(
    "a name of something: a machine, a key, a symbol",
    r"(?<![\w/.-])(?=\w*[A-Za-z])(?!(?:[a-z]+-)*(?:to|of|the|in|and|on|at|a)-)"
    r"(?:(?!https?:)[a-z][a-z0-9+]+://\w[\w.-]*\w"
    r"|(?:\w+(?:[.-]\w+){2,}|\w+_\w+|[a-z]+[A-Z]\w+|(?:python|node|npm|git|eslint|ts|api)-\w+)"
    r"(?![\w/-]))",
    finds=("the bucket acme-prod-data", "write to s3://acme/raw"),
    spares="an up-to-date state",
    flags=0,
)
SPEAKS_OF = {
    COMMAND: "run*, execut*, launch*, start*, call*, ausfuhr*, lanc*, ejecut*, for me",
    CHANGE: "edit*, chang*, sav*, bump*, modif*, touch*, writ*, overwrit*, delet*, remov*, add*"
    ", mov*, renam*, generat*, hands off, off limits, out of, leave*, stay*, ander*, verander*"
    ", bearbeit*, anfass*, losch*, schreib*, tocar*, toqu*, cambi*, borr*, supprim*, ecri*",
    STAGED: "commit*, into git, im repo landet, check in, checked in, checking in, stage"
    ", staged, staging, track*"
    ", out of git, to git, eincheck*, ins repo, in the repo, into the repo, al repo*, en el repo*"
    ", dans le depot, dans le repo, nel repo, no repo*, in git, versioni*, aus git"
    ", fuera de git, hors de git",
    READING: "open, opens, opened, opening, read, reads, reading, print*, cat, show*"
    ", look at, look into, lesen, lies"
    ", offne*, leer*"
    ", leas*, abr*, lire, private, confidential, business, geht dich, gehen dich, lis, ouvr*"
    ", imprim*, muestr*, affich*, anschau*, reinschau*, legg*",
}
"""What a sentence says of a file, by the form of its trigger: words as those of `DEEDS`."""

FOLDER = Pattern(
    "a folder that is called one",
    r"(?<![\w/.])(node_modules|(?!(?:von|mit|bei|zu|an|the|this|that|any"
    r"|each|every|one|new|same|whole|its|our|your"
    r"|current|root|home|project) )[a-z_][\w.-]{2,30}(?=/? (?:(?:folder|directory|dir|ordner)\b"
    r"|目录|文件夹|ディレクトリ|フォルダ|폴더|디렉터리)))"
    r"|\b(?:folder|directory|carpeta|dossier|ordner|verzeichnis|папк\w|каталог\w*)"
    r" ([a-z_][\w.-]*/[\w./-]+)"
    r"|\b(?:carpeta|dossier|[Oo]rdner|[Vv]erzeichnis|cartella|pasta|папк\w"
    r"|каталог\w*) (?!(?:d\w{1,2}|mit|avec|con"
    r"|et|und|im?|ist"
    r"|est|es|para|pour|von|que)\b)([a-z_][\w.-]+)",
    finds="Leave the migrations folder alone",
    spares="Use one folder",
)
TOPIC = Pattern(
    "“Shadow branches: … never use git add” speaks of one part of the program, not of every call",
    r"^(?!.*\b(?:now on|rules?|notes?|important|remember|packages?|git|commits?|tests?|tool\w*"
    r"|style|lint\w*|format\w*|ci|prs?|shell|commands?)\b[^:]*:)(?:[^\s:`]+ ){0,3}[^\s:`]+: ",
    finds="Shadow branches: never use git add",
    spares="Git: never use git add",
)

CLAUSE_ENDS = Pattern(
    "where a clause ends",
    r"[,;:)]+(?=\s|$)|\s[-—–](?=\s)|\s\("
    r"|\s(?:but(?! (?:me|us|i)\b)|sondern|aber|mais|pero|sino|ma|mas)\s"
    r"|(?<=ではなく)|(?<=じゃなく)|(?<=の代わりに)|(?<=使わず)|(?<=말고)|(?<=대신)"
    r"|(?<=しないで)(?!くだ)",
    finds="not npm, but pnpm",
    spares="feat:x",
    flags=0,
)
BARE_NO = Pattern(
    "a negation right before the thing, without a verb",
    r"\b(?:(?<!s[óo] )(?<!apenas )(?<!fica )(?<!ficam )no|not|nicht|never"
    r"|instead of|rather than|(?:an)?statt|en vez de"
    r"|au lieu de|[àa] la place de|en lugar de|em vez de|in plaats van|i\.?p\.?v\.?|invece di"
    r"|al posto di|вместо|leave|plut[ôo]t que(?: de)?|anstelle von|ao inv[ée]s de|replaces"
    r"|(?:moved|switched|migrated) (?:away )?from"
    r"|pas|geen|nunca|jamais|nooit|nie"
    r"|without|kein\w*|pas d(?:e|u|es)|nada de|sin"
    r"|ohne|sans"
    r"|senza|sem|niente|nenhum|nessun)"
    r"(?: direct(?:ly|ement|amente)?| direkt)?"
    r"(?: (?:use|uses|using|usar|add|write|with|con|mit|avec|via))?\s*[`\"“'#]?$|\bpas d['’]$"
    r"|\bn(?:i|or|och)(?: (?:con|with|mit|avec))? $|(?:代替|而不是|取代|替代)\s?$",
    finds="please no ",
    spares="no need to ",
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
    r"|it|uk|ch|at|nl|br)|(?:(?<=ssh to )|(?<=ssh into )|(?<=ssh auf ))[a-z][\w-]*\d)(?![\w-])",
    finds="the database (db.acme.io)",
    spares="src/store.py",
)
VERSION = Pattern(
    "the version of a language that is named",
    r"\b(?:python|node(?:\.?js)?|java|jdk|ruby|go|golang)(?: (?:at|to|on|version|bei|auf|en))*"
    r" ?v?(\d+(?:\.\d+)*)",
    finds="stick with node 18",
    spares="the 18 nodes",
)
LIVE = Pattern(
    "where alone a program is forbidden",
    r"(?<!even )(?<!m[eê]me )(?<!auch )(?<!auch nicht )(?<!siquiera )"
    r"\b(?:against|on|in|at|to|gegen|auf|contra|sur|contre|en)\b (?:the |our |any |die |la )?`?"
    r"(prod|production|live|staging|produktion|produccion)\b(?! (?:only|nur|solo)\b)",
    finds="never run psql against prod",
    spares=("never run psql for production", "never, not even on staging"),
)
OUT_OF = Pattern(
    "what follows is left out",
    r"(?:outside|hors|ausserhalb|außerhalb|fuera|fuori|except|only)(?: (?:of|de|von|in|under"
    r"|d['’]))?"
    r" [\w/.]*(?:,? (?:and|et|und|y|or) )?$",
    finds="nothing outside of ",
    spares="nothing in ",
)
JOINS = frozenset("and or but und oder y o ni et ou never not don't like use run do".split())
"""Words between two subcommands of one program."""

KNOWN = {
    **dict.fromkeys(programs.LIBRARIES - programs.IN_RULES, "library"),
    **dict.fromkeys(
        "dist vendor node_modules third_party fixtures __snapshots__ __generated__".split(), "path"
    ),
}
"""What a word names that is nothing else: a library or a folder."""

WITHIN = frozenset(
    "in from with via through inside for fur para pour mit met con com avec bypass skip ignore"
    " disable silence circumvent".split()
)
"""Words that put a program in the place of something else."""

BEFORE_PATHS = frozenset(
    """
    in under below inside within into of from touch edit change modify folder directory beneath
    everything anything about to leave keep off on unter in aus dans sous en bajo de di at and or,
    from
    files: alone
    """.split()
)
"""Words after which a path without an ending is one."""

OBJECTS = frozenset(("tags", "tags.", "empty"))
"""Words right behind “push” that make it another act: to push tags is no push of a branch."""

PLACES = frozenset(
    "into inside in on under from within outside against auf im unter en bajo dans sous nel nella"
    " nei sotto sob".split()
)
"""Words behind a command before the place where alone it is forbidden."""

DESCRIBES = ("does not ", "doesn't ", "doesn’t ")
"""How a sentence begins to say what something never does, which forbids no text."""

HERE = frozenset("this our repo repository project codebase monorepo here any".split())
"""Words of a place that is everywhere."""

EVENTS = {
    "commit": "git commit",
    "push": "git push",
    "merg": "git merge",
    "pull request": "gh pr create",
    "pr": "gh pr create",
}
"""The commands of the events that `BEFORE` finds."""
