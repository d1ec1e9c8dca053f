"""What can be wrong on the command line."""

from __future__ import annotations

from slackwater.base.problem import Problem

USELESS_OPTION = Problem(
    "useless-option",
    "{option} has no effect {why}",
    hint="{instead}",
)
BUG = Problem(
    "bug",
    "slackwater itself failed: {error}",
    detail="This is a bug in slackwater, not in your query.",
    hint="Set SLACKWATER_DEBUG=1 to see the traceback, and report it with the query.",
    means="Slackwater itself failed; the query is not the cause.",
)
BAD_SOURCE = Problem(
    "bad-source",
    '--source "{assignment}" is not of the form NAME=PATH',
    hint="Write --source NAME=PATH.",
    means="The value of --source is not of the form NAME=PATH, or two of them name the same source.",
)
SECOND_SOURCE = Problem(
    "bad-source",
    '--source is given twice for "{name}"',
    hint="Name one path; for several files use a folder or a pattern such as data/*.csv.",
)
BAD_PARAM = Problem(
    "bad-param",
    '--param "{assignment}" is not of the form NAME=VALUE',
    hint="Write --param NAME=VALUE, without a colon.",
    means="The value of --param is not of the form NAME=VALUE, or two of them name the same parameter.",
)
SECOND_PARAM = Problem(
    "bad-param",
    '--param is used twice for "{name}"',
    hint="Use it once for each parameter.",
)
DOCUMENT_AS_QUERY = Problem(
    "document-as-query",
    '"{name}" is a document, not a query',
    hint="Name the document with an option: --input {name}.",
    means="An argument of `slackwater xquery` is a document; each argument is a query.",
)
UNKNOWN_SOURCE = Problem(
    "unknown-source",
    'the program declares no stream or relation "{name}"',
    hint="It declares {known}.",
)
EMPTY_PROGRAM = Problem(
    "empty-program",
    "the program has no query",
    hint="Add a SELECT or a view.",
    means="The program has neither queries nor views.",
)
SCRIPT_NOT_A_TABLE = Problem(
    "script-not-a-table",
    '"{key}" must declare one stream or relation',
    label="not a declaration",
    hint="For example: register stream S (A integer, B float, C byte, D char(4));",
    means="A `table` or `vtable` entry does not declare a stream or relation, or declares several.",
)
SCRIPT_DUPLICATE_TABLE = Problem(
    "script-duplicate-table",
    '"{name}" already exists',
    label="already declared",
    means="Two entries of a script declare the same name. Rename one of them.",
)
SCRIPT_OTHER_COLUMNS = Problem(
    "script-other-columns",
    "this vtable does not match the vquery before it",
    label="other columns",
    detail="The vquery gives {actual}, the vtable declares {declared}.",
    means="A vtable declares other columns than its vquery gives. Make the two lists the same.",
)
UNKNOWN_COMMAND = Problem(
    "unknown-command",
    '"{command}" is not a command of the shell',
    hint="Write {instead}.",
    means="The shell `slackwater sql` has no such command.",
)
NO_TESTS = Problem(
    "no-tests",
    "there is no .cqt file in {paths}",
    hint="Name a .cqt file, or a folder that contains .cqt files.",
    means="There are no `.cqt` files in the folder.",
)
OUTPUT_COUNT = Problem(
    "output-count",
    "there are {queries} queries and {outputs} outputs",
    hint="Use --out once for each query, or not at all.",
    means="The number of outputs is not the number of queries, or two queries have the same output.",
)
SAME_OUTPUT = Problem(
    "output-count",
    'two answers would be written to "{name}"',
    hint="Use a different --out for each query.",
)
