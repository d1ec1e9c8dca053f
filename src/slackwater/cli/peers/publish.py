"""`slackwater publish`: feed a file into a network as a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slackwater.cli.peers.options import At, Authority, Token, client

Stream = Annotated[str, typer.Argument(metavar="STREAM", help="The name of the stream.")]
Input = Annotated[
    str | None, typer.Option("--input", metavar="FILE", help="XML, CSV, JSON lines or Parquet; - is stdin.")
]
Record = Annotated[
    str | None, typer.Option("--record", metavar="PATH", help="XML: the path of a record, /photons/photon.")
]
Schema = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="XML: the DTD. Rows: a program with the CREATE STREAM."),
]
Columns = Annotated[
    str, typer.Option("--columns", metavar="LIST", help="Rows: the columns, as 'segment STRING, speed INT'.")
]
Time = Annotated[str, typer.Option("--time", metavar="COLUMN", help="Rows: the time, as 'ts TIMESTAMP'.")]
Format = Annotated[
    str | None, typer.Option("--format", metavar="csv|json|parquet", help="Rows: the format of the file.")
]
Size = Annotated[int | None, typer.Option("--epoch", metavar="N", help="Records or rows in an epoch.")]
Rate = Annotated[float, typer.Option("--rate", help="Items a second, as the optimizer should expect.")]
Document = Annotated[
    bool, typer.Option("--document", help="Publish a document, which queries join, instead of a stream.")
]
End = Annotated[bool, typer.Option("--end", help="The stream ends with the file.")]


def publish(
    stream: Stream,
    at: At,
    input: Input = None,
    record: Record = None,
    schema: Schema = None,
    columns: Columns = "",
    time: Time = "",
    format: Format = None,
    epoch: Size = None,
    rate: Rate = 10.0,
    document: Document = False,
    end: End = False,
    token: Token = "",
    authority: Authority = None,
) -> None:
    """Publish the records of an XML document, or the rows of a file, as a stream of a peer.

    Rows have columns and a time: declared by CREATE STREAM in a program, which may name the file, or by
    --columns and --time. Malformed and late rows are reported and left out. A second run appends.

    \b
    Examples:
      slackwater publish photons --at 127.0.0.1:4711 --input photons.xml --record /photons/photon
      slackwater publish photons_db --at 127.0.0.1:4711 --input db.xml --record /photons/photon --document
      slackwater publish readings --at 127.0.0.1:4711 --schema congestion.cql
      slackwater publish readings --at 127.0.0.1:4711 --input readings.csv --columns 'speed INT' --time ts
    """
    peer = client(at, token, authority)
    if record is not None:
        from slackwater.cli.peers.feed.records import publish_records

        if input is None:
            raise typer.BadParameter("Name the document: --input.")
        text = "" if schema is None else Path(schema).read_text(encoding="utf-8")
        publish_records(peer, stream, input, record, text, epoch or 100, rate, is_document=document)
    else:
        from slackwater.cli.peers.feed.rows import publish_rows

        if document or (input or "").endswith(".xml"):
            raise typer.BadParameter("Name the path of a record: --record.")
        publish_rows(peer, stream, input, schema, (columns, time), format, epoch or 1_000, rate)
    if end:
        peer.end(stream)
