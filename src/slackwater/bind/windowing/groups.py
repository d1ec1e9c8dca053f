"""Windows in GROUP BY: Flink's TUMBLE, HOP and SESSION with TUMBLE_START, Spark's window and session_window.

SELECT k, TUMBLE_START(ts, INTERVAL '1' MINUTE), COUNT(*) FROM S GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE)
SELECT k, window.start, COUNT(*) FROM S GROUP BY k, window(ts, '1 minute')

Both are the aggregate of the rows in their windows, by k and the start and end of the window.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra.expressions import Expression, column
from slackwater.algebra.types import UNKNOWN, Type
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.expressions import Expressions, bare
from slackwater.bind.scope import Field, From, Scope, Table
from slackwater.bind.windowing import problems
from slackwater.bind.windowing.lengths import time_of
from slackwater.bind.windowing.names import FORMS, names_part
from slackwater.bind.windowing.tables import END, START, last_moment, windowed
from slackwater.language.cql import nodes

_MINUTES = ("INTERVAL '5' MINUTE", "INTERVAL '10' MINUTE")
ALIAS = "window"
"""The name of the window in the query, as in window.start."""
_OWN = "@window"
"""Its name in rewritten calls: a source of the query may be called window."""
_SPARKS = ("window", "session_window")
"""The functions whose windows Spark names after them."""
_CLAUSES = ("expressions", "having", "group", "order", "qualify", "windows")


def window_of(node: exp.Expression) -> exp.Anonymous | None:
    """The call, if it is a window of GROUP BY."""
    inner = bare(node)
    return inner if isinstance(inner, exp.Anonymous) and inner.name.lower() in FORMS else None


@dataclass(frozen=True, slots=True)
class Windows:
    """The rows of a query in the windows of its GROUP BY, and the query with columns in place of calls."""

    source: From
    select: exp.Select


def in_group_windows(
    select: exp.Select, keys: list[exp.Expression], source: From, binder: Expressions
) -> Windows | None:
    """The query with the window that is among the keys of its GROUP BY, if one is."""
    calls = [call for key in keys if (call := window_of(key)) is not None]
    if not calls:
        return None
    binding, call = binder.binding, calls[0]
    for other in calls[1:]:
        if other != call:
            binding.report(problems.TWO_WINDOWS.at(binding.span(other)))
    rest = [
        bound for key in keys if window_of(key) is None and (bound := binder.bind(key)).type is not UNKNOWN
    ]
    names, type_ = _columns(binding), None
    plan = source.plan
    windows = None if plan is BROKEN else _windowed(plan, call, tuple(rest), binder)
    if windows is not None:
        type_ = windows.schema.type_of(START)
        outputs = {START: names[0], END: names[1]}
        columns = tuple((outputs.get(name, name), column(name, kind)) for name, kind in windows.schema)
        last = last_moment(column(END, type_))
        windows = algebra.Project(windows, (*columns, (names[2], last)), origin=windows.origin)
    aliases = {
        ALIAS,
        *([call.name.lower()] if call.name.lower() in _SPARKS else []),
        *(item.alias for item in select.expressions if window_of(item.unalias()) is not None),
    }
    tables = [_table(alias, names, type_) for alias in sorted(filter(None, aliases))]
    known = [table for table in tables if source.scope.table(table.alias) is None]
    own = _table(_OWN, names, type_)
    scope = Scope([*source.scope.tables, *known, own], dict(source.scope.merged))
    return Windows(From(windows or BROKEN, scope), _rewritten(select, call, binder))


def _columns(binding: Binding) -> tuple[str, str, str]:
    unique = binding.unique(ALIAS)
    return f"{unique}.start", f"{unique}.end", f"{unique}.time"


def _table(alias: str, names: tuple[str, str, str], type_: Type | None) -> Table:
    parts = zip(("start", "end", "time"), names, strict=True)
    fields = [Field(part, name, type_ or UNKNOWN, is_hidden=True) for part, name in parts]
    return Table(alias, tuple(fields), known=type_ is not None)


def _windowed(
    plan: algebra.Operator, call: exp.Anonymous, keys: tuple[Expression, ...], binder: Expressions
) -> algebra.Operator | None:
    """The rows in the windows of the call; None for errors, which are reported."""
    binding, function = binder.binding, call.name
    kind, parts, least = FORMS[function.lower()]
    time, *lengths = call.expressions or [None]
    span = binding.span(call)
    if not least <= len(lengths) <= len(parts):
        takes = str(least + 1) if least == len(parts) else f"{least + 1} to {len(parts) + 1}"
        form = f"{function}({', '.join(['ts', *(_MINUTES[:least])])})"
        count = len(call.expressions)
        binding.report(problems.WRONG_COUNT.at(span, function=function, count=count, takes=takes, form=form))
        return None
    value = time_of(binder.bind(time), function, binding.span(time), binding)
    if value is None:
        return None
    parameters = dict(zip(parts, lengths, strict=False))
    kind = "tumble" if kind == "hop" and "step" not in parameters else kind
    table = nodes.WindowTable(kind=kind, this=exp.Table(), time=time.copy())
    for name, length in parameters.items():
        table.set(name, length.copy())
    return windowed(plan, value, table, keys, binder, span, function)


def _rewritten(select: exp.Select, call: exp.Anonymous, binder: Expressions) -> exp.Select:
    """The query, with columns of the window in place of the calls."""

    def part(name: str, at: exp.Expression) -> exp.Expression:
        table = exp.Identifier(this=_OWN).update_positions(at)
        return exp.Column(this=exp.Identifier(this=name), table=table).update_positions(at)

    def replaced(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, exp.Anonymous) or (names := names_part(node.name)) is None:
            return node
        if names[0] != call.name.lower() or not _is_same(node, call, binder):
            return node
        return part(names[1], node)

    changed = select.copy()
    for key in _CLAUSES:
        if isinstance(value := changed.args.get(key), list):
            changed.set(key, [item.transform(replaced) for item in value])
        elif value is not None:
            changed.set(key, value.transform(replaced))
    grouped: list[exp.Expression] = []
    for key in changed.args["group"].expressions:
        is_window = window_of(key) is not None
        grouped += [part("start", key), part("end", key)] if is_window else [key]
    changed.args["group"].set("expressions", grouped)
    return changed


def _is_same(one: exp.Anonymous, other: exp.Anonymous, binder: Expressions) -> bool:
    """Whether two calls have the same arguments: as they are bound, however they are written."""
    return _arguments(one, binder) == _arguments(other, binder)


def _arguments(call: exp.Anonymous, binder: Expressions) -> list[Expression | str]:
    """The arguments of a call; what cannot be bound as it is written."""
    quiet = binder.binding.quiet()
    plain = Expressions(quiet, binder.scope, binder.subquery, [], binder.clause)
    values = [plain.bind(argument) for argument in call.expressions]
    return [argument.sql().lower() for argument in call.expressions] if quiet.errors else [*values]
