"""Calls as functions: those of XQuery, casts, those that the query declares, and those that were given."""

from __future__ import annotations

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import flwor as compile_flwor
from slackwater.flux.compile.context import Making, Run
from slackwater.flux.values import types as tree_types
from slackwater.flux.values.atomic import Atomic, Items, Untyped, atomized, text_of
from slackwater.flux.values.errors import Wrong, no_context, no_value, too_deep
from slackwater.flux.values.functions import FUNCTIONS, Function
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, OF_CONTEXT, OF_PLACE


def call(expr: ast.Call, making: Making) -> Run:
    if expr.name in making.scope.functions:
        return _declared(expr, making)
    if expr.name in OF_PLACE and not expr.arguments:
        return _of_focus(expr, making)
    if expr.name == "position" and isinstance(expr.arguments[0], ast.Variable):
        counter = making.scope.places[expr.arguments[0].name]
        return lambda: [counter.count]
    if not expr.arguments and expr.name in OF_CONTEXT:
        expr = ast.Call(expr.name, (ast.ContextItem(span=expr.span),), span=expr.span)
    if expr.name == "count" and (lookup := compile_flwor.counted(expr.arguments[0], making)) is not None:
        return lookup
    arguments = [compiler.items(each, making) for each in expr.arguments]
    if expr.name in CASTS:
        return _cast(expr, arguments[0])
    if expr.name in _OWN:
        return _called(expr, _OWN[expr.name], arguments)
    if expr.name in FUNCTIONS:
        return _called(expr, FUNCTIONS[expr.name], arguments)
    return _external(expr, arguments, making)


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
            return function(None, *[each() for each in arguments])
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _of_focus(expr: ast.Call, making: Making) -> Run:
    focus, env = making.focus, making.scope.env
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
            return tree_types.cast(argument(), type_)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _external(expr: ast.Call, arguments: list[Run], making: Making) -> Run:
    function = making.scope.external.get(expr.name)

    def run() -> Items:
        if function is None:
            raise no_value(f"function {expr.name}").at(expr.span)
        return function(*[[*each()] for each in arguments])

    return run


class _Body:
    """A declared function: its parameters, its body, and the places it uses, which a call of itself saves."""

    def __init__(self, function: ast.FunctionDeclaration, making: Making) -> None:
        self.scope = making.scope
        self.context = Making(self.scope, None, self.scope.namespaces).context
        self.function = function
        self.start = len(self.scope.env)
        self.parameters = [self.scope.bind(each.name, "items") for each in function.parameters]
        self.scope.called[function.name] = self
        assert function.body is not None
        self.body = compiler.items(function.body, Making(self.scope, None, self.scope.namespaces))
        self.end = len(self.scope.env)

    def __call__(self, arguments: list[Items]) -> Items:
        env, function, context = self.scope.env, self.function, self.context
        given = [
            tree_types.coerced(argument, parameter.type, context)
            for argument, parameter in zip(arguments, function.parameters, strict=True)
        ]
        saved = env[self.start : self.end]
        for place, argument in zip(self.parameters, given, strict=True):
            env[place] = argument
        try:
            found = self.body()
        except RecursionError:
            raise too_deep() from None
        finally:
            env[self.start : self.end] = saved
        return tree_types.coerced(found, function.result, context)


def _declared(expr: ast.Call, making: Making) -> Run:
    function = making.scope.functions[expr.name]
    arguments = [compiler.items(each, making) for each in expr.arguments]
    if function.body is None:
        return _external(expr, arguments, making)
    if function.name not in making.scope.called:
        _Body(function, making)
    body = making.scope.called[function.name]

    def run() -> Items:
        try:
            found: Items = body([each() for each in arguments])
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return found

    return run


# What is too slow for a large document as it is defined.


def _distinct(_context: object, items: Items) -> Items:
    """The first of each value; texts are compared by a hash."""
    values = atomized(items)
    if not all(isinstance(each, str | Untyped) for each in values):
        return FUNCTIONS["distinct-values"](None, values)
    first: dict[str, Atomic] = {}
    for each in values:
        first.setdefault(text_of(each), each)
    return [*first.values()]


_OWN: dict[str, Function] = {"distinct-values": _distinct}
