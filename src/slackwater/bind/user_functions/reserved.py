"""Names that have a meaning in some place of a query, and are no names of functions of users."""

from __future__ import annotations

from slackwater.algebra.expressions.over import OVER_FUNCTIONS
from slackwater.bind.spellings import CLOCK_FUNCTIONS
from slackwater.bind.windowing.names import FORMS, PARTS, WITH_PARTS
from slackwater.language.cql.lateral import BUILT_IN
from slackwater.language.cql.nodes import STREAM_OPERATORS

_PATTERNS = ("first", "last", "prev", "next", "classifier", "match_number")
_OTHERS = (
    "columns",
    "cube",
    "descriptor",
    "grouping",
    "grouping_id",
    "now",
    "proctime",
    "r",
    "rollup",
    "table",
)

RESERVED = frozenset(
    (
        *_PATTERNS, *_OTHERS, *OVER_FUNCTIONS, *CLOCK_FUNCTIONS, *FORMS, *BUILT_IN,
        *STREAM_OPERATORS, *(f"{function}_{part}" for function in WITH_PARTS for part in PARTS),
    )
)  # fmt: skip
"""Functions of windows, patterns, FROM and GROUP BY, stream operators and clocks, in lower case."""
