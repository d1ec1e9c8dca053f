"""What the keys of GROUP BY name: columns, aliases, places of the select list, or ALL of it."""

from __future__ import annotations

from sqlglot import exp

from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.functions import aggregate_call
from slackwater.bind.parameters.places import is_position
from slackwater.bind.scope import Scope


def with_all_keys(node: exp.Select, scope: Scope, binding: Binding) -> exp.Select:
    """The query with the keys that GROUP BY ALL means: the items of the select list without aggregates."""
    group = node.args.get("group")
    if group is None or not group.args.get("all"):
        return node
    items = [
        key for item in node.expressions for key in (_columns_of(item, scope) if is_star(item) else [item])
    ]
    keys = [item.unalias() for item in items if not _aggregates(item, binding) and not item.find(exp.Window)]
    # A number as a key would be the place of an item.
    listed = [exp.Paren(this=key.copy()) if isinstance(key, exp.Literal) else key.copy() for key in keys]
    changed = node.copy()
    changed.set("group", exp.Group(expressions=listed))
    return changed


def _columns_of(item: exp.Expression, scope: Scope) -> list[exp.Expression]:
    """The columns of * or alias.*, without those of EXCEPT and with the values of REPLACE."""
    star = item.this if isinstance(item, exp.Column) else item
    excluded = {name.name.lower() for name in star.args.get("except_") or []}
    values = {value.alias.lower(): value for value in star.args.get("replace") or []}
    alias = item.text("table").lower()
    columns: list[exp.Expression] = []
    for table in scope.tables:
        for field in table.shown if alias in ("", table.alias.lower()) else ():
            name = field.name.lower()
            is_merged = not alias and name in scope.merged
            source = None if is_merged else table.alias or None
            read = exp.column(exp.to_identifier(field.name, quoted=True), table=source)
            if name not in excluded:
                columns.append(values.get(name, read.update_positions(star)))
    return columns


def target(key: exp.Expression, node: exp.Select, scope: Scope, binding: Binding) -> exp.Expression:
    """What a key of GROUP BY names: an item of the select list by its place or alias, or itself."""
    return _ordinal(key, node, binding) or unaliased(key, node, scope)


def _ordinal(key: exp.Expression, node: exp.Select, binding: Binding) -> exp.Expression | None:
    """GROUP BY 1 is the first column of the select list."""
    if is_position(key, "GROUP BY", binding):
        place = int(key.name)
        if place < 1 or place > len(node.expressions):
            binding.report(errors.bad_ordinal(place, len(node.expressions), binding.span(key)))
        else:
            item: exp.Expression = node.expressions[place - 1].unalias()
            return item
    return None


def has_aggregate(node: exp.Select, binding: Binding) -> bool:
    """Whether the select list, QUALIFY or ORDER BY has an aggregate, outside subqueries and without OVER."""
    places = [*node.expressions, *filter(None, (node.args.get(key) for key in ("qualify", "order")))]
    return any(_aggregates(place, binding) for place in places)


def _aggregates(place: exp.Expression, binding: Binding) -> bool:
    functions = binding.catalog.functions
    return any(
        isinstance(inner, exp.Expression)
        and aggregate_call(inner, functions) is not None
        and not _is_over(inner)
        for inner in place.walk(prune=lambda n: isinstance(n, exp.Query | exp.Subquery))
        if not isinstance(inner, exp.Query | exp.Subquery)
    )


def _is_over(node: exp.Expression) -> bool:
    """Whether it is the function of a call with OVER."""
    around = node.parent
    while isinstance(around, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node, around = around, around.parent
    return isinstance(around, exp.Window) and around.this is node


def unaliased(node: exp.Expression, select: exp.Select, scope: Scope) -> exp.Expression:
    """The node with the select list's aliases replaced by their expressions; FROM's columns come first."""
    values = {
        column.alias.lower(): column.this for column in select.expressions if isinstance(column, exp.Alias)
    }

    def replace(part: exp.Expression) -> exp.Expression:
        if isinstance(part, exp.Column) and not part.table and not scope.find(part.name, None):
            value = values.get(part.name.lower())
            return exp.Paren(this=value.copy()) if value is not None else part
        return part

    return node.copy().transform(replace) if values else node


def is_star(node: exp.Expression) -> bool:
    """Whether an item of the select list is * or alias.*."""
    return isinstance(node.this if isinstance(node, exp.Column) else node, exp.Star)
