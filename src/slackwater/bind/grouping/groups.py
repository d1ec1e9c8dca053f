"""The groups of a query: one aggregate, or with grouping sets the bag union of one for each set.

Every aggregate reads the same plan. A key that is not in a set is NULL in its groups; GROUPING(k) is 1 there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Expression, Literal, column
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.types import INT, UNKNOWN
from slackwater.base.span import Span
from slackwater.bind.binding import BROKEN
from slackwater.bind.expressions import Expressions, bare
from slackwater.bind.grouping.keys import target
from slackwater.bind.grouping.problems import NOT_A_KEY, TOO_MANY_SETS
from slackwater.bind.grouping.sets import MOST, key_sets
from slackwater.bind.nested.adapt import check_key
from slackwater.bind.scope import Field, From, Grouping, Scope, Table, unique_names
from slackwater.bind.windowing.groups import window_of
from slackwater.bind.windowing.problems import WINDOW_IN_SETS

_TABLE = "GROUPING()"
"""The name of the table of the calls of GROUPING; no table of a query is meant so."""


@dataclass(slots=True)
class Groups:
    """The keys of each grouping set by their names, and the keys of each call of GROUPING by its column."""

    grouping: Grouping
    sets: list[frozenset[str]]
    calls: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def applied(self, plan: Operator, span: Span) -> Operator:
        """The groups of the rows of a plan."""
        if plan is BROKEN:
            return plan
        keys = [(name, value) for name, value in self.grouping.keys if name not in self.calls]
        if len(self.sets) == 1 and not self.calls and self.sets[0] == {name for name, _ in keys}:
            return self._aggregate(plan, keys, span)
        return reduce(algebra.Union, [self._of_set(plan, keys, names, span) for names in self.sets])

    def _aggregate(self, plan: Operator, keys: list[tuple[str, Expression]], span: Span) -> Operator:
        calls = tuple((name, call) for call, name in self.grouping.aggregations.items())
        return algebra.Aggregate(plan, tuple(keys), calls, origin=span)

    def _of_set(
        self, plan: Operator, keys: list[tuple[str, Expression]], names: frozenset[str], span: Span
    ) -> Operator:
        """The groups by the keys of one set, with the columns of all."""
        groups = self._aggregate(plan, [key for key in keys if key[0] in names], span)
        columns: list[tuple[str, Expression]] = [
            (name, column(name, value.type) if name in names else Literal(value.type, None))
            for name, value in keys
        ]
        for call, arguments in self.calls.items():
            bits = "".join("0" if name in names else "1" for name in arguments)
            columns.append((call, Literal(INT, int(bits, 2))))
        columns += [(name, column(name, call.type)) for call, name in self.grouping.aggregations.items()]
        return algebra.Project(groups, tuple(columns), origin=span)


def groups_of(node: exp.Select, source: From, binder: Expressions) -> tuple[exp.Select, Scope, Groups]:
    """The groups of a query, and the query and its scope with columns in place of its calls of GROUPING."""
    group = node.args.get("group")
    elements = group.expressions if group is not None else []
    sets = key_sets(elements)
    if sets is None:
        binder.binding.report(TOO_MANY_SETS.at(binder.binding.span(elements[-1]), most=MOST))
        sets = [[]]
    keys: dict[Expression, exp.Expression] = {}
    bound: list[list[Expression]] = []
    for nodes in sets:
        values = [_bound(key, node, source, binder) for key in nodes]
        for value, key in values:
            keys.setdefault(value, bare(key))
        bound.append([value for value, _ in values])
    for value in [key for key in keys if _is_no_key(key)]:
        del keys[value]
    if not keys and binder.binding.catalog.prototype:
        keys[Literal(INT, 0)] = exp.Literal.number(0)
        bound = [list(keys)]
    names = dict(zip(keys, unique_names([text_of(value) for value in keys]), strict=True))
    grouping = Grouping([(name, value) for value, name in names.items()], list(keys.values()))
    key_names = [frozenset(names[value] for value in values if value in names) for values in bound]
    groups = Groups(grouping, key_names)
    return *_with_calls(node, source, groups, binder), groups


def _bound(
    key: exp.Expression, node: exp.Select, source: From, binder: Expressions
) -> tuple[Expression, exp.Expression]:
    meant = target(key, node, source.scope, binder.binding)
    if window_of(meant) is not None:
        binder.binding.report(WINDOW_IN_SETS.at(binder.binding.span(meant)))
        return Literal(UNKNOWN, None), meant
    value = binder.bind(meant)
    check_key(value.type, binder.binding.span(meant), binder.binding)
    return value, meant


def _is_no_key(value: Expression) -> bool:
    return value.type is UNKNOWN or (isinstance(value, Literal) and value.value is None)


def _with_calls(
    node: exp.Select, source: From, groups: Groups, binder: Expressions
) -> tuple[exp.Select, Scope]:
    """The query with a column in place of each call of GROUPING, and the scope with these columns."""
    if node.find(exp.Grouping, exp.GroupingId) is None:
        return node, source.scope
    prefix, fields = binder.binding.unique(_TABLE), list[Field]()
    keys = list(groups.grouping.keys)
    changed = node.copy()
    calls: list[exp.Grouping | exp.GroupingId] = [
        *changed.find_all(exp.Grouping),
        *changed.find_all(exp.GroupingId),
    ]
    for call in [call for call in calls if call.find_ancestor(exp.Query) is changed]:
        name = f"{prefix}.{len(fields) + 1}"
        groups.calls[name] = _arguments(call, node, source, keys, binder)
        fields.append(Field(name, name, INT))
        table = exp.Identifier(this=_TABLE).update_positions(call)
        read = exp.Column(this=exp.Identifier(this=name, quoted=True), table=table).update_positions(call)
        groups.grouping.keys.append((name, column(name, INT)))
        groups.grouping.nodes.append(read.copy())
        call.replace(exp.alias_(read, call.sql_name().lower()) if call.parent is changed else read)
    tables = [*source.scope.tables, Table(_TABLE, tuple(fields))]
    return changed, Scope(tables, dict(source.scope.merged))


def _arguments(
    call: exp.Grouping | exp.GroupingId,
    node: exp.Select,
    source: From,
    keys: list[tuple[str, Expression]],
    binder: Expressions,
) -> tuple[str, ...]:
    """The names of the keys that a call of GROUPING is about; GROUPING_ID() is about all."""
    word = "GROUPING_ID" if isinstance(call, exp.GroupingId) else "GROUPING"
    if not call.expressions and word == "GROUPING_ID" and keys:
        return tuple(name for name, _ in keys)
    names: list[str] = []
    for argument in call.expressions:
        value = binder.bind(target(argument, node, source.scope, binder.binding))
        name = next((name for name, key in keys if key == value), None)
        if name is None and value.type is not UNKNOWN:
            binder.binding.report(NOT_A_KEY.at(binder.binding.span(argument), function=word))
        names.append(name or "")
    if not names:
        binder.binding.report(NOT_A_KEY.at(binder.binding.span(call), function=word))
    return tuple(names) or ("",)
