"""Warnings for steps that match nothing in any document of a schema: a name is misspelt, or elsewhere.

A query is followed with the elements that a schema allows instead of nodes. Where these are not known (new
elements, other documents, steps upward, parameters of recursive functions) there is no warning.
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.flux import problems
from slackwater.flux.plan.syntax import ROOT
from slackwater.flux.rewrite.follow import Follower
from slackwater.flux.rewrite.namespaces import renames, with_prefixes_of
from slackwater.flux.rewrite.prepare import prepared
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS, PASSING
from slackwater.schema import Schema, Type
from slackwater.schema.paths import children, reachable

Places = frozenset[tuple[str, Type]] | None
"""Elements by name and type; None where they are not known."""


def never_matching(module: ast.Module, schema: Schema) -> tuple[Diagnostic, ...]:
    """A warning for each step that matches nothing, in the order of the text."""
    if not schema.is_known or renames(module):
        return ()
    module, schema = with_prefixes_of(module, schema)
    if not schema.is_known:
        return ()
    ready = prepared(module)
    # A DTD lists all attributes; of an XML Schema, anyAttribute is not recorded.
    document = frozenset({("the document", schema.document)})
    following = _Following(document, knows_attributes=schema.prefixes is None)
    for name, value in ready.globals.items():
        following.bound[name] = following.of(value, None)
    following.of(ready.body, None)
    warnings = [warning for place, warning in following.never.items() if place not in following.matched]
    return tuple(sorted(warnings, key=lambda warning: warning.span.start if warning.span else 0))


class _Following(Follower[Places]):
    def __init__(self, document: Places, *, knows_attributes: bool) -> None:
        super().__init__(None)
        self.bound[ROOT] = document
        self.knows_attributes = knows_attributes
        self.never: dict[Span, Diagnostic] = {}
        self.matched: set[Span] = set()
        """Steps that may match somewhere: a step that was copied may match in one place only."""

    def variable(self, name: str) -> Places:
        return self.bound.get(name)

    def union(self, parts: Iterable[Places]) -> Places:
        elements: set[tuple[str, Type]] = set()
        for part in parts:
            if part is None:
                return None
            elements |= part
        return frozenset(elements)

    def call(self, call: ast.Call, focus: Places) -> Places:
        arguments = [self.of(argument, focus) for argument in call.arguments]
        return self.union(FUNCTIONS[call.name].passed(arguments)) if call.name in PASSING else None

    def steps(self, places: Places, steps: Iterable[ast.Step | ast.ExprStep]) -> Places:
        for step in steps:
            places = self.step(step, places)
        return places

    def step(self, step: ast.Step | ast.ExprStep, places: Places) -> Places:
        if isinstance(step, ast.ExprStep):
            return self.of(step.expr, places)
        reached = _step_places(step, places) if places and self.is_known(step) else None
        if step.span and reached is not None and places and not reached:
            self.never.setdefault(step.span, _warning(step, [*places]))
        elif step.span:
            self.matched.add(step.span)
        # After a step that matches nothing, further steps get no warning.
        self.follow(step.predicates, reached or None)
        return reached or None

    def is_known(self, step: ast.Step) -> bool:
        return step.axis != "attribute" or self.knows_attributes


def _step_places(step: ast.Step, places: frozenset[tuple[str, Type]]) -> Places:
    """The elements that a step reaches; None where they are not known, as below attributes."""
    types = [type for _, type in places]
    if step == ast.DOUBLE_SLASH:
        return frozenset([*places, *_below(types)]) if _are_known(types) else None
    name = step.test.name or "*"
    if isinstance(step.test, ast.KindTest) and step.test.kind not in ("element", "attribute"):
        return None
    if ("*" in name and name != "*") or not all(type.is_known for type in types):
        return None
    match step.axis:
        case "child":
            elements = [element for type in types for element in children(type)]
        case "descendant" if _are_known(types):
            elements = [*_below(types)]
        case "attribute" if name == "*" or ":" in name or any(name in type.attributes for type in types):
            return None
        case "attribute" if all(type.attributes for type in types):
            elements = []
        case _:
            return None
    return frozenset(element for element in elements if name in ("*", element[0]))


def _below(types: Iterable[Type]) -> Iterable[tuple[str, Type]]:
    return (child for type in types for type_ in reachable(type) for child in children(type_))


def _are_known(types: Iterable[Type]) -> bool:
    return all(type_.is_known for type in types for type_ in reachable(type))


def _warning(step: ast.Step, places: list[tuple[str, Type]]) -> Diagnostic:
    assert step.span is not None
    name = step.test.name or "*"
    around = sorted({place for place, _ in places})
    names = _names(step.axis, [type for _, type in places])
    spelling = f"@{name}" if step.axis == "attribute" else name
    return problems.NEVER_MATCHES.at(
        Span(step.span.text, step.span.start, step.span.start + _width(step)),
        step=spelling,
        label="no such attribute" if step.axis == "attribute" else None,
        names=_detail(step.axis, around, names),
        hint=did_you_mean(name, names),
    )


def _width(step: ast.Step) -> int:
    """The step without its predicates."""
    assert step.span is not None
    begins = [predicate.span.start for predicate in step.predicates if predicate.span]
    end = begins[0] - 1 if begins else step.span.end
    return len(step.span.text.content[step.span.start : end].rstrip("[ \t\r\n"))


def _names(axis: str, types: list[Type]) -> list[str]:
    match axis:
        case "attribute":
            return list(dict.fromkeys(name for type in types for name in type.attributes))
        case "child":
            return list(dict.fromkeys(name for type in types for name in type.names))
        case _:
            return list(dict.fromkeys(name for name, _ in _below(types)))


def _detail(axis: str, around: list[str], names: list[str]) -> str:
    """What the step could match there."""
    where = "the document" if around == ["the document"] else quoted(around)
    shown = quoted(names[:12]) + (" among others" if len(names) > 12 else "")
    if axis == "attribute":
        return f"The attributes of {where}: {shown}."
    if len(around) > 3:
        return f"There can be {shown}."
    return f"In {where} there can be {shown}." if names else f"In {where} there are no elements."
