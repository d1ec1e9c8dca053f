"""A plan as an indented tree of text.

For example `SELECT ISTREAM(symbol) FROM trades [RANGE 5] WHERE price > 20`:

    Istream
    └─ Project symbol
       └─ Select trades.price > 20
          └─ Range 5
             └─ Stream trades (symbol string, price int)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import singledispatch

from slackwater import algebra
from slackwater.algebra.expressions import Literal
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.operator import Operator
from slackwater.algebra.windowing import length_in_words, windows_in_words
from slackwater.base.depth import deep
from slackwater.base.time import INFINITY, Clock

Lasting = Callable[[int], str]
"""How a number of chronons is written."""
Note = Callable[[Operator], str]
"""What is said about an operator beside what it does."""


def _counted(chronons: int) -> str:
    return "Unbounded" if chronons >= INFINITY else str(chronons)


_MOST_LINES = 1_000
"""In a longer plan, what stands at several places is shown at the first."""


@deep()
def explained(
    plan: Operator, clock: Clock | None = None, shown: set[int] | None = None, note: Note | None = None
) -> str:
    """The plan, one operator a line, inputs under what uses them; without a clock, lengths are chronons.

    `shown` are the ids of operators that were shown before, in a text of several plans; it grows. `note` is
    what follows the line of an operator.
    """
    if shown is None and plan.places > _MOST_LINES:
        shown = set()
    lasting = _counted if clock is None else lambda n: clock.lasting(n).title()
    return "\n".join(_lines(plan, lasting, shown, note))


def shown_in(plans: Iterable[Operator]) -> set[int] | None:
    """What has been shown of these plans, nothing yet; None where all can be shown at each of its places."""
    return set() if sum(plan.places for plan in plans) > _MOST_LINES else None


def _lines(
    plan: Operator,
    lasting: Lasting,
    seen: set[int] | None,
    note: Note | None,
    lead: str = "",
    margin: str = "",
) -> Iterator[str]:
    """The plan's lines: the first behind `lead`, those under it behind `margin`."""
    shown, alias = _without_rename(plan)
    line = lead + described(shown, lasting) + (f" as {alias}" if alias else "")
    if seen is not None and id(shown) in seen and shown.inputs:
        yield f"{line}, as above"
        return
    yield line if note is None else f"{line}   {note(shown)}"
    if seen is not None:
        seen.add(id(shown))
    below = [("", source) for source in shown.inputs]
    below += [("subquery: ", subplan) for subplan in shown.subplans]
    below += [("round: ", shown.body.plan)] if isinstance(shown, algebra.Recursion) else []
    for number, (role, inner) in enumerate(below, start=1):
        sign, edge = ("└", " ") if number == len(below) else ("├", "│")
        yield from _lines(inner, lasting, seen, note, f"{margin}{sign}─ {role}", f"{margin}{edge}  ")


def _without_rename(plan: Operator) -> tuple[Operator, str]:
    """What a renaming renames, and the alias it gives; a rename does nothing at run time."""
    if isinstance(plan, algebra.Project) and plan.is_rename and plan.schema.names:
        aliases = {name.partition(".")[0] for name in plan.schema.names}
        pairs = zip(plan.schema.names, plan.source.schema.names, strict=True)
        if len(aliases) == 1 and all(new == f"{next(iter(aliases))}.{old}" for new, old in pairs):
            inner, alias = _without_rename(plan.source)
            return (inner, next(iter(aliases))) if not alias else (plan, "")
    return plan, ""


@singledispatch
def described(plan: Operator, lasting: Lasting = _counted) -> str:
    """One operator in one line."""
    return type(plan).__name__


@described.register
def _(plan: algebra.Stream, lasting: Lasting = _counted) -> str:
    return f"Stream {plan.name} {plan.columns}"


@described.register
def _(plan: algebra.Relation, lasting: Lasting = _counted) -> str:
    key = f" key ({', '.join(plan.key)})" if plan.key else ""
    return f"Relation {plan.name} {plan.columns}{key}{' append only' if plan.append_only else ''}"


@described.register
def _(plan: algebra.Select, lasting: Lasting = _counted) -> str:
    return f"Select {text_of(plan.predicate)}"


@described.register
def _(plan: algebra.Project, lasting: Lasting = _counted) -> str:
    return f"Project {', '.join(labelled(name, text_of(expr)) for name, expr in plan.columns)}"


@described.register
def _(plan: algebra.Group, lasting: Lasting = _counted) -> str:
    return f"Group {text_of(plan.by)} = {text_of(plan.member)}"


@described.register
def _(plan: algebra.Unnest, lasting: Lasting = _counted) -> str:
    fields = {plan.arrays[0][0]: ", ".join(plan.fields)} if plan.fields else {}
    arrays = ", ".join(f"{text_of(values)} as {fields.get(name, name)}" for name, values in plan.arrays)
    ordinal = f", position as {plan.ordinal}" if plan.ordinal else ""
    return f"Unnest {arrays}{ordinal}{' or NULL' if plan.keeps else ''}"


@described.register
def _(plan: algebra.Range, lasting: Lasting = _counted) -> str:
    slide = f" slide {lasting(plan.slide)}" if plan.slide != 1 else ""
    return "Now" if plan.is_now else f"Range {lasting(plan.duration)}{slide}"


@described.register
def _(plan: algebra.Sliding, lasting: Lasting = _counted) -> str:
    return f"Sliding {lasting(plan.size)}"


@described.register
def _(plan: algebra.Fixed, lasting: Lasting = _counted) -> str:
    return f"Fixed {lasting(plan.size)}"


@described.register
def _(plan: algebra.Session, lasting: Lasting = _counted) -> str:
    by = f" partition by {', '.join(plan.partition)}" if plan.partition else ""
    return f"Session {lasting(plan.gap)}{by}"


@described.register
def _(plan: algebra.Assign, lasting: Lasting = _counted) -> str:
    return f"Assign {text_of(plan.time)} to {windows_in_words(plan, plan.time.type)}"


@described.register
def _(plan: algebra.Sessions, lasting: Lasting = _counted) -> str:
    by = f" by {', '.join(map(text_of, plan.keys))}" if plan.keys else ""
    return f"Sessions of {text_of(plan.time)}{by} gap {length_in_words(plan.gap, plan.time.type)}"


@described.register
def _(plan: algebra.Rows, lasting: Lasting = _counted) -> str:
    parts = [f"partition by {', '.join(plan.partition)}"] if plan.partition else []
    parts += [f"within {lasting(plan.within)}"] if plan.within < INFINITY else []
    parts += [f"slide {plan.slide}"] if plan.slide != 1 else []
    return " ".join([f"Rows {_counted(plan.count)}", *parts])


@described.register
def _(plan: algebra.NestedRows, lasting: Lasting = _counted) -> str:
    return f"Nested {'; '.join(described(window, lasting) for window in plan.rows)}"


@described.register(algebra.Join)
@described.register(algebra.SemiJoin)
@described.register(algebra.AntiJoin)
def _(plan: algebra.Join | algebra.SemiJoin | algebra.AntiJoin, lasting: Lasting = _counted) -> str:
    return f"{type(plan).__name__} on {text_of(plan.on)}"


@described.register
def _(plan: algebra.OuterJoin, lasting: Lasting = _counted) -> str:
    return f"OuterJoin {plan.side} on {text_of(plan.on)}"


@described.register
def _(plan: algebra.DependentJoin, lasting: Lasting = _counted) -> str:
    return "DependentJoin left" if plan.keeps else "DependentJoin"


@described.register
def _(plan: algebra.BestMatch, lasting: Lasting = _counted) -> str:
    side = f" {plan.side}" if plan.side else ""
    on = "" if isinstance(plan.on, Literal) and plan.on.value is True else f" on {text_of(plan.on)}"
    return f"BestMatch{side} by {', '.join(map(_dimension, plan.dimensions))}{on}"


def _dimension(dimension: algebra.Dimension) -> str:
    bound = f" {text_of(dimension.bound)}" if dimension.bound is not None else ""
    return f"({', '.join(map(text_of, dimension.operands))}) {dimension.order}{bound}"


@described.register
def _(plan: algebra.Single, lasting: Lasting = _counted) -> str:
    return f"Single by {', '.join(plan.keys)}" if plan.keys else "Single"


@described.register
def _(plan: algebra.Aggregate, lasting: Lasting = _counted) -> str:
    calls = ", ".join(text_of(call) for _, call in plan.aggregations) or "nothing"
    by = f" by {', '.join(labelled(name, text_of(expr)) for name, expr in plan.keys)}" if plan.keys else ""
    return f"Aggregate {calls}{by}"


@described.register
def _(plan: algebra.Over, lasting: Lasting = _counted) -> str:
    calls = ", ".join(str(call) for _, call in plan.calls)
    by = f" by {', '.join(plan.partition)}" if plan.partition else ""
    order = f" order {', '.join(map(str, plan.order))}" if plan.order else ""
    limit = "" if plan.limit is None else f" limit {plan.limit[0].removesuffix(' OVER')} <= {plan.limit[1]}"
    return f"Over {calls}{by}{order}{limit}"


@described.register
def _(plan: algebra.Recursion, lasting: Lasting = _counted) -> str:
    return f"Recursion {'until nothing is new' if plan.distinct else 'until a round is empty'}"


@described.register
def _(plan: algebra.Recognize, lasting: Lasting = _counted) -> str:
    by = f" by {', '.join(plan.partition)}" if plan.partition else ""
    within = f" within {lasting(plan.within)}" if plan.within < INFINITY else ""
    target = f" {plan.target}" if plan.target else ""
    return f"Recognize {plan.pattern}{by}{within} skip {plan.skip}{target}"


@described.register
def _(plan: algebra.Ticks, lasting: Lasting = _counted) -> str:
    return f"Ticks {plan.points.in_words(lasting)}"


@described.register
def _(plan: algebra.Stamp, lasting: Lasting = _counted) -> str:
    return f"Stamp {plan.column}"


@described.register
def _(plan: algebra.When, lasting: Lasting = _counted) -> str:
    sampled = "" if plan.points.is_all else f", now {plan.points.in_words(lasting)}"
    return f"When {text_of(plan.predicate)}{sampled}"


@described.register
def _(plan: algebra.Synchronize, lasting: Lasting = _counted) -> str:
    if plan.events is None:
        return f"Synchronize {plan.points.in_words(lasting)}"
    return "Synchronize by events" + ("" if plan.points.is_empty else f" or {plan.points.in_words(lasting)}")


def labelled(name: str, text: str) -> str:
    return text if text == name or text.endswith(f".{name}") else f"{name} = {text}"
