"""XML cut into records while it is read: the elements at a path, their values, what a query answers to each.

    <photons> <photon><ra>130.9</ra> …</photon> <photon> …          RECORD '/photons/photon'
              └──────────── a record ────────┘

A value is the text of the element, or the value of the attribute, with the name of the column, anywhere in
the record. A record with two of a name is malformed.

A document is parsed once, in pieces: columns and query get the same events, and only the bytes of the
current record are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.flux.problems import DEEP_DOCUMENT
from slackwater.flux.records import Ancestor, RecordQueries
from slackwater.flux.values.errors import Wrong
from slackwater.sources.xml.documents import RecordSource
from slackwater.xml.errors import XmlError
from slackwater.xml.events import Attributes, Characters, End, Parser, Start, spelled

Values = list[str | None]
Row = list[Any]
Read = Callable[[Values, str | None], Row]
"""Makes a row of a record's values and its answer; raises ValueError, ArithmeticError or OSError."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """The source text of a malformed record; or the error at which the document ends, with its place."""

    text: str


def read_records(
    source: RecordSource,
    path: tuple[str, ...],
    columns: Sequence[str],
    read: Read,
    query: RecordQueries | None,
) -> Iterator[list[Row | Misfit]]:
    """The records in the order of the document, those of one piece of it after the other."""
    parser = Parser(source)
    cutter = _Cutter(parser, source, path, columns, read, query)
    try:
        for _ in parser.steps():
            yield cutter.take_rows()
    except XmlError as error:
        diagnostic = error.diagnostics[0]
        span = diagnostic.span
        place = f"line {span.line}, column {span.column}: " if span else ""
        yield [*cutter.take_rows(), Misfit(f"{place}{diagnostic.message}")]


class _Places(dict[str, int | None]):
    """The column of each name as expat gives it, if it has one; computed once per name."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__()
        self._columns = {name: place for place, name in enumerate(columns)}

    def __missing__(self, raw: str) -> int | None:
        place = self._columns.get(spelled(raw))
        if len(self) < _MOST_NAMES:
            self[raw] = place
        return place


_NOWHERE = -1
_MOST_NAMES = 4096
"""A document may have any number of names: more are not remembered."""


class _Cutter:
    """Expat's handlers: those around the records, and those inside one.

    Where there is a query, it gets the events inside records, too: `handle` and `on_text` are for its drive.
    """

    def __init__(
        self,
        parser: Parser,
        source: RecordSource,
        path: tuple[str, ...],
        columns: Sequence[str],
        read: Read,
        query: RecordQueries | None,
    ) -> None:
        self._parser, self._source, self._path, self._read = parser, source, path, read
        self._expat = parser.expat
        self._places = _Places(columns)
        self._width = len(columns)
        self._rows: list[Row | Misfit] = []
        self._open: list[Ancestor] = []
        self._depth = 0
        self._values: Values = []
        self._is_misfit = False
        self._text: list[str] = []
        self._column = 0
        self._column_depth = _NOWHERE
        """The depth of the element whose text is the value of that column."""
        self._is_parent = len(path) == 1
        """Whether records are the children of the innermost open element."""
        self._query = query
        self._query_text: Characters | None = None
        self._failure: Exception | None = None
        """An error of the query; it is ignored if the record turns out to be malformed."""
        parser.raw = True
        if query is not None:
            query.connect(parser, self)
        self._leave_record()

    def take_rows(self) -> list[Row | Misfit]:
        """The records that have ended since the last call."""
        rows, self._rows = self._rows, []
        return rows

    # Where the query gets its events from.

    def handle(self, start: Start, end: End) -> None:
        self._query_start, self._query_end = start, end

    def on_text(self, text: Characters | None) -> None:
        self._query_text = text
        self._set_text()

    def _set_text(self) -> None:
        of_query = self._query_text
        if self._column_depth == _NOWHERE:
            self._expat.CharacterDataHandler = of_query
            return
        append = self._text.append
        if of_query is None:
            self._expat.CharacterDataHandler = append
            return

        def both(text: str) -> None:
            append(text)
            of_query(text)

        self._expat.CharacterDataHandler = both

    # Around records.

    def _leave_record(self) -> None:
        self._source.begin = None
        self._parser.handle(self._outer_start, self._outer_end)

    def _outer_start(self, name: str, attributes: Attributes) -> None:
        if self._is_parent and spelled(name) == self._path[-1]:
            self._enter_record(name, attributes)
        else:
            namespaces = self._query.namespaces if self._query else {}
            self._open.append(Ancestor(name, attributes, namespaces))
            self._compare_path()

    def _outer_end(self, name: str) -> None:
        self._open.pop()
        self._compare_path()

    def _compare_path(self) -> None:
        above = self._path[:-1]
        self._is_parent = len(self._open) == len(above) and above == tuple(
            spelled(ancestor.name) for ancestor in self._open
        )

    def _enter_record(self, name: str, attributes: Attributes) -> None:
        self._source.begin = self._parser.offset
        self._depth = 0
        self._values, self._is_misfit = [None] * self._width, False
        if self._query is None:
            self._parser.handle(self._start, self._end)
        else:
            self._failure = None
            self._parser.handle(self._queried_start, self._queried_end)
            self._guard(self._query.begin, self._open)
            self._guard(self._query_start, name, attributes)
        self._take(attributes)

    # Inside a record.

    def _start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        place = self._places[name]
        if place is not None and self._column_depth == _NOWHERE:
            self._text = []
            self._column, self._column_depth = place, self._depth
            self._set_text()
        if attributes:
            self._take(attributes)

    def _take(self, attributes: Attributes) -> None:
        for name, value in attributes.items():
            place = self._places[name]
            if place is not None:
                self._put(place, value)

    def _put(self, place: int, value: str) -> None:
        self._is_misfit |= self._values[place] is not None
        self._values[place] = value

    def _end(self, name: str) -> None:
        depth = self._depth
        if depth == self._column_depth:
            self._put(self._column, "".join(self._text))
            self._column_depth = _NOWHERE
            self._set_text()
        if depth:
            self._depth = depth - 1
        else:
            self._finish(None)

    def _queried_start(self, name: str, attributes: Attributes) -> None:
        self._start(name, attributes)
        self._guard(self._query_start, name, attributes)

    def _queried_end(self, name: str) -> None:
        self._guard(self._query_end, name)
        if self._depth:
            self._end(name)
        else:
            assert self._query is not None
            self._finish(self._guard(self._query.finish, self._open))

    def _guard(self, step: Callable[..., Any], *arguments: Any) -> Any:
        """A step of the query, if none has failed in this record."""
        if self._failure is None:
            try:
                return step(*arguments)
            except (SlackwaterError, Wrong, RecursionError) as error:
                self._failure = error
        return None

    def _finish(self, answer: str | None) -> None:
        row: Row | Misfit
        if self._failure is not None:
            self._abandon()
        if self._is_misfit:
            row = self._misfit()
        else:
            try:
                row = self._read(self._values, answer)
            except (ValueError, ArithmeticError, OSError):
                row = self._misfit()
        self._rows.append(row)
        self._leave_record()

    def _abandon(self) -> None:
        """Raises the error of the query, unless the record is malformed anyway."""
        assert self._query is not None
        self._query.abandon()
        if self._is_misfit:
            return
        match self._failure:
            case Wrong() as wrong:
                raise wrong.at(None) from None
            case RecursionError():
                raise EngineError(DEEP_DOCUMENT.at()) from None
            case Exception() as error:
                raise error

    def _misfit(self) -> Misfit:
        return Misfit(self._source.record(self._parser.offset, self._parser.bytes))
