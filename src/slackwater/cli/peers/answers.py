"""The answers of a subscription on a screen or in a file: items, or rows as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl
import typer

from slackwater.globe import Client
from slackwater.globe.flight.answers import Shape, padded
from slackwater.sinks.formats import content_of
from slackwater.sinks.values import format_value

FORMATS = ("table", "csv", "json", "parquet")
_ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet"}


def format_named(format: str | None, out: str | None) -> str:
    """The format of rows: as an option says, or as the file is named."""
    known = format or _ENDINGS.get(Path(out or "").suffix.lower(), "table")
    if known not in FORMATS:
        raise typer.BadParameter(f"Write --format {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    if known == "parquet" and out is None:
        raise typer.BadParameter("A Parquet file needs a name: --out.")
    return known


def write_answers(peer: Client, name: str, kind: str, out: str | None, *, follow: bool) -> None:
    """Write what a subscription was delivered; to follow is to wait for more, to the end of its streams."""
    shape = peer.shape(name)
    output = sys.stdout.buffer if out is None else open(out, "wb")  # noqa: SIM115
    try:
        if shape is None:
            for item in peer.items(name, follow=follow):
                _write(output, item.encode() + b"\n")
        else:
            tables = (shape.table(frame) for frame in peer.frames(name, follow=follow))
            for content in _contents(tables, kind, shape):
                _write(output, content)
    finally:
        if out is not None:
            output.close()


def _write(output: BinaryIO, content: bytes) -> None:
    output.write(content)
    output.flush()


def _contents(tables: Iterator[pl.DataFrame], kind: str, shape: Shape) -> Iterator[bytes]:
    match kind:
        case "parquet":
            # A Parquet file is written once it is whole.
            whole = list(tables)
            yield bytes(content_of(pl.concat(whole) if whole else pl.DataFrame(), kind))
        case "csv":
            yield from _csv(tables, shape)
        case "json":
            yield from (bytes(content_of(table, kind)) for table in tables)
        case _:
            yield from _lines(tables, shape)


def _csv(tables: Iterator[pl.DataFrame], shape: Shape) -> Iterator[bytes]:
    """One header, then the rows of every epoch."""
    header = bytes(content_of(pl.DataFrame(schema=dict.fromkeys(shape.columns, pl.String())), "csv"))
    yield header
    for table in tables:
        yield bytes(content_of(table, "csv")).removeprefix(header)


def _lines(tables: Iterator[pl.DataFrame], shape: Shape) -> Iterator[bytes]:
    widths, is_first = [0] * len(shape.columns), True
    for table in tables:
        rows = [[format_value(value) for value in row] for row in table.rows()]
        for line in padded([list(shape.columns), *rows], widths)[0 if is_first else 1 :]:
            yield line.encode() + b"\n"
        is_first = False
