"""Frames: ROWS or RANGE, from a bound to a bound, as signed distances from the current row."""

from __future__ import annotations

import math
from datetime import timedelta
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.expressions.over import HERE, UP_TO_PEERS, WHOLE, Frame, Unit
from slackwater.algebra.types import BIGINT, DATE, DOUBLE, INTERVAL, MAX_PRECISION, UNKNOWN, Type, decimal
from slackwater.base.span import Span
from slackwater.bind.over import problems
from slackwater.bind.parameters.places import read_constant

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

_ROWS_HINT = "Write a number of rows: ROWS BETWEEN 5 PRECEDING AND CURRENT ROW."
_RANGE_HINT = "Write ROWS for a number of rows, or CURRENT ROW for the rows with the same values."


def frame_of(spec: exp.Expression | None, order: list[Expression], binder: Expressions) -> Frame | None:
    """The frame of a window with this order, SQL's default where none is written; None for an error."""
    if spec is None:
        return UP_TO_PEERS if order else WHOLE
    span = binder.binding.span(spec)
    kind = str(spec.args["kind"]).upper()
    if kind == "GROUPS" or spec.args.get("exclude"):
        word = "GROUPS" if kind == "GROUPS" else "EXCLUDE"
        _refuse(binder, span, f"a frame with {word} is not supported", "Write ROWS or RANGE.")
        return None
    unit = Unit(kind.lower())
    bounds = [_bound(spec, place, unit, order, binder, span) for place in ("start", "end")]
    if any(isinstance(bound, str) for bound in bounds):
        return None
    start, end = (bound for bound in bounds if not isinstance(bound, str))
    if start is not None and end is not None and _sign(start, end) > 0:
        _refuse(binder, span, "the frame ends before it starts", "Exchange its bounds.")
        return None
    if (start, end) == (None, None) or (unit is Unit.RANGE and not order):
        return WHOLE
    return Frame(unit, start, end)


def _refuse(binder: Expressions, span: Span, what: str, hint: str) -> None:
    binder.binding.report(problems.BAD_FRAME.at(span, what=what, instead=hint))


def _sign(start: Literal, end: Literal) -> int:
    one, other = (bound.value or None for bound in (start, end))
    if one is None or other is None:
        near = one if other is None else other
        below = near is not None and near < type(near)()
        return 0 if near is None else (-1 if below == (other is None) else 1)
    return -1 if one < other else int(one > other)


def _bound(
    spec: exp.Expression, place: str, unit: Unit, order: list[Expression], binder: Expressions, span: Span
) -> Literal | str | None:
    """A bound as a signed distance; None is the end of the partition; a text for an error."""
    value, side = spec.args.get(place), str(spec.args.get(f"{place}_side") or "").upper()
    if value is None or value == "CURRENT ROW":
        return HERE
    if value == "UNBOUNDED":
        if side == ("PRECEDING" if place == "start" else "FOLLOWING"):
            return None
        other = "UNBOUNDED PRECEDING" if place == "start" else "UNBOUNDED FOLLOWING"
        _refuse(binder, span, f"a frame cannot {place} with UNBOUNDED {side}", f"Write {other}.")
        return "error"
    types = (BIGINT,) if unit is Unit.ROWS else (INTERVAL, BIGINT, DOUBLE)
    distance = read_constant(binder.bind(value), types, binder.binding, binder.bind)
    at = binder.binding.span(value)
    if distance.type is UNKNOWN:
        return "error"
    by_rows = unit is Unit.ROWS
    known = _rows(distance) if by_rows else _values(distance, [key.type for key in order])
    if known is None:
        what = "a distance in rows is a constant whole number, not negative" if by_rows else _why(order)
        _refuse(binder, at, what, _ROWS_HINT if by_rows else _RANGE_HINT)
        return "error"
    return Literal(known.type, -known.value, origin=at) if side == "PRECEDING" else known


def _why(order: list[Expression]) -> str:
    if len(order) != 1:
        return "RANGE with a distance needs ORDER BY one column"
    type_ = order[0].type
    if type_.is_time:
        return f"the distance of two values of type {type_} is a constant interval, not negative"
    if type_.is_numeric:
        return f"the distance of two values of type {type_} is a constant number, not negative"
    return f"values of type {type_} have no distance"


def _rows(distance: Expression) -> Literal | None:
    if isinstance(distance, Literal) and distance.type.is_integer and distance.value >= 0:
        return Literal(BIGINT, distance.value, origin=distance.origin)
    return None


def _values(distance: Expression, order: list[Type]) -> Literal | None:
    """The distance as one of two values of the column: a whole multiple of the type's unit."""
    if len(order) != 1 or not isinstance(distance, Literal) or distance.value is None:
        return None
    (type_,), value, origin = order, distance.value, distance.origin
    if type_.is_time and distance.type == INTERVAL and value >= timedelta():
        days = timedelta(days=value.days)
        return Literal(INTERVAL, days if type_ == DATE else value, origin=origin)
    if not type_.is_numeric or not distance.type.is_numeric or value < 0:
        return None
    if type_.is_floating:
        return Literal(DOUBLE, float(value), origin=origin)
    if type_.is_decimal:
        return Literal(decimal(MAX_PRECISION, type_.scale), _floored(value, type_.scale), origin=origin)
    return Literal(BIGINT, math.floor(value), origin=origin)


def _floored(value: Any, scale: int) -> Decimal:
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR)
