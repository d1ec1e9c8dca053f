"""Signs before a value: +x."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.expressions.functions import Mismatch, result_type
from slackwater.algebra.types import UNKNOWN
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.language.cql import nodes

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions


def plus(binder: Expressions, node: nodes.Plus, span: Span) -> Expression:
    """+x is x, where -x is allowed."""
    value = binder.bind(node.this)
    result = UNKNOWN if value.type is UNKNOWN else result_type("negate", [value.type])
    if not isinstance(result, Mismatch):
        return value
    takes = result.sentence.replace('Function "negate"', '"+"')
    binder.binding.report(errors.wrong_arguments("+", takes, span, [value.type]))
    return Literal(UNKNOWN, None, origin=span)
