"""Queries over relations whose answer at each instant is DuckDB's over the rows of the instant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import duckdb

from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.types import INT, STRING, array
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.reference.bags import Changes, up_to
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

KINDS = {INT: "INT", STRING: "VARCHAR", array(INT): "INT[]", array(STRING): "VARCHAR[]"}


def plan_over(schemas: Mapping[str, Schema], text: str) -> Operator:
    """The plan of a query over these relations."""
    declarations = Catalog()
    for name, schema in schemas.items():
        declarations.relation(name, schema)
    return bind_query(Text("<query>", text), declarations, Kind.RELATION).plan


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One for all examples: to connect takes longer than to ask, and threads longer than to answer."""
    return duckdb.connect(config={"threads": 1})


def fill(db: duckdb.DuckDBPyConnection, name: str, columns: str, rows: Sequence[tuple]) -> None:
    """Make a table with these rows, in place of one with the same name."""
    db.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    if rows:
        marks = ", ".join([f"({', '.join('?' for _ in rows[0])})"] * len(rows))
        plain = [list(value) if isinstance(value, tuple) else value for row in rows for value in row]
        db.execute(f"INSERT INTO {name} VALUES {marks}", plain)


def answer(schemas: Mapping[str, Schema], text: str, data: Mapping[str, Changes], t: int) -> Counter[tuple]:
    """DuckDB's answer over the rows at t."""
    for name, schema in schemas.items():
        columns = ", ".join(f"{column} {KINDS[type_]}" for column, type_ in schema)
        fill(database(), name, columns, list(Counter(up_to(data[name], t)).elements()))
    return Counter(database().execute(text).fetchall())


def check(schemas: Mapping[str, Schema], text: str, data: dict[str, Changes]) -> None:
    """The snapshot at each instant is that of the history, and DuckDB's answer."""
    plan = plan_over(schemas, text)
    snapshots, changes = Snapshots(data), Histories(data).changes(plan)
    for t in snapshots.instants(plan):
        here = snapshots.relation(plan, t)
        assert here == up_to(changes, t)
        assert here == answer(schemas, text, data, t), f"at {t}: {text}"
