"""What a query reads below each of its free variables: projections, and dependencies (definition 3.4.17).

An expression is followed with sets of places instead of nodes: a place is a node of the tree of paths that a
buffer would have to hold. What is done with its items marks the places: counting them marks nothing,
comparing them marks their string values, writing them marks all that is in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import BARE, WHOLE, Let, Projection
from slackwater.flux.plan.syntax import EVERYTHING, NOTHING, Past, Query
from slackwater.flux.rewrite.steps import UPWARD
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS, OF_CONTEXT, OF_PLACE, Use
from slackwater.schema import TEXT, Type
from slackwater.schema.paths import children, holds, is_open, reachable
from slackwater.schema.schema import UNKNOWN, Kind

_DEEP = ast.Step("descendant-or-self", ast.KindTest("node"))


@dataclass(eq=False)
class Place:
    """A node of the tree of paths; what is kept of the document's nodes that it stands for."""

    attributes: set[str] = field(default_factory=set)
    value: bool = False
    text: bool = False
    whole: bool = False
    children: dict[str, Place] = field(default_factory=dict)
    below: dict[str, Place] = field(default_factory=dict)

    def child(self, name: str) -> Place:
        return self.children.setdefault(name, Place())

    def descendant(self, name: str) -> Place:
        return self.below.setdefault(name, Place())

    def everything_below(self) -> Iterator[Place]:
        """The places of all elements at any depth that are known so far."""
        for each in (*self.children.values(), *self.below.values()):
            yield each
            yield from each.everything_below()


Places = list[Place]


class Reads:
    """Follows queries, and keeps the tree of paths of each free variable.

    Expressions in `skip` are known without reading anything: accumulators and folds.
    """

    def __init__(
        self,
        lets: Mapping[str, Let],
        functions: Mapping[str, ast.FunctionDeclaration],
        skip: frozenset[ast.Expr] = frozenset(),
    ) -> None:
        self.lets = lets
        self.functions = functions
        self.skip = skip
        self.roots: dict[str, Place] = {}
        self.env: dict[str, Places] = {}
        self.open: set[str] = set()

    def root(self, variable: str) -> Place:
        return self.roots.setdefault(variable, Place())

    # Queries.

    def query(self, query: Query) -> None:
        match query:
            case flux.Copy(variable):
                _use_whole(self.variable(variable))
            case flux.Value(expr):
                _use_whole(self.of(expr, []))
            case flux.Feed(_, value):
                if value is not None:
                    _use_value(self.of(value, []))
            case flux.StartTag(_, attributes):
                for each in attributes:
                    for part in each.content:
                        _use_value(self.of(part, []))
            case flux.If(condition, body):
                self.of(condition, [])
                self.query(body)
            case flux.Loop(source, branches):
                places = self.variable(source)
                for branch in branches:
                    self.env[branch.variable] = self.step(places, branch.test.name)
                    self.query(branch.body)
            case flux.For(variable, source, body):
                self.env[variable] = self.of(source, [])
                self.query(body)
            case flux.Windowed():
                self.windows(query)
            case _:
                for inner in traversal.subqueries(query):
                    self.query(inner)

    def windows(self, query: flux.Windowed) -> None:
        places = self.variable(query.source)
        for test in query.path:
            places = self.step(places, test.name)
        self.window(query.variable, places, query.window)
        self.env[query.item] = places
        if query.where is not None:
            self.of(query.where, [])
        self.query(query.body)

    def window(self, variable: str, places: Places, window: ast.Window) -> None:
        """Binds the variable of a window, whose items are at these places."""
        self.env[variable] = places
        if isinstance(window, ast.DiffWindow):
            _use_value(self.steps(places, window.reference))

    def step(self, places: Places, name: str) -> Places:
        if name != TEXT:
            return [each.child(name) for each in places]
        for each in places:
            each.text = True
        return []

    def variable(self, name: str) -> Places:
        if name in self.env:
            return self.env[name]
        if name in self.lets and name not in self.open:
            self.open.add(name)
            found = self.of(self.lets[name].value, [])
            self.open.discard(name)
            return found
        return [] if name in self.lets else [self.root(name)]

    # Expressions: the places of the nodes that they give, in a focus.

    def of(self, expr: ast.Expr, focus: Places) -> Places:
        if expr in self.skip:
            return []
        match expr:
            case ast.Variable(name):
                return self.variable(name)
            case ast.ContextItem():
                return focus
            case ast.Root():
                _use_whole([*self.roots.values()])
                return []
            case ast.Path(source, steps):
                return self.steps(self.of(source, focus), steps)
            case ast.Filter(source, predicates):
                places = self.of(source, focus)
                for each in predicates:
                    self.of(each, places)
                return places
            case ast.Sequence(items):
                return [place for item in items for place in self.of(item, focus)]
            case ast.SetOperation(_, left, right):
                return [*self.of(left, focus), *self.of(right, focus)]
            case ast.If(condition, then, otherwise):
                self.of(condition, focus)
                return [*self.of(then, focus), *self.of(otherwise, focus)]
            case ast.Flwor(clauses, result):
                for clause in clauses:
                    self.clause(clause, focus)
                return self.of(result, focus)
            case ast.Quantified(_, bindings, condition):
                for binding in bindings:
                    self.env[binding.variable] = self.of(binding.source, focus)
                self.of(condition, focus)
                return []
            case ast.Call():
                return self.call(expr, focus)
            case ast.Logical(_, left, right):
                self.of(left, focus)
                self.of(right, focus)
                return []
            case ast.Compare(op, left, right) if op in ast.NODE:
                self.of(left, focus)
                self.of(right, focus)
                return []
            case ast.Element() | ast.Computed():
                self.constructor(expr, focus)
                return []
            case ast.Typed("treat" | "instance", operand):
                return self.of(operand, focus)
            case _:
                for child in ast.children(expr):
                    if isinstance(child, ast.Expr):
                        _use_value(self.of(child, focus))
                return []

    def clause(self, clause: ast.Clause, focus: Places) -> None:
        match clause:
            case ast.For(variable, source, _, window):
                places = self.of(source, focus)
                self.env[variable] = places
                if isinstance(window, ast.DiffWindow):
                    _use_value(self.steps(places, window.reference))
            case ast.Let(variable, value):
                self.env[variable] = self.of(value, focus)
            case ast.Where(condition):
                self.of(condition, focus)
            case ast.OrderBy(keys):
                for each in keys:
                    _use_value(self.of(each.key, focus))

    def constructor(self, expr: ast.Element | ast.Computed, focus: Places) -> None:
        if isinstance(expr, ast.Computed):
            if expr.name is not None:
                _use_value(self.of(expr.name, focus))
            found = self.of(expr.content, focus)
            return _use_whole(found) if expr.kind in ("element", "document") else _use_value(found)
        for attribute in expr.attributes:
            for part in attribute.content:
                _use_value(self.of(part, focus))
        for part in expr.content:
            _use_whole(self.of(part, focus))

    def call(self, call: ast.Call, focus: Places) -> Places:
        if call.name in self.functions:
            return self.function(self.functions[call.name], call, focus)
        if call.name in OF_PLACE:
            # The place of a node is counted, whatever is kept of the node.
            return []
        arguments = [self.of(each, focus) for each in call.arguments]
        if not arguments and call.name in OF_CONTEXT:
            arguments = [focus]
        if call.name not in FUNCTIONS:
            # A cast, or a function given from outside, whose arguments are values.
            for each in arguments:
                _use_value(each)
            return []
        function = FUNCTIONS[call.name]
        for use, each in zip(function.uses(len(arguments)), arguments, strict=True):
            self.used(use, each)
        return [place for each in function.passed(arguments) for place in each]

    def used(self, use: Use, places: Places) -> None:
        match use:
            case Use.VALUE:
                _use_value(places)
            case Use.CONTENT:
                _use_whole(places)
            case Use.DOCUMENT:
                _use_whole([*self.roots.values()])
            case Use.COUNT | Use.NAME | Use.PASS:
                pass

    def function(self, function: ast.FunctionDeclaration, call: ast.Call, focus: Places) -> Places:
        """What a function does with its arguments; one that calls itself may look at all of them."""
        given = [self.of(each, focus) for each in call.arguments]
        if function.name in self.open or function.body is None:
            for each in given:
                _use_whole(each)
            return [place for each in given for place in each]
        self.open.add(function.name)
        recursive = any(
            isinstance(each, ast.Call) and each.name in self.functions for each in ast.walk(function.body)
        )
        for parameter, places in zip(function.parameters, given, strict=True):
            if parameter.type is not None and not parameter.type.item.endswith(")"):
                _use_value(places)
            elif recursive:
                _use_whole(places)
            self.env[parameter.name] = places
        found = self.of(function.body, [])
        self.open.discard(function.name)
        return [*found, *(place for each in given for place in each)] if recursive else found

    # Paths.

    def steps(self, places: Places, steps: Iterable[ast.Step | ast.ExprStep]) -> Places:
        deep = False
        for step in steps:
            if step == _DEEP:
                deep = True
                continue
            if isinstance(step, ast.ExprStep):
                if deep:
                    _use_whole(places)
                places = self.of(step.expr, places)
            else:
                places = self.taken(places, step, deep=deep)
                for each in step.predicates:
                    self.of(each, places)
            deep = False
        if deep:
            _use_whole(places)
        return places

    def taken(self, places: Places, step: ast.Step, *, deep: bool) -> Places:
        match step.axis, step.test:
            case "attribute", test:
                name = test.name or "*"
                if deep:
                    _use_whole(places)
                for each in places:
                    each.attributes.add("*" if "*" in name else name)
                return []
            case "child" | "descendant", ast.NameTest(name) | ast.KindTest("element", str(name)):
                # A name that is a pattern may fit any element.
                name = "*" if "*" in name else name
                if deep or step.axis == "descendant":
                    return [each.descendant(name) for each in places]
                return [each.child(name) for each in places]
            case "child", ast.KindTest("element", None) if not deep:
                return [each.child("*") for each in places]
            case "child", ast.KindTest("text") if not deep:
                for each in places:
                    each.text = True
                return []
            case "self", _ if not deep:
                return places
        _use_whole(places)
        if step.axis in UPWARD:
            _use_whole([*self.roots.values()])
        return places


def _use_whole(places: Places) -> None:
    for each in places:
        each.whole = True


def _use_value(places: Places) -> None:
    for each in places:
        each.value = True


def projection(place: Place, type: Type) -> Projection:
    """What a place keeps, of nodes of this type: paths below a node that is kept whole say nothing."""
    both = place.text and place.value and type.kind is not Kind.TEXT
    if place.whole or both:
        return WHOLE
    return Projection(
        frozenset({"*"} if "*" in place.attributes else place.attributes),
        place.value,
        place.text,
        False,
        tuple((name, projection(each, _child(type, name))) for name, each in sorted(place.children.items())),
        tuple((name, projection(each, _below(type, name))) for name, each in sorted(place.below.items())),
    )


def _child(type: Type, name: str) -> Type:
    return type.child(name) or UNKNOWN


def _below(type: Type, name: str) -> Type:
    """The type of all elements of this name below, where they have one in common."""
    found = {
        id(child): child for each in reachable(type) for called, child in children(each) if called == name
    }
    return next(iter(found.values())) if len(found) == 1 and not is_open(type) else UNKNOWN


def dependencies(place: Place, type: Type) -> Past:
    """dep($y, α): the children that are looked at; all where that is not known (definition 3.4.17)."""
    if place.whole or place.value:
        return EVERYTHING
    found = set(place.children) | ({TEXT} if place.text else set())
    for name in place.below:
        if not type.is_known or is_open(type) or name == "*":
            return EVERYTHING
        found |= {each for each in type.names if each == name or holds(_child(type, each), name)}
    if "*" in found:
        if not type.is_known:
            return EVERYTHING
        found = (found - {"*"}) | set(type.names)
    return frozenset(found) or NOTHING


def union(left: Projection, right: Projection) -> Projection:
    """What is kept for both."""
    if left.whole or right.whole or left == right:
        return WHOLE if left.whole or right.whole else left
    return Projection(
        left.attributes | right.attributes,
        left.value or right.value,
        left.text or right.text,
        False,
        _merged(left.children, right.children),
        _merged(left.below, right.below),
    )


def _merged(
    left: tuple[tuple[str, Projection], ...], right: tuple[tuple[str, Projection], ...]
) -> tuple[tuple[str, Projection], ...]:
    found = dict(left)
    for name, each in right:
        found[name] = union(found.get(name, BARE), each)
    return tuple(sorted(found.items(), key=lambda item: item[0]))
