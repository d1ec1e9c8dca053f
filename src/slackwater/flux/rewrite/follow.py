"""Abstract evaluation of expressions: with sets of places, which stand for nodes, instead of nodes.

A subclass defines what a place is, and what a step or a call does to places: a path in a buffer (`reads`), an
element that a schema allows (`never`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from slackwater.language.xquery import syntax as ast

P = TypeVar("P")
"""A set of places."""


class Follower(ABC, Generic[P]):
    """Follows expressions; `atomic` are the places of a value that is no node."""

    def __init__(self, atomic: P) -> None:
        self.atomic = atomic
        self.bound: dict[str, P] = {}
        """The places of variables that the expressions bind."""

    @abstractmethod
    def variable(self, name: str) -> P: ...

    @abstractmethod
    def union(self, parts: Iterable[P]) -> P: ...

    @abstractmethod
    def steps(self, places: P, steps: Sequence[ast.Step | ast.ExprStep]) -> P: ...

    @abstractmethod
    def call(self, call: ast.Call, focus: P) -> P: ...

    def of(self, expr: ast.Expr, focus: P) -> P:
        """The places of the nodes that an expression gives, in a focus."""
        match expr:
            case ast.Variable(name):
                return self.variable(name)
            case ast.ContextItem():
                return focus
            case ast.Path(source, steps):
                return self.steps(self.of(source, focus), steps)
            case ast.Filter(source, predicates):
                places = self.of(source, focus)
                self.follow(predicates, places)
                return places
            case ast.Sequence(items):
                return self.union([self.of(item, focus) for item in items])
            case ast.SetOperation(_, left, right):
                return self.union([self.of(left, focus), self.of(right, focus)])
            case ast.If(condition, then, otherwise):
                self.of(condition, focus)
                return self.union([self.of(then, focus), self.of(otherwise, focus)])
            case ast.Flwor(clauses, result):
                for clause in clauses:
                    self.clause(clause, focus)
                return self.of(result, focus)
            case ast.Quantified(_, bindings, condition):
                for binding in bindings:
                    self.bound[binding.variable] = self.of(binding.source, focus)
                self.of(condition, focus)
                return self.atomic
            case ast.Call():
                return self.call(expr, focus)
            case _:
                return self.other(expr, focus)

    def follow(self, exprs: Iterable[ast.Expr], focus: P) -> None:
        """Follow expressions whose nodes are not used further."""
        for expr in exprs:
            self.of(expr, focus)

    def clause(self, clause: ast.Clause, focus: P) -> None:
        match clause:
            case ast.For(variable, source) | ast.Let(variable, source):
                self.bound[variable] = self.of(source, focus)
            case _:
                self.follow(ast.nearest_expressions(clause), focus)

    def other(self, expr: ast.Expr, focus: P) -> P:
        """Any other expression; it gives no nodes of the documents."""
        self.follow(ast.nearest_expressions(expr), focus)
        return self.atomic
