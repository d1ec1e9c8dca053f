"""Calls that are short for other expressions of SQL.

nvl2(a, b, c)  =  CASE WHEN a IS NOT NULL THEN b ELSE c END
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from slackwater.algebra.expressions.number_formats import number_format

Node = exp.Expression
Macro = Callable[..., Node | None]
"""The expression that a call stands for; None if it does not have these arguments."""


def expansion(node: Node) -> Node | None:
    """What the call is short for, or None; positions in the text are those of the call."""
    name, arguments = _call(node)
    macro = MACROS.get(name)
    if macro is None:
        return None
    try:
        expanded = macro(*(argument.copy() for argument in arguments))
    except TypeError:
        return None
    if expanded is not None:
        expanded.meta.update(node.meta)
    return expanded


def _call(node: Node) -> tuple[str, list[Node]]:
    if isinstance(node, exp.Anonymous):
        return node.name.lower(), node.expressions
    if isinstance(node, exp.Date | exp.String | exp.Timestamp):
        present = [value for value in node.args.values() if value not in (None, [], False)]
        return type(node).__name__.lower(), [node.this] if present == [node.this] else []
    if isinstance(node, exp.Replace) and node.args.get("replacement") is None:
        return "replace", [node.this, node.expression]
    if isinstance(node, exp.Trunc) and node.args.get("decimals") is not None:
        return "trunc", [node.this, node.args["decimals"]]
    return "", []


def _case(condition: Node, then: Node, otherwise: Node | None = None) -> Node:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def _is_known(value: Node) -> Node:
    return exp.Not(this=exp.Is(this=value, expression=exp.Null()))


def _cast(kind: exp.DType) -> Macro:
    return lambda value: exp.Cast(this=value, to=exp.DataType(this=kind))


def _decode(value: Node, *parts: Node) -> Node | None:
    """A value chosen by equality, NULL being equal to NULL; of two arguments it is a function of bytes."""
    if len(parts) < 2:
        return None
    pairs = zip(parts[::2], parts[1::2], strict=False)
    ifs = [
        exp.If(this=exp.NullSafeEQ(this=value.copy(), expression=sought), true=then) for sought, then in pairs
    ]
    return exp.Case(ifs=ifs, default=parts[-1] if len(parts) % 2 else None)


def _valid(text: Node) -> Node:
    """Texts are valid UTF-8 already."""
    return exp.DPipe(this=text, expression=exp.Literal.string(""))


def _read(kind: exp.DType) -> Macro:
    """A text as a time, without a format; with one it is a function."""
    return lambda text: exp.TryCast(this=text, to=exp.DataType(this=kind))


def _truncated(day: Node, unit: Node) -> Node | None:
    """trunc(date, 'month'); of a number, it is a function."""
    units = {
        **dict.fromkeys(("year", "yyyy", "yy"), "year"),
        **dict.fromkeys(("month", "mon", "mm"), "month"),
        "quarter": "quarter",
        "week": "week",
    }
    name = units.get(unit.name.lower()) if isinstance(unit, exp.Literal) and unit.is_string else None
    if name is None:
        return None
    begin = exp.Anonymous(this="date_trunc", expressions=[exp.Literal.string(name), day])
    return exp.Cast(this=begin, to=exp.DataType(this=exp.DType.DATE))


def _quotient(a: Node, b: Node) -> Node:
    """try_divide(a, b): of integers, too, the quotient is a DOUBLE."""
    return exp.Div(this=exp.TryCast(this=a, to=exp.DataType(this=exp.DType.DOUBLE)), expression=b)


def _to_number(text: Node, form: Node) -> Node | None:
    """The decimal that a text has in a format, which says how many digits it has."""
    format_ = number_format(form.name) if isinstance(form, exp.Literal) and form.is_string else None
    digits = (format_.precision, format_.part) if format_ is not None else (1, 0)
    plain = exp.Anonymous(this="number_text", expressions=[text, form])
    return exp.TryCast(this=plain, to=exp.DataType.build("DECIMAL({}, {})".format(*digits)))


def _str_to_map(text: Node, between: Node | None = None, inside: Node | None = None) -> Node:
    """The map of a text 'a:1,b:2': its parts between commas, each split once at a colon."""

    def called(name: str, *arguments: Node) -> Node:
        return exp.Anonymous(this=name, expressions=list(arguments))

    def part(place: int) -> Node:
        entry = exp.column(exp.to_identifier(_ENTRY, quoted=True))
        at = exp.Literal.string(":") if inside is None else inside.copy()
        return called("get", called("split", entry, at, exp.Literal.number(2)), exp.Literal.number(place))

    key, value = exp.Literal.string("key"), exp.Literal.string("value")
    pair = called("named_struct", key, part(0), value, part(1))
    function = exp.Lambda(this=pair, expressions=[exp.to_identifier(_ENTRY, quoted=True)])
    parts = called("split", text, exp.Literal.string(",") if between is None else between)
    return called("map_from_entries", called("transform", parts, function))


_ENTRY = "@entry"
"""A name that no column has."""


def _space(count: Node) -> Node:
    return exp.Repeat(this=exp.Literal.string(" "), times=count)


_TEMPLATES = {
    "YYYY": "yyyy", "YY": "yy", "MM": "MM", "MON": "MMM", "DDD": "DDD", "DD": "dd", "DY": "E", "HH24": "HH",
    "HH12": "hh", "HH": "hh", "MI": "mm", "SS": "ss", "MS": "SSS", "US": "SSSSSS", "AM": "a", "PM": "a",
}  # fmt: skip
"""PostgreSQL's templates of times, and the same in the formats of DATE_FORMAT; longer ones first."""
_IN_TEMPLATES = re.compile(r"YY|MI|HH24|HH12")
"""What only templates have: in a format of Spark these are errors."""


def _to_char(value: Node, template: Node) -> Node | None:
    """A time in a format of Spark, or in a template of PostgreSQL, which other systems have, too."""
    if not (isinstance(template, exp.Literal) and template.is_string):
        return None
    text = template.name
    if _IN_TEMPLATES.search(text):
        words = re.split(rf"({'|'.join(_TEMPLATES)})", text)
        if any(re.search("[A-Za-z]", word) for word in words[::2]):
            return None
        text = "".join(_TEMPLATES.get(word, word) for word in words)
    return exp.Anonymous(this="DATE_FORMAT", expressions=[value, exp.Literal.string(text)])


MACROS: dict[str, Macro] = {
    "to_char": _to_char,
    "to_varchar": _to_char,
    "nvl2": lambda a, b, c: _case(_is_known(a), b, c),
    "iff": lambda a, b, c: _case(a, b, c),
    "nullifzero": lambda a: exp.Nullif(this=a, expression=exp.Literal.number(0)),
    "zeroifnull": lambda a: exp.Coalesce(this=a, expressions=[exp.Literal.number(0)]),
    "isnotnull": _is_known,
    "decode": _decode,
    "space": _space,
    "str_to_map": _str_to_map,
    "positive": lambda a: exp.Mul(this=a, expression=exp.Literal.number(1)),
    "replace": lambda a, b: exp.Replace(this=a, expression=b, replacement=exp.Literal.string("")),
    "is_valid_utf8": lambda a: exp.EQ(this=exp.Length(this=a), expression=exp.Length(this=a.copy())),
    **dict.fromkeys(("make_valid_utf8", "validate_utf8", "try_validate_utf8"), _valid),
    **dict.fromkeys(("to_date", "try_to_date"), _read(exp.DType.DATE)),
    **dict.fromkeys(("to_timestamp", "to_timestamp_ltz", "try_to_timestamp"), _read(exp.DType.TIMESTAMP)),
    "to_timestamp_ntz": _read(exp.DType.TIMESTAMPNTZ),
    "trunc": _truncated,
    "try_divide": _quotient,
    **dict.fromkeys(("to_number", "try_to_number"), _to_number),
    "div": lambda a, b: exp.IntDiv(this=a, expression=b),
    "decimal": lambda value: exp.Cast(this=value, to=exp.DataType.build("DECIMAL(10, 0)")),
    "bigint": _cast(exp.DType.BIGINT),
    "binary": _cast(exp.DType.BINARY),
    "boolean": _cast(exp.DType.BOOLEAN),
    "date": _cast(exp.DType.DATE),
    "double": _cast(exp.DType.DOUBLE),
    "float": _cast(exp.DType.FLOAT),
    "int": _cast(exp.DType.INT),
    "smallint": _cast(exp.DType.SMALLINT),
    "string": _cast(exp.DType.TEXT),
    "timestamp": _cast(exp.DType.TIMESTAMP),
    "tinyint": _cast(exp.DType.TINYINT),
}
