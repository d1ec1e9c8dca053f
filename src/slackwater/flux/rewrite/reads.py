"""What a query reads below each of its free variables.

Expressions are followed with places: nodes of the tree of paths that a buffer would have to hold. The use of
their items marks the places: counting marks nothing, comparing marks string values, writing marks the whole
content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import Let
from slackwater.flux.plan.syntax import Query
from slackwater.flux.rewrite.follow import Follower
from slackwater.flux.rewrite.places import Place, Places, use_value, use_whole
from slackwater.flux.rewrite.shapes import UPWARD
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS, OF_CONTEXT, OF_PLACE, Use
from slackwater.schema import TEXT


class Reads(Follower[Places]):
    """Follows queries, and builds the tree of paths of each free variable.

    Expressions in `skip` are known without reading anything: accumulators and folds.
    """

    def __init__(
        self,
        lets: Mapping[str, Let],
        functions: Mapping[str, ast.FunctionDeclaration],
        skip: frozenset[ast.Expr] = frozenset(),
    ) -> None:
        super().__init__([])
        self.lets = lets
        self.functions = functions
        self.skip = skip
        self.roots: dict[str, Place] = {}
        self.open: set[str] = set()

    def root(self, variable: str) -> Place:
        return self.roots.setdefault(variable, Place())

    # Queries.

    def query(self, query: Query) -> None:
        match query:
            case flux.Copy(variable):
                use_whole(self.variable(variable))
            case flux.Value(expr):
                use_whole(self.of(expr, []))
            case flux.Feed(_, value):
                if value is not None:
                    use_value(self.of(value, []))
            case flux.StartTag(_, attributes):
                for attribute in attributes:
                    for part in attribute.content:
                        use_value(self.of(part, []))
            case flux.If(condition, body):
                self.of(condition, [])
                self.query(body)
            case flux.Loop(source, branches):
                places = self.variable(source)
                for branch in branches:
                    self.bound[branch.variable] = self.step(places, branch.test.name)
                    self.query(branch.body)
            case flux.For(variable, source, body):
                self.bound[variable] = self.of(source, [])
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
        self.bound[query.item] = places
        if query.where is not None:
            self.of(query.where, [])
        self.query(query.body)

    def window(self, variable: str, places: Places, window: ast.Window) -> None:
        """Bind the variable of a window, whose items are at these places."""
        self.bound[variable] = places
        if isinstance(window, ast.DiffWindow):
            use_value(self.steps(places, window.reference))

    def step(self, places: Places, name: str) -> Places:
        if name != TEXT:
            return [place.child(name) for place in places]
        for place in places:
            place.text = True
        return []

    def variable(self, name: str) -> Places:
        if name in self.bound:
            return self.bound[name]
        if name in self.lets and name not in self.open:
            self.open.add(name)
            places = self.of(self.lets[name].value, [])
            self.open.discard(name)
            return places
        return [] if name in self.lets else [self.root(name)]

    # Expressions.

    def of(self, expr: ast.Expr, focus: Places) -> Places:
        return [] if expr in self.skip else super().of(expr, focus)

    def other(self, expr: ast.Expr, focus: Places) -> Places:
        match expr:
            case ast.Root():
                use_whole([*self.roots.values()])
            case ast.Logical():
                self.follow((expr.left, expr.right), focus)
            case ast.Compare(op) if op in ast.NODE:
                self.follow((expr.left, expr.right), focus)
            case ast.Element() | ast.Computed():
                self.constructor(expr, focus)
            case ast.Typed("treat" | "instance", operand):
                return self.of(operand, focus)
            case _:
                for child in ast.nearest_expressions(expr):
                    use_value(self.of(child, focus))
        return []

    def clause(self, clause: ast.Clause, focus: Places) -> None:
        match clause:
            case ast.For(variable, window=ast.DiffWindow(reference)):
                super().clause(clause, focus)
                use_value(self.steps(self.bound[variable], reference))
            case ast.OrderBy(keys):
                for key in keys:
                    use_value(self.of(key.key, focus))
            case ast.BestMatch(left, right, _, dimensions):
                self.follow((left, right), focus)
                for dimension in dimensions:
                    self.dimension(dimension, focus)
            case _:
                super().clause(clause, focus)

    def dimension(self, dimension: ast.Dimension, focus: Places) -> None:
        values, order = dimension.values, dimension.order
        if order in self.functions:
            arguments = (*values, ast.Sequence()) if len(values) == 1 else values
            self.call(ast.Call(order, (*arguments, *arguments)), focus)
            return
        for expr in (*values, *([dimension.bound] if dimension.bound else [])):
            use_value(self.of(expr, focus))

    def union(self, parts: Iterable[Places]) -> Places:
        return [place for places in parts for place in places]

    def constructor(self, expr: ast.Element | ast.Computed, focus: Places) -> None:
        if isinstance(expr, ast.Computed):
            if expr.name is not None:
                use_value(self.of(expr.name, focus))
            places = self.of(expr.content, focus)
            return use_whole(places) if expr.kind in ("element", "document") else use_value(places)
        for attribute in expr.attributes:
            for part in attribute.content:
                use_value(self.of(part, focus))
        for part in expr.content:
            use_whole(self.of(part, focus))

    def call(self, call: ast.Call, focus: Places) -> Places:
        if call.name in self.functions:
            return self.function(self.functions[call.name], call, focus)
        if call.name in OF_PLACE:
            # Positions are counted, whatever is buffered of the node.
            return []
        arguments = [self.of(argument, focus) for argument in call.arguments]
        if not arguments and call.name in OF_CONTEXT:
            arguments = [focus]
        if call.name not in FUNCTIONS:
            # A cast, or an external function, whose arguments are values.
            for places in arguments:
                use_value(places)
            return []
        function = FUNCTIONS[call.name]
        for use, places in zip(function.uses(len(arguments)), arguments, strict=True):
            self.used(use, places)
        return self.union(function.passed(arguments))

    def used(self, use: Use, places: Places) -> None:
        match use:
            case Use.VALUE:
                use_value(places)
            case Use.CONTENT:
                use_whole(places)
            case Use.DOCUMENT:
                use_whole([*self.roots.values()])
            case Use.COUNT | Use.NAME | Use.PASS:
                pass

    def function(self, function: ast.FunctionDeclaration, call: ast.Call, focus: Places) -> Places:
        """Follow a declared function; one that calls declared functions may read all of its arguments."""
        arguments = [self.of(argument, focus) for argument in call.arguments]
        if function.name in self.open or function.body is None:
            for places in arguments:
                use_whole(places)
            return self.union(arguments)
        self.open.add(function.name)
        recursive = any(
            isinstance(node, ast.Call) and node.name in self.functions for node in ast.walk(function.body)
        )
        for parameter, places in zip(function.parameters, arguments, strict=True):
            if parameter.type is not None and not parameter.type.item.endswith(")"):
                use_value(places)
            elif recursive:
                use_whole(places)
            self.bound[parameter.name] = places
        result = self.of(function.body, [])
        self.open.discard(function.name)
        return self.union([result, *arguments]) if recursive else result

    # Paths.

    def steps(self, places: Places, steps: Sequence[ast.Step | ast.ExprStep]) -> Places:
        deep = False
        for step in steps:
            if step == ast.DOUBLE_SLASH:
                deep = True
                continue
            if isinstance(step, ast.ExprStep):
                if deep:
                    use_whole(places)
                places = self.of(step.expr, places)
            else:
                places = self.axis_step(places, step, deep=deep)
                self.follow(step.predicates, places)
            deep = False
        if deep:
            use_whole(places)
        return places

    def axis_step(self, places: Places, step: ast.Step, *, deep: bool) -> Places:
        match step.axis, step.test:
            case "attribute", test:
                name = test.name or "*"
                if deep:
                    use_whole(places)
                for place in places:
                    place.attributes.add("*" if "*" in name else name)
                return []
            case "child" | "descendant", ast.NameTest(name) | ast.KindTest("element", str(name)):
                # A name that is a pattern may fit any element.
                name = "*" if "*" in name else name
                if deep or step.axis == "descendant":
                    return [place.descendant(name) for place in places]
                return [place.child(name) for place in places]
            case "child", ast.KindTest("element", None) if not deep:
                return [place.child("*") for place in places]
            case "child", ast.KindTest("text") if not deep:
                for place in places:
                    place.text = True
                return []
            case "self", _ if not deep:
                return places
        use_whole(places)
        if step.axis in UPWARD:
            use_whole([*self.roots.values()])
        return places
