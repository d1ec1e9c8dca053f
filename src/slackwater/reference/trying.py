"""Arithmetic that is NULL where it would be an error, in plain Python."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.types import GREATEST, LEAST
from slackwater.base.diagnostic import EngineError
from slackwater.reference.arithmetic import MAKERS as ARITHMETIC
from slackwater.reference.arithmetic import Function, Maker

_MICROSECOND = timedelta(microseconds=1)


def _trying(make: Maker) -> Maker:
    def made(call: Call) -> Function:
        compute = make(call)

        def computed(*arguments: Any) -> Any:
            try:
                result = compute(*arguments)
            except EngineError:
                return None
            is_interval = isinstance(result, timedelta)
            return None if is_interval and not LEAST <= result // _MICROSECOND <= GREATEST else result

        return computed

    return made


MAKERS: dict[str, Maker] = {
    f"try_{name}": _trying(ARITHMETIC[name]) for name in ("add", "subtract", "multiply")
}
