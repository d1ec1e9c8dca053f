"""Types, schemas, values and expressions in descriptions."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from slackwater.algebra.bestmatch import Dimension
from slackwater.algebra.expressions import nodes
from slackwater.algebra.expressions.functions import AGGREGATES, FUNCTIONS
from slackwater.algebra.expressions.higher import HIGHER
from slackwater.algebra.expressions.over import OVER_FUNCTIONS, Frame, Framed, Placed, SortKey, Unit
from slackwater.algebra.orders import Order
from slackwater.algebra.points import Class, Points
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import Type
from slackwater.algebra.users.functions import FORMS, SCALAR, UserFunction
from slackwater.algebra.values import canonical
from slackwater.physical.description.forms import (
    KIND,
    PLAIN,
    Data,
    Field,
    Form,
    Shape,
    Unreadable,
    many,
    one_of,
    optional,
    pair,
    table,
)

TYPES = frozenset(
    ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "binary",
     "date", "timestamp", "timestamp_ntz", "interval", "null", "unknown", "array", "struct", "map")
)  # fmt: skip
_MICROSECOND = timedelta(microseconds=1)


def _type_data(type_: Type) -> Data:
    if not type_.arguments:
        return type_.name
    return {KIND: type_.name, "of": [_argument_data(argument) for argument in type_.arguments]}


def _argument_data(argument: int | Type | tuple[str, Type]) -> Data:
    match argument:
        case int():
            return argument
        case Type():
            return _type_data(argument)
        case name, inner:
            return {"field": name, "type": _type_data(inner)}


def _type_of(data: Data) -> Type:
    name, arguments = (data, []) if isinstance(data, str) else (data[KIND], data["of"])
    if name not in TYPES:
        raise Unreadable(f'type "{name}"')
    return Type(name, tuple(_argument_of(argument) for argument in arguments))


def _argument_of(data: Data) -> int | Type | tuple[str, Type]:
    if isinstance(data, int):
        return data
    if isinstance(data, dict) and "field" in data:
        return data["field"], _type_of(data["type"])
    return _type_of(data)


def _value_data(value: Any) -> Data:
    """A value; those that JSON does not have are written as a text, with their kind."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return {KIND: "double", "value": value.hex()}
        case Decimal():
            return {KIND: "decimal", "value": str(value)}
        case bytes():
            return {KIND: "binary", "value": value.hex()}
        case datetime():
            return {KIND: "timestamp", "value": value.isoformat()}
        case date():
            return {KIND: "date", "value": value.isoformat()}
        case timedelta():
            return {KIND: "interval", "value": value // _MICROSECOND}
        case tuple():
            return {KIND: "values", "value": [_value_data(item) for item in value]}
    raise TypeError(f"no description of a value of {type(value).__name__}")


def _value_of(data: Data) -> Any:
    match data:
        case {"is": "double", "value": text}:
            return canonical(float.fromhex(text))
        case {"is": "decimal", "value": text}:
            return Decimal(text)
        case {"is": "binary", "value": text}:
            return bytes.fromhex(text)
        case {"is": "timestamp", "value": text}:
            return datetime.fromisoformat(text)
        case {"is": "date", "value": text}:
            return date.fromisoformat(text)
        case {"is": "interval", "value": count}:
            return count * _MICROSECOND
        case {"is": "values", "value": items}:
            return tuple(_value_of(item) for item in items)
        case {"is": kind}:
            raise Unreadable(f'value "{kind}"')
    return data


TYPE = Form(_type_data, _type_of)
VALUE = Form(_value_data, _value_of)
POINTS = Form(
    lambda points: [[one.period, one.residue, one.since, one.until] for one in points.classes],
    lambda data: Points(tuple(Class(*numbers) for numbers in data)),
)
ORDER = Form(lambda order: [order.name, order.path], lambda data: Order(*data))
"""An order of a user by the import path of its function."""


def _form(name: Data) -> str:
    if name not in FORMS:
        raise Unreadable(f'function "{name}"')
    return str(name)


USER_FUNCTION = Form(
    lambda function: {
        "name": function.name,
        "path": function.path,
        "called with": function.kind,
        "result": TYPE.write(function.result),
        "arguments": None if function.arguments is None else [TYPE.write(one) for one in function.arguments],
        "strict": function.strict,
        **({} if function.form == SCALAR else {"form": function.form}),
    },
    lambda data: UserFunction(
        data["name"],
        data["path"],
        data["called with"],
        TYPE.read(data["result"]),
        None if data["arguments"] is None else tuple(TYPE.read(one) for one in data["arguments"]),
        data["strict"],
        form=_form(data.get("form", SCALAR)),
    ),
)
"""A function of a user by its signature and import path; its code is in no description."""
SCHEMA = Form(
    lambda schema: [[name, TYPE.write(type_)] for name, type_ in schema],
    lambda data: Schema(tuple((name, TYPE.read(type_)) for name, type_ in data)),
)


def _expression_data(expr: nodes.Expression) -> Data:
    return _expressions().write(expr)


def _expression_of(data: Data) -> nodes.Expression:
    expr: nodes.Expression = _expressions().read(data)
    return expr


EXPRESSION = Form(_expression_data, _expression_of)

_TYPED = {"type": Field("type", TYPE)}
_PARAMETER = table(
    "parameter",
    {"parameter": Shape(nodes.Parameter, {**_TYPED, "name": Field("name"), "label": Field("label")})},
)
_LAMBDA = table(
    "function",
    {
        "function": Shape(
            nodes.Lambda,
            {"parameters": Field("parameters", many(_PARAMETER)), "body": Field("body", EXPRESSION)},
        )
    },
)
EXPRESSIONS = {
    "column": Shape(nodes.Column, {**_TYPED, "name": Field("name")}),
    "now": Shape(nodes.Now, _TYPED),
    "literal": Shape(nodes.Literal, {**_TYPED, "value": Field("value", VALUE)}),
    "call": Shape(
        nodes.Call,
        {
            **_TYPED,
            "function": Field("function", one_of("function", lambda: FUNCTIONS)),
            "arguments": Field("arguments", many(EXPRESSION)),
        },
    ),
    "case": Shape(
        nodes.Case,
        {
            **_TYPED,
            "branches": Field("branches", many(pair(EXPRESSION, EXPRESSION))),
            "otherwise": Field("otherwise", EXPRESSION),
        },
    ),
    "cast": Shape(
        nodes.Cast, {**_TYPED, "operand": Field("operand", EXPRESSION), "lenient": Field("lenient", PLAIN)}
    ),
    "preferred": Shape(
        nodes.Preferred,
        {**_TYPED, "order": Field("order", ORDER), "arguments": Field("arguments", many(EXPRESSION))},
    ),
    "user call": Shape(
        nodes.UserCall,
        {
            **_TYPED,
            "function": Field("function", USER_FUNCTION),
            "arguments": Field("arguments", many(EXPRESSION)),
        },
    ),
    "variable": Shape(nodes.Variable, {**_TYPED, "name": Field("name"), "label": Field("label")}),
    "function of functions": Shape(
        nodes.HigherCall,
        {
            **_TYPED,
            "function": Field("function", one_of("function", lambda: HIGHER)),
            "arguments": Field("arguments", many(EXPRESSION)),
            "functions": Field("lambdas", many(_LAMBDA)),
        },
    ),
}
"""The expressions that steps have. Subqueries are not among them: the optimizer makes joins of them."""


@cache
def _expressions() -> Form:
    return table("expression", EXPRESSIONS)


DIMENSION = table(
    "dimension",
    {
        "dimension": Shape(
            Dimension,
            {
                "operands": Field("operands", many(EXPRESSION)),
                "order": Field("order", ORDER),
                "bound": Field("bound", optional(EXPRESSION)),
            },
        )
    },
)
SORT_KEY = table(
    "sort key",
    {
        "sort key": Shape(
            SortKey,
            {
                "column": Field("column"),
                "descending": Field("descending"),
                "nulls first": Field("nulls_first"),
            },
        )
    },
)
FRAME = table(
    "frame",
    {
        "frame": Shape(
            Frame,
            {
                "unit": Field("unit", Form(str, Unit)),
                "start": Field("start", optional(EXPRESSION)),
                "end": Field("end", optional(EXPRESSION)),
            },
        )
    },
)
AGGREGATION = table(
    "aggregation",
    {
        "aggregation": Shape(
            nodes.Aggregation,
            {
                **_TYPED,
                "function": Field("function", one_of("aggregate", lambda: {**AGGREGATES, nodes.USER: None})),
                "argument": Field("argument", optional(EXPRESSION)),
                "distinct": Field("distinct"),
                "of a user": Field("user", optional(USER_FUNCTION), is_later=True),
            },
        )
    },
)
OVER_CALL = table(
    "window function",
    {
        "placed": Shape(
            Placed,
            {
                **_TYPED,
                "function": Field("function", one_of("window function", lambda: OVER_FUNCTIONS)),
                "argument": Field("argument", optional(EXPRESSION)),
                "count": Field("count"),
                "default": Field("default", optional(EXPRESSION)),
                "ignore nulls": Field("ignore_nulls"),
                "frame": Field("frame", FRAME),
            },
        ),
        "framed": Shape(
            Framed, {"aggregation": Field("aggregation", AGGREGATION), "frame": Field("frame", FRAME)}
        ),
    },
)
