"""Expressions: names become columns, every node gets a type; a node without a type is an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from slackwater.algebra import types
from slackwater.algebra.expressions import Call, Case, Cast, Column, Expression, Literal, Outer, column, nodes
from slackwater.algebra.expressions.aggregates import aggregate_type
from slackwater.algebra.expressions.casts import castable
from slackwater.algebra.expressions.functions import FUNCTIONS, Mismatch, result_type
from slackwater.algebra.expressions.text import operator_sign
from slackwater.algebra.operator import Operator
from slackwater.algebra.types import BOOLEAN, NULL, UNKNOWN, Type
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.asof.proctime import proctime
from slackwater.bind.between import between
from slackwater.bind.binding import Binding
from slackwater.bind.coercion import coerced, named_arguments, timed
from slackwater.bind.constants import wrong_constants
from slackwater.bind.functions import (
    CLOCK_FUNCTIONS,
    AggregateCall,
    aggregate_call,
    function_call,
    is_mixed,
)
from slackwater.bind.lateral.problems import MISPLACED_EXPLODE
from slackwater.bind.lateral.spellings import table_function
from slackwater.bind.literals import integer, interval, is_wrong_moment, literal
from slackwater.bind.macros import expansion
from slackwater.bind.nested.adapt import adapted, check_key, compared, overloaded
from slackwater.bind.nested.constructors import constructed
from slackwater.bind.nested.lambdas import higher_call, is_mentioned
from slackwater.bind.nested.paths import field_of, names_in, resolved
from slackwater.bind.over.calls import Overs, function_of, over_call
from slackwater.bind.over.problems import needs_over
from slackwater.bind.parameters.places import read_arguments, read_beside
from slackwater.bind.row_values import compared_rows, is_of_rows
from slackwater.bind.scope import Grouping, Scope
from slackwater.bind.signs import plus
from slackwater.bind.subqueries import COMPARISONS, any_or_all, is_quantifier, quantified, scalar
from slackwater.bind.synchronization import problems
from slackwater.bind.synchronization.relations import time_type
from slackwater.bind.types import type_named
from slackwater.bind.unknown import unknown_call
from slackwater.bind.user_functions.aggregate import user_aggregation
from slackwater.bind.user_functions.call import called, user_call
from slackwater.language.cql import nodes as cql

IN_AGGREGATE = "another aggregate"
_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
NOW = "now"
"""The current time, unless a column has this name."""


@dataclass(slots=True)
class Expressions:
    """Binds the expressions of one clause of one query.

    `subquery` binds a query inside an expression to a plan of a relation; `outer` are the expressions
    of the enclosing queries, innermost first.
    """

    binding: Binding
    scope: Scope
    subquery: Callable[[exp.Expression, list[Expressions]], Operator]
    outer: list[Expressions]
    clause: str
    grouping: Grouping | None = None
    may_aggregate: bool = False
    may_use_now: bool = False
    overs: Overs | None = None
    """Where there may be window functions: those of the query so far."""
    variables: dict[str, nodes.Variable] = field(default_factory=dict)
    """The parameters of the functions x -> … around, by name in lower case; they hide columns."""
    depth: int = 0
    """The number of these functions."""

    def condition(self, node: exp.Expression, clause: str) -> Expression:
        """A boolean expression; anything else is an error."""
        bound = self.bind(node)
        if bound.type not in (BOOLEAN, NULL, UNKNOWN):
            self.binding.report(errors.not_boolean(clause, bound.type, self.binding.span(node)))
            return Literal(UNKNOWN, None)
        return bound

    def bind(self, node: exp.Expression) -> Expression:
        """The node as a typed expression. An error is reported, and the result has the type UNKNOWN."""
        is_constant = isinstance(node, exp.Literal | exp.Null | exp.Boolean)
        if self.grouping is not None and not is_constant and not is_mentioned(node, self.variables):
            key = self._as_key(node)
            if key is not None:
                return key
        return self._bind(node)

    def _as_key(self, node: exp.Expression) -> Expression | None:
        """The grouping key that equals this expression, if any; bound expressions are compared, not texts."""
        assert self.grouping is not None
        for (name, value), key in zip(self.grouping.keys, self.grouping.nodes, strict=True):
            if bare(node) == key:
                self.binding.read_alike(bare(node), key)
                return column(name, value.type)
        if node.find(exp.Query) or _aggregates(node, self.binding):
            return None
        quiet = self.binding.quiet()
        ungrouped = Expressions(quiet, self.scope, self.subquery, [], self.clause)
        value = ungrouped.bind(node)
        return None if quiet.errors else self.grouping.key(value)

    def _bind(self, node: exp.Expression) -> Expression:
        span = self.binding.span(node)
        match node:
            case exp.Paren():
                return self.bind(node.this)
            case exp.Column():
                return self._column(node, span)
            case exp.Dot(expression=exp.Identifier() as field):
                return field_of(self.bind(node.this), field.name, self, span)
            case exp.Literal():
                return literal(self.binding, node, span)
            case exp.Neg(this=exp.Literal(is_string=False)) if str(node.this.this).isdigit():
                return integer(self.binding, -int(node.this.this), span)
            case cql.Plus():
                return plus(self, node, span)
            case exp.Boolean():
                return Literal(BOOLEAN, bool(node.this), origin=span)
            case exp.Null():
                return Literal(NULL, None, origin=span)
            case exp.Interval():
                return interval(self.binding, node, span)
            case exp.Cast():
                return self._cast(node, span)
            case exp.Case() | exp.If():
                return self._case(node, span)
            case exp.Between():
                return between(self, node, span)
            case exp.In() | exp.EQ() | exp.NEQ() if is_of_rows(node):
                compared = compared_rows(node, self.binding, span)
                return self._unknown(span) if compared is None else self.bind(compared)
            case exp.In():
                return self._in(node, span)
            case exp.Exists():
                return nodes.Exists(BOOLEAN, self.subquery(node.this, [self, *self.outer]), origin=span)
            case exp.Subquery() | exp.Select() | exp.SetOperation() | cql.ValueRows():
                return scalar(self, node, span)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE() if is_quantifier(
                node.expression
            ):
                return quantified(self, node, span)
            case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() if isinstance(node.this, _ORDERED):
                return self._chain(node, span)
            case exp.Is() if isinstance(node.expression, exp.Boolean):
                return self._call("is_not_distinct_from", [node.this, node.expression], span)
            case exp.Unnest() | exp.Explode() | exp.Inline() if (
                function := table_function(node)
            ) is not None:
                self.binding.report(MISPLACED_EXPLODE.at(span, function=function.upper()))
                return self._unknown(span)
            case exp.Window():
                # A window function is computed before the functions x -> … around it are called.
                return over_call(node, replace(self, variables={}, depth=0), span)
            case _:
                return self._function(node, span)

    def _unknown(self, span: Span | None = None) -> Expression:
        return Literal(UNKNOWN, None, origin=span)

    def _unsupported(self, what: str, span: Span) -> Expression:
        self.binding.report(errors.unsupported_expression(what, span))
        return self._unknown(span)

    def _column(self, node: exp.Column, span: Span) -> Expression:
        if isinstance(node.this, exp.Star):
            return self._unsupported("*", span)
        value = resolved(node, self, span)
        if value is not None:
            return value
        names = names_in(node)
        if len(names) == 1 and names[0].lower() == NOW:
            return self._now(span)
        self._missing(*(names if len(names) == 1 else names[1::-1]), span=span)
        return self._unknown(span)

    def _missing(self, name: str, alias: str | None = None, *, span: Span) -> None:
        scopes = [self.scope, *(enclosing.scope for enclosing in self.outer)]
        tables = [table for scope in scopes for table in scope.summary]
        if alias is not None:
            matching = [table for table in tables if table[0].lower() == alias.lower()]
            if not matching:
                self.binding.report(errors.unknown_alias(alias, [source for source, _ in tables], span))
                return
            tables = matching[:1]
        elif name.lower() in CLOCK_FUNCTIONS:
            self.binding.report(errors.clock_function(name.upper(), span))
            return
        declaration = self.binding.declaration_with_time(name)
        self.binding.report(errors.unknown_column(name, tables, span, declaration))

    def _now(self, span: Span) -> Expression:
        """The current time."""
        if not self.may_use_now:
            place = "an aggregate" if self.clause == IN_AGGREGATE else self.clause
            self.binding.report(problems.NOW_PLACE.at(span, place=place))
            return self._unknown(span)
        return nodes.Now(time_type(self.binding), origin=span)

    def _chain(self, node: exp.Expression, span: Span) -> Expression:
        """a < b <= c is a < b AND b <= c, unless c is a boolean: then a < b is compared with it.

        No part is bound twice: in nested chains that would double with each level.
        """
        first, last = self.bind(node.this), self.bind(node.expression)
        if UNKNOWN in (first.type, last.type):
            return self._unknown(span)
        comparison = COMPARISONS[type(node)]
        if last.type is BOOLEAN:
            return self.applied(comparison, [first, last], span)
        nearest = first.arguments[-1] if isinstance(first, Call) and first.function == "and" else first
        middle = nearest.arguments[1] if isinstance(nearest, Call) else self.bind(node.this.expression)
        second = self.applied(comparison, [middle, last], span)
        return (
            self._unknown(span)
            if second.type is UNKNOWN
            else Call(BOOLEAN, "and", (first, second), origin=span)
        )

    def visible(self, value: Expression, name: str, span: Span, *, is_outer: bool) -> Expression:
        """A column of this query, as its expressions or those of a subquery refer to it."""
        if self.grouping is not None and value.type is not UNKNOWN:
            key = self.grouping.key(value)
            if key is None:
                self.binding.report(errors.not_grouped(name, span))
                return self._unknown(span)
            value = key
        match value:
            case Column():
                kind = Outer if is_outer else Column
                return kind(value.type, value.name, origin=span)
            case Call() if is_outer:
                inside = tuple(self.visible(part, name, span, is_outer=True) for part in value.arguments)
                return Call(value.type, value.function, inside, origin=span)
            case _:
                return value

    def _cast(self, node: exp.Cast, span: Span) -> Expression:
        operand = self.bind(node.this)
        target = type_named(node.to)
        if target is None:
            place = self.binding.span(node.to)
            self.binding.report(errors.unknown_type(" ".join(place.content.split()), place))
            return self._unknown(span)
        if not castable(operand.type, target):
            self.binding.report(errors.impossible_cast(operand.type, target, span))
            return self._unknown(span)
        text = operand.origin or span
        if is_wrong_moment(operand, target, text):
            self.binding.report(errors.bad_literal(text.content, f"there is no such {target}", text))
            return self._unknown(span)
        return Cast(target, operand, isinstance(node, exp.TryCast), origin=span)

    def _case(self, node: exp.Case | exp.If, span: Span) -> Expression:
        branches = [node] if isinstance(node, exp.If) else node.args["ifs"]
        subject = node.this if isinstance(node, exp.Case) and node.this is not None else None
        default = node.args.get("false" if isinstance(node, exp.If) else "default")
        conditions = [
            self.condition(branch.this, "WHEN")
            if subject is None
            else self._call("eq", [subject, branch.this], self.binding.span(branch.this))
            for branch in branches
        ]
        values = [self.bind(branch.args["true"]) for branch in branches]
        otherwise = Literal(NULL, None) if default is None else self.bind(default)
        *values, otherwise = self.unified([*values, otherwise], "branches of the types", span)
        return Case(otherwise.type, tuple(zip(conditions, values, strict=True)), otherwise, origin=span)

    def _in(self, node: exp.In, span: Span) -> Expression:
        query = node.args.get("query")
        if query is not None:
            return any_or_all(self, node.this, "eq", query, span, every=False)
        if not node.expressions:
            hint = "Write the values in parentheses: IN ('a', 'b')."
            self.binding.report(errors.unsupported_expression("IN without a list", span, hint))
            return self._unknown(span)
        return self._call("in_list", [node.this, *node.expressions], span)

    def _function(self, node: exp.Expression, span: Span) -> Expression:
        if (own := called(node, self.binding)) is not None:
            return user_call(own, [self.bind(part) for part in node.expressions], span, self.binding)
        nested = constructed(node, self, span) or higher_call(node, self, span)
        if nested is not None:
            return nested
        expanded = expansion(node)
        if expanded is not None:
            return self._bind(expanded)
        if isinstance(node, exp.Binary) and is_mixed(node):
            return self._unsupported("different operators of bits without parentheses", span)
        aggregate = aggregate_call(node, self.binding.catalog.functions)
        if aggregate is not None:
            return self._aggregate(aggregate, span)
        if isinstance(node, exp.Filter):
            return self._unsupported("FILTER on something other than an aggregate", span)
        if (placed := function_of(node)) is not None:
            self.binding.report(needs_over(placed.name, span))
            return self._unknown(span)
        if (time := proctime(node, span, self)) is not None:
            return time
        call = function_call(node)
        if call is not None:
            return self._call(call.name, call.arguments, span)
        if not isinstance(node, exp.Func):
            return self._unsupported(f'"{" ".join(span.content.split())}"', span)
        name, _, inside = span.content.partition("(")
        if name.strip().lower() == NOW and inside.strip() == ")":
            return self._now(span)
        self.binding.report(unknown_call(node, span, self.binding.catalog.functions))
        return self._unknown(span)

    def _aggregate(self, call: AggregateCall, span: Span) -> Expression:
        if self.grouping is None or not self.may_aggregate:
            self.binding.report(errors.misplaced_aggregate(self.clause, span))
            return self._unknown(span)
        inside = Expressions(self.binding, self.scope, self.subquery, self.outer, IN_AGGREGATE)
        aggregation = inside.aggregation(call, span)
        return self._unknown(span) if aggregation is None else self.grouping.aggregate(aggregation)

    def aggregation(self, call: AggregateCall, span: Span) -> nodes.Aggregation | None:
        """The aggregate of an argument that is bound here; None for an error."""
        if call.user is not None:
            values = [self.bind(part) for part in call.arguments]
            conditions = [self.condition(part, "FILTER") for part in call.where]
            return user_aggregation(call.user, values, conditions, call.distinct, span, self.binding)
        if isinstance(call.argument, exp.Tuple):
            self._unsupported("an aggregate of several columns", span)
            return None
        value = None if call.argument is None else self.bind(call.argument)
        argument_type = None if value is None else value.type
        if argument_type is UNKNOWN:
            return None
        if value is not None and (call.distinct or call.name not in ("count", "array_agg")):
            check_key(value.type, span, self.binding)
        result = aggregate_type(call.name, argument_type, call.distinct)
        if isinstance(result, Mismatch):
            argument_types = [] if argument_type is None else [argument_type]
            self.binding.report(errors.wrong_arguments(call.name, result.sentence, span, argument_types))
            return None
        return nodes.Aggregation(result, call.name, value, call.distinct, origin=span)

    def _call(self, name: str, operands: list[exp.Expression], span: Span) -> Expression:
        return self.applied(name, [self.bind(operand) for operand in operands], span)

    def applied(self, name: str, arguments: list[Expression], span: Span) -> Expression:
        name = overloaded(name, arguments)
        if not compared(name, arguments, span, self.binding):
            return self._unknown(span)
        if FUNCTIONS[name].unifies:
            arguments = read_beside(arguments, self.binding, self.bind)
            arguments = self.unified(timed(arguments), named_arguments(FUNCTIONS[name]), span)
        else:
            arguments = adapted(name, read_arguments(name, arguments, self.binding, self.bind))
        argument_types = [argument.type for argument in arguments]
        if UNKNOWN in argument_types:
            return self._unknown(span)
        result = result_type(name, argument_types)
        if isinstance(result, Mismatch):
            shown = operator_sign(name) or name
            takes = result.sentence.replace(f'Function "{name}"', f'"{shown}"')
            self.binding.report(errors.wrong_arguments(shown, takes, span, argument_types))
            return self._unknown(span)
        for problem in wrong_constants(name, arguments, span):
            self.binding.report(problem)
        return Call(result, name, tuple(arguments), origin=span)

    def unified(self, values: list[Expression], what: str, span: Span) -> list[Expression]:
        """The values cast to their common type."""
        values = read_beside(values, self.binding, self.bind)
        target: Type = NULL
        for value in values:
            wider = types.common(target, value.type)
            if wider is None:
                self.binding.report(errors.type_mismatch(what, target, value.type, span))
                return [self._unknown(value.origin) for value in values]
            target = wider
        return [coerced(value, target) for value in values]


def bare(node: exp.Expression) -> exp.Expression:
    """The node without enclosing parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _aggregates(node: exp.Expression, binding: Binding) -> bool:
    functions = binding.catalog.functions
    return any(isinstance(part, exp.Expression) and aggregate_call(part, functions) for part in node.walk())
