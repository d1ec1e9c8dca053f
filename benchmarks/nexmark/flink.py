"""Nexmark on PyFlink SQL: a changelog, of which the last state is compared."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

from pyflink.table import DataTypes
from pyflink.table.udf import udf

from benchmarks.contenders.flink import environment
from benchmarks.job import Reporter, read_job
from benchmarks.nexmark.answers import Row, digest
from benchmarks.nexmark.texts import SCHEMAS, camel, texts

_OTHER_WORDS = {
    "AVG(Q.final)": "AVG(CAST(Q.final AS DOUBLE))",
    "AVG(price)": "AVG(CAST(price AS DOUBLE))",
    "TABLE (SELECT *, PROCTIME() AS p_time FROM bid)": "TABLE stamped",
}
"""Flink's mean of whole numbers is a whole number, and windows are of tables and views, not of queries."""
_STAMPED = "CREATE TEMPORARY VIEW stamped AS SELECT *, PROCTIME() AS p_time FROM bid"


def main() -> None:
    job = read_job()
    reporter = Reporter(job)
    table = environment(job)
    # A source that is idle when it ends does not close its last windows.
    table.get_config().set("table.exec.source.idle-timeout", "0 ms")
    count_char = udf(lambda text, part: text.count(part), result_type=DataTypes.BIGINT())
    table.create_temporary_function("count_char", count_char)
    for name, folder in job.streams.items():
        table.execute_sql(_declared(name, Path(folder) / "whole.csv"))
    if "bid" in job.streams:
        table.execute_sql(_STAMPED)
    text = texts("flink")[job.workload]
    for words, accepted in _OTHER_WORDS.items():
        text = text.replace(words, accepted)
    answer = table.sql_query(text)
    target = Path(job.work) / "answer"
    files = f"'filesystem', 'path' = '{target}', 'format' = 'debezium-json'"
    schema = answer.get_schema()
    kinds = zip(schema.get_field_names(), schema.get_field_data_types(), strict=True)
    columns = ", ".join(f"`{name}` {_kind(str(kind))}" for name, kind in kinds)
    connector = files if job.check else "'blackhole'"
    table.execute_sql(f"CREATE TABLE answer ({columns}) WITH ('connector' = {connector})")
    reporter.began()
    started = time.perf_counter()
    answer.execute_insert("answer").wait()
    work = time.perf_counter() - started
    reporter.mark(job.events)
    checked = digest(_last_answer(target)) if job.check else None
    reporter.ended(work=work, promise="finally", fingerprint=checked)


def _kind(kind: str) -> str:
    """The type of a column of the answer, from how Python shows it."""
    known = {"TIMESTAMP": "TIMESTAMP(3)", "DECIMAL": "DECIMAL(38, 3)", "BIGINT": "BIGINT", "DOUBLE": "DOUBLE"}
    return next((spelled for name, spelled in known.items() if name in kind.upper()), "STRING")


def _declared(name: str, path: Path) -> str:
    columns = camel(SCHEMAS[name]).replace("TIMESTAMP", "TIMESTAMP(3)")
    quoted = ", ".join(
        f"`{column.partition(' ')[0]}` {column.partition(' ')[2]}" for column in columns.split(", ")
    )
    return (
        f"CREATE TABLE {name} ({quoted}, WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '0.001' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )


def _last_answer(folder: Path) -> Counter[Row]:
    """What remains of the changes."""
    rows: Counter[Row] = Counter()
    for path in folder.rglob("*part-*"):
        with path.open(encoding="utf-8") as changes:
            for change in map(json.loads, changes):
                for side, copies in (("before", -1), ("after", 1)):
                    if change[side] is not None:
                        rows[tuple(change[side].values())] += copies
    return rows


if __name__ == "__main__":
    main()
