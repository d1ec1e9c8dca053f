"""The normal form (section 3.5.1): one step per loop, conditions at what is written, tags as fixed strings.

    <r>{ for $b in $ROOT/bib/book where χ return $b/title }</r>

    <r>
    { for $bib in $ROOT/bib return
      { for $b in $bib/book return
        { for $title in $b/title return
          { if (χ) then {$title} } } } }
    </r>

A position among the children of one node, `$y/a[2]` or `for $x at $n in $y/a`, is that of the loop's
variable: `position($x)`, which is known when $x begins. What has no normal form (order by, other positions,
sibling axes, …) stays an expression: a unit that is evaluated when all it reads has been buffered.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import Let
from slackwater.flux.plan.syntax import ROOT, Branch, If, Loop, Query, Test, Value
from slackwater.flux.plan.terms import free, from_child, place, substituted, with_focus
from slackwater.flux.plan.traversal import map_subqueries
from slackwater.flux.rewrite import steps
from slackwater.flux.rewrite.conditions import both, negated, truth
from slackwater.flux.rewrite.prepare import Prepared, prepared
from slackwater.language.xquery import syntax as ast
from slackwater.schema import NO_SCHEMA, TEXT, Schema, Type
from slackwater.schema.schema import UNKNOWN

Body = Callable[[str], Query]
"""From the variable that a loop binds to what it returns."""


@dataclass(frozen=True)
class Normal:
    """A query in normal form, the types of its variables, and its lets."""

    body: Query
    types: dict[str, Type]
    lets: tuple[Let, ...]
    prepared: Prepared
    schema: Schema
    upward: bool = False
    """The query walks to parents or siblings: it is one expression over all that it reads."""


def normal(module: ast.Module, schema: Schema = NO_SCHEMA) -> Normal:
    """The normal form of a module."""
    ready = prepared(module)
    making = _Making(ready, schema)
    body = Value(ready.body) if ready.upward else making.output(ready.body)
    return Normal(body, making.types, tuple(making.lets), ready, schema, ready.upward)


class _Making:
    def __init__(self, ready: Prepared, schema: Schema) -> None:
        self.names = ready.names
        self.types: dict[str, Type] = {ROOT: schema.document} | dict.fromkeys(ready.inputs, UNKNOWN)
        self.lets: list[Let] = [Let(name, value, ROOT) for name, value in ready.globals.items()]
        self.bound: set[str] = set()
        self.scopes: list[str] = [ROOT]
        self.loose: set[str] = set()
        """Variables that are bound to items of expressions and to windows, not to what is streamed."""
        self.origins: dict[str, tuple[str, str]] = {}

    # What is written.

    def output(self, expr: ast.Expr) -> Query:
        """The query that writes what an expression gives."""
        match expr:
            case ast.Sequence(items):
                return flux.sequence(*map(self.output, items))
            case ast.Characters(text):
                return flux.Text(text)
            case ast.Element(name, attributes, content):
                return flux.sequence(
                    flux.StartTag(name, attributes), self.content(content), flux.EndTag(name)
                )
            case ast.Computed("element", ast.String(name), content):
                return flux.sequence(flux.StartTag(name), self.output(content), flux.EndTag(name))
            case ast.If(condition, then, otherwise):
                return self.choice(condition, self.output(then), self.output(otherwise))
            case ast.Flwor():
                return self.flwor(expr.clauses, expr.result, self.output)
            case ast.Variable(name) if name in self.types:
                return flux.Copy(name)
            case ast.Path() | ast.Filter() | ast.SetOperation():
                return self.loop(expr, "", self.copied)
            case ast.Call("data", (ast.Path() as path,)):
                return self.loop(path, "", lambda name: Value(ast.Call("data", (ast.Variable(name),))))
            case _:
                return Value(expr)

    def copied(self, variable: str) -> Query:
        """{$y/π} = { for $x in $y/π return {$x} }  (figure 3.3, Only-For)"""
        return flux.Copy(variable) if variable in self.types else Value(ast.Variable(variable))

    def content(self, parts: Sequence[ast.Expr]) -> Query:
        """What stands between tags; atomic values of two `{ … }` are not separated by a space."""
        found: list[Query] = []
        before = False
        for each in parts:
            part = self.output(each)
            atomic = _may_be_atomic(part)
            if before and atomic:
                found.append(flux.Boundary())
            before = atomic
            found.append(part)
        return flux.sequence(*found)

    def choice(self, condition: ast.Expr, then: Query, otherwise: Query) -> Query:
        """if (χ) then α else β = { if (χ) then α } { if (not(χ)) then β }"""
        test = truth(condition)
        return flux.sequence(guarded(test, then), guarded(negated(test), otherwise))

    # Loops.

    def flwor(
        self, clauses: Sequence[ast.Clause], result: ast.Expr, finish: Callable[[ast.Expr], Query]
    ) -> Query:
        if not clauses:
            return finish(result)
        if any(isinstance(each, ast.OrderBy) or not steps.is_obvious(each) for each in clauses):
            return self.finished(ast.Flwor(tuple(clauses), result), finish)
        first, rest = clauses[0], clauses[1:]

        def inner(old: str, new: str, at: str | None = None) -> Query:
            values: dict[str, ast.Expr] = {old: ast.Variable(new)} if new != old else {}
            if at is not None:
                values[at] = place(new)
            changed = [substituted(each, values) for each in rest]
            return self.flwor(changed, substituted(result, values), finish)

        match first:
            case ast.Where(condition):
                return guarded(truth(condition), self.flwor(rest, result, finish))
            case ast.Let(variable, value):
                if self.read_by(value) & self.loose:
                    return self.finished(ast.Flwor(tuple(clauses), result), finish)
                name = self.bind(variable)
                self.keep(name, value)
                return inner(variable, name)
            case ast.For(variable, source, None, None):
                return self.loop(source, variable, lambda name: inner(variable, name))
            case ast.For(variable, source, str(), None) if self.is_counted(source):
                return self.loop(source, variable, lambda name: inner(variable, name, first.at))
            case ast.For(variable, source, at, None):
                return self.each(source, variable, lambda name: inner(variable, name), at)
            case ast.For(variable, source, _, window) if window is not None:
                found = self.windows(first, lambda name: inner(variable, name))
                return found or self.finished(ast.Flwor(tuple(clauses), result), finish)
        raise TypeError(f"no clause of XQuery: {first!r}")

    def finished(self, expr: ast.Flwor, finish: Callable[[ast.Expr], Query]) -> Query:
        """An expression that stays one, and what is to be done with its items."""
        if finish == self.output:
            return Value(expr)
        return self.each(expr, "", lambda name: finish(ast.Variable(name)))

    def keep(self, variable: str, value: ast.Expr) -> None:
        """A let that stays: its value changes with the innermost variable it looks at.

        Paths begin at the nearest variable, where there is one node only (compare `use_the_only_one`).
        """
        for each in self.scopes:
            source, name = self.origins.get(each, ("", ""))
            if source and self.types[source].automaton.at_most_one(name) and name != TEXT:
                value = from_child(value, source, name, each)
        used = self.read_by(value)
        scope = next((each for each in reversed(self.scopes) if each in used), ROOT)
        self.lets.append(Let(variable, value, scope))

    def read_by(self, value: ast.Expr) -> frozenset[str]:
        values = {each.variable: each for each in self.lets}
        names = free(value)
        return names.union(*(self.read_by(values[name].value) for name in names if name in values))

    def loop(self, source: ast.Expr, wish: str, body: Body) -> Query:
        """{ for $wish in source return body }"""
        match source:
            case ast.Sequence(items) if not items or any(map(_is_loop, items)):
                return flux.sequence(*(self.loop(each, wish, body) for each in items))
            case ast.If(condition, then, otherwise):
                return self.choice(condition, self.loop(then, wish, body), self.loop(otherwise, wish, body))
            case ast.Flwor(clauses, result):
                return self.flwor(clauses, result, lambda inner: self.loop(inner, wish, body))
            case ast.Variable(name) if name in self.types or name in self.scopes:
                return body(name)
            case ast.Path(ast.Variable(name), path) if name in self.types:
                return self.descend(name, path, wish, body)
            case ast.Filter(ast.Path() as inner, predicates) if self.is_counted(inner):
                return self.loop(steps.with_predicates(inner, predicates), wish, body)
            case ast.Path(ast.Filter(ast.Path() as inner, predicates), path) if self.is_counted(inner):
                chosen = steps.with_predicates(inner, predicates)
                return self.loop(ast.Path(chosen.source, (*chosen.steps, *path)), wish, body)
            case ast.Filter(inner, predicates) if steps.are_boolean(predicates) and _is_loop(inner):
                return self.loop(inner, wish, lambda name: self.filtered(name, predicates, body))
            case ast.SetOperation() if (united := steps.as_path(source)) is not None:
                return self.loop(united, wish, body)
            case _:
                return self.each(source, wish, body)

    def is_counted(self, source: ast.Expr) -> bool:
        """The items of the source are children of one node: their positions are those in a loop."""
        match source:
            case ast.Path(ast.Variable(name), path) if name in self.types:
                return steps.only_path(self.types[name], path)
        return False

    def each(self, source: ast.Expr, wish: str, body: Body, at: str | None = None) -> Query:
        """A loop over the items of an expression that stays one."""
        name = self.bind(wish)
        self.loose |= {name, at} if at else {name}
        self.scopes.append(name)
        inner = body(name)
        self.scopes.pop()
        if inner == Value(ast.Variable(name)) and at is None:
            return Value(source)
        return flux.For(name, source, inner, at)

    def descend(self, source: str, path: Sequence[ast.Step | ast.ExprStep], wish: str, body: Body) -> Query:
        """{ for $x in $y/a/π return β } = { for $x0 in $y/a return { for $x in $x0/π return β } }

        (figure 3.3, Single-Step-For)
        """
        if not path:
            return body(source)
        if not steps.is_divisible(path):
            return self.each(ast.Path(ast.Variable(source), tuple(path)), wish, body)
        taken = steps.taken(self.types[source], path) or steps.counted(self.types[source], path)
        if taken is None:
            return self.each(ast.Path(ast.Variable(source), tuple(path)), wish, body)
        return self.branches(source, taken, wish, body)

    def branches(self, source: str, taken: steps.Taken, wish: str, body: Body) -> Query:
        """{ for $x in $y/(a | b) return β }: a branch for each, since a and b differ in type."""
        if taken.is_here:
            return self.filtered(
                source, taken.predicates, lambda name: self.descend(name, taken.rest, wish, body)
            )
        found: list[Branch] = []
        for name in taken.names:
            last = not taken.rest and taken.is_last(name)
            variable = self.bind(wish) if last and wish else self.names.fresh(steps.variable(name))
            self.types[variable] = self.types[source].child(name) or UNKNOWN
            self.origins[variable] = (source, name)
            self.scopes.append(variable)
            inner = self.branches(variable, taken.below(name), wish, body)
            self.scopes.pop()
            found.append(Branch(Test(name), variable, inner))
        return Loop(source, tuple(found)) if found else flux.Sequence()

    def filtered(self, variable: str, predicates: Sequence[ast.Expr], body: Body) -> Query:
        """{ for $x in $y/a[χ] return β } = { for $x in $y/a return { if (χ[. → $x]) then β } }

        Where χ asks for the position, it asks for that of $x in the loop.
        """
        found = body(variable)
        for each in reversed(predicates):
            found = guarded(truth(with_focus(each, ast.Variable(variable))), found)
        return found

    def windows(self, clause: ast.For, body: Body) -> Query | None:
        """A loop over windows; its path is not taken apart (section 3.8.2.3)."""
        source = clause.source
        if clause.window is None or not isinstance(source, ast.Path):
            return None
        if not isinstance(source.source, ast.Variable) or source.source.name not in self.types:
            return None
        taken = steps.window_path(self.types[source.source.name], source.steps)
        if taken is None:
            return None
        item = self.names.fresh("item")
        self.types[item] = taken.type
        condition = both(*(truth(with_focus(each, ast.Variable(item))) for each in taken.predicates))
        variable = self.bind(clause.variable)
        self.loose.add(variable)
        self.scopes.append(variable)
        inner = body(variable)
        self.scopes.pop()
        path = tuple(map(Test, taken.names))
        where = condition if taken.predicates else None
        return flux.Windowed(variable, source.source.name, path, clause.window, inner, item, where)

    def bind(self, wish: str) -> str:
        """The wished name the first time, then others: a body that is written out twice binds twice."""
        name = wish if wish and wish not in self.bound else self.names.fresh(wish or "item")
        self.bound.add(name)
        return name


def guarded(condition: ast.Expr, query: Query) -> Query:
    """{ if (χ) then { if (ψ) then α } } = { if (χ and ψ) then α }  (figure 3.3, Merge-If)"""
    match query:
        case flux.Sequence(()):
            return query
        case If(inner, body):
            return If(both(condition, inner), body)
        case _:
            return If(condition, query)


def pushed(query: Query) -> Query:
    """The query with all conditions pushed down to what is written: the normal form in the narrow sense.

    Rewriting pushes a condition down only where that lets something be streamed: over buffers it is better
    asked once, and joins are better seen.
    """
    query = map_subqueries(query, pushed)
    return push(query.condition, query.body, deep=True) if isinstance(query, If) else query


def push(condition: ast.Expr, query: Query, *, deep: bool = False) -> Query:
    """{ if (χ) then α β } = { if (χ) then α } { if (χ) then β }  (figure 3.3, Pushdown-If-2)

    and { if (χ) then { for $x in π return α } } = { for $x in π return { if (χ) then α } }  (Pushdown-If-1).
    A loop over an expression stays whole: it is evaluated at one time anyway.
    """
    inner = partial(push, condition, deep=True) if deep else partial(guarded, condition)
    match query:
        case flux.Sequence(parts):
            return flux.sequence(*(push(condition, each, deep=deep) for each in parts))
        case Loop(_, branches):
            bodies = tuple(dataclasses.replace(each, body=inner(each.body)) for each in branches)
            return dataclasses.replace(query, branches=bodies)
        case flux.Windowed():
            return dataclasses.replace(query, body=inner(query.body))
        case _:
            return guarded(condition, query)


def _is_loop(expr: ast.Expr) -> bool:
    """The expression gives nodes of the documents, one after the other."""
    return isinstance(expr, ast.Path | ast.Flwor | ast.Filter | ast.Variable | ast.SetOperation)


def _may_be_atomic(query: Query) -> bool:
    return any(isinstance(each, Value) and not steps.gives_nodes(each.expr) for each in traversal.walk(query))


def looped(query: Normal, source: ast.Expr, body: Body) -> Query:
    """{ for $x in source return body } as part of a query that is in normal form already."""
    making = _Making(query.prepared, query.schema)
    making.types = query.types
    making.bound = query.prepared.names.taken
    return making.loop(source, "", body)
