"""Files of rows as streams."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

import typer

from slackwater.base.diagnostic import EngineError
from slackwater.cli.output import print_diagnostics, read
from slackwater.cli.peers.feed.files import opened
from slackwater.globe import Client
from slackwater.globe.feed import problems
from slackwater.globe.feed.declare import Declared, declared, format_of, from_columns
from slackwater.globe.feed.epochs import Feeding, frame_of_rows
from slackwater.globe.feed.read import Misfit, Row, rows_of
from slackwater.globe.flight.measure import row_statistics
from slackwater.globe.model import Published

_SAMPLE, _LIVE_SAMPLE = 1_000, 10
"""So many rows are looked at for statistics; of stdin fewer, since they may come slowly."""
_EVERY = 1.0
"""Seconds after which the rows of stdin are sent, if there are fewer than an epoch has."""


def publish_rows(
    peer: Client,
    stream: str,
    input: str | None,
    schema: str | None,
    columns: tuple[str, str],
    format: str | None,
    size: int,
    rate: float,
) -> None:
    """Publish the rows of a file as epochs, after those that the stream has."""
    one = _declared(stream, schema, columns)
    name = input or one.source.location
    if name is None:
        raise EngineError(problems.NO_INPUT.at(name=stream))
    kind, is_live = format_of(one.source, name, format), name == "-"
    with opened(name) as (file, shown):
        feeding = _feed(peer, one, rows_of(file, shown, kind, one), size, rate, is_live=is_live)
    _summarize(one, feeding)


def _feed(
    peer: Client, one: Declared, rows: Iterator[Row | Misfit], size: int, rate: float, *, is_live: bool
) -> Feeding:
    sample = list(islice(rows, _LIVE_SAMPLE if is_live else _SAMPLE))
    frame = frame_of_rows(one, [row for row in sample if isinstance(row, Row)])
    at = peer.status()["name"]
    peer.publish(Published(one.source.name, at, "rows", one.schema, row_statistics(frame, rate)))
    feeding = Feeding(one, lambda problem: print_diagnostics([problem]), peer.position(one.source.name), size)
    feeding.every = _EVERY if is_live else feeding.every
    peer.append(one.source.name, feeding.of(chain(sample, rows)))
    return feeding


def _declared(stream: str, schema: str | None, columns: tuple[str, str]) -> Declared:
    if schema is not None:
        return declared(stream, read(schema))
    if not columns[0]:
        raise EngineError(problems.NO_DECLARATION.at(name=stream))
    return from_columns(stream, *columns)


def _summarize(one: Declared, feeding: Feeding) -> None:
    upto = f", up to {one.clock.format(feeding.edge)}" if feeding.epochs else ""
    left = f"; {feeding.left_out} rows were left out" if feeding.left_out else ""
    name = one.source.name
    typer.echo(f"{name}: {feeding.rows} rows in {feeding.epochs} epochs{upto}{left}", err=True)
