"""What can be wrong with grouping sets."""

from __future__ import annotations

from slackwater.base.problem import Problem

NOT_A_KEY = Problem(
    "not-a-grouping-key",
    "{function} takes keys of GROUP BY",
    label="not a key",
    detail="It says whether a row is a group without this key.",
    hint="Write an expression of GROUP BY.",
    means="An argument of GROUPING or GROUPING_ID is no key of GROUP BY, or there is none.",
)
TOO_MANY_SETS = Problem(
    "too-many-grouping-sets",
    "GROUP BY has more than {most} grouping sets",
    label="one too many",
    detail="CUBE of n keys has 2 to the power of n sets; sets of several elements are multiplied.",
    hint="List the sets that you need: GROUPING SETS ((a, b), (a), ()).",
    means="ROLLUP, CUBE and GROUPING SETS make too many sets. Each of them is an aggregate of its own.",
)
MISPLACED_GROUPING = Problem(
    "not-a-grouping-key",
    "{function} is not allowed here",
    label="not about groups",
    detail="It is about the groups of a query: in its select list, HAVING, QUALIFY and ORDER BY.",
    hint="Group the query, and filter groups with HAVING.",
)
