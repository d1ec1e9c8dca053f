"""A compiled FluX query: demands on the elements of a document, and the writer of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.buffers import Buffer, BufferDemand, Reading
from slackwater.flux.compile.context import UNSET, Counter, External, Run, Scope, StaticContext, Test
from slackwater.flux.compile.copies import Copy, copy_actions
from slackwater.flux.compile.handlers import Handlers, Reset
from slackwater.flux.compile.matches import Match, steps_of
from slackwater.flux.compile.queries import Queries
from slackwater.flux.compile.totals import Total, total_of
from slackwater.flux.compile.windows import Buffered, Streamed
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import BARE, Projection
from slackwater.flux.plan.syntax import ROOT, Flux
from slackwater.flux.plan.terms import depends, placed
from slackwater.flux.rewrite.buffers import expressions
from slackwater.flux.runtime.demands import Act, Demand
from slackwater.flux.runtime.writer import Writer
from slackwater.flux.values import tree
from slackwater.flux.values import types as value_types
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.construct import declared_namespaces
from slackwater.flux.values.context import declared
from slackwater.language.xquery import syntax as ast


class Program:
    """The state of a run of a query; it can be run again once the run has ended."""

    def __init__(
        self,
        query: Flux,
        external: Mapping[str, External] | None = None,
        variables: Mapping[str, Items] | None = None,
        *,
        upward: bool = True,
        ending: str | None = None,
    ) -> None:
        self.query = query
        self.writer = Writer()
        self.writer.ending = ending
        self.reading = Reading(upward=upward)
        self.scope = Scope(
            functions={function.name: function for function in query.functions},
            external=external or {},
            depends=depends(query.lets),
            empty_greatest=any(
                isinstance(declaration, ast.EmptyOrder) and declaration.greatest
                for declaration in query.declarations
            ),
            namespaces=declared(query.declarations),
        )
        self.static = StaticContext(self.scope, None, _namespaces(query))
        self.totals: dict[str, list[Match]] = {}
        self.resets: dict[str, list[Act]] = {}
        self.buffers: dict[str, Buffer] = {}
        self.folds: dict[ast.Call, Total] = {}
        self.copy = copy_actions(self.writer)
        self._handler_demands: dict[str, list[Demand]] = {}
        self.queries = Queries(self.writer, self.folds, self.resets)
        self.variables = variables or {}
        self._bind()
        self._lets()
        self._count()
        self._compute()
        self.demands = self.element_demands(ROOT, query.body)

    # Variables that are bound before anything is compiled.

    def _bind(self) -> None:
        scope = self.scope
        for name in _streamed(self.query.body):
            scope.stream(name)
        for name in _windows(self.query.body):
            scope.bind(name, "items", [ROOT])
            scope.roots[name] = frozenset({name})
        for name in self.query.inputs:
            scope.stream(name)
        self._external = [
            declaration
            for declaration in self.query.declarations
            if isinstance(declaration, ast.VariableDeclaration)
            and declaration.value is None
            and declaration.name in self.variables
        ]
        for declaration in self._external:
            scope.bind(declaration.name, "items")
        self._assign(self.variables)

    def _assign(self, variables: Mapping[str, Items]) -> None:
        """Sets the values of the external variables."""
        for declaration in self._external:
            slot = self.scope.slots[declaration.name].number
            value = variables[declaration.name]
            self.scope.env[slot] = value_types.coerced(value, declaration.type, self.static.context)

    def _lets(self) -> None:
        scope = self.scope
        for let in self.query.lets:
            used = [name for name in scope.slots if name != let.variable]
            slot = scope.bind(let.variable, "let", used)
            self.resets.setdefault(let.scope, []).append(_unsetting(scope, slot))

    def _count(self) -> None:
        """Counts positions where a variable is bound, from 1 for every node of the scope around it."""
        lets = [let.value for let in self.query.lets]
        counted = placed([*expressions(self.query.body), *lets])
        for variable in counted:
            counter = self.scope.places[variable] = Counter()
            self.resets.setdefault(variable, []).append(counter.step)
        for scope in traversal.scopes(self.query.body):
            for handler in scope.handlers:
                if isinstance(handler, flux.On) and handler.variable in counted:
                    reset = self.scope.places[handler.variable].reset
                    self.resets.setdefault(scope.variable, []).append(reset)

    def _compute(self) -> None:
        """Registers totals by the expressions whose values they are, before the lets that may use them."""
        for accumulator in self.query.accumulators:
            total = total_of(accumulator, self.static)
            steps = steps_of(accumulator.steps, self.static)
            match = Match(total, steps, self.static)
            self.totals.setdefault(accumulator.variable, []).append(match)
            self._register(accumulator.variable, accumulator.expr, total)
        for fold in self.query.folds:
            self.folds[fold.expr] = total = Total(fold.expr.name)
            self._register(fold.variable, fold.expr, total)
        for let in self.query.lets:
            self.scope.lets[let.variable] = _lazily(let.value, self.static)

    def _register(self, variable: str, expr: ast.Expr, total: Total) -> None:
        self.resets.setdefault(variable, []).append(total.reset)
        self.scope.computed[expr] = _total_value(expr, total)

    # What handlers use.

    def test(self, condition: ast.Expr | None) -> Test | None:
        return None if condition is None else compiler.test(condition, self.static)

    def resets_of(self, variable: str) -> list[Act]:
        """What is reset when a variable is bound."""
        return self.resets.get(variable, [])

    def totals_of(self, variable: str) -> list[Total]:
        return [match.total for match in self.totals.get(variable, []) if not match.steps]

    def path_demands(self, variable: str, group: object = None) -> Iterable[Demand]:
        """The demands of paths below a variable that totals read."""
        for match in self.totals.get(variable, []):
            yield from match.begin(group)

    def variable_demands(self, variable: str) -> Iterable[Demand]:
        """What every streamed variable needs: its totals reset, its node buffered."""
        yield Reset(self, variable)
        projection = self.query.buffers.get(variable)
        if projection is not None:
            yield BufferDemand(self.buffer(variable), projection, self.static, role="root")

    def element_demands(self, variable: str, body: flux.ProcessStream) -> list[Demand]:
        """The demands on the element that a variable is bound to."""
        demands = [*self.variable_demands(variable), *self.path_demands(variable)]
        if any(not isinstance(handler, flux.CopyThrough) for handler in body.handlers):
            demands.append(Handlers(body, self))
        for handler in body.handlers:
            if isinstance(handler, flux.CopyThrough):
                demands.append(Copy(variable, self, self.test(handler.condition)))
        return demands

    def handler_demands(self, handler: flux.On) -> list[Demand]:
        """The demands of an `on` handler, made once."""
        if handler.variable not in self._handler_demands:
            self._handler_demands[handler.variable] = self.element_demands(handler.variable, handler.body)
        return self._handler_demands[handler.variable]

    def only_copies(self, handler: flux.On) -> bool:
        """Whether the handler copies its node and does nothing else."""
        name = handler.variable
        return (
            handler.body.handlers == (flux.CopyThrough(),)
            and name not in self.resets
            and name not in self.totals
        )

    def window(self, handler: flux.OnWindow | flux.OnEach) -> Streamed | Buffered:
        return Streamed(handler, self) if isinstance(handler, flux.OnWindow) else Buffered(handler, self)

    def buffer(self, variable: str) -> Buffer:
        if variable not in self.buffers:
            slot = self.scope.slots[variable].number
            self.buffers[variable] = Buffer(
                self.reading, self.scope.env, slot, lambda: self.scope.forget(variable)
            )
        return self.buffers[variable]

    def window_buffer(self, variable: str) -> Buffer:
        """The buffer in which the items of a window are built, one after the other."""
        if variable not in self.buffers:
            self.buffers[variable] = Buffer(self.reading, self.scope.env, self.scope.slot().number)
        return self.buffers[variable]

    def item_demand(self, variable: str) -> BufferDemand:
        projection = self.query.buffers.get(variable, BARE)
        return BufferDemand(self.window_buffer(variable), projection, self.static, role="item")

    # Runs.

    def restart(self, variables: Mapping[str, Items] | None = None) -> None:
        """Resets everything to the state before the first run, but for the external variables given here."""
        if self._external:
            self._assign({**self.variables, **(variables or {})})
        self.writer.pieces.clear()
        self.writer.flushed.clear()
        self.writer.scopes.clear()
        self.writer.open = self.writer.after_value = self.writer.unended = False
        self.writer.attributes = None
        self.writer.depth = 0
        reading = self.reading
        reading.tree, reading.tick, reading.peak = next(tree._TREES), 0, 0
        reading.namespaces = {}
        for buffer in self.buffers.values():
            buffer.size = 0
            buffer.open.clear()
            buffer.text = None
        for matches in self.totals.values():
            for match in matches:
                match.total.texts.clear()
                match.total.marks.clear()

    def input_demands(self, variable: str) -> list[Demand]:
        """The demands on a document that is read before the stream: to fill its buffer."""
        projection: Projection = self.query.buffers.get(variable, BARE)
        return [BufferDemand(self.buffer(variable), projection, self.static, role="item")]


def _namespaces(query: Flux) -> dict[str, str]:
    """The namespaces of the query; prefixes that its constructors declare are visible everywhere."""
    namespaces = dict(declared(query.declarations))
    for scope in traversal.scopes(query.body):
        for handler in scope.handlers:
            for body in traversal.bodies(handler):
                for part in traversal.walk(body):
                    if isinstance(part, flux.StartTag):
                        own = declared_namespaces(ast.Element(part.name, part.attributes))
                        for prefix, uri in own.items():
                            if prefix:
                                namespaces.setdefault(prefix, uri)
    return namespaces


def _streamed(body: flux.ProcessStream) -> Iterable[str]:
    """The variables that are bound to nodes while they are read."""
    for scope in traversal.scopes(body):
        yield scope.variable
        for handler in scope.handlers:
            if isinstance(handler, flux.OnWindow | flux.OnEach) and handler.item:
                yield handler.item


def _windows(body: flux.ProcessStream) -> Iterable[str]:
    for scope in traversal.scopes(body):
        for handler in scope.handlers:
            if isinstance(handler, flux.OnWindow | flux.OnEach):
                yield handler.variable


def _lazily(expr: ast.Expr, static: StaticContext) -> Run:
    """Compiled on first use: by then, loops over buffers have bound the variables it uses."""
    compiled: list[Run] = []

    def run() -> Items:
        if not compiled:
            compiled.append(compiler.items(expr, static))
        return compiled[0]()

    return run


def _unsetting(scope: Scope, slot: int) -> Act:
    env = scope.env

    def unset() -> None:
        env[slot] = UNSET

    return unset


def _total_value(expr: ast.Expr, total: Total) -> Run:
    def run() -> Items:
        try:
            return total.result()
        except compiler.Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run
