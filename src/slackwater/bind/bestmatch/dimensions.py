"""The dimensions of a best-match join: values with their orders and bounds.      thesis 4.2.2.2, 4.2.3"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

from slackwater.algebra import Dimension
from slackwater.algebra.expressions import Call, Expression, Literal, Now
from slackwater.algebra.now import has_now
from slackwater.algebra.orders import MAX, MIN, ORDERS, SUBSET, SUPERSET, Order
from slackwater.algebra.types import NULL, UNKNOWN, common
from slackwater.base.diagnostic import did_you_mean, quoted
from slackwater.bind.bestmatch import problems
from slackwater.bind.binding import Binding
from slackwater.bind.expressions import Expressions
from slackwater.language.cql import nodes
from slackwater.optimize.facts.columns import columns


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Binds the dimensions of one join."""

    binding: Binding
    binder: Expressions
    windows: list[Expression] = field(default_factory=list)
    """The bounds on ages so far."""

    def dimension(self, node: nodes.Dimension) -> Dimension | None:
        order = self._order(node)
        operands = [self.binder.bind(part) for part in node.expressions]
        if order is None or any(operand.type is UNKNOWN for operand in operands):
            return None
        if not self._is_operands(order, operands, node):
            return None
        if any(map(has_now, operands)):
            return self._age(order, operands[0], node)
        if node.bound is None:
            return Dimension(tuple(operands), order)
        bound = self._bound(order, operands[0], node)
        return None if bound is None else Dimension(tuple(operands), order, bound)

    def _age(self, order: Order, age: Expression, node: nodes.Dimension) -> Dimension | None:
        """NOW - t MIN is t MAX, since NOW is the same for all pairs; its bound is a window on one side."""
        span = self.binding.span(node)
        match age:
            case Call(function="subtract", arguments=(Now(), time)) if order.is_total and not has_now(time):
                if node.bound is not None:
                    bound = self._bound(order, age, node)
                    if bound is None:
                        return None
                    window = Dimension((age,), order, bound).admits[0]
                    if not self._is_of_one_side(window):
                        self.binding.report(problems.AGE_OF_BOTH.at(span))
                        return None
                    self.windows.append(window)
                return Dimension((time,), MAX if order == MIN else MIN)
        self.binding.report(problems.NOT_AN_AGE.at(span))
        return None

    def _is_of_one_side(self, window: Expression) -> bool:
        tables = self.binder.scope.tables
        seen = columns(window)
        return any(seen <= {field.column for field in table.fields} for table in tables)

    def _order(self, node: nodes.Dimension) -> Order | None:
        orders = {**ORDERS, **self.binding.catalog.orders}
        order = orders.get(node.order.name.lower())
        if order is None:
            known = sorted(orders)
            self.binding.report(
                problems.UNKNOWN_ORDER.at(
                    self.binding.span(node.order),
                    name=node.order.name,
                    known=quoted(known),
                    hint=did_you_mean(node.order.name.lower(), known),
                )
            )
        return order

    def _is_operands(self, order: Order, operands: list[Expression], node: nodes.Dimension) -> bool:
        """Whether the order takes these values; reports where it does not."""
        span, count = self.binding.span(node), len(operands)
        types = ", ".join(str(operand.type) for operand in operands)
        if order.is_total and count != 1:
            self.binding.report(problems.ONE_VALUE.at(span, order=order, count=count))
            return False
        if not order.is_total and count != 2:
            self.binding.report(problems.TWO_VALUES.at(span, order=order, count=count))
            return False
        if order in (SUBSET, SUPERSET) and not _are_sets(operands):
            self.binding.report(problems.NOT_SETS.at(span, order=order, types=types))
            return False
        return True

    def _bound(self, order: Order, value: Expression, node: nodes.Dimension) -> Literal | None:
        """The bound as a constant; reports a bound that is none, or that no value is within."""
        assert node.bound is not None
        span = self.binding.span(node.bound)
        if not order.is_total:
            self.binding.report(problems.BOUND_OF_ORDER.at(span, order=order))
            return None
        bound = self.binder.bind(node.bound)
        if bound.type is UNKNOWN:
            return None
        if not isinstance(bound, Literal):
            self.binding.report(problems.BOUND_NOT_CONSTANT.at(span))
        elif bound.value is None:
            self.binding.report(problems.BOUND_NULL.at(span))
        elif common(value.type, bound.type) is None or value.type == NULL:
            self.binding.report(problems.BOUND_TYPE.at(span, bound=bound.type, value=value.type))
        elif order == MIN and is_distance(value) and bound.value < type(bound.value)(0):
            self.binding.report(problems.BOUND_NEGATIVE.at(span))
        else:
            if order == MIN and is_distance(value) and bound.value == type(bound.value)(0):
                self.binding.note(problems.BOUND_ZERO.at(span))
            return bound
        return None


def _are_sets(operands: list[Expression]) -> bool:
    return all(operand.type.name == "array" for operand in operands) and (
        common(operands[0].type, operands[1].type) is not None
    )


def is_distance(value: Expression) -> TypeGuard[Call]:
    """Whether the value is never negative: a distance |a - b|."""
    return isinstance(value, Call) and value.function == "abs"
