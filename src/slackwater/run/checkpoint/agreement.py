"""What a checkpoint belongs to, and which plan a start of it goes on with.

    query.json      {"format": 3, "plans": [{"from": 0, "queries": …, "sources": …, "plan": …},
                                            {"from": 13, …}]}

A plan is used from an epoch on. A start with other queries adds a plan from its first epoch on, and the plan
before stays until that epoch is committed: a start that fails before its first commit changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slackwater.algebra import Operator, Relation, Schema
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import Place
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Source
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.sharing import shared
from slackwater.physical.description import Unreadable, described, graph_of, state_names
from slackwater.physical.description.expressions import SCHEMA
from slackwater.physical.graph import Graph
from slackwater.physical.lower import changes_of, lowered
from slackwater.physical.merge import add_from, continued
from slackwater.physical.steps import Apply
from slackwater.run.checkpoint import problems
from slackwater.run.checkpoint.differences import brief, other_queries, refuse_other_sources
from slackwater.run.checkpoint.files import CLAIM, EPOCHS, write_json
from slackwater.run.checkpoint.manifests import Manifests
from slackwater.run.checkpoint.store import FORMAT, stored_identity
from slackwater.storage.locate import location
from slackwater.storage.location import Location

PLANS = "plans"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be started."""

    queries: Mapping[str, str]
    """The texts of the queries, by name."""
    plans: Mapping[str, Operator]
    declared: Mapping[str, Source]
    """All sources that are declared."""
    read: frozenset[str]
    """The sources that the queries read."""
    changing: Sequence[str] = ()
    """The queries whose changes are needed."""
    changelogs: Sequence[str] = ()
    begin: int = 0
    tables: frozenset[str] = frozenset()
    """Sources that are read that do not grow, as far as is known: they are not in Spark's log."""
    sharing: bool = True
    """Whether queries are answered from each other."""
    views: Mapping[str, Operator] = field(default_factory=dict)
    """The plans of views that are declared: queries may be answered from them."""
    statistics: Statistics = NO_STATISTICS
    _graphs: dict[tuple[str, ...], Graph] = field(default_factory=dict, init=False, compare=False)
    """The graphs of queries so far: a checkpoint is compared with them before and after it is claimed."""

    def graph(self, names: Sequence[str]) -> Graph:
        """What would be computed for these queries, in a new checkpoint."""
        if tuple(names) not in self._graphs:
            changing = [name for name in self.changing if name in names]
            plans = self.as_run(names)
            graph = lowered(plans, self.begin, changing, self.changelogs, self.statistics)
            self._graphs[tuple(names)] = graph
        return self._graphs[tuple(names)]

    def as_run(self, names: Sequence[str]) -> dict[str, Operator]:
        """The plans of these queries, answered from each other."""
        plans = {name: self.plans[name] for name in names}
        return shared(plans, self.statistics, self.views).plans if self.sharing else plans

    def source_data(self, name: str) -> dict[str, Any]:
        source = self.declared[name].plan
        key = list(source.key) if isinstance(source, Relation) else []
        return {
            "kind": str(source.kind), "columns": SCHEMA.write(source.schema), "key": key,
            "changelog": name in self.changelogs,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Agreement:
    """The plan of a start."""

    graph: Graph
    sources: list[str]
    """The sources to read: those of the checkpoint, even where no query reads one any more."""
    content: dict[str, Any]
    """What the checkpoint is to belong to."""
    before: dict[str, Any] | None = None
    """What it belongs to so far; None where it is new."""
    fresh: frozenset[str] = frozenset()
    """The queries that no start has added so far, as far as is known."""
    added: frozenset[str] = frozenset()
    """The queries of which no epoch is committed."""
    backfilled: frozenset[str] = frozenset()
    """Those among them that are to be computed over what was read before."""

    def write(self, place: Place | Location) -> None:
        """Note what the checkpoint belongs to from the next epoch on."""
        if self.content != self.before:
            write_json(location(place) / CLAIM, {"format": FORMAT, **self.content})


def agree(
    place: Place | Location, request: Request, *, may_change: bool = False, from_beginning: bool = False
) -> Agreement:
    """The plan to go on with; raises EngineError where the checkpoint belongs to something else.

    Reads only. `may_change` is whether queries may be added and removed, `from_beginning` whether those that
    are added answer as if they had always been there.
    """
    folder = location(place)
    before = stored_identity(folder)
    if before is None:
        return begun(request)
    done = Manifests(folder / EPOCHS, 0).newest()
    *_, last = [entry for entry in before[PLANS] if entry["from"] <= max(done, 0)]
    now = {name: request.source_data(name) for name in last["sources"] if name in request.declared}
    refuse_other_sources(folder, last["sources"], now)
    graph, added = _Merge(folder, request, last, done, from_beginning).graph(may_change)
    backfilled = added if from_beginning and done >= 0 else frozenset()
    # Only of starts that came to nothing: one that was there before, and left, has answers that stay.
    tried = [entry["queries"] for entry in before[PLANS] if entry["from"] > done]
    known = {name: text for queries in tried for name, text in queries.items()}
    sources = sorted({*last["sources"], *(_reads(graph) if backfilled else ())})
    entry = _entry(done + 1, request, graph, sources)
    plans = [last] if {**entry, "from": last["from"]} == last else [last, entry]
    fresh = frozenset(name for name, text in request.queries.items() if known.get(name) != text) & added
    return Agreement(graph, sources, {PLANS: plans}, before, fresh, added, backfilled)


def begun(request: Request) -> Agreement:
    """The plan of a first start."""
    graph, sources, every = (
        request.graph(list(request.queries)),
        sorted(request.read),
        frozenset(request.queries),
    )
    return Agreement(graph, sources, {PLANS: [_entry(0, request, graph, sources)]}, None, every, every)


def amend(place: Location, request: Request, graph: Graph, sources: Sequence[str], done: int) -> None:
    """Note the queries and the plan of a run from the epoch after `done` on.

    Until that epoch is committed, a start goes on with the plan before.
    """
    before = stored_identity(place)
    assert before is not None
    *_, last = [entry for entry in before[PLANS] if entry["from"] <= max(done, 0)]
    entry = _entry(done + 1, request, graph, sources)
    plans = [last] if {**entry, "from": last["from"]} == last else [last, entry]
    write_json(place / CLAIM, {"format": FORMAT, PLANS: plans})


def _entry(first: int, request: Request, graph: Graph, sources: Sequence[str]) -> dict[str, Any]:
    return {
        "from": first, "queries": dict(request.queries),
        "sources": {name: request.source_data(name) for name in sources}, "plan": described(graph),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Merge:
    """Compares what is to be started with what a checkpoint has."""

    folder: Location
    request: Request
    last: Mapping[str, Any]
    done: int
    from_beginning: bool

    def graph(self, may_change: bool) -> tuple[Graph, frozenset[str]]:
        """The graph of the queries that go on and of those that are added, and the names of these."""
        stored, today = self._stored(), self.request.graph(list(self.request.queries))
        lasting = [name for name in self.request.queries if name in self.last["queries"]]
        self._refuse_other_queries(lasting, stored, today)
        added = [name for name in self.request.queries if name not in lasting]
        removed = [name for name in self.last["queries"] if name not in lasting]
        if (added or removed) and not may_change:
            raise EngineError(other_queries(self.folder, added, removed))
        if self.done < 0 and (added or removed):
            return today, frozenset(self.request.queries)
        outputs = [output for name in lasting for output in (name, changes_of(name))]
        graph = continued(stored, [output for output in outputs if output in stored.outputs], today)
        if added:
            self._refuse_unknown_past(added)
            begin = None if self.from_beginning else self._begin(added)
            add_from(graph, self.request.graph(added), begin)
        return graph, frozenset(added)

    def _stored(self) -> Graph:
        try:
            return graph_of(self.last["plan"])
        except Unreadable as unreadable:
            raise EngineError(problems.UNKNOWN_PLAN.at(where=str(self.folder), what=unreadable)) from None

    def _refuse_other_queries(self, names: Sequence[str], stored: Graph, today: Graph) -> None:
        """A name belongs to one query: the same text, or the same steps."""
        mistakes: list[Diagnostic] = []
        where, before, now = str(self.folder), state_names(stored), state_names(today)
        for name in names:
            text, steps = self.last["queries"][name], (before[stored.outputs[name]], now[today.outputs[name]])
            if text != self.request.queries[name] and len(set(steps)) > 1:
                mistakes.append(problems.OTHER_QUERY.at(where=where, name=name, text=brief(text)))
            elif _types(stored, name) != _types(today, name):
                columns = [graph.nodes[graph.outputs[name]].schema for graph in (stored, today)]
                mistakes.append(
                    problems.OTHER_COLUMNS.at(where=where, name=name, old=columns[0], new=columns[1])
                )
            elif changes_of(name) in today.outputs and changes_of(name) not in stored.outputs:
                mistakes.append(problems.NEW_CHANGES.at(where=where, name=name))
        if mistakes:
            raise EngineError(mistakes)

    def _refuse_unknown_past(self, added: Sequence[str]) -> None:
        """A query can be added if what it needs of the time before is known."""
        is_over = self._manifest()["hi"] >= INFINITY
        mistakes = [
            problems.CANNOT_ADD_QUERY.at(where=str(self.folder), name=name, why=why)
            for name in added
            for why in (["All input of the checkpoint has been read"] if is_over else self._why_not(name))
        ]
        if mistakes:
            raise EngineError(mistakes)

    def _why_not(self, query: str) -> Iterator[str]:
        """Why a query cannot be added: what is unknown of the sources that it reads."""
        for name in _reads(self.request.graph([query])):
            source = self.request.declared[name]
            if name not in self.last["sources"] and not (self.from_beginning and name in self.request.tables):
                yield f'The checkpoint does not read {source.plan.kind} "{name}"'
            elif self.from_beginning:
                continue  # whether its files can be read again is found out with its feed
            elif isinstance(source.plan, Relation) and name not in self.request.changelogs:
                yield f'Rows of relation "{name}" have an end of their own, and earlier ones are not stored'
            elif isinstance(source.plan, Relation) and name not in self._relations():
                why = "no query of the checkpoint reads it"
                yield f'Earlier rows of relation "{name}" are not stored: {why}'
            elif "punctuation" in source.options:
                yield f'Stream "{name}" has punctuations, and the latest time of its rows is not stored'

    def _relations(self) -> set[str]:
        """The relations of which the checkpoint has the rows."""
        steps = (node.step for node in self._stored().nodes)
        return {step.name for step in steps if isinstance(step, Apply)}

    def _begin(self, added: Sequence[str]) -> int:
        """The first instant after all rows that were read of the streams of the queries."""
        manifest = self._manifest()
        begin: int = manifest["hi"]
        for name in _reads(self.request.graph(added)):
            if not isinstance(self.request.declared[name].plan, Relation):
                times = (manifest["facts"][fact].get(name, begin - 1) for fact in ("seen", "watermarks"))
                begin = max([begin, *(time + 1 for time in times if time < INFINITY)])
        return begin

    def _manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = Manifests(self.folder / EPOCHS, 0).read(self.done)
        return manifest


def _reads(graph: Graph) -> list[str]:
    return list(dict.fromkeys(read.name for read in graph.sources))


def _types(graph: Graph, output: str) -> Schema:
    return graph.nodes[graph.outputs[output]].schema
