"""UNNEST and explode: the columns that they add to the rows before them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Column, Expression, Literal, column
from slackwater.algebra.types import BIGINT, STRING, UNKNOWN, Type, element_of, entries_of, fields_of
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN
from slackwater.bind.expressions import Expressions, bare
from slackwater.bind.lateral import problems
from slackwater.bind.lateral.series import numbers
from slackwater.bind.lateral.spellings import table_function
from slackwater.bind.scope import Field, unique_names
from slackwater.language.cql import nodes
from slackwater.language.cql.lateral import SERIES
from slackwater.optimize.rebuild import columns_of

_DEFAULT_NAME = "col"
_POSITION, ORDINALITY = "pos", "ordinality"


@dataclass(frozen=True, slots=True)
class TableCall:
    """A function from arrays to rows, as written."""

    function: str
    arrays: list[exp.Expression]
    node: exp.Expression
    ordinality: bool = False

    @property
    def keeps(self) -> bool:
        """Whether a row without elements stays."""
        return self.function.endswith("_outer")

    @property
    def has_position(self) -> bool:
        """Whether its first column is the position of an element, from 0 on."""
        return self.function.startswith("pos")

    def names(self, alias: str, parts: list[tuple[str, Type]] | None) -> list[str]:
        """The names of its columns where the query gives none; `parts` are the fields of its elements."""
        if self.function in SERIES:
            series = "id" if self.function == "range" else alias or self.function
            return unique_names([series, ORDINALITY] if self.ordinality else [series])
        if parts is not None:
            names = [name for name, _ in parts]
            return [*([_POSITION] * self.has_position), *names, *([ORDINALITY] * self.ordinality)]
        if self.function != "unnest":
            return [_POSITION, _DEFAULT_NAME] if self.has_position else [_DEFAULT_NAME]
        names = [alias or "unnest", *["unnest"] * (len(self.arrays) - 1)]
        return unique_names([*names, ORDINALITY] if self.ordinality else names)


def from_call(node: nodes.Unnested) -> TableCall:
    """The function in FROM."""
    return TableCall(node.function, node.expressions, node, node.ordinality)


def selected_call(node: exp.Expression) -> TableCall | None:
    """The function that an item of a select list is, if it is one."""
    call = bare(node)
    function = table_function(call)
    if function is None:
        return None
    arrays = call.expressions if isinstance(call, exp.Unnest) else [call.this, *call.expressions]
    return TableCall(function, arrays, call)


def unnested(
    source: Operator, call: TableCall, binder: Expressions, names: list[str], alias: str, *, keeps: bool
) -> tuple[Operator, list[Field]]:
    """The rows with a column for each array's elements and for their position, and these columns."""
    binding, span = binder.binding, binder.binding.span(call.node)
    values = _arrays(call, binder)
    parts = _parts(call, values, binder)
    defaults = call.names(alias, parts)
    if len(names) > len(defaults):
        binding.report(errors.column_counts("a column list", len(names), len(defaults), span))
    if values is None or source is BROKEN or len(names) > len(defaults):
        return BROKEN, []
    shown = unique_names([*names, *defaults[len(names) :]])
    prefix = binding.unique(alias or call.function)
    internal = [f"{prefix}.{name}" for name in shown]
    has_ordinal = call.has_position or call.ordinality
    ordinal = f"{prefix}.@{ORDINALITY}" if call.has_position else internal[-1] if has_ordinal else ""
    columns = internal[1:] if call.has_position else internal[: len(values)]
    arrays = tuple(zip(columns, values, strict=True)) if parts is None else ((f"{prefix}.@", values[0]),)
    plan: Operator = algebra.Unnest(source, arrays, ordinal, keeps or call.keeps, origin=span)
    types = [element_of(value.type) for value in values] if parts is None else [type_ for _, type_ in parts]
    if parts is not None:
        plan = _with_parts(plan, f"{prefix}.@", internal[call.has_position :], parts)
    if call.has_position:
        plan = _from_zero(plan, ordinal, internal[0])
    types = [BIGINT, *types] if call.has_position else [*types, BIGINT] if call.ordinality else types
    return plan, [*map(Field, shown, internal, types)]


def _arrays(call: TableCall, binder: Expressions) -> list[Expression] | None:
    """The arrays, or None after an error."""
    binding, function = binder.binding, call.function.upper()
    if isinstance(call.node, nodes.Unnested) and call.function in SERIES:
        series = numbers(call.node, binder)
        return None if series is None else [series]
    values = [binder.bind(array) for array in call.arrays]
    if call.function != "unnest" and len(values) != 1:
        where = binding.span(call.node)
        binding.report(problems.ONE_ARRAY.at(where, function=function, count=len(values)))
        return None
    if call.function != "unnest" and call.ordinality:
        binding.report(problems.ORDINALITY.at(binding.span(call.node), function=function))
        return None
    values = [_entries(value) for value in values]
    wrong = [value for value in values if value.type.name not in ("array", "null", UNKNOWN.name)]
    for value in wrong:
        binding.report(problems.NOT_AN_ARRAY.at(value.origin, function=function, type=value.type))
    return None if wrong or not values or any(value.type is UNKNOWN for value in values) else values


def _entries(value: Expression) -> Expression:
    """A map as the array of its entries."""
    if value.type.name != "map":
        return value
    return Call(entries_of(value.type), "map_entries", (value,), origin=value.origin)


def _parts(
    call: TableCall, values: list[Expression] | None, binder: Expressions
) -> list[tuple[str, Type]] | None:
    """The fields that are columns each: of the structs of inline, of the entries of a map; None of others."""
    if values is None or len(values) != 1:
        return None
    (value,) = values
    fields = fields_of(element_of(value.type))
    is_map = isinstance(value, Call) and value.function == "map_entries"
    if call.function.startswith("inline") and not fields:
        problem = problems.NOT_STRUCTS.at(value.origin, function=call.function.upper(), type=value.type)
        binder.binding.report(problem)
    return fields if is_map or call.function.startswith("inline") else None


def _with_parts(plan: Operator, whole: str, names: list[str], parts: list[tuple[str, Type]]) -> Operator:
    """The rows with the fields of a struct in its place."""
    rest = [(own, value) for own, value in columns_of(plan.schema) if own != whole]
    struct = column(whole, dict(plan.schema)[whole])
    fields = [
        (internal, Call(type_, "field", (struct, Literal(STRING, name))))
        for internal, (name, type_) in zip(names, parts, strict=False)
    ]
    return algebra.Project(plan, (*rest, *fields))


def _from_zero(plan: Operator, ordinal: str, name: str) -> Operator:
    """The rows with the position counted from 0, as posexplode counts."""
    rest = [(own, value) for own, value in columns_of(plan.schema) if own != ordinal]
    position = Call(BIGINT, "subtract", (column(ordinal, BIGINT), Literal(BIGINT, 1)))
    return algebra.Project(plan, (*rest, (name, position)))


def outward(expr: Expression, names: frozenset[str]) -> Expression:
    """The expression with these columns as those of an enclosing row."""

    def change(part: Expression) -> Expression | None:
        if isinstance(part, Column) and part.name in names:
            return algebra.expressions.Outer(part.type, part.name, origin=part.origin)
        return None

    return algebra.expressions.changed(expr, change)
