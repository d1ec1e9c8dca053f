"""Nexmark as users of Flink and of RisingWave write it: at every instant the answer is DuckDB's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb
import pytest

from benchmarks.nexmark.events import SIDE, events, instant
from benchmarks.nexmark.texts import COUNT_CHAR, HERE, SCHEMAS, camel, queries_in, texts
from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.engines.engine import Kernels, Reference
from slackwater.reference.bags import Changes, up_to

EXPECTED = queries_in(HERE / "duckdb.sql")
"""What DuckDB answers, by the name of a query and, where it is of one wording only, that."""


@cache
def catalog(wording: str) -> Catalog:
    made = Catalog()
    spelled = camel if wording == "flink" else str
    for name, columns in SCHEMAS.items():
        declared = f"CREATE STREAM {name} ({spelled(columns)}) TIME {spelled('date_time')} FROM '{name}.csv'"
        bind(Text("declarations", declared), made)
    bind(Text("declarations", "CREATE RELATION side_input (key BIGINT, value STRING) FROM 'side.csv'"), made)
    bind(Text("declarations", COUNT_CHAR), made)
    return made


@cache
def inputs() -> dict[str, Changes]:
    made: dict[str, Changes] = {"side_input": {instant(datetime(1970, 1, 1)): dict.fromkeys(SIDE, 1)}}
    for name, rows in events().items():
        made[name] = {}
        for at, row in zip(rows["date_time"], rows.rows(), strict=True):
            made[name].setdefault(instant(at), Counter())[row] += 1
    return made


def instants() -> list[int]:
    """Instants at which answers are compared: some of the events', and some in between."""
    times = sorted(at for rows in events().values() for at in rows["date_time"])
    return [instant(times[place]) + between for place in range(3, len(times), 26) for between in (0, 1000)]


@cache
def database() -> duckdb.DuckDBPyConnection:
    """All rows, and views with those up to the instant in `now`."""
    db = duckdb.connect()
    db.execute("CREATE TABLE now (t TIMESTAMP)")
    for name, columns in SCHEMAS.items():
        db.execute(f"CREATE TABLE all_{name} ({columns.replace('STRING', 'VARCHAR')})")
        rows = events()[name].rows()
        db.executemany(f"INSERT INTO all_{name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.execute(f"CREATE VIEW {name} AS SELECT * FROM all_{name} WHERE date_time <= (SELECT t FROM now)")
    db.execute("CREATE TABLE side_input (key BIGINT, value VARCHAR)")
    db.executemany("INSERT INTO side_input VALUES (?, ?)", SIDE)
    return db


def duckdbs(text: str, t: int) -> Counter[tuple[Any, ...]]:
    database().execute("DELETE FROM now")
    database().execute("INSERT INTO now VALUES (make_timestamp(?))", [t])
    return Counter(tuple(map(plain, row)) for row in database().execute(text).fetchall())


def plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    return float(f"{float(value):.9g}") if isinstance(value, int | float | Decimal) else value


def cases() -> Iterator[Any]:
    for wording in ("flink", "risingwave"):
        for heading in texts(wording):
            yield pytest.param(wording, heading, id=f"{wording}-{heading}")


@pytest.mark.parametrize(("wording", "heading"), list(cases()))
def test_at_every_instant_the_answer_is_duckdbs(wording: str, heading: str) -> None:
    plan = bind_query(Text(heading, texts(wording)[heading]), catalog(wording), Kind.RELATION).plan
    text = EXPECTED.get(f"{heading} {wording}") or EXPECTED[heading]
    whole = Reference().run(plan, inputs(), [], None)
    assert Kernels().run(plan, inputs(), instants()[::3], None) == whole
    for t in instants():
        rows = Counter({tuple(map(plain, row)): copies for row, copies in up_to(whole, t).items()})
        assert rows == duckdbs(text, t), t
    assert whole
