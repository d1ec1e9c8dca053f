"""What can be wrong with a best-match join."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

UNKNOWN_ORDER = Problem(
    "unknown-order",
    'there is no order "{name}"',
    label="not an order of pairs",
    detail="Known: {known}.",
    hint="Register it first: session.register_order(name, function).",
    means="A dimension of a best-match join names an order that does not exist. Users register theirs with "
    "`session.register_order`.",
)
ONE_VALUE = Problem(
    "wrong-dimension",
    "{order} compares one value, not {count}",
    label="a dimension of {count} values",
    hint="Write an expression of both rows: (ABS(r.x - s.x)) {order}.",
    means="A dimension of a best-match join has values that its order does not take: MIN and MAX take one "
    "expression, other orders take a value of each side, `subset` and `superset` take arrays.",
)
TWO_VALUES = Problem(
    "wrong-dimension",
    "the order {order} compares two values, not {count}",
    label="one value of each side is needed",
    hint="Write a value of the left and one of the right side: (r.a, s.a) {order}.",
)
NOT_SETS = Problem(
    "wrong-dimension",
    "the order {order} does not compare ({types})",
    label="not two arrays of one type",
    hint="Declare both columns as ARRAY<…>; an array is compared as the set of its elements.",
)
BOUND_OF_ORDER = Problem(
    "bad-bound",
    "the order {order} has no bound",
    label="a bound limits a number or a length of time",
    hint="Remove it, or add a dimension with MIN or MAX.",
    means="The bound of a dimension is not a constant of the type of its value, or no pair is within it.",
)
BOUND_NOT_CONSTANT = Problem(
    "bad-bound",
    "a bound is a constant",
    label="not a constant",
    hint="Write the comparison as a condition: AND ABS(r.x - s.x) <= r.reach.",
)
BOUND_NULL = Problem(
    "bad-bound",
    "a bound is not NULL",
    label="no value is within it",
    hint="Remove NULL: a dimension without a bound admits every value.",
)
BOUND_TYPE = Problem(
    "bad-bound",
    "a bound of type {bound} does not limit a value of type {value}",
    label="not comparable with the value of the dimension",
    hint="Write a number for a number, and a length such as 10 MINUTES for a length of time.",
)
BOUND_NEGATIVE = Problem(
    "bad-bound",
    "no distance is within a negative bound",
    label="ABS is never negative",
    hint="Write the greatest distance that is allowed, 0 or more.",
)
BOUND_ZERO = Problem(
    "zero-bound",
    "a bound of 0 admits only equal values",
    label="the dimension does not distinguish any pairs",
    hint="If that is meant, write an equation after the dimensions, which is found by hash: AND r.x = s.x.",
    severity=Severity.NOTE,
    means="A note: the bound of a distance is 0, so only pairs with equal values are candidates, and the "
    "dimension compares nothing.",
)
NOT_AN_AGE = Problem(
    "not-an-age",
    "a dimension with NOW is an age",
    label="not NOW - t",
    hint="Write (NOW - s.TS) MIN, the youngest first, or (NOW - s.TS) MIN 10 for those not older than that.",
    means="A dimension of a best-match join uses the current time, and is not the age NOW - t of a time t, "
    "or bounds an age that depends on both rows.",
)
AGE_OF_BOTH = Problem(
    "not-an-age",
    "a bound on an age is on rows of one side",
    label="depends on both rows",
    hint="Write a dimension for each side, or remove the bound.",
)
NOT_CONSTRAINED = Problem(
    "not-constrained",
    "a constrained best-match join has a bound",
    label="no dimension has a bound",
    hint="Write a bound after MIN or MAX: (ABS(r.x - s.x)) MIN 100. Or remove CONSTRAINED.",
    means="CONSTRAINED is written before a best-match join, and none of its dimensions has a bound.",
)
KEEP_WITHOUT_SIDE = Problem(
    "keep-without-side",
    "KEEP UNMATCHED belongs to an outer best-match join",
    label="a best-match join without a side",
    hint="Write LEFT, RIGHT or FULL OUTER before BESTMATCH JOIN.",
    means="KEEP UNMATCHED is written after a best-match join without LEFT, RIGHT or FULL OUTER.",
)
NOT_FINAL = Problem(
    "not-final",
    "FINAL is of one best-match join of two streams",
    label="not such a query",
    hint="Write SELECT FINAL(…) FROM T LEFT OUTER BESTMATCH JOIN H ON (ABS(T.TS - H.TS)) MIN 10, …",
    means="FINAL is written around something other than a best-match join of two streams whose pairs become "
    "final: with LEFT, RIGHT or FULL OUTER, and a bound on the time between the two rows.",
)
FINAL_CLAUSE = Problem(
    "not-final",
    "FINAL has no {clause}",
    label="a stream of pairs",
    hint="Use the stream in a query: SELECT … FROM (SELECT FINAL(…) FROM …) [RANGE 1 HOUR].",
)
NO_FINAL_PAIRS = Problem(
    "not-final",
    "a best-match join without a side has no final pairs",
    label="a later pair may always be better",
    hint="Write LEFT, RIGHT or FULL OUTER before BESTMATCH JOIN, for the best pairs of each row.",
)
FINAL_WINDOW = Problem(
    "not-final",
    "FINAL takes streams without windows",
    label="not the name of a stream",
    hint="Remove the window: the bound on time says which rows can match. For a query, name a view "
    "of it that is a stream, SELECT ISTREAM(…).",
)
NOT_ORDERED = Problem(
    "not-ordered",
    'the relation "{name}" has no order of time',
    label="its rows may change at any time",
    hint="Use a stream, or leave out FINAL: the answer then changes with the relation.",
    means="FINAL takes streams, which are ordered by time. For a row of a relation nothing says when all its "
    "partners are known.",
)
NO_BOUND = Problem(
    "no-bound",
    "FINAL needs a bound on the time between the rows of a pair",
    label="no dimension bounds it",
    detail="ABS of the difference of both times bounds it, as a dimension MIN with a bound or compared with "
    "a constant by <=, < or =, and so does an equation of both times. TS is the time of a row, unless the "
    "stream has a column TS.",
    hint="Write a dimension (ABS(T.TS - H.TS)) MIN 10, or a condition AND ABS(T.TS - H.TS) <= 10.",
    means="Without a bound on the time between the rows of a pair, a later row may always be a better "
    "partner, so no pair is ever final.",
)
