"""Kernels of functions that are computed in Python, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slackwater.algebra.expressions import Call
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows, types_of
from slackwater.kernels.expressions.terms import Term, faults_of


def rowwise(function: Callable[..., Any]) -> Maker:
    """A function that is computed row by row."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        values = [argument.value for argument in arguments]
        return Term(by_rows(function, values, types_of(call), call.type), faults_of(arguments))

    return make
