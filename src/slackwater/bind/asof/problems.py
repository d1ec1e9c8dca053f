"""What can be wrong with as-of joins."""

from __future__ import annotations

from slackwater.base.problem import Problem

NOT_A_STREAM = Problem(
    "as-of-time",
    "FOR SYSTEM_TIME AS OF needs the rows of a stream before it",
    label="these rows have no time of their own",
    hint="Join a stream, or a query of one that only filters and computes columns; or leave it out: a join "
    "always uses the relation as of each instant.",
    means="A relation is joined FOR SYSTEM_TIME AS OF something that is not the time at which the rows of a "
    "stream come: its time column, TS of R(stream), or PROCTIME().",
)
NOT_ITS_TIME = Problem(
    "as-of-time",
    "FOR SYSTEM_TIME AS OF takes the time of the stream's row",
    label="not the time column of the stream",
    detail="What a relation was at other times is not stored.",
    hint="Write the stream's time column, declared among its columns and after TIME, or PROCTIME().",
)
AS_OF_PLACE = Problem(
    "as-of-place",
    "FOR SYSTEM_TIME AS OF belongs to the right side of a join",
    label="not joined to a stream",
    hint="Write FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON ….",
    means="FOR SYSTEM_TIME AS OF is written where no stream says of which time: on a source that is not "
    "the right side of a JOIN or LEFT JOIN.",
)
NO_INEQUALITY = Problem(
    "as-of-condition",
    "an ASOF join needs a comparison of two times",
    label="no comparison with >=, >, <= or < of both sides",
    hint="Write MATCH_CONDITION (a.ts >= b.ts), or ON a.k = b.k AND a.ts >= b.ts.",
    means="The condition of an ASOF join is not one comparison of a value of each side with >=, >, <= or <, "
    "and equations of the two sides.",
)
TWO_INEQUALITIES = Problem(
    "as-of-condition",
    "an ASOF join has one comparison of two times",
    label="the second one",
    hint="Put the other comparison into WHERE, or use a BESTMATCH JOIN.",
)
NOT_AN_EQUATION = Problem(
    "as-of-condition",
    "the condition of an ASOF join is on one side, or an equation of both",
    label="neither an equation a.k = b.k, nor of one side",
    hint="Put it into WHERE: there it is applied to the pairs that were found.",
)
PROCTIME_PLACE = Problem(
    "proctime-place",
    "PROCTIME() is the time of a stream's row",
    label="{why}",
    hint="Use it in a query of one stream, SELECT *, PROCTIME() AS t FROM stream, and join that.",
    means="PROCTIME(), the time at which the row of a stream comes, is used in a query that is not of "
    "exactly one stream.",
)
