"""A program on a Spark of several processes: stories, or queries over files, one after the other.

python -m spark.cluster_app MASTER stories NAME…
python -m spark.cluster_app MASTER queries DATA
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.base.span import Text
from slackwater.run.local.java import ensure_java
from slackwater.testing.cqt import parse
from slackwater.testing.on_spark import Spark
from slackwater.testing.report import report
from slackwater.testing.runner import run
from spark.clusters import SETTINGS

STORIES = Path(__file__).parents[1] / "queries"
DECLARED = """
CREATE STREAM S (k BIGINT, v BIGINT) TIME ts BIGINT FROM '{data}/S/*.parquet' WITH (maxFilesPerTrigger = 1);
CREATE RELATION R (k BIGINT, r BIGINT) KEY (k) TIME ts BIGINT OP op FROM '{data}/R/*.parquet'
  WITH (maxFilesPerTrigger = 1);
"""


def stories(spark: SparkSession, names: list[str]) -> int:
    """Run stories in both placements; how many cases failed."""
    failed = 0
    for name in names:
        text = Text(f"{name}.cqt", (STORIES / f"{name}.cqt").read_text(encoding="utf-8"))
        for placement in ("driver", "workers"):
            for case in parse(text):
                outcome = run(case, [Spark(spark, placement)], 0)
                print(f"{placement}: {case.name}: {'passed' if outcome.passed else 'failed'}", flush=True)
                if not outcome.passed:
                    print(report(outcome), flush=True)
                    failed += 1
    return failed


def queries(spark: SparkSession, data: str) -> int:
    """Answer each query of the standard input, a line of JSON, with a line: rows, or what was raised."""
    for line in sys.stdin:
        try:
            answer: object = answered(spark, data, **json.loads(line))
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)
    return 0


def answered(
    spark: SparkSession, data: str, text: str, checkpoint: str | None = None, out: str | None = None
) -> list[str]:
    """The rows of the answer: of files that workers wrote, or, without a checkpoint, in the driver."""
    s = sw.connect(spark, placement="workers" if checkpoint else "driver", partitions=2)
    s.sql(DECLARED.format(data=data))
    query = s.query(text, "answer")
    if not (checkpoint and out):
        return sorted(map(repr, query.result().rows()))
    query.start(sw.Files(out, "parquet"), checkpoint=checkpoint, follow=False).await_termination()
    return sorted(repr(row) for path in Path(out).glob("*.parquet") for row in pl.read_parquet(path).rows())


def main() -> int:
    master, kind, *arguments = sys.argv[1:]
    ensure_java()
    spark = SparkSession.builder.master(master).config(map=SETTINGS).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return stories(spark, arguments) if kind == "stories" else queries(spark, *arguments)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
