"""Functions of functions: transform(a, x -> x + 1). The parameters are variables in the function's body.

A parameter hides a column, and a parameter of a function around it, of the same name. Its name in the plan is
made of the depth and the place, so that functions that differ only in names are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra import types
from slackwater.algebra.expressions import Expression, HigherCall, Lambda, Literal, Parameter, Variable
from slackwater.algebra.expressions.higher import HIGHER, SPELLINGS, Higher
from slackwater.algebra.types import BIGINT, BOOLEAN, NULL, UNKNOWN, Type
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.coercion import coerced
from slackwater.bind.nested import problems
from slackwater.bind.nested.adapt import check_key

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

Node = exp.Expression
_MOST = 50
"""How often the type of an aggregate is widened; a decimal has at most 38 digits."""


def higher_call(node: Node, binder: Expressions, span: Span) -> Expression | None:
    """The call of a function of functions; None if the node is none. A function by itself is an error."""
    if isinstance(node, exp.Lambda):
        binder.binding.report(problems.LAMBDA_PLACE.at(span))
        return _unknown(span)
    name, parts = _name_and_parts(node)
    function = HIGHER.get(SPELLINGS.get(name, ""))
    if function is None or not any(isinstance(part, exp.Lambda) for part in parts):
        # array_sort(a) and EXISTS (SELECT …) are others.
        return None if function is None or name == "array_sort" else _missing(function, name, binder, span)
    count = len(function.parameters)
    values, lambdas = parts[:count], parts[count:]
    is_right = not any(isinstance(part, exp.Lambda) for part in values) and all(
        isinstance(part, exp.Lambda) and _fits(part, arities)
        for part, arities in zip(lambdas, function.arities, strict=False)
    )
    counts = range(len(function.arities) - function.optional, len(function.arities) + 1)
    if len(values) < count or len(lambdas) not in counts or not is_right:
        return _missing(function, name, binder, span)
    if any(part.find(exp.Query) for part in lambdas):
        binder.binding.report(problems.LAMBDA_QUERY.at(span))
        return _unknown(span)
    return _Call(function, name, binder, span).bound(values, lambdas)


def is_mentioned(node: Node, variables: dict[str, Variable]) -> bool:
    """Whether the node uses one of the variables."""
    return bool(variables) and any(
        column.parts[0].name.lower() in variables for column in node.find_all(exp.Column)
    )


def _name_and_parts(node: Node) -> tuple[str, list[Node]]:
    match node:
        case exp.Transform():
            return "transform", [part for part in (node.this, node.expression) if part is not None]
        case exp.ArrayFilter():
            return "filter", [part for part in (node.this, node.expression) if part is not None]
        case exp.Anonymous():
            return node.name.lower(), node.expressions
    return "", []


def _fits(function: exp.Lambda, arities: tuple[int, ...]) -> bool:
    names = {name.name.lower() for name in function.expressions}
    return len(function.expressions) in arities and len(names) == len(function.expressions)


def _unknown(span: Span) -> Expression:
    return Literal(UNKNOWN, None, origin=span)


def _missing(function: Higher, name: str, binder: Expressions, span: Span) -> Expression:
    hint = f"Write {function.syntax}, each name once."
    binder.binding.report(problems.BAD_LAMBDA.at(span, name=name, takes=function.takes, hint=hint))
    return _unknown(span)


class _Call:
    """One call: its arguments are bound first, since the types of the variables follow from theirs."""

    def __init__(self, function: Higher, name: str, binder: Expressions, span: Span) -> None:
        self.function, self.name, self.binder, self.span = function, name, binder, span

    def bound(self, values: Sequence[Node], lambdas: Sequence[Node]) -> Expression:
        arguments = [self.binder.bind(value) for value in values]
        types = [argument.type for argument in arguments]
        if UNKNOWN in types:
            return _unknown(self.span)
        wrong = [t for t, family in zip(types, self.function.parameters, strict=True) if not family.takes(t)]
        if wrong or NULL in types[:1]:
            takes = f'Function "{self.name}" takes {self.function.takes}.'
            self.binder.binding.report(errors.wrong_arguments(self.name, takes, self.span, types))
            return _unknown(self.span)
        return _RULES[self.function.name](self, arguments, lambdas)

    def lambda_of(
        self, node: Node, types: Sequence[Type], binder: Expressions | None = None
    ) -> Lambda | None:
        """The function of values of these types, of which it takes the first; None after an error."""
        around = binder or self.binder
        depth = around.depth
        names = [name.name for name in node.expressions]
        parameters = [
            Parameter(f"@{depth}.{place}", type_, name)
            for place, (type_, name) in enumerate(zip(types, names, strict=False))
        ]
        variables = {one.label.lower(): Variable(one.type, one.name, one.label) for one in parameters}
        inside = replace(around, variables={**around.variables, **variables}, depth=depth + 1)
        body = inside.bind(node.this)
        return None if body.type is UNKNOWN else Lambda(tuple(parameters), body)

    def call(self, type_: Type, arguments: Sequence[Expression], *lambdas: Lambda) -> Expression:
        return HigherCall(type_, self.function.name, tuple(arguments), lambdas, origin=self.span)

    def of(
        self,
        arguments: Sequence[Expression],
        node: Node,
        types: Sequence[Type],
        result: Callable[[Type], Type],
    ) -> Expression:
        """A call with one function, whose result has a type that follows from the function's."""
        function = self.lambda_of(node, types)
        if function is None:
            return _unknown(self.span)
        return self.call(result(function.body.type), arguments, function)

    def test(
        self, arguments: Sequence[Expression], node: Node, types: Sequence[Type], result: Type
    ) -> Expression:
        return self._checked(arguments, node, types, result, BOOLEAN)

    def order(
        self, arguments: Sequence[Expression], node: Node, types: Sequence[Type], result: Type
    ) -> Expression:
        return self._checked(arguments, node, types, result, BIGINT)

    def _checked(
        self, arguments: Sequence[Expression], node: Node, types: Sequence[Type], result: Type, needed: Type
    ) -> Expression:
        function = self.lambda_of(node, types)
        if function is None:
            return _unknown(self.span)
        type_ = function.body.type
        if not (type_ in (needed, NULL) or (needed is BIGINT and type_.is_integer)):
            what = "a boolean" if needed is BOOLEAN else "an integer"
            span = self.binder.binding.span(node.this)
            self.binder.binding.report(problems.LAMBDA_TYPE.at(span, name=self.name, needed=what, type=type_))
            return _unknown(self.span)
        return self.call(result, arguments, replace(function, body=coerced(function.body, needed)))

    def aggregate(self, arguments: list[Expression], lambdas: Sequence[Node]) -> Expression:
        """The value so far has the type that the start and the function's values have in common."""
        values, start = arguments
        element, state = types.element_of(values.type), start.type
        for _ in range(_MOST):
            quiet = replace(self.binder, binding=self.binder.binding.quiet())
            tried = self.lambda_of(lambdas[0], (state, element), quiet)
            wider = None if tried is None else types.common(state, tried.body.type)
            if wider is None or wider == state:
                break
            state = wider
        merge = self.lambda_of(lambdas[0], (state, element))
        if merge is None:
            return _unknown(self.span)
        if types.common(state, merge.body.type) != state:
            what, place = (
                "a start and a value of the function of the types",
                self.binder.binding.span(lambdas[0]),
            )
            self.binder.binding.report(errors.type_mismatch(what, start.type, merge.body.type, place))
            return _unknown(self.span)
        functions = [replace(merge, body=coerced(merge.body, state))]
        if len(lambdas) > 1:
            finish = self.lambda_of(lambdas[1], (state,))
            if finish is None:
                return _unknown(self.span)
            functions.append(finish)
        type_ = functions[-1].body.type
        return self.call(type_, [values, coerced(start, state)], *functions)

    def zip_maps(self, arguments: list[Expression], lambdas: Sequence[Node]) -> Expression:
        (key, one), (other_key, other) = (_entry(argument.type) for argument in arguments)
        shared = types.common(key, other_key)
        if shared is None:
            what = "keys of maps of the types"
            self.binder.binding.report(errors.type_mismatch(what, key, other_key, self.span))
            return _unknown(self.span)
        maps = [
            coerced(arguments[0], types.map_of(shared, one)),
            coerced(arguments[1], types.map_of(shared, other)),
        ]
        return self.of(maps, lambdas[0], (shared, one, other), lambda value: types.map_of(shared, value))

    def keys(self, arguments: list[Expression], lambdas: Sequence[Node]) -> Expression:
        (key, value) = _entry(arguments[0].type)
        call = self.of(arguments, lambdas[0], (key, value), lambda new: types.map_of(new, value))
        if isinstance(call, HigherCall):
            check_key(call.lambdas[0].body.type, self.span, self.binder.binding)
        return call


def _entry(type_: Type) -> tuple[Type, Type]:
    """The types of the keys and the values of a map."""
    (_, key), (_, value) = types.fields_of(types.element_of(types.entries_of(type_)))
    return key, value


def _elements(arguments: Sequence[Expression]) -> tuple[Type, ...]:
    """The types of the elements, and of a place."""
    return (*(types.element_of(argument.type) for argument in arguments), BIGINT)


_RULES: dict[str, Callable[[_Call, list[Expression], Sequence[Node]], Expression]] = {
    "transform": lambda call, values, f: call.of(values, f[0], _elements(values), types.array),
    "filter": lambda call, values, f: call.test(values, f[0], _elements(values), values[0].type),
    "exists": lambda call, values, f: call.test(values, f[0], _elements(values), BOOLEAN),
    "forall": lambda call, values, f: call.test(values, f[0], _elements(values), BOOLEAN),
    "aggregate": _Call.aggregate,
    "zip_with": lambda call, values, f: call.of(values, f[0], _elements(values), types.array),
    "array_sort": lambda call, values, f: call.order(
        values, f[0], [types.element_of(values[0].type)] * 2, values[0].type
    ),
    "map_filter": lambda call, values, f: call.test(values, f[0], _entry(values[0].type), values[0].type),
    "transform_keys": _Call.keys,
    "transform_values": lambda call, values, f: call.of(
        values, f[0], _entry(values[0].type), lambda new: types.map_of(_entry(values[0].type)[0], new)
    ),
    "map_zip_with": _Call.zip_maps,
}
