"""Rows that are a few places out of order: none is late, and the watermark is as late as it can be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.run.epochs import Epochs
from slackwater.run.input.intake import Seen
from slackwater.run.watermarks import SourceTime, watermarks


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A number k, and times before each of which at most k later ones come."""
    ahead = draw(st.integers(0, 4))
    remaining = sorted(draw(st.lists(st.integers(0, 12), max_size=20)))
    came: list[int] = []
    while remaining:
        allowed = [
            place
            for place, time in enumerate(remaining)
            # Each row that stays behind must not have too many later ones before it.
            if all(sum(t > other for t in (*came, time)) <= ahead for other in remaining[:place])
        ]
        came.append(remaining.pop(draw(st.sampled_from(allowed))))
    return ahead, came


def seen(times: list[int], ahead: int) -> Seen:
    """What a scan reports of these rows."""
    return Seen(len(times), max(times, default=None), latest=tuple(sorted(times)[-ahead - 1 :]))


@trying(300)
@given(arrivals(), st.lists(st.integers(1, 5), max_size=20), st.integers(1, 3))
def test_the_watermark_is_the_time_that_k_rows_are_later_than(
    stream: tuple[int, list[int]], sizes: list[int], scans: int
) -> None:
    ahead, times = stream
    epochs = Epochs(("S",))
    read: list[int] = []
    for size in [*sizes, len(times)]:
        batch, times = times[:size], times[size:]
        assert all(time >= epochs.watermarks["S"] for time in batch), "a late row"
        whole = Seen()
        for scan in range(scans):
            whole += seen(batch[scan::scans], ahead)
        before = SourceTime(
            "S", epochs.watermarks["S"], 0, read_ahead=ahead, latest=epochs.latest.get("S", ())
        )
        epochs.advance(watermarks([before], {"S": whole}))
        epochs.note_latest("S", whole.latest)
        read += batch
        latest = sorted(read, reverse=True)
        assert epochs.watermarks["S"] == (latest[ahead] if len(latest) > ahead else 0)
