"""Steps are closed: each operator is made of them, each is executed, and each says what it is."""

from __future__ import annotations

import inspect

import pytest

from slackwater.algebra import OPERATORS, Operator
from slackwater.kernels.execute import execute
from slackwater.physical import steps
from slackwater.physical.lower import steps_of
from slackwater.physical.steps import STEPS, Step


def test_the_list_of_steps_is_complete() -> None:
    defined = {member for _, member in inspect.getmembers(steps, inspect.isclass) if issubclass(member, Step)}
    assert defined - {Step} == set(STEPS)


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_is_made_of_steps(operator: type[Operator]) -> None:
    assert steps_of.dispatch(operator) is not steps_of.dispatch(Operator)


@pytest.mark.parametrize("step", [step for step in STEPS if step is not steps.Read])
def test_every_step_but_reading_is_executed(step: type[Step]) -> None:
    assert execute.dispatch(step) is not execute.dispatch(Step)
