"""`slackwater run`: run the queries of a program over its data."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError, did_you_mean
from slackwater.base.filenames import file_name_of
from slackwater.base.places import local_path
from slackwater.cli import problems
from slackwater.cli.command import refuse_useless
from slackwater.cli.output import print_diagnostics, read
from slackwater.cli.parameters import Params, values_of

if TYPE_CHECKING:
    from pathlib import Path

    from slackwater.run.query import Query
    from slackwater.session import Session

File = Annotated[str, typer.Argument(metavar="FILE", help="The program; - reads it from stdin.")]
Sources = Annotated[
    list[str] | None,
    typer.Option("--source", metavar="NAME=PATH", help="Read a source from this path."),
]
Out = Annotated[
    str | None, typer.Option("--out", metavar="DIR", help="Write the answers there, a folder for each query.")
]
Checkpoint = Annotated[
    str | None,
    typer.Option("--checkpoint", metavar="DIR|URI", help="Write the state there, and resume from it."),
]
Follow = Annotated[bool, typer.Option("--follow", help="Wait for more rows; Ctrl-C stops.")]
Placement = Annotated[
    str | None, typer.Option("--placement", metavar="driver|workers", help="Where the kernels run.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="csv|json|parquet", help="The format of the answers; default csv."),
]
Mode = Annotated[
    str | None,
    typer.Option("--mode", metavar="changes|table|elements", help="The form in which a relation is written."),
]
AllowChanges = Annotated[
    bool,
    typer.Option("--allow-changes", help="Add new queries to the checkpoint, and remove missing ones."),
]
AddedFrom = Annotated[
    str | None,
    typer.Option(
        "--added-from", metavar="now|beginning", help="From when on added queries answer; default now."
    ),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="INSTANT", help="Answer up to and including this instant."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the answers of an earlier run.")]

Strict = Annotated[
    bool, typer.Option("--strict", help="Exit with 1 if rows were set aside, or files changed after reading.")
]


def run(
    file: File,
    source: Sources = None,
    param: Params = None,
    out: Out = None,
    checkpoint: Checkpoint = None,
    follow: Follow = False,
    placement: Placement = None,
    format: Format = None,
    mode: Mode = None,
    overwrite: Overwrite = False,
    allow_changes: AllowChanges = False,
    added_from: AddedFrom = None,
    until: Until = None,
    strict: Strict = False,
) -> None:
    """Run the queries of a program over its data, on Spark.

    The run ends at the end of the data; with --follow it waits for more. Without --out the answers are
    printed, except those of queries with a sink. If a program has no queries, its views are run.

    \b
    Examples:
      slackwater run congestion.cql
      slackwater run congestion.cql --source readings=data/today.csv --out answers
      slackwater run congestion.cql --out answers --checkpoint state --follow
      slackwater run congestion.cql --param limit=40
    """
    from slackwater.cli.progress import watch
    from slackwater.session import connect
    from slackwater.sources.sizes import is_little

    if allow_changes and checkpoint is None:
        hint = "Use --checkpoint DIR, or remove --allow-changes."
        refuse_useless("--allow-changes", "without --checkpoint", hint)
    if added_from is not None and not allow_changes:
        refuse_useless(
            "--added-from", "without --allow-changes", "Use --allow-changes, or remove --added-from."
        )
    text = read(file)
    session = connect(placement=placement)
    all_queries = session.sql(text.content, text.name, values_of(param))
    queries = _without_listings(all_queries) or ([] if all_queries else _views(session))
    if all_queries and not queries:
        return
    if not queries:
        raise QueryError(problems.EMPTY_PROGRAM.at(where=text.name))
    plain = [query for query in queries if not query.sinks]
    _refuse_useless_output(out, format, mode, overwrite, queries)
    if mode is not None and all(query.kind == "stream" for query in plain):
        refuse_useless("--mode", "where every answer is a stream", "Remove --mode.")
    try:
        _register_all(session, source or [])
    except EngineError as usage:
        print_diagnostics(usage.diagnostics)
        raise typer.Exit(2) from None
    if until is not None:
        queries = [query.until(_instant(until, session)) for query in queries]
    print_diagnostics(session.idle_sinks)
    session.brief = not follow and is_little(session.paths)
    place = None if out is None else local_path(out, "answers")
    with_sinks = [_with_sink(query, place, format, mode, overwrite) for query in queries]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # printed by `watch`
        running = session.start(
            *with_sinks,
            checkpoint=checkpoint,
            follow=follow,
            allow_changes=allow_changes,
            added_from=added_from or "now",
        )
    watch(running, follow=follow, strict=strict)


def _without_listings(queries: list[Query]) -> list[Query]:
    """The queries that are run; SHOW and DESCRIBE are printed instead."""
    for query in queries:
        if query.bound.listing is not None:
            typer.echo(str(query.result()))
    return [query for query in queries if query.bound.listing is None]


def _refuse_useless_output(
    out: str | None, format: str | None, mode: str | None, overwrite: bool, queries: list[Query]
) -> None:
    """End with an error about an option of answers that no query has."""
    used = {"--out": out, "--format": format, "--mode": mode, "--overwrite": overwrite}
    has_sinks = any(query.sinks for query in queries)
    for option in ("--format", "--overwrite") if out is None else ():
        if used[option] and not (has_sinks and option == "--overwrite"):
            refuse_useless(option, "without --out", f"Use --out DIR, or remove {option}.")
    for option in ("--out", "--format", "--mode") if all(query.sinks for query in queries) else ():
        if used[option]:
            refuse_useless(option, "where every query has a sink of its own", f"Remove {option}.")


def _with_sink(
    query: Query, place: Path | None, format: str | None, mode: str | None, overwrite: bool
) -> Query:
    """The query with the sink that the program declares for it, or else with that of the options."""
    from slackwater.sinks.driver import Console
    from slackwater.sinks.files import Files

    if query.sinks:
        declared = [replace(sink, overwrite=True) for sink in query.sinks if isinstance(sink, Files)]
        return query.without_sinks.into(*declared) if overwrite else query
    own_mode = mode if mode and query.kind == "relation" else None
    if place is None:
        return query.into(Console(own_mode, heading=True))
    return query.into(Files(place / file_name_of(query.name), format or "csv", own_mode, overwrite))


def _views(session: Session) -> list[Query]:
    """The views of a program without queries; not its time points, which have no end."""
    from slackwater.algebra import Relation, Stream

    views = [session.view(name) for name in session.views]
    leaves = (Relation, Stream)
    return [view for view in views if any(isinstance(node, leaves) for node in view.bound.plan.walk())]


def _instant(text: str, session: Session) -> int | str:
    """The instant as the session's clock takes it: a number, or a date and time."""
    is_number = text.removeprefix("-").isdigit()
    return int(text) if is_number and not session.clock.calendar else text


def _register_all(session: Session, assignments: list[str]) -> None:
    seen: set[str] = set()
    for assignment in assignments:
        name = assignment.partition("=")[0]
        if name.lower() in seen:
            raise EngineError(problems.SECOND_SOURCE.at(name=name))
        seen.add(name.lower())
        _register(session, assignment)


def _register(session: Session, assignment: str) -> None:
    name, equals, path = assignment.partition("=")
    if not equals or not path:
        raise EngineError(problems.BAD_SOURCE.at(assignment=assignment))
    if name.lower() not in {known.lower() for known in session.sources}:
        raise EngineError(_unknown_source(name, session.sources))
    session.stream(name, path)


def _unknown_source(name: str, known: list[str]) -> Diagnostic:
    listed = ", ".join(known) or "none"
    return problems.UNKNOWN_SOURCE.at(name=name, known=listed, hint=did_you_mean(name, known))
