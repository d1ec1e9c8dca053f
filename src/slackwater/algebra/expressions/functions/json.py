"""JSON texts to values of a type, and back; Spark's mode PERMISSIVE."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import STRING

FUNCTIONS = (
    Function(
        "from_json",
        (Family.TEXT, Family.SCHEMA),
        s.bound,
        "the value of a text, of the type or with the columns in the schema, 'x INT, y ARRAY<STRING>'; NULL "
        "where a part is of another type",
        partial=True,
    ),
    Function(
        "to_json", (Family.NESTED,), s.always(STRING), "as JSON, without the fields of structs that are NULL"
    ),
)
