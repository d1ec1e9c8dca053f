"""XML documents as streams of records."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Literal

import typer

from slackwater.base.diagnostic import EngineError
from slackwater.cli.peers.feed.files import opened
from slackwater.globe import Client
from slackwater.globe.flight import problems
from slackwater.globe.flight.cut import records_of
from slackwater.globe.flight.measure import statistics
from slackwater.globe.model import Published
from slackwater.schema.records import steps

_SAMPLE = 1_000
"""So many records are looked at for statistics."""


def publish_records(
    peer: Client,
    stream: str,
    input: str,
    record: str,
    schema: str,
    size: int,
    rate: float,
    *,
    is_document: bool,
) -> None:
    """Publish the records at a path of a document, or the document itself."""
    records = _records(input, record)
    sample = list(islice(records, _SAMPLE))
    name = peer.status()["name"]
    peer.publish(_published(stream, name, schema, sample, record, rate, input if is_document else ""))
    if is_document:
        return
    known = peer.position(stream)
    peer.append_records(stream, chain(sample, records), size)
    typer.echo(f"{stream}: epochs {max(known, 0) + 1} to {peer.position(stream)}", err=True)


def _records(name: str, path: str) -> Iterator[bytes]:
    parts = steps(path if path.startswith("/") else f"/{path}") or ()
    with opened(name) as (file, shown):
        yield from records_of(file, shown, parts)


def _published(
    stream: str, peer: str, schema: str, sample: list[bytes], record: str, rate: float, document: str
) -> Published:
    if not sample:
        raise EngineError(problems.NO_RECORDS.at(path=record))
    path = record if record.startswith("/") else f"/{record}"
    kind: Literal["stream", "document"] = "document" if document else "stream"
    items = float(len(sample)) if document else rate
    location = str(Path(document).absolute()) if document else ""
    return Published(stream, peer, "xml", schema, statistics(sample, items), path, kind, location)
