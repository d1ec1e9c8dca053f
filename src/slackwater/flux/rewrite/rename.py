"""Unique names for variables, a variable for each document; `/` and `.` become explicit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from slackwater.flux.plan.syntax import ROOT
from slackwater.flux.plan.terms import rebuilt, spliced
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS, OF_CONTEXT, OF_PLACE, PASSING


@dataclass
class Names:
    """Makes names that no variable has yet."""

    used: set[str] = field(default_factory=lambda: {ROOT})

    def fresh(self, hint: str) -> str:
        hint = hint.rpartition(":")[2]
        name, number = hint, 1
        while name in self.used:
            number += 1
            name = f"{hint}{number}"
        self.used.add(name)
        return name


class Focus(Enum):
    """What is known of the context item of an expression."""

    DOCUMENT = "the streamed document"
    INSIDE = "a node of the streamed document"
    ELSEWHERE = "any item, or none"


DOCUMENT, INSIDE, ELSEWHERE = Focus


class Renaming:
    """Rewrites expressions; `known` maps the variables in scope to their new names."""

    def __init__(self, names: Names, documents: Mapping[ast.Input, str]) -> None:
        self.names = names
        self.documents = documents
        self.globals: dict[str, ast.Expr] = {}
        self.inside: set[str] = {ROOT}
        """The variables that are bound only to nodes of the streamed document."""

    def of(self, expr: ast.Expr, known: Mapping[str, str], focus: Focus) -> ast.Expr:
        match expr:
            case ast.Variable(name):
                return dataclasses.replace(expr, name=known.get(name, name))
            case ast.Input() if expr in self.documents:
                return ast.Variable(self.documents[expr], span=expr.span)
            case ast.Root() if focus is not ELSEWHERE:
                return ast.Variable(ROOT, span=expr.span)
            case ast.ContextItem() if focus is DOCUMENT:
                return ast.Variable(ROOT, span=expr.span)
            case ast.Call(name, ()) if focus is DOCUMENT and name in OF_CONTEXT:
                return dataclasses.replace(expr, arguments=(ast.Variable(ROOT, span=expr.span),))
            case ast.Call(name, ()) if focus is DOCUMENT and name in OF_PLACE:
                return ast.Integer(1, span=expr.span)
            case ast.Path(source, steps):
                return self.path(expr, source, steps, known, focus)
            case ast.Filter(source, predicates):
                inner = self.focus(source, known, focus)
                inside = tuple(self.of(predicate, known, inner) for predicate in predicates)
                return dataclasses.replace(expr, source=self.of(source, known, focus), predicates=inside)
            case ast.Flwor():
                return self.flwor(expr, known, focus)
            case ast.Quantified(_, bindings, condition):
                new: list[ast.Binding] = []
                for binding in bindings:
                    bound = self.of(binding.source, known, focus)
                    name = self.bound(binding.variable, binding.source, known, focus)
                    known = {**known, binding.variable: name}
                    new.append(dataclasses.replace(binding, variable=name, source=bound))
                inner_condition = self.of(condition, known, focus)
                return dataclasses.replace(expr, bindings=tuple(new), condition=inner_condition)
            case _:
                return rebuilt(expr, lambda node: self.node(node, known, focus))

    def node(self, node: ast.Node, known: Mapping[str, str], focus: Focus) -> ast.Node:
        if isinstance(node, ast.Expr):
            return self.of(node, known, focus)
        return rebuilt(node, lambda inner: self.node(inner, known, focus))

    def path(
        self,
        path: ast.Path,
        source: ast.Expr,
        steps: tuple[ast.Step | ast.ExprStep, ...],
        known: Mapping[str, str],
        focus: Focus,
    ) -> ast.Expr:
        """The focus of a step is the items of the step before; that of a predicate, the items of its step."""
        inner = self.focus(source, known, focus)
        new: list[ast.Step | ast.ExprStep] = []
        for step in steps:
            new.append(rebuilt(step, lambda node, inner=inner: self.node(node, known, inner)))  # type: ignore[misc]
            if isinstance(step, ast.ExprStep):
                inner = self.focus(step.expr, known, inner)
        renamed = dataclasses.replace(path, source=self.of(source, known, focus), steps=tuple(new))
        return spliced(renamed)  # type: ignore[return-value]

    def flwor(self, expr: ast.Flwor, known: Mapping[str, str], focus: Focus) -> ast.Expr:
        clauses: list[ast.Clause] = []
        for clause in expr.clauses:
            clauses.append(self.clause(clause, known, focus))
            known = {**known, **dict(zip(_binds(clause), _binds(clauses[-1]), strict=True))}
        result = self.of(expr.result, known, focus)
        return dataclasses.replace(expr, clauses=tuple(clauses), result=result)

    def clause(self, clause: ast.Clause, known: Mapping[str, str], focus: Focus) -> ast.Clause:
        new = rebuilt(clause, lambda inner: self.node(inner, known, focus))
        match new:
            case ast.For(variable, _, at):
                assert isinstance(clause, ast.For)
                name = self.bound(variable, clause.source, known, focus)
                return dataclasses.replace(new, variable=name, at=self.names.fresh(at) if at else None)
            case ast.Let(variable):
                assert isinstance(clause, ast.Let)
                return dataclasses.replace(new, variable=self.bound(variable, clause.value, known, focus))
            case _:
                return new

    def bound(self, variable: str, source: ast.Expr, known: Mapping[str, str], focus: Focus) -> str:
        """The new name of a variable that is bound to items of the source."""
        name = self.names.fresh(variable)
        if self.within(source, known, focus):
            self.inside.add(name)
        return name

    # Which tree nodes belong to: `/` is the root of the context item's tree.

    def focus(self, source: ast.Expr, known: Mapping[str, str], focus: Focus) -> Focus:
        return INSIDE if self.within(source, known, focus) else ELSEWHERE

    def within(self, expr: ast.Expr, known: Mapping[str, str], focus: Focus) -> bool:
        """The expression gives only nodes of the streamed document, as far as its structure shows."""
        match expr:
            case ast.Root() | ast.ContextItem():
                return focus is not ELSEWHERE
            case ast.Variable(name):
                return known.get(name, name) in self.inside
            case ast.Input():
                return self.documents.get(expr) == ROOT
            case ast.Path(source, steps):
                inner = self.focus(source, known, focus)
                for step in steps:
                    if isinstance(step, ast.ExprStep):
                        inner = self.focus(step.expr, known, inner)
                return inner is INSIDE
            case ast.Filter(source, _):
                return self.within(source, known, focus)
            case ast.Sequence(items):
                return all(self.within(item, known, focus) for item in items)
            case ast.If(_, then, otherwise):
                return self.within(then, known, focus) and self.within(otherwise, known, focus)
            case ast.SetOperation(_, left, right):
                return self.within(left, known, focus) and self.within(right, known, focus)
            case ast.Call(name, arguments) if name in PASSING:
                passed = FUNCTIONS[name].passed(arguments)
                return all(self.within(argument, known, focus) for argument in passed)
            case _:
                return False


def _binds(clause: ast.Clause) -> list[str]:
    """The variables that a clause itself binds."""
    match clause:
        case ast.For(variable, _, at):
            return [variable, at] if at else [variable]
        case ast.Let(variable):
            return [variable]
        case _:
            return []
