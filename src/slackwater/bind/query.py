"""Queries: SELECT, set operations, stream operators; from syntax to a plan."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Expression
from slackwater.algebra.operator import Unary
from slackwater.algebra.rows import renamed
from slackwater.algebra.types import UNKNOWN, Type, common
from slackwater.base.time import INFINITY
from slackwater.bind import errors
from slackwater.bind.bestmatch.final import final
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.expressions import Expressions, bare
from slackwater.bind.functions import aggregate_call
from slackwater.bind.grouping.groups import groups_of
from slackwater.bind.grouping.keys import has_aggregate, is_star, target, unaliased, with_all_keys
from slackwater.bind.grouping.sets import sets_word
from slackwater.bind.lateral.problems import GROUPED_EXPLODE, SEVERAL_EXPLODES
from slackwater.bind.lateral.unnest import selected_call, unnested
from slackwater.bind.nested.adapt import check_key
from slackwater.bind.nested.paths import struct_star
from slackwater.bind.over.calls import function_of, windows_of
from slackwater.bind.over.top import Outputs, outputs_of
from slackwater.bind.recursion.recursive import is_recursive, needs_recursive, recursion
from slackwater.bind.scope import Field, From, Scope, Table, unique_names
from slackwater.bind.set_operations import by_name, cast_columns, set_operation
from slackwater.bind.sinks.problems import SINK_NOT_READ
from slackwater.bind.stars import starred
from slackwater.bind.synchronization import problems
from slackwater.bind.synchronization.from_items import CLOCK
from slackwater.bind.synchronization.points import at_full_points
from slackwater.bind.synchronization.problems import NO_FORM_OF_STREAMS
from slackwater.bind.synchronization.relations import CLOCK_STREAM, time_type
from slackwater.bind.tables import Tables
from slackwater.bind.value_rows import value_rows
from slackwater.bind.windowing.groups import in_group_windows
from slackwater.language.cql import nodes
from slackwater.optimize.rebuild import columns_of

_TO_STREAM: dict[str, type[Unary]] = {
    "istream": algebra.Istream,
    "dstream": algebra.Dstream,
    "rstream": algebra.Rstream,
}

Made = dict[int, list[tuple[str, Expression]]]
"""The columns of an item of a select list that makes rows, by the item's id."""


@dataclass(slots=True)
class Queries:
    """Binds queries to plans; `local` are the names that WITH defines."""

    binding: Binding
    local: dict[str, Operator] = field(default_factory=dict)

    def query(self, node: exp.Expression, outer: list[Expressions]) -> Operator:
        """The plan of a query, of a stream or a relation."""
        saved = dict(self.local)
        self._with(node, outer)
        plan = self._query(node, outer)
        self.local = saved
        return plan

    def relation(self, node: exp.Expression, outer: list[Expressions]) -> Operator:
        """The plan of a query that must return a relation; a stream gets an unbounded window."""
        plan = self.query(node, outer)
        if plan.kind is Kind.STREAM:
            self.binding.note(errors.default_window("the subquery", self.binding.span(node)))
            self.binding.unwindowed.append(node)
            plan = algebra.Range(plan, INFINITY, origin=plan.origin)
        return plan

    def _query(self, node: exp.Expression, outer: list[Expressions]) -> Operator:
        if node.args.get("locks"):
            span, why = self.binding.span(node.args["locks"][0]), "A query does not change its sources."
            self.binding.report(errors.unsupported_clause("FOR UPDATE", span, why, "Remove FOR UPDATE."))
        match node:
            case exp.Select():
                return self._select(node, outer)
            case exp.SetOperation():
                return self._first_rows(self._set_operation(node, outer), node, outer)
            case exp.Subquery():
                is_whole = not any(node.args.get(clause) for clause in ("order", "limit", "offset"))
                if is_whole:
                    return self.query(node.this, outer)
                return self._first_rows(self.relation(node.this, outer), node, outer)
            case nodes.ValueRows():
                return self._first_rows(value_rows(self, node, outer), node, outer)
            case nodes.StreamOf():
                return self._stream_of(node, outer)
            case nodes.Windowed():
                return Tables(self.binding, self, outer).relation(node).plan
            case nodes.FullPoints():
                return self._at_full_points(node, outer)
            case exp.Table():
                return self.resolve(node)
            case _:
                span = self.binding.span(node)
                why, hint = (
                    "A query is a SELECT, VALUES, or a set operation of several.",
                    "Write SELECT … FROM …",
                )
                self.binding.report(errors.unsupported_clause(node.key.upper(), span, why, hint))
                return BROKEN

    def is_local(self, node: exp.Table) -> bool:
        """Whether WITH defines the name."""
        return node.name.lower() in self.local

    def _is_known(self, name: str) -> bool:
        """Whether FROM may name this."""
        return name.lower() in self.local or name in self.binding.catalog

    def resolve(self, node: exp.Table) -> Operator:
        """The plan of a name in FROM."""
        if self.is_local(node):
            return self.local[node.name.lower()]
        self.binding.used.add(node.name.lower())
        entry = self.binding.catalog.get(node.name)
        if entry is None and node.name.lower() == CLOCK_STREAM.lower():
            return algebra.Ticks(type=time_type(self.binding), origin=self.binding.span(node.this))
        if entry is None and (sink := self.binding.catalog.sinks.get(node.name.lower())) is not None:
            self.binding.report(SINK_NOT_READ.at(self.binding.span(node.this), name=sink.name))
            return BROKEN
        if entry is None:
            known = [*self.binding.catalog.names, *self.local]
            self.binding.report(errors.unknown_source(node.name, known, self.binding.span(node.this)))
            return BROKEN
        return entry.plan

    def _with(self, node: exp.Expression, outer: list[Expressions]) -> None:
        clause = node.args.get("with_")
        if clause is None:
            return
        for definition in clause.expressions:
            if clause.args.get("recursive") and is_recursive(definition):
                self.local[definition.alias.lower()] = recursion(self, definition, outer)
                continue
            if is_recursive(definition) and not self._is_known(definition.alias):
                self.binding.report(needs_recursive(definition, self.binding))
                self.local[definition.alias.lower()] = BROKEN
                continue
            plan = self.query(definition.this, outer)
            columns = [column.name for column in definition.args["alias"].args.get("columns") or []]
            self.local[definition.alias.lower()] = self.with_columns(plan, columns, definition)

    def with_columns(self, plan: Operator, columns: list[str], node: exp.Expression) -> Operator:
        """The plan with its columns renamed as listed, if there is a list."""
        if not columns or plan is BROKEN:
            return plan
        if len(columns) != len(plan.schema):
            span = self.binding.span(node)
            self.binding.report(errors.column_counts("a column list", len(columns), len(plan.schema), span))
            return BROKEN
        return renamed(plan, tuple(unique_names(columns)))

    def expressions(self, scope: Scope, outer: list[Expressions], clause: str) -> Expressions:
        return Expressions(self.binding, scope, self.relation, outer, clause)

    def _at_full_points(self, node: nodes.FullPoints, outer: list[Expressions]) -> Operator:
        plan = self.relation(node.this, outer)
        refreshed = None if plan is BROKEN else at_full_points(plan, node, self.binding)
        return BROKEN if refreshed is None else refreshed

    def _stream_of(self, node: nodes.StreamOf, outer: list[Expressions]) -> Operator:
        if node.kind == "final":
            return final(self, node, outer)
        plan = self.relation(node.this, outer)
        return plan if plan is BROKEN else _TO_STREAM[node.kind](plan, origin=self.binding.span(node))

    def _select(self, node: exp.Select, outer: list[Expressions]) -> Operator:
        self._check_output(node)
        source = None if outer else self._from_where(node, outer, replaces_now_views=True)
        if source is None:
            source = self._from_where(node, outer, replaces_now_views=False) or From(BROKEN, Scope())
        source, made = self._made_rows(node, source, outer)
        plan, outputs = self._columns(node, source, outer, made)
        if plan is BROKEN or any(value.type is UNKNOWN for value in outputs.values):
            return BROKEN
        span = self.binding.span(node)
        columns = (*zip(outputs.names, outputs.values, strict=True), *outputs.order_columns)
        result: Operator = algebra.Project(plan, columns, origin=span)
        if outputs.is_distinct:
            result = algebra.Distinct(result, origin=span)
        return outputs.first_rows(result, span)

    def _first_rows(self, plan: Operator, node: exp.Expression, outer: list[Expressions]) -> Operator:
        """ORDER BY, LIMIT and OFFSET behind a set operation or parentheses."""
        if plan is BROKEN:
            return plan
        fields = tuple(Field(name, name, type_) for name, type_ in plan.schema)
        binder = self.expressions(Scope([Table("", fields)]), outer, "ORDER BY")
        outputs = outputs_of(
            node, [(name, value) for name, value in columns_of(plan.schema)], binder.bind, self.binding
        )
        columns = (*columns_of(plan.schema), *outputs.order_columns)
        ordered = algebra.Project(plan, columns) if outputs.order_columns else plan
        return outputs.first_rows(ordered, self.binding.span(node))

    def _check_output(self, node: exp.Select) -> None:
        """Report a STREAMED or COMPLETE that is not that of the whole answer."""
        for word in node.args.get("operation_modifiers") or []:
            if word is not self.binding.output:
                is_stream = isinstance(node.parent, nodes.StreamOf)
                why = NO_FORM_OF_STREAMS if is_stream else "this is not the first SELECT of the answer"
                span = self.binding.span(word)
                self.binding.report(problems.OUTPUT_PLACE.at(span, word=word.name, why=why))

    def _from_where(
        self, node: exp.Select, outer: list[Expressions], *, replaces_now_views: bool
    ) -> From | None:
        """FROM and WHERE; None if a Now view was not joined that has to be."""
        tables = Tables(self.binding, self, outer, replaces_now_views=replaces_now_views)
        source = tables.from_clause(node)
        where = node.args.get("where")
        if where is not None:
            binder = self.expressions(source.scope, outer, "WHERE of a subquery" if outer else "WHERE")
            binder.may_use_now = not outer
            source = _filtered(source, binder.condition(where.this, "WHERE"), tables)
        if replaces_now_views and (source.plan is CLOCK or (tables.fails and not self.binding.errors)):
            return None
        return source

    def _made_rows(self, node: exp.Select, source: From, outer: list[Expressions]) -> tuple[From, Made]:
        """FROM with the rows that an explode in the select list makes, and the columns of its item."""
        calls = [(item, call) for item in node.expressions if (call := selected_call(item.unalias()))]
        if not calls:
            return source, {}
        item, call = calls[0]
        span = self.binding.span(calls[-1][1].node)
        if len(calls) > 1:
            self.binding.report(SEVERAL_EXPLODES.at(span))
        if node.args.get("group") or node.args.get("having") or has_aggregate(node, self.binding):
            self.binding.report(GROUPED_EXPLODE.at(span, function=call.function.upper()))
        names = [name.name for name in item.expressions] if isinstance(item, exp.Aliases) else []
        names = [item.alias] if isinstance(item, exp.Alias) else names
        binder = self.expressions(source.scope, outer, "SELECT")
        plan, fields = unnested(source.plan, call, binder, names, "", keeps=False)
        made: Made = {id(item): [(field.name, field.expression) for field in fields] for item, _ in calls}
        return From(plan, source.scope), made

    def _columns(
        self, node: exp.Select, source: From, outer: list[Expressions], made: Made
    ) -> tuple[Operator, Outputs]:
        """The plan below the projection, and the projection's columns."""
        binder, groups = self.expressions(source.scope, outer, "SELECT"), None
        clauses = (node.args.get("group"), node.args.get("having"))
        if any(clause is not None for clause in clauses) or has_aggregate(node, self.binding):
            node = with_all_keys(node, source.scope, self.binding)
            node, source = self._in_group_windows(node, source, outer)
            node, scope, groups = groups_of(node, source, self.expressions(source.scope, outer, "GROUP BY"))
            source = From(source.plan, scope)
            binder = self.expressions(scope, outer, "this place")
            binder = replace(binder, grouping=groups.grouping, may_aggregate=True)
        overs = windows_of(node, binder)
        after = replace(binder, overs=overs)
        tables = Tables(self.binding, self, outer)
        columns = self.select_list(node, after, made)
        qualify, having = node.args.get("qualify"), node.args.get("having")
        condition = None
        if having is not None:
            clause = "HAVING of a subquery" if outer else "HAVING"
            binder = replace(binder, clause=clause, may_use_now=not outer)
            condition = binder.condition(unaliased(having.this, node, source.scope), "HAVING")

        def bind(term: exp.Expression) -> Expression:
            return after.bind(unaliased(term, node, source.scope))

        outputs = outputs_of(node, columns, bind, self.binding)
        accepted = None
        if qualify is not None:
            accepted = after.condition(unaliased(qualify.this, node, source.scope), "QUALIFY")
        span, below = self.binding.span(node), source
        if groups is not None:
            below = From(groups.applied(source.plan, span), source.scope)
        if condition is not None:
            below = _filtered(below, condition, tables)
        if below.plan is not BROKEN:
            below = From(overs.applied(below.plan, span), source.scope)
        if accepted is not None:
            below = _filtered(below, accepted, tables)
        return below.plan, outputs

    def _in_group_windows(
        self, node: exp.Select, source: From, outer: list[Expressions]
    ) -> tuple[exp.Select, From]:
        """The query over its rows in the windows of GROUP BY: TUMBLE(ts, …), window(ts, …)."""
        group = node.args.get("group")
        elements = group.expressions if group is not None else []
        keys = [target(key, node, source.scope, self.binding) for key in elements]
        if any(sets_word(key) for key in keys):
            return node, source
        windows = in_group_windows(node, keys, source, self.expressions(source.scope, outer, "GROUP BY"))
        return (node, source) if windows is None else (windows.select, windows.source)

    def select_list(
        self, node: exp.Select, binder: Expressions, made: Made | None = None
    ) -> list[tuple[str, Expression]]:
        """The columns of the select list, with their names."""
        columns: list[tuple[str, Expression]] = []
        if not node.expressions:
            self.binding.report(errors.empty_select_list(self.binding.span(node)))
        for place, column in enumerate(node.expressions, start=1):
            if made is not None and id(column) in made:
                columns += made[id(column)]
            elif is_star(column):
                columns += self._starred(column, binder)
            else:
                columns.append((_output_name(column, place, self.binding), binder.bind(column.unalias())))
        return columns

    def _starred(self, node: exp.Expression, binder: Expressions) -> list[tuple[str, Expression]]:
        alias = node.table if isinstance(node, exp.Column) else None
        span = self.binding.span(node)
        fields = struct_star(node, binder, span)
        if fields is not None:
            return starred(fields, node, binder, span)
        if alias and binder.scope.table(alias) is None:
            known = [table.alias for table in binder.scope.tables]
            self.binding.report(errors.unknown_alias(alias, known, span))
            return []
        columns = binder.scope.star(alias or None)
        if not columns and binder.scope.is_known:
            nothing = errors.unknown_column("*", [], span)
            self.binding.report(errors.no_columns(span) if binder.scope.tables else nothing)
        return starred(columns, node, binder, span)

    def _set_operation(self, node: exp.SetOperation, outer: list[Expressions]) -> Operator:
        left, right = self.relation(node.this, outer), self.relation(node.expression, outer)
        if BROKEN in (left, right):
            return BROKEN
        span, word = self.binding.span(node), node.key.upper()
        if node.args.get("by_name"):
            left, right = by_name(left, right)
        if len(left.schema) != len(right.schema):
            self.binding.report(errors.column_counts(word, len(left.schema), len(right.schema), span))
            return BROKEN
        types: list[Type] = []
        is_all = isinstance(node, exp.Union) and not node.args.get("distinct")
        for own in () if is_all else left.schema.types:
            check_key(own, span, self.binding)
        for one, other in zip(left.schema.types, right.schema.types, strict=True):
            type_ = common(one, other)
            if type_ is None:
                self.binding.report(errors.type_mismatch(f"columns of {word} of the types", one, other, span))
                return BROKEN
            types.append(type_)
        return set_operation(node, *(cast_columns(side, left.schema.names, types) for side in (left, right)))


def _filtered(source: From, condition: Expression, tables: Tables) -> From:
    if source.plan is BROKEN or condition.type is UNKNOWN:
        return From(BROKEN, source.scope)
    if source.plan is CLOCK:
        return source
    return From(tables.filtered(source.plan, condition), source.scope)


def _output_name(node: exp.Expression, place: int, binding: Binding) -> str:
    """The name of a column of the result: its alias, column, function or position."""
    if isinstance(node, exp.Alias):
        return node.alias
    inner = bare(node)
    if isinstance(inner, exp.Column | exp.Dot):
        return inner.name
    inner = inner.this if isinstance(inner, exp.Window) else inner
    while isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
        inner = inner.this
    called = aggregate_call(inner, binding.catalog.functions) or function_of(inner)
    return called.name if called is not None else f"column_{place}"
