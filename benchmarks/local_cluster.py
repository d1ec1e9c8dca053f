"""A Spark whose machines are processes of this one, `local-cluster[…]`; its home must be writable."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from slackwater.run.local.java import ensure_java
from slackwater.run.local.spark import LATE_COMPILING

SOURCE = Path(__file__).resolve().parent.parent / "src"


def local_cluster(folder: Path, master: str) -> SparkSession:
    """Start it; its executors keep their files in the folder."""
    ensure_java()
    home = folder / "spark"
    home.mkdir(parents=True)
    for path in Path(pyspark.__file__).parent.iterdir():
        (home / path.name).symlink_to(path)
    os.environ |= {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.executorEnv.PYTHONPATH": str(SOURCE),
        "spark.driver.memory": "2g",
        # As docs/operations.md recommends it.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.executor.extraJavaOptions": LATE_COMPILING,
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.sql.streaming.checkpointFileManagerClass": (
            "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
        ),
        "spark.ui.showConsoleProgress": "false",
    }
    return SparkSession.builder.master(master).config(map=settings).getOrCreate()
