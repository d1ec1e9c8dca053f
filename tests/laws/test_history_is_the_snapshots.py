"""The incremental changes of a plan against the definition, streams included."""

from __future__ import annotations

from hypothesis import given

from laws.effort import trying
from laws.relational import Generated, catalog, inputs, queries, streamed
from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.reference.bags import Changes
from slackwater.reference.elements import changes_of, elements_of, snapshot_equivalent, timeslice
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

UNTIL = 15
quick = trying(50)


@quick
@given(streamed("ISTREAM", "DSTREAM", "RSTREAM"), inputs)
def test_the_changes_are_those_between_one_snapshot_and_the_next(text: str, data: dict[str, Changes]) -> None:
    plan = bind_query(Text("<query>", text), catalog()).plan
    assert Histories(data, UNTIL).changes(plan) == Snapshots(data, UNTIL).changes(plan)


@quick
@given(queries(), inputs)
def test_the_answer_up_to_an_instant_needs_no_later_input(query: Generated, data: dict[str, Changes]) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    whole = Histories(data).changes(plan)
    for cut in range(0, 10, 3):
        early = {name: {t: bag for t, bag in changes.items() if t <= cut} for name, changes in data.items()}
        part = Histories(early).changes(plan)
        assert {t: bag for t, bag in part.items() if t <= cut} == {t: b for t, b in whole.items() if t <= cut}


@quick
@given(queries(), inputs)
def test_elements_have_the_changes_and_every_snapshot(query: Generated, data: dict[str, Changes]) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    changes = Histories(data).changes(plan)
    elements = elements_of(changes)
    assert changes_of(elements) == changes
    snapshots = Snapshots(data)
    for t in snapshots.instants(plan):
        assert timeslice(elements, t) == snapshots.relation(plan, t)
    split = [part for e in elements for part in (e._replace(end=e.start + 1), e._replace(start=e.start + 1))]
    assert snapshot_equivalent(elements, [element for element in split if element.start < element.end])
    if elements:
        assert not snapshot_equivalent(elements, elements[1:])
