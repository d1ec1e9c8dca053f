"""How far a run is: what came from each source and up to when, what is kept, and which source is waited for.

heartbeat   readings ──────────────────► 12:07      3 rows wait
            limits   ───────► 12:01                 holds everything back since its heartbeat last moved
            answers  ───────► 12:01
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from slackwater.base.time import INFINITY, Clock
from slackwater.run.epochs import WAITING, Arrivals, Epochs


@dataclass(frozen=True, slots=True)
class OperatorProgress:
    """What one step of the plan keeps."""

    step: str
    state_rows: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """What one source has brought since the start; times of the clock are UTC."""

    name: str
    since: datetime
    """When its heartbeat last moved; the start, if it has not."""
    heartbeat: int
    """Nothing before this instant is expected of it any more."""
    events: int = 0
    heartbeat_text: str = ""
    last_seen: datetime | None = None
    """When its last rows came."""
    waiting: int = 0
    """Rows that are ahead of other sources, and wait for them."""
    late: int = 0
    malformed: int = 0
    holds_back: bool = False
    """Whether others wait for it: no heartbeat is before its own, and some are after it."""


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """How far a query is."""

    epochs: int
    events: int
    rate: float
    """Events a second, by the clock, from the start until now or the end."""
    late: int
    malformed: int
    heartbeat: int
    """Everything before this instant is answered."""
    heartbeat_text: str
    state_rows: int
    state_bytes: int
    operators: tuple[OperatorProgress, ...] = ()
    sources: tuple[SourceProgress, ...] = ()

    @property
    def held_back_by(self) -> tuple[SourceProgress, ...]:
        """The sources that the others wait for."""
        return tuple(source for source in self.sources if source.holds_back)


@dataclass(slots=True)
class Heard:
    """What has come of each source, noted after every epoch and read at any time."""

    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    sources: Mapping[str, SourceProgress] = field(default_factory=dict)

    def begin(self, epochs: Epochs) -> None:
        """The start of a run: heartbeats may be those of an earlier one."""
        self.sources = {
            name: SourceProgress(name, self.begun, beat, late=epochs.late[name])
            for name, beat in epochs.heartbeats.items()
        }

    def note(self, epochs: Epochs, arrived: Mapping[str, Arrivals]) -> None:
        """What an epoch has changed. The result is exchanged as a whole: it is read by another thread."""
        now, counts = datetime.now(UTC), {name: each.frame.height for name, each in arrived.items()}
        self.sources = {
            name: _noted(before, epochs, counts.get(name, 0), now) for name, before in self.sources.items()
        }

    def told(self, malformed: Mapping[str, int], clock: Clock) -> tuple[SourceProgress, ...]:
        """Each source as it stands."""
        known = self.sources.values()
        beats = [source.heartbeat for source in known]
        return tuple(
            replace(
                source,
                heartbeat_text=format_heartbeat(source.heartbeat, clock),
                malformed=malformed.get(source.name, 0),
                holds_back=source.heartbeat == min(beats) < max(beats),
            )
            for source in known
        )


def _noted(before: SourceProgress, epochs: Epochs, count: int, now: datetime) -> SourceProgress:
    waiting, beat = epochs.states[before.name].get(WAITING), epochs.heartbeats[before.name]
    return replace(
        before,
        events=before.events + count,
        heartbeat=beat,
        last_seen=now if count else before.last_seen,
        since=now if beat > before.heartbeat else before.since,
        waiting=0 if waiting is None else waiting.height,
        late=epochs.late[before.name],
    )


def format_heartbeat(heartbeat: int, clock: Clock) -> str:
    """A heartbeat as a user reads it."""
    if heartbeat <= clock.begin:
        return "the beginning"
    return "the end" if heartbeat >= INFINITY else clock.written(heartbeat)


def explained_progress(progress: QueryProgress) -> str:
    """The sources, which of them hold the others back, and what the steps keep."""
    lines = [
        f"{progress.events:,} events in {progress.epochs:,} epochs, {progress.rate:,.0f} a second, "
        f"heartbeat {progress.heartbeat_text}",
        "",
        "sources",
        *(f"  {line}" for line in _aligned([list(_told(source)) for source in progress.sources])),
        "",
        "steps",
        *(
            f"  {line}"
            for line in _aligned(
                [
                    [each.step, f"{each.state_rows:,} rows", f"{each.state_bytes:,} bytes"]
                    for each in progress.operators
                ]
            )
        ),
    ]
    return "\n".join(lines)


def _told(source: SourceProgress) -> Iterator[str]:
    yield source.name
    yield f"{source.events:,} events"
    yield f"heartbeat {source.heartbeat_text}"
    yield f"last rows at {at(source.last_seen)}" if source.last_seen else "no rows yet"
    counts = {"waiting": source.waiting, "late": source.late, "malformed": source.malformed}
    said = [f"{count:,} {word}" for word, count in counts.items() if count]
    if source.holds_back:
        said.append(f"holds the others back since {at(source.since)}")
    yield ", ".join(said)


def at(moment: datetime | None) -> str:
    """A time of the clock: `2024-02-29 12:00:00 UTC`."""
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["   ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
