"""On Spark: a streaming query that drives a runtime, one batch after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.base.diagnostic import SlackwaterError
from slackwater.run.feeds import Feed, arrivals, combined
from slackwater.run.runtime import Runtime


@dataclass(slots=True)
class Streaming:
    """Feeds a runtime from Spark. Kernels run in the driver, on what the JVM hands over as Arrow."""

    runtime: Runtime
    feeds: Sequence[Feed]
    _seen: dict[str, int] = field(default_factory=dict)
    _failure: SlackwaterError | None = None

    def batch(self, frame: DataFrame, number: int) -> None:
        """One batch of Spark's is one epoch of ours."""
        if self.runtime.is_done(number):
            return
        try:
            self.runtime.step(number, arrivals(frame.toArrow(), self.feeds, self._heard(), number=number))
        except SlackwaterError as error:
            self._failure = error
            raise

    def _heard(self) -> dict[str, int]:
        for feed in self.feeds:
            name = feed.source.name
            beat = self.runtime.epochs.heartbeats[name]
            self._seen.setdefault(name, beat + feed.delay if beat else 0)
        return self._seen

    def start(self, checkpoint: Path, *, follow: bool) -> StreamingQuery:
        """Start the streaming query: until everything that is there is read, or for ever."""
        writer = combined(self.feeds).writeStream.foreachBatch(self.batch)
        writer = writer.option("checkpointLocation", str(checkpoint / "spark"))
        writer = writer if follow else writer.trigger(availableNow=True)
        return writer.start()

    def run(self, checkpoint: Path) -> None:
        """Read everything that is there, to the end of time."""
        query = self.start(checkpoint, follow=False)
        try:
            query.awaitTermination()
        except Exception:
            if self._failure is not None:
                raise self._failure from None
            raise
        self.runtime.finish()
