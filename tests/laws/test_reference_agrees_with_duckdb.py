"""The reference evaluator against an independent one: the same SQL on DuckDB, instant by instant."""

from __future__ import annotations

import math
from collections import Counter

import duckdb
from hypothesis import given, reject

from laws.effort import trying
from laws.questions import few_inputs, questions
from laws.relational import SCHEMAS, Generated, catalog, inputs, queries
from slackwater.algebra import Kind
from slackwater.algebra.types import DOUBLE, INT
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.reference.bags import Changes, up_to
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots


def alive(window: str, stream: Changes, t: int) -> list[tuple]:
    """The window's rows at t, written a second time from the papers and without our evaluator."""
    arrived = [(u, row) for u, bag in stream.items() for row, copies in bag.items() for _ in range(copies)]
    arrived = sorted((each for each in arrived if each[0] <= t), key=lambda e: (e[0], order(e[1])))
    words = window.split()
    if words[0] in ("NOW", "RANGE"):
        size = 0 if words[0] == "NOW" else math.inf if words[1] == "UNBOUNDED" else int(words[1])
        slide = int(words[3]) if "SLIDE" in words else 1
        start = t - t % slide
        return [row for u, row in arrived if t >= slide - 1 and start - size <= u <= start]
    if words[0] == "SLIDING":
        return [row for u, row in arrived if u > t - int(words[1])]
    if words[0] == "FIXED":
        return [row for u, row in arrived if u // int(words[1]) == t // int(words[1])]
    count = int(words[words.index("ROWS") + 1])
    slide = int(words[words.index("SLIDE") + 1]) if "SLIDE" in words else 1
    within = int(words[words.index("RANGE") + 1]) if "RANGE" in words else math.inf
    found: list[tuple] = []
    for key in {row[0] if "PARTITION" in words else 0 for _, row in arrived}:
        part = [each for each in arrived if "PARTITION" not in words or each[1][0] == key]
        part = part[: len(part) - len(part) % slide][-count:]
        found += [row for u, row in part if u >= t - within]
    return found


def order(row: tuple) -> tuple:
    return tuple((value is not None, value) if value is not None else (False,) for value in row)


def answer(query: Generated, data: dict[str, Changes], t: int) -> Counter[tuple]:
    """What DuckDB says of the sources' contents at t."""
    with duckdb.connect() as db:
        db.execute("SET error_on_division_by_zero = false")
        for each in query.sources:
            schema = SCHEMAS[each.name]
            kinds = {INT: "BIGINT", DOUBLE: "DOUBLE"}
            columns = ", ".join(f"{name} {kinds.get(type_, 'VARCHAR')}" for name, type_ in schema)
            db.execute(f"CREATE TABLE t_{each.placeholder} ({columns})")
            if each.window:
                rows = alive(each.window, data[each.name], t)
            else:
                rows = [row for row, copies in up_to(data[each.name], t).items() for _ in range(copies)]
            if rows:
                marks = ", ".join("?" for _ in schema.names)
                db.executemany(f"INSERT INTO t_{each.placeholder} VALUES ({marks})", rows)
        sql = query.sql({each.placeholder: f"t_{each.placeholder}" for each in query.sources})
        return rounded(db.execute(sql).fetchall())


def rounded(rows: list[tuple]) -> Counter[tuple]:
    """Rows with their numbers as floats of nine digits: AVG and STDDEV differ in the last bits."""
    return Counter(tuple(None if v is None else float(f"{float(v):.9g}") + 0.0 for v in row) for row in rows)


@trying(60)
@given(queries(), inputs)
def test_every_snapshot_is_what_duckdb_says_of_the_windows_contents(
    query: Generated, data: dict[str, Changes]
) -> None:
    is_what_duckdb_says(query, data)


@trying(60)
@given(questions(), few_inputs)
def test_what_subqueries_ask_is_what_duckdb_says(query: Generated, data: dict[str, Changes]) -> None:
    try:
        is_what_duckdb_says(query, data)
    except duckdb.NotImplementedException:
        reject()  # a correlated IN of pairs


def is_what_duckdb_says(query: Generated, data: dict[str, Changes]) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    snapshots, changes = Snapshots(data), Histories(data).changes(plan)
    for t in snapshots.instants(plan):
        here = snapshots.relation(plan, t)
        assert here == up_to(changes, t)
        spelled = [row for row, copies in here.items() for _ in range(copies)]
        assert rounded(spelled) == answer(query, data, t), f"at {t}: {query.cql}"
