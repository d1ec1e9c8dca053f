"""The spellings of functions: sqlglot's nodes, and names without a node."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra.expressions.functions import FUNCTIONS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ONE, _TWO, _LIST = ("this",), ("this", "expression"), ("this", "expressions")

NODES: dict[type[exp.Expression], tuple[str, tuple[str, ...]]] = {
    exp.Add: ("add", _TWO),
    exp.Sub: ("subtract", _TWO),
    exp.Mul: ("multiply", _TWO),
    exp.Div: ("divide", _TWO),
    exp.SafeDivide: ("divide", _TWO),
    exp.Mod: ("modulo", _TWO),
    exp.Neg: ("negate", _ONE),
    exp.EQ: ("eq", _TWO),
    exp.NEQ: ("ne", _TWO),
    exp.LT: ("lt", _TWO),
    exp.LTE: ("le", _TWO),
    exp.GT: ("gt", _TWO),
    exp.GTE: ("ge", _TWO),
    exp.NullSafeEQ: ("is_not_distinct_from", _TWO),
    exp.And: ("and", _TWO),
    exp.Or: ("or", _TWO),
    exp.Not: ("not", _ONE),
    exp.Coalesce: ("coalesce", _LIST),
    exp.Nullif: ("nullif", _TWO),
    exp.Greatest: ("greatest", _LIST),
    exp.Least: ("least", _LIST),
    exp.Upper: ("upper", _ONE),
    exp.Lower: ("lower", _ONE),
    exp.Length: ("length", _ONE),
    exp.Substring: ("substring", ("this", "start", "length")),
    exp.Concat: ("concat", ("expressions",)),
    exp.DPipe: ("concat", _TWO),
    exp.Replace: ("replace", ("this", "expression", "replacement")),
    exp.Left: ("left", _TWO),
    exp.Right: ("right", _TWO),
    exp.StartsWith: ("starts_with", _TWO),
    exp.EndsWith: ("ends_with", _TWO),
    exp.Contains: ("contains", _TWO),
    exp.StrPosition: ("position", ("substr", "this", "position", "occurrence")),
    exp.Reverse: ("reverse", _ONE),
    exp.Repeat: ("repeat", ("this", "times")),
    exp.SplitPart: ("split_part", ("this", "delimiter", "part_index")),
    exp.Abs: ("abs", _ONE),
    exp.Ceil: ("ceil", ("this", "decimals")),
    exp.Floor: ("floor", ("this", "decimals")),
    exp.Round: ("round", ("this", "decimals", "truncate")),
    exp.Trunc: ("truncate", ("this", "decimals")),
    exp.Sqrt: ("sqrt", _ONE),
    exp.Pow: ("power", _TWO),
    exp.Exp: ("exp", _ONE),
    exp.Ln: ("ln", _ONE),
    exp.Sign: ("sign", _ONE),
    exp.Sin: ("sin", _ONE),
    exp.Cos: ("cos", _ONE),
    exp.Tan: ("tan", _ONE),
    exp.Asin: ("asin", _ONE),
    exp.Acos: ("acos", _ONE),
    exp.Atan: ("atan", _TWO),
    exp.Atan2: ("atan2", _TWO),
    exp.Pi: ("pi", ()),
    exp.Degrees: ("degrees", _ONE),
    exp.Radians: ("radians", _ONE),
    exp.BitwiseAnd: ("bitwise_and", _TWO),
    exp.BitwiseOr: ("bitwise_or", _TWO),
    exp.BitwiseXor: ("bitwise_xor", _TWO),
    exp.BitwiseNot: ("bitwise_not", _ONE),
    exp.BitwiseLeftShift: ("shiftleft", _TWO),
    exp.BitwiseRightShift: ("shiftright", _TWO),
    exp.RegexpLike: ("regexp_like", _TWO),
    exp.Struct: ("struct", ("expressions",)),
    exp.Array: ("array", ("expressions",)),
    exp.Bracket: ("get", _LIST),
    exp.AtTimeZone: ("at_time_zone", ("this", "zone")),
    exp.Year: ("year", _ONE),
    exp.Month: ("month", _ONE),
    exp.Day: ("day", _ONE),
    exp.DayOfMonth: ("day", _ONE),
    exp.Hour: ("hour", _ONE),
    exp.Minute: ("minute", _ONE),
    exp.Second: ("second", _ONE),
    exp.DayOfWeek: ("day_of_week", _ONE),
    exp.DayOfWeekIso: ("day_of_week", _ONE),
    exp.DayOfYear: ("day_of_year", _ONE),
    exp.Week: ("week", ("this", "mode")),
    exp.WeekOfYear: ("week", _ONE),
    exp.Quarter: ("quarter", _ONE),
    exp.DateFromParts: ("make_date", ("year", "month", "day")),
}
"""The function and the node's arguments in the function's order.

Arguments that the function does not take are passed on, so that their number is reported.
"""

SPECIAL_KEYS: dict[type[exp.Expression], tuple[str, ...]] = {
    exp.Anonymous: _LIST,
    exp.Like: (*_TWO, "negate"),
    exp.ILike: (*_TWO, "negate"),
    exp.Trim: (*_TWO, "position"),
    exp.Pad: (*_TWO, "fill_pattern"),
    **dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc), ("this", "unit")),
    **dict.fromkeys((exp.DateDiff, exp.TimestampDiff), (*_TWO, "unit")),
}
"""The arguments of nodes that are not in NODES but translated one by one, if not the usual two."""

FLAGS = frozenset({"typed", "safe", "coalesce", "ignore_nulls", "big_int", "is_left", "value_constructor"})
"""Settings of nodes that are ignored: division, concat and greatest have one meaning."""

OPERATORS = frozenset(name for name, function in FUNCTIONS.items() if function.syntax)
"""Functions that are written as operators, not by their names."""

SPELLINGS: dict[str, str] = {
    "btrim": "trim",
    "ltrim": "ltrim",
    "rtrim": "rtrim",
    "mid": "substring",
    "prefix": "starts_with",
    "suffix": "ends_with",
    "isnull": "is_null",
    "is_null": "is_null",
    "doy": "day_of_year",
    "weekofyear": "week",
    "datetrunc": "date_trunc",
    "date_diff": "date_diff",
    "datediff": "date_diff",
    "equal_null": "is_not_distinct_from",
    "char": "chr",
    "sha": "sha1",
    "getbit": "bit_get",
    "try_url_decode": "url_decode",
    "try_parse_url": "parse_url",
    "try_to_binary": "to_binary",
    "printf": "format_string",
    "rlike": "regexp_like",
    "regexp": "regexp_like",
    "unix_timestamp": "to_unix_timestamp",
    "to_timestamp_ltz": "to_timestamp",
    "try_to_timestamp": "to_timestamp",
    "try_to_date": "to_date",
    "make_timestamp_ltz": "make_timestamp",
    "try_make_timestamp": "make_timestamp",
    "try_make_timestamp_ltz": "make_timestamp",
    "try_make_timestamp_ntz": "make_timestamp_ntz",
    "dateadd": "timestampadd",
    "try_mod": "modulo",
    "negative": "negate",
    **dict.fromkeys(("cardinality", "array_size", "array_length"), "size"),
    "try_element_at": "element_at",
}
"""Names without a node in sqlglot (or kept by a dialect), besides the functions' own."""

PARSED_APART = _words(
    "ucase lcase len substr position strpos instr locate charindex ifnull nvl log log2 log10 lpad "
    "rpad trim extract date_part datepart mod pow ceiling trunc truncate signum date_trunc timestamp_trunc "
    "timestampdiff timestamp_diff date_add date_sub"
)
"""Names that sqlglot parses into nodes of other names."""

EXTRACTED: dict[str, str] = {
    **{
        name: name
        for name in ("year", "month", "day", "hour", "minute", "second", "week", "quarter", "epoch")
    },
    "isodow": "day_of_week",
    "dayofweek": "day_of_week",
    "dayofweek_iso": "day_of_week",
    "doy": "day_of_year",
    "dayofyear": "day_of_year",
}

AGGREGATE_NODES: dict[type[exp.Expression], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev",
    exp.StddevPop: "stddev_pop",
    exp.Variance: "variance",
    exp.VariancePop: "var_pop",
    exp.Median: "median",
}

AGGREGATE_SPELLINGS: dict[str, str] = {"mean": "avg", "average": "avg", "std": "stddev", "var": "variance"}

CLOCK_FUNCTIONS = _words(
    "now current_timestamp current_date current_time current_datetime localtime localtimestamp "
    "getdate sysdate systimestamp today unix_timestamp get_current_timestamp transaction_timestamp "
    "statement_timestamp clock_timestamp curdate curtime utc_timestamp utc_date utc_time rand random "
    "randn uuid gen_random_uuid newid"
)
"""Names whose value depends on when, or how often, it is computed; a continuous query cannot use them."""
