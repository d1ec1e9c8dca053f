"""Every .cqt story on a real Spark, through sessions, in a few batches: the answers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from slackwater.base.span import Text
from slackwater.testing.cqt import parse
from slackwater.testing.on_spark import Spark
from slackwater.testing.report import report
from slackwater.testing.runner import run

STORIES = Path(__file__).parents[1] / "queries"


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> Spark:
    return Spark(spark)


@pytest.mark.parametrize("name", sorted(path.stem for path in STORIES.glob("*.cqt")))
def test_a_story_on_spark(engine: Spark, name: str) -> None:
    path = STORIES / f"{name}.cqt"
    outcomes = [run(case, [engine], 0) for case in parse(Text(path.name, path.read_text(encoding="utf-8")))]
    failed = [report(outcome) for outcome in outcomes if not outcome.passed]
    assert not failed, "\n".join(failed)


def test_an_answer_that_is_wrong_is_found_on_spark(engine: Spark) -> None:
    story = "stream s\ntime | a\n1 | 1\n3 | 2\n\nquery\nSELECT RSTREAM(a) FROM s [NOW]\n\n"
    story += "emits\ntime | a\n1 | 1\n"  # and 2 at 3
    (case,) = parse(Text("story.cqt", story))
    (failure,) = run(case, [engine], 0).failures
    assert failure.way is not None
    assert failure.way.engine == "spark"
