"""Comparisons of a path with a number: from XQuery to a range, and back."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from slackwater.globe.model import Range
from slackwater.globe.properties.ranges import is_point
from slackwater.language.xquery import syntax as ast

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def comparison(condition: ast.Expr, record: str) -> tuple[str, Range] | None:
    """`$record/path > number` as a range of the path, in whichever order it is written."""
    match condition:
        case ast.Compare(op, left, right) if op in _MIRRORED:
            for sign, one, other in ((op, left, right), (_MIRRORED[op], right, left)):
                path, value = _path(one, record), _number(other)
                if path is not None and value is not None:
                    return path, _range(sign, value)
    return None


def comparisons(path: str, known: Range, record: str) -> Iterator[ast.Expr]:
    """The range as comparisons of the path with numbers."""
    steps = tuple(
        ast.Step("attribute", ast.NameTest(name[1:])) if name.startswith("@") else child(name)
        for name in path.split("/")
    )
    value = ast.Path(ast.Variable(record), steps)
    if known.low is not None and is_point(known):
        yield ast.Compare("=", value, _literal(known.low))
        return
    if known.low is not None:
        yield ast.Compare(">=" if known.includes_low else ">", value, _literal(known.low))
    if known.high is not None:
        yield ast.Compare("<=" if known.includes_high else "<", value, _literal(known.high))


def child(name: str) -> ast.Step:
    """The step to the children of a name."""
    return ast.Step("child", ast.NameTest(name))


def _path(expr: ast.Expr, record: str) -> str | None:
    """A path of child steps from the record, and perhaps an attribute at its end."""
    if not isinstance(expr, ast.Path) or expr.source != ast.Variable(record):
        return None
    names: list[str] = []
    for step in expr.steps:
        match step:
            case ast.Step("child", ast.NameTest(name), ()) if "*" not in name and ":" not in name:
                names.append(name)
            case ast.Step("attribute", ast.NameTest(name), ()) if "*" not in name and step is expr.steps[-1]:
                names.append(f"@{name}")
            case _:
                return None
    return "/".join(names)


def _number(expr: ast.Expr) -> float | None:
    match expr:
        case ast.Integer(value) if abs(value) <= 2**53:
            return float(value)
        case ast.Fixed(value):
            return float(value)
        case ast.Double(value) if value == value:
            return value
        case ast.Unary("-", operand):
            inner = _number(operand)
            return None if inner is None else -inner
    return None


def _range(sign: str, value: float) -> Range:
    match sign:
        case "=":
            return Range(value, value, True, True)
        case "<" | "<=":
            return Range(high=value, includes_high=sign == "<=")
        case _:
            return Range(low=value, includes_low=sign == ">=")


def _literal(value: float) -> ast.Expr:
    if value < 0 or str(value) == "-0.0":
        return ast.Unary("-", _literal(-value))
    text = repr(value)
    return ast.Double(value) if "e" in text or "n" in text else ast.Fixed(Decimal(text))
