"""Steps that match nothing in any document of a schema: most likely a name is misspelt, or stands elsewhere.

A query is followed with the elements that a schema allows instead of nodes. Where these are not known (new
elements, other documents, steps upward, parameters of recursive functions) nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.flux import problems
from slackwater.flux.plan.syntax import ROOT
from slackwater.flux.rewrite.namespaces import in_words_of, renames
from slackwater.flux.rewrite.prepare import prepared
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS, PASSING
from slackwater.schema import Schema, Type
from slackwater.schema.paths import children, reachable

Places = frozenset[tuple[str, Type]] | None
"""Elements by name and type; None where they are not known."""
_DEEP = ast.Step("descendant-or-self", ast.KindTest("node"))


def never_matching(module: ast.Module, schema: Schema) -> tuple[Diagnostic, ...]:
    """A warning for each step that matches nothing, in the order of the text."""
    if not schema.is_known or renames(module):
        return ()
    module, schema = in_words_of(module, schema)
    if not schema.is_known:
        return ()
    ready = prepared(module)
    # A DTD lists all attributes; what an XML Schema allows with anyAttribute is not kept.
    following = _Following({ROOT: frozenset({("the document", schema.document)})}, schema.prefixes is None)
    for name, value in ready.globals.items():
        following.variables[name] = following.of(value, None)
    following.of(ready.body, None)
    found = [each for place, each in following.never.items() if place not in following.matched]
    return tuple(sorted(found, key=lambda each: each.span.start if each.span else 0))


@dataclass
class _Following:
    variables: dict[str, Places]
    knows_attributes: bool
    never: dict[Span, Diagnostic] = field(default_factory=dict)
    matched: set[Span] = field(default_factory=set)
    """Steps that may match somewhere: what is written out several times may match in one place only."""

    def of(self, expr: ast.Expr, focus: Places) -> Places:
        match expr:
            case ast.Variable(name):
                return self.variables.get(name)
            case ast.ContextItem():
                return focus
            case ast.Path(source, steps):
                places = self.of(source, focus)
                for step in steps:
                    places = self.step(step, places)
                return places
            case ast.Filter(source, predicates):
                places = self.of(source, focus)
                for each in predicates:
                    self.of(each, places)
                return places
            case ast.Sequence(items):
                return _united(self.of(each, focus) for each in items)
            case ast.SetOperation(_, left, right):
                return _united([self.of(left, focus), self.of(right, focus)])
            case ast.If(condition, then, otherwise):
                self.of(condition, focus)
                return _united([self.of(then, focus), self.of(otherwise, focus)])
            case ast.Flwor(clauses, result):
                for clause in clauses:
                    self.clause(clause, focus)
                return self.of(result, focus)
            case ast.Quantified(_, bindings, condition):
                for binding in bindings:
                    self.variables[binding.variable] = self.of(binding.source, focus)
                self.of(condition, focus)
                return None
            case ast.Call(name, arguments):
                given = [self.of(each, focus) for each in arguments]
                return _united(FUNCTIONS[name].passed(given)) if name in PASSING else None
            case _:
                self.inside(expr, focus)
                return None

    def inside(self, node: ast.Node, focus: Places) -> None:
        for each in ast.children(node):
            if isinstance(each, ast.Expr):
                self.of(each, focus)
            else:
                self.inside(each, focus)

    def clause(self, clause: ast.Clause, focus: Places) -> None:
        match clause:
            case ast.For(variable, source) | ast.Let(variable, source):
                self.variables[variable] = self.of(source, focus)
            case _:
                self.inside(clause, focus)

    def step(self, step: ast.Step | ast.ExprStep, places: Places) -> Places:
        if isinstance(step, ast.ExprStep):
            return self.of(step.expr, places)
        found = _taken(step, places) if places and self.is_known(step) else None
        if step.span and found is not None and places and not found:
            self.never.setdefault(step.span, _warning(step, [*places]))
        elif step.span:
            self.matched.add(step.span)
        for each in step.predicates:
            self.of(each, found or None)
        # Of what follows a step that matches nothing there is no more to say.
        return found or None

    def is_known(self, step: ast.Step) -> bool:
        return step.axis != "attribute" or self.knows_attributes


def _united(found: Iterable[Places]) -> Places:
    every = [*found]
    return None if None in every else frozenset[tuple[str, Type]]().union(*every)  # type: ignore[arg-type]


def _taken(step: ast.Step, places: frozenset[tuple[str, Type]]) -> Places:
    """Where a step leads; for attributes, to something of which no more is known."""
    types = [type for _, type in places]
    if step == _DEEP:
        return frozenset([*places, *_below(types)]) if _are_known(types) else None
    name = step.test.name or "*"
    if isinstance(step.test, ast.KindTest) and step.test.kind not in ("element", "attribute"):
        return None
    if ("*" in name and name != "*") or not all(type.is_known for type in types):
        return None
    match step.axis:
        case "child":
            found = [each for type in types for each in children(type)]
        case "descendant" if _are_known(types):
            found = [*_below(types)]
        case "attribute" if name == "*" or ":" in name or any(name in type.attributes for type in types):
            return None
        case "attribute" if all(type.attributes for type in types):
            found = []
        case _:
            return None
    return frozenset(each for each in found if name in ("*", each[0]))


def _below(types: Iterable[Type]) -> Iterable[tuple[str, Type]]:
    return (child for type in types for each in reachable(type) for child in children(each))


def _are_known(types: Iterable[Type]) -> bool:
    return all(each.is_known for type in types for each in reachable(type))


def _warning(step: ast.Step, places: list[tuple[str, Type]]) -> Diagnostic:
    assert step.span is not None
    name = step.test.name or "*"
    around = sorted({place for place, _ in places})
    names = _names(step.axis, [type for _, type in places])
    written = f"@{name}" if step.axis == "attribute" else name
    return problems.NEVER_MATCHES.at(
        Span(step.span.text, step.span.start, step.span.start + _width(step)),
        written=written,
        label="no such attribute" if step.axis == "attribute" else None,
        there=_detail(step.axis, around, names),
        hint=did_you_mean(name, names),
    )


def _width(step: ast.Step) -> int:
    """The step without its predicates."""
    assert step.span is not None
    begins = [each.span.start for each in step.predicates if each.span]
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
    """What can stand where the step looks."""
    where = "the document" if around == ["the document"] else quoted(around)
    shown = quoted(names[:12]) + (" among others" if len(names) > 12 else "")
    if axis == "attribute":
        return f"The attributes of {where}: {shown}."
    if len(around) > 3:
        return f"There can be {shown}."
    return f"In {where} there can be {shown}." if names else f"In {where} there are no elements."
