"""Row patterns in descriptions."""

from __future__ import annotations

from functools import cache

from slackwater.algebra import patterns
from slackwater.physical.description.expressions import AGGREGATION, EXPRESSION, TYPE
from slackwater.physical.description.forms import PLAIN, Data, Field, Form, Shape, many, optional, table


def _pattern_data(pattern: patterns.Pattern) -> Data:
    return _patterns().write(pattern)


def _pattern_of(data: Data) -> patterns.Pattern:
    pattern: patterns.Pattern = _patterns().read(data)
    return pattern


PATTERN = Form(_pattern_data, _pattern_of)


@cache
def _patterns() -> Form:
    return table(
        "pattern",
        {
            "variable": Shape(patterns.Variable, {"name": Field("name")}),
            "sequence": Shape(patterns.Sequence, {"parts": Field("parts", many(PATTERN))}),
            "choice": Shape(patterns.Choice, {"parts": Field("parts", many(PATTERN))}),
            "repeated": Shape(
                patterns.Repeated,
                {
                    "part": Field("part", PATTERN),
                    "least": Field("least"),
                    "most": Field("most", optional(PLAIN)),
                    "reluctant": Field("reluctant"),
                },
            ),
        },
    )


def _reading_of(data: Data) -> patterns.Reading:
    return patterns.Reading(data)


ROW_READ = table(
    "reading",
    {
        "reading": Shape(
            patterns.Read,
            {
                "type": Field("type", TYPE),
                "reading": Field("reading", Form(str, _reading_of)),
                "variable": Field("variable"),
                "offset": Field("offset"),
                "before": Field("before"),
                "value": Field("value", optional(EXPRESSION)),
                "aggregation": Field("aggregation", optional(AGGREGATION)),
            },
        )
    },
)
