"""`python -m benchmarks.sharing`: overlapping queries in one session, and the same queries one by one.

    readings ─► kernels, in this process ─► CPU seconds, bytes of state, answers

The queries differ in windows, conditions, groupings and refresh periods. The kernels run without Spark, whose
start alone would take longer than a query: what is compared is the work of the engine. One by one, each query
has its plan optimized and runs by itself over the same elements; together, they are rewritten over each other
first, which is part of the time. Answers are compared as changes of rows.

Then queries are matched against many that are registered.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.report import machine as measured_on
from benchmarks.suite import ROOT
from slackwater.algebra import Operator, Synchronize
from slackwater.algebra.expressions import Expression, Literal, changed
from slackwater.algebra.points import Points
from slackwater.base.span import Text
from slackwater.base.time import BEGIN, INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.optimize.rebuild import with_expressions, with_inputs
from slackwater.optimize.sharing import shared
from slackwater.optimize.sharing.cost import Costs
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.index import Index
from slackwater.optimize.sharing.normal import Interner, Normalizer
from slackwater.physical.lower import lowered

DECLARED = "CREATE STREAM readings (sensor INT, room INT, building INT, temperature INT) TIME ts INT;"
SENSORS, ROOMS, BUILDINGS = 200, 40, 5
SECOND, HOUR = 1_000, 3_600_000
"""In chronons: time is in milliseconds."""
WINDOWS = tuple(SECOND * length for length in (300, 600, 900, 1_800, 3_600))
PERIODS = tuple(SECOND * length for length in (60, 120, 300, 600))
"""Refresh periods."""
KEYS = (("room",), ("building",), ("room", "building"), ())
CALLS = ("COUNT(*)", "SUM(temperature)", "MIN(temperature)", "MAX(temperature)")
CONDITIONS = (
    "", "temperature > 60", "temperature > 80", "temperature > 90", "temperature < 20",
    "building = 2", "room < 10 AND temperature > 80",
)  # fmt: skip


COLUMNS = (
    "queries", "events", "together, CPU s", "one by one, CPU s", "ratio", "matching, s", "state, MB",
    "largest alone, MB", "all alone, MB", "rewritten", "other answers",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Queries together and one by one: CPU seconds, and bytes of state at the end."""

    queries: int
    events: int
    together: float
    alone: float
    state: int
    largest: int
    """The largest state of a query by itself."""
    states: int
    """The states of all queries by themselves."""
    differing: int
    """The queries whose answers are not the same; there must be none."""

    @property
    def ratio(self) -> float:
        return self.alone / self.together


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcess(Comparison):
    """A comparison by the kernels alone, in one process."""

    matching: float
    """The part of `together` in which plans are rewritten."""
    rewritten: int


@dataclass(frozen=True, slots=True)
class Matching:
    """Matching against registered queries: CPU milliseconds for one, and how many were matched."""

    registered: int
    median: float
    slowest: float
    matched: int
    tried: int


def texts(count: int, seed: int = 7) -> list[tuple[str, int | None]]:
    """Different queries: most aggregate a window and are refreshed at a period, some select rows."""
    choose = random.Random(seed)
    chosen: dict[tuple[str, int | None], None] = {}
    while len(chosen) < count:
        condition = choose.choice(CONDITIONS)
        where = f" WHERE {condition}" if condition else ""
        window = choose.choice(WINDOWS)
        if choose.random() < 0.1:
            text = f"SELECT sensor, temperature FROM readings [RANGE {window}]{where}"
            chosen[text, None] = None
            continue
        keys, calls = choose.choice(KEYS), choose.sample(CALLS, choose.randint(1, 3))
        listed = ", ".join([*keys, *(f"{call} AS c{at}" for at, call in enumerate(calls))])
        by = f" GROUP BY {', '.join(keys)}" if keys else ""
        text = f"SELECT {listed} FROM readings [RANGE {window}]{where}{by}"
        chosen[text, choose.choice(PERIODS)] = None
    return list(chosen)


def queries(count: int) -> dict[str, Operator]:
    """The plans of the texts."""
    plans: dict[str, Operator] = {}
    for text, period in texts(count):
        plan = plan_of(text)
        title = text if period is None else f"{text}, every {period}"
        plans[title] = plan if period is None else Synchronize(plan, Points.every(period))
    return plans


def plan_of(text: str) -> Operator:
    [bound] = bind(Text("<benchmark>", DECLARED + text), Catalog())
    return optimized(bound.plan)


def readings(count: int, hours: float, seed: int = 7) -> pl.DataFrame:
    """Elements of the stream, evenly over the hours."""
    choose = np.random.default_rng(seed)
    sensor = choose.integers(0, SENSORS, count).astype(np.int32)
    room = (sensor % ROOMS).astype(np.int32)
    return pl.DataFrame({
        "sensor": sensor, "room": room, "building": (room % BUILDINGS).astype(np.int32),
        "temperature": choose.integers(0, 100, count).astype(np.int32),
        FROM: np.sort(choose.integers(0, int(hours * HOUR), count)),
        TO: np.full(count, INFINITY), N: np.ones(count, np.int64),
    })  # fmt: skip


def run(
    plans: Mapping[str, Operator], elements: pl.DataFrame, epochs: int
) -> tuple[float, int, dict[str, list[pl.DataFrame]]]:
    """CPU seconds, bytes of state at the end, and the answers."""
    last = int(elements[FROM].max()) + 1  # type: ignore[arg-type]
    edges = [BEGIN, *(last * at // epochs for at in range(1, epochs + 1)), INFINITY]
    parts = [elements.filter(pl.col(FROM).is_between(lo, hi, closed="left")) for lo, hi in pairwise(edges)]
    answers: dict[str, list[pl.DataFrame]] = {name: [] for name in plans}
    begun = time.process_time()
    machine = Machine(lowered(dict(plans)))
    size = 0
    for part, lo, hi in zip(parts, edges[:-1], edges[1:], strict=True):
        if hi == INFINITY:
            size = sum(count for _, count in machine.sizes.values())
        for name, frame in machine.epoch({"readings": part}, lo, hi).items():
            answers[name].append(frame)
        for state in machine.states.values():
            state.changes.clear()
    return time.process_time() - begun, size, answers


def changes(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """How many copies of a row come (less those that go) at each instant, in one order."""
    whole = pl.concat(frames)
    row = [name for name in whole.columns if name not in (FROM, TO, N)]
    starts = whole.select(*row, pl.col(FROM).alias("at"), pl.col(N))
    ends = whole.filter(pl.col(TO) < INFINITY).select(*row, pl.col(TO).alias("at"), -pl.col(N))
    summed = pl.concat([starts, ends]).group_by(*row, "at").agg(pl.col(N).sum())
    return summed.filter(pl.col(N) != 0).sort("at", *row)


def compare(count: int, events: int, hours: float = 2.0, epochs: int = 4) -> InProcess:
    plans, elements = queries(count), readings(events, hours)
    begun = time.process_time()
    together = shared(plans)
    matching = time.process_time() - begun
    cpu, state, answers = run(together.plans, elements, epochs)
    alone, states, differing = 0.0, [], 0
    for name, plan in plans.items():
        seconds, size, answer = run({name: plan}, elements, epochs)
        alone += seconds
        states.append(size)
        differing += not changes(answer[name]).equals(changes(answers[name]))
    return InProcess(
        queries=count, events=events, together=cpu + matching, alone=alone, state=state,
        largest=max(states), states=sum(states), differing=differing, matching=matching,
        rewritten=len({one.query for one in together.rewritings}),
    )  # fmt: skip


def _registered(count: int, seed: int) -> Iterator[Operator]:
    """Different selections and aggregates, many of which could contain others."""
    choose = random.Random(seed)
    texts = [
        "SELECT sensor, room, temperature FROM readings [RANGE {}] WHERE temperature > 11 AND sensor < 22"
    ]
    texts += [
        f"SELECT {', '.join(keys)}, {call} AS c FROM readings [RANGE {{}}]"
        f" WHERE temperature > 11 AND {keys[0]} < 22 GROUP BY {', '.join(keys)}"
        for keys in KEYS[:3]
        for call in CALLS
    ]
    plans = [plan_of(text.format(window)) for text in texts for window in WINDOWS]
    plans += plans[: len(WINDOWS)] * len(texts)
    for _ in range(count):
        yield _with_literals(choose.choice(plans), choose.randint(0, 5_000), choose.randint(0, 5_000))


def _with_literals(plan: Operator, low: int, high: int) -> Operator:
    """The plan with other bounds of its ranges: binding many texts would take minutes."""

    def change(expr: Expression) -> Expression | None:
        is_bound = isinstance(expr, Literal) and expr.value in (11, 22)
        return Literal(expr.type, low if expr.value == 11 else high) if is_bound else None  # type: ignore[attr-defined]

    below = tuple(_with_literals(source, low, high) for source in plan.inputs)
    return with_expressions(with_inputs(plan, below), lambda expr: changed(expr, change))


def match(registered: int, tried: int = 100) -> Matching:
    """Match queries, one after the other, against others that are registered."""
    intern, index = Interner(), Index[int](Costs())
    normalizer = Normalizer(intern)
    for number, plan in enumerate(_registered(registered, seed=1)):
        for root, block in normalizer.blocks(intern(plan)):
            index.add(Form(root, block), number)
    seconds, matched = [], 0
    for plan in _registered(tried, seed=2):
        begun = time.process_time()
        for root, block in normalizer.blocks(intern(plan)):
            matched += next(index.matches(Form(root, block), INFINITY, lambda *_: True), None) is not None
        seconds.append(time.process_time() - begun)
    return Matching(registered, statistics.median(seconds) * 1000, max(seconds) * 1000, matched, tried)


def table(results: Sequence[InProcess]) -> Table:
    shown = Table(title="Queries together, and one by one")
    for name in COLUMNS:
        shown.add_column(name, justify="right")
    for one in results:
        shown.add_row(
            f"{one.queries:,}", f"{one.events:,}", f"{one.together:.1f}", f"{one.alone:.1f}",
            f"{one.ratio:.1f}", f"{one.matching:.2f}", f"{one.state / 1e6:.1f}", f"{one.largest / 1e6:.1f}",
            f"{one.states / 1e6:.1f}",
            str(one.rewritten), str(one.differing),
        )  # fmt: skip
    return shown


def main(
    events: Annotated[int, typer.Option(help="Events of the stream.")] = 1_000_000,
    quick: Annotated[bool, typer.Option("--quick", help="A try: few queries and events.")] = False,
    cache: Annotated[Path, typer.Option(help="Where results are kept.")] = ROOT / ".bench",
) -> None:
    """Queries in one session against the same one by one, and matching against many registered ones."""
    console = Console(width=160)
    results = [compare(count, 50_000 if quick else events) for count in ((10, 50) if quick else (50, 500))]
    console.print(table(results))
    matching = match(1_000 if quick else 10_000)
    console.print(
        f"Matching one query against {matching.registered:,}: median {matching.median:.1f} ms, "
        f"slowest {matching.slowest:.1f} ms; {matching.matched} of {matching.tried} matched"
    )
    cache.mkdir(parents=True, exist_ok=True)
    content = {
        "machine": measured_on(),
        "together": [asdict(r) for r in results],
        "matching": asdict(matching),
    }
    (cache / "sharing.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
