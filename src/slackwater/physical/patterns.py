"""Row patterns as a step: which conditions are computed for all rows at once."""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra.expressions import Expression
from slackwater.algebra.patterns import Reading
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail


def plain_variables(plan: algebra.Recognize) -> tuple[str, ...]:
    """The variables whose conditions look at the row itself and at rows before it, and cannot fail."""
    return tuple(name for name, condition in plan.conditions if _is_plain(plan, name, condition))


def _is_plain(plan: algebra.Recognize, variable: str, condition: Expression) -> bool:
    reads = dict(plan.reads)
    looked_at = [reads[name] for name in columns(condition)]
    return not may_fail(condition) and all(
        read.reading is Reading.LAST
        and read.variable in ("", variable)
        and not read.offset
        and read.value is not None
        and not may_fail(read.value)
        for read in looked_at
    )
