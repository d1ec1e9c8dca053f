"""Spark's own Structured Streaming, the same Spark in the same configuration.

It has no answer at every instant: of the sliding window it emits a row for every whole second, once that
second has passed. Distinct rows of a window, an aggregate over an aggregate in one query and a join as of
an instant with a relation that changes it refuses.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from benchmarks import fingerprint
from benchmarks.job import Job, Reporter, read_job
from slackwater.run.local.spark import local_spark

_SCHEMAS = {"S": "k long, v long, ts timestamp", "U": "k long, w long, ts timestamp"}
_STORES = {
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "hdfs": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
}
_ANSWERS = {"a": ("k", "n", "s"), "b": ("k", "v", "w"), "c": ("k", "d")}


def main() -> None:
    job = read_job()
    reporter = Reporter(job)
    spark = spark_of(job)
    tables: list[pa.Table] = []
    facts = run(job, _plan(job, spark), tables, reporter)
    promise = "closed" if job.workload[0] == "a" else "exact"
    reporter.ended(**facts, promise=promise, fingerprint=_fingerprint(job, tables) if job.check else None)
    spark.stop()


def spark_of(job: Job) -> SparkSession:
    """Spark, as it is configured for all jobs."""
    # A row for every key and second does not fit into the gigabyte that Spark takes by itself.
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 8g pyspark-shell"
    spark = local_spark(job.cores)
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", _STORES[job.options.get("store", "hdfs")])
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "100000")
    spark.conf.set("spark.sql.streaming.metricsEnabled", "true")
    return spark


def run(
    job: Job, answer: DataFrame, tables: list[pa.Table], reporter: Reporter, mode: str = "append"
) -> dict[str, Any]:
    """Run a query to the end of its input, and report its batches; in a check the tables are its answers."""
    writer = answer.writeStream.outputMode(mode)
    writer = (
        writer.foreachBatch(lambda df, _: tables.append(df.toArrow())) if job.check else writer.format("noop")
    )
    writer = writer.option("checkpointLocation", str(Path(job.work) / "checkpoint")).trigger(
        availableNow=True
    )
    reporter.began()
    started = time.perf_counter()
    query = writer.start()
    finished = query.awaitTermination(int(job.limit))
    seconds = time.perf_counter() - started
    query.stop()
    done, elapsed = 0, 0.0
    for progress in query.recentProgress:
        done += progress["numInputRows"]
        elapsed += progress["durationMs"].get("triggerExecution", 0) / 1000
        state = sum(operator["memoryUsedBytes"] for operator in progress["stateOperators"])
        reporter.mark(done, started + elapsed, state=state)
    return {"work": seconds, "finished": bool(finished)}


def files_at_once(job: Job) -> int:
    """How many files make a batch of the configured size; one, where batches are to be small."""
    return 1 if job.check or job.batch < 100_000 else int(job.options["batch"]) // job.batch


def _plan(job: Job, spark: SparkSession) -> DataFrame:
    streams = {
        name: spark.readStream.schema(_SCHEMAS[name]).option("maxFilesPerTrigger", files_at_once(job))
        .option("pathGlobFilter", "*.parquet").parquet(folder).withWatermark("ts", "0 seconds")
        for name, folder in job.streams.items()
    }  # fmt: skip
    source = streams["S"]
    match job.workload[0]:
        case "a":
            window = f.window("ts", f"{job.window} seconds", "1 second")
            grouped = source.groupBy(window, "k").agg(f.count("*").alias("n"), f.sum("v").alias("s"))
            return grouped.select(
                "k", "n", "s", (f.unix_micros("window.end") / 1_000_000).cast("long").alias("t")
            )
        case "b":
            left, right = source.alias("l"), streams["U"].alias("r")
            near = (
                f"r.ts BETWEEN l.ts - INTERVAL {job.window} SECONDS AND l.ts + INTERVAL {job.window} SECONDS"
            )
            later = f.unix_micros(f.greatest("l.ts", "r.ts")).alias("t")
            return left.join(right, f.expr(f"l.k = r.k AND {near}")).select("l.k", "v", "w", later)
        case "c":
            doubled = (f.col("v") * 2).alias("d")
            return source.where("v >= 500").select("k", doubled, f.unix_micros("ts").alias("t"))
    raise ValueError(job.workload)


def _fingerprint(job: Job, tables: list[pa.Table]) -> int:
    whole = pa.concat_tables(tables)
    columns = [whole[name].to_numpy() for name in (*_ANSWERS[job.workload[0]], "t")]
    return fingerprint.of_stream(columns[:-1], columns[-1])


if __name__ == "__main__":
    main()
