"""How far a run is: per source, and which one the others wait for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from slackwater.base.time import INFINITY, SECONDS
from slackwater.cli.progress import format_progress
from slackwater.run.epochs import Epochs
from slackwater.run.progress import (
    OperatorProgress,
    QueryProgress,
    SourceProgress,
    SourceTracker,
    explained_progress,
)

NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)


def noted(
    tracker: SourceTracker, epochs: Epochs, waiting: dict[str, int], **arrived: tuple[int, int]
) -> dict[str, SourceProgress]:
    """After an epoch with so many rows of each source, and a watermark."""
    epochs.advance({name: watermark for name, (_, watermark) in arrived.items()})
    epochs.waiting = waiting
    tracker.note(epochs, {name: count for name, (count, _) in arrived.items()})
    return {source.name: source for source in tracker.snapshot({"a": 2}, SECONDS)}


def test_the_source_that_others_wait_for_is_named_and_since_when() -> None:
    tracker, epochs = SourceTracker(NOON), Epochs(("a", "b"))
    tracker.begin(epochs)
    before = tracker.snapshot({}, SECONDS)
    assert [(source.name, source.events, source.since, source.holds_back) for source in before] == [
        ("a", 0, NOON, False),
        ("b", 0, NOON, False),
    ]
    first = noted(tracker, epochs, {"a": 3}, a=(3, 7), b=(0, 0))
    assert (first["a"].events, first["a"].waiting, first["a"].watermark_text) == (3, 3, "7")
    assert (first["a"].malformed, first["a"].holds_back, first["b"].holds_back) == (2, False, True)
    assert (first["b"].last_seen, first["b"].since) == (None, NOON)
    assert first["a"].last_seen is not None
    second = noted(tracker, epochs, {"a": 2, "b": 1}, a=(1, 9), b=(1, 6))
    assert (second["a"].waiting, second["b"].waiting) == (2, 1)
    assert second["b"].holds_back
    assert second["b"].since > NOON
    third = noted(tracker, epochs, {}, a=(0, 9), b=(0, 6))
    assert third["b"].since == second["b"].since
    epochs.late["a"] = 1
    last = noted(tracker, epochs, {}, a=(1, INFINITY), b=(0, INFINITY))
    assert (last["a"].late, last["a"].watermark_text, last["b"].holds_back) == (1, "the end", False)


def test_progress_as_text() -> None:
    sources = (
        SourceProgress("readings", NOON, 7, 1_200, "7", NOON + timedelta(seconds=9), waiting=3, late=1),
        SourceProgress("limits", NOON, 0, holds_back=True, watermark_text="0"),
    )
    progress = QueryProgress(4, 1_200, 60.0, 1, 0, 0, "0", 5, 2_500, (OperatorProgress("s", 5, 9),), sources)
    assert format_progress(progress) == (
        "1,200 events · 60 a second · watermark 0 · state 5 rows, 2.5 kB · "
        "waiting for limits since 2024-02-29 12:00:00 UTC · 1 late"
    )
    assert explained_progress(progress) == (
        "1,200 events in 4 epochs, 60 a second, watermark 0\n"
        "computed in the driver\n"
        "\n"
        "sources\n"
        "  readings   1,200 events   watermark 7   last rows at 2024-02-29 12:00:09 UTC   3 waiting, 1 late\n"
        "  limits     0 events       watermark 0   no rows yet                            "
        "holds the others back since 2024-02-29 12:00:00 UTC\n"
        "\n"
        "steps\n"
        "  s   5 rows   9 bytes"
    )


def test_a_resumed_run_waits_since_its_own_start() -> None:
    tracker, epochs = SourceTracker(NOON), Epochs(("a", "b"), watermarks={"a": 5, "b": 3})
    tracker.begin(epochs)
    sources = noted(tracker, epochs, {"a": 1}, a=(1, 6), b=(0, 3))
    assert (sources["b"].since, sources["b"].holds_back) == (NOON, True)
