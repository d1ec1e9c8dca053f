"""The normal form (section 3.5.1): one step per loop, conditions at what is written, tags as fixed strings.

    <r>{ for $b in $ROOT/bib/book where χ return $b/title }</r>

    <r>
    { for $bib in $ROOT/bib return
      { for $b in $bib/book return
        { for $title in $b/title return
          { if (χ) then {$title} } } } }
    </r>

A position among the children of one node, `$y/a[2]` or `for $x at $n in $y/a`, is that of the loop's
variable: `position($x)`, which is known when $x begins. Parts without a normal form (order by, best-match
joins, other positions, sibling axes, …) remain expressions, evaluated when everything that they read has been
buffered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import Let
from slackwater.flux.plan.syntax import ROOT, Branch, Loop, Query, Test, Value
from slackwater.flux.plan.terms import free, from_child, place, substituted, with_focus
from slackwater.flux.rewrite import shapes, steps
from slackwater.flux.rewrite.conditions import both, negated, truth
from slackwater.flux.rewrite.guards import guarded
from slackwater.flux.rewrite.prepare import Prepared, prepared
from slackwater.language.xquery import syntax as ast
from slackwater.schema import NO_SCHEMA, TEXT, Schema, Type
from slackwater.schema.schema import UNKNOWN

Body = Callable[[str], Query]
"""Makes the body of a loop from the variable that it binds."""


@dataclass(frozen=True)
class Normal:
    """A query in normal form, the types of its variables, and its lets."""

    body: Query
    types: dict[str, Type]
    lets: tuple[Let, ...]
    prepared: Prepared
    schema: Schema
    upward: bool = False
    """The query walks to parents or siblings: it is one expression over everything that it reads."""


def normal(module: ast.Module, schema: Schema = NO_SCHEMA) -> Normal:
    """The normal form of a module."""
    ready = prepared(module)
    normalizer = _Normalizer(ready, schema)
    body = Value(ready.body) if ready.upward else normalizer.output(ready.body)
    return Normal(body, normalizer.types, tuple(normalizer.lets), ready, schema, ready.upward)


class _Normalizer:
    def __init__(self, ready: Prepared, schema: Schema) -> None:
        self.names = ready.names
        self.types: dict[str, Type] = {ROOT: schema.document} | dict.fromkeys(ready.inputs, UNKNOWN)
        self.lets: list[Let] = [Let(name, value, ROOT) for name, value in ready.globals.items()]
        self.bound: set[str] = set()
        self.scopes: list[str] = [ROOT]
        self.loose: set[str] = set()
        """Variables that are bound to items of expressions and to windows, not to streamed nodes."""
        self.origins: dict[str, tuple[str, str]] = {}

    # What is written.

    def output(self, expr: ast.Expr) -> Query:
        """The query that writes the value of an expression."""
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
        """Element content; atomic values of adjacent `{ … }` are not separated by a space."""
        queries: list[Query] = []
        before = False
        for expr in parts:
            part = self.output(expr)
            atomic = _may_be_atomic(part)
            if before and atomic:
                queries.append(flux.Boundary())
            before = atomic
            queries.append(part)
        return flux.sequence(*queries)

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
        joins = ast.best_match_at(clauses) is not None
        if joins or any(
            isinstance(clause, ast.OrderBy) or not shapes.is_obvious(clause) for clause in clauses
        ):
            return self.remaining(ast.Flwor(tuple(clauses), result), finish)
        first, rest = clauses[0], clauses[1:]

        def inner(old: str, new: str, at: str | None = None) -> Query:
            values: dict[str, ast.Expr] = {old: ast.Variable(new)} if new != old else {}
            if at is not None:
                values[at] = place(new)
            changed = [substituted(clause, values) for clause in rest]
            return self.flwor(changed, substituted(result, values), finish)

        match first:
            case ast.Where(condition):
                return guarded(truth(condition), self.flwor(rest, result, finish))
            case ast.Let(variable, value):
                if self.read_by(value) & self.loose:
                    return self.remaining(ast.Flwor(tuple(clauses), result), finish)
                name = self.bind(variable)
                self.keep(name, value)
                return inner(variable, name)
            case ast.For(variable, source, None, None):
                return self.loop(source, variable, lambda name: inner(variable, name))
            case ast.For(variable, source, str(), None) if self.is_counted(source):
                return self.loop(source, variable, lambda name: inner(variable, name, first.at))
            case ast.For(variable, source, at, None):
                return self.items(source, variable, lambda name: inner(variable, name), at)
            case ast.For(variable, source, _, window) if window is not None:
                windowed = self.windows(first, lambda name: inner(variable, name))
                return windowed or self.remaining(ast.Flwor(tuple(clauses), result), finish)
        raise TypeError(f"no clause of XQuery: {first!r}")

    def remaining(self, expr: ast.Flwor, finish: Callable[[ast.Expr], Query]) -> Query:
        """A FLWOR that remains an expression; `finish` is applied to its items."""
        if finish == self.output:
            return Value(expr)
        return self.items(expr, "", lambda name: finish(ast.Variable(name)))

    def keep(self, variable: str, value: ast.Expr) -> None:
        """Record a let that remains: its scope is the innermost variable that its value reads.

        Paths begin at the nearest variable, where there is only one node (compare `use_the_only_one`).
        """
        for bound in self.scopes:
            source, name = self.origins.get(bound, ("", ""))
            if source and self.types[source].automaton.at_most_one(name) and name != TEXT:
                value = from_child(value, source, name, bound)
        used = self.read_by(value)
        scope = next((candidate for candidate in reversed(self.scopes) if candidate in used), ROOT)
        self.lets.append(Let(variable, value, scope))

    def read_by(self, value: ast.Expr) -> frozenset[str]:
        values = {let.variable: let for let in self.lets}
        names = free(value)
        return names.union(*(self.read_by(values[name].value) for name in names if name in values))

    def loop(self, source: ast.Expr, hint: str, body: Body) -> Query:
        """{ for $x in source return body }; `hint` is the preferred name of $x."""
        match source:
            case ast.Sequence(items) if not items or any(map(_is_loop, items)):
                return flux.sequence(*(self.loop(item, hint, body) for item in items))
            case ast.If(condition, then, otherwise):
                return self.choice(condition, self.loop(then, hint, body), self.loop(otherwise, hint, body))
            case ast.Flwor(clauses) if ast.best_match_at(clauses) is not None:
                return self.items(source, hint, body)
            case ast.Flwor(clauses, result):
                return self.flwor(clauses, result, lambda inner: self.loop(inner, hint, body))
            case ast.Variable(name) if name in self.types or name in self.scopes:
                return body(name)
            case ast.Path(ast.Variable(name), path) if name in self.types:
                return self.descend(name, path, hint, body)
            case ast.Filter(ast.Path() as inner, predicates) if self.is_counted(inner):
                return self.loop(steps.with_predicates(inner, predicates), hint, body)
            case ast.Path(ast.Filter(ast.Path() as inner, predicates), path) if self.is_counted(inner):
                chosen = steps.with_predicates(inner, predicates)
                return self.loop(ast.Path(chosen.source, (*chosen.steps, *path)), hint, body)
            case ast.Filter(inner, predicates) if shapes.are_boolean(predicates) and _is_loop(inner):
                return self.loop(inner, hint, lambda name: self.filtered(name, predicates, body))
            case ast.SetOperation() if (united := steps.as_path(source)) is not None:
                return self.loop(united, hint, body)
            case _:
                return self.items(source, hint, body)

    def is_counted(self, source: ast.Expr) -> bool:
        """The items of the source are children of one node: their positions are those in a loop."""
        match source:
            case ast.Path(ast.Variable(name), path) if name in self.types:
                return steps.only_path(self.types[name], path)
        return False

    def items(self, source: ast.Expr, hint: str, body: Body, at: str | None = None) -> Query:
        """A loop over the items of an expression that remains one."""
        name = self.bind(hint)
        self.loose |= {name, at} if at else {name}
        self.scopes.append(name)
        inner = body(name)
        self.scopes.pop()
        if inner == Value(ast.Variable(name)) and at is None:
            return Value(source)
        return flux.For(name, source, inner, at)

    def descend(self, source: str, path: Sequence[ast.Step | ast.ExprStep], hint: str, body: Body) -> Query:
        """{ for $x in $y/a/π return β } = { for $x0 in $y/a return { for $x in $x0/π return β } }

        (figure 3.3, Single-Step-For)
        """
        if not path:
            return body(source)
        if not steps.is_divisible(path):
            return self.items(ast.Path(ast.Variable(source), tuple(path)), hint, body)
        type = self.types[source]
        children = steps.child_paths(type, path) or steps.counted_paths(type, path)
        if children is None:
            return self.items(ast.Path(ast.Variable(source), tuple(path)), hint, body)
        return self.branches(source, children, hint, body)

    def branches(self, source: str, children: steps.ChildPaths, hint: str, body: Body) -> Query:
        """{ for $x in $y/(a | b) return β }: a branch for each, since a and b differ in type."""
        if children.is_here:
            return self.filtered(
                source, children.predicates, lambda name: self.descend(name, children.rest, hint, body)
            )
        branches: list[Branch] = []
        for name in children.names:
            last = not children.rest and children.is_last(name)
            variable = self.bind(hint) if last and hint else self.names.fresh(steps.variable(name))
            self.types[variable] = self.types[source].child(name) or UNKNOWN
            self.origins[variable] = (source, name)
            self.scopes.append(variable)
            inner = self.branches(variable, children.below(name), hint, body)
            self.scopes.pop()
            branches.append(Branch(Test(name), variable, inner))
        return Loop(source, tuple(branches)) if branches else flux.Sequence()

    def filtered(self, variable: str, predicates: Sequence[ast.Expr], body: Body) -> Query:
        """{ for $x in $y/a[χ] return β } = { for $x in $y/a return { if (χ[. → $x]) then β } }

        A position in χ is that of $x in the loop.
        """
        query = body(variable)
        for predicate in reversed(predicates):
            query = guarded(truth(with_focus(predicate, ast.Variable(variable))), query)
        return query

    def windows(self, clause: ast.For, body: Body) -> Query | None:
        """A loop over windows; its path is not divided into loops (section 3.8.2.3)."""
        source = clause.source
        if clause.window is None or not isinstance(source, ast.Path):
            return None
        if not isinstance(source.source, ast.Variable) or source.source.name not in self.types:
            return None
        window_path = steps.window_path(self.types[source.source.name], source.steps)
        if window_path is None:
            return None
        item = self.names.fresh("item")
        self.types[item] = window_path.type
        focus = ast.Variable(item)
        conditions = [truth(with_focus(predicate, focus)) for predicate in window_path.predicates]
        variable = self.bind(clause.variable)
        self.loose.add(variable)
        self.scopes.append(variable)
        inner = body(variable)
        self.scopes.pop()
        path = tuple(map(Test, window_path.names))
        where = both(*conditions) if conditions else None
        return flux.Windowed(variable, source.source.name, path, clause.window, inner, item, where)

    def bind(self, hint: str) -> str:
        """The preferred name the first time, then fresh ones: a copied body binds its variables again."""
        name = hint if hint and hint not in self.bound else self.names.fresh(hint or "item")
        self.bound.add(name)
        return name


def _is_loop(expr: ast.Expr) -> bool:
    """The expression gives nodes of the documents, as a loop can produce them."""
    return isinstance(expr, ast.Path | ast.Flwor | ast.Filter | ast.Variable | ast.SetOperation)


def _may_be_atomic(query: Query) -> bool:
    return any(
        isinstance(part, Value) and not shapes.gives_nodes(part.expr) for part in traversal.walk(query)
    )


def looped(query: Normal, source: ast.Expr, body: Body) -> Query:
    """{ for $x in source return body } as part of a query that is in normal form already."""
    normalizer = _Normalizer(query.prepared, query.schema)
    normalizer.types = query.types
    normalizer.bound = query.prepared.names.used
    return normalizer.loop(source, "", body)
