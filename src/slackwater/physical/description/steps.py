"""Steps in descriptions."""

from __future__ import annotations

from slackwater.algebra.patterns import Skip
from slackwater.physical import steps
from slackwater.physical.description.expressions import (
    AGGREGATION,
    DIMENSION,
    EXPRESSION,
    OVER_CALL,
    POINTS,
    SCHEMA,
    SORT_KEY,
    TYPE,
)
from slackwater.physical.description.forms import (
    NAMES,
    PLAIN,
    Data,
    Field,
    Form,
    Shape,
    many,
    optional,
    pair,
    table,
)
from slackwater.physical.description.patterns import PATTERN, ROW_READ
from slackwater.physical.graph import Node

_LATER = ("closing", "delay", "derivation")
"""Fields that descriptions of earlier versions do not have."""
_CLOSING = Form(lambda closing: [closing.column, closing.delay], lambda data: steps.Closing(*data))


def _shape(kind: type[steps.Step], **fields: Form) -> Shape:
    """A step whose attributes have the names that they have in descriptions."""
    return Shape(kind, {name: Field(name, form, name in _LATER) for name, form in fields.items()})


def node_data(node: Node) -> Data:
    return {"step": _STEP.write(node.step), "inputs": list(node.inputs), "schema": SCHEMA.write(node.schema)}


def node_of(data: Data) -> Node:
    return Node(_STEP.read(data["step"]), tuple(data["inputs"]), SCHEMA.read(data["schema"]))


NODES = many(Form(node_data, node_of))
STEPS = {
    "read": Shape(
        steps.Read,
        {"source": Field("name"), "schema": Field("schema", SCHEMA), "changelog": Field("is_changelog")},
    ),
    "apply": Shape(steps.Apply, {"source": Field("name"), "key": Field("key", NAMES)}),
    "since": _shape(steps.Since, begin=PLAIN),
    "alive since": _shape(steps.AliveSince, begin=PLAIN),
    "once": _shape(steps.Once, begin=PLAIN),
    "filter": _shape(steps.Filter, predicate=EXPRESSION),
    "map": _shape(steps.Map, columns=many(pair(PLAIN, EXPRESSION))),
    "unnest": Shape(
        steps.Unnest,
        {
            "arrays": Field("arrays", many(pair(PLAIN, EXPRESSION))),
            "ordinal": Field("ordinal"),
            "keeps": Field("keeps"),
            "dropped": Field("dropped", NAMES),
            "fields": Field("fields", NAMES, is_later=True),
        },
    ),
    "live": _shape(steps.RangeWindow, duration=PLAIN, slide=PLAIN, begin=PLAIN),
    "live for": _shape(steps.SlidingWindow, size=PLAIN),
    "live until next": _shape(steps.FixedWindow, size=PLAIN),
    "newest": _shape(steps.RowWindow, count=PLAIN, slide=PLAIN, partition=NAMES, within=PLAIN),
    "newest of each": _shape(
        steps.NestedRowWindows, windows=many(pair(PLAIN, PLAIN)), slide=PLAIN, partition=NAMES, column=PLAIN
    ),
    "in session": _shape(steps.SessionWindow, gap=PLAIN, partition=NAMES),
    "assign": _shape(
        steps.Assign,
        time=EXPRESSION,
        size=PLAIN,
        step=PLAIN,
        offset=PLAIN,
        cumulates=PLAIN,
        start=PLAIN,
        end=PLAIN,
    ),
    "sessions": _shape(
        steps.Sessions, time=EXPRESSION, gap=PLAIN, keys=NAMES, start=PLAIN, end=PLAIN, delay=PLAIN
    ),
    "together": _shape(steps.Union),
    "negate": _shape(steps.Negate),
    "match": _shape(
        steps.Join,
        left=NAMES,
        right=NAMES,
        null_safe=PLAIN,
        condition=optional(EXPRESSION),
        closing=_CLOSING,
    ),
    "best match": _shape(
        steps.BestMatch, left=NAMES, right=NAMES, condition=optional(EXPRESSION), dimensions=many(DIMENSION)
    ),
    "best": _shape(steps.Best, group=NAMES, dimensions=many(DIMENSION)),
    "count": _shape(steps.Count, copies=PLAIN, closing=_CLOSING),
    "at most one": _shape(steps.AtMostOne, key=NAMES),
    "aggregate": _shape(steps.Aggregate, keys=NAMES, calls=many(pair(PLAIN, AGGREGATION)), closing=_CLOSING),
    "over": _shape(
        steps.Over,
        partition=NAMES,
        order=many(SORT_KEY),
        calls=many(pair(PLAIN, OVER_CALL)),
        limit=optional(pair(PLAIN, PLAIN)),
        closing=_CLOSING,
    ),
    "changed": _shape(steps.Changed, sign=PLAIN),
    "repeat": _shape(steps.Repeat),
    "ticks": _shape(steps.Ticks, points=POINTS, begin=PLAIN),
    "stamp": _shape(steps.Stamp, column=PLAIN, type=TYPE),
    "when": _shape(steps.When, predicate=EXPRESSION, points=POINTS, begin=PLAIN),
    "recognize": _shape(
        steps.Recognize,
        partition=NAMES,
        pattern=PATTERN,
        reads=many(pair(PLAIN, ROW_READ)),
        conditions=many(pair(PLAIN, EXPRESSION)),
        plain=NAMES,
        measures=many(pair(PLAIN, EXPRESSION)),
        skip=Form(str, Skip),
        target=PLAIN,
        within=PLAIN,
    ),
    "recursion": _shape(steps.Recursion, body=NODES, distinct=PLAIN, grows=PLAIN, derivation=NODES),
    "synchronize": _shape(steps.Synchronize, points=POINTS),
}
_STEP = table("step", STEPS)
