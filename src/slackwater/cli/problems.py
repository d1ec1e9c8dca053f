"""What can be wrong on the command line."""

from __future__ import annotations

from slackwater.base.problem import Problem

USELESS_OPTION = Problem(
    "useless-option",
    "{option} does nothing {why}",
    hint="{instead}",
)
BUG = Problem(
    "bug",
    "slackwater itself failed: {error}",
    detail="This is a mistake in slackwater, not in your query.",
    hint="Set SLACKWATER_DEBUG=1 to see where, and report it with the query.",
    means="Slackwater itself failed; the query is not at fault.",
)
BAD_SOURCE = Problem(
    "bad-source",
    '"{said}" does not say where rows come from',
    hint="Write --source NAME=PATH.",
    means="--source does not say NAME=PATH.",
)
SECOND_SOURCE = Problem(
    "bad-source",
    '--source says twice where the rows of "{name}" come from',
    hint="Name one path; a folder or a pattern such as data/*.csv stands for several files.",
)
UNKNOWN_SOURCE = Problem(
    "unknown-source",
    'the program declares no stream or relation "{name}"',
    hint="It declares {known}.",
)
NOTHING_ASKED = Problem(
    "nothing-asked",
    "the program asks nothing",
    hint="Add a SELECT or a view.",
    means="The program has neither queries nor views.",
)
SCRIPT_NOT_A_TABLE = Problem(
    "script-not-a-table",
    '"{key}" declares one stream or relation',
    label="something else",
    hint="For example: register stream S (A integer, B float, C byte, D char(4));",
    means="An entry that must declare one table does not.",
)
SCRIPT_DUPLICATE_TABLE = Problem(
    "script-duplicate-table",
    '"{name}" already exists',
    label="declared before",
    means="Two entries of a script declare one name. Rename one of them.",
)
SCRIPT_OTHER_COLUMNS = Problem(
    "script-other-columns",
    "this vtable does not fit the vquery before it",
    label="other columns",
    detail="The vquery gives {given}, the vtable says {wanted}.",
    means="A vtable lists other columns than its vquery gives. Make the two lists the same.",
)
NO_TESTS = Problem(
    "no-tests",
    "there is no .cqt file in {paths}",
    hint="Name a .cqt file, or a folder that has some.",
    means="There are no `.cqt` files in the folder.",
)
OUTPUT_COUNT = Problem(
    "output-count",
    "there are {queries} queries and {outputs} outputs",
    hint="Give --out once for each query, or not at all.",
    means="There are not as many outputs as queries.",
)
SAME_OUTPUT = Problem(
    "output-count",
    'two answers would go to "{name}"',
    hint="Give each query an --out of its own.",
)
