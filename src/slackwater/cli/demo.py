"""`slackwater demo`: the tolls of a Linear Road highway, or readings of the weather, computed on Spark."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import polars as pl

    from slackwater.session import Session

Example = Annotated[
    str, typer.Argument(metavar="[linear_road|weather]", help="Which example.", show_default=False)
]
Vehicles = Annotated[int, typer.Option("--vehicles", min=1, max=1_000_000, help="The number of vehicles.")]
Sensors = Annotated[int, typer.Option("--sensors", min=1, max=1_000, help="The sensors of each kind.")]
Minutes = Annotated[int, typer.Option("--minutes", min=1, max=24 * 60, help="The minutes they run.")]
Seed = Annotated[int, typer.Option("--seed", help="The seed of the generated data.")]
Plot = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Write a plot to this file; '' for none.")
]
Placement = Annotated[
    str | None, typer.Option("--placement", metavar="driver|workers", help="Where the kernels run.")
]

SHOWN = 10
VIEWS = (
    "SegSpeedStr",
    "ActiveVehicleSegRel",
    "VehicleSegEntryStr",
    "CongestedSegRel",
    "SegVolRel",
    "TollStr",
)


EXAMPLES = ("linear_road", "weather")


def demo(
    example: Example = EXAMPLES[0],
    vehicles: Vehicles = 300,
    sensors: Sensors = 40,
    minutes: Minutes = 30,
    seed: Seed = 1,
    plot: Plot = None,
    placement: Placement = None,
) -> None:
    """Run continuous queries on generated data, on Spark, and draw the answer.

    linear_road: vehicles report position and speed every 30 seconds; a vehicle that enters a congested
    segment pays a toll. The six queries are those of the CQL paper, section 7.

    weather: sensors measure temperature or humidity; each temperature is paired with the humidity that
    matches it best in time and place, by a best-match join.

    \b
    Examples:
      slackwater demo
      slackwater demo --vehicles 1000 --minutes 20 --seed 7
      slackwater demo --vehicles 100000 --plot jam.png
      slackwater demo weather --sensors 60
    """
    if example not in EXAMPLES:
        raise typer.BadParameter(f"choose {' or '.join(EXAMPLES)}", param_hint="EXAMPLE")
    picture = f"{example}.png" if plot is None else plot
    if example == "weather":
        from slackwater.cli.weather_demo import weather

        weather(sensors, minutes, seed, picture, placement)
    else:
        _linear_road(vehicles, minutes, seed, picture, placement)


def _linear_road(vehicles: int, minutes: int, seed: int, plot: str, placement: str | None) -> None:
    """Generate the traffic, answer the six queries, show the first tolls and draw the day."""
    from slackwater.cli.linear_road import reports_of
    from slackwater.cli.progress import watch
    from slackwater.session import connect
    from slackwater.sinks.driver import Memory

    started = perf_counter()
    session = connect(placement=placement)
    _declare(session)
    queries = [session.view(name) for name in VIEWS]
    typer.echo(f"{vehicles} vehicles drive for {minutes} minutes; the queries are:\n")
    for query in queries:
        typer.echo(f"  {query.name:<20} {query.schema}")
    typer.echo()
    with tempfile.TemporaryDirectory(prefix="slackwater-road-") as folder:
        count = reports_of(vehicles, minutes, seed, Path(folder))
        session.stream("PosSpeedStr", folder, time="ts", format="parquet", maxFilesPerTrigger=1)
        answers = {query.name: Memory() for query in queries}
        with_sinks = [query.into(answers[query.name]) for query in queries]
        watch(session.start(*with_sinks, follow=False))
    congested, tolls = (_frame(answers[name]) for name in ("CongestedSegRel", "TollStr"))
    _show_tolls(tolls)
    segments = sorted(set(congested["segNo"].to_list())) if congested is not None else []
    if plot:
        from slackwater.cli.plot import write_plot

        write_plot(plot, minutes, congested, tolls)
        typer.echo(f"the picture is in {plot}")
    typer.echo(
        f"\n{count} reports, {len(segments)} congested segments{_listed(segments)}, "
        f"{0 if tolls is None else tolls.height} tolls, {perf_counter() - started:.1f} seconds"
    )


def _declare(session: Session) -> None:
    """The shipped program, with its six views."""
    from importlib.resources import files

    content = (files("slackwater.cli") / "linear_road.cql").read_text(encoding="utf-8")
    session.sql(content, "linear_road.cql")


def _frame(memory: object) -> pl.DataFrame | None:
    import polars as pl

    from slackwater.sinks.driver import Memory

    assert isinstance(memory, Memory)
    frames = [memory.frames[number] for number in sorted(memory.frames)]
    return pl.concat(frames) if frames else None


def _show_tolls(tolls: pl.DataFrame | None) -> None:
    from rich.console import Console
    from rich.table import Table

    if tolls is None:
        typer.echo("no vehicle entered a congested segment")
        return
    title = f"the first of {tolls.height} tolls"
    table = Table("time", "vehicle", "toll", title=title, title_justify="left")
    for column in table.columns:
        column.justify = "right"
    for time, vehicle, toll in sorted(tolls.rows())[:SHOWN]:
        table.add_row(f"{time // 3600}:{time // 60 % 60:02}:{time % 60:02}", str(vehicle), str(toll))
    Console(highlight=False).print(table)


def _listed(segments: list[int]) -> str:
    return f" ({', '.join(map(str, segments))})" if segments else ""
