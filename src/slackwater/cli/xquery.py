"""`slackwater xquery`: run queries over an XML document while it is read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from slackwater.base.diagnostic import EngineError, QueryError
from slackwater.base.span import Text
from slackwater.cli import problems
from slackwater.cli.output import print_diagnostics, read
from slackwater.sinks.stream_file import unwritable_file

if TYPE_CHECKING:
    from slackwater.flux.run import Stats, XQuery

Queries = Annotated[
    list[str],
    typer.Argument(metavar="QUERY", help="A file with a query, or the text of a query."),
]
Schema = Annotated[
    str | None, typer.Option("--schema", metavar="FILE", help="The DTD or XML Schema of the document.")
]
Input = Annotated[
    str | None,
    typer.Option(
        "--input",
        metavar="FILE",
        help="The document; - is stdin. Default: the document that the query names.",
    ),
]
Outs = Annotated[
    list[str] | None, typer.Option("--out", metavar="FILE", help="The file of an answer, one for each query.")
]
Validate = Annotated[bool, typer.Option("--validate", help="Check the whole document against its schema.")]
ShowStats = Annotated[
    bool, typer.Option("--stats", help="Print bytes read and buffered, and times, on stderr.")
]

_PIECE = 1 << 16
_NO_DOCUMENT = "<none/>"
"""The document for queries that read none: they would wait for the standard input otherwise."""


def xquery(
    queries: Queries,
    schema: Schema = None,
    input: Input = None,
    out: Outs = None,
    validate: Validate = False,
    stats: ShowStats = False,
) -> None:
    """Run XQueries over an XML document while it is read.

    A query buffers only what the schema makes necessary. Answers are written as they become known, each item
    on its own line. Several queries run in one pass over the document; without --out, their answers are
    printed one after the other. Without --validate, parts that no query reads are not checked against the
    schema.

    \b
    Examples:
      slackwater xquery auction.xq --schema auction.dtd --input auction.xml
      slackwater xquery 'count(//person)' --input auction.xml --stats
      tail -f log.xml | slackwater xquery 'for $e in /log/error return $e/text()'
    """
    from slackwater.flux.run import XQueries, XQuery
    from slackwater.schema import NO_SCHEMA, read_schema

    if hasattr(sys.stdout, "reconfigure"):
        # An answer is XML: what the terminal's encoding lacks can be written as a reference.
        sys.stdout.reconfigure(errors="xmlcharrefreplace")
    _refuse_documents(queries, input)
    known = read_schema(schema) if schema else NO_SCHEMA
    parsed = [XQuery(_query(argument), known) for argument in queries]
    print_diagnostics(warning for query in parsed for warning in query.warnings)
    together = XQueries(parsed, ending="\n")
    outputs = _outputs(len(parsed), out or [])
    whole = False
    try:
        sinks = [output.write for output in outputs]
        for number, text in together.run(input or _document(parsed), sinks=sinks, validate=validate):
            outputs[number].write(text)
            outputs[number].flush()
        whole = True
    finally:
        for output in outputs:
            output.close(whole=whole)
        if stats:
            typer.echo(_format_stats(together.stats), err=True)


def _refuse_documents(queries: list[str], input: str | None) -> None:
    """Refuse a document among the queries, which would be a query of one element."""
    for argument in queries:
        if argument.lower().endswith(".xml") and not argument.strip().count(" ") and Path(argument).is_file():
            hint = None if input is None else f"Remove it: the document is {input}."
            raise QueryError(problems.DOCUMENT_AS_QUERY.at(name=argument, hint=hint))


def _query(argument: str) -> Text:
    try:
        is_file = argument == "-" or Path(argument).is_file()
    except (OSError, ValueError):
        is_file = False
    looks_like_one = argument.endswith((".xq", ".xquery")) and not argument.strip().count(" ")
    return read(argument) if is_file or looks_like_one else Text("<query>", argument)


def _document(queries: list[XQuery]) -> str:
    """The document that the queries name; otherwise the standard input, if a query reads it."""
    if not any(query.flux.is_reading for query in queries):
        return _NO_DOCUMENT
    inputs = {query.flux.input for query in queries}
    first = next(iter(inputs))
    return first.name if len(inputs) == 1 and first is not None and first.kind == "doc" else "-"


def _outputs(count: int, names: list[str]) -> list[_Output]:
    if names and len(names) != count:
        raise QueryError(problems.OUTPUT_COUNT.at(queries=count, outputs=len(names)))
    for at, name in enumerate(names):
        if name in names[:at] and not _is_device(name):
            raise QueryError(problems.SAME_OUTPUT.at(name=name))
    if names:
        return [_file(name) for name in names]
    return [_Output(sys.stdout, "<stdout>"), *(_later() for _ in range(1, count))]


def _is_device(name: str) -> bool:
    return Path(name).exists() and not Path(name).is_file()


def _later() -> _Output:
    stream: TextIO = TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115 - closed with the output
    return _Output(stream, "<stdout>", later=True, owned=True)


class _Output:
    """The output of an answer: a file, or stdout, at once or after the answers before it."""

    def __init__(self, stream: TextIO, name: str, *, later: bool = False, owned: bool = False) -> None:
        self.stream = stream
        self.name = name
        self.later = later
        self.owned = owned
        self.has_any = False
        self.ends_line = False
        self.has_failed = False

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A place that cannot be written is reported once; a pipe that was closed is not an error."""
        try:
            yield
        except BrokenPipeError:
            self.has_failed = True
            raise
        except OSError as error:
            self.has_failed = True
            raise EngineError(unwritable_file(self.name, error)) from error

    def write(self, text: str) -> None:
        self.has_any = True
        self.ends_line = text.endswith("\n")
        with self._writing():
            self.stream.write(text)

    def flush(self) -> None:
        with self._writing():
            self.stream.flush()

    def close(self, *, whole: bool) -> None:
        """End the answer with a line end, unless it has not begun."""
        with self._writing():
            self._end(whole=whole)

    def _end(self, *, whole: bool) -> None:
        if self.has_failed or not (whole or self.has_any):
            pass
        elif self.later:
            self.stream.seek(0)
            while piece := self.stream.read(_PIECE):
                sys.stdout.write(piece)
            sys.stdout.write("" if self.ends_line else "\n")
        else:
            self.stream.write("" if self.ends_line else "\n")
            self.stream.flush()
        if self.owned:
            with suppress(OSError) if self.has_failed else nullcontext():
                self.stream.close()


def _file(name: str) -> _Output:
    try:
        return _Output(open(name, "w", encoding="utf-8", newline=""), name, owned=True)
    except OSError as error:
        raise EngineError(unwritable_file(name, error)) from error


def _format_stats(stats: Stats) -> str:
    first = "never" if stats.first is None else f"{stats.first:.3f} s"
    rows = {
        "read": f"{_size(stats.bytes)}, of which {_size(stats.skipped)} were skipped unparsed",
        "events": f"{2 * stats.elements:,} tags",
        "peak buffer": _size(stats.peak),
        "first output": first,
        "time": f"{stats.seconds:.3f} s, {_size(round(stats.throughput))} a second",
        "written": f"{stats.output:,} characters",
    }
    return "\n".join(f"{name:12}  {value}" for name, value in rows.items())


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
