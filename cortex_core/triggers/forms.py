"""What a trigger begins with: the words of Cortex's own language of triggers.

They mean the same whatever an agent calls its tools; users know the first three from permission
rules. Hooks load this module: it imports nothing.
"""

COMMAND = "Bash"
CHANGE = "Edit"
READING = "Read"
TEXT = "Text"
PUSH = "Push"
STAGED = "Commit"

FILES = {
    name: files.split()
    for names, files in {
        "tests": "test tests Tests __tests__ spec e2e cypress test_* *_test.* *.test.* *Test.*"
        " *Tests.* *.spec.* *_spec.*",
        "typescript ts": "*.ts *.tsx *.mts *.cts *.vue *.svelte",
        "javascript js": "*.js *.jsx *.mjs *.cjs *.ts *.tsx *.vue *.svelte",
        "python": "*.py *.pyi *.ipynb",
        "rust": "*.rs",
        "go golang": "*.go",
        "swift": "*.swift",
        "kotlin": "*.kt *.kts",
        "java": "*.java",
        "ruby rails": "*.rb *.rake *.erb",
        "php": "*.php",
        "c# csharp": "*.cs",
        "c++": "*.cpp *.cc *.cxx *.hpp *.h",
        "dart flutter": "*.dart",
        "elixir": "*.ex *.exs",
        "scala": "*.scala",
        "css scss": "*.css *.scss *.sass *.less *.vue *.svelte",
    }.items()
    for name in names.split()
}
"""Files that a rule names by a word: `Text(eval( @in:python)`."""
