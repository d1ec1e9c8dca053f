"""Nexmark on Spark's own Structured Streaming, as far as it has the queries."""

from __future__ import annotations

import pyarrow as pa

from benchmarks.contenders.spark import files_at_once, run, spark_of
from benchmarks.job import Reporter, read_job
from benchmarks.nexmark.answers import digest
from benchmarks.nexmark.events import count_char
from benchmarks.nexmark.texts import HERE, SCHEMAS, camel, queries_in, texts

_COUNTED = ("q17",)
"""Aggregates without windows: Spark emits the rows that change, and in the check all of them."""


def main() -> None:
    job = read_job()
    reporter = Reporter(job)
    spark = spark_of(job)
    spark.udf.register("count_char", count_char, "long")
    for name, folder in job.streams.items():
        reader = spark.readStream.schema(camel(SCHEMAS[name]).replace("STRING", "string"))
        reader = reader.option("maxFilesPerTrigger", files_at_once(job)).option("pathGlobFilter", "*.parquet")
        reader.parquet(folder).withWatermark("dateTime", "0 seconds").createOrReplaceTempView(name)
    spark.read.parquet(job.options["side"]).createOrReplaceTempView("side_input")
    text = queries_in(HERE / "spark.sql").get(job.workload) or texts("flink")[job.workload]
    mode = ("complete" if job.check else "update") if job.workload in _COUNTED else "append"
    tables: list[pa.Table] = []
    facts = run(job, spark.sql(text), tables, reporter, mode)
    shown = tables[-1:] if mode == "complete" else tables
    rows = [tuple(row.values()) for table in shown for row in _renamed(table).to_pylist()]
    reporter.ended(**facts, promise="finally", fingerprint=digest(rows) if job.check else None)
    spark.stop()


def _renamed(table: pa.Table) -> pa.Table:
    """With different names for all columns, which rows of Python need."""
    return table.rename_columns([str(place) for place in range(table.num_columns)])


if __name__ == "__main__":
    main()
