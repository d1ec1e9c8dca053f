"""`python -m benchmarks.bestmatch`: best-match joins, beside DuckDB, nested loops and as-of joins.

    points ─► each contender, in a process of its own ─► seconds, CPU, memory; equal answers
                                                      ─► whether time is linear in rows and pairs

A contender that is expected to take longer than its limit, from the size before, is left out, and one that
takes longer or more memory is ended. Results are printed and stored as they come, small sizes first, and no
contender is started when the time of the whole run is over.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from benchmarks.bestmatch_contenders import NEAREST, PAIRS
from benchmarks.points import DISTRIBUTIONS
from benchmarks.report import machine as measured_on
from benchmarks.suite import ROOT

SIZES = (1_000, 10_000, 100_000, 1_000_000)
BOUNDS = {2: 0.01, 3: 0.02, 4: 0.05, 5: 0.1}
"""With these, a million uniform points have 60 to 400 candidates each."""
AHEAD = "slackwater"


@dataclass(frozen=True, slots=True)
class Question:
    """Points of one kind on both sides; the bound is that of all dimensions."""

    distribution: str
    dimensions: int
    bound: float | None
    rows: int

    def is_alike(self, other: Question) -> bool:
        return (self.distribution, self.dimensions, self.bound) == (
            other.distribution, other.dimensions, other.bound,
        )  # fmt: skip

    def __str__(self) -> str:
        bound = "–" if self.bound is None else str(self.bound)
        return f"{self.distribution:16}{self.dimensions} {bound:>5}{self.rows:>10,}"


@dataclass(frozen=True, slots=True)
class Result:
    """One contender on one question: what it measured, or why it did not."""

    question: Question
    contender: str
    seconds: float | None = None
    cpu: float | None = None
    memory: float | None = None
    """The most that the process ever had, in MB."""
    pairs: int | None = None
    digest: int | None = None
    """Of the answer."""
    skipped: str = ""

    def line(self, first: Result | None) -> str:
        begin = f"{self.question}  {self.contender:24}"
        if self.seconds is None or self.cpu is None:
            return f"{begin}{self.skipped}"
        rate = self.question.rows / self.seconds
        return (
            f"{begin}{self.seconds:9.2f} s{self.cpu:9.2f} CPU s{rate:12,.0f} rows/s"
            f"{self.memory:8,.0f} MB{self.pairs:12,} pairs  {self._agreement(first)}"
        )

    def _agreement(self, first: Result | None) -> str:
        if "below" in self.contender:
            return "another question"
        if first is None or first.digest is None:
            return ""
        return "the same answer" if first.digest == self.digest else "ANOTHER ANSWER"


@dataclass(slots=True)
class Run:
    """A whole run, with its limits: seconds and bytes of a contender, and seconds in all."""

    limit: float
    memory: int
    total: float
    out: Path
    console: Console
    results: list[Result] = field(default_factory=list)
    windows: list[dict[str, Any]] = field(default_factory=list)
    start: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.total - (time.monotonic() - self.start)

    def ask(self, question: Question, contenders: Sequence[str]) -> None:
        first: Result | None = None
        for contender in contenders:
            result = self._measured(question, contender)
            first = first or result
            self.results.append(result)
            self.console.print(result.line(first), highlight=False, soft_wrap=True)
            self.store()

    def _measured(self, question: Question, contender: str) -> Result:
        expected = self._expected(question, contender)
        if expected > self.limit:
            return Result(question, contender, skipped=_expectation(expected))
        if self.left < 1.0:
            return Result(question, contender, skipped="left out: the time of the run is over")
        arguments = [
            "benchmarks.bestmatch_contenders",
            json.dumps(asdict(question)),
            contender,
            str(self.memory),
        ]
        answer, why = child(arguments, min(self.limit, self.left))
        return (
            Result(question, contender, skipped=why)
            if answer is None
            else Result(question, contender, **answer)
        )

    def _expected(self, question: Question, contender: str) -> float:
        """About how many seconds a contender will take, from its run of the size before.

        Each row has candidates in proportion to the rows, and the others compare these with each other.
        """
        before = [
            one for one in self.results if one.contender == contender and one.question.is_alike(question)
        ]
        if not before or "as-of" in contender:
            return 0.0
        largest = max(before, key=lambda one: one.question.rows)
        if largest.seconds is None:
            return math.inf
        factor = question.rows / largest.question.rows
        return largest.seconds * (factor if contender == AHEAD else factor**2)

    def windows_on_disk(self, rows: int) -> None:
        """Windows in memory, and with a tenth of that: the answers are the same."""
        for share in ("0", "0.1"):
            arguments = ["benchmarks.bestmatch_memory", "--rows", str(rows), "--share", share]
            answer, why = child(arguments, min(4 * self.limit, max(self.left, 1.0)))
            self.windows.append(answer or {"rows": rows, "share": share, "skipped": why})
            self.console.print(self.windows[-1], soft_wrap=True)
            self.store()

    def store(self) -> None:
        content = {
            "machine": measured_on(),
            "results": [asdict(one) for one in self.results],
            "windows on disk": self.windows,
        }
        self.out.parent.mkdir(parents=True, exist_ok=True)
        draft = self.out.with_suffix(".tmp")
        draft.write_text(json.dumps(content, indent=1), encoding="utf-8")
        draft.replace(self.out)


def linearity(results: Sequence[Result]) -> Iterator[str]:
    """For each kind of points, the CPU time of this engine for a row and for a pair, size by size.

    If time is linear in rows and pairs, the numbers of a line are equal; below 10,000 rows they are mostly
    the time to make the plan.
    """
    yield f"{'microseconds of CPU / (rows a side + pairs)':44}" + "".join(f"{rows:>11,}" for rows in SIZES)
    mine = [one for one in results if one.contender == AHEAD]
    for first in mine:
        if first.question.rows != SIZES[0]:
            continue
        alike = {one.question.rows: one for one in mine if one.question.is_alike(first.question)}
        points = f"{first.question.distribution}, {first.question.dimensions} dimensions"
        yield f"{points:44}" + "".join(_of_each(alike.get(rows)) for rows in SIZES)


def _of_each(result: Result | None) -> str:
    if result is None or result.cpu is None or result.pairs is None:
        return f"{'–':>11}"
    return f"{1e6 * result.cpu / (result.question.rows + result.pairs):11.2f}"


def _expectation(seconds: float) -> str:
    what = "it failed at the size before" if math.isinf(seconds) else f"about {seconds:,.0f} s are expected"
    return f"left out: {what}"


def child(arguments: Sequence[str], seconds: float) -> tuple[dict[str, Any] | None, str]:
    """What a module prints as JSON in a process of its own, or why it does not."""
    try:
        ended = subprocess.run(
            [sys.executable, "-m", *arguments], capture_output=True, text=True, timeout=seconds, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return None, f"ended: it took more than {seconds:.0f} s"
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        telling = [line for line in lines if "memory" in line.lower()] or lines
        return None, f"failed: {telling[-1][:100]}"
    answer: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return answer, ""


def questions(sizes: Sequence[int]) -> Iterator[tuple[Question, list[str]]]:
    """Small ones first; of each size first those with a target."""
    for rows in sizes:
        yield Question("uniform", 2, BOUNDS[2], rows), list(PAIRS)
        yield Question("uniform", 1, None, rows), list(NEAREST)
        for dimensions, bound in BOUNDS.items():
            for distribution in DISTRIBUTIONS:
                if (distribution, dimensions) != ("uniform", 2):
                    yield Question(distribution, dimensions, bound, rows), list(PAIRS)


def main(
    limit: Annotated[float, typer.Option(help="seconds that a contender may take")] = 60.0,
    memory: Annotated[float, typer.Option(help="GiB that a contender may take")] = 6.0,
    total: Annotated[float, typer.Option(help="seconds after which none is started")] = 840.0,
    quick: Annotated[bool, typer.Option(help="up to 10,000 rows")] = False,
    out: Annotated[Path, typer.Option(help="where to write JSON")] = ROOT / "build" / "bestmatch.json",
) -> None:
    """Run everything; print and store each result as it comes."""
    run = Run(limit, int(memory * (1 << 30)), total, out, Console(width=160))
    sizes = [size for size in SIZES if size <= 10_000 or not quick]
    run.windows_on_disk(100_000 if quick else 300_000)
    for question, contenders in questions(sizes):
        run.ask(question, contenders)
    for line in linearity(run.results):
        run.console.print(line, highlight=False, soft_wrap=True)
    run.console.print(f"{time.monotonic() - run.start:.0f} s; stored in {out}", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
