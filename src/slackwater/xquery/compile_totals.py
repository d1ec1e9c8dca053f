"""Aggregates and conditions that are computed while their paths are read (sections 3.7.2.3 and 3.8.1.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from slackwater.language.xquery import syntax as ast
from slackwater.schema import Automaton, Type
from slackwater.xquery import compile_expr as compiler
from slackwater.xquery import tree_arithmetic as arithmetic
from slackwater.xquery.compile_buffers import Reading, fits
from slackwater.xquery.compile_compare import OPERATORS
from slackwater.xquery.compile_context import Making
from slackwater.xquery.kept import Accumulator
from slackwater.xquery.machine import Act, Demand, Enter, Leave
from slackwater.xquery.nodes import Kept, named, number
from slackwater.xquery.tree import Name
from slackwater.xquery.tree_errors import Wrong
from slackwater.xquery.tree_values import (
    Atomic,
    Items,
    Number,
    Untyped,
    atomized,
    compared,
    generally_compared,
    is_number,
    to_double,
)

COUNTS = ("count", "exists", "empty")
_DEEP = ast.Step("descendant-or-self", ast.KindTest("node"))


class Total:
    """The value so far; an error is kept until someone asks."""

    __slots__ = ("add", "count", "error", "function", "marks", "texts", "value")

    def __init__(self, function: str, compare: Callable[[Atomic], bool] | None = None) -> None:
        self.function = function
        self.marks: list[int] = []
        self.texts: list[str] = []
        """Character content of the elements that are being read, and where each of them begins."""
        self.add: Callable[[Atomic], None] = _ADDS.get(function, _compare(compare))(self)
        self.reset()

    def reset(self) -> None:
        self.count = 0
        self.value: Any = None
        self.error: Wrong | None = None

    def feed(self, items: Items) -> None:
        for each in atomized(items):
            self.taken(each)

    def taken(self, value: Atomic) -> None:
        """One more value; after an error, no other changes anything."""
        if self.error is None:
            try:
                self.add(value)
            except Wrong as wrong:
                self.error = wrong

    def result(self) -> Items:
        if self.error is not None:
            raise self.error
        match self.function:
            case "count":
                return [self.count]
            case "exists":
                return [self.count > 0]
            case "empty":
                return [self.count == 0]
            case "compare":
                return [self.value is True]
            case "sum":
                return [self.value if self.count else 0]
            case "avg":
                return [arithmetic.calculated("div", self.value, self.count)] if self.count else []
        return [self.value] if self.count else []


Add = Callable[[Atomic], None]


def _sum(total: Total) -> Add:
    def add(value: Atomic) -> None:
        found: Number = number(value.text) if isinstance(value, Untyped) else arithmetic.operand(value)
        if not total.count:
            total.value = found
        elif type(found) is float and type(total.value) is float:
            total.value += found
        else:
            total.value = arithmetic.calculated("+", total.value, found)
        total.count += 1

    return add


def _extreme(op: str) -> Callable[[Total], Add]:
    """NaN is the least and the greatest; numbers of different types become doubles."""

    def of(total: Total) -> Add:
        def add(value: Atomic) -> None:
            found: Atomic = number(value.text) if isinstance(value, Untyped) else value
            best = total.value
            total.count += 1
            if total.count == 1:
                total.value = found
                return
            if is_number(found) and is_number(best) and (isinstance(found, float) or isinstance(best, float)):
                found, best = to_double(found), to_double(best)
            if _is_nan(best) or _is_nan(found):
                total.value = math.nan
            else:
                total.value = found if compared(op, found, best) else best

        return add

    return of


def _is_nan(value: Atomic) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _compare(holds: Callable[[Atomic], bool] | None) -> Callable[[Total], Add]:
    def of(total: Total) -> Add:
        def add(value: Atomic) -> None:
            if total.value is not True and holds is not None and holds(value):
                total.value = True

        return add

    return of


def _count(total: Total) -> Add:
    def add(value: Atomic) -> None:
        total.count += 1

    return add


_ADDS: dict[str, Callable[[Total], Add]] = {
    "count": _count,
    "exists": _count,
    "empty": _count,
    "sum": _sum,
    "avg": _sum,
    "min": _extreme("<"),
    "max": _extreme(">"),
}


def total_of(accumulator: Accumulator, making: Making) -> Total:
    if accumulator.function != "compare":
        return Total(accumulator.function)
    assert accumulator.constant is not None
    op, (constant,) = accumulator.op, atomized(compiler.items(accumulator.constant, making)())
    compare = OPERATORS[op]

    def holds(value: Atomic) -> bool:
        if isinstance(value, Untyped):
            if isinstance(constant, str):
                return compare(value.text, constant)
            if isinstance(constant, float):
                return compare(number(value.text), constant)
        return generally_compared(op, [value], [constant])

    constant = to_double(constant) if is_number(constant) else constant
    return Total("compare", holds)


@dataclass(frozen=True)
class Step:
    """One step of a path that is matched while it is read."""

    deep: bool
    kind: str
    fits: Callable[[Name], bool]
    predicates: tuple[ast.Expr, ...] = ()


def steps_of(steps: Iterable[ast.Step], making: Making) -> tuple[Step, ...]:
    found: list[Step] = []
    deep = False
    for step in steps:
        if step == _DEEP:
            deep = True
            continue
        is_element = step.axis != "attribute"
        kind = "text" if step.test == ast.KindTest("text") else "element" if is_element else "attribute"
        fitting = fits(step.test.name or "*", making, is_element=is_element)
        found.append(Step(deep or step.axis == "descendant", kind, fitting, step.predicates))
        deep = False
    return tuple(found)


class Match:
    """What the demands of one accumulator share."""

    def __init__(self, total: Total, steps: tuple[Step, ...], making: Making, reading: Reading) -> None:
        self.total = total
        self.steps = steps
        self.making = making
        self.reading = reading
        self.take = total.texts.append

    def begin(self, group: object = None) -> list[Demand]:
        """What is wanted of the element that the path begins at."""
        return [Hit(self, group)] if not self.steps else [At(self, 0, group)]


class At(Demand):
    """The children of the element are held against a step."""

    rank = 2

    def __init__(self, match: Match, place: int, group: object = None) -> None:
        self.match = match
        self.place = place
        self.step = match.steps[place]
        self.group = group
        self.key = ("at", id(match), place)
        if self.step.kind == "text":
            self.text = match.take
            self.interrupt = self._text_ends

    def _text_ends(self) -> None:
        texts = self.match.total.texts
        if texts:
            self.match.total.taken(Untyped("".join(texts)))
            texts.clear()

    def enter(self, raw: str | None) -> Enter | None:
        if self.step.kind != "attribute":
            return None
        total, fitting = self.match.total, self.step.fits

        def enter(attributes: dict[str, str]) -> None:
            for key, text in attributes.items():
                if fitting(named(key)):
                    total.taken(Untyped(text))

        return enter

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        if self.step.kind != "element":
            return
        if self.step.deep:
            yield self
        if self.step.fits(name):
            yield from self._fitting()

    def _fitting(self) -> Iterable[Demand]:
        match, step = self.match, self.step
        group = ("gate", id(match), self.place) if step.predicates else None
        if group is not None:
            yield Gate(match, step.predicates, group)
        if self.place + 1 < len(match.steps):
            yield At(match, self.place + 1, group)
        else:
            yield Hit(match, group)


class Gate(Demand):
    """Predicates that the start tag decides."""

    rank = 1
    gate = True
    stays = False

    def __init__(self, match: Match, predicates: tuple[ast.Expr, ...], group: object) -> None:
        self.key = group
        self.group = group
        inside, focus = match.making.focused()
        self.tests = [compiler.test(each, inside) for each in predicates]
        self.keep = _element(match, focus.item)

    def enter(self, raw: str | None) -> Enter:
        bind = self.keep(raw)
        tests = self.tests

        def enter(attributes: dict[str, str]) -> bool:
            bind(attributes)
            return not all(test() for test in tests)

        return enter


def _element(match: Match, slot: int) -> Callable[[str | None], Enter]:
    """Binds a place to an element with its attributes and nothing in it."""
    env = match.making.scope.env

    def of(raw: str | None) -> Enter:
        name = named(raw or "")

        def bind(attributes: dict[str, str]) -> None:
            node = Kept("element", name)
            node.attributes = [
                Kept("attribute", named(key), text, parent=node) for key, text in attributes.items()
            ]
            env[slot] = node

        return bind

    return of


class Hit(Demand):
    """An element that the path leads to: it counts, or its text does."""

    rank = 2

    def __init__(self, match: Match, group: object = None) -> None:
        self.match = match
        self.group = group
        self.key = ("hit", id(match))
        self.stays = match.total.function not in COUNTS
        self.whole = self.stays
        if self.stays:
            self.text = match.take

    def enter(self, raw: str | None) -> Enter:
        total = self.match.total
        if not self.stays:

            def count(_: dict[str, str]) -> None:
                total.count += 1

            return count
        marks, texts = total.marks, total.texts

        def enter(_: dict[str, str]) -> None:
            marks.append(len(texts))

        return enter

    def leave(self, automaton: Automaton, state: int) -> Leave:
        total = self.match.total
        marks, texts = total.marks, total.texts

        def leave(_: str) -> None:
            start = marks.pop()
            value = Untyped("".join(texts[start:]))
            if not marks:
                texts.clear()
            total.taken(value)

        return leave

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return (Inside(self.match),) if self.stays else ()


class Inside(Demand):
    """What is in an element whose text counts."""

    rank = 2
    whole = True

    def __init__(self, match: Match) -> None:
        self.match = match
        self.key = ("inside", id(match))
        self.text = match.take

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return (self,)


def resetting(totals: Iterable[Total]) -> list[Act]:
    return [each.reset for each in totals]
