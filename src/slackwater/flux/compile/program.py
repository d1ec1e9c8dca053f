"""A FluX query, compiled: demands on a document, and the writer of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.buffers import Buffer, Keep, Reading
from slackwater.flux.compile.context import UNSET, Counter, External, Making, Run, Scope, Test
from slackwater.flux.compile.matches import Match, steps_of
from slackwater.flux.compile.queries import Queries
from slackwater.flux.compile.scopes import Begin, Copy
from slackwater.flux.compile.scopes import Scope as Handlers
from slackwater.flux.compile.totals import Total, total_of
from slackwater.flux.compile.windows import Buffered, Streamed
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import BARE, Projection
from slackwater.flux.plan.syntax import ROOT, Flux
from slackwater.flux.plan.terms import depends, placed
from slackwater.flux.rewrite.buffers import expressions
from slackwater.flux.runtime.machine import Act, Demand
from slackwater.flux.runtime.writer import Writer
from slackwater.flux.values import tree
from slackwater.flux.values import types as tree_types
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.construct import declared_namespaces
from slackwater.flux.values.context import declared
from slackwater.language.xquery import syntax as ast
from slackwater.xml.events import BETWEEN
from slackwater.xml.serialize import escape_text


class Program:
    """What one run of a query works with; it can be run again when it has ended, not before."""

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
            functions={each.name: each for each in query.functions},
            external=external or {},
            depends=depends(query.lets),
            empty_greatest=any(
                isinstance(each, ast.EmptyOrder) and each.greatest for each in query.declarations
            ),
            namespaces=declared(query.declarations),
        )
        self.making = Making(self.scope, None, _namespaces(query))
        self.totals: dict[str, list[Match]] = {}
        self.begin: dict[str, list[Act]] = {}
        self.buffers: dict[str, Buffer] = {}
        self.folds: dict[ast.Call, Total] = {}
        self.queries = Queries(self.writer, self.folds, self.begin)
        self.variables = variables or {}
        self._copying()
        self._bind()
        self._lets()
        self._count()
        self._compute()
        self.demands = self.on(ROOT, query.body)

    # What is bound before anything is compiled.

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
            each
            for each in self.query.declarations
            if isinstance(each, ast.VariableDeclaration)
            and each.value is None
            and each.name in self.variables
        ]
        for each in self._external:
            scope.bind(each.name, "items")
        self._assign(self.variables)

    def _assign(self, variables: Mapping[str, Items]) -> None:
        """Gives the external variables their values."""
        for each in self._external:
            slot = self.scope.slots[each.name].number
            self.scope.env[slot] = tree_types.coerced(variables[each.name], each.type, self.making.context)

    def _lets(self) -> None:
        scope = self.scope
        for let in self.query.lets:
            used = [name for name in scope.slots if name != let.variable]
            slot = scope.bind(let.variable, "let", used)
            self.begin.setdefault(let.scope, []).append(_unsetting(scope, slot))

    def _count(self) -> None:
        """Places are counted where a variable is bound, anew for every node that it stands below."""
        lets = [each.value for each in self.query.lets]
        asked = placed([*expressions(self.query.body), *lets])
        for variable in asked:
            counter = self.scope.places[variable] = Counter()
            self.begin.setdefault(variable, []).append(counter.step)
        for scope in traversal.scopes(self.query.body):
            for handler in scope.handlers:
                if isinstance(handler, flux.On) and handler.variable in asked:
                    reset = self.scope.places[handler.variable].reset
                    self.begin.setdefault(scope.variable, []).append(reset)

    def _compute(self) -> None:
        """Totals are known by the expressions they stand for; lets, which may use them, are compiled then."""
        for accumulator in self.query.accumulators:
            total = total_of(accumulator, self.making)
            steps = steps_of(accumulator.steps, self.making)
            match = Match(total, steps, self.making)
            self.totals.setdefault(accumulator.variable, []).append(match)
            self._computed(accumulator.variable, accumulator.expr, total)
        for fold in self.query.folds:
            self.folds[fold.expr] = total = Total(fold.expr.name)
            self._computed(fold.variable, fold.expr, total)
        for let in self.query.lets:
            self.scope.lets[let.variable] = _lazily(let.value, self.making)

    def _computed(self, variable: str, expr: ast.Expr, total: Total) -> None:
        self.begin.setdefault(variable, []).append(total.reset)
        self.scope.computed[expr] = _asking(expr, total)

    # What handlers ask for.

    def test(self, condition: ast.Expr | None) -> Test | None:
        return None if condition is None else compiler.test(condition, self.making)

    def begins(self, variable: str) -> list[Act]:
        """What begins anew with a variable."""
        return self.begin.get(variable, [])

    def totals_of(self, variable: str) -> list[Total]:
        return [each.total for each in self.totals.get(variable, []) if not each.steps]

    def matching(self, variable: str, group: object = None) -> Iterable[Demand]:
        """The paths below a variable that are matched while they are read."""
        for match in self.totals.get(variable, []):
            yield from match.begin(group)

    def starting(self, variable: str) -> Iterable[Demand]:
        """What every streamed variable needs: totals that begin anew, and what is kept of its node."""
        yield Begin(self, variable)
        projection = self.query.buffers.get(variable)
        if projection is not None:
            yield Keep(self.buffer(variable), projection, self.making, role="root")

    def on(self, variable: str, body: flux.ProcessStream) -> list[Demand]:
        """What is wanted of the element that a variable is bound to."""
        found = [*self.starting(variable), *self.matching(variable)]
        if any(not isinstance(each, flux.CopyThrough) for each in body.handlers):
            found.append(Handlers(body, self))
        for each in body.handlers:
            if isinstance(each, flux.CopyThrough):
                found.append(Copy(variable, self, self.test(each.condition)))
        return found

    def bound(self, handler: flux.On) -> list[Demand]:
        """The demands of an on handler, made once."""
        if handler.variable not in self._made:
            self._made[handler.variable] = self.on(handler.variable, handler.body)
        return self._made[handler.variable]

    def only_copies(self, handler: flux.On) -> bool:
        """The handler copies what it gets, and does nothing else."""
        name = handler.variable
        return (
            handler.body.handlers == (flux.CopyThrough(),)
            and name not in self.begin
            and name not in self.totals
        )

    def window(self, handler: flux.OnWindow | flux.OnEach) -> Streamed | Buffered:
        return Streamed(handler, self) if isinstance(handler, flux.OnWindow) else Buffered(handler, self)

    def buffer(self, variable: str) -> Buffer:
        if variable not in self.buffers:
            slot = self.scope.slots[variable].number
            forget = None
            self.buffers[variable] = Buffer(self.reading, self.scope.env, slot, forget)
            self.buffers[variable].forget = lambda: self.scope.forget(variable)
        return self.buffers[variable]

    def window_buffer(self, variable: str) -> Buffer:
        """The buffer in which the items of a window are made, one after the other."""
        if variable not in self.buffers:
            self.buffers[variable] = Buffer(self.reading, self.scope.env, self.scope.slot().number)
        return self.buffers[variable]

    def kept_item(self, variable: str) -> Keep:
        projection = self.query.buffers.get(variable, BARE)
        return Keep(self.window_buffer(variable), projection, self.making, role="item")

    # Copies.

    def _copying(self) -> None:
        self._made: dict[str, list[Demand]] = {}
        writer = self.writer
        append, scopes = writer.pieces.append, writer.scopes

        def text(text: str) -> None:
            if writer.open:
                append(">")
                writer.open = False
            append(escape_text(text))

        def end(raw: str) -> None:
            if scopes or BETWEEN in raw:
                writer.copy_end(raw)
            elif writer.open:
                append("/>")
                writer.open = False
            elif raw:
                append(f"</{raw}>")
            writer.after_value = False

        def comment(text: str) -> None:
            writer.begin()
            append(f"<!--{text}-->")

        def instruction(target: str, text: str) -> None:
            writer.begin()
            append(f"<?{target} {text}?>" if text else f"<?{target}?>")

        self.copy_text, self.copy_end = text, end
        self.copy_comment, self.copy_instruction = comment, instruction

    # Runs.

    def restart(self, variables: Mapping[str, Items] | None = None) -> None:
        """Everything is as it was before the first run, but for the external variables named here."""
        if self._external:
            self._assign({**self.variables, **(variables or {})})
        self.writer.pieces.clear()
        self.writer.heavy.clear()
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

    def keeping(self, variable: str) -> list[Demand]:
        """What is wanted of a document that is read before the stream: what its buffer keeps."""
        projection: Projection = self.query.buffers.get(variable, BARE)
        return [Keep(self.buffer(variable), projection, self.making, role="item")]


def _namespaces(query: Flux) -> dict[str, str]:
    """The namespaces of the query; those that its constructors declare count everywhere."""
    found = dict(declared(query.declarations))
    for scope in traversal.scopes(query.body):
        for handler in scope.handlers:
            for body in traversal.bodies(handler):
                for each in traversal.walk(body):
                    if isinstance(each, flux.StartTag):
                        given = declared_namespaces(ast.Element(each.name, each.attributes))
                        for prefix, uri in given.items():
                            if prefix:
                                found.setdefault(prefix, uri)
    return found


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


def _lazily(expr: ast.Expr, making: Making) -> Run:
    """Compiled when it is first asked for: by then, loops over buffers have bound the variables it names."""
    made: list[Run] = []

    def run() -> Items:
        if not made:
            made.append(compiler.items(expr, making))
        return made[0]()

    return run


def _unsetting(scope: Scope, slot: int) -> Act:
    env = scope.env

    def unset() -> None:
        env[slot] = UNSET

    return unset


def _asking(expr: ast.Expr, total: Total) -> Run:
    def run() -> Items:
        try:
            return total.result()
        except compiler.Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run
