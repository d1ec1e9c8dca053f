"""The facts in the records of functions hold for the reference: NULLs, errors and ranges."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from laws.effort import trying
from laws.test_kernel_expressions import Row, by_reference, called, cases
from slackwater.algebra.expressions import Call, Expression
from slackwater.algebra.expressions.bounds import bounds
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.optimize.facts.failing import may_fail


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_facts_of_a_function_hold(name: str) -> None:
    @trying(20)
    @given(cases(called(name, 0)))
    def holds(case: tuple[Expression, list[Row]]) -> None:
        call, rows = case
        assert isinstance(call, Call)
        for row in rows:
            _check(call, row)

    holds()


def _check(call: Call, row: Row) -> None:
    function = FUNCTIONS[call.function]
    try:
        result = by_reference(call, [row])
    except (ValueError, OverflowError):
        assume(False)  # not a result: the reference raises an error of Python's
        raise
    if not isinstance(result, list):
        assert may_fail(call)
        assert {diagnostic.code for diagnostic in result} == {function.error}
        return
    arguments = [by_reference(argument, [row]) for argument in call.arguments]
    is_null, has_null = result == [None], [None] in arguments
    assert not (function.strict and has_null and not is_null)
    assert not is_null or function.partial or has_null
    if call.type.is_integer and not is_null:
        least, greatest = bounds(call)
        assert isinstance(result[0], int)
        assert least <= result[0] <= greatest
