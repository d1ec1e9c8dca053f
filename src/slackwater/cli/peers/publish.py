"""`slackwater publish`: feed a file into a network as a stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from slackwater.base.diagnostic import EngineError
from slackwater.cli.peers.options import At, Authority, Token, client
from slackwater.globe.flight import problems

if TYPE_CHECKING:
    from slackwater.globe.model import Published

Stream = Annotated[str, typer.Argument(metavar="STREAM", help="The name of the stream.")]
Input = Annotated[str, typer.Option("--input", metavar="FILE", help="The XML document; - is stdin.")]
Record = Annotated[
    str, typer.Option("--record", metavar="PATH", help="The path of a record: /photons/photon.")
]
Schema = Annotated[str | None, typer.Option("--schema", metavar="FILE", help="The DTD of the records.")]
Size = Annotated[int, typer.Option("--epoch", metavar="N", help="Records in an epoch.")]
Rate = Annotated[float, typer.Option("--rate", help="Records a second, as the optimizer should expect.")]
Document = Annotated[
    bool, typer.Option("--document", help="Publish a document, which queries join, instead of a stream.")
]
End = Annotated[bool, typer.Option("--end", help="The stream ends with the file.")]

_SAMPLE = 1_000
"""So many records are looked at for statistics."""


def publish(
    stream: Stream,
    at: At,
    input: Input,
    record: Record,
    schema: Schema = None,
    epoch: Size = 100,
    rate: Rate = 10.0,
    document: Document = False,
    end: End = False,
    token: Token = "",
    authority: Authority = None,
) -> None:
    """Publish the records of an XML document as a stream of a peer.

    The peer commits every epoch to its disk before the next one is read. A second run appends.

    \b
    Examples:
      slackwater publish photons --at 127.0.0.1:4711 --input photons.xml --record /photons/photon
      slackwater publish photons_db --at 127.0.0.1:4711 --input db.xml --record /photons/photon --document
    """
    peer = client(at, token, authority)
    name = peer.status()["name"]
    text = "" if schema is None else Path(schema).read_text(encoding="utf-8")
    records = _records(input, record)
    sample = list(islice(records, _SAMPLE))
    peer.publish(_published(stream, name, text, sample, record, rate, input if document else ""))
    if document:
        return
    known = peer.position(stream)
    peer.append_records(stream, chain(sample, records), epoch)
    typer.echo(f"{stream}: epochs {max(known, 0) + 1} to {peer.position(stream)}", err=True)
    if end:
        peer.end(stream)


def _records(name: str, path: str) -> Iterator[bytes]:
    from slackwater.globe.flight.cut import records_of
    from slackwater.schema.records import steps
    from slackwater.xml.errors import unreadable_input

    parts = steps(path if path.startswith("/") else f"/{path}") or ()
    if name == "-":
        yield from records_of(sys.stdin.buffer, "<stdin>", parts)
        return
    try:
        file = open(name, "rb")  # noqa: SIM115 - the source closes it
    except OSError as error:
        raise unreadable_input(name, error) from error
    yield from records_of(file, name, parts)


def _published(
    stream: str, peer: str, schema: str, sample: list[bytes], record: str, rate: float, document: str
) -> Published:
    from slackwater.globe.flight.measure import statistics
    from slackwater.globe.model import Published

    if not sample:
        raise EngineError(problems.NO_RECORDS.at(path=record))
    path = record if record.startswith("/") else f"/{record}"
    kind: Literal["stream", "document"] = "document" if document else "stream"
    items = float(len(sample)) if document else rate
    location = str(Path(document).absolute()) if document else ""
    return Published(stream, peer, "xml", schema, statistics(sample, items), path, kind, location)
