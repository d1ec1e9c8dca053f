"""FROM: sources, windows and time points on them, joins between them; CQL 6.4's defaults for streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Call, Expression, Literal, conjunction
from slackwater.algebra.monotonic import is_monotonic
from slackwater.algebra.outer import outer_columns
from slackwater.algebra.rows import renamed
from slackwater.algebra.synchronization import STAMP
from slackwater.algebra.types import BOOLEAN, UNKNOWN, common
from slackwater.base.time import INFINITY
from slackwater.bind import errors
from slackwater.bind.asof.joins import as_of_join, asof_join, is_asof, version_of
from slackwater.bind.asof.problems import AS_OF_PLACE
from slackwater.bind.asof.proctime import PROCTIME, timed_stream
from slackwater.bind.bestmatch.join import best_match
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.coercion import coerced
from slackwater.bind.expressions import Expressions
from slackwater.bind.joins import joined, kind_of, merged_column
from slackwater.bind.lateral.join import lateral_item, lateral_join
from slackwater.bind.lateral.table_functions import is_lateral
from slackwater.bind.patterns.recognize import recognized
from slackwater.bind.pivots.pivot import pivoted
from slackwater.bind.pivots.unpivot import unpivoted
from slackwater.bind.scope import Field, From, Scope, Table, unique_names
from slackwater.bind.synchronization import points
from slackwater.bind.synchronization.from_items import CLOCK, in_place_of, names_stamp
from slackwater.bind.synchronization.now import filtered, split, with_windows
from slackwater.bind.synchronization.relations import own_stamp, relation_of, with_last_insertion
from slackwater.bind.windowing.tables import in_windows
from slackwater.bind.windows import chronons_of, partition_of, window_over
from slackwater.language.cql import nodes

if TYPE_CHECKING:
    from slackwater.bind.query import Queries


class Item(NamedTuple):
    """A source of FROM as a relation, its name, and the column that TS names if `*` does not include it."""

    plan: Operator
    name: str
    stamp: str | None = None


@dataclass(slots=True)
class Tables:
    """Binds the FROM clause of one query."""

    binding: Binding
    queries: Queries
    outer: list[Expressions]
    select: exp.Select | None = None
    replaces_now_views: bool = False
    """Whether Now views that are used only in conditions are not joined."""
    dated: set[int] = field(default_factory=set)
    """The sources whose FOR SYSTEM_TIME AS OF belongs to a join."""
    fails: bool = False
    """Whether a Now view was not joined that has to be."""

    def from_clause(self, select: exp.Select) -> From:
        """The product or join of all sources of FROM."""
        self.select = select
        clause = select.args.get("from_")
        if clause is None:
            return From(algebra.Unit(), Scope())
        source = self.item(clause.this)
        for join in select.args.get("joins") or []:
            source = self._joined(source, join)
        return source

    def item(self, node: exp.Expression) -> From:
        """One source of FROM with its joins."""
        if _is_parenthesized(node):
            source = self._parenthesized(node)
        elif is_lateral(node, self.binding):
            source = lateral_item(self, From(algebra.Unit(), Scope()), node)
        else:
            item = self.relation(node)
            source = self._now_view(item, node) or self._aliased(item, node)
        for join in node.args.get("joins") or []:
            source = self._joined(source, join)
        return source

    def _parenthesized(self, node: exp.Expression) -> From:
        """Joins in parentheses: their sources keep their names unless there is an alias."""
        inside = self.item(node.this)
        if not node.alias or inside.plan is BROKEN:
            return inside
        return self._aliased(Item(_all_columns(inside), node.alias), node)

    def relation(self, node: exp.Expression, alias: str = "") -> Item:
        """A source as a relation, windows, time points and defaults applied."""
        match node:
            case nodes.Windowed():
                plan, name = self._source(node.this)
                if plan is not BROKEN and plan.kind is Kind.STREAM:
                    plan = timed_stream(plan, self.select, self.binding, self.binding.span(node))
                return Item(self._windowed(plan, node, name), node.alias or name)
            case nodes.WindowTable():
                return self._in_windows(node)
            case nodes.Pivoted() | nodes.Unpivoted():
                return self._pivoted(node)
            case nodes.RelationOf():
                return self._relation_of(node, alias or node.alias or node.name)
            case nodes.Synchronized():
                item = self.relation(node.this, alias or node.alias)
                return Item(self._synchronized(item.plan, node), node.alias or item.name, item.stamp)
        plan, name = self._source(node)
        if plan.kind is Kind.STREAM:
            if outside := outer_columns(plan):
                self.binding.report(errors.correlated_window(outside, self.binding.span(node)))
                return Item(BROKEN, node.alias or name)
            self.binding.note(errors.default_window(name or "the subquery", self.binding.span(node)))
            self.binding.unwindowed.append(node)
            plan = timed_stream(plan, self.select, self.binding, self.binding.span(node))
            plan = algebra.Range(plan, INFINITY, origin=self.binding.span(node))
        return Item(plan, node.alias or name)

    def _in_windows(self, node: nodes.WindowTable) -> Item:
        """TUMBLE, HOP, CUMULATE or SESSION of a source."""
        item = self.relation(node.this)
        alias = node.alias or item.name
        if item.plan is BROKEN:
            return Item(BROKEN, alias)
        plan = _with_names(item.plan, node.this)
        table = Table(item.name, tuple(Field(name, name, type_) for name, type_ in plan.schema))
        binder = self.queries.expressions(Scope([table]), self.outer, f"the arguments of {node.kind.upper()}")
        return Item(in_windows(plan, node, binder), alias, item.stamp)

    def _pivoted(self, node: nodes.Pivoted | nodes.Unpivoted) -> Item:
        """PIVOT or UNPIVOT of a source."""
        if _is_parenthesized(node.this):
            inside = self.item(node.this)
            item = Item(inside.plan if inside.plan is BROKEN else _all_columns(inside), node.this.alias)
        else:
            item = self.relation(node.this)
        plan = item.plan if item.plan is BROKEN else _with_names(item.plan, node.this)
        if isinstance(node, nodes.Pivoted):
            return Item(pivoted(self, node, plan, item.name), node.alias)
        return Item(unpivoted(self, node, plan, item.name), node.alias)

    def _relation_of(self, node: nodes.RelationOf, alias: str) -> Item:
        """R(S). TS is a column of a stream's relation; of other relations only where a query names it."""
        plan, _ = self._source(node.this)
        if plan is BROKEN:
            return Item(plan, alias)
        span = self.binding.span(node)
        if plan.kind is Kind.STREAM and (outside := outer_columns(plan)):
            self.binding.report(errors.correlated_window(outside, span))
            return Item(BROKEN, alias)
        plan = relation_of(plan, self.binding, span)
        own = own_stamp(plan)
        if own is not None:
            return Item(plan, alias, own if own.lower() != STAMP.lower() else None)
        if self.select is None or not names_stamp(self.select, alias):
            return Item(plan, alias)
        return Item(with_last_insertion(plan, self.binding), alias, STAMP)

    def _synchronized(self, plan: Operator, node: nodes.Synchronized) -> Operator:
        span, by = self.binding.span(node.by), node.by
        if isinstance(by, nodes.Every):
            period = max(chronons_of(by.period, 1, self.binding), 1)
            at = points.periodic(period, chronons_of(by.offset, 0, self.binding))
            return plan if plan is BROKEN else points.synchronized(plan, at, span)
        stream = self.queries.resolve(exp.Table(this=by.copy()))
        named_points = None if stream is BROKEN else points.points_of(stream, by.name, span, self.binding)
        if named_points is None or plan is BROKEN:
            return BROKEN
        return points.synchronized(plan, named_points, span)

    def _now_view(self, item: Item, node: exp.Expression) -> From | None:
        """A Now view that is used only in conditions: its columns, without a plan."""
        if not self.replaces_now_views or self.select is None or self.binding.catalog.prototype:
            return None
        return in_place_of(item.plan, item.name, node, self.select, self.binding)

    def _source(self, node: exp.Expression) -> tuple[Operator, str]:
        if (version := node.args.get("version")) is not None and id(node) not in self.dated:
            self.binding.report(AS_OF_PLACE.at(self.binding.span(version)))
            return BROKEN, ""
        match node:
            case exp.Table() if (
                isinstance(node.this, exp.Identifier)
                and not node.db
                and not self.binding.span(node).content.startswith("'")
            ):
                return self.queries.resolve(node), node.name
            case exp.Subquery():
                return self.queries.query(node, self.outer), ""
            case nodes.StreamOf():
                return self.queries.query(node, self.outer), ""
            case nodes.Recognized():
                is_windowed = isinstance(node.this, nodes.Windowed | nodes.RelationOf | nodes.Synchronized)
                plan = self.relation(node.this).plan if is_windowed else self._source(node.this)[0]
                return recognized(self.queries, node, plan), ""
            case _:
                self.binding.report(errors.unsupported_source(self.binding.span(node)))
                return BROKEN, ""

    def aliased(self, plan: Operator, alias: str, node: exp.Expression) -> From:
        """The plan as a source of that name, with the columns that the alias lists."""
        return self._aliased(Item(plan, alias), node)

    def _aliased(self, item: Item, node: exp.Expression) -> From:
        plan, alias = item.plan, item.name
        if plan is BROKEN:
            return From(BROKEN, Scope([Table(alias, (), known=False)]))
        unique = self.binding.unique(alias or "subquery")
        columns = _alias_columns(node)
        if len(columns) > len(plan.schema):
            count, span = len(plan.schema), self.binding.span(node)
            self.binding.report(errors.column_counts("a column list", len(columns), count, span))
            columns = []
        names = [*columns, *plan.schema.names[len(columns) :]]
        internal = tuple(f"{unique}.{name}" for name in names)
        fields = [
            Field(name, column, type_, is_hidden=name == PROCTIME)
            for name, column, type_ in zip(names, internal, plan.schema.types, strict=True)
        ]
        if item.stamp is not None:
            fields = _with_stamp(fields, plan.schema.index(item.stamp))
        return From(renamed(plan, internal), Scope([Table(alias, tuple(fields))]))

    def _windowed(self, plan: Operator, node: nodes.Windowed, name: str) -> Operator:
        if plan is BROKEN:
            return plan
        if plan.kind is Kind.RELATION:
            span = self.binding.span(node.this)
            if isinstance(node.this, exp.Table) and not self.queries.is_local(node.this):
                self.binding.report(errors.window_on_relation(name, self.binding.span(node.window)))
                return BROKEN
            if not is_monotonic(plan):
                self.binding.report(errors.window_on_changing_query(span))
                return BROKEN
            self.binding.note(errors.default_istream("the subquery", span))
            self.binding.unstreamed.append(
                node.this.this if isinstance(node.this, exp.Subquery) else node.this
            )
            plan = algebra.Istream(plan, origin=span)
        return window_over(plan, node.window, partition_of(plan, node, name, self.binding), self.binding)

    def _joined(self, left: From, join: exp.Join) -> From:
        if is_lateral(join.this, self.binding):
            return lateral_join(self, left, join)
        if version_of(join) is not None:
            self.dated.add(id(join.this))
        right = self.item(join.this)
        for table in right.scope.tables:
            if table.alias and left.scope.table(table.alias):
                self.binding.report(errors.duplicate_alias(table.alias, self.binding.span(join.this)))
        both = Scope([*left.scope.tables, *right.scope.tables], dict(left.scope.merged))
        if isinstance(join.args.get("on"), nodes.BestMatchOn):
            return From(self._best_match(left.plan, right.plan, both, join), both)
        if is_asof(join) or version_of(join) is not None:
            bind_join = asof_join if is_asof(join) else as_of_join
            return From(bind_join(self, left, right, both, join), both)
        kind = kind_of(join)
        condition = self.condition(left, right, both, join, kind)
        if BROKEN in (left.plan, right.plan) or (condition is not None and condition.type is UNKNOWN):
            return From(BROKEN, both)
        plan = self._join(kind, left.plan, right.plan, condition)
        if kind in ("semi", "anti"):
            return From(plan, left.scope)
        return From(plan, both)

    def _best_match(self, left: Operator, right: Operator, both: Scope, join: exp.Join) -> Operator:
        binder = self.queries.expressions(both, self.outer, "ON of a best-match join")
        binder.may_use_now = not self.outer
        if BROKEN in (left, right):
            left = right = BROKEN
        plan = best_match(left, right, join, binder)
        return BROKEN if plan is None or left is BROKEN else plan

    def _join(self, kind: str, left: Operator, right: Operator, condition: Expression | None) -> Operator:
        if CLOCK in (left, right):
            plan = right if left is CLOCK else left
            return plan if condition is None or plan is CLOCK else self.filtered(plan, condition)
        if condition is None or kind not in ("inner", "cross"):
            return joined(kind, left, right, condition)
        still, windows = split(condition, self.binding)
        if windows is None:
            self.fails = True
            return BROKEN
        return with_windows(joined(kind, left, right, conjunction(still)), windows)

    def filtered(self, plan: Operator, condition: Expression) -> Operator:
        """The rows that satisfy the condition, which may depend on the current time."""
        rows = filtered(plan, condition, self.binding)
        self.fails = self.fails or rows is None
        return BROKEN if rows is None else rows

    def condition(self, left: From, right: From, both: Scope, join: exp.Join, kind: str) -> Expression | None:
        shared = self._shared(left.scope, right.scope, join)
        if shared:
            conditions = [self.equal(left, right, both, name, join, kind) for name in shared]
            return conjunction([condition for condition in conditions if condition is not None])
        on = join.args.get("on")
        if on is None:
            return None if kind in ("inner", "cross") else Literal(BOOLEAN, True)
        binder = self.queries.expressions(
            both, self.outer, "ON of an outer join" if kind != "inner" else "ON"
        )
        binder.may_use_now = kind == "inner" and not self.outer
        return binder.condition(on, "ON")

    def _shared(self, left: Scope, right: Scope, join: exp.Join) -> list[str]:
        if str(join.args.get("method") or "").upper() == "NATURAL":
            names = {name.lower() for _, columns in right.summary for name in columns}
            return [name for name, _ in left.star() if name.lower() in names]
        return [column.name for column in join.args.get("using") or []]

    def equal(
        self, left: From, right: From, both: Scope, name: str, join: exp.Join, kind: str
    ) -> Expression | None:
        sides: list[Expression] = []
        for side in (left, right):
            matches = side.scope.find(name, None)
            if len(matches) != 1:
                span = self.binding.span(join)
                if matches:
                    self.binding.report(errors.ambiguous_column(name, [alias for alias, _ in matches], span))
                elif side.scope.is_known:
                    self.binding.report(errors.unknown_column(name, side.scope.summary, span))
                return None
            sides.append(matches[0][1])
        type_ = common(sides[0].type, sides[1].type)
        if type_ is None:
            one, other = (side.type for side in sides)
            self.binding.report(
                errors.type_mismatch("joined columns of the types", one, other, self.binding.span(join))
            )
            return None
        first, second = (coerced(side, type_) for side in sides)
        both.merged[name.lower()] = (name, merged_column(kind, first, second))
        return Call(BOOLEAN, "eq", (first, second))


def _is_parenthesized(node: exp.Expression) -> bool:
    """Whether it is a source in parentheses, with or without joins, and not a query."""
    return isinstance(node, exp.Subquery) and isinstance(
        node.this, (exp.Table, exp.Subquery, *nodes.FROM_ITEMS)
    )


def _all_columns(source: From) -> Operator:
    """The columns of `*`, with a number added to repeated names."""
    columns = source.scope.star()
    names = unique_names([name for name, _ in columns])
    pairs = tuple((name, value) for name, (_, value) in zip(names, columns, strict=True))
    return algebra.Project(source.plan, pairs)


def _with_stamp(fields: list[Field], place: int) -> list[Field]:
    """The columns, of which TS names the one at that place; a column that is TS itself is hidden."""
    instant = fields[place]
    stamp = Field(STAMP, instant.column, instant.type, is_hidden=True)
    is_added = instant.name == STAMP
    return [*fields[:place], stamp, *fields[place + 1 :]] if is_added else [*fields, stamp]


def _with_names(plan: Operator, node: exp.Expression) -> Operator:
    """The plan of a source with the names of columns that its alias lists."""
    own = _alias_columns(node)
    return renamed(plan, (*own, *plan.schema.names[len(own) :]))


def _alias_columns(node: exp.Expression) -> list[str]:
    alias = node.args.get("alias")
    return [column.name for column in alias.args.get("columns") or []] if alias is not None else []
