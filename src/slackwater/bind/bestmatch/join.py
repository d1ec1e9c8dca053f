"""Best-match joins: dimensions become values with their orders and bounds.      thesis 4.2.2.2, 4.2.3"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeGuard

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import BestMatch, Dimension, Operator, Side
from slackwater.algebra.expressions import Call, Expression, Literal, Now, column
from slackwater.algebra.now import has_now
from slackwater.algebra.orders import MAX, MIN, ORDERS, SUBSET, SUPERSET, Order
from slackwater.algebra.points import ALL
from slackwater.algebra.types import BOOLEAN, NULL, UNKNOWN, common
from slackwater.base.diagnostic import did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.bind.bestmatch import problems
from slackwater.bind.binding import Binding
from slackwater.bind.expressions import Expressions
from slackwater.bind.synchronization.now import with_windows
from slackwater.language.cql import nodes
from slackwater.optimize.facts.columns import columns


class Match(NamedTuple):
    """What the ON of a best-match join says."""

    condition: Expression
    dimensions: tuple[Dimension, ...]
    side: Side | None
    keeps_unmatched: bool
    windows: tuple[Expression, ...] = ()
    """Bounds on ages: conditions on the current time, each of rows of one side."""

    def of(self, left: Operator, right: Operator, side: Side | None, origin: Span | None) -> Operator:
        """The best match of two relations, with that side in place of its own."""
        one, other = self._young(left), self._young(right)
        plan = BestMatch(one, other, self.condition, self.dimensions, side, origin=origin)
        return with_unmatched(plan, left, right) if self.keeps_unmatched else plan

    def _young(self, rows: Operator) -> Operator:
        """The rows of a side that are within the bounds on their age."""
        own = [window for window in self.windows if columns(window) <= set(rows.schema.names)]
        return with_windows(rows, {ALL: own}) if own else rows


def best_match(left: Operator, right: Operator, join: exp.Join, binder: Expressions) -> Operator | None:
    """The best-match join of two relations; None for errors, which are reported."""
    match = match_of(join, binder)
    return None if match is None else match.of(left, right, match.side, binder.binding.span(join))


def match_of(join: exp.Join, binder: Expressions) -> Match | None:
    """What the join says, bound; None for errors, which are reported."""
    on: nodes.BestMatchOn = join.args["on"]
    binding = binder.binding
    condition = _condition(on, binder)
    binds = _Dimensions(binding, binder)
    parts = [binds.dimension(node) for node in on.expressions]
    dimensions = tuple(dimension for dimension in parts if dimension is not None)
    side = Side(str(join.args["side"]).lower()) if join.args.get("side") else None
    if on.keeps_unmatched and side is None:
        binding.report(problems.KEEP_WITHOUT_SIDE.at(binding.span(on)))
        return None
    if len(dimensions) < len(parts) or condition.type is UNKNOWN:
        return None
    if join.args.get("method") and not (binds.windows or any(one.bound for one in dimensions)):
        binding.report(problems.NOT_CONSTRAINED.at(binding.span(on)))
        return None
    return Match(condition, dimensions, side, on.keeps_unmatched, tuple(binds.windows))


def _condition(on: nodes.BestMatchOn, binder: Expressions) -> Expression:
    """The condition on pairs; the current time is in dimensions only."""
    if on.condition is None:
        return Literal(BOOLEAN, True)
    return replace(binder, may_use_now=False).condition(on.condition, "ON")


def with_unmatched(plan: BestMatch, left: Operator, right: Operator) -> Operator:
    """R ⊠ left S with the rows of R that have no candidate: (R ⊠ S) ∪ ((R - (R' ⋉ q S')) × [NULL…])

    R' and S' are the inputs of the best match, the rows of R and S that are young enough.
    """
    result: Operator = plan
    for side, rows, here, there in (
        (Side.LEFT, left, plan.left, plan.right),
        (Side.RIGHT, right, plan.right, plan.left),
    ):
        if plan.side in (side, Side.FULL):
            alone: Operator = algebra.AntiJoin(here, there, plan.admits, origin=plan.origin)
            if rows is not here:
                alone = algebra.Except(rows, algebra.SemiJoin(here, there, plan.admits, origin=plan.origin))
            values = (
                (name, column(name, type_) if name in rows.schema else Literal(type_, None))
                for name, type_ in plan.schema
            )
            result = algebra.Union(result, algebra.Project(alone, tuple(values)), origin=plan.origin)
    return result


@dataclass(frozen=True, slots=True)
class _Dimensions:
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
        expected = 1 if order.is_total else 2
        types = ", ".join(str(operand.type) for operand in operands)
        if len(operands) != expected:
            problem = problems.ONE_VALUE if order.is_total else problems.TWO_VALUES
            self.binding.report(problem.at(self.binding.span(node), order=order, count=len(operands)))
            return False
        if order in (SUBSET, SUPERSET) and not _are_sets(operands):
            self.binding.report(problems.NOT_SETS.at(self.binding.span(node), order=order, types=types))
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
