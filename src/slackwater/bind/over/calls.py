"""Window functions: a call with OVER becomes a column of an `Over` below the select list.

The partition, the order and the arguments become columns first, so that the operator only sorts and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column, Expression, Literal, column
from slackwater.algebra.expressions.over import (
    OVER_FUNCTIONS,
    WHOLE,
    Frame,
    Framed,
    OverCall,
    OverFunction,
    Placed,
    SortKey,
)
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.types import BIGINT, UNKNOWN, common
from slackwater.base.diagnostic import did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.base.tree import rebuild
from slackwater.bind import errors
from slackwater.bind.coercion import coerced
from slackwater.bind.functions import aggregate_call
from slackwater.bind.nested.adapt import check_key
from slackwater.bind.over import problems
from slackwater.bind.over.frames import frame_of
from slackwater.bind.parameters.places import read_beside, read_constant
from slackwater.bind.scope import unique_names
from slackwater.optimize.rebuild import columns_of

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

IN_WINDOW = "a window function"
_NODES: dict[type[exp.Expression], str] = {
    exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank",
    exp.PercentRank: "percent_rank", exp.CumeDist: "cume_dist", exp.Ntile: "ntile", exp.Lag: "lag",
    exp.Lead: "lead", exp.FirstValue: "first_value", exp.LastValue: "last_value", exp.NthValue: "nth_value",
}  # fmt: skip
_NULLS = ("lag", "lead", "first_value", "last_value", "nth_value")
_INVERSE = {"lag": "lead", "lead": "lag"}

Window = tuple[tuple[str, ...], tuple[SortKey, ...]]
"""Partition and order."""


@dataclass(slots=True)
class Overs:
    """The window functions of one SELECT; `windows` are those that it defines."""

    windows: dict[str, exp.Window] = field(default_factory=dict)
    _computed: dict[Expression, str] = field(default_factory=dict)
    _calls: dict[Window, dict[OverCall, str]] = field(default_factory=dict)

    def column(self, value: Expression) -> Column:
        """The value as a column of the operator's input."""
        if isinstance(value, Column):
            return value
        if value not in self._computed:
            self._computed[value] = unique_names([*self._computed.values(), f"{text_of(value)} for OVER"])[-1]
        return column(self._computed[value], value.type, value.origin)

    def call(self, window: Window, call: OverCall) -> Expression:
        """The column of the call's values."""
        calls = self._calls.setdefault(window, {})
        if call not in calls:
            used = [name for others in self._calls.values() for name in others.values()]
            calls[call] = unique_names([*used, f"{call} OVER"])[-1]
        return column(calls[call], call.type)

    def applied(self, plan: Operator, span: Span) -> Operator:
        """The plan with the columns of all calls."""
        if self._computed:
            computed = tuple((name, value) for value, name in self._computed.items())
            plan = algebra.Project(plan, columns_of(plan.schema) + computed, origin=span)
        for (partition, order), calls in self._calls.items():
            columns = tuple((name, call) for call, name in calls.items())
            plan = algebra.Over(plan, partition, order, columns, origin=span)
        return plan


def function_of(node: exp.Expression) -> OverFunction | None:
    """The function of places that a node calls; None for aggregates and everything else."""
    if isinstance(node, exp.Anonymous):
        return OVER_FUNCTIONS.get(node.name.lower())
    name = _NODES.get(type(node))
    return None if name is None else OVER_FUNCTIONS[name]


def windows_of(select: exp.Select, binder: Expressions) -> Overs:
    """The named windows of a query. All of them are checked, used or not."""
    overs = Overs()
    for window in select.args.get("windows") or []:
        name = window.this.name
        if name.lower() in overs.windows:
            binder.binding.report(problems.REPEATED_WINDOW.at(binder.binding.span(window), name=name))
        overs.windows[name.lower()] = window
        inside = replace(binder, overs=overs)
        _Bound(inside, overs, binder.binding.span(window)).window(window)
    return overs


def over_call(node: exp.Window, binder: Expressions, span: Span) -> Expression:
    """The value of a call with OVER."""
    unknown = Literal(UNKNOWN, None, origin=span)
    if binder.overs is None:
        binder.binding.report(problems.MISPLACED.at(span, place=binder.clause.replace("another", "an")))
        return unknown
    if node.args.get("first") is not None:
        hint = "Remove FIRST or LAST; FIRST_VALUE and LAST_VALUE have the values of the first and last row."
        binder.binding.report(errors.unsupported_expression("FIRST or LAST in a window", span, hint))
        return unknown
    bound = _Bound(binder, binder.overs, span)
    window = bound.window(node)
    if window is None:
        return unknown
    call = bound.call(node.this, window)
    return unknown if call is None else binder.overs.call(window.key, call)


@dataclass(frozen=True, slots=True)
class _Specified:
    """A window: its partition and order, the values it is ordered by, and its frame as written."""

    key: Window
    order: list[Expression]
    spec: exp.Expression | None
    frame: Frame


@dataclass(frozen=True, slots=True)
class _Bound:
    """Binds one call with OVER."""

    binder: Expressions
    overs: Overs
    span: Span

    @property
    def inside(self) -> Expressions:
        """Binds what stands inside the call or its window."""
        return replace(self.binder, overs=None, clause=IN_WINDOW)

    def window(self, node: exp.Window) -> _Specified | None:
        """The window of a call; None for an error."""
        spec = self._spelled(node)
        if spec is None:
            return None
        partition = [self.inside.bind(part) for part in spec.args.get("partition_by") or []]
        ordered = spec.args.get("order")
        terms = ordered.expressions if ordered is not None else []
        order = [self.inside.bind(term.this) for term in terms]
        if any(value.type is UNKNOWN for value in (*partition, *order)):
            return None
        for value in (*partition, *order):
            check_key(value.type, value.origin or self.inside.binding.span(node), self.inside.binding)
        frame = frame_of(spec.args.get("spec"), order, self.inside)
        if frame is None:
            return None
        names = tuple(dict.fromkeys(self.overs.column(value).name for value in partition))
        keys = [
            sort_key(self.overs.column(value).name, term) for value, term in zip(order, terms, strict=True)
        ]
        return _Specified((names, tuple(keys)), order, spec.args.get("spec"), frame)

    def _spelled(self, node: exp.Window) -> exp.Window | None:
        """The window with what it takes from a named one."""
        name = node.alias
        if not name:
            return node
        binding = self.binder.binding
        base = self.overs.windows.get(name.lower())
        if base is None or base is node:
            known = [window.this.name for window in self.overs.windows.values() if window is not node]
            hint, listed = did_you_mean(name, known), quoted(known) or "none"
            binding.report(problems.UNKNOWN_WINDOW.at(self.span, name=name, known=listed, hint=hint))
            return None
        spelled = self._spelled(base)
        if spelled is None:
            return None
        whole = spelled.copy()
        own = {key: node.args.get(key) for key in ("partition_by", "order", "spec")}
        is_plain = not any(own.values())
        for key, clause in (("partition_by", "PARTITION BY"), ("order", "ORDER BY")):
            if own[key] and (key == "partition_by" or whole.args.get(key)):
                why = "It has the partition of the window it is based on."
                why = why if key == "partition_by" else "The window it is based on has an order."
                binding.report(problems.EXTENDED.at(self.span, name=name, clause=clause, why=why))
                return None
        if whole.args.get("spec") and not is_plain:
            why = "The window it is based on has a frame, and can only be used as it is."
            binding.report(problems.EXTENDED.at(self.span, name=name, clause="clauses", why=why))
            return None
        for key, value in own.items():
            if value:
                whole.set(key, value.copy() if isinstance(value, exp.Expression) else value)
        return whole

    def call(self, node: exp.Expression, window: _Specified) -> OverCall | None:
        """The function of a call; None for an error."""
        ignores = isinstance(node, exp.IgnoreNulls)
        while isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
            node = node.this
        function = function_of(node)
        if ignores and (function is None or function.name not in _NULLS):
            hint = "Only LAG, LEAD, FIRST_VALUE, LAST_VALUE and NTH_VALUE take it; aggregates ignore NULLs."
            self.binder.binding.report(errors.unsupported_expression("IGNORE NULLS", self.span, hint))
            return None
        if function is None:
            return self._aggregate(node, window.frame)
        if window.spec is not None and not function.framed:
            what = f"{function.name.upper()} has no frame"
            hint = "Remove ROWS or RANGE: it looks at the whole partition."
            self.binder.binding.report(problems.BAD_FRAME.at(self.span, what=what, instead=hint))
            return None
        return self._placed(function, node, ignores, window.frame if function.framed else WHOLE)

    def _aggregate(self, node: exp.Expression, frame: Frame) -> Framed | None:
        call = aggregate_call(node, self.binder.binding.catalog.functions)
        if call is None:
            hint = f"Known: {', '.join(name.upper() for name in OVER_FUNCTIONS)}, and every aggregate."
            what = "OVER after something other than a window function or an aggregate"
            self.binder.binding.report(errors.unsupported_expression(what, self.span, hint))
            return None
        aggregation = self.inside.aggregation(call, self.span)
        if aggregation is None:
            return None
        return Framed(rebuild(aggregation, Expression, self.overs.column), frame)

    def _placed(
        self, function: OverFunction, node: exp.Expression, ignores: bool, frame: Frame
    ) -> Placed | None:
        arguments = list(_arguments(node))
        if not function.required <= len(arguments) <= len(function.parameters):
            self._report_arguments(function, arguments)
            return None
        passed = dict(zip(function.parameters, arguments, strict=False))
        count = self._count(function, arguments) if "n" in passed else 1
        values = [self.inside.bind(passed[name]) for name in ("x", "d") if name in passed]
        values = read_beside(values, self.inside.binding, self.inside.bind)
        if count is None or any(value.type is UNKNOWN for value in values):
            return None
        if len(values) == 2:
            shared = common(values[0].type, values[1].type)
            if shared is None:
                self._report_arguments(function, arguments)
                return None
            values = [coerced(value, shared) for value in values]
        name = function.name
        if count < 0:
            name, count = _INVERSE[name], -count
        columns = [self.overs.column(value) for value in values]
        argument, default = (*columns, None, None)[:2]
        type_ = function.result(UNKNOWN if argument is None else argument.type)
        return Placed(type_, name, argument, count, default, ignores, frame, self.span)

    def _count(self, function: OverFunction, arguments: list[exp.Expression]) -> int | None:
        """The constant n of a function; of LAG and LEAD it may be negative."""
        inside = self.inside
        value = inside.bind(arguments[function.parameters.index("n")])
        value = read_constant(value, (BIGINT,), inside.binding, inside.bind)
        least = -(2**31) if function.name in _INVERSE else 1
        if value.type is UNKNOWN:
            return None
        if isinstance(value, Literal) and value.type.is_integer and value.value >= least:
            return int(value.value)
        self._report_arguments(function, arguments)
        return None

    def _report_arguments(self, function: OverFunction, arguments: list[exp.Expression]) -> None:
        constant = ", where n is a constant whole number" if "n" in function.parameters else ""
        texts = [" ".join(self.binder.binding.span(argument).content.split()) for argument in arguments]
        problem = problems.WRONG_ARGUMENTS.at(
            self.span,
            name=function.name.upper(),
            signature=function.signature,
            constant=constant,
            arguments=", ".join(texts) or "nothing",
        )
        self.binder.binding.report(problem)


def sort_key(name: str, term: exp.Expression) -> SortKey:
    """The key of an ORDER BY; as in Spark, NULLs are first in ascending and last in descending order."""
    return SortKey(name, bool(term.args.get("desc")), bool(term.args.get("nulls_first")))


def _arguments(node: exp.Expression) -> Iterator[exp.Expression]:
    keys = (
        ("expressions",) if isinstance(node, exp.Anonymous) else ("this", "offset", "default", "expressions")
    )
    for key in keys:
        value = node.args.get(key)
        if isinstance(value, list):
            yield from value
        elif isinstance(value, exp.Expression):
            yield value
