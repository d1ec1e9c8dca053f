"""A sample of the .cqt stories through files and Spark's streaming: the answers of the reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.base.span import Text
from slackwater.testing.cqt import parse
from slackwater.testing.report import report
from slackwater.testing.runner import run
from slackwater.testing.streamed import Streamed

STORIES = Path(__file__).parents[1] / "queries"
SAMPLE = ("cql-query-04-congested-segments", "joins", "equal-timestamps", "relation-keys-and-updates")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_story_through_spark(spark: SparkSession, tmp_path: Path, name: str) -> None:
    path = STORIES / f"{name}.cqt"
    engine = Streamed(spark, tmp_path)
    for case in parse(Text(path.name, path.read_text(encoding="utf-8")))[:1]:
        outcome = run(case, [engine], seed=0)
        assert outcome.passed, report(outcome)
