"""As-of joins in FROM, by their syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Expression, Literal, conjunction
from slackwater.algebra.types import BOOLEAN, UNKNOWN
from slackwater.bind.asof import problems
from slackwater.bind.asof.nearest import nearest_join, nearest_of
from slackwater.bind.asof.system_time import stream_of, wrong_time
from slackwater.bind.binding import BROKEN
from slackwater.bind.joins import joined, kind_of
from slackwater.bind.scope import From, Scope
from slackwater.language.cql.asof import ASOF

if TYPE_CHECKING:
    from slackwater.bind.tables import Tables


def is_asof(join: exp.Join) -> bool:
    """Whether the join is an ASOF join."""
    return str(join.args.get("method") or "").upper() == ASOF


def version_of(join: exp.Join) -> exp.Version | None:
    """The FOR SYSTEM_TIME AS OF of the right side."""
    return join.this.args.get("version") if isinstance(join.this, exp.Table) else None


def as_of_join(tables: Tables, left: From, right: From, both: Scope, join: exp.Join) -> Operator:
    """The rows of a stream with the relation as of their times; BROKEN for errors, which are reported."""
    version, kind, binding = version_of(join), kind_of(join), tables.binding
    assert version is not None
    span = binding.span(version)
    condition = tables.condition(left, right, both, join, kind)
    if BROKEN in (left.plan, right.plan) or (condition is not None and condition.type is UNKNOWN):
        return BROKEN
    if kind not in ("inner", "left"):
        binding.report(problems.AS_OF_PLACE.at(span, label=f"the right side of a {kind} join"))
        return BROKEN
    windowed = stream_of(left.plan)
    if windowed is None:
        binding.report(problems.NOT_A_STREAM.at(span))
        return BROKEN
    stream, window = windowed
    binder = tables.queries.expressions(left.scope, tables.outer, "AS OF")
    if wrong := wrong_time(version.expression, stream, binder):
        binding.report(wrong)
        return BROKEN
    now = algebra.Range(stream, 0, origin=span)
    on = condition if condition is not None else Literal(BOOLEAN, True)
    return window.over(algebra.Rstream(joined(kind, now, right.plan, on), origin=span))


def asof_join(tables: Tables, left: From, right: From, both: Scope, join: exp.Join) -> Operator:
    """An ASOF join; BROKEN for errors, which are reported."""
    span = tables.binding.span(join)
    match, on = _conditions(tables, left, right, both, join)
    conditions = [part for part in (match, on) if part is not None]
    if BROKEN in (left.plan, right.plan) or any(part.type is UNKNOWN for part in conditions):
        return BROKEN
    nearest = nearest_of(match, on, left.plan, right.plan, tables.binding, span)
    if nearest is None:
        return BROKEN
    return nearest_join(left.plan, right.plan, nearest, bool(join.side), span)


def _conditions(
    tables: Tables, left: From, right: From, both: Scope, join: exp.Join
) -> tuple[Expression | None, Expression | None]:
    """MATCH_CONDITION and the rest; without it the last column of USING is compared by >=."""
    binder = tables.queries.expressions(both, tables.outer, "ON of an ASOF join")
    node, using, condition = (join.args.get(key) for key in ("match_condition", "using", "on"))
    match = None if node is None else binder.condition(node, "MATCH_CONDITION")
    if condition is not None:
        return match, binder.condition(condition, "ON")
    kind = "left" if join.side else "inner"
    equations = [tables.equal(left, right, both, name.name, join, kind) for name in using or []]
    if match is None and equations and isinstance(last := equations.pop(), Call):
        match = Call(BOOLEAN, "ge", last.arguments, origin=tables.binding.span(join))
    return match, conjunction([part for part in equations if part is not None])
