"""Values of the algebra from JSON and to JSON, as Spark's from_json and to_json.

A value that is not of its field's type is NULL, and the other fields keep their values; a text that is no
JSON gives a struct of NULLs, or NULL for an array or map. The reference and the kernels share this module:
tests compare it with Spark.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.json_text import Members, Node, NotJson, Number, read
from slackwater.algebra.types import Type, element_of, fields_of
from slackwater.algebra.values import Row, canonical, map_value
from slackwater.base.moments import parse_date, parse_timestamp

_BITS: Final = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_WIDE: Final = Context(prec=200, rounding=ROUND_HALF_UP, Emax=999_999, Emin=-999_999)
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
_EPOCH: Final = datetime(1970, 1, 1)
_INFINITIES: Final = {
    "NaN": math.nan,
    **dict.fromkeys(("+INF", "Infinity", "+Infinity"), math.inf),
    **dict.fromkeys(("-INF", "-Infinity"), -math.inf),
}


class _Misfit(ValueError):
    """A value of JSON that is not of the type."""


def from_json(text: str, type_: Type) -> Any:
    """The value that a text has as one of the type; NULL where it has none."""
    if not text.strip(" \t\r\n"):
        return None
    try:
        return _root(read(text), type_)
    except NotJson:
        return _nothing(type_)


def _nothing(type_: Type) -> Row | None:
    return (None,) * len(type_.arguments) if type_.name == "struct" else None


def _root(node: Node, type_: Type) -> Any:
    if isinstance(node, Members) and type_.name == "array" and element_of(type_).name == "struct":
        return (_converted(node, element_of(type_)),)
    try:
        return _nothing(type_) if node is None else canonical(_converted(node, type_))
    except _Misfit:
        return _nothing(type_)


def _converted(node: Node, type_: Type) -> Any:
    """The value of a node; raises _Misfit."""
    if node is None:
        return None
    match type_.name:
        case "struct" if isinstance(node, Members):
            return _struct(node, type_)
        case "array" if isinstance(node, list) and not isinstance(node, Members):
            items: list[Any] = node
            return tuple(_converted(item, element_of(type_)) for item in items)
        case "map" if isinstance(node, Members):
            return _map(node, type_)
        case "string":
            return _text(node)
        case "boolean" if isinstance(node, bool):
            return node
        case name if name in _FROM_NUMBERS and isinstance(node, Number):
            return _FROM_NUMBERS[name](node, type_)
        case name if name in _FROM_TEXTS and isinstance(node, str):
            return _FROM_TEXTS[name](node, type_)
    raise _Misfit


def _struct(node: Members, type_: Type) -> Row:
    places = {name: place for place, (name, _) in enumerate(fields_of(type_))}
    values: list[Any] = [None] * len(places)
    for name, member in node:
        place = places.get(name)
        if place is not None:
            try:
                values[place] = _converted(member, fields_of(type_)[place][1])
            except _Misfit:
                values[place] = None
    return tuple(values)


def _map(node: Members, type_: Type) -> Row | None:
    key, value = inner_types(type_)
    last = {name: _converted(member, value) for name, member in node}
    return map_value((_converted(name, key), member) for name, member in last.items())


def _text(node: Node) -> str:
    """A text; of any other value, its JSON in short."""
    match node:
        case str():
            return node
        case None:
            return "null"
        case bool():
            return "true" if node else "false"
        case Number(text, is_whole):
            return str(int(text)) if is_whole and len(text) < 4000 else _floating(float(text))
        case Members():
            return f"{{{','.join(f'{_quoted(name)}:{_in_json(value)}' for name, value in node)}}}"
    return f"[{','.join(map(_in_json, node))}]"


def _in_json(node: Node) -> str:
    return _quoted(node) if isinstance(node, str) else _text(node)


def _integer(node: Number, type_: Type) -> int:
    if not node.is_whole or len(node.text) > 20:
        raise _Misfit
    value, half = int(node.text), 1 << _BITS[type_.name]
    if type_.name == "tinyint" and half <= value < 2 * half:
        return value - 2 * half  # Spark's parser takes bytes with and without a sign
    if not -half <= value < half:
        raise _Misfit
    return value


def _double(node: Number, type_: Type) -> float:
    return float(node.text)


def _decimal(node: Number, type_: Type) -> Decimal:
    return _rounded(node.text, type_)


def _rounded(text: str, type_: Type) -> Decimal:
    """The number with the digits of the type, halves rounded away from zero; commas are ignored."""
    if not _DECIMAL.fullmatch(text.replace(",", "")):
        raise _Misfit
    text = text.replace(",", "")
    try:
        value = _WIDE.quantize(_WIDE.create_decimal(text), Decimal(1).scaleb(-type_.scale))
    except ArithmeticError:
        raise _Misfit from None
    if not value.is_finite() or abs(value) >= Decimal(10) ** (type_.precision - type_.scale):
        raise _Misfit
    return value


def _seconds(node: Number, type_: Type) -> datetime:
    if not node.is_whole or len(node.text) > 12:
        raise _Misfit
    try:
        return _EPOCH + timedelta(seconds=int(node.text))
    except OverflowError:
        raise _Misfit from None


def _special(text: str, type_: Type) -> float:
    if text not in _INFINITIES:
        raise _Misfit
    return _INFINITIES[text]


def _bytes(text: str, type_: Type) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise _Misfit from None


def _parsed(parse: Callable[[str], date]) -> Callable[[str, Type], date]:
    def parsed(text: str, type_: Type) -> date:
        try:
            return parse(text)
        except (ValueError, OverflowError):
            raise _Misfit from None

    return parsed


_FROM_NUMBERS: Final[dict[str, Callable[[Number, Type], Any]]] = {
    **dict.fromkeys(_BITS, _integer),
    "double": _double,
    "float": _double,
    "decimal": _decimal,
    "timestamp": _seconds,
}
_FROM_TEXTS: Final[dict[str, Callable[[str, Type], Any]]] = {
    "double": _special,
    "float": _special,
    "decimal": _rounded,
    "date": _parsed(parse_date),
    "timestamp": _parsed(parse_timestamp),
    "timestamp_ntz": _parsed(parse_timestamp),
    "binary": _bytes,
}


def to_json(value: Any, type_: Type) -> str:
    """The value as JSON: NULL fields of structs are left out."""
    if value is None:
        return "null"
    inner = inner_types(type_)
    match type_.name:
        case "struct":
            fields = zip(fields_of(type_), value, strict=True)
            members = [f"{_quoted(name)}:{to_json(v, t)}" for (name, t), v in fields if v is not None]
            return f"{{{','.join(members)}}}"
        case "array":
            return f"[{','.join(to_json(part, inner[0]) for part in value)}]"
        case "map":
            entries = [f"{_quoted(_key(k, inner[0]))}:{to_json(v, inner[1])}" for k, v in value]
            return f"{{{','.join(entries)}}}"
        case "boolean":
            return "true" if value else "false"
        case "double" | "float":
            return _floating(value)
        case "string":
            return _quoted(value)
        case "binary":
            return _quoted(base64.b64encode(value).decode())
        case "timestamp":
            return f'"{_milliseconds(value)}Z"'
        case "timestamp_ntz":
            return f'"{_milliseconds(value)}"'
        case "date":
            return f'"{value.isoformat()}"'
    return str(value)


def _floating(value: float) -> str:
    return java_double(value) if math.isfinite(value) else f'"{java_double(value)}"'


def _key(value: Any, type_: Type) -> str:
    text = to_json(value, type_)
    return json.loads(text) if text.startswith('"') else text


def _milliseconds(value: datetime) -> str:
    return value.replace(tzinfo=UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")


def _quoted(text: str) -> str:
    """In quotes, with control characters as Java's Jackson escapes them."""
    plain = json.dumps(text, ensure_ascii=False)
    return re.sub(r"\\u00[0-9a-f]{2}", lambda escape: f"\\u{escape[0][2:].upper()}", plain)


def java_double(value: float) -> str:
    """The shortest digits that read back equal, as Java writes them: 1.0E10, 0.001, 1.0E-4.

    >>> [java_double(x) for x in (1.0, 1e7, 1234567.5, 1e-4, -0.5)]
    ['1.0', '1.0E7', '1234567.5', '1.0E-4', '-0.5']
    """
    if not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + exponent
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0.0"
    if -3 < point <= 7:
        padded = "0" * (1 - point) + shown if point < 1 else shown.ljust(point, "0")
        whole = max(point, 1)
        return f"{minus}{padded[:whole]}.{padded[whole:] or '0'}"
    return f"{minus}{shown[0]}.{shown[1:] or '0'}E{point - 1}"
