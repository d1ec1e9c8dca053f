"""Strips of a bounded distance |a - b| ≤ ε as columns to partition by: the exchange of the eps-grid.

      strip 3     │     strip 4     │        Strips are 16 ε wide. A row of the left side is in the strip of
                a │ b               │        its value. A row of the right side is in the strips of all values
                  │   ←ε→           │        near it: in one, or, if it is near the border, in two. So all
                  │                 │        partners of a left row are in its strip, each once.

Values that are too large for their strips to be exact are all in the outermost strips.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.expressions import Call, Cast, Expression, Literal, column
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BOOLEAN, DOUBLE
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.partners import Side

ONE, SEVERAL = "strip of left", "strip of right"
"""The columns with the strips of both sides."""
_WIDTH = 16.0
"""In bounds: narrower strips spread the rows further, wider ones need fewer copies (here a quarter more)."""
_MARGIN = 2.0 / _WIDTH
"""In strips: two bounds, which is more than what rounding adds to one."""
_ROUNDING = 2.0**-50
_OUTERMOST = 2.0**46
"""A number of a strip so large that its rounding is a sixteenth of a strip."""


@dataclass(frozen=True, slots=True)
class Strips:
    """The values of both sides, and the bound of their distance."""

    left: Expression
    right: Expression
    bound: float

    def one(self, graph: Graph, side: Side) -> Side:
        """The left side with the strip of each row."""
        return with_column(graph, side, ONE, _floor(self._place(self.left)))

    def several(self, graph: Graph, side: Side) -> Side:
        """The right side with the strips of each row; it is there as often as it has strips."""
        place = self._place(self.right)
        margin = _double(
            "add", _number(_MARGIN), _double("multiply", _double("abs", place), _number(_ROUNDING))
        )
        low, high = (_floor(_double(sign, place, margin)) for sign in ("subtract", "add"))
        first = with_column(graph, side, SEVERAL, low)
        at_border = graph.add(steps.Filter(Call(BOOLEAN, "ne", (low, high))), (side.place,), side.schema)
        second = with_column(graph, Side(at_border, side.schema), SEVERAL, high)
        both = graph.add(steps.Union(), (first.place, second.place), first.schema)
        return Side(both, first.schema)

    def _place(self, value: Expression) -> Expression:
        """A value in units of strips."""
        return _double("divide", Cast(DOUBLE, value), _number(self.bound * _WIDTH))


def in_strips(expr: Expression) -> str:
    """The text of an expression, in which the arithmetic of strips is in words."""
    match expr:
        case Call(function="floor", arguments=(Call(function="least", arguments=(inside, _)),)):
            match inside:
                case Call(function="greatest", arguments=(place, _)):
                    return _place_in_words(place) or text_of(expr)
        case Call(function="ne", arguments=(low, high)) if in_strips(low) != text_of(low):
            return f"{in_strips(low)} <> {in_strips(high)}"
    return text_of(expr)


def _place_in_words(place: Expression) -> str | None:
    match place:
        case Call(function="divide", arguments=(Cast(operand=value), Literal(value=width))):
            return f"the strip of {text_of(value)}, {width:g} wide"
        case Call(
            function="subtract" | "add" as sign,
            arguments=(Call(function="divide", arguments=(Cast(operand=value), _)), _),
        ):
            return f"the {'first' if sign == 'subtract' else 'last'} strip near {text_of(value)}"
    return None


def _floor(place: Expression) -> Expression:
    inside = _double("least", _double("greatest", place, _number(-_OUTERMOST)), _number(_OUTERMOST))
    return _double("floor", inside)


def _double(function: str, *arguments: Expression) -> Expression:
    return Call(DOUBLE, function, arguments)


def _number(value: float) -> Expression:
    return Literal(DOUBLE, value)


def with_column(graph: Graph, side: Side, name: str, value: Expression) -> Side:
    """The side with one more column, of doubles."""
    own = tuple((name, column(name, type_)) for name, type_ in side.schema)
    schema = side.schema + Schema(((name, DOUBLE),))
    return Side(graph.add(steps.Map((*own, (name, value))), (side.place,), schema), schema)
