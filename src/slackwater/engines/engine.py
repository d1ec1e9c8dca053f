"""The engines that can answer a query: their protocol, and the list of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import BEGIN, INFINITY
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories
from slackwater.run import problems


class Engine(Protocol):
    """Answers a plan over inputs that come in epochs."""

    @property
    def name(self) -> str: ...

    def run(
        self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
    ) -> Changes:
        """The changes (or elements) up to `until`, computed in the epochs that the cuts bound.

        Cuts a < b give the epochs [0, a), [a, b) and [b, ∞).
        """
        ...


class Reference:
    """The reference evaluator, run again for every epoch on the input up to its end.

    That the epochs add up to the whole shows that an answer up to an instant does not depend on later
    input.
    """

    name = "reference"

    def run(
        self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
    ) -> Changes:
        edges = [BEGIN, *(cut for cut in sorted(set(cuts)) if BEGIN < cut < INFINITY), INFINITY]
        changes: Changes = {}
        for low, high in pairwise(edges):
            known = {
                name: {t: bag for t, bag in history.items() if t < high} for name, history in inputs.items()
            }
            answer = Histories(known, _last(high, until)).changes(plan)
            changes.update({t: bag for t, bag in answer.items() if low <= t < high})
        return changes


class Kernels:
    """Optimized plans, steps, kernels and epochs, as Spark drives them; no Spark is started."""

    name = "kernels"

    def run(
        self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
    ) -> Changes:
        from slackwater.engines.epochs import run_in_epochs

        return run_in_epochs(plan, inputs, cuts, until)


def _last(high: int, until: int | None) -> int | None:
    """The last instant that the epoch up to `high` has to answer."""
    bounds = ([] if high == INFINITY else [high - 1]) + ([] if until is None else [until])
    return min(bounds, default=None)


def engines() -> list[Engine]:
    """The engines that answer a plan by itself."""
    return [Reference(), Kernels()]


def engine_called(name: str) -> Engine:
    """The engine of that name; raises EngineError."""
    known = {engine.name: engine for engine in engines()}
    if name not in known:
        raise EngineError(unknown_engine(name, list(known)))
    return known[name]


def unknown_engine(name: str, among: Sequence[str]) -> Diagnostic:
    return problems.UNKNOWN_ENGINE.at(name=name, among=", ".join(among))
