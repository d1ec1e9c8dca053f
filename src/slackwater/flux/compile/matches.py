"""Paths that are matched while the document is read, for totals over them (sections 3.7.2.3, 3.8.1.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import StaticContext
from slackwater.flux.compile.names import fits, may_hold
from slackwater.flux.compile.totals import Total
from slackwater.flux.runtime.demands import Demand, Enter, Leave
from slackwater.flux.runtime.nodes import BufferedNode, expat_name
from slackwater.flux.values.atomic import Untyped
from slackwater.flux.values.tree import Name
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import COUNTING
from slackwater.schema import Automaton, Type


@dataclass(frozen=True)
class Step:
    """One step of a path that is matched while the document is read."""

    deep: bool
    kind: str
    name: str
    fits: Callable[[Name], bool]
    predicates: tuple[ast.Expr, ...] = ()


def steps_of(steps: Iterable[ast.Step], static: StaticContext) -> tuple[Step, ...]:
    matched: list[Step] = []
    deep = False
    for step in steps:
        if step == ast.DOUBLE_SLASH:
            deep = True
            continue
        is_element = step.axis != "attribute"
        kind = "text" if step.test == ast.KindTest("text") else "element" if is_element else "attribute"
        name = step.test.name or "*"
        fitting = fits(name, static, is_element=is_element)
        matched.append(Step(deep or step.axis == "descendant", kind, name, fitting, step.predicates))
        deep = False
    return tuple(matched)


class Match:
    """What the demands of one accumulator share."""

    def __init__(self, total: Total, steps: tuple[Step, ...], static: StaticContext) -> None:
        self.total = total
        self.steps = steps
        self.static = static
        self.take = total.texts.append

    def begin(self, group: object = None) -> list[Demand]:
        """The demands on the element that the path begins at."""
        return [SelectedElement(self, group)] if not self.steps else [StepDemand(self, 0, group)]


class StepDemand(Demand):
    """Matches the children of an element against a step."""

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
            self.match.total.take(Untyped("".join(texts)))
            texts.clear()

    def enter(self, raw: str | None) -> Enter | None:
        if self.step.kind != "attribute":
            return None
        total, fitting = self.match.total, self.step.fits

        def enter(attributes: dict[str, str]) -> None:
            for key, text in attributes.items():
                if fitting(expat_name(key)):
                    total.take(Untyped(text))

        return enter

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        if self.step.kind != "element":
            return
        if self.step.deep and may_hold(type.child(str(name)), self.step.name):
            yield self
        if self.step.fits(name):
            yield from self._fitting()

    def _fitting(self) -> Iterable[Demand]:
        match, step = self.match, self.step
        group = ("gate", id(match), self.place) if step.predicates else None
        if group is not None:
            yield Gate(match, step.predicates, group)
        if self.place + 1 < len(match.steps):
            yield StepDemand(match, self.place + 1, group)
        else:
            yield SelectedElement(match, group)


class Gate(Demand):
    """Predicates that are evaluated at the start tag."""

    rank = 1
    gate = True
    stays = False

    def __init__(self, match: Match, predicates: tuple[ast.Expr, ...], group: object) -> None:
        self.key = group
        self.group = group
        inside, focus = match.static.focused()
        self.tests = [compiler.test(predicate, inside) for predicate in predicates]
        self.bind = _element(match, focus.item)

    def enter(self, raw: str | None) -> Enter:
        bind = self.bind(raw)
        tests = self.tests

        def enter(attributes: dict[str, str]) -> bool:
            bind(attributes)
            return not all(test() for test in tests)

        return enter


def _element(match: Match, slot: int) -> Callable[[str | None], Enter]:
    """Binds a slot to an element with its attributes and no content."""
    env = match.static.scope.env

    def of(raw: str | None) -> Enter:
        name = expat_name(raw or "")

        def bind(attributes: dict[str, str]) -> None:
            node = BufferedNode("element", name)
            node.attributes = [
                BufferedNode("attribute", expat_name(key), text, parent=node)
                for key, text in attributes.items()
            ]
            env[slot] = node

        return bind

    return of


class SelectedElement(Demand):
    """An element that the path selects: it is counted, or its text is added."""

    rank = 2

    def __init__(self, match: Match, group: object = None) -> None:
        self.match = match
        self.group = group
        self.key = ("hit", id(match))
        self.stays = match.total.function not in COUNTING
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
            total.take(value)

        return leave

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return (SelectedContent(self.match),) if self.stays else ()


class SelectedContent(Demand):
    """The content of a selected element whose text is added."""

    rank = 2
    whole = True

    def __init__(self, match: Match) -> None:
        self.match = match
        self.key = ("inside", id(match))
        self.text = match.take

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return (self,)
