"""What can be wrong with PIVOT and UNPIVOT."""

from __future__ import annotations

from slackwater.base.problem import Problem

NOT_AN_AGGREGATE = Problem(
    "bad-pivot",
    "PIVOT takes aggregates, and this is not one",
    label="not an aggregate",
    hint="Write SUM(x), COUNT(*), MAX(x) AS top, or another aggregate.",
    means="PIVOT computes an aggregate for each value of its list, UNPIVOT makes a row of each column that "
    "it names. What is written there is not an aggregate, not a value or not a column.",
)
NOT_A_VALUE = Problem(
    "bad-pivot",
    "each value of this list has to be {count} constant{s}",
    label="not such a value",
    hint="Write constants, in parentheses where there are several columns: (a, b) IN ((1, 'x'), (2, 'y')).",
)
NOT_A_COLUMN = Problem(
    "bad-pivot",
    "UNPIVOT takes columns of its source",
    label="not a column",
    hint="Name columns, compute others in a subquery: FROM (SELECT …) UNPIVOT (…).",
)
