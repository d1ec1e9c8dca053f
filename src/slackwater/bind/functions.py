"""From the many spellings of functions and operators to the one name each has in the algebra.

Only names are resolved here; the binder checks the arguments. Where sqlglot parses a call into something
else (`log10(x)` is a `Log` to base 10), the original call is restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from slackwater.algebra.expressions.functions import FUNCTIONS, UNITS
from slackwater.algebra.expressions.higher import SPELLINGS as HIGHER
from slackwater.algebra.users.functions import AGGREGATE, UserFunction
from slackwater.bind.collected import NAMES as COLLECTED
from slackwater.bind.collected import collected_call
from slackwater.bind.macros import MACROS
from slackwater.bind.nested.constructors import CONSTRUCTORS
from slackwater.bind.spellings import (
    AGGREGATE_NODES,
    AGGREGATE_SPELLINGS,
    CLOCK_FUNCTIONS,
    EXTRACTED,
    FLAGS,
    NODES,
    OPERATORS,
    PARSED_APART,
    SPECIAL_KEYS,
    SPELLINGS,
)

__all__ = [
    "CLOCK_FUNCTIONS",
    "AggregateCall",
    "FunctionCall",
    "aggregate_call",
    "function_call",
    "known_functions",
]


_TWO, _LIST = ("this", "expression"), ("this", "expressions")
_NO_FUNCTIONS: Mapping[str, UserFunction] = {}


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function by its name in the algebra, and the nodes of its arguments."""

    name: str
    arguments: list[exp.Expression]


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate by its name in the algebra; COUNT(*) has no argument, COUNT(DISTINCT a, b) a tuple."""

    name: str
    argument: exp.Expression | None
    distinct: bool = False
    user: UserFunction | None = None
    """The aggregate of a user: it has `arguments`, and the rows for which all of `where` holds."""
    arguments: tuple[exp.Expression, ...] = ()
    where: tuple[exp.Expression, ...] = ()


def function_call(node: exp.Expression) -> FunctionCall | None:
    """The function this node calls, or None."""
    special = _SPECIAL.get(type(node))
    if special is not None:
        return special(node) if _reads_all(node, SPECIAL_KEYS.get(type(node), _TWO)) else None
    if type(node) not in NODES:
        return None
    name, keys = NODES[type(node)]
    return FunctionCall(name, list(_values(node, keys))) if _reads_all(node, keys) else None


def _reads_all(node: exp.Expression, keys: tuple[str, ...]) -> bool:
    """Whether the node has no arguments but these."""
    present = {key for key, value in node.args.items() if value not in (None, [], False)}
    return present <= {*keys, *FLAGS}


def aggregate_call(
    node: exp.Expression, functions: Mapping[str, UserFunction] = _NO_FUNCTIONS
) -> AggregateCall | None:
    """The aggregate this node calls, one of SQL or among the functions of users; or None.

    agg(x) FILTER (WHERE c) is agg(CASE WHEN c THEN x END): aggregates ignore NULLs.
    """
    if isinstance(node, exp.Filter):
        whole = aggregate_call(node.this, functions)
        if whole is not None and whole.user is not None:
            return replace(whole, where=(*whole.where, node.expression.this))
        return None if whole is None else AggregateCall(whole.name, _only_where(node, whole), whole.distinct)
    own = functions.get(node.name.lower()) if isinstance(node, exp.Anonymous) else None
    if own is not None:
        return _of_user(own, node.expressions) if own.form == AGGREGATE else None
    whole_bag = collected_call(node)
    if whole_bag is not None:
        return AggregateCall(*whole_bag)
    if isinstance(node, exp.Anonymous):
        spelled = node.name.lower()
        name = AGGREGATE_SPELLINGS.get(spelled, spelled if spelled in AGGREGATE_NODES.values() else None)
        arguments = node.expressions
    else:
        name = AGGREGATE_NODES.get(type(node))
        arguments = list(_values(node, _LIST))
    if name is None or not _reads_all(node, _LIST):
        return None
    argument = exp.Tuple(expressions=arguments) if len(arguments) > 1 else arguments[0] if arguments else None
    if isinstance(argument, exp.Distinct):
        listed = argument.expressions
        return AggregateCall(
            name, _or_rows(listed[0] if len(listed) == 1 else exp.Tuple(expressions=listed)), True
        )
    return AggregateCall(name, _or_rows(argument))


def _of_user(function: UserFunction, arguments: Sequence[exp.Expression]) -> AggregateCall:
    distinct = any(isinstance(part, exp.Distinct) for part in arguments)
    listed = [
        part for one in arguments for part in (one.expressions if isinstance(one, exp.Distinct) else [one])
    ]
    return AggregateCall(function.name, None, distinct, function, tuple(listed))


def is_mixed(node: exp.Binary) -> bool:
    """Whether different operators of bits meet without parentheses: their precedence differs by system."""
    sides = (node.this, node.expression)
    return isinstance(node, _OF_BITS) and any(
        isinstance(s, _OF_BITS) and type(s) is not type(node) for s in sides
    )


def _only_where(node: exp.Filter, call: AggregateCall) -> exp.Expression:
    value = call.argument if call.argument is not None else exp.Literal.number(1)
    return exp.Case(ifs=[exp.If(this=node.expression.this.copy(), true=value.copy())])


def known_functions() -> list[str]:
    """Every spelling of a function or an aggregate, in order."""
    nodes = [node for node in (*NODES, *AGGREGATE_NODES) if issubclass(node, exp.Func)]
    by_node = {name.lower() for node in nodes for name in node.sql_names()}
    by_name = {
        *SPELLINGS,
        *MACROS,
        *CONSTRUCTORS,
        *PARSED_APART,
        *AGGREGATE_SPELLINGS,
        *COLLECTED,
        *FUNCTIONS,
        *HIGHER,
    }
    return sorted((by_node | by_name) - (OPERATORS - SPELLINGS.keys()) - {"str_position"} - CLOCK_FUNCTIONS)


def _values(node: exp.Expression, keys: tuple[str, ...]) -> Iterator[exp.Expression]:
    for key in keys:
        value = node.args.get(key)
        if isinstance(value, list):
            yield from value
        elif value is not None:
            yield value


def _or_rows(argument: exp.Expression | None) -> exp.Expression | None:
    return None if isinstance(argument, exp.Star) and not any(argument.args.values()) else argument


_OF_BITS = (
    exp.BitwiseAnd,
    exp.BitwiseOr,
    exp.BitwiseXor,
    exp.BitwiseLeftShift,
    exp.BitwiseRightShift,
)
_BY_NODE = {
    word.lower(): name
    for kind, (name, _) in NODES.items()
    if issubclass(kind, exp.Func) and not issubclass(kind, exp.Connector)
    for word in kind.sql_names()
}
"""The names of sqlglot's nodes, for calls whose arguments it could not parse."""


_MOVES = {"date_add": "add", "date_sub": "subtract"}


def _anonymous(node: exp.Expression) -> FunctionCall | None:
    spelled = node.name.lower()
    arguments = node.expressions
    if spelled in ("date_part", "datepart") and len(arguments) == 2:
        return _part(arguments[0].name, arguments[1])
    if spelled in _MOVES and len(arguments) == 2 and isinstance(arguments[1], exp.Interval):
        return FunctionCall(_MOVES[spelled], list(arguments))
    name = SPELLINGS.get(spelled) or _BY_NODE.get(spelled, spelled)
    if name not in FUNCTIONS or (name in OPERATORS and spelled not in {*SPELLINGS, *_BY_NODE}):
        return None
    if spelled in CLOCK_FUNCTIONS and not arguments:
        return None
    if spelled == "dateadd" and len(arguments) == 2:
        return FunctionCall("date_add", list(arguments))
    if name == "convert_timezone" and len(arguments) == 2:
        return FunctionCall(name, [exp.Literal.string("UTC"), *arguments])
    if name == "date_diff" and len(arguments) == 2:
        return FunctionCall(name, [exp.Literal.string("day"), arguments[1], arguments[0]])
    if name in ("date_trunc", "date_diff", "timestampadd") and arguments:
        arguments = [_unit(arguments[0]), *arguments[1:]]
    return FunctionCall(name, list(arguments))


def _escape(node: exp.Expression) -> FunctionCall | None:
    inner = function_call(node.this)
    if inner is None or inner.name not in ("like", "ilike", "not"):
        return None
    if inner.name == "not":
        like = inner.arguments[0]
        return FunctionCall("not", [exp.Escape(this=like.copy(), expression=node.expression.copy())])
    return FunctionCall(inner.name, [*inner.arguments, node.expression])


def _like(node: exp.Expression) -> FunctionCall:
    if node.args.get("negate"):
        positive = node.copy()
        positive.set("negate", None)
        return FunctionCall("not", [positive])
    return FunctionCall("ilike" if isinstance(node, exp.ILike) else "like", [node.this, node.expression])


def _is(node: exp.Expression) -> FunctionCall | None:
    match node.expression:
        case exp.Null():
            return FunctionCall("is_null", [node.this])
        case exp.Boolean() as truth:
            return FunctionCall("is_not_distinct_from", [node.this, truth])
    return None


def _distinct_from(node: exp.Expression) -> FunctionCall:
    same = exp.NullSafeEQ(this=node.this.copy(), expression=node.expression.copy())
    return FunctionCall("not", [same])


def _whole_division(node: exp.Expression) -> FunctionCall:
    """The quotient of integers is whole; of other numbers it is truncated."""
    return FunctionCall("truncate", [exp.Div(this=node.this.copy(), expression=node.expression.copy())])


def _trim(node: exp.Expression) -> FunctionCall | None:
    if node.args.get("collation"):
        return None
    sides = {"LEADING": "ltrim", "TRAILING": "rtrim"}
    name = sides.get(str(node.args.get("position") or "").upper(), "trim")
    return FunctionCall(name, list(_values(node, ("this", "expression"))))


def _pad(node: exp.Expression) -> FunctionCall:
    name = "lpad" if node.args.get("is_left") else "rpad"
    return FunctionCall(name, list(_values(node, ("this", "expression", "fill_pattern"))))


def _log(node: exp.Expression) -> FunctionCall:
    """`log(x)` is to base ten, as in the SQL of Postgres and DuckDB."""
    if node.expression is None:
        return FunctionCall("log10", [node.this])
    base = node.this.name if isinstance(node.this, exp.Literal) and not node.this.is_string else ""
    if base in ("2", "10"):
        return FunctionCall(f"log{base}", [node.expression])
    return FunctionCall("log", [node.this, node.expression])


def _extract(node: exp.Expression) -> FunctionCall | None:
    return _part(node.this.name, node.expression)


def _part(field: str, moment: exp.Expression) -> FunctionCall | None:
    """A field by its name; `dow` counts from Sunday, 0, which the ISO day is modulo 7."""
    if field.lower() == "dow":
        return FunctionCall("modulo", [exp.DayOfWeekIso(this=moment.copy()), exp.Literal.number(7)])
    name = EXTRACTED.get(_singular(field))
    return None if name is None else FunctionCall(name, [moment])


def _date_trunc(node: exp.Expression) -> FunctionCall | None:
    if node.args.get("zone"):
        return None
    return FunctionCall("date_trunc", [_unit(node.args["unit"]), node.this])


def _date_diff(node: exp.Expression) -> FunctionCall:
    """`date_diff(unit, start, end)`, `datediff(end, start)` in days, `date_diff(end, start, unit)`.

    sqlglot parses the third argument as the unit. If it was a column's name it becomes one again here, in
    lower case; a dialect that keeps the call anonymous preserves the case.
    """
    one, other, third = node.this, node.expression, node.args.get("unit")
    if third is None:
        return FunctionCall("date_diff", [exp.Literal.string("day"), other, one])
    if _singular(one.name) in UNITS and isinstance(one, exp.Literal | exp.Column):
        return FunctionCall("date_diff", [_unit(one), other, _no_unit(third)])
    return FunctionCall("date_diff", [_unit(third), other, one])


def _no_unit(node: exp.Expression) -> exp.Expression:
    if not isinstance(node, exp.Var):
        return node
    return exp.Literal.string(node.name) if node.name[:1].isdigit() else exp.column(node.name.lower())


def _moved(name: str) -> Callable[[exp.Expression], FunctionCall | None]:
    """`date_add(t, INTERVAL …)`; the type of the result of a bare number of days would be ambiguous."""

    def move(node: exp.Expression) -> FunctionCall | None:
        is_interval = isinstance(node.expression, exp.Interval)
        return FunctionCall(name, [node.this, node.expression]) if is_interval else None

    return move


def _unit(node: exp.Expression) -> exp.Expression:
    """The unit as a literal, in lower case and singular, if it is a name or a text."""
    is_name = isinstance(node, exp.Var | exp.Column) or (isinstance(node, exp.Literal) and node.is_string)
    return exp.Literal.string(_singular(node.name)) if is_name else node


def _singular(name: str) -> str:
    word = name.lower()
    return word[:-1] if word[:-1] in UNITS else word


_SPECIAL: dict[type[exp.Expression], Callable[[exp.Expression], FunctionCall | None]] = {
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
