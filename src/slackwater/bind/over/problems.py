"""What can be wrong with window functions and with ORDER BY, LIMIT and DISTINCT ON."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.problem import Problem
from slackwater.base.span import Span

MISPLACED = Problem(
    "misplaced-window-function",
    "a window function is not allowed in {place}",
    label="not allowed here",
    detail="Window functions are computed after WHERE, GROUP BY and HAVING.",
    hint="Filter with QUALIFY, or compute it in a subquery and use its column in the outer query.",
    means="A window function (OVER) is not allowed here. It is one in the select list, in QUALIFY and in the "
    "ORDER BY of the query, and not inside another one.",
)
NEEDS_OVER = Problem(
    "misplaced-window-function",
    '"{name}" is a window function and needs OVER',
    label="OVER is missing",
    hint="Write {name}(…) OVER (PARTITION BY … ORDER BY …).",
)
UNKNOWN_WINDOW = Problem(
    "unknown-window",
    'there is no window "{name}"',
    label="not defined in this query",
    detail="Defined in WINDOW: {known}.",
    hint="Define it after the conditions of the query: WINDOW {name} AS (PARTITION BY … ORDER BY …).",
    means="OVER names a window that the WINDOW clause of the query does not define.",
)
REPEATED_WINDOW = Problem(
    "bad-window-definition",
    'the window "{name}" is defined twice',
    label="defined again",
    hint="Give one of them another name.",
    means="A window of the WINDOW clause cannot be defined or extended like this.",
)
EXTENDED = Problem(
    "bad-window-definition",
    'a window based on "{name}" cannot have {clause} of its own',
    label="not allowed here",
    detail="{why}",
    hint="Write the whole window in parentheses after OVER.",
)
WRONG_ARGUMENTS = Problem(
    "wrong-arguments",
    "{name} does not take ({arguments})",
    label="wrong arguments",
    detail="It is written {signature} OVER (…){constant}.",
)
BAD_FRAME = Problem(
    "bad-frame",
    "{what}",
    label="not a frame",
    hint="{instead}",
    means="The frame of a window function (ROWS or RANGE) does not say which rows are in it.",
)
BAD_LIMIT = Problem(
    "bad-limit",
    "{clause} takes a whole number, not {what}",
    label="not a number of rows",
    hint="Write a number: {clause} 10.",
    means="LIMIT, OFFSET and FETCH take a constant number of rows.",
)
LIMIT_FORM = Problem(
    "bad-limit",
    "{what}",
    label="not supported",
    hint="{instead}",
)
NOT_SELECTED = Problem(
    "bad-order",
    "with DISTINCT, ORDER BY takes columns of the select list",
    label="not in the select list",
    hint="Add it to the select list, or write GROUP BY and order by an aggregate.",
    means="The rows of a query with DISTINCT have only the columns of the select list, and are ordered by "
    "them.",
)


def needs_over(name: str, span: Span) -> Diagnostic:
    """A window function without OVER; for the first or last of a group there are aggregates."""
    best = {"first_value": "arg_min", "last_value": "arg_max"}.get(name)
    if best is None:
        return NEEDS_OVER.at(span, name=name.upper())
    hint = f"Write {best}(a, ts) for the value of a group by time, or {name.upper()}(…) OVER (… ORDER BY …)."
    return NEEDS_OVER.at(span, name=name.upper(), hint=hint)
