"""`python -m benchmarks.covers`: joins and row windows that are computed together, and the same one by one.

The kernels in one process, over the readings of `benchmarks.sharing`; CPU seconds, and bytes of state.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from benchmarks.sharing import HOUR, changes, plan_of, readings, run
from slackwater.algebra import Operator
from slackwater.optimize.cost.statistics import SourceStatistics, Statistics
from slackwater.optimize.sharing import shared

EVENTS, HOURS = 400_000, 2.0
KNOWN = Statistics({
    "readings": SourceStatistics(
        rate=EVENTS / (HOURS * HOUR), distinct={"sensor": 200, "room": 40, "building": 5, "temperature": 100}
    )
})  # fmt: skip
COUNTS = (5, 10, 20, 50, 100)


def joins(count: int) -> dict[str, Operator]:
    """Joins of readings with high ones of the same sensor: ranges, windows and outputs differ."""
    choose = random.Random(3)
    plans: dict[str, Operator] = {}
    while len(plans) < count:
        low, window = choose.choice((0, 10, 20, 30)), choose.choice((10_000, 15_000, 20_000))
        is_grouped = choose.random() < 0.3
        columns = "x.room, COUNT(*) AS n" if is_grouped else "x.sensor, x.temperature, y.temperature AS other"
        text = (
            f"SELECT {columns} FROM readings [RANGE {window}] AS x, readings [RANGE 20000] AS y "
            "WHERE x.sensor = y.sensor AND y.temperature > 90 "
            f"AND x.temperature > {low} AND x.temperature < {low + 60}{' GROUP BY x.room' * is_grouped}"
        )
        plans[text] = plan_of(text)
    return plans


def row_windows(by: str, counts: tuple[int, ...]) -> dict[str, Operator]:
    texts = (f"SELECT * FROM readings [{by}ROWS {count}]" for count in counts)
    return {text: plan_of(text) for text in texts}


def compare(title: str, plans: Mapping[str, Operator]) -> str:
    """One line: CPU together and one by one, state, and answers that differ, of which there must be none."""
    elements = readings(EVENTS, HOURS)
    together, state, answers = run(shared(plans, KNOWN).plans, elements, 4)
    alone, states, differing = 0.0, [], 0
    for name, plan in plans.items():
        seconds, size, answer = run({name: plan}, elements, 4)
        alone += seconds
        states.append(size)
        differing += not changes(answer[name]).equals(changes(answers[name]))
    return (
        f"{title}: {together:.3f} s together, {alone:.3f} s one by one, ratio {alone / together:.1f}; "
        f"state {state / 1e3:.0f} kB, largest alone {max(states) / 1e3:.0f} kB, "
        f"all {sum(states) / 1e3:.0f} kB; {differing} other answers"
    )


def main() -> None:
    compare("warm-up", joins(2))
    for count in (2, 4, 8):
        print(compare(f"{count} joins", joins(count)))
    for by in ("", "PARTITION BY sensor "):
        for counts in (COUNTS[:2], COUNTS):
            print(compare(f"{by}ROWS {', '.join(map(str, counts))}", row_windows(by, counts)))


if __name__ == "__main__":
    main()
