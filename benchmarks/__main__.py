"""`python -m benchmarks spark`, `… nexmark`, `… peers`, `… cluster`, `… scale`, `… state` and `… expiry`."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks import cluster, expiry, peers, report, scale, state
from benchmarks.nexmark import compare as nexmark
from benchmarks.nexmark.queries import NAMES
from benchmarks.suite import IN_WORKERS, OURS, ROOT, SPARK, Contender, Result, Sizes, Suite
from benchmarks.workloads import WORKLOADS

app = typer.Typer(add_completion=False, help="Measure this engine beside others.")
console = Console(width=150)

Events = Annotated[int, typer.Option(help="Events in a stream.")]
Batch = Annotated[int, typer.Option(help="Events in a file, and so in a batch.")]
Limit = Annotated[float, typer.Option(help="Seconds after which a contender is stopped.")]
Only = Annotated[
    list[str] | None,
    typer.Option(help="Run only these workloads: a-1k, a-100k, b, c, d, e, f, g; of Nexmark q0 to q22."),
]
Cache = Annotated[Path, typer.Option(help="Where data, environments and results are kept.")]
Quick = Annotated[bool, typer.Option("--quick", help="A try: 200,000 events, no growth.")]
Alone = Annotated[bool, typer.Option("--alone", help="Only this engine, without the others.")]
_CACHE = ROOT / ".bench"


class Others(StrEnum):
    SPARK = "spark"
    PEERS = "peers"
    CLUSTER = "cluster"
    STATE = "state"
    SCALE = "scale"
    EXPIRY = "expiry"
    NEXMARK = "nexmark"


@app.command()
def main(
    others: Annotated[
        Others,
        typer.Argument(
            help="Spark's Structured Streaming; peers in environments of their own; Nexmark beside Flink and"
            " Spark; this engine's workers; what limits a cluster; or none: small epochs beside large states,"
            " and how rows leave windows."
        ),
    ],
    events: Events = 2_000_000,
    batch: Batch = 100_000,
    limit: Limit = 240.0,
    only: Only = None,
    cache: Cache = _CACHE,
    quick: Quick = False,
    alone: Alone = False,
    check: Annotated[
        bool, typer.Option(help="Of Nexmark, compare the answers over few events first.")
    ] = True,
    workers: Annotated[bool, typer.Option(help="Beside Spark, also with kernels in the workers.")] = True,
    growth: Annotated[bool, typer.Option(help="Beside Spark, also measure growth and fixed cost.")] = True,
    peer: Annotated[list[str] | None, typer.Option(help="Only these: bytewax, pathway, flink.")] = None,
) -> None:
    """This engine beside others."""
    if others is Others.STATE:
        _beside_state(cache, quick=quick)
        return
    if others is Others.EXPIRY:
        console.print(expiry.table(list(expiry.costs())))
        return
    sizes = Sizes(events, batch, limit)
    if quick:
        limit = 20.0 if others is Others.SPARK else 30.0
        sizes = replace(sizes, events=200_000, batch=20_000, limit=limit)
    suite = Suite(cache, sizes, _say)
    if others is Others.CLUSTER:
        results = _compare(suite, only or list(cluster.WORKLOADS), cluster.contenders())
        console.print(cluster.table(results))
        _save(suite.cache / "cluster.json", results=results)
    elif others is Others.SCALE:
        _scale(cache)
    elif others is Others.NEXMARK:
        _nexmark(cache, sizes, only, alone=alone, checks=check)
    elif others is Others.PEERS:
        contenders = [OURS, *([] if alone else peers.installed(cache, peer or list(peers.PEERS), _say))]
        _beside_peers(suite, only, contenders)
    else:
        ours = [OURS, *([IN_WORKERS] if workers else [])]
        contenders = ours if alone else [*ours, *SPARK]
        flink = [] if alone else _for_bank(cache, only)
        _beside_spark(suite, only, contenders, flink, growth=growth, quick=quick)


def _beside_spark(
    suite: Suite,
    only: list[str] | None,
    contenders: list[Contender],
    flink: list[Contender],
    *,
    growth: bool,
    quick: bool,
) -> None:
    results = _compare(suite, only, contenders + flink)
    title = f"This engine and Spark: {suite.sizes.events:,} events in a stream"
    console.print(report.compare(results, title))
    costs: list[Result] = []
    grown: list[Result] = []
    if growth:
        costs = [_fixed(suite, contender) for contender in contenders]
        console.print(report.epochs(costs))
    if growth and not quick:
        grown = [_grown(suite, events=millions * 1_000_000 // 2) for millions in (1, 2, 4, 8, 16)]
        grown += [_grown(suite, events=2_000_000, window=window) for window in (10, 600)]
        console.print(report.grown(grown))
    _save(suite.cache / "spark.json", results=results, fixed=costs, growth=grown)


def _nexmark(cache: Path, sizes: Sizes, only: list[str] | None, *, alone: bool, checks: bool) -> None:
    """Nexmark; what is known is written after each query of each contender, also as a table in Markdown."""
    unknown = sorted(set(only or []) - set(NAMES))
    if unknown:
        raise typer.BadParameter(f"no such query: {', '.join(unknown)}")
    contenders = [nexmark.OURS]
    if not alone:
        flink = peers.installed(cache, ["flink"], _say)
        contenders += [replace(one, module="benchmarks.nexmark.flink") for one in flink] + [nexmark.SPARK]
    results: list[Result] = []
    runs = nexmark.Nexmark(cache, sizes, _say, checks=checks)
    for result in runs.compare(only or list(NAMES), contenders):
        results.append(result)
        console.print(f"{result.title} {report.line(result).strip()}")
        report.save(cache / "nexmark.json", report.machine(), results=results)
        (cache / "nexmark.md").write_text(report.markdown(results), encoding="utf-8")
    console.print(report.compare(results, f"Nexmark: {sizes.events:,} events"))
    print(report.markdown(results))
    console.print("[dim]nexmark.json and nexmark.md are written[/dim]")


def _beside_peers(suite: Suite, only: list[str] | None, contenders: list[Contender]) -> None:
    results = _compare(suite, only, contenders)
    title = f"This engine and its peers: {suite.sizes.events:,} events in a stream"
    console.print(report.compare(results, title))
    _save(suite.cache / "peers.json", results=results)


def _beside_state(cache: Path, *, quick: bool) -> None:
    sizes = state.QUICK if quick else state.SIZES
    results: list[state.Cost] = []
    for cost in state.costs(list(state.QUERIES), sizes, state.EPOCHS):
        results.append(cost)
        _say(f"{cost.query}, {cost.size:,} live elements: {cost.median * 1000:.1f} ms")
    console.print(state.table(results, sizes))
    state.save(cache / "state.json", results)
    console.print("[dim]state.json is written[/dim]")


def _scale(cache: Path) -> None:
    measured: list[scale.Epoch] = []
    for epoch in scale.epochs(cache):
        _say(str(epoch))
        measured.append(epoch)
    model = scale.costs(measured)
    for made in scale.tables(measured, model):
        console.print(made)
    console.print(model)
    scale.save(cache / "scale.json", measured, model)
    scale.plot(cache / "scale.svg", model)
    console.print("[dim]scale.json and scale.svg are written[/dim]")


def _compare(suite: Suite, only: list[str] | None, contenders: list[Contender]) -> list[Result]:
    unknown = sorted(set(only or []) - set(WORKLOADS))
    if unknown:
        raise typer.BadParameter(f"no such workload: {', '.join(unknown)}")
    results: list[Result] = []
    for result in suite.compare(only or list(WORKLOADS), contenders):
        results.append(result)
        console.print(report.line(result))
    return results


def _for_bank(cache: Path, only: list[str] | None) -> list[Contender]:
    """Flink, for workload (g), which Spark refuses."""
    if only and "g" not in only:
        return []
    return [replace(flink, workloads=("g",)) for flink in peers.installed(cache, ["flink"], _say)]


def _fixed(suite: Suite, contender: Contender) -> Result:
    _say(f"fixed cost of a batch: {contender.name}")
    return suite.run("a-1k", contender, events=4_000, batch=100)


def _grown(suite: Suite, **change: int) -> Result:
    _say(f"growth: {change}")
    return suite.run("a-1k", OURS, **change)


def _say(text: str) -> None:
    load = os.getloadavg()[0]
    console.print(f"[dim]{text} (load {load:.1f})[/dim]")


def _save(path: Path, **results: list[Result]) -> None:
    report.save(path, report.machine(), **results)
    console.print(f"[dim]{path.name} is written[/dim]")


if __name__ == "__main__":
    app()
