"""SHOW and DESCRIBE: what is declared before them, as a query of constant rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator, Schema
from slackwater.algebra.expressions import Literal
from slackwater.algebra.types import BOOLEAN, STRING
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.catalogs.removal import names_of
from slackwater.bind.query import Queries
from slackwater.bind.value_rows import alternatives
from slackwater.language.cql import nodes


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of SHOW or DESCRIBE in their order, and the plan of these rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def plan(self, span: Span) -> Operator:
        """The rows as a relation that does not change."""
        if not self.rows:
            nothing = tuple((name, Literal(STRING, "")) for name in self.columns)
            return algebra.Select(algebra.Project(algebra.Unit(), nothing), Literal(BOOLEAN, False))
        cells = [[Literal(STRING, cell) for cell in column] for column in zip(*self.rows, strict=True)]
        return alternatives(algebra.Unit(), list(zip(self.columns, cells, strict=True)), span)


def listing(node: nodes.Show | nodes.Describe, binding: Binding) -> Listing | None:
    """What SHOW or DESCRIBE lists; None after an error."""
    if isinstance(node, nodes.Show):
        return Listing(("name",), tuple((name,) for name in names_of(node.kind, binding.catalog)))
    schema = _schema(node.this, binding)
    if schema is None:
        return None
    return Listing(("column", "type"), tuple((name, str(type_)) for name, type_ in schema))


def _schema(node: exp.Expression, binding: Binding) -> Schema | None:
    """The columns of a stream, relation, view or query, or those that a sink declares."""
    if not isinstance(node, exp.Identifier):
        plan = Queries(binding).query(node, [])
        return None if plan is BROKEN else plan.schema
    catalog, name = binding.catalog, node.name
    entry, sink = catalog.get(name), catalog.sinks.get(name.lower())
    if entry is not None:
        return entry.plan.schema
    if sink is not None and sink.schema is not None:
        return sink.schema
    binding.report(errors.unknown_source(name, catalog.names, binding.span(node)))
    return None
