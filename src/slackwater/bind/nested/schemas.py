"""Types in constants: the columns of from_json(text, 'a INT, b ARRAY<STRING>')."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.bind.types import type_named
from slackwater.language.cql import parse


def schema_type(text: str) -> Type | None:
    """The type that a text names, or the struct of the columns in it; None if it is neither."""
    return _type_in(text) or _type_in(f"STRUCT<{text}>")


def _type_in(text: str) -> Type | None:
    try:
        statements = parse(Text("schema", f"SELECT CAST(NULL AS {text})"))
    except QueryError:
        return None
    items = [item for statement in statements for item in statement.expressions]
    is_one = len(items) == 1 and isinstance(items[0], exp.Cast) and isinstance(items[0].this, exp.Null)
    return type_named(items[0].to) if is_one else None
