"""What can be wrong with a recursive query."""

from __future__ import annotations

from slackwater.base.problem import Problem

RECURSIVE_FORM = Problem(
    "recursive-form",
    'the recursive query "{name}" is not of the form start UNION [ALL] step',
    label="{what}",
    hint="Write WITH RECURSIVE {name} AS (SELECT … UNION SELECT … FROM {name} …): only the part behind the "
    "last UNION reads {name}.",
    means="A recursive query begins with rows that do not depend on it, and reads itself in the part behind "
    "its last UNION or UNION ALL. It cannot use columns of an enclosing query.",
)
NOT_MONOTONE = Problem(
    "not-monotone",
    'the recursive query "{name}" reads itself in {place}',
    label="its rows could be taken back by later rounds",
    detail="A round may only add rows: what follows from some rows must still follow when there are more.",
    hint="Compute this from the whole answer instead, in the query after WITH.",
    means="A recursive query reads itself where more rows could mean fewer: in an aggregate, an ordering, a "
    "subquery of an expression, behind EXCEPT, or on the side of an outer join that is filled with NULLs.",
)
NOT_LINEAR = Problem(
    "not-linear",
    'the recursive query "{name}" reads itself {count} times',
    label="more than once with UNION ALL",
    hint="Use UNION, whose answer is a set, or read {name} once.",
    means="With UNION ALL a round reads the rows of the round before it, in one place.",
)
NEEDS_RECURSIVE = Problem(
    "unknown-source",
    'query "{name}" of WITH reads itself',
    label="not declared before it",
    hint="Write WITH RECURSIVE {name} AS (…) for a query that reads its own answer.",
)
