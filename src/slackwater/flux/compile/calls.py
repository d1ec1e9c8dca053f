"""Calls as functions: those of XQuery, casts, those that the query declares, and external ones."""

from __future__ import annotations

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import flwor
from slackwater.flux.compile.context import Run, StaticContext
from slackwater.flux.values import types as value_types
from slackwater.flux.values.atomic import Atomic, Items, Untyped, atomized
from slackwater.flux.values.casts import text_of
from slackwater.flux.values.errors import Wrong, no_context, no_value, too_deep
from slackwater.flux.values.functions import FUNCTIONS, Function
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, OF_CONTEXT, OF_PLACE


def call(expr: ast.Call, static: StaticContext) -> Run:
    if expr.name in static.scope.functions:
        return _declared(expr, static)
    if expr.name in OF_PLACE and not expr.arguments:
        return _of_focus(expr, static)
    if expr.name == "position" and isinstance(expr.arguments[0], ast.Variable):
        counter = static.scope.places[expr.arguments[0].name]
        return lambda: [counter.count]
    if not expr.arguments and expr.name in OF_CONTEXT:
        expr = ast.Call(expr.name, (ast.ContextItem(span=expr.span),), span=expr.span)
    if expr.name == "count" and (lookup := flwor.counted(expr.arguments[0], static)) is not None:
        return lookup
    arguments = [compiler.items(argument, static) for argument in expr.arguments]
    if expr.name in CASTS:
        return _cast(expr, arguments[0])
    if expr.name in _OWN:
        return _called(expr, _OWN[expr.name], arguments)
    if expr.name in FUNCTIONS:
        return _called(expr, FUNCTIONS[expr.name], arguments)
    return _external(expr, arguments, static)


def _called(expr: ast.Call, function: Function, arguments: list[Run]) -> Run:
    if len(arguments) == 1:
        (only,) = arguments

        def run_one() -> Items:
            try:
                return function(None, only())
            except Wrong as wrong:
                raise wrong.at(expr.span) from None

        return run_one

    def run() -> Items:
        try:
            return function(None, *[argument() for argument in arguments])
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _of_focus(expr: ast.Call, static: StaticContext) -> Run:
    focus, env = static.focus, static.scope.env
    if focus is None:
        wrong = no_context()

        def missing() -> Items:
            raise wrong.at(expr.span)

        return missing
    number = focus.position if expr.name == "position" else focus.size
    return lambda: [env[number]]


def _cast(expr: ast.Call, argument: Run) -> Run:
    type_ = ast.SequenceType(expr.name, "?")

    def run() -> Items:
        try:
            return value_types.cast(argument(), type_)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _external(expr: ast.Call, arguments: list[Run], static: StaticContext) -> Run:
    function = static.scope.external.get(expr.name)

    def run() -> Items:
        if function is None:
            raise no_value(f"function {expr.name}").at(expr.span)
        return function(*[[*argument()] for argument in arguments])

    return run


class _Body:
    """A declared function: its parameters, its body, and the slots it uses, which a recursive call saves."""

    def __init__(self, function: ast.FunctionDeclaration, static: StaticContext) -> None:
        self.scope = static.scope
        self.context = StaticContext(self.scope, None, self.scope.namespaces).context
        self.function = function
        self.start = len(self.scope.env)
        self.parameters = [self.scope.bind(parameter.name, "items") for parameter in function.parameters]
        self.scope.called[function.name] = self
        assert function.body is not None
        self.body = compiler.items(function.body, StaticContext(self.scope, None, self.scope.namespaces))
        self.end = len(self.scope.env)

    def __call__(self, arguments: list[Items]) -> Items:
        env, function, context = self.scope.env, self.function, self.context
        coerced = [
            value_types.coerced(argument, parameter.type, context)
            for argument, parameter in zip(arguments, function.parameters, strict=True)
        ]
        saved = env[self.start : self.end]
        for place, argument in zip(self.parameters, coerced, strict=True):
            env[place] = argument
        try:
            result = self.body()
        except RecursionError:
            raise too_deep() from None
        finally:
            env[self.start : self.end] = saved
        return value_types.coerced(result, function.result, context)


def _declared(expr: ast.Call, static: StaticContext) -> Run:
    function = static.scope.functions[expr.name]
    arguments = [compiler.items(argument, static) for argument in expr.arguments]
    if function.body is None:
        return _external(expr, arguments, static)
    if function.name not in static.scope.called:
        _Body(function, static)
    body = static.scope.called[function.name]

    def run() -> Items:
        try:
            result: Items = body([argument() for argument in arguments])
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return result

    return run


# Functions whose definition is too slow for a large document.


def _distinct(_context: object, items: Items) -> Items:
    """The first of each value; strings are compared by hash."""
    values = atomized(items)
    if not all(isinstance(value, str | Untyped) for value in values):
        return FUNCTIONS["distinct-values"](None, values)
    first: dict[str, Atomic] = {}
    for value in values:
        first.setdefault(text_of(value), value)
    return [*first.values()]


_OWN: dict[str, Function] = {"distinct-values": _distinct}
