"""The syntax of this language as nodes of sqlglot, and the arguments of each that binding reads.

sqlglot parses the syntax of thirty systems. A node that is not listed here, or an argument of a listed node
that is not, is refused: nothing that a query says is dropped. Two kinds of nodes are not listed: those of
this package, whose arguments are all ours, and functions, of which `bind.spellings` has the arguments.

To add syntax, list its node and arguments, and read them in `bind`.
"""

from __future__ import annotations

from sqlglot import exp

from slackwater.language.cql.nodes import MaxUnion, StrictExcept

_ONE, _TWO = ("this",), ("this", "expression")
_MODIFIERS = ("with_", "order", "limit", "offset", "locks")
_EXPLICIT = ("all", "indexed", "materialized")
"""Arguments that say something where they are False: NOT MATERIALIZED."""

CONSUMED: dict[type[exp.Expr], tuple[str, ...]] = {
    # Queries.
    exp.Select: (
        *_MODIFIERS, "expressions", "distinct", "from_", "joins", "where", "group", "having",
        "qualify", "windows", "operation_modifiers",
    ),
    exp.Subquery: ("order", "limit", "offset", "locks", "this", "alias", "joins"),
    exp.Union: (*_TWO, "distinct", "by_name", *_MODIFIERS),
    **dict.fromkeys((exp.Except, exp.Intersect), (*_TWO, "distinct", *_MODIFIERS)),
    **dict.fromkeys((MaxUnion, StrictExcept), (*_TWO, *_MODIFIERS)),
    exp.With: ("expressions", "recursive"),
    exp.CTE: ("this", "alias"),
    exp.From: _ONE,
    exp.Table: ("this", "db", "catalog", "alias", "joins", "version"),
    exp.Version: ("this", "kind", "expression"),
    exp.TableAlias: ("this", "columns"),
    exp.Join: ("this", "on", "using", "side", "kind", "method", "match_condition"),
    exp.Where: _ONE,
    exp.Having: _ONE,
    exp.Group: ("expressions", "all"),
    exp.Distinct: ("expressions", "on"),
    exp.Order: ("this", "expressions"),
    exp.Ordered: ("this", "desc", "nulls_first"),
    exp.Limit: ("expression", "expressions"),
    exp.Fetch: ("direction", "count", "limit_options"),
    exp.LimitOptions: ("rows", "with_ties"),
    exp.Offset: ("expression",),
    exp.Qualify: _ONE,
    exp.Lock: ("update", "expressions", "wait", "key"),
    # Declarations.
    exp.ColumnDef: ("this", "kind", "constraints"),
    exp.ColumnConstraint: ("kind",),
    exp.NotNullColumnConstraint: (),
    exp.DataType: ("this", "expressions", "nested"),
    exp.DataTypeParam: _ONE,
    # Expressions.
    exp.Alias: ("this", "alias"),
    exp.Column: ("this", "table", "db", "catalog"),
    exp.Dot: _TWO,
    exp.PropertyEQ: _TWO,
    exp.Lambda: ("this", "expressions"),
    exp.Identifier: ("this", "quoted"),
    exp.Var: _ONE,
    exp.Star: ("except_", "replace"),
    exp.Literal: ("this", "is_string"),
    exp.Boolean: _ONE,
    exp.Null: (),
    exp.Interval: ("this", "unit"),
    exp.IntervalSpan: _TWO,
    exp.Paren: _ONE,
    exp.Tuple: ("expressions",),
    exp.Bracket: ("this", "expressions"),
    exp.In: ("this", "expressions", "query", "field", "unnest"),
    exp.Between: ("this", "low", "high", "symmetric"),
    exp.Any: _ONE,
    exp.All: _ONE,
    exp.Is: _TWO,
    exp.Like: (*_TWO, "negate"),
    exp.ILike: (*_TWO, "negate"),
    exp.Escape: _TWO,
    exp.AtTimeZone: ("this", "zone"),
    exp.Filter: _TWO,
    exp.WithinGroup: _TWO,
    exp.Window: ("this", "partition_by", "order", "spec", "alias", "over"),
    exp.WindowSpec: ("kind", "start", "start_side", "end", "end_side", "exclude"),
    exp.IgnoreNulls: _ONE,
    exp.RespectNulls: _ONE,
    exp.Neg: _ONE,
    exp.Not: _ONE,
    exp.BitwiseNot: _ONE,
    exp.Div: (*_TWO, "typed", "safe"),
    exp.DPipe: (*_TWO, "safe"),
    **dict.fromkeys(
        (
            exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.Mod, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
            exp.NullSafeEQ, exp.NullSafeNEQ, exp.And, exp.Or, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor,
            exp.BitwiseLeftShift, exp.BitwiseRightShift,
        ),
        _TWO,
    ),
    exp.Cast: ("this", "to"),
    exp.TryCast: ("this", "to", "safe"),
    exp.Case: ("this", "ifs", "default"),
    exp.If: ("this", "true", "false"),
    exp.Exists: _ONE,
    exp.Anonymous: ("this", "expressions"),
}  # fmt: skip

CLAUSES: dict[str, str] = {
    "all": "ALL",
    "by_name": "BY NAME",
    "changes": "CHANGES",
    "cluster": "CLUSTER BY",
    "connect": "CONNECT BY",
    "cube": "CUBE",
    "distribute": "DISTRIBUTE BY",
    "format": "FORMAT",
    "group": "GROUP BY",
    "grouping_sets": "GROUPING SETS",
    "having": "HAVING",
    "hint": "a hint",
    "hints": "a hint",
    "indexed": "NOT INDEXED | INDEXED",
    "into": "INTO",
    "joins": "a join",
    "laterals": "LATERAL",
    "limit": "LIMIT",
    "locks": "FOR UPDATE",
    "match": "MATCH_RECOGNIZE",
    "materialized": "MATERIALIZED",
    "offset": "OFFSET",
    "only": "ONLY",
    "order": "ORDER BY",
    "ordinality": "WITH ORDINALITY",
    "partition": "PARTITION",
    "pivots": "PIVOT",
    "prewhere": "PREWHERE",
    "rename": "RENAME",
    "rollup": "ROLLUP",
    "sample": "TABLESAMPLE",
    "siblings": "SIBLINGS",
    "sort": "SORT BY",
    "totals": "WITH TOTALS",
    "when": "AT",
    "with_fill": "WITH FILL",
    "where": "WHERE",
}
"""Words of arguments that are not consumed, or the ways to write them, for their errors."""


def is_read(node: exp.Expr) -> bool:
    """Whether binding reads such nodes."""
    kind = type(node)
    return kind in CONSUMED or isinstance(node, exp.Func) or kind.__module__.startswith("slackwater.")


def unread(node: exp.Expr) -> list[str]:
    """The arguments of a node that binding does not read."""
    consumed = CONSUMED.get(type(node), tuple(node.arg_types))
    return [key for key, value in node.args.items() if _says_something(key, value) and key not in consumed]


def _says_something(key: str, value: object) -> bool:
    return value is not None and value != [] and (value is not False or key in _EXPLICIT)
