"""A task gives the same items however its input is divided into epochs, and wherever it is restored."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import polars as pl
import pytest

from globe.photons import NAMES, document, orbit_before, photons, whole_answer
from slackwater.algebra import Kind
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY
from slackwater.engines.epochs import frame_of, run_in_epochs
from slackwater.globe.astronomy.scenario import query
from slackwater.globe.compute.computation import END, START, Computation
from slackwater.globe.compute.items import pack_records, pack_rows, unpack_records, unpack_rows
from slackwater.globe.compute.make import computation
from slackwater.globe.compute.rows import bound, source_of
from slackwater.globe.model import Estimate, Properties, Published, Statistics, Task
from slackwater.kernels.frames import FROM, N

KNOWN = [record for seed in range(4) for record in orbit_before(photons(100, seed))]
STATISTICS = Statistics(1, 1)


def task(language: str, text: str, *inputs: str, documents: tuple[str, ...] = ()) -> Task:
    properties = Properties(inputs[0], "xml" if language == "xquery" else "rows")
    return Task("t", "P", language, text, inputs, "out", properties, Estimate(1, 1), documents=documents)  # type: ignore[arg-type]


def xquery(name: str) -> Computation:
    documents = ("photons_db",) if name == "bursts" else ()
    one = task("xquery", query(name), "photons", documents=documents)
    return computation(one, (), (), {"photons_db": document(KNOWN)})


def cuts(random: Random, count: int) -> list[int]:
    return [0, *sorted(random.choices(range(count + 1), k=random.randrange(6))), count]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(2))
def test_epochs_and_restarts_do_not_change_the_items(name: str, seed: int) -> None:
    random, records = Random(seed), photons(200, seed)
    running, items = xquery(name), list[bytes]()
    bounds = cuts(random, len(records))
    for edge, (low, high) in enumerate(pairwise(bounds), start=1):
        last = END if high == bounds[-1] and edge == len(bounds) - 1 else edge
        items += unpack_records(running.epoch({"photons": [pack_records(records[low:high])]}, edge - 1, last))
        if random.random() < 0.5:
            state = running.snapshot()
            running = xquery(name)
            running.restore(state)
    expected = whole_answer(query(name), records, KNOWN)
    assert "".join(["<photons>", *(item.decode() for item in items), "</photons>"]) == expected
    assert items
    assert running.take_problems() == []


def test_records_that_cannot_be_queried_are_left_out_wherever_the_epoch_ends() -> None:
    bad = [b"<photon><en>", b"</photons><photons>", b"<other/>"]
    records = [*photons(5), *bad, *photons(5, seed=1)]
    together, one_by_one = xquery("vela"), xquery("vela")
    items = unpack_records(together.epoch({"photons": [pack_records(records)]}, START, 1))
    alone = [
        item
        for edge, record in enumerate(records)
        for item in unpack_records(one_by_one.epoch({"photons": [pack_records([record])]}, edge, edge + 1))
    ]
    assert (
        items
        == alone
        == unpack_records(
            xquery("vela").epoch({"photons": [pack_records(photons(5) + photons(5, seed=1))]}, START, 1)
        )
    )
    assert {problem.code for problem in together.take_problems()} == {"bad-record"}
    assert len(one_by_one.take_problems()) == 3


def test_a_record_before_its_time_is_left_out_of_windows() -> None:
    inside = b"<photon><ra>131</ra><dec>-46</dec><en>1</en><det_time>%d</det_time></photon>"
    running = xquery("rxj-alert")
    running.epoch({"photons": [pack_records([inside % 9, inside % 7])]}, START, 1)
    assert [problem.code for problem in running.take_problems()] == ["wrong-clock"]


A = Published("A", "P", "rows", "CREATE STREAM A (k INT, v INT) TIME t INT", STATISTICS)
B = Published("B", "P", "rows", "CREATE STREAM B (k INT, w INT) TIME t INT", STATISTICS)
QUERIES = {
    "filter": ("SELECT k, v FROM A WHERE v > 2", ("A",)),
    "window": ("SELECT k, SUM(v) AS s FROM A [RANGE 5] GROUP BY k", ("A",)),
    "join": ("SELECT ISTREAM(A.k, v, w) FROM A [RANGE 7], B [ROWS 3] WHERE A.k = B.k", ("A", "B")),
}


Rows = list[tuple[int, int, int]]


def rows(random: Random, count: int) -> Rows:
    return sorted((random.randrange(40), random.randrange(3), random.randrange(6)) for _ in range(count))


def computed(
    text: str, inputs: tuple[str, ...], data: dict[str, Rows], edges: list[int], random: Random
) -> list[tuple[int, ...]]:
    """The items of a task over epochs that end at other edges for each input, sorted."""
    published = {"A": A, "B": B}
    frames = {name: frame_of(source_of(published[name]).plan, _changes(data[name])) for name in inputs}
    one = task("cql", text, *inputs)
    running = computation(one, [A, B], [], {})
    answers: list[tuple[int, ...]] = []
    for low, high in pairwise([START, *edges, END]):
        parts = {}
        for name, frame in frames.items():
            # Epochs of the input reach beyond those of the output: what is outside belongs to others.
            wide = frame.filter(
                pl.col(FROM).is_between(low - random.randrange(3), high + random.randrange(3))
            )
            middle = random.randrange(wide.height + 1)
            parts[name] = [pack_rows(wide[:middle]), pack_rows(wide[middle:])]
        frame = unpack_rows(running.epoch(parts, low, high))
        if frame is not None:
            answers += [(row[FROM], row[N], *(row[name] for name in frame.columns if name[0] != "@"))
                        for row in frame.iter_rows(named=True)]  # fmt: skip
        if random.random() < 0.5:
            state, running = running.snapshot(), computation(one, [A, B], [], {})
            running.restore(state)
    return sorted(answers)


def _changes(data: list[tuple[int, int, int]]) -> dict[int, dict[tuple[int, int], int]]:
    changes: dict[int, dict[tuple[int, int], int]] = {}
    for time, *row in data:
        at = changes.setdefault(time, {})
        at[tuple(row)] = at.get(tuple(row), 0) + 1  # type: ignore[index, arg-type]
    return changes


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("seed", range(3))
def test_rows_do_not_depend_on_epochs(name: str, seed: int) -> None:
    random = Random(seed)
    text, inputs = QUERIES[name]
    data = {stream: rows(random, 30) for stream in inputs}
    once = computed(text, inputs, data, [], Random(0))
    several = computed(text, inputs, data, sorted(random.sample(range(1, 45), 5)), random)
    plan = bound(text, [source_of({"A": A, "B": B}[stream]) for stream in inputs]).plan
    changes = run_in_epochs(plan, {stream: _changes(data[stream]) for stream in inputs}, [], None)
    expected = sorted((at, n, *row) for at, bag in changes.items() for row, n in bag.items() if at < INFINITY)
    assert _summed(several) == _summed(once) == _summed(expected)
    assert (plan.kind is Kind.STREAM) == (name != "window")
    assert expected


def _summed(answers: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    sums: dict[tuple[int, ...], int] = {}
    for at, n, *row in answers:
        sums[at, *row] = sums.get((at, *row), 0) + n
    return {key: n for key, n in sums.items() if n}


def test_a_task_reads_the_result_of_another() -> None:
    first = task("cql", "SELECT k, v FROM A WHERE v > 2", "A")
    second = Task(
        "u", "P", "cql", 'SELECT v FROM "out" WHERE v > 4', ("out",), "end", first.properties, first.estimate
    )
    running = computation(second, [A], [first], {})
    assert not running.is_stateful
    frame = frame_of(source_of(A).plan, _changes([(1, 7, 3), (2, 7, 5)]))
    answer = unpack_rows(running.epoch({"out": [pack_rows(frame)]}, START, 9))
    assert answer is not None
    assert answer["v"].to_list() == [5]


@pytest.mark.parametrize("packed", [b"x", pack_records([b"<a/>"])[:-3], b"x" * 40])
def test_what_is_no_epoch_is_refused(packed: bytes) -> None:
    with pytest.raises(EngineError, match="broken-epoch"):
        unpack_records(packed)
    with pytest.raises(EngineError, match="broken-epoch"):
        unpack_rows(packed)


def test_a_window_ends_in_the_same_epoch_whether_its_stream_was_filtered_before_or_not() -> None:
    """Otherwise a subscriber could lose or double items when its plan changes."""
    records, text = photons(200), query("rxj-alert")
    before = 'for $p in stream("photons")/photons/photon where $p/ra > 125 and $p/dec < -44 return $p'
    whole, behind = computation(task("xquery", text, "photons"), (), (), {}), xquery("rxj-alert")
    first = computation(task("xquery", before, "photons"), (), (), {})
    for edge, low in enumerate(range(0, len(records), 7), start=1):
        epoch = pack_records(records[low : low + 7])
        filtered = first.epoch({"photons": [epoch]}, edge - 1, edge)
        one = whole.epoch({"photons": [epoch]}, edge - 1, edge)
        other = behind.epoch({"photons": [filtered]}, edge - 1, edge)
        assert unpack_records(one) == unpack_records(other)
