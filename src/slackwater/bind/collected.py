"""Calls of aggregates over several values: they become aggregates of a struct, or other aggregates.

min_by(a, b)                                 =  min_by of (b, a)
percentile_cont(0.9) WITHIN GROUP (ORDER BY a)  =  percentile of (a, 0.9)
count_if(c)                                  =  count of CASE WHEN c THEN 1 END
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

Node = exp.Expression
Collected = tuple[str, Node, bool]
"""An aggregate by its name in the algebra, its argument, and whether each value counts once."""

PAIRS = (
    "corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_sxx", "regr_sxy", "regr_syy",
    "regr_slope", "regr_intercept", "regr_r2",
)  # fmt: skip
_DIRECT = ("mode", "collect_set", "bit_and", "bit_or", "bit_xor", "skewness", "kurtosis")


def collected_call(node: Node) -> Collected | None:
    """The aggregate that the call stands for, or None."""
    order: Sequence[Node] = ()
    if isinstance(node, exp.WithinGroup):
        order, node = node.expression.expressions, node.this
    name, arguments = _call(node)
    if name not in NAMES or not arguments:
        return None
    first, *rest = arguments
    if isinstance(first, exp.Order) and not order:
        order, first = first.expressions, first.this
    if any(bool(key.args.get("nulls_first")) == bool(key.args.get("desc")) for key in order):
        return None  # NULLs are below everything, and nothing else is supported here
    is_distinct = isinstance(first, exp.Distinct)
    if isinstance(first, exp.Distinct):
        first, *more = first.expressions
        rest = [*more, *rest]
    try:
        argument = NAMES[name][1](order, first, *rest)
    except TypeError:
        return None
    return (
        None
        if argument is None
        else (NAMES[name][0], argument, is_distinct or name == "approx_count_distinct")
    )


def _call(node: Node) -> tuple[str, list[Node]]:
    if isinstance(node, exp.Anonymous):
        return node.name.lower(), node.expressions
    is_compared = isinstance(node.parent, exp.Predicate) and node.arg_key == "expression"
    if isinstance(node, exp.Any) and isinstance(node.this, exp.Paren) and not is_compared:
        return "any", [node.this.this]
    if isinstance(node, exp.GroupConcat) and not node.args.get("on_overflow"):
        separator = node.args.get("separator")
        return "string_agg", [node.this, *([separator] if separator is not None else [])]
    return "", []


def _struct(known: Sequence[Node], *parts: Node) -> Node:
    """The values together, NULL if one of the `known` is."""
    whole = exp.Anonymous(this="struct", expressions=[part.copy() for part in parts])
    conditions = [exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())) for value in known]
    return exp.Case(ifs=[exp.If(this=exp.and_(*conditions, copy=False), true=whole)])


def _double(value: Node) -> Node:
    return exp.Cast(this=value.copy(), to=exp.DataType(this=exp.DType.DOUBLE))


def _alone(order: Sequence[Node], value: Node) -> Node | None:
    return None if order else value


def _by(order: Sequence[Node], value: Node, by: Node) -> Node | None:
    return None if order else _struct([by], by, value)


def _pair(order: Sequence[Node], y: Node, x: Node) -> Node | None:
    return None if order else _struct([y, x], _double(y), _double(x))


def _counted(order: Sequence[Node], *values: Node) -> Node | None:
    if order or len(values) != 2:
        return None
    return _struct(values, *values)


def _where(order: Sequence[Node], condition: Node) -> Node | None:
    return None if order else exp.Case(ifs=[exp.If(this=condition.copy(), true=exp.Literal.number(1))])


def _truth(order: Sequence[Node], condition: Node) -> Node | None:
    """The condition, which has to be one: CASE takes no other value."""
    is_null = exp.Is(this=condition.copy(), expression=exp.Null())
    branches = [
        exp.If(this=condition.copy(), true=exp.Boolean(this=True)),
        exp.If(this=is_null, true=exp.Null()),
    ]
    return None if order else exp.Case(ifs=branches, default=exp.Boolean(this=False))


def _any(order: Sequence[Node], value: Node, ignores: Node | None = None) -> Node | None:
    """Any value will do: it is the least, so that the answer does not depend on the order of rows."""
    is_flag = ignores is None or isinstance(ignores, exp.Boolean)
    return value if is_flag and not order else None


def _approximate(order: Sequence[Node], value: Node, deviation: Node | None = None) -> Node | None:
    return None if order else value


def _fraction(node: Node) -> float | None:
    is_number = isinstance(node, exp.Literal) and not node.is_string
    value = float(node.name) if is_number else -1.0
    return value if 0 <= value <= 1 else None


def _placed(value: Node, share: float | None) -> Node | None:
    if share is None:
        return None
    return _struct([value], value, _double(exp.Literal.number(repr(share))))


def _percentile(order: Sequence[Node], value: Node, share: Node) -> Node | None:
    return None if order else _placed(value, _fraction(share))


def _near(order: Sequence[Node], value: Node, share: Node, accuracy: Node | None = None) -> Node | None:
    """Exact, whatever accuracy would do."""
    return _percentile(order, value, share)


def _within(order: Sequence[Node], share: Node) -> Node | None:
    """The share of an order that goes down is counted from its other end."""
    part = _fraction(share)
    if len(order) != 1 or part is None:
        return None
    is_down = bool(order[0].args.get("desc"))
    return _placed(order[0].this, 1.0 - part if is_down else part)


def _directions(order: Sequence[Node]) -> Node:
    return exp.Literal.string("".join("d" if key.args.get("desc") else "a" for key in order))


def _joined(order: Sequence[Node], text: Node, separator: Node | None = None) -> Node | None:
    between = separator if separator is not None else exp.Literal.string("")
    if not (isinstance(between, exp.Literal) and between.is_string):
        return None
    return _struct([text], text, between, _directions(order), *(key.this for key in order))


def _listed(order: Sequence[Node], value: Node) -> Node:
    return _struct([value], value, _directions(order), *(key.this for key in order))


NAMES: dict[str, tuple[str, Callable[..., Node | None]]] = {
    **{name: (name, _alone) for name in _DIRECT},
    **{name: (name, _pair) for name in PAIRS},
    **dict.fromkeys(("min_by", "arg_min"), ("min_by", _by)),
    **dict.fromkeys(("max_by", "arg_max"), ("max_by", _by)),
    "regr_count": ("count", _counted),
    "count_if": ("count", _where),
    **dict.fromkeys(("bool_and", "every"), ("min", _truth)),
    **dict.fromkeys(("bool_or", "any", "some"), ("max", _truth)),
    "any_value": ("min", _any),
    "bitmap_construct_agg": ("bitmap_construct_agg", _alone),
    "bitmap_or_agg": ("bitmap_or_agg", _alone),
    "bitmap_and_agg": ("bitmap_and_agg", _alone),
    "try_sum": ("try_sum", _alone),
    "approx_count_distinct": ("count", _approximate),
    "try_avg": ("avg", _alone),
    "percentile": ("percentile", _percentile),
    **dict.fromkeys(("approx_percentile", "percentile_approx"), ("percentile_disc", _near)),
    "percentile_cont": ("percentile", _within),
    "percentile_disc": ("percentile_disc", _within),
    **dict.fromkeys(("string_agg", "listagg"), ("string_agg", _joined)),
    **dict.fromkeys(("array_agg", "collect_list"), ("array_agg", _listed)),
}
"""The names of the calls, the aggregate each becomes, and how its argument is made."""
