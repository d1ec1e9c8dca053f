"""What a rule is, and the driver that walks a plan, applies rules until none fits, and traces.

A rule looks at the root of a plan only. The driver offers it every operator, deepest first, inputs
before the plans of subqueries, and begins again wherever something changed. A pass looks at a whole
plan at once, for what cannot be decided at one operator (which columns are used above it).

A view that is used twice is one object. A rule may give each use a copy, with conditions of its own. Of
views on views, each used twice, the copies would double with each level: in a large plan what is shared
stays shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Bug
from slackwater.optimize.rebuild import likeness, with_below

MOST_PLACES = 1_000
"""In a plan with more places, no rule looks inside what stands at several of them."""
MOST_STEPS = 20_000
"""More steps, beyond one for each pair of operators, are those of rules that undo each other."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A law as a function: the plan's right side where its root is the left side, else None."""

    name: str
    law: str
    apply: Callable[[Operator], Operator | None] = field(repr=False)

    def __call__(self, plan: Operator) -> Operator | None:
        return self.apply(plan)


@dataclass(frozen=True, slots=True)
class Pass:
    """A law that is applied to a whole plan at once."""

    name: str
    law: str
    apply: Callable[[Operator], Operator] = field(repr=False)

    def __call__(self, plan: Operator) -> Operator:
        return self.apply(plan)


class Step(NamedTuple):
    """One application: the rule's name, its law, and the whole plan after it."""

    rule: str
    law: str
    plan: Operator


def rule(function: Callable[[Operator], Operator | None]) -> Rule:
    """The function as a rule; its docstring begins with the law."""
    return Rule(function.__name__, _law(function), function)


def whole(function: Callable[[Operator], Operator]) -> Pass:
    """The function as a pass; its docstring begins with the law."""
    return Pass(function.__name__, _law(function), function)


def _law(function: Callable[..., object]) -> str:
    first = (function.__doc__ or "").strip().partition("\n")[0]
    if "=" not in first:
        raise Bug(f"rule {function.__name__} does not begin with its law")
    return first


def applied(
    plan: Operator, rules: Iterable[Rule], shared: Iterable[Operator] = ()
) -> tuple[list[Step], Operator]:
    """The steps from the plan to one that none of the rules changes any more, and that one."""
    trace: list[Step] = []
    return trace, Walker(tuple(rules), trace).whole(plan, shared)


def shared_in(plan: Operator) -> list[Operator]:
    """What stays shared in a large plan: the operators that stand at several places."""
    if plan.places <= MOST_PLACES:
        return []
    uses = Counter(id(each) for below in plan.walk() for each in (*below.inputs, *below.subplans))
    return [each for each in plan.walk() if uses[id(each)] > 1]


class Walker:
    """Applies rules wherever they fit, deepest operator first; remembers what became of each operator."""

    def __init__(self, rules: tuple[Rule, ...], trace: list[Step] | None = None) -> None:
        self.rules = rules
        self._trace = trace
        self._around: list[Callable[[Operator], Operator]] = []
        """The whole plan, from the operator that is looked at outwards."""
        self._settled: dict[tuple[object, ...], tuple[Operator, Operator]] = {}
        self._shared: dict[int, Operator] = {}
        self._at_each_place = False
        self._left = 0

    def whole(self, plan: Operator, shared: Iterable[Operator] = ()) -> Operator:
        """The plan that none of the rules changes any more; what stands at several places is changed once.

        No rule looks inside an operator that is `shared`, from the one above it.
        """
        self._shared = {id(each): each for each in shared}
        # A trace shows each place by itself, unless there are too many.
        self._at_each_place = self._trace is not None and plan.places <= MOST_PLACES
        self._left = MOST_STEPS + sum(1 for _ in plan.walk()) ** 2
        return self.settled(plan)

    def settled(self, plan: Operator) -> Operator:
        settled = self._settled_at(plan)
        if id(plan) in self._shared:
            self._shared[id(settled)] = settled
        return settled

    def _settled_at(self, plan: Operator) -> Operator:
        before, key = plan, likeness(plan)
        if (known := self._settled.get(key)) is not None:
            return known[1]
        plan = self._settled_below(plan)
        while (step := self._step(plan)) is not None:
            plan = self._settled_below(step)
        if plan is not before:
            self._settled[likeness(plan)] = (plan, plan)
        if plan is before or not self._at_each_place:
            self._settled[key] = (before, plan)
        return plan

    def _settled_below(self, plan: Operator) -> Operator:
        below = [*plan.inputs, *plan.subplans]
        for place, each in enumerate(below):
            self._around.append(lambda new, place=place: with_below(plan, _exchanged(below, place, new)))  # type: ignore[misc]
            below[place] = self.settled(each)
            self._around.pop()
        return with_below(plan, tuple(below))

    def _step(self, plan: Operator) -> Operator | None:
        """What the first rule that fits makes of the plan."""
        for each in self.rules:
            if (result := each(plan)) is not None and self._keeps_shared(plan, result):
                _check(each, plan, result)
                self._note(each, result)
                return result
        return None

    def _keeps_shared(self, plan: Operator, result: Operator) -> bool:
        shared = {id(each) for each in plan.inputs if id(each) in self._shared}
        return not shared or shared <= {id(each) for each in result.walk()}

    def _note(self, each: Rule, result: Operator) -> None:
        self._left -= 1
        if self._left < 0:
            raise Bug(f"rules do not come to an end: {', '.join(rule.name for rule in self.rules)}")
        if self._trace is not None:
            for around in reversed(self._around):
                result = around(result)
            self._trace.append(Step(each.name, each.law, result))


def _exchanged(below: list[Operator], place: int, new: Operator) -> tuple[Operator, ...]:
    return (*below[:place], new, *below[place + 1 :])


def _check(each: Rule, before: Operator, after: Operator) -> None:
    if before.schema != after.schema or before.kind is not after.kind:
        raise Bug(f"rule {each.name} turns {before.kind} {before.schema} into {after.kind} {after.schema}")
