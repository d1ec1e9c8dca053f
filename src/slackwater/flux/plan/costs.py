"""What is buffered: how many bytes, per which element, for how long, and why (section 3.7.3, figure C.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import Projection
from slackwater.flux.plan.syntax import EVERYTHING, ROOT, Flux, On, OnFirst, ProcessStream
from slackwater.schema import Type
from slackwater.schema.schema import UNKNOWN, Kind


@dataclass(frozen=True)
class Buffered:
    """A path that is buffered while the node of a variable is read, and dropped at its end at the latest."""

    variable: str
    per: str
    """What the node is: `person`, or `document` where there is one only."""
    path: str
    what: str
    """`whole`, `value`, `text`, attributes."""
    size: str
    """In bytes, as far as the schema says."""
    many: bool
    """There may be any number of these below the node."""
    until: str
    """When it is used, which is why it must be buffered."""


@dataclass(frozen=True)
class _Part:
    """What a projection selects at the end of one of its paths."""

    names: tuple[str, ...]
    projection: Projection
    type: Type
    many: bool


def buffered(query: Flux) -> tuple[Buffered, ...]:
    """Every path in every buffer."""
    scopes = {scope.variable: scope for scope in traversal.scopes(query.body)}
    holders = dict(_holders(query.body))
    rows: list[Buffered] = []
    order = {variable: place for place, variable in enumerate(holders)}
    for variable, projection in sorted(query.buffers.items(), key=lambda item: order.get(item[0], -1)):
        per, type = holders.get(variable) or _other(variable, query)
        for part in _paths(projection, type, (), many=False):
            until = _until(variable, part, query, scopes)
            path = "/".join((f"${variable}", *part.names))
            what = _what(part.projection)
            rows.append(Buffered(variable, per, path, what, _size(part), part.many, until))
    return tuple(rows)


def _other(variable: str, query: Flux) -> tuple[str, Type]:
    if variable in query.inputs:
        return f'document "{query.inputs[variable].name}"', UNKNOWN
    return "item of a window", UNKNOWN


def _holders(scope: ProcessStream, per: str = "document") -> Iterator[tuple[str, tuple[str, Type]]]:
    """By streamed variable, what its node is (`document` where there is only one), and its type."""
    yield scope.variable, (per, scope.type)
    for handler in scope.handlers:
        match handler:
            case On(name, _, body):
                one = per == "document" and scope.type.automaton.at_most_one(name)
                yield from _holders(body, per if one else str(flux.Test(name)))
            case flux.OnEach(variable, path, item=item) | flux.OnWindow(variable, path, item=item):
                type = scope.type
                for test in path:
                    type = type.child(test.name) or UNKNOWN
                yield variable, (f"{path[-1]} of a window", type)
                yield item, (str(path[-1]), type)
            case _:
                pass


def _paths(projection: Projection, type: Type, names: tuple[str, ...], *, many: bool) -> Iterator[_Part]:
    own = projection.whole or projection.value or projection.text or projection.attributes
    if own or not (projection.children or projection.below):
        yield _Part(names, projection, type, many)
    if projection.whole:
        return
    for name, inner in projection.children:
        more = many or not type.automaton.at_most_one(name)
        yield from _paths(inner, type.child(name) or UNKNOWN, (*names, name), many=more)
    for name, inner in projection.below:
        yield from _paths(inner, UNKNOWN, (*names, f"/{name}"), many=True)


def _what(projection: Projection) -> str:
    if projection.whole:
        return "whole"
    attributes = [f"@{name}" for name in sorted(projection.attributes)]
    text = ["value"] if projection.value else ["text"] if projection.text else []
    return " and ".join([*attributes, *text]) or "only that it is there"


def _size(part: _Part) -> str:
    """Bytes of tags are known, those of content are not."""
    projection = part.projection
    suffix = ", each" if part.many else ""
    if projection.whole and part.type.kind is not Kind.TEXT:
        return f"all of it{suffix}"
    name = part.names[-1].removeprefix("/") if part.names else part.type.name
    content = [f"@{attribute}" for attribute in sorted(projection.attributes)]
    if projection.whole or projection.value or projection.text:
        content.append("its text")
    if projection.whole or not content:
        content.insert(0, f"{2 * len(name) + 5} bytes")
    return f"{' and '.join(content)}{suffix}"


def _until(variable: str, part: _Part, query: Flux, scopes: Mapping[str, ProcessStream]) -> str:
    scope = scopes.get(variable)
    if scope is None:
        if variable in query.inputs:
            return "to the end"
        return "until its last window is over" if variable in _windows(query) else "until its end"
    if not part.names:
        at_once = not (part.projection.whole or part.projection.value or part.projection.text)
        return "while it is read" if at_once else "until all of it is known"
    name = part.names[0].removeprefix("/")
    for handler in scope.handlers:
        if isinstance(handler, OnFirst) and (name in handler.reads or handler.reads == EVERYTHING):
            return _waits(scope, name, handler)
    names = [str(flux.Test(handler.name)) for handler in scope.handlers if isinstance(handler, On)]
    others = [other for other in names if other != name]
    return f"while {_listed(others)} is read" if others else "while it is read"


def _windows(query: Flux) -> frozenset[str]:
    return frozenset(
        handler.variable
        for scope in traversal.scopes(query.body)
        for handler in scope.handlers
        if isinstance(handler, flux.OnEach)
    )


def _waits(scope: ProcessStream, name: str, handler: OnFirst) -> str:
    if handler.past == EVERYTHING:
        return f"until the end of {'the document' if scope.variable == ROOT else scope.type.name}"
    automaton = scope.type.automaton
    late = sorted(
        sibling for sibling in handler.past if sibling != name and not automaton.ordered(sibling, name)
    )
    if late:
        return f"until no {_listed(late, 'or')} can follow"
    return f"until the last {_listed(sorted(handler.past))}"


def _listed(names: list[str], word: str = "and") -> str:
    shown = [str(flux.Test(name)) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"
