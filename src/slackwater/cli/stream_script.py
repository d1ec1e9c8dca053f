"""A script of the STREAM prototype, bound and answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from slackwater.algebra import Kind, Operator, Project, Schema
from slackwater.algebra.expressions import Cast, column
from slackwater.algebra.rows import renamed
from slackwater.algebra.types import NULL, Type
from slackwater.base.diagnostic import Diagnostic, QueryError, SlackwaterError
from slackwater.bind.binding import BROKEN
from slackwater.bind.catalog import Catalog, Source, View
from slackwater.bind.program import Query, bind, bind_query
from slackwater.cli import problems
from slackwater.engines.engine import Engine
from slackwater.language.cql import CreateSource, parse
from slackwater.reference.bags import Changes
from slackwater.scripts.data import Column, Table, read
from slackwater.scripts.entries import Entry
from slackwater.texts.cutouts import restored

T = TypeVar("T")
_REGISTERED = re.compile(r"\bregister\s+(?:stream|relation)\s+(\w+)", re.IGNORECASE)


class ScriptErrors(Exception):
    """All errors of a script, or of its data."""

    def __init__(self, errors: list[SlackwaterError]) -> None:
        super().__init__()
        self.errors = errors


class Script:
    """The entries of a script, bound in order, then answered together."""

    def __init__(self, entries: list[Entry], engine: Engine) -> None:
        self._entries, self._engine = entries, engine
        self._catalog = Catalog(prototype=True)
        self._errors: list[SlackwaterError] = []
        self._tables: list[tuple[Table, str]] = []
        self._queries: list[tuple[Operator, str | None]] = []
        self.notes: list[Diagnostic] = []
        """The defaults that were applied to the script's queries."""

    def answers(self) -> Iterator[tuple[Changes, str | None]]:
        """The answer of each query up to the last instant of any input, with its destination.

        Raises ScriptErrors.
        """
        for entry in self._entries:
            self._attempt(partial(self._bind, entry))
        self._stop_if_wrong()
        inputs: dict[str, Changes] = {}
        for table, path in self._tables:
            self._attempt(partial(_load, inputs, table, path))
        self._stop_if_wrong()
        until = max((max(changes) for changes in inputs.values() if changes), default=0)
        for plan, dest in self._queries:
            yield self._engine.run(plan, inputs, [], until), dest

    def _attempt(self, step: Callable[[], None]) -> None:
        try:
            step()
        except SlackwaterError as error:
            self._errors.append(error)

    def _stop_if_wrong(self) -> None:
        if self._errors:
            raise ScriptErrors(self._errors)

    def _bind(self, entry: Entry) -> None:
        """Bind an entry; one with mistakes is declared, too, so that its users do not fail for it."""
        try:
            self._enter(entry)
        except QueryError:
            declaring = entry.follower if entry.key == "vquery" else entry
            match = _REGISTERED.search(declaring.text.content) if declaring else None
            if match and match[1] not in self._catalog:
                self._catalog.declare(View(match[1], BROKEN))
            raise

    def _enter(self, entry: Entry) -> None:
        follower = entry.follower
        if entry.key == "query":
            query = _bound(entry, self._catalog)
            self.notes += restored(query.notes, entry.key_span.text, entry.piece)
            self._queries.append((query.plan, follower.path if follower else None))
        elif follower is not None and entry.key == "table":
            self._tables.append((_table(entry, self._catalog), follower.path))
        elif follower is not None:
            _declare_view(entry, follower, self._catalog)


def _load(inputs: dict[str, Changes], table: Table, path: str) -> None:
    inputs[table.name] = read(path, table)


def _table(entry: Entry, catalog: Catalog) -> Table:
    source = _declared(entry, catalog)
    schema = source.plan.schema
    columns = map(Column, schema.names, schema.types, _widths(entry))
    return Table(source.name, source.plan.kind, tuple(columns))


def _declare_view(entry: Entry, vtable: Entry, catalog: Catalog) -> None:
    """Declare the view; where its query is wrong, with the columns of the vtable."""
    table = _declared(vtable, Catalog())
    if table.name in catalog:
        raise QueryError(problems.SCRIPT_DUPLICATE_TABLE.at(vtable.piece, name=table.name))
    declaration: Source | View = table
    try:
        plan = _bound(entry, catalog, table.plan.kind).plan
        # A query over a broken table has no columns; the error was reported there.
        if len(plan.schema):
            declaration = View(table.name, _fitted(plan, table.plan.schema, vtable))
    finally:
        catalog.declare(declaration)


def _fitted(plan: Operator, declared: Schema, vtable: Entry) -> Operator:
    if len(declared) != len(plan.schema) or not all(map(_fits, plan.schema.types, declared.types)):
        raise QueryError(
            problems.SCRIPT_OTHER_COLUMNS.at(vtable.piece, actual=plan.schema, declared=declared)
        )
    return _widened(plan, declared)


def _declared(entry: Entry, catalog: Catalog) -> Source:
    """The one stream or relation an entry registers, put into the catalog."""
    before = set(catalog.names)
    queries = _on_the_script(entry, lambda: bind(entry.text, catalog))
    new = [declaration for declaration in catalog if declaration.name not in before]
    if queries or len(new) != 1 or not isinstance(new[0], Source):
        raise QueryError(problems.SCRIPT_NOT_A_TABLE.at(entry.piece, key=entry.key))
    return new[0]


def _bound(entry: Entry, catalog: Catalog, kind: Kind | None = None) -> Query:
    return _on_the_script(entry, lambda: bind_query(entry.text, catalog, kind))


def _on_the_script(entry: Entry, function: Callable[[], T]) -> T:
    """Call the function; errors point at the script's own lines."""
    try:
        return function()
    except QueryError as error:
        raise QueryError(restored(error.diagnostics, entry.key_span.text, entry.piece)) from None


def _widths(entry: Entry) -> list[int | None]:
    """The N of each char(N) column, which its type does not keep."""
    (node,) = parse(entry.text)
    assert isinstance(node, CreateSource)
    sizes = [definition.args["kind"].expressions for definition in node.args["columns"]]
    return [int(size[0].name) if size and size[0].name.isdecimal() else None for size in sizes]


def _fits(actual: Type, declared: Type) -> bool:
    """Whether a vtable may declare a column of type `actual` so; an integer's width does not matter."""
    if actual in (declared, NULL) or (actual.is_integer and declared.is_integer):
        return True
    return actual.is_numeric and declared.is_floating


def _widened(plan: Operator, declared: Schema) -> Operator:
    """The plan with the declared names, numbers cast to floats where declared."""
    pairs = list(zip(plan.schema, declared, strict=True))
    if not any(new.is_floating and not old.is_floating for (_, old), (_, new) in pairs):
        return renamed(plan, declared.names)
    columns = [
        (name, Cast(new, column(source, old)) if new.is_floating else column(source, old))
        for (source, old), (name, new) in pairs
    ]
    return Project(plan, tuple(columns))
