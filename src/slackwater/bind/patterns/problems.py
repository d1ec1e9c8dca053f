"""What can be wrong with MATCH_RECOGNIZE."""

from __future__ import annotations

from slackwater.base.problem import Problem

PATTERN_SYNTAX = Problem(
    "bad-row-pattern",
    "the pattern cannot be read: {why}",
    label="a pattern of rows",
    hint="Write variables one after the other, with groups, |, *, + and ?: PATTERN (A B+ (C | D)?).",
    means="A pattern has variables, groups, alternatives, and quantifiers, reluctant ones with a further "
    "`?`. It has no anchors, no PERMUTE and no exclusions, and a match has at least one row.",
)
EMPTY_MATCH = Problem(
    "bad-row-pattern",
    "the pattern matches without any row",
    label="all of it is optional",
    hint="Write + for *, or add a variable that every match has.",
)
UNKNOWN_VARIABLE = Problem(
    "unknown-pattern-variable",
    '"{name}" is not a variable of the pattern',
    label="not in PATTERN",
    detail="The pattern has {known}.",
    means="DEFINE, MEASURES or AFTER MATCH SKIP names a variable that PATTERN does not have, or DEFINE "
    "has one twice.",
)
DEFINED_TWICE = Problem(
    "unknown-pattern-variable",
    'variable "{name}" is defined twice',
    label="already defined",
    hint="Join the conditions with AND.",
)
NOT_A_STREAM = Problem(
    "pattern-of-relation",
    "MATCH_RECOGNIZE takes a stream, not a relation",
    label="a relation has no order",
    hint="Name a stream without a window, or make one of the relation: (ISTREAM(SELECT …)).",
    means="Patterns are of rows in the order in which they come, so only a stream has them.",
)
NOT_BY_TIME = Problem(
    "pattern-order",
    "the rows of a pattern are in the order of their time",
    label="not the time of the stream, ascending",
    hint="{advice}",
    means="MATCH_RECOGNIZE orders rows by the time of the stream, ascending; rows of one instant are ordered "
    "by their values. ORDER BY may name the time column, or be left out.",
)
NAVIGATION = Problem(
    "bad-navigation",
    "{why}",
    label="{mark}",
    hint="{advice}",
    means="FIRST, LAST and PREV take an expression over columns of one variable, and a constant number of "
    "rows; PREV may contain FIRST or LAST. Aggregates take columns of one variable. NEXT is not known when a "
    "row comes.",
)
REPEATED_MEASURE = Problem(
    "unnamed-measure",
    'there is already a column "{name}"',
    label="the name of another measure, or of a column of PARTITION BY",
    hint="Choose another name after AS.",
)
MEASURE_NAME = Problem(
    "unnamed-measure",
    "a measure needs a name of its own",
    label="without one",
    hint="Write MEASURES LAST(A.price) AS price.",
    means="Each measure is a column of the answer and has a name, different from those of the other columns.",
)
