"""`slackwater demo`: the tolls of a small Linear Road highway."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from slackwater.reference.bags import Changes

Vehicles = Annotated[int, typer.Option("--vehicles", min=1, max=100_000, help="How many vehicles drive.")]
Minutes = Annotated[int, typer.Option("--minutes", min=1, max=24 * 60, help="For how long.")]
Seed = Annotated[int, typer.Option("--seed", help="Another seed is another day on the road.")]

SHOWN = 10


def demo(vehicles: Vehicles = 300, minutes: Minutes = 30, seed: Seed = 1) -> None:
    """Watch continuous queries at work: variable tolls on the Linear Road highway.

    Vehicles report position and speed every 30 seconds; who enters a congested segment pays a toll.
    The six queries are those of the CQL paper, section 7.

    \b
    Examples:
      slackwater demo
      slackwater demo --vehicles 1000 --minutes 20 --seed 7
    """
    from slackwater.cli.linear_road import highway

    started = perf_counter()
    plans = _plans()
    reports = highway(vehicles, minutes, seed)
    typer.echo(f"{vehicles} vehicles drive for {minutes} minutes; the queries are:\n")
    for name, schema in ((name, plan.schema) for name, plan in plans.items()):
        typer.echo(f"  {name:<20} {schema}")
    typer.echo()
    with _progress(f"answering over {_size(reports)} reports"):
        congested, tolls = _answers(plans, reports)
    _show_tolls(tolls)
    elapsed = perf_counter() - started
    typer.echo(
        f"\n{_size(reports)} reports, {len(congested)} congested segments{_listed(congested)}, "
        f"{_size(tolls)} tolls, {elapsed:.1f} seconds"
    )


def _plans() -> dict[str, Any]:
    """The six views of the shipped program, by name."""
    from importlib.resources import files

    from slackwater.base.span import Text
    from slackwater.bind.catalog import Catalog
    from slackwater.bind.program import bind

    content = (files("slackwater.cli") / "linear_road.cql").read_text(encoding="utf-8")
    return {query.name or "": query.plan for query in bind(Text("linear_road.cql", content), Catalog())}


def _answers(plans: dict[str, Any], reports: Changes) -> tuple[list[int], Changes]:
    """The segments that were ever congested, and the tolls."""
    from slackwater.reference.history import Histories

    histories = Histories({"PosSpeedStr": reports})
    congested = {row[0] for bag in histories.changes(plans["CongestedSegRel"]).values() for row in bag}
    return sorted(congested), histories.changes(plans["TollStr"])


def _progress(doing: str) -> AbstractContextManager[Any]:
    """A spinner on a terminal, a line elsewhere; both on the standard error."""
    if not sys.stderr.isatty():
        typer.echo(f"{doing} …", err=True)
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(doing)


def _show_tolls(tolls: Changes) -> None:
    from rich.console import Console
    from rich.table import Table

    every = [(t, row) for t in sorted(tolls) for row in sorted(tolls[t]) for _ in range(tolls[t][row])]
    table = Table("time", "vehicle", "toll", title=f"the first of {len(every)} tolls", title_justify="left")
    for column in table.columns:
        column.justify = "right"
    for time, (vehicle, toll) in every[:SHOWN]:
        table.add_row(f"{time // 3600}:{time // 60 % 60:02}:{time % 60:02}", str(vehicle), str(toll))
    if every:
        Console(highlight=False).print(table)
    else:
        typer.echo("no vehicle entered a congested segment")


def _size(changes: Changes) -> int:
    return sum(copies for bag in changes.values() for copies in bag.values())


def _listed(segments: list[int]) -> str:
    return f" ({', '.join(map(str, segments))})" if segments else ""
