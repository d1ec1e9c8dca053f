"""A module made ready for the normal form: each variable and each document gets one name, functions and lets
are written out where that is no loss.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from slackwater.language.xquery import syntax as ast
from slackwater.xquery.flux import ROOT
from slackwater.xquery.steps import is_obvious
from slackwater.xquery.terms import rebuilt, replaced, spliced, substituted, uses_focus

MOST_NODES = 20_000
"""Functions are written out as long as the query stays smaller than that."""
_AGGREGATES = {"count", "sum", "avg", "min", "max", "exists", "empty"}


@dataclass
class Names:
    """Hands out names that no variable has yet."""

    taken: set[str] = field(default_factory=lambda: {ROOT})

    def fresh(self, wish: str) -> str:
        wish = wish.rpartition(":")[2]
        name, number = wish, 1
        while name in self.taken:
            number += 1
            name = f"{wish}{number}"
        self.taken.add(name)
        return name


@dataclass(frozen=True)
class Prepared:
    """A query whose variables are bound in one place each, and the documents that it reads.

    `globals` are the declared variables that functions may name.
    """

    body: ast.Expr
    globals: Mapping[str, ast.Expr]
    names: Names
    input: ast.Input | None
    inputs: Mapping[str, ast.Input]
    declarations: tuple[ast.Declaration, ...]


def prepared(module: ast.Module) -> Prepared:
    """The module with names made unique, and functions and lets written out."""
    names = Names()
    main, others = _inputs(module, names)
    documents = {each: name for name, each in others.items()} | ({main: ROOT} if main else {})
    functions = {each.name: each for each in module.functions}
    renaming = _Renaming(names, documents)
    body = renaming.module(module)
    body = _Inlining(functions, names).of(body)
    body = _without_lets(body)
    kept = tuple(_declaration(each, documents) for each in module.declarations)
    return Prepared(body, renaming.globals, names, main, others, kept)


def _inputs(module: ast.Module, names: Names) -> tuple[ast.Input | None, dict[str, ast.Input]]:
    """The document that is streamed, and a variable for each of the others.

    Streamed is what `/` stands for or, where the query has no `/`, the first stream or document it names.
    """
    nodes = [*ast.walk(module)]
    named = list(dict.fromkeys(each for each in nodes if isinstance(each, ast.Input)))
    is_bare = any(each == ast.Variable(ROOT) or isinstance(each, ast.Root) for each in nodes)
    main = None
    if named and not is_bare:
        main = next((each for each in named if each.kind == "stream"), named[0])
    others = [each for each in named if each != main]
    return main, {names.fresh(f"doc{number}"): each for number, each in enumerate(others, 1)}


def _declaration(declaration: ast.Declaration, documents: Mapping[ast.Input, str]) -> ast.Declaration:
    def known(expr: ast.Expr) -> ast.Expr | None:
        if isinstance(expr, ast.Root):
            return ast.Variable(ROOT)
        return ast.Variable(documents[expr]) if isinstance(expr, ast.Input) else None

    return replaced(declaration, known)


class _Renaming:
    """Gives each variable a name of its own, and each document its variable."""

    def __init__(self, names: Names, documents: Mapping[ast.Input, str]) -> None:
        self.names = names
        self.documents = documents
        self.globals: dict[str, ast.Expr] = {}

    def module(self, module: ast.Module) -> ast.Expr:
        """The body, with the variables that are declared before it as lets."""
        lets: list[ast.Clause] = []
        known: dict[str, str] = {}
        for each in module.declarations:
            if isinstance(each, ast.VariableDeclaration) and each.value is not None:
                value = self.globals[each.name] = self.of(each.value, known, focus=False)
                known = known | {each.name: self.names.fresh(each.name)}
                lets.append(ast.Let(known[each.name], value, each.type, span=each.span))
            elif isinstance(each, ast.VariableDeclaration):
                self.names.taken.add(each.name)
        body = self.of(module.body, known, focus=False)
        return ast.Flwor(tuple(lets), body) if lets else body

    def of(self, expr: ast.Expr, known: Mapping[str, str], *, focus: bool) -> ast.Expr:
        """The expression; `focus` says that it stands where `.` is an item of a path."""
        match expr:
            case ast.Variable(name):
                return dataclasses.replace(expr, name=known.get(name, name))
            case ast.Input():
                return ast.Variable(self.documents[expr], span=expr.span)
            case ast.Root():
                return ast.Variable(ROOT, span=expr.span)
            case ast.ContextItem() if not focus:
                return ast.Variable(ROOT, span=expr.span)
            case ast.Path(source, steps):
                inner = tuple(self.step(each, known) for each in steps)
                found = dataclasses.replace(expr, source=self.of(source, known, focus=focus), steps=inner)
                return spliced(found)  # type: ignore[return-value]
            case ast.Filter(source, predicates):
                inside = tuple(self.of(each, known, focus=True) for each in predicates)
                return dataclasses.replace(
                    expr, source=self.of(source, known, focus=focus), predicates=inside
                )
            case ast.Flwor():
                return self.flwor(expr, known, focus=focus)
            case ast.Quantified(_, bindings, condition):
                new: list[ast.Binding] = []
                for each in bindings:
                    source = self.of(each.source, known, focus=focus)
                    known = {**known, each.variable: self.names.fresh(each.variable)}
                    new.append(dataclasses.replace(each, variable=known[each.variable], source=source))
                inner_condition = self.of(condition, known, focus=focus)
                return dataclasses.replace(expr, bindings=tuple(new), condition=inner_condition)
            case _:
                return rebuilt(expr, lambda node: self.node(node, known, focus=focus))

    def node(self, node: ast.Node, known: Mapping[str, str], *, focus: bool) -> ast.Node:
        if isinstance(node, ast.Expr):
            return self.of(node, known, focus=focus)
        return rebuilt(node, lambda inner: self.node(inner, known, focus=focus))

    def step(self, step: ast.Step | ast.ExprStep, known: Mapping[str, str]) -> ast.Step | ast.ExprStep:
        return rebuilt(step, lambda inner: self.node(inner, known, focus=True))

    def flwor(self, expr: ast.Flwor, known: Mapping[str, str], *, focus: bool) -> ast.Expr:
        clauses: list[ast.Clause] = []
        for clause in expr.clauses:
            clause = rebuilt(clause, lambda inner, known=known: self.node(inner, known, focus=focus))  # type: ignore[misc]
            match clause:
                case ast.For(variable, _, at):
                    known = {**known, variable: self.names.fresh(variable)}
                    if at:
                        known[at] = self.names.fresh(at)
                    new_at = known[at] if at else None
                    clause = dataclasses.replace(clause, variable=known[variable], at=new_at)
                case ast.Let(variable):
                    known = {**known, variable: self.names.fresh(variable)}
                    clause = dataclasses.replace(clause, variable=known[variable])
                case _:
                    pass
            clauses.append(clause)
        result = self.of(expr.result, known, focus=focus)
        return dataclasses.replace(expr, clauses=tuple(clauses), result=result)


class _Inlining:
    """f(e₁, …) = let $p₁ := e₁ … return body, where f does not call itself and converts nothing.

    A parameter `as xs:decimal` turns what it is given into a number: such a function stays a call.
    """

    def __init__(self, functions: Mapping[str, ast.FunctionDeclaration], names: Names) -> None:
        self.names = names
        calls = {
            name: {each.name for each in ast.walk(function) if isinstance(each, ast.Call)} & functions.keys()
            for name, function in functions.items()
        }
        recursive = _recursive(calls)
        self.functions = {
            name: each
            for name, each in functions.items()
            if name not in recursive and each.body is not None and _converts_nothing(each)
        }
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
            ast.Let(known[parameter.name], argument)
            for parameter, argument in zip(function.parameters, arguments, strict=True)
        )
        body = self.of(_Renaming(self.names, {}).of(function.body, known, focus=True))
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
        case ast.Call(name, (argument,)) if name in _AGGREGATES:
            return isinstance(argument, ast.Path | ast.Variable) and is_plain(argument)
        case _:
            return False
