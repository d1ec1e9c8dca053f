"""Functions of users, called once for each row, and aggregates over the whole bag of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slackwater.algebra.errors import aggregate_failed, function_failed
from slackwater.algebra.expressions.nodes import Aggregation, UserCall
from slackwater.algebra.users.aggregates import Failed, argument_types, bag_value
from slackwater.algebra.users.calls import call_value
from slackwater.base.diagnostic import EngineError
from slackwater.reference.collected import Bag, Collected
from slackwater.reference.logic import Evaluator


def user_call(call: UserCall, arguments: Sequence[Evaluator]) -> Evaluator:
    """The function's value for the row's arguments."""
    types = [argument.type for argument in call.arguments]

    def value(row: Any, outer: Any) -> Any:
        values = [argument(row, outer) for argument in arguments]
        try:
            return call_value(call.function, values, types)
        except EngineError:
            raise
        except Exception as cause:
            raise EngineError(function_failed(call, cause, values)) from cause

    return value


def user_aggregate(aggregation: Aggregation) -> Collected:
    """The rows of a group, and the aggregate of all of them."""
    function, types = aggregation.user, argument_types(aggregation)
    assert function is not None

    def value(bag: Bag) -> Any:
        try:
            return bag_value(function, bag, types)
        except Failed as failed:
            raise EngineError(aggregate_failed(aggregation, failed)) from failed.__cause__

    return Collected(value)
