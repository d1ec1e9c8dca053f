"""A module prepared for the normal form: variables and documents renamed, functions and lets inlined."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slackwater.flux.plan.syntax import ROOT
from slackwater.flux.plan.terms import replaced, uses_focus
from slackwater.flux.rewrite.lets import is_plain, without_lets
from slackwater.flux.rewrite.namespaces import renames
from slackwater.flux.rewrite.rename import DOCUMENT, ELSEWHERE, Names, Renaming
from slackwater.flux.rewrite.shapes import is_obvious, looks_upward
from slackwater.language.xquery import syntax as ast

MOST_NODES = 20_000
"""Functions are inlined as long as fewer nodes than this are copied."""


@dataclass(frozen=True)
class Prepared:
    """A query whose variables are bound in one place each, and the documents that it reads.

    `globals` are the declared variables that functions use: each has one value everywhere.
    """

    body: ast.Expr
    globals: Mapping[str, ast.Expr]
    names: Names
    input: ast.Input | None
    inputs: Mapping[str, ast.Input]
    declarations: tuple[ast.Declaration, ...]

    @property
    def upward(self) -> bool:
        """Some part walks to parents, siblings or roots, which may be outside of what is buffered."""
        return any(map(looks_upward, (self.body, *self.globals.values(), *self.declarations)))


def prepared(module: ast.Module) -> Prepared:
    """The module with unique names, and with functions and lets inlined."""
    names = Names()
    main, others = _inputs(module, names)
    documents = {input_: name for name, input_ in others.items()} | ({main: ROOT} if main else {})
    renaming = Renaming(names, documents)
    # Names in an inlined function would be resolved in the namespaces of the call.
    keeps_calls = renames(module)
    orders = _orders(module)
    inlined = set[str]() if keeps_calls else _plain_functions(module.functions) - orders
    calling = [function for function in module.functions if function.name not in inlined]
    used = {
        node.name for function in calling for node in ast.walk(function) if isinstance(node, ast.Variable)
    }
    lets, known = _variables(module, renaming, used if calling else set())
    declarations = tuple(_declaration(declaration, renaming, known) for declaration in module.declarations)
    body = renaming.of(module.body, known, DOCUMENT)
    body = ast.Flwor(lets, body) if lets else body
    functions = {
        declaration.name: declaration
        for declaration in declarations
        if isinstance(declaration, ast.FunctionDeclaration)
    }
    body = _Inlining({name: functions[name] for name in inlined}, names).of(body)
    if not keeps_calls:
        body = without_lets(body)
        if orders:
            from slackwater.flux.rewrite.bestmatch import item_by_item  # most queries have no such join

            body = item_by_item(body, names)
    return Prepared(body, renaming.globals, names, main, others, declarations)


def _inputs(module: ast.Module, names: Names) -> tuple[ast.Input | None, dict[str, ast.Input]]:
    """The document that is streamed, and a variable for each of the others.

    The streamed document is that of `/` and `.` or, where the query has neither, the first stream or document
    that it names.
    """
    nodes = [*ast.walk(module)]
    inputs = list(dict.fromkeys(node for node in nodes if isinstance(node, ast.Input)))
    values = [
        declaration.value
        for declaration in module.declarations
        if isinstance(declaration, ast.VariableDeclaration)
    ]
    outermost = [module.body, *(value for value in values if value is not None)]
    is_bare = ast.Variable(ROOT) in nodes or any(map(uses_focus, outermost))
    main = None
    if inputs and not is_bare:
        main = next((input_ for input_ in inputs if input_.kind == "stream"), inputs[0])
    others = [input_ for input_ in inputs if input_ != main]
    return main, {names.fresh(f"doc{number}"): input_ for number, input_ in enumerate(others, 1)}


def _variables(
    module: ast.Module, renaming: Renaming, used: set[str]
) -> tuple[tuple[ast.Clause, ...], dict[str, str]]:
    """The declared variables as lets before the body, and their new names.

    Variables in `used`, those of functions, become globals instead, so that body and functions see the same
    nodes; a path or a constant may be inlined in the body as well.
    """
    lets: list[ast.Clause] = []
    known: dict[str, str] = {}
    for declaration in module.declarations:
        if not isinstance(declaration, ast.VariableDeclaration):
            continue
        if declaration.value is None:
            renaming.names.used.add(declaration.name)
            continue
        value = renaming.of(declaration.value, known, DOCUMENT)
        name = renaming.names.fresh(declaration.name)
        known = known | {declaration.name: name}
        if renaming.within(declaration.value, known, DOCUMENT):
            renaming.inside.add(name)
        if declaration.name in used:
            renaming.globals[name] = _typed(value, declaration.type, renaming.names)
        if declaration.name not in used or (is_plain(value) and declaration.type is None):
            lets.append(ast.Let(name, value, declaration.type, span=declaration.span))
    return tuple(lets), known


def _typed(value: ast.Expr, type_: ast.SequenceType | None, names: Names) -> ast.Expr:
    """The value with a check of the variable's type."""
    if type_ is None:
        return value
    name = names.fresh("value")
    return ast.Flwor((ast.Let(name, value, type_, span=value.span),), ast.Variable(name), span=value.span)


def _declaration(
    declaration: ast.Declaration, renaming: Renaming, known: Mapping[str, str]
) -> ast.Declaration:
    """A function sees its parameters and the declared variables; it has no context item."""
    if not isinstance(declaration, ast.FunctionDeclaration) or declaration.body is None:
        return declaration
    fresh = {parameter.name: renaming.names.fresh(parameter.name) for parameter in declaration.parameters}
    parameters = tuple(
        dataclasses.replace(parameter, name=fresh[parameter.name]) for parameter in declaration.parameters
    )
    body = renaming.of(declaration.body, {**known, **fresh}, ELSEWHERE)
    return dataclasses.replace(declaration, parameters=parameters, body=body)


def _orders(module: ast.Module) -> set[str]:
    """The orders of best-match joins; those that are functions are called by name."""
    return {node.order for node in ast.walk(module) if isinstance(node, ast.Dimension)}


def _plain_functions(functions: Iterable[ast.FunctionDeclaration]) -> set[str]:
    """The functions that can be inlined: no recursion, conversion or focus in them."""
    every = {function.name: function for function in functions}
    calls = {
        name: {node.name for node in ast.walk(function) if isinstance(node, ast.Call)} & every.keys()
        for name, function in every.items()
    }
    recursive = _recursive(calls)
    return {
        name
        for name, function in every.items()
        if name not in recursive
        and function.body
        and _converts_nothing(function)
        and not uses_focus(function.body)
    }


class _Inlining:
    """f(e₁, …) = let $p₁ := e₁ … return body, where f does not call itself and converts nothing.

    A parameter `as xs:decimal` converts its argument to a number: such a function remains a call.
    """

    def __init__(self, functions: Mapping[str, ast.FunctionDeclaration], names: Names) -> None:
        self.names = names
        self.functions = functions
        self.size = 0

    def of(self, expr: ast.Expr) -> ast.Expr:
        return replaced(expr, self.call) if self.functions else expr

    def call(self, expr: ast.Expr) -> ast.Expr | None:
        function = self.functions.get(expr.name) if isinstance(expr, ast.Call) else None
        if function is None or function.body is None or self.size > MOST_NODES:
            return None
        assert isinstance(expr, ast.Call)
        self.size += sum(1 for _ in ast.walk(function.body))
        arguments = [self.of(argument) for argument in expr.arguments]
        known = {parameter.name: self.names.fresh(parameter.name) for parameter in function.parameters}
        lets = tuple(
            ast.Let(known[parameter.name], argument, parameter.type, span=expr.span)
            for parameter, argument in zip(function.parameters, arguments, strict=True)
        )
        body = self.of(Renaming(self.names, {}).of(function.body, known, ELSEWHERE))
        result = function.result
        if result is not None and not is_obvious(ast.Let("", body, result)):
            body = ast.Typed("treat", body, result, span=expr.span)
        return ast.Flwor(lets, body) if lets else body


def _recursive(calls: Mapping[str, set[str]]) -> set[str]:
    """The functions that call themselves, directly or through others."""
    reach = {name: set(called) for name, called in calls.items()}
    changed = True
    while changed:
        changed = False
        for called in reach.values():
            more = called.union(*(reach[callee] for callee in called))
            changed |= more != called
            called |= more
    return {name for name, called in reach.items() if name in called}


def _converts_nothing(function: ast.FunctionDeclaration) -> bool:
    types = [*(parameter.type for parameter in function.parameters), function.result]
    return all(type_ is None or type_.item.endswith(")") for type_ in types)
