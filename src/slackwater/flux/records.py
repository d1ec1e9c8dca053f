"""A query over one record after the other of a document that is parsed once.

    <log> <day date="…"> <entry>…</entry> <entry>…</entry> </day> …        records at /log/day/entry

    begin     <log><day date="…">     the start tags around the record, from memory
    events         <entry>…</entry>   as the parser gives them
    finish    </day></log>            the end tags

So each record is a document of its own, inside its ancestors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from slackwater.flux.compile.program import Program
from slackwater.flux.drive import Drive, Events
from slackwater.flux.run import XQuery, read_documents
from slackwater.flux.runtime.machine import Machine
from slackwater.schema import NO_SCHEMA
from slackwater.xml import Parser
from slackwater.xml.events import Attributes

Document = str | bytes
"""The content of a document, as text or in its encoding."""


@dataclass(frozen=True, slots=True)
class Ancestor:
    """An open element around a record: its start tag, and the namespaces inside it."""

    name: str
    attributes: Attributes
    namespaces: dict[str, str]


class Compiled:
    """A compiled query: it can be run again when a run has ended, and not when it broke off.

    The documents beside the records are read once.
    """

    def __init__(self, query: XQuery, documents: Mapping[str, Document]) -> None:
        self.program = Program(query.flux, upward=query.flux.upward)
        read_documents(self.program, documents)
        self.machine = Machine(self.program.demands, NO_SCHEMA.document)


class RecordQueries:
    """Runs a query on the records of one document after the other.

    Between records it takes no events. Errors of the query are raised as they are: Wrong, SlackwaterError.
    """

    def __init__(self, query: XQuery, documents: Mapping[str, Document] | None = None) -> None:
        self._query = query
        self._documents = documents or {}
        self._compiled: Compiled | None = None
        """None while a record is read: after a record that was abandoned, the query is compiled again."""

    def connect(self, parser: Parser, events: Events) -> None:
        """Takes the events of this document from here on."""
        self._parser, self._events = parser, events
        self._drive = self._connected()

    def _connected(self) -> Drive:
        compiled = self._compiled or Compiled(self._query, self._documents)
        self._compiled = compiled
        compiled.program.restart()
        return Drive(compiled.machine, self._parser, [compiled.program.reading], self._events)

    @property
    def namespaces(self) -> dict[str, str]:
        """Prefix -> namespace, at the current event."""
        return self._drive.namespaces

    def begin(self, around: Sequence[Ancestor]) -> None:
        """A record begins inside these elements: its start tag is the next event."""
        if self._compiled is None:
            broken_off, self._drive = self._drive, self._connected()
            self._drive.take_namespaces(broken_off)
        compiled, self._compiled, drive = self._compiled, None, self._drive
        assert compiled is not None
        self._running = compiled
        inside = drive.namespaces
        compiled.program.restart()
        drive.begin()
        for ancestor in around:
            drive.namespaces = ancestor.namespaces
            drive.start(ancestor.name, ancestor.attributes)
        drive.namespaces = inside

    def finish(self, around: Sequence[Ancestor]) -> str:
        """The answer to the record that has ended."""
        drive = self._drive
        for ancestor in reversed(around):
            drive.end(ancestor.name)
        drive.finish()
        drive.rest()
        self._compiled = self._running
        return self._running.program.writer.take()

    def abandon(self) -> None:
        """The record is not queried to its end."""
        self._drive.rest()


@lru_cache(maxsize=64)
def parse_once(text: str) -> XQuery:
    """The query of a text, parsed and translated once in a process."""
    return XQuery(text)
