"""The progress of a run: rows and watermark of each source, sizes of state, and which source others wait for.

watermark   readings ──────────────────► 12:07      3 rows wait
            limits   ───────► 12:01                 holds everything back since its watermark last moved
            answers  ───────► 12:01
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from slackwater.base.time import INFINITY, Clock
from slackwater.run.epochs import Epochs


@dataclass(frozen=True, slots=True)
class Progress:
    """The figures of one epoch."""

    number: int
    lo: int
    hi: int
    events: int
    late: int
    state_rows: int
    state_bytes: int
    seconds: float
    driver_bytes: int = 0
    """What the driver was given of the epoch: rows, or reports of tasks and outputs that it wants."""
    ended: float = 0.0
    """When it was committed, as `time.perf_counter` has it."""


@dataclass(frozen=True, slots=True)
class OperatorProgress:
    """The state of one step of the plan."""

    step: str
    state_rows: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """The progress of one source since the start; times of the clock are UTC."""

    name: str
    since: datetime
    """When its watermark last advanced; the start, if it has not."""
    watermark: int
    """The watermark: no row before this instant is expected."""
    events: int = 0
    watermark_text: str = ""
    last_seen: datetime | None = None
    """When its last rows arrived."""
    waiting: int = 0
    """Rows that are ahead of other sources, and wait for them."""
    late: int = 0
    malformed: int = 0
    holds_back: bool = False
    """Whether others wait for it: no watermark is before its own, and some are after it."""


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """The progress of a query."""

    epochs: int
    events: int
    rate: float
    """Events per second of wall-clock time, from the start until now or the end."""
    late: int
    malformed: int
    watermark: int
    """The watermark: everything before this instant is answered."""
    watermark_text: str
    state_rows: int
    state_bytes: int
    operators: tuple[OperatorProgress, ...] = ()
    sources: tuple[SourceProgress, ...] = ()
    placement: str = "in the driver"
    """Where it is computed: in the driver, or in the workers and in how many partitions."""

    @property
    def held_back_by(self) -> tuple[SourceProgress, ...]:
        """The sources that the others wait for."""
        return tuple(source for source in self.sources if source.holds_back)


@dataclass(slots=True)
class SourceTracker:
    """The progress of each source, updated after every epoch and read at any time."""

    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    sources: Mapping[str, SourceProgress] = field(default_factory=dict)

    def begin(self, epochs: Epochs) -> None:
        """Begin a run: watermarks may be those of an earlier one."""
        self.sources = {
            name: SourceProgress(name, self.begun, watermark, late=epochs.late[name])
            for name, watermark in epochs.watermarks.items()
        }

    def note(self, epochs: Epochs, counts: Mapping[str, int]) -> None:
        """Update after an epoch with so many rows of each source.

        The mapping is replaced as a whole: another thread reads it.
        """
        now = datetime.now(UTC)
        self.sources = {
            name: _noted(before, epochs, counts.get(name, 0), now) for name, before in self.sources.items()
        }

    def snapshot(self, malformed: Mapping[str, int], clock: Clock) -> tuple[SourceProgress, ...]:
        """The current progress of each source."""
        sources = self.sources.values()
        watermarks = [source.watermark for source in sources]
        return tuple(
            replace(
                source,
                watermark_text=format_watermark(source.watermark, clock),
                malformed=malformed.get(source.name, 0),
                holds_back=source.watermark == min(watermarks) < max(watermarks),
            )
            for source in sources
        )


def _noted(before: SourceProgress, epochs: Epochs, count: int, now: datetime) -> SourceProgress:
    watermark = epochs.watermarks[before.name]
    return replace(
        before,
        events=before.events + count,
        watermark=watermark,
        last_seen=now if count else before.last_seen,
        since=now if watermark > before.watermark else before.since,
        waiting=epochs.waiting.get(before.name, 0),
        late=epochs.late[before.name],
    )


def format_watermark(watermark: int, clock: Clock) -> str:
    """A watermark as a user reads it."""
    if watermark <= clock.begin:
        return "the beginning"
    return "the end" if watermark >= INFINITY else clock.format(watermark)


def explained_progress(progress: QueryProgress) -> str:
    """The sources, which of them hold the others back, and the state of the steps."""
    lines = [
        f"{progress.events:,} events in {progress.epochs:,} epochs, {progress.rate:,.0f} a second, "
        f"watermark {progress.watermark_text}",
        f"computed {progress.placement}",
        "",
        "sources",
        *(f"  {line}" for line in _aligned([list(_cells(source)) for source in progress.sources])),
        "",
        "steps",
        *(
            f"  {line}"
            for line in _aligned(
                [
                    [operator.step, f"{operator.state_rows:,} rows", f"{operator.state_bytes:,} bytes"]
                    for operator in progress.operators
                ]
            )
        ),
    ]
    return "\n".join(lines)


def _cells(source: SourceProgress) -> Iterator[str]:
    yield source.name
    yield f"{source.events:,} events"
    yield f"watermark {source.watermark_text}"
    yield f"last rows at {at(source.last_seen)}" if source.last_seen else "no rows yet"
    counts = {"waiting": source.waiting, "late": source.late, "malformed": source.malformed}
    remarks = [f"{count:,} {word}" for word, count in counts.items() if count]
    if source.holds_back:
        remarks.append(f"holds the others back since {at(source.since)}")
    yield ", ".join(remarks)


def at(moment: datetime | None) -> str:
    """A time of the clock: `2024-02-29 12:00:00 UTC`."""
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["   ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
