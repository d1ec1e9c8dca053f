"""`slackwater demo weather`: temperatures and the humidity that matches them best, paired on Spark."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

import typer


def weather(sensors: int, minutes: int, seed: int, plot: str, placement: str | None) -> None:
    """Generate readings, pair them, show the first pairs and draw them."""
    from importlib.resources import files

    from slackwater.cli.progress import watch
    from slackwater.cli.weather import KINDS, readings_of, sensors_of
    from slackwater.session import connect
    from slackwater.sinks.driver import Memory

    started = perf_counter()
    session = connect(placement=placement)
    session.sql((files("slackwater.cli") / "weather.cql").read_text(encoding="utf-8"), "weather.cql")
    query = session.view("Pairs")
    placed = sensors_of(sensors, seed)
    typer.echo(f"{sensors} sensors of each kind measure for {minutes} minutes; the query is:\n")
    typer.echo(f"  {query.name:<20} {query.schema}\n")
    answer = Memory()
    with tempfile.TemporaryDirectory(prefix="slackwater-weather-") as folder:
        count = readings_of(placed, minutes, seed, Path(folder))
        for kind in KINDS:
            session.stream(kind, str(Path(folder) / kind), time="ts", format="parquet", maxFilesPerTrigger=1)
        watch(session.start(query.into(answer), follow=False))
    pairs = [row for number in sorted(answer.frames) for row in answer.frames[number].rows()]
    _show(pairs)
    if plot:
        from slackwater.cli.weather_plot import write_weather

        write_weather(plot, minutes, placed, pairs)
        typer.echo(f"the picture is in {plot}")
    matched = len({(row[1], row[2]) for row in pairs})
    seconds = perf_counter() - started
    typer.echo(f"\n{count} readings, {len(pairs)} pairs of {matched} temperatures, {seconds:.1f} seconds")


def _show(pairs: list[tuple[object, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    names = ("final at", "measured", "sensor", "humidity sensor", "temperature", "humidity")
    table = Table(*names, title=f"the first of {len(pairs)} pairs", title_justify="left")
    for column in table.columns:
        column.justify = "right"
    for row in pairs[:10]:
        table.add_row(*map(str, row))
    Console(highlight=False).print(table)
