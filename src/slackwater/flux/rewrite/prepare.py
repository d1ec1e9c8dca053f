"""A module made ready for the normal form: each variable and each document gets one name, functions and lets
are written out where that is no loss.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slackwater.flux.plan.syntax import ROOT
from slackwater.flux.plan.terms import rebuilt, replaced, spliced, substituted, uses_focus
from slackwater.flux.rewrite.namespaces import renames
from slackwater.flux.rewrite.rename import DOCUMENT, ELSEWHERE, Names, Renaming
from slackwater.flux.rewrite.steps import is_obvious, looks_upward
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING

MOST_NODES = 20_000
"""Functions are written out as long as the query stays smaller than that."""


@dataclass(frozen=True)
class Prepared:
    """A query whose variables are bound in one place each, and the documents that it reads.

    `globals` are the declared variables that functions name: each has one value, wherever it is asked for.
    """

    body: ast.Expr
    globals: Mapping[str, ast.Expr]
    names: Names
    input: ast.Input | None
    inputs: Mapping[str, ast.Input]
    declarations: tuple[ast.Declaration, ...]

    @property
    def upward(self) -> bool:
        """Some part walks to parents, siblings or roots, which may lie outside of what is buffered."""
        return any(map(looks_upward, (self.body, *self.globals.values(), *self.declarations)))


def prepared(module: ast.Module) -> Prepared:
    """The module with names made unique, and functions and lets written out."""
    names = Names()
    main, others = _inputs(module, names)
    documents = {each: name for name, each in others.items()} | ({main: ROOT} if main else {})
    renaming = Renaming(names, documents)
    # Names in what is written out elsewhere would be looked up among the namespaces there.
    stays = renames(module)
    written_out = set[str]() if stays else _plain_functions(module.functions)
    calling = [each for each in module.functions if each.name not in written_out]
    asked = {
        each.name for function in calling for each in ast.walk(function) if isinstance(each, ast.Variable)
    }
    lets, known = _variables(module, renaming, asked if calling else set())
    declarations = tuple(_declaration(each, renaming, known) for each in module.declarations)
    body = renaming.of(module.body, known, DOCUMENT)
    body = ast.Flwor(lets, body) if lets else body
    functions = {each.name: each for each in declarations if isinstance(each, ast.FunctionDeclaration)}
    body = _Inlining({name: functions[name] for name in written_out}, names).of(body)
    return Prepared(
        body if stays else _without_lets(body), renaming.globals, names, main, others, declarations
    )


def _inputs(module: ast.Module, names: Names) -> tuple[ast.Input | None, dict[str, ast.Input]]:
    """The document that is streamed, and a variable for each of the others.

    Streamed is what `/` and `.` stand for or, where the query has neither, the first stream or document it
    names.
    """
    nodes = [*ast.walk(module)]
    named = list(dict.fromkeys(each for each in nodes if isinstance(each, ast.Input)))
    values = [each.value for each in module.declarations if isinstance(each, ast.VariableDeclaration)]
    outermost = [module.body, *(each for each in values if each is not None)]
    is_bare = ast.Variable(ROOT) in nodes or any(map(uses_focus, outermost))
    main = None
    if named and not is_bare:
        main = next((each for each in named if each.kind == "stream"), named[0])
    others = [each for each in named if each != main]
    return main, {names.fresh(f"doc{number}"): each for number, each in enumerate(others, 1)}


def _variables(
    module: ast.Module, renaming: Renaming, asked: set[str]
) -> tuple[tuple[ast.Clause, ...], dict[str, str]]:
    """The declared variables as lets before the body, and the name that each one has.

    What functions ask for stands beside the body instead, so that body and functions see the same nodes; a
    path or a constant may be written out in the body as well.
    """
    lets: list[ast.Clause] = []
    known: dict[str, str] = {}
    for each in module.declarations:
        if not isinstance(each, ast.VariableDeclaration):
            continue
        if each.value is None:
            renaming.names.taken.add(each.name)
            continue
        value = renaming.of(each.value, known, DOCUMENT)
        name = renaming.names.fresh(each.name)
        known = known | {each.name: name}
        if renaming.within(each.value, known, DOCUMENT):
            renaming.inside.add(name)
        if each.name in asked:
            renaming.globals[name] = _typed(value, each.type, renaming.names)
        if each.name not in asked or (is_plain(value) and each.type is None):
            lets.append(ast.Let(name, value, each.type, span=each.span))
    return tuple(lets), known


def _typed(value: ast.Expr, type_: ast.SequenceType | None, names: Names) -> ast.Expr:
    """The value as a variable of this type has it."""
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
    fresh = {each.name: renaming.names.fresh(each.name) for each in declaration.parameters}
    parameters = tuple(dataclasses.replace(each, name=fresh[each.name]) for each in declaration.parameters)
    body = renaming.of(declaration.body, {**known, **fresh}, ELSEWHERE)
    return dataclasses.replace(declaration, parameters=parameters, body=body)


def _plain_functions(functions: Iterable[ast.FunctionDeclaration]) -> set[str]:
    """The functions that can be written out: no recursion, conversion or focus in them."""
    every = {each.name: each for each in functions}
    calls = {
        name: {each.name for each in ast.walk(function) if isinstance(each, ast.Call)} & every.keys()
        for name, function in every.items()
    }
    recursive = _recursive(calls)
    return {
        name
        for name, each in every.items()
        if name not in recursive and each.body and _converts_nothing(each) and not uses_focus(each.body)
    }


class _Inlining:
    """f(e₁, …) = let $p₁ := e₁ … return body, where f does not call itself and converts nothing.

    A parameter `as xs:decimal` turns what it is given into a number: such a function stays a call.
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
        arguments = [self.of(each) for each in expr.arguments]
        known = {each.name: self.names.fresh(each.name) for each in function.parameters}
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
            more = called.union(*(reach[each] for each in called))
            changed |= more != called
            called |= more
    return {name for name, called in reach.items() if name in called}


def _converts_nothing(function: ast.FunctionDeclaration) -> bool:
    types = [*(each.type for each in function.parameters), function.result]
    return all(each is None or each.item.endswith(")") for each in types)


def _without_lets(expr: ast.Expr) -> ast.Expr:
    """Lets are replaced by their values, where that costs nothing; the others stay."""

    def change(node: ast.Node) -> ast.Node:
        node = spliced(rebuilt(node, change))
        return _flwor_without_lets(node) if isinstance(node, ast.Flwor) else node

    found = change(expr)
    assert isinstance(found, ast.Expr)
    return found


def _flwor_without_lets(flwor: ast.Flwor) -> ast.Expr:
    """let $x := e return β = β[$x → e]  (figure 3.11, Elim-Let)

    Where e is a path or an aggregate of one, or where $x is used once and not in an inner loop: otherwise
    what is computed once would be computed often. An element that is made once must stay one element.
    """
    clauses = list(flwor.clauses)
    result = flwor.result
    for index in reversed(range(len(clauses))):
        clause = clauses[index]
        if not isinstance(clause, ast.Let):
            continue
        rest = _Rest(tuple(clauses[index + 1 :]), result)
        if uses_focus(clause.value) or not is_obvious(clause):
            continue
        if is_plain(clause.value) or rest.uses(clause.variable) in ([], [False]):
            values = {clause.variable: clause.value}
            clauses[index:] = [substituted(each, values) for each in rest.clauses]
            result = substituted(result, values)
    if not clauses:
        return result
    if isinstance(clauses[0], ast.Where):
        condition = clauses[0].condition
        inner = _flwor(clauses[1:], result)
        return ast.If(condition, inner, span=flwor.span)
    if isinstance(clauses[0], ast.OrderBy):
        return _flwor([each for each in clauses if not isinstance(each, ast.OrderBy)], result)
    return dataclasses.replace(flwor, clauses=tuple(clauses), result=result)


def _flwor(clauses: list[ast.Clause], result: ast.Expr) -> ast.Expr:
    if not clauses:
        return result
    if isinstance(clauses[0], ast.Where):
        return ast.If(clauses[0].condition, _flwor(clauses[1:], result))
    return ast.Flwor(tuple(clauses), result)


@dataclass(frozen=True)
class _Rest:
    """What follows a let in its FLWOR expression."""

    clauses: tuple[ast.Clause, ...]
    result: ast.Expr

    def uses(self, variable: str) -> list[bool]:
        """For every use of the variable, whether it stands in a loop."""
        found: list[bool] = []
        inside = False
        for clause in self.clauses:
            found += _uses(clause, variable, inside=inside)
            inside = inside or isinstance(clause, ast.For)
        return found + _uses(self.result, variable, inside=inside)


def _uses(node: ast.Node, variable: str, *, inside: bool) -> list[bool]:
    if isinstance(node, ast.Variable):
        return [inside] if node.name == variable else []
    found: list[bool] = []
    for child, repeats in _parts(node):
        found += _uses(child, variable, inside=inside or repeats)
    return found


def _parts(node: ast.Node) -> Iterable[tuple[ast.Node, bool]]:
    """The nodes directly below, each with whether it is evaluated repeatedly."""
    match node:
        case ast.Flwor(clauses, result):
            repeats = False
            for clause in clauses:
                yield clause, repeats
                repeats = repeats or isinstance(clause, ast.For)
            yield result, repeats
        case ast.Quantified(_, bindings, condition):
            for place, each in enumerate(bindings):
                yield each, place > 0
            yield condition, True
        case ast.Step(_, test, predicates):
            yield test, False
            yield from ((each, True) for each in predicates)
        case ast.Filter(source, predicates):
            yield source, False
            yield from ((each, True) for each in predicates)
        case ast.ExprStep(expr):
            yield expr, True
        case _:
            yield from ((each, False) for each in ast.children(node))


def is_plain(expr: ast.Expr) -> bool:
    """A variable, a constant, a path without constructors, or an aggregate of one."""
    match expr:
        case ast.Variable() | ast.String() | ast.Integer() | ast.Fixed() | ast.Double() | ast.ContextItem():
            return True
        case ast.Sequence(items):
            return not items
        case ast.Path(source, steps):
            return is_plain(source) and all(isinstance(each, ast.Step) for each in steps)
        case ast.Filter(source, _):
            return is_plain(source)
        case ast.Call(name, (argument,)) if name in ACCUMULATING:
            return isinstance(argument, ast.Path | ast.Variable) and is_plain(argument)
        case _:
            return False
