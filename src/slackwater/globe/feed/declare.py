"""The declaration of a stream of rows: from a program, or from columns and a time."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from slackwater.algebra import Stream
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.base.time import SECONDS, Clock
from slackwater.bind.catalog import Catalog, Source
from slackwater.bind.program import bind
from slackwater.globe.feed import problems
from slackwater.language.cql import CreateSource, parse, to_sql
from slackwater.language.options import format_by_name

FORMATS = ("csv", "json", "parquet")
SETTINGS = ("delay", "malformed", "late", "max_ahead", "sep", "header")
"""The options of a declaration that have a meaning here."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A stream of rows: its source, the clock of its time, and its declaration as it is published."""

    source: Source
    clock: Clock
    schema: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class Settings:
    """How a file is read, from WITH (…) of the declaration."""

    delay: int = 0
    """How many chronons a row may be out of order."""
    max_ahead: float | None = None
    """How many seconds a row may be ahead of the clock of this machine."""
    fails: bool = False
    """Whether a malformed or late row ends the command; by default it is left out and reported."""
    separator: str = ","
    has_header: bool = True


def declared(name: str, program: Text) -> Declared:
    """The stream of that name in a program; raises QueryError or EngineError."""
    catalog = Catalog()
    bind(program, catalog)
    if catalog.states_chronon and catalog.clock != SECONDS and not catalog.calendar:
        raise EngineError(problems.OTHER_CHRONON.at())
    source = catalog.get(name)
    if not isinstance(source, Source) or not isinstance(source.plan, Stream):
        raise EngineError(problems.NO_DECLARATION.at(name=name))
    if source.time is None:
        raise EngineError(problems.NO_TIME.at(name=source.name))
    alone = Catalog()
    alone.declare(source)
    settings = _settings(source, alone.clock)
    return Declared(source, alone.clock, _schema(program, source), settings)


def from_columns(name: str, columns: str, time: str) -> Declared:
    """A stream by the texts of options: `segment STRING, speed INT` and `ts INT`; raises QueryError."""
    if not time:
        raise EngineError(problems.NO_TIME.at(name=name))
    quoted = '"' + name.replace('"', '""') + '"'
    return declared(name, Text("<options>", f"CREATE STREAM {quoted} ({columns}) TIME {time}"))


def _schema(program: Text, source: Source) -> str:
    """The declaration alone, with the type of its time, without where this peer reads it."""
    for statement in parse(program):
        if isinstance(statement, CreateSource) and statement.this.name.lower() == source.name.lower():
            one = statement.copy()
            for part in ("location", "format", "record", "options", "replace", "exists"):
                one.set(part, None)
            kind = "TIMESTAMP" if source.calendar and source.zoned else "TIMESTAMP_NTZ"
            one.set("time_type", exp.DataType.build(kind if source.calendar else "BIGINT"))
            return to_sql(one)
    raise AssertionError("a source of a program is declared in it")


def _settings(source: Source, clock: Clock) -> Settings:
    from slackwater.sources.options import options_of

    for option in source.options:
        if option.lower() not in SETTINGS:
            known = ", ".join(SETTINGS)
            raise EngineError(problems.UNKNOWN_SETTING.at(option=option, name=source.name, known=known))
    lowered = {option.lower(): str(value) for option, value in source.options.items()}
    options = options_of(source.name, source.options, clock)
    fails = "fail" in (lowered.get("malformed"), lowered.get("late"))
    separator = lowered.get("sep", ",").replace("\\t", "\t")
    return Settings(
        options.delay, options.max_ahead, fails, separator, lowered.get("header", "true").lower() == "true"
    )


def format_of(source: Source, file: str, option: str | None = None) -> str:
    """The format of a file: as an option says, as declared, or by its ending; raises EngineError."""
    known = option or source.format or format_by_name(file) or ("csv" if file == "-" else "")
    known = {"jsonl": "json", "ndjson": "json"}.get(known.lower(), known.lower())
    if known not in FORMATS:
        raise EngineError(problems.NO_ROW_FORMAT.at(file=file, formats=", ".join(FORMATS)))
    return known
