"""JSON to values and back, row by row."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.expressions import Call
from slackwater.algebra.json_values import from_json, to_json
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term


def _from_json(call: Call, arguments: Sequence[Term]) -> Term:
    return rowwise(lambda text, _: from_json(text, call.type))(call, arguments)


def _to_json(call: Call, arguments: Sequence[Term]) -> Term:
    type_ = call.arguments[0].type
    return rowwise(lambda value: to_json(value, type_))(call, arguments)


MAKERS: dict[str, Maker] = {"from_json": _from_json, "to_json": _to_json}
