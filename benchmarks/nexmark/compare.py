"""Nexmark by several contenders: each in a process of its own, checked first on few events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.job import Job
from benchmarks.measure import Measurement
from benchmarks.nexmark import files
from benchmarks.nexmark.events import large
from benchmarks.nexmark.queries import REFUSED, UNCHECKED, right_answer, streams_of
from benchmarks.suite import US, Contender, Result, Sizes, measured, prepare

CHECK_EVENTS = 5_000
OURS = Contender(US, "benchmarks.nexmark.ours", ("q",), options=(("placement", "driver"),))
SPARK = Contender("spark", "benchmarks.nexmark.spark", ("q",), options=(("batch", "100000"),))


class Nexmark:
    """Runs the queries."""

    def __init__(self, cache: Path, sizes: Sizes, say: Callable[[str], None], *, checks: bool = True) -> None:
        """Without checks, answers over few events are not compared first: half of the processes."""
        self._cache, self._sizes, self._say, self._checks = cache, sizes, say, checks
        prepare(cache)

    def compare(self, names: list[str], contenders: list[Contender]) -> Iterator[Result]:
        """Every query by every contender, one after the other."""
        for name in names:
            for contender in contenders:
                kind = contender.module.rpartition(".")[2]
                reason = next((why for _, why in contender.refused), None) or REFUSED.get(kind, {}).get(name)
                result = Result(name, contender.name, name, 0, self._sizes.batch, refusal=reason)
                if reason is None:
                    self._fill(result, contender, UNCHECKED.get(kind, {}).get(name))
                yield result

    def _fill(self, result: Result, contender: Contender, unchecked: str | None) -> None:
        name = result.workload
        if unchecked is None and self._checks:
            self._say(f"{name}: {contender.name}, the answer")
            small = replace(self._sizes, events=CHECK_EVENTS, batch=CHECK_EVENTS // 5)
            ended = self._measure(name, contender, small, check=True).ended
            if ended is not None:
                result.promise = ended["promise"]
                result.right = ended.get("fingerprint") == right_answer(name, CHECK_EVENTS)
        elif unchecked is not None:
            result.promise = f"not compared: {unchecked}"
        self._say(f"{name}: {contender.name}")
        result.measurement = self._measure(name, contender, self._sizes, check=False)
        if result.measurement.has_no_pace:
            quarter = replace(self._sizes, events=self._sizes.events // 4)
            result.measurement.pace(self._measure(name, contender, quarter, check=False))

    def _measure(self, name: str, contender: Contender, sizes: Sizes, *, check: bool) -> Measurement:
        data = files.write(sizes.events, sizes.batch, self._cache)
        streams = {stream: str(data / stream) for stream in streams_of(name)}
        options = {**dict(contender.options), "side": str(data / "side.parquet")}
        total = _total(name, sizes.events)
        return measured(contender, self._cache, lambda folder: Job(
            name, contender.name, streams, str(folder), str(folder / "report.jsonl"), total, sizes.batch, 0,
            sizes.cores, sizes.limit, check, options,
        ))  # fmt: skip


def _total(name: str, count: int) -> int:
    """How many of so many events are in the streams that a query reads."""
    mix = large(count)
    shares = {"person": len(mix.persons), "auction": len(mix.auctions)}
    shares["bid"] = mix.cycle - sum(shares.values())
    return count * sum(shares[stream] for stream in streams_of(name)) // mix.cycle
