"""A program on a Spark of several processes: stories, or one query over files with its answer in files.

python -m spark.cluster_app MASTER stories NAME…
python -m spark.cluster_app MASTER query FOLDER TEXT
"""

from __future__ import annotations

import sys
from pathlib import Path

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
DECLARED = (
    "CREATE STREAM S (k BIGINT, v BIGINT) TIME ts BIGINT "
    "FROM '{folder}/in/*.parquet' WITH (maxFilesPerTrigger = 1)"
)


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


def query(spark: SparkSession, folder: str, text: str) -> int:
    """Answer a query over the files in a folder, in the workers."""
    s = sw.connect(spark, placement="workers", partitions=2)
    s.sql(DECLARED.format(folder=folder))
    out = sw.Files(Path(folder) / "out", "parquet", mode="changes")
    s.query(text).start(out, checkpoint=Path(folder) / "state", follow=False).await_termination()
    return 0


def main() -> int:
    master, kind, *arguments = sys.argv[1:]
    ensure_java()
    spark = SparkSession.builder.master(master).config(map=SETTINGS).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return stories(spark, arguments) if kind == "stories" else query(spark, *arguments)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
