"""Table functions of users in FROM: f(x), LATERAL f(t.x), TABLE(f(x)).

A call is an array of structs for the row before it; its rows are the elements, with a column for each field.
"""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.column_types import field_names
from slackwater.algebra.expressions import UserCall
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import BIGINT, Type, element_of
from slackwater.algebra.users.functions import TABLE, UserFunction
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.expressions import Expressions
from slackwater.bind.lateral import problems
from slackwater.bind.lateral.unnest import ORDINALITY
from slackwater.bind.scope import Field, unique_names
from slackwater.bind.user_functions.call import value_of_call
from slackwater.language.cql import nodes
from slackwater.language.cql.lateral import BUILT_IN

LATERAL_ITEMS = (nodes.Unnested, nodes.LateralQuery)


def is_lateral(node: exp.Expression, binding: Binding) -> bool:
    """Whether an item of FROM may look at those before it."""
    return isinstance(node, LATERAL_ITEMS) or called_table(node, binding) is not None


def called_table(node: exp.Expression, binding: Binding) -> UserFunction | None:
    """The table function that an item of FROM calls."""
    call = node.this if isinstance(node, exp.Table) else None
    name = node.function if isinstance(node, nodes.Unnested) else ""
    name = call.name if isinstance(call, exp.Anonymous) and not node.args.get("db") else name
    function = binding.catalog.functions.get(name.lower())
    return function if function is not None and function.form == TABLE else None


def is_unknown(node: nodes.Unnested, binding: Binding) -> bool:
    """Whether it calls neither a function of SQL nor a table function; that is reported."""
    if node.function in BUILT_IN or called_table(node, binding) is not None:
        return False
    known = [name for name, function in binding.catalog.functions.items() if function.form == TABLE]
    listed = ", ".join([*BUILT_IN, *known])
    problem = problems.NO_TABLE_FUNCTION.at(binding.span(node), name=node.function, known=listed)
    binding.report(problem)
    return True


def function_rows(
    source: Operator, function: UserFunction, node: exp.Expression, binder: Expressions, *, keeps: bool
) -> tuple[Operator, list[Field]]:
    """The rows of the source, each with those of the function, and the new columns."""
    binding, span = binder.binding, binder.binding.span(node)
    call = node.this if isinstance(node, exp.Table) else node
    value = value_of_call(function, [binder.bind(part) for part in call.expressions], span, binding)
    alias = node.args.get("alias")
    names = [column.name for column in alias.columns] if alias is not None else []
    columns = _columns(function, node)
    if len(names) > len(columns):
        binding.report(errors.column_counts("a column list", len(names), len(columns), span))
        return BROKEN, []
    if source is BROKEN or not isinstance(value, UserCall):
        return BROKEN, []
    shown = unique_names([*names, *(name for name, _ in columns[len(names) :])])
    prefix = binding.unique(node.alias or function.name)
    internal = [f"{prefix}.{name}" for name in shown]
    ordinal = internal[-1] if _counts(node) else ""
    fields = tuple(internal[:-1] if ordinal else internal)
    plan = algebra.Unnest(source, ((f"{prefix}.@row", value),), ordinal, keeps, fields=fields, origin=span)
    return plan, [*map(Field, shown, internal, (type_ for _, type_ in columns))]


def _columns(function: UserFunction, node: exp.Expression) -> list[tuple[str, Type]]:
    row = element_of(function.result)
    columns = list(zip(field_names(row), inner_types(row), strict=True))
    return [*columns, (ORDINALITY, BIGINT)] if _counts(node) else columns


def _counts(node: exp.Expression) -> bool:
    """Whether rows are numbered: WITH ORDINALITY."""
    return isinstance(node, nodes.Unnested) and node.ordinality
