"""Values of CSV cells and of JSON, by the types of their columns.

CSV     no characters are NULL; texts as they are; other values as in a table of a .cqt file
JSON    numbers, texts, booleans; dates, timestamps and decimals as texts, binary in base 64
"""

from __future__ import annotations

import base64
import binascii
from decimal import Decimal
from typing import Any

from slackwater.algebra.types import Type, element_of, entries_of, fields_of
from slackwater.texts.cells import NotAValue, value_of


def csv_value(cell: str, type_: Type) -> Any:
    """The value of a cell; raises NotAValue.

    >>> from slackwater.algebra.types import INT, STRING
    >>> csv_value("7", INT), csv_value("", INT), csv_value("null", STRING)
    (7, None, 'null')
    """
    if cell == "":
        return None
    if type_.name == "string":
        if any("\udc80" <= char <= "\udcff" for char in cell):
            raise NotAValue("not UTF-8")
        return cell
    stripped = cell.strip()
    if stripped == "null":
        raise NotAValue("a text, where no characters are NULL")
    return value_of(stripped, type_)


def json_value(value: Any, type_: Type) -> Any:
    """The value of the algebra for a value of JSON; raises NotAValue.

    >>> from slackwater.algebra.types import DOUBLE, array
    >>> json_value([1, None], array(DOUBLE))
    (1.0, None)
    """
    if value is None:
        return None
    match type_.name:
        case "string":
            return _text(value)
        case "boolean":
            if not isinstance(value, bool):
                raise NotAValue("neither true nor false")
            return value
        case "binary":
            return _bytes(_text(value))
        case "date" | "timestamp" | "timestamp_ntz":
            return value_of(_text(value), type_)
        case "array":
            if not isinstance(value, list):
                raise NotAValue("not an array")
            return tuple(json_value(part, element_of(type_)) for part in value)
        case "struct":
            return _struct(value, type_)
        case "map":
            return _entries(value, type_)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise NotAValue("not a number")
    return value_of(str(value), type_)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NotAValue("not a text")
    return value


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NotAValue("not bytes in base 64") from None


def _struct(value: Any, type_: Type) -> tuple[Any, ...]:
    if not isinstance(value, dict):
        raise NotAValue("not an object")
    return tuple(json_value(value.get(name), inner) for name, inner in fields_of(type_))


def _entries(value: Any, type_: Type) -> tuple[Any, ...]:
    if not isinstance(value, dict):
        raise NotAValue("not an object")
    (_, key), (_, inner) = fields_of(element_of(entries_of(type_)))
    return tuple(sorted((csv_value(name, key), json_value(part, inner)) for name, part in value.items()))
