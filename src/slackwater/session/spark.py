"""The Spark of a session, and how queries are computed on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose; None where the engine chooses."""

    placement: str | None
    cores: int | None
    partitions: int | None
    sharing: bool
    match_memory: int | None


class WithSpark:
    """A Spark session, passed or started when it is needed, and the choices for queries on it."""

    def __init__(self, spark: SparkSession | None, choices: Choices) -> None:
        self._spark, self._choices = spark, choices
        self.brief = False
        """Whether a Spark session that is started here has little to do: it then starts sooner."""

    @property
    def spark(self) -> SparkSession:
        """The Spark session; started on this machine if none was passed."""
        if self._spark is None:
            from slackwater.run.local.spark import local_spark

            self._spark = local_spark(self._choices.cores, brief=self.brief)
        return self._spark

    @property
    def placement(self) -> str | None:
        """Where kernels run, if that was chosen."""
        return self._choices.placement

    @property
    def partitions(self) -> int | None:
        """In how many partitions workers compute, if that was chosen."""
        return self._choices.partitions

    @property
    def sharing(self) -> bool:
        """Whether queries that are started together are answered from each other."""
        return self._choices.sharing

    @property
    def match_memory(self) -> int | None:
        """The bytes of the windows of best-match joins that are in memory, if that was chosen."""
        return self._choices.match_memory

    def ship(self) -> None:
        """Send slackwater to the workers of the Spark session, whose Python then needs only its dependencies.

        These are polars, pyarrow and numpy, in the versions of this process. Call it before queries start.
        """
        from slackwater.run.cluster.ship import ship

        ship(self.spark.sparkContext)

    def stop(self) -> None:
        """Stop the Spark of this session."""
        if self._spark is not None:
            from slackwater.run.errors import is_lost

            try:
                self._spark.stop()
            except Exception as error:
                if not is_lost(error):
                    raise
            self._spark = None
