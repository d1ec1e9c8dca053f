"""Generated plans with time points: synchronized relations, predicate windows, the clock."""

from __future__ import annotations

from hypothesis import strategies as st

from laws.relational import SCHEMAS
from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Aggregation, Call, Expression, Literal, Now, column
from slackwater.algebra.points import ALL, EARLIEST, Class, Points
from slackwater.algebra.rows import renamed
from slackwater.algebra.types import BIGINT, BOOLEAN, INT
from slackwater.base.time import INFINITY

S = algebra.Stream("S", SCHEMAS["S"])
R = algebra.Relation("R", SCHEMAS["R"])


@st.composite
def classes(draw: st.DrawFn) -> Class:
    period = draw(st.integers(1, 6))
    since = draw(st.sampled_from([EARLIEST, EARLIEST, 0, 3, 7]))
    until = draw(st.sampled_from([INFINITY, INFINITY, 2, 8, 12]))
    return Class(period, draw(st.integers(0, period - 1)), since, until)


points = st.one_of(st.lists(classes(), max_size=3).map(Points.of), st.just(ALL))


@st.composite
def events(draw: st.DrawFn) -> Operator:
    """A stream whose elements are the points: rows that come, or changes of a relation."""
    b = column("b", INT)
    chosen = Call(
        BOOLEAN, draw(st.sampled_from(["ge", "lt", "eq"])), (b, Literal(INT, draw(st.integers(-2, 2))))
    )
    if draw(st.booleans()):
        return algebra.Select(S, chosen)
    to_stream = draw(st.sampled_from([algebra.Istream, algebra.Dstream]))
    return to_stream(algebra.Select(R, chosen))


@st.composite
def predicates(draw: st.DrawFn, plan: Operator, depth: int = 2) -> Expression:
    """A condition on NOW and the row."""
    if depth and draw(st.integers(0, 2)) == 0:
        logic = draw(st.sampled_from(["and", "or", "not"]))
        count = 1 if logic == "not" else 2
        return Call(BOOLEAN, logic, tuple(draw(predicates(plan, depth - 1)) for _ in range(count)))
    names = [(name, type_) for name, type_ in plan.schema if type_.is_integer]
    value: Expression = column(*draw(st.sampled_from(names)))
    offset = Literal(INT, draw(st.integers(-4, 8)))
    value = Call(BIGINT, draw(st.sampled_from(["add", "subtract"])), (value, offset))
    now: Expression = Now(BIGINT)
    if draw(st.booleans()):
        now = Call(BIGINT, draw(st.sampled_from(["add", "subtract"])), (now, Literal(INT, 3)))
    elif draw(st.booleans()):
        now = Call(BIGINT, "subtract", (Literal(INT, 9), now))
    sides = (now, value) if draw(st.booleans()) else (value, now)
    comparison = draw(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne", "is_not_distinct_from"]))
    return Call(BOOLEAN, comparison, sides)


@st.composite
def bases(draw: st.DrawFn) -> Operator:
    """Relations with the columns a, b and TS."""
    stamped = algebra.Stamp(S)
    plan: Operator
    match draw(st.integers(0, 3)):
        case 0:
            plan = algebra.Range(stamped, INFINITY)
        case 1:
            plan = algebra.Rows(stamped, 1, partition=("a",))
        case 2:
            plan = algebra.Range(stamped, 3)
        case _:
            pairs = (("a", column("a", INT)), ("b", column("b", INT)), ("TS", column("b", INT)))
            return algebra.Project(R, (*pairs[:2], ("TS", algebra.expressions.Cast(BIGINT, pairs[2][1]))))
    return algebra.Project(
        plan, (("a", column("a", INT)), ("b", column("b", INT)), ("TS", column("TS", BIGINT)))
    )


@st.composite
def relations(draw: st.DrawFn, depth: int = 3) -> Operator:
    """Plans with the columns a, b and TS, time points at any level."""
    if not depth:
        return draw(bases())
    plan = draw(relations(depth - 1))
    match draw(st.integers(0, 6)):
        case 0 | 1:
            return algebra.Synchronize(plan, draw(points), draw(st.one_of(st.none(), events())))
        case 2 | 3:
            return algebra.When(plan, draw(predicates(plan)), draw(st.one_of(st.just(ALL), points)))
        case 4:
            return algebra.Union(plan, draw(relations(depth - 1)))
        case 5:
            keys = (("a", column("a", INT)),)
            calls = [("b", "min", "b", INT), ("TS", "max", "TS", BIGINT)]
            return algebra.Aggregate(
                plan, keys, tuple((n, Aggregation(t, f, column(c, t))) for n, f, c, t in calls)
            )
        case _:
            left = renamed(plan, ("a", "b", "x"))
            right = renamed(draw(relations(depth - 1)), ("y", "z", "TS"))
            on = Call(BOOLEAN, "eq", (column("b", INT), column("z", INT)))
            both = algebra.Join(left, right, on)
            return algebra.Project(
                both, tuple((n, column(n, both.schema.type_of(n))) for n in ("a", "b", "TS"))
            )
