"""JSON in texts. A text that is not JSON is NULL; what follows its first value is not read."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, GREATEST, STRING, array

_TEXT = Family.TEXT

FUNCTIONS = (
    Function(
        "get_json_object",
        (_TEXT, _TEXT),
        s.always(STRING),
        "what is at the path ($.name, ['name'], [0], [*]) in JSON, a text without quotes; NULL if nothing is",
        partial=True,
    ),
    Function(
        "json_array_length",
        (_TEXT,),
        s.always(BIGINT),
        "how many elements an array in JSON has; NULL if it is none",
        partial=True,
        range=r.within(0, GREATEST),
    ),
    Function(
        "json_object_keys",
        (_TEXT,),
        s.always(array(STRING)),
        "the names of the fields of an object in JSON; NULL if it is none",
        partial=True,
    ),
)
