"""One Spark for all tests that need one: fixtures for the conftest of a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from pyspark.sql import SparkSession

from slackwater.run.local.spark import local_spark
from slackwater.session import Session, connect


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    return local_spark(2, brief=True)


@contextmanager
def imported(spark: SparkSession, file: Path, text: str) -> Iterator[ModuleType]:
    """A module with this text, that the workers can import."""
    file.write_text(text, encoding="utf-8")
    spark.sparkContext.addPyFile(str(file))
    module = __import__(file.stem)
    yield module
    del sys.modules[file.stem]


@pytest.fixture
def s(spark: SparkSession) -> Session:
    """A session with nothing in it, placed as the environment says: `SLACKWATER_PLACEMENT=workers`."""
    return connect(spark, placement=os.environ.get("SLACKWATER_PLACEMENT"))
