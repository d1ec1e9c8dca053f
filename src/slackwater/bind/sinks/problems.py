"""What can be wrong with the sinks of a text."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

UNKNOWN_SINK = Problem(
    "unknown-sink",
    'sink "{name}" does not exist',
    label="not declared",
    detail="Declared: {declared}.",
    hint="Declare it: CREATE SINK {name} (columns) INTO 'path'.",
    means="INSERT INTO names something that is not a sink. Streams and relations get their rows "
    "from sources.",
)
WRITTEN_SINK = Problem(
    "written-sink",
    'sink "{name}" already has a query',
    label="a second query",
    hint="Write one query: combine them with UNION ALL, or declare a second sink with another path.",
    means="Two queries write to one sink; their answers would be mixed.",
)
SINK_NOT_READ = Problem(
    "unknown-source",
    '"{name}" is a sink: it is written, not read',
    label="a sink",
    hint="Name the query CREATE VIEW, and read the view in both places.",
)
SHARED_FOLDER = Problem(
    "shared-sink",
    'sinks "{other}" and "{name}" have the same folder',
    label='already the folder of "{other}"',
    detail="One answer would overwrite the other.",
    hint="Choose a different path for each sink.",
)
UNKNOWN_OUTPUT = Problem(
    "unknown-output",
    'there is no output format "{word}"',
    label="no such format",
    hint="Choose one of {known}.",
)
UNKNOWN_MODE = Problem(
    "wrong-mode",
    'there is no mode "{word}"',
    label="no such mode",
    hint="Choose one of {known}.",
)
WRONG_MODE = Problem(
    "wrong-mode",
    '"{mode}" is not available for a {kind}',
    label="the answer is a {kind}",
    hint="Choose {fitting}.",
)
KEY_WITHOUT_EFFECT = Problem(
    "useless-option",
    "KEY has no effect with the mode {mode}",
    label="no effect",
    hint="Remove it, or write MODE tagged: a row replaces the one with the same key.",
)
UNKNOWN_SINK_OPTION = Problem(
    "unknown-option",
    'there is no option "{name}"',
    label="no such option",
    detail="A sink takes {known}.",
    hint="Remove it.",
)
WRONG_COLUMN = Problem(
    "type-mismatch",
    'column "{column}" of sink "{name}" is {expected}, and the query gives {actual}',
    label="of another type",
    hint="Convert it: CAST(… AS {expected}).",
)
IDLE_SINK = Problem(
    "idle-sink",
    'no query writes to sink "{name}"',
    label="never written",
    hint="Add INSERT INTO {name} SELECT …, or remove the sink.",
    severity=Severity.WARNING,
    means="A program declares a sink, and no INSERT INTO names it.",
)
