"""From the many spellings of functions and operators to the one name each has in the algebra.

Names only: what the arguments are is for the binder to find out. Where sqlglot has taken a call
apart already (`log10(x)` is a `Log` to base 10), it is put together again here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from slackwater.algebra.expressions.functions import FUNCTIONS, UNITS
from slackwater.bind.spellings import (
    AGGREGATE_NODES,
    AGGREGATE_SPELLINGS,
    CLOCK_FUNCTIONS,
    EXTRACTED,
    FLAGS,
    NODES,
    OPERATORS,
    PARSED_APART,
    SPELLINGS,
)

__all__ = ["CLOCK_FUNCTIONS", "AggregateCalled", "Called", "aggregate_called", "called", "known_functions"]


@dataclass(frozen=True, slots=True)
class Called:
    """A function of the table, and the nodes of its arguments."""

    name: str
    arguments: list[exp.Expression]


@dataclass(frozen=True, slots=True)
class AggregateCalled:
    """An aggregate of the table; COUNT(*) has no argument, COUNT(DISTINCT a, b) a tuple of them."""

    name: str
    argument: exp.Expression | None
    distinct: bool = False


def called(node: exp.Expression) -> Called | None:
    """The function this node calls, if it is one of ours."""
    special = _SPECIAL.get(type(node))
    if special is not None:
        return special(node)
    if type(node) not in NODES:
        return None
    name, keys = NODES[type(node)]
    given = {key for key, value in node.args.items() if value not in (None, [], False)}
    return Called(name, list(_values(node, keys))) if given <= {*keys, *FLAGS} else None


def aggregate_called(node: exp.Expression) -> AggregateCalled | None:
    """The aggregate this node calls, if it is one of ours."""
    if isinstance(node, exp.Anonymous):
        spelled = node.name.lower()
        name = AGGREGATE_SPELLINGS.get(spelled, spelled if spelled in AGGREGATE_NODES.values() else None)
        arguments = node.expressions
    else:
        name = AGGREGATE_NODES.get(type(node))
        arguments = list(_values(node, ("this", "expressions")))
    if name is None:
        return None
    argument = exp.Tuple(expressions=arguments) if len(arguments) > 1 else arguments[0] if arguments else None
    if isinstance(argument, exp.Distinct):
        listed = argument.expressions
        return AggregateCalled(
            name, _or_rows(listed[0] if len(listed) == 1 else exp.Tuple(expressions=listed)), True
        )
    return AggregateCalled(name, _or_rows(argument))


def known_functions() -> list[str]:
    """Every spelling that `called` or `aggregate_called` understands, in order."""
    nodes = [node for node in (*NODES, *AGGREGATE_NODES) if issubclass(node, exp.Func)]
    by_node = {name.lower() for node in nodes for name in node.sql_names()}
    by_name = {*SPELLINGS, *PARSED_APART, *AGGREGATE_SPELLINGS, *FUNCTIONS}
    return sorted((by_node | by_name) - (OPERATORS - SPELLINGS.keys()) - {"str_position"})


def _values(node: exp.Expression, keys: tuple[str, ...]) -> Iterator[exp.Expression]:
    for key in keys:
        value = node.args.get(key)
        if isinstance(value, list):
            yield from value
        elif value is not None:
            yield value


def _or_rows(argument: exp.Expression | None) -> exp.Expression | None:
    return None if isinstance(argument, exp.Star) else argument


_BY_NODE = {
    word.lower(): name
    for kind, (name, _) in NODES.items()
    if issubclass(kind, exp.Func) and not issubclass(kind, exp.Connector)
    for word in kind.sql_names()
}
"""The names by which sqlglot calls its nodes, for calls whose arguments it could not place."""


def _anonymous(node: exp.Expression) -> Called | None:
    spelled = node.name.lower()
    arguments = node.expressions
    if spelled in ("date_part", "datepart") and len(arguments) == 2:
        return _part(arguments[0].name, arguments[1])
    name = SPELLINGS.get(spelled) or _BY_NODE.get(spelled, spelled)
    if name not in FUNCTIONS or (name in OPERATORS and spelled not in {*SPELLINGS, *_BY_NODE}):
        return None
    if name == "date_diff" and len(arguments) == 2:
        return Called(name, [exp.Literal.string("day"), arguments[1], arguments[0]])
    if name in ("date_trunc", "date_diff") and arguments:
        arguments = [_unit(arguments[0]), *arguments[1:]]
    return Called(name, list(arguments))


def _escape(node: exp.Expression) -> Called | None:
    inner = called(node.this)
    if inner is None or inner.name not in ("like", "ilike", "not"):
        return None
    if inner.name == "not":
        like = inner.arguments[0]
        return Called("not", [exp.Escape(this=like.copy(), expression=node.expression.copy())])
    return Called(inner.name, [*inner.arguments, node.expression])


def _like(node: exp.Expression) -> Called:
    if node.args.get("negate"):
        positive = node.copy()
        positive.set("negate", None)
        return Called("not", [positive])
    return Called("ilike" if isinstance(node, exp.ILike) else "like", [node.this, node.expression])


def _is(node: exp.Expression) -> Called | None:
    match node.expression:
        case exp.Null():
            return Called("is_null", [node.this])
        case exp.Boolean() as truth:
            return Called("is_not_distinct_from", [node.this, truth])
    return None


def _distinct_from(node: exp.Expression) -> Called:
    same = exp.NullSafeEQ(this=node.this.copy(), expression=node.expression.copy())
    return Called("not", [same])


def _whole_division(node: exp.Expression) -> Called:
    """Of integers the quotient is whole already; of other numbers it is cut."""
    return Called("truncate", [exp.Div(this=node.this.copy(), expression=node.expression.copy())])


def _trim(node: exp.Expression) -> Called | None:
    if node.args.get("collation"):
        return None
    sides = {"LEADING": "ltrim", "TRAILING": "rtrim"}
    name = sides.get(str(node.args.get("position") or "").upper(), "trim")
    return Called(name, list(_values(node, ("this", "expression"))))


def _pad(node: exp.Expression) -> Called:
    name = "lpad" if node.args.get("is_left") else "rpad"
    return Called(name, list(_values(node, ("this", "expression", "fill_pattern"))))


def _log(node: exp.Expression) -> Called:
    """`log(x)` is to base ten, as in the SQL of Postgres and DuckDB."""
    if node.expression is None:
        return Called("log10", [node.this])
    base = node.this.name if isinstance(node.this, exp.Literal) and not node.this.is_string else ""
    if base in ("2", "10"):
        return Called(f"log{base}", [node.expression])
    return Called("log", [node.this, node.expression])


def _extract(node: exp.Expression) -> Called | None:
    return _part(node.this.name, node.expression)


def _part(field: str, moment: exp.Expression) -> Called | None:
    """A field by its name; `dow` counts from Sunday, 0, which the ISO day is modulo 7."""
    if field.lower() == "dow":
        return Called("modulo", [exp.DayOfWeekIso(this=moment.copy()), exp.Literal.number(7)])
    name = EXTRACTED.get(_singular(field))
    return None if name is None else Called(name, [moment])


def _date_trunc(node: exp.Expression) -> Called | None:
    if node.args.get("zone"):
        return None
    return Called("date_trunc", [_unit(node.args["unit"]), node.this])


def _date_diff(node: exp.Expression) -> Called:
    """`date_diff(unit, start, end)`, `datediff(end, start)` in days, `date_diff(end, start, unit)`.

    sqlglot takes the third argument for the unit. If it was a bare column's name it is one again
    here, without its case; a dialect that keeps the call anonymous loses nothing.
    """
    one, other, third = node.this, node.expression, node.args.get("unit")
    if third is None:
        return Called("date_diff", [exp.Literal.string("day"), other, one])
    if _singular(one.name) in UNITS and isinstance(one, exp.Literal | exp.Column):
        return Called("date_diff", [_unit(one), other, _no_unit(third)])
    return Called("date_diff", [_unit(third), other, one])


def _no_unit(node: exp.Expression) -> exp.Expression:
    if not isinstance(node, exp.Var):
        return node
    return exp.Literal.string(node.name) if node.name[:1].isdigit() else exp.column(node.name.lower())


def _moved(name: str) -> Callable[[exp.Expression], Called | None]:
    """`date_add(t, INTERVAL …)`; a bare number of days would have to say what it gives."""

    def move(node: exp.Expression) -> Called | None:
        is_interval = isinstance(node.expression, exp.Interval)
        return Called(name, [node.this, node.expression]) if is_interval else None

    return move


def _unit(node: exp.Expression) -> exp.Expression:
    """The unit as a literal of the table's spelling, if it is one."""
    is_name = isinstance(node, exp.Var | exp.Column) or (isinstance(node, exp.Literal) and node.is_string)
    return exp.Literal.string(_singular(node.name)) if is_name else node


def _singular(name: str) -> str:
    word = name.lower()
    return word[:-1] if word[:-1] in UNITS else word


_SPECIAL: dict[type[exp.Expression], Callable[[exp.Expression], Called | None]] = {
    exp.Anonymous: _anonymous,
    exp.Escape: _escape,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Is: _is,
    exp.NullSafeNEQ: _distinct_from,
    exp.IntDiv: _whole_division,
    exp.Trim: _trim,
    exp.Pad: _pad,
    exp.Log: _log,
    exp.Extract: _extract,
    exp.DateTrunc: _date_trunc,
    exp.TimestampTrunc: _date_trunc,
    exp.DateDiff: _date_diff,
    exp.TimestampDiff: _date_diff,
    exp.DateAdd: _moved("add"),
    exp.TimestampAdd: _moved("add"),
    exp.DateSub: _moved("subtract"),
    exp.TimestampSub: _moved("subtract"),
}
