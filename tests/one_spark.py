"""One Spark for all tests that need one: fixtures for the conftest of a folder."""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession

from slackwater.run.local.spark import local_spark
from slackwater.session import Session, connect


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    return local_spark(2, brief=True)


@pytest.fixture
def s(spark: SparkSession) -> Session:
    """A session with nothing in it, placed as the environment says: `SLACKWATER_PLACEMENT=workers`."""
    return connect(spark, placement=os.environ.get("SLACKWATER_PLACEMENT"))
