"""Cells: a value as a user writes it in a table, by the type of its column.

int      7                 string     abc, or "a | b" with \\" and \\\\ inside
double   1.5, 1e9, nan     date       2024-02-29
boolean  true              timestamp  2024-02-29 12:00:00
decimal  1.50              array      [1, 2]        struct  {1, a}
any      null              binary     0x00ff        map     [{a, 1}, {b, 2}], its entries
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING, Type, entries_of

_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?|nan", re.IGNORECASE | re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d{1,400}\.?\d{0,400}|\.\d{1,400})", re.ASCII)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


class NotAValue(ValueError):
    """The cell does not hold a value of its column's type; the message says why."""


def value_of(cell: str, type_: Type) -> Any:
    """The value a cell holds; raises NotAValue."""
    if cell == "null":
        return None
    if not cell:
        raise NotAValue('empty: write null, or "" for a string without characters')
    if type_.is_integer:
        return integer_of(cell, _BITS[type_.name])
    match type_.name:
        case "string":
            return _unquoted(cell) if cell.startswith('"') else cell
        case "float" | "double":
            return float_of(cell)
        case "boolean":
            return _boolean(cell)
        case "decimal":
            return _decimal(cell, type_)
        case "date" | "timestamp" | "timestamp_ntz":
            return _moment(_unquoted(cell) if cell.startswith('"') else cell, type_)
        case "binary":
            return _bytes(cell)
        case "array" | "struct":
            return _several(cell, type_)
        case "map":
            return tuple(sorted(_several(cell, entries_of(type_))))
    raise NotAValue(f"a value of type {type_} cannot be written in a table")


def inferred(cells: list[str]) -> Type:
    """The narrowest of INT, BIGINT, DOUBLE, BOOLEAN and STRING that holds every cell; STRING for none."""
    values = [cell for cell in cells if cell != "null"]
    for type_ in (INT, BIGINT, DOUBLE, BOOLEAN):
        if values and all(_fits(cell, type_) for cell in values):
            return type_
    return STRING


def _fits(cell: str, type_: Type) -> bool:
    try:
        value_of(cell, type_)
    except NotAValue:
        return False
    return True


def integer_of(cell: str, bits: int) -> int:
    if not _INTEGER.fullmatch(cell):
        raise NotAValue("not a whole number")
    value = int(cell)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise NotAValue(f"outside the range of {bits} bits")
    return value


def float_of(cell: str) -> float:
    if not _NUMBER.fullmatch(cell):
        raise NotAValue("not a number")
    value = float(cell)
    if math.isinf(value) and "inf" not in cell.lower():
        raise NotAValue("too large for a double")
    # Zero has no sign: -0.0 + 0.0 is 0.0.
    return value + 0.0


def _boolean(cell: str) -> bool:
    if cell.lower() not in ("true", "false"):
        raise NotAValue("neither true nor false")
    return cell.lower() == "true"


def _decimal(cell: str, type_: Type) -> Decimal:
    if not _DECIMAL.fullmatch(cell):
        raise NotAValue("not a decimal number")
    whole, _, fraction = cell.lstrip("+-").partition(".")
    if len(fraction.rstrip("0")) > type_.scale:
        raise NotAValue(f"more than {type_.scale} digits after the point")
    if len(whole.lstrip("0")) > type_.precision - type_.scale:
        raise NotAValue(f"more than {type_.precision - type_.scale} digits before the point")
    digits = int((whole or "0") + fraction.rstrip("0").ljust(type_.scale, "0"))
    return Decimal((int(cell.startswith("-") and digits != 0), tuple(map(int, str(digits))), -type_.scale))


def _moment(cell: str, type_: Type) -> date:
    try:
        if type_.name == "date":
            return date.fromisoformat(cell)
        moment = datetime.fromisoformat(cell)
    except ValueError:
        example = "2024-02-29" if type_.name == "date" else "2024-02-29 12:00:00"
        raise NotAValue(f"not a {type_.name} such as {example}") from None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _bytes(cell: str) -> bytes:
    try:
        if not cell.startswith("0x"):
            raise ValueError
        return bytes.fromhex(cell[2:])
    except ValueError:
        raise NotAValue("not bytes such as 0x00ff") from None


def _several(cell: str, type_: Type) -> tuple[Any, ...]:
    opening, closing = "[]" if type_.name == "array" else "{}"
    if len(cell) < 2 or cell[0] != opening or cell[-1] != closing:
        raise NotAValue(f"not {'an array' if type_.name == 'array' else 'a struct'} in {opening}{closing}")
    parts = [part.strip() for part in _parts(cell[1:-1])] if cell[1:-1].strip() else []
    inner = [
        argument if isinstance(argument, Type) else argument[1]
        for argument in type_.arguments
        if not isinstance(argument, int)
    ]
    if type_.name == "array":
        inner = inner * len(parts)
    if len(inner) != len(parts):
        raise NotAValue(f"{len(parts)} fields, not {len(inner)}")
    return tuple(map(value_of, parts, inner))


def _parts(content: str) -> Iterator[str]:
    """The parts between commas that are neither quoted nor in brackets."""
    depth, start, position = 0, 0, 0
    while position < len(content):
        char = content[position]
        if char == '"' and (quoted := _QUOTED.match(content, position)):
            position = quoted.end()
            continue
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth == 0:
            yield content[start:position]
            start = position + 1
        position += 1
    yield content[start:]


def _unquoted(cell: str) -> str:
    quoted = _QUOTED.fullmatch(cell)
    if not quoted:
        raise NotAValue('a quote that does not end the cell; write \\" for a quote inside')
    return re.sub(r"\\(.)", r"\1", quoted[1])
