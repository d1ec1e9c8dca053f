"""What can be wrong with synchronization, and with conditions on the current time."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

NO_FORM_OF_STREAMS = "the query gives a stream, whose rows only come"

NOT_SYNCHRONIZATION = Problem(
    "not-a-synchronization-stream",
    '"{name}" is not a synchronization stream',
    label="{why}",
    detail="A synchronization stream has one column, the time point, and each row comes at its point "
    "(SyncSQL, section 3.2).",
    hint="For example: CREATE STREAMED VIEW Sync AS SELECT Timepoint FROM R(clockStr) "
    "WHERE Timepoint MOD 2 = 0.",
    means="What follows SYNC BY, or stands in the brackets of R, does not name time points. Its only column "
    "has to be Timepoint of the clock, or TS of R(…).",
)
EMPTY_SYNCHRONIZATION = Problem(
    "empty-synchronization",
    '"{name}" has no time points',
    label="its condition is never true",
    detail="A relation that is synchronized by it would stay empty for ever.",
    hint="Correct the condition on Timepoint.",
    means="The conditions on the time points contradict each other, so that no point is left.",
)
LAST_SYNCHRONIZATION = Problem(
    "last-synchronization",
    'the last time point of "{name}" is {last}',
    label="after it the relation does not change any more",
    severity=Severity.NOTE,
    means="A note: the time points of a synchronization stream end. Rows that come after the last of them "
    "are never in the relation.",
)
NO_FULL_POINTS = Problem(
    "no-full-points",
    "the full synchronization points of this query are not known",
    label="its sources have too many different time points",
    detail="A point is full where all sources are synchronized (SyncSQL, proposition 2).",
    hint="Synchronize the sources by one stream, or by periods: SYNC BY EVERY 5 MINUTES.",
    means="AT FULL POINTS needs the time points that all sources of a query have in common.",
)
NOW_NOT_COMPARED = Problem(
    "now-not-compared",
    "NOW is not compared with a value of the row here",
    label="when it becomes true is not known",
    detail="Each row is in the answer for a few intervals, which are computed from its values; the query is "
    "not evaluated at every instant.",
    hint="Compare NOW, plus or minus a value, with values of the row: NOW - 5 < TS AND TS <= NOW.",
    means="A condition on NOW has to say, by values of the row, when it begins and ends to be true.",
)
NOW_PLACE = Problem(
    "now-place",
    "NOW is not allowed in {place}",
    label="changes at every instant",
    hint="Use it in WHERE or HAVING, or in ON of an inner join, of a query that is not in an expression.",
    means="NOW is allowed only in conditions: a value that depends on it would change at every instant.",
)
OUTPUT_PLACE = Problem(
    "output-place",
    "{word} is not allowed here",
    label="{why}",
    hint="Write it once, after the first SELECT of the whole query or in CREATE {word} VIEW.",
    means="STREAMED and COMPLETE say in which form the whole answer is given.",
)
VIEW_IN_USE = Problem(
    "view-in-use",
    'view "{name}" cannot be dropped',
    label="used by {users}",
    hint="Drop {users} first.",
    means="Other views, or sinks, read the view that is to be dropped.",
)
NOT_A_VIEW = Problem(
    "not-a-view",
    '"{name}" is not a view',
    label="declared as a source",
    hint="Write DROP {word} {name}.",
    means="DROP VIEW takes the name of a view.",
)
NOT_A_RAW_STREAM = Problem(
    "not-a-raw-stream",
    '"{name}" is not a raw stream',
    label="a relation, or tagged already",
    detail="OVER gives the rows of a raw stream their meaning: insertions, or updates by key (SyncSQL, "
    "section 2.1).",
    hint="Use R({name}) in queries.",
    means="CREATE STREAM … OVER takes a source whose rows only arrive.",
)
