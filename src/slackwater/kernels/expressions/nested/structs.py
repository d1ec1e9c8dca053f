"""Structs: several values as one, and one of them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from slackwater.algebra.expressions import Call, Literal
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.terms import Term, faults_of
from slackwater.kernels.expressions.values import dtype


def _struct(call: Call, arguments: Sequence[Term]) -> Term:
    fields = dtype(call.type).fields  # type: ignore[attr-defined]
    values = [a.value.cast(field.dtype).alias(field.name) for a, field in zip(arguments, fields, strict=True)]
    return Term(pl.struct(values), faults_of(arguments))


def _field(call: Call, arguments: Sequence[Term]) -> Term:
    name = call.arguments[1]
    assert isinstance(name, Literal)
    whole = arguments[0].value
    if call.arguments[0].type.name == "array":
        value = whole.list.eval(pl.element().struct.field(name.value))
    else:
        value = whole.struct.field(name.value)
    return Term(value, arguments[0].faults)


MAKERS: dict[str, Maker] = {"struct": _struct, "field": _field}
