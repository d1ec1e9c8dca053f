"""The facts in the records of functions hold for the reference: NULLs, errors, ranges and growth."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.test_kernel_expressions import SCHEMA, SPECIAL, Row, by_name, by_reference, called, cases, values
from slackwater.algebra.expressions import Call, Expression, Literal
from slackwater.algebra.expressions.bounds import bounds
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.types import BOOLEAN, NULL, Type
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
    result = by_reference(call, [row])
    if not isinstance(result, list):
        assert may_fail(call)
        (code,) = {diagnostic.code for diagnostic in result}
        assert code == function.error or (function.converts and code == "bad-cast")
        return
    arguments = [by_reference(argument, [row]) for argument in call.arguments]
    is_null, has_null = result == [None], [None] in arguments
    assert not (function.strict and has_null and not is_null)
    assert not is_null or function.partial or has_null
    if call.type.is_integer and not is_null:
        least, greatest = bounds(call)
        assert isinstance(result[0], int)
        assert least <= result[0] <= greatest


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, function in FUNCTIONS.items() for place in function.monotone]
)
def test_a_function_grows_with_the_arguments_that_its_record_names(name: str, place: int) -> None:
    signatures = [signature for signature in by_name()[name] if NULL not in signature[1]]

    @trying(100)
    @given(st.sampled_from(signatures), st.data())
    def holds(signature: tuple[str, tuple[Type, ...], Type], data: st.DataObject) -> None:
        _, types, result = signature
        drawn = [data.draw(SPECIAL.get((name, i), values(type_))) for i, type_ in enumerate(types)]
        low, high = drawn[place], data.draw(values(types[place]))
        if not _is_at_most(low, high, types[place]):
            low, high = high, low
        answers = [
            _answer(
                Call(result, name, tuple(map(Literal, types, [*drawn[:place], value, *drawn[place + 1 :]])))
            )
            for value in (low, high)
        ]
        event("NULL or an error" if None in answers else "two values")
        assert None in answers or _is_at_most(*answers, result)

    holds()


def _is_at_most(low: object, high: object, type_: Type) -> bool:
    return _answer(Call(BOOLEAN, "le", (Literal(type_, low), Literal(type_, high)))) is True


def _answer(call: Call) -> object:
    """What the reference gives; None also for an error."""
    answers = by_reference(call, [(None,) * len(SCHEMA)])
    return answers[0] if isinstance(answers, list) else None
