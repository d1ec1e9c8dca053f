"""Conditions and aggregates that are computed while their paths are read (sections 3.7.2.3 and 3.8.1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import Accumulator
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.reads import Reads
from slackwater.flux.rewrite.shapes import are_boolean
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING

_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def accumulators(
    expr: ast.Node, streamed: frozenset[str], known: frozenset[ast.Expr] = frozenset()
) -> Iterator[Accumulator]:
    """The outermost parts of an expression that are computed on the fly, for variables that are streamed.

    Expressions in `known` are not searched.
    """
    if expr in known:
        return
    accumulator = _accumulator(expr, streamed) if isinstance(expr, ast.Expr) else None
    if accumulator is not None:
        yield accumulator
        return
    for child in ast.children(expr):
        yield from accumulators(child, streamed, known)


def _accumulator(expr: ast.Expr, streamed: frozenset[str]) -> Accumulator | None:
    match expr:
        case ast.Call(name, (argument,)) if name in ACCUMULATING:
            if (path := _path(argument, streamed)) is not None:
                return Accumulator(path[0], expr, name, path[1])
        case ast.Compare(op, left, right) if op in ast.GENERAL:
            if is_constant(right) and (path := _path(left, streamed)) is not None:
                return Accumulator(path[0], expr, "compare", path[1], op, right)
            if is_constant(left) and (path := _path(right, streamed)) is not None:
                return Accumulator(path[0], expr, "compare", path[1], _FLIPPED[op], left)
    return None


def is_constant(expr: ast.Expr) -> bool:
    """A literal, perhaps with a sign."""
    match expr:
        case ast.String() | ast.Integer() | ast.Fixed() | ast.Double():
            return True
        case ast.Unary(_, operand):
            return is_constant(operand)
    return False


def _path(expr: ast.Expr, streamed: frozenset[str]) -> tuple[str, tuple[ast.Step, ...]] | None:
    """The variable and the steps of a path that can be matched on the stream."""
    match expr:
        case ast.Variable(name) if name in streamed:
            return name, ()
        case ast.Path(ast.Variable(name), steps) if name in streamed:
            plain = tuple(step for step in steps if isinstance(step, ast.Step))
            if len(plain) == len(steps) and _can_be_matched(plain):
                return name, plain
    return None


def _can_be_matched(steps: tuple[ast.Step, ...]) -> bool:
    """Elements by name at known or any depth, and an attribute or text at the end.

    An attribute of the variable's node itself is known at its start tag and needs no accumulator.
    """
    if steps[0].axis == "attribute":
        return False
    for place, step in enumerate(steps):
        is_last = place == len(steps) - 1
        match step.axis, step.test:
            case "child" | "descendant", ast.NameTest() | ast.KindTest("element"):
                pass
            case "child", ast.KindTest("text") if is_last and (
                not place or steps[place - 1] != ast.DOUBLE_SLASH
            ):
                pass
            case "attribute", ast.NameTest() if is_last and (
                not place or steps[place - 1] != ast.DOUBLE_SLASH
            ):
                pass
            case _:
                if step != ast.DOUBLE_SLASH or is_last:
                    return False
        if not are_boolean(step.predicates) or not all(map(_about_attributes, step.predicates)):
            return False
    return True


def _about_attributes(predicate: ast.Expr) -> bool:
    """The predicate reads only the element's own attributes and constants: its start tag decides."""
    match predicate:
        case ast.Path(ast.ContextItem(), (ast.Step("attribute", ast.NameTest(), ()),)):
            return True
        case ast.Logical(_, left, right) | ast.Compare(_, left, right):
            return _about_attributes(left) and _about_attributes(right)
        case ast.Call(_, arguments):
            return bool(arguments) and all(map(_about_attributes, arguments))
    return is_constant(predicate)


def of_query(query: flux.Query, streamed: frozenset[str]) -> Iterator[Accumulator]:
    """The accumulators of all expressions in a query."""
    for part in traversal.walk(query):
        for expr in traversal.expressions(part):
            yield from accumulators(expr, streamed)


def needs_buffer(variable: str, query: flux.Query, facts: Facts) -> bool:
    """The query reads more of the variable than its accumulators compute."""
    streamed = frozenset({variable})
    reading = Reads(facts.lets, facts.functions, _expressions(of_query(query, streamed)))
    reading.query(query)
    return variable in reading.roots


def _expressions(computed: Iterable[Accumulator]) -> frozenset[ast.Expr]:
    return frozenset(accumulator.expr for accumulator in computed)
