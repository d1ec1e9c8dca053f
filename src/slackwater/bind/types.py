"""From the types of a declaration or a CAST to the algebra's."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra import types
from slackwater.algebra.types import Type

_T = exp.DType
_NAMED: dict[exp.DType, Type] = {
    _T.BOOLEAN: types.BOOLEAN,
    _T.TINYINT: types.TINYINT,
    _T.SMALLINT: types.SMALLINT,
    _T.INT: types.INT,
    _T.BIGINT: types.BIGINT,
    # A float column is widened when it is read: every float is a double, and sums stay exact.
    _T.FLOAT: types.DOUBLE,
    _T.DOUBLE: types.DOUBLE,
    _T.CHAR: types.STRING,
    _T.NCHAR: types.STRING,
    _T.VARCHAR: types.STRING,
    _T.NVARCHAR: types.STRING,
    _T.TEXT: types.STRING,
    _T.BINARY: types.BINARY,
    _T.VARBINARY: types.BINARY,
    _T.DATE: types.DATE,
    _T.TIMESTAMP: types.TIMESTAMP,
    _T.TIMESTAMPNTZ: types.TIMESTAMP_NTZ,
    _T.DATETIME: types.TIMESTAMP,
}
_TEXTS = (_T.CHAR, _T.NCHAR, _T.VARCHAR, _T.NVARCHAR, _T.TEXT)
"""Types that may have a length, which is not enforced."""
_DEFAULT_DECIMAL = (18, 3)


def type_named(node: exp.DataType) -> Type | None:
    """The algebra's type of a DataType node; None if there is none."""
    kind = node.this
    if kind in _NAMED:
        return _NAMED[kind] if not node.expressions or kind in _TEXTS else None
    if kind == _T.DECIMAL:
        return _decimal(node)
    if kind in (_T.ARRAY, _T.LIST) and len(node.expressions) == 1:
        inner = node.expressions[0]
        element = type_named(inner) if isinstance(inner, exp.DataType) else None
        return None if element is None else types.array(element)
    if kind == _T.STRUCT:
        return _struct(node)
    if kind == _T.MAP and len(node.expressions) == 2:
        return _map(node)
    return None


def _decimal(node: exp.DataType) -> Type | None:
    if len(node.expressions) > 2 or not all(argument.name.isdigit() for argument in node.expressions):
        return None
    digits = [int(argument.name) for argument in node.expressions]
    precision, scale = ([*digits, 0])[:2] if digits else _DEFAULT_DECIMAL
    return types.decimal(precision, scale) if 0 < precision <= 38 and scale <= precision else None


def _map(node: exp.DataType) -> Type | None:
    key, value = (type_named(part) if isinstance(part, exp.DataType) else None for part in node.expressions)
    return types.map_of(key, value) if key and value and types.is_comparable(key) else None


def _struct(node: exp.DataType) -> Type | None:
    fields: dict[str, Type] = {}
    for field in node.expressions:
        kind = field.args.get("kind") if isinstance(field, exp.ColumnDef) else None
        type_ = type_named(kind) if isinstance(kind, exp.DataType) else None
        if type_ is None:
            return None
        fields[field.name] = type_
    return types.struct(**fields) if fields else None
