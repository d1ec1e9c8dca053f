"""Arithmetic that is NULL where it would be an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.kernels.expressions.arithmetic import MAKERS as ARITHMETIC
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.terms import Term, faults_of, let


def _trying(name: str) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        plain = ARITHMETIC[name](replace(call, function=name), arguments)
        outer = faults_of(arguments)
        wrong = [fault.where.fill_null(False) for fault in plain.faults[len(outer) :]]
        if not wrong:
            return plain
        known = let(
            lambda value, is_wrong: pl.when(~is_wrong).then(value), plain.value, pl.any_horizontal(*wrong)
        )
        return Term(known, outer)

    return make


MAKERS: dict[str, Maker] = {f"try_{name}": _trying(name) for name in ("add", "subtract", "multiply")}
