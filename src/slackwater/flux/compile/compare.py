"""General comparisons as functions, specialized by the types of the operands: text, numbers, or any."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import StaticContext, Test
from slackwater.flux.runtime.nodes import number
from slackwater.flux.values.atomic import atomized, is_number
from slackwater.flux.values.casts import to_double
from slackwater.flux.values.comparison import generally_compared
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def general(expr: ast.Compare, static: StaticContext) -> Test:
    """Whether some value of the left compares with some value of the right."""
    holds = _typed(expr, static) or _typed(_turned(expr), static) or _untyped(expr, static)

    def run() -> bool:
        try:
            return holds()
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _turned(expr: ast.Compare) -> ast.Compare:
    return ast.Compare(MIRRORED[expr.op], expr.right, expr.left)


def _typed(expr: ast.Compare, static: StaticContext) -> Test | None:
    """Nodes on the left, and on the right nodes, a text or a number."""
    left, right = expr.left, expr.right
    if not compiler.gives_nodes(left) or left in static.scope.computed:
        return None
    compare = OPERATORS[expr.op]
    if compiler.gives_nodes(right) and right not in static.scope.computed:
        return _texts_with_texts(expr, compare, static)
    match right:
        case ast.String(text):
            one = compiler.texts(left, static)
            return lambda: any(compare(value, text) for value in one())
        case ast.Integer(value) | ast.Fixed(value) | ast.Double(value):
            return _with_number(expr, to_double(value), static)
    return None


def _texts_with_texts(expr: ast.Compare, compare: Callable[[str, str], bool], static: StaticContext) -> Test:
    one, other = compiler.texts(expr.left, static), compiler.texts(expr.right, static)

    def run() -> bool:
        left, right = one(), other()
        if len(left) == 1 and len(right) == 1:
            return compare(left[0], right[0])
        return any(compare(value, text) for value in left for text in right)

    return run


def _with_number(expr: ast.Compare, value: float, static: StaticContext) -> Test:
    texts, compare = compiler.texts(expr.left, static), OPERATORS[expr.op]
    return lambda: any(compare(number(text), value) for text in texts())


def _untyped(expr: ast.Compare, static: StaticContext) -> Test:
    left, right = compiler.items(expr.left, static), compiler.items(expr.right, static)
    op, compare = expr.op, OPERATORS[expr.op]
    texts = compiler.texts(expr.left, static) if compiler.gives_nodes(expr.left) else None

    def run() -> bool:
        if texts is not None:
            values = right()
            if len(values) == 1 and is_number(values[0]):
                value = to_double(values[0])
                return any(compare(number(text), value) for text in texts())
            return generally_compared(op, atomized(left()), atomized(values))
        return generally_compared(op, atomized(left()), atomized(right()))

    return run
