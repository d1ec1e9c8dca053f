"""Driving a runtime from Spark: growing sources batch by batch, finished ones in the first of them.

growing   ─► batch 0 ─► batch 1 ─► …          each batch is an epoch
finished  ─┘                                  read to their end (h = ∞) at once
clock     ─┴─────────┴─ ticks                 where time must pass without rows
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.algebra import Relation
from slackwater.base.diagnostic import Diagnostic, EngineError, SlackwaterError
from slackwater.run import problems
from slackwater.run.backfill.backfill import Backfill
from slackwater.run.batches import Batches
from slackwater.run.checkpoint import offsets
from slackwater.run.checkpoint.backlog import backlog_of
from slackwater.run.checkpoint.changed_files import FilesSeen, changed_notice
from slackwater.run.checkpoint.files import SPARK
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.errors import cause_of, is_lost, is_spark, translated
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed, combined
from slackwater.run.local.spark import job_group, keep_py4j_quiet
from slackwater.run.notices import Notices, by_arrival, by_the_clock, count_all
from slackwater.run.runtime import Runtime

_NAMING = threading.Lock()
"""Held from the choice of a name until Spark knows the query by it."""
CHECK_INTERVAL = 30.0
"""The seconds between two checks whether files that were read have changed."""
STOP_TIMEOUT = 10.0
"""The seconds an epoch may still take after `stop`, before Spark's jobs for it are cancelled."""
POLL = 0.05
"""The seconds between two looks at what another thread does."""


class _ReadAgain(Exception):
    """A batch without columns that are needed by now. Spark must not take it for done."""


@dataclass(slots=True)
class Drive:
    """Feeds a runtime from Spark, to the end of the input or until it is stopped."""

    runtime: Runtime
    feeds: Sequence[Feed]
    aside: Aside | None = None
    name: str = "slackwater"
    """What Spark's UI calls it."""
    remarks: Sequence[Diagnostic] = ()
    """Notes on how it is computed."""
    places: ExitStack = field(default_factory=ExitStack)
    """The locks of the sinks while it runs."""
    backfill: Backfill | None = None
    """What is computed before the first batch, for queries that are added."""
    failure: Exception | None = None
    query: StreamingQuery | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _rereading: threading.Event = field(default_factory=threading.Event)
    """Set until Spark's query, which reads too few columns, has ended and another one is started."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while an epoch is computed, and while the queries are changed."""
    _is_over: bool = False
    _worker: int | None = None
    """The thread that computes it."""
    _files: FilesSeen = field(default_factory=FilesSeen)
    _looked: float = field(default_factory=time.monotonic)
    _notices: Notices = field(default_factory=Notices)
    _late_before: dict[str, int] = field(init=False)
    """How many rows had come late before this start."""
    _batches: Batches = field(init=False)

    def __post_init__(self) -> None:
        self._late_before = dict(self.runtime.epochs.late)
        self._batches = Batches(self.runtime, self.feeds, self.aside, self._notices)
        for feed in self._batches.growing:
            if feed.is_clocked and feed.files is not None and isinstance(feed.source.plan, Relation):
                self._notices.texts[f"arrival {feed.source.name}"] = by_arrival(feed.source.name)
        for feed in self._batches.finished:
            if feed.is_clocked:
                self._notices.texts[f"arrival {feed.source.name}"] = by_the_clock(feed.source.name)

    @property
    def notices(self) -> Notices:
        """Notices on the data since this start."""
        epochs = self.runtime.epochs
        late = {name: count - self._late_before.get(name, 0) for name, count in epochs.late.items()}
        if self.aside is None:
            return count_all(self._notices, late, {}, {}, {})
        seen = {name: self.aside.clock.format(time) for name, time in epochs.seen.items()}
        return count_all(self._notices, late, self.aside.malformed, self.aside.ahead, seen)

    def batch(self, frame: DataFrame, number: int) -> None:
        """Compute one epoch from one batch of Spark."""
        with self._epoch():
            if self._rereading.is_set():
                raise _ReadAgain
            if self.runtime.is_ended:
                if not frame.isEmpty():
                    raise EngineError(problems.ENDED_CHECKPOINT.at())
            elif not self.runtime.is_done(number):
                files = list(offsets.files_of(self._batches.folder / SPARK, number))
                self._files.remember(files)
                self._batches.compute(number, frame, files)
        self._look_at_files()
        if self._stopping.is_set():
            self._stop_after_batch()

    @contextmanager
    def _epoch(self) -> Iterator[None]:
        """While an epoch is computed. An error ends the run, unless `stop` caused it in Spark."""
        while not self._lock.acquire(timeout=POLL):
            if self._rereading.is_set():  # the thread that set it holds the lock and waits for this batch
                raise _ReadAgain
        self._worker = threading.get_ident()
        try:
            yield
        except Exception as error:
            is_expected = (self._stopping.is_set() and is_spark(error)) or isinstance(error, _ReadAgain)
            if not is_expected:
                self.failure = self.failure or translate_error(error)
            raise
        finally:
            self._worker = None
            self._lock.release()

    @contextmanager
    def between_epochs(self) -> Iterator[None]:
        """While no epoch is computed; raises EngineError where none will be, or within one."""
        if self.is_inside:
            raise EngineError(problems.CHANGED_BY_SINK.at())
        while self.backfill is not None and not self._is_over:
            time.sleep(POLL)
        with self._lock:
            if self._is_over or self._stopping.is_set() or self.runtime.is_ended:
                raise EngineError(problems.ENDED_RUN.at())
            yield

    def stop_reading(self) -> None:
        """Between two epochs: end Spark's query, so that it is started again with the feeds of then."""
        self._rereading.set()
        self._stop_spark()

    def read(self, feeds: Sequence[Feed]) -> None:
        """Read these feeds from the next epoch on: of the same sources, maybe with other columns."""
        self.feeds = self._batches.feeds = feeds

    def _look_at_files(self, *, at_once: bool = False) -> None:
        """Note files that changed after they were read; in a long run from time to time."""
        if at_once or time.monotonic() - self._looked > CHECK_INTERVAL:
            self._looked = time.monotonic()
            if changed := self._files.changed():
                self._notices.texts["changed files"] = changed_notice(changed)

    def start(self, folders: Folders, *, follow: bool, interval: str | None = None) -> StreamingQuery:
        """Start the streaming query: until all current input is read, or until stopped."""
        log = folders.log
        if not self.runtime.is_ended:
            offsets.prepare_log(log, self.runtime.next_number)
        self._batches.backlog = backlog_of(folders.state, log, self._batches.growing)
        self._batches.backlog.begin(self.runtime.next_number)
        if changed := self._files.changed_since(offsets.FilesRead(log), self.runtime.next_number - 1):
            self._notices.texts["files changed before"] = changed_notice(changed)
        frame = combined(self._batches.growing, self._ticks() if follow else None)
        writer = frame.writeStream.foreachBatch(self.batch)
        # With its scheme: on a cluster a path alone may be one of HDFS.
        writer = writer.option("checkpointLocation", f"file://{log}")
        if not follow:
            writer = writer.trigger(availableNow=True)
        elif interval is not None:
            writer = writer.trigger(processingTime=interval)
        with _NAMING:
            self.query = writer.queryName(self._free_name(frame.sparkSession)).start()
        if self._stopping.is_set() or self._rereading.is_set():
            self._stop_spark()
        return self.query

    def _follow(self, folders: Folders, *, follow: bool, interval: str | None) -> None:
        """Run Spark's query until it ends, and again where the feeds have changed."""
        while not self._stopping.is_set():
            with self._lock:
                self._rereading.clear()
            try:
                self.start(folders, follow=follow, interval=interval).awaitTermination()
            except Exception:
                if not self._rereading.is_set() or self.failure is not None:
                    raise
            if not self._rereading.is_set():
                return

    def _free_name(self, spark: SparkSession) -> str:
        """Spark refuses a second query of a name."""
        used = {query.name for query in spark.streams.active}
        name, count = self.name, 1
        while name in used:
            count += 1
            name = f"{self.name} ({count})"
        return name

    @property
    def is_inside(self) -> bool:
        """Whether the caller is called by the epoch that is being computed, as a sink is."""
        return self._worker == threading.get_ident()

    def stop(self) -> None:
        """End after the epoch that is being computed; an epoch that takes too long is cancelled."""
        self._stopping.set()
        if self.is_inside:
            return
        if self._lock.acquire(timeout=STOP_TIMEOUT):
            self._lock.release()
        else:
            self.feeds[0].frame.sparkSession.sparkContext.cancelJobGroup(self._group)
        self._stop_spark()

    def _stop_spark(self) -> None:
        try:
            if self.query is not None and self.query.isActive:
                self.query.stop()
        except Exception as error:
            if not is_lost(error):
                raise translate_error(error) from error

    def _stop_after_batch(self) -> None:
        """Stop Spark's query from inside its batch, before it begins another.

        Spark waits for the batch to return, so another thread has to wait for Spark. Stopped between batches
        it has no job to interrupt, and so no stack frames to log.
        """
        if self.query is None:
            return  # this batch is the first, and `start` is about to stop the query
        threading.Thread(target=self._stop_spark, name="slackwater stop", daemon=True).start()
        until = time.monotonic() + STOP_TIMEOUT
        while self.query.isActive and time.monotonic() < until:
            time.sleep(0.01)

    def _ticks(self) -> DataFrame | None:
        """A row a second, where time has to pass without rows."""
        if any(feed.is_clocked or feed.idle is not None for feed in self._batches.growing):
            return SparkSession.active().readStream.format("rate").option("rowsPerSecond", 1).load()
        return None

    def run(self, folders: Folders, *, follow: bool = False, interval: str | None = None) -> None:
        """Read all current input, to the end of time, or follow new input until stopped."""
        self._batches.folder = folders.local
        keep_py4j_quiet()
        try:
            if self.backfill is not None:
                with self._outside_of_batches():
                    self.backfill.run(self.runtime, self._stopping.is_set)
                    self.backfill = None
            if self._batches.growing:
                self._follow(folders, follow=follow, interval=interval)
            self._look_at_files(at_once=True)
            is_to_end = not (follow and self._batches.growing) and not self._stopping.is_set()
            if is_to_end and not self.runtime.is_ended:
                self._finish()
        except Exception as error:
            if self._stopping.is_set() and self.failure is None:
                return
            failure = self.failure or translate_error(error, folders.log)
            raise failure from cause_of(failure, error)
        finally:
            with self._lock:
                self._is_over = True
                self.runtime.close()
                self.places.close()

    @property
    def _group(self) -> str:
        """The job group of Spark jobs outside of a streaming query."""
        return f"slackwater {id(self)}"

    def _finish(self) -> None:
        """The end of all sources, in one epoch.

        Not in two: the first would have the number that Spark gives to its next batch.
        """
        with self._outside_of_batches():
            self._batches.compute(self.runtime.next_number, None)

    @contextmanager
    def _outside_of_batches(self) -> Iterator[None]:
        """While something is computed that is no batch of Spark's; its jobs have a group of their own."""
        with ExitStack() as stack:
            if self.feeds:
                context = self.feeds[0].frame.sparkSession.sparkContext
                stack.enter_context(job_group(context, self._group, self.name))
            with self._epoch():
                yield


def translate_error(error: Exception, log: Path | None = None) -> Exception:
    """The error as a user sees it; bugs are unchanged. `log` is the folder of Spark's log."""
    return translated(error, log) if isinstance(error, SlackwaterError) or is_spark(error) else error
