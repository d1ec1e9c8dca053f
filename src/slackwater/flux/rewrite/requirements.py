"""The children that a condition or a loop requires, and whether a schema allows them (section 3.6.1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from slackwater.base.rules import whole
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.syntax import If, Loop, Query
from slackwater.flux.plan.traversal import map_subqueries
from slackwater.flux.rewrite.conditions import FALSE, TRUE
from slackwater.flux.rewrite.conditions import normal as negation_normal
from slackwater.flux.rewrite.facts import Facts
from slackwater.language.xquery import syntax as ast
from slackwater.schema import TEXT, Type
from slackwater.schema.paths import holds, is_open

MOST_ALTERNATIVES = 32


@dataclasses.dataclass(frozen=True)
class Needs:
    """Children that must exist, and children that must not."""

    having: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()

    def and_(self, other: Needs) -> Needs:
        return Needs(self.having | other.having, self.without | other.without)


Alternatives = frozenset[Needs]
"""A language L_req as alternatives, one of which must be fulfilled."""
ANYTHING: Alternatives = frozenset({Needs()})


def required(variable: str, condition: ast.Expr) -> Alternatives:
    """L_req($x, χ): where the children of $x are not in it, χ does not hold (definition 3.6.1).

    The thesis requires for `empty($x/a/π)` that there is no a; but an a without a π below it fulfils it too,
    so that is required only where π is empty. χ is in negation normal form.
    """
    match condition:
        case ast.Logical("and", left, right):
            return _product(required(variable, left), required(variable, right))
        case ast.Logical("or", left, right):
            return _limited(required(variable, left) | required(variable, right))
        case ast.Call("exists", (argument,)):
            return frozenset({Needs(having=_first(variable, argument))})
        case ast.Call("empty", (ast.Path(_, (_,)) as path,)) if not _has_predicates(path):
            return frozenset({Needs(without=_first(variable, path))})
        case ast.Compare(op, left, right) if op not in ast.NODE:
            return frozenset({Needs(having=_first(variable, left) | _first(variable, right))})
    return ANYTHING


def _product(left: Alternatives, right: Alternatives) -> Alternatives:
    return _limited(frozenset(a.and_(b) for a in left for b in right))


def _limited(alternatives: Alternatives) -> Alternatives:
    return alternatives if len(alternatives) <= MOST_ALTERNATIVES else ANYTHING


def _first(variable: str, expr: ast.Expr) -> frozenset[str]:
    """The child of $x that a value needs."""
    match expr:
        case ast.Path(ast.Variable(name), (ast.Step("child", ast.NameTest(step)), *_)) if (
            name == variable and "*" not in step
        ):
            return frozenset({step})
        case ast.Arithmetic(_, left, right):
            return _first(variable, left) | _first(variable, right)
    return frozenset()


def _has_predicates(path: ast.Path) -> bool:
    return any(isinstance(step, ast.ExprStep) or bool(step.predicates) for step in path.steps)


@whole
def drop_impossible(query: Query, facts: Facts) -> Query:
    """α = ε if no node that the schema allows has children that α requires  (DTD-Impl)

    L_req↑Q($x, α) is what all expressions around α and α itself require of $x.
    """
    return _possible(query, facts, {})


def _possible(query: Query, facts: Facts, known: Mapping[str, Alternatives]) -> Query:
    match query:
        case If(condition, _):
            needs = negation_normal(condition)
            for variable in facts.types:
                more = required(variable, needs)
                if more == ANYTHING:
                    continue
                known = {**known, variable: _product(known.get(variable, ANYTHING), more)}
                if not _is_possible(variable, known[variable], facts):
                    return flux.Sequence()
        case Loop(source, branches):
            possible: list[flux.Branch] = []
            for branch in branches:
                needs_child = frozenset({Needs(having=_tested(branch.test))})
                inner = {**known, source: _product(known.get(source, ANYTHING), needs_child)}
                if _is_possible(source, inner[source], facts):
                    possible.append(dataclasses.replace(branch, body=_possible(branch.body, facts, inner)))
            return Loop(source, tuple(possible)) if possible else flux.Sequence()
        case _:
            pass
    return map_subqueries(query, lambda inner: _possible(inner, facts, known))


def _tested(test: flux.Test) -> frozenset[str]:
    return frozenset() if test.name in (TEXT, "*") else frozenset({test.name})


def _is_possible(variable: str, needs: Alternatives, facts: Facts) -> bool:
    """L($x) ∩ L_req ≠ ∅"""
    automaton = facts.type(variable).automaton
    return any(automaton.possible(alternative.having, alternative.without) for alternative in needs)


def with_known_conditions(condition: ast.Expr, facts: Facts) -> ast.Expr:
    """replace-unsat: atomic conditions on paths that the schema forbids, or requires, as constants."""
    match condition:
        case ast.Logical(op, left, right):
            return dataclasses.replace(
                condition,
                op=op,
                left=with_known_conditions(left, facts),
                right=with_known_conditions(right, facts),
            )
        case ast.Call("not", (inner,)):
            return ast.Call("not", (with_known_conditions(inner, facts),))
        case ast.Call("exists", (argument,)):
            known = _presence(argument, facts)
            return condition if known is None else TRUE if known else FALSE
        case ast.Call("empty", (argument,)):
            known = _presence(argument, facts)
            return condition if known is None else FALSE if known else TRUE
        case ast.Compare(op, left, right) if op in ast.GENERAL:
            absent = any(_presence(operand, facts) is False for operand in (left, right))
            return FALSE if absent else condition
    return condition


def _presence(expr: ast.Expr, facts: Facts) -> bool | None:
    """Whether a path always, or never, selects a node; None where that depends on the document."""
    match expr:
        case ast.Variable(name) if name in facts.types:
            return True
        case ast.Path(ast.Variable(name), steps) if name in facts.types:
            return _along(facts.type(name), steps)
        case ast.Arithmetic(_, left, right):
            return False if any(_presence(operand, facts) is False for operand in (left, right)) else None
    return None


def _along(type: Type, steps: tuple[ast.Step | ast.ExprStep, ...]) -> bool | None:
    always = True
    for place, step in enumerate(steps):
        if not type.is_known or not isinstance(step, ast.Step):
            return None
        if step == ast.DOUBLE_SLASH:
            return _below(type, steps[place + 1 :])
        if step.axis != "child" or not isinstance(step.test, ast.NameTest) or "*" in step.test.name:
            return None
        child = type.child(step.test.name)
        if step.test.name not in type.names or child is None:
            return False
        always = always and not step.predicates and type.automaton.at_least_one(step.test.name)
        type = child
    return True if always else None


def _below(type: Type, steps: tuple[ast.Step | ast.ExprStep, ...]) -> bool | None:
    match steps:
        case (ast.Step("child", ast.NameTest(name)), *_) if "*" not in name and not is_open(type):
            return None if holds(type, name) else False
    return None
