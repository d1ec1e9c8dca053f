"""Functions of users over columns: a value for every row, and the rows in which the function failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from slackwater.algebra.errors import function_failed_because
from slackwater.algebra.expressions import UserCall
from slackwater.algebra.types import STRING
from slackwater.algebra.users.calls import call_value
from slackwater.algebra.users.columns import column_value
from slackwater.algebra.users.functions import ROWS, SCALAR, Rejected, returned
from slackwater.algebra.values import Row
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions.rows import rows_of
from slackwater.kernels.expressions.terms import Fault, Term, faults_of
from slackwater.kernels.expressions.values import column_of, dtype


def user_call(call: UserCall, arguments: Sequence[Term]) -> Term:
    """The function's value; its failures are faults, which count only where the value is used."""
    columns, calls = [argument.value for argument in arguments], _Calls(call)
    kind = pl.Struct({"value": dtype(call.type), "why": pl.String()})
    inputs = columns or [pl.lit(0)]
    both = pl.map_batches(inputs, calls.answers, return_dtype=kind, is_elementwise=True)
    why = both.struct.field("why")
    about = ((why, STRING), *zip(columns, (argument.type for argument in call.arguments), strict=True))
    return Term(
        both.struct.field("value"), (*faults_of(arguments), Fault(why.is_not_null(), calls.error, about))
    )


class _Calls:
    """The calls of a function for the rows of a batch, made once for its values and its faults."""

    def __init__(self, call: UserCall) -> None:
        self.call, self.types = call, [argument.type for argument in call.arguments]
        self._last: tuple[list[Row], pl.Series] | None = None
        self._causes: dict[str, BaseException] = {}

    def answers(self, columns: Sequence[pl.Series]) -> pl.Series:
        rows = rows_of(columns, self.types) if self.types else [()] * len(columns[0])
        last = self._last
        if last is not None and last[0] == rows:
            return last[1]
        values, failures = self._of_columns(columns, rows) or self._of_rows(rows)
        value = column_of(values, self.call.type).alias("value")
        answers = pl.DataFrame([value, pl.Series("why", failures, dtype=pl.String())]).to_struct("")
        self._last = rows, answers
        return answers

    def error(self, why: str, *values: Any) -> EngineError:
        error = EngineError(function_failed_because(self.call, why, values))
        error.__cause__ = self._causes.get(why)
        return error

    def _of_columns(
        self, columns: Sequence[pl.Series], rows: list[Row]
    ) -> tuple[list[Any], list[str | None]] | None:
        """The values of a function over columns, called once; None if it failed, for some row perhaps."""
        function = self.call.function
        called = [at for at, row in enumerate(rows) if not (function.strict and None in row)]
        if function.form != SCALAR or function.kind == ROWS or not called:
            return None
        whole = [one.new_from_index(0, len(rows)) if len(one) < len(rows) else one for one in columns]
        try:
            answer = column_value(function, [one[called] for one in whole] if self.types else [], len(called))
        except Rejected as rejected:
            return [None] * len(rows), [self._reason(rejected)] * len(rows)
        except Exception:
            return None
        values: list[Any] = [None] * len(rows)
        failures: list[str | None] = [None] * len(rows)
        for at, value in zip(called, answer.to_list(), strict=True):
            try:
                values[at] = returned(value, function.result)
            except Rejected as rejected:
                failures[at] = self._reason(rejected)
        return values, failures

    def _of_rows(self, rows: list[Row]) -> tuple[list[Any], list[str | None]]:
        values: list[Any] = []
        failures: list[str | None] = []
        for row in rows:
            try:
                values.append(call_value(self.call.function, row, self.types))
                failures.append(None)
            except Exception as cause:
                values.append(None)
                failures.append(self._reason(cause))
        return values, failures

    def _reason(self, cause: BaseException) -> str:
        why = str(cause) if isinstance(cause, Rejected) else f"it raised {type(cause).__name__}: {cause}"
        self._causes[why] = cause
        return why
