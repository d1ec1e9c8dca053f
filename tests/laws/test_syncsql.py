"""What SyncSQL's surface means: taggers, TS and Now views, by their definitions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.algebra import Operator, Schema, Ticks
from slackwater.algebra.changes import Changes
from slackwater.algebra.types import INT, STRING
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

LAST = 12
examples = trying(60)

Rows = list[tuple[int, str, int]]
rows_of_streams = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.integers(0, 9)), max_size=8)
"""Time, key and value."""


def plans(text: str) -> list[Operator]:
    """The queries of a program over the stream S; its views are not among them."""
    catalog = Catalog()
    catalog.stream("S", Schema.of(k=STRING, v=INT))
    return [query.plan for query in bind(Text("program.cql", text), catalog) if query.name is None]


def inputs_of(rows: Rows) -> dict[str, Changes]:
    changes: Changes = {}
    for at, key, value in rows:
        bag = changes.setdefault(at, {})
        bag[key, value] = bag.get((key, value), 0) + 1
    return {"S": changes}


@given(rows_of_streams)
@examples
def test_the_relation_of_a_stream_with_a_key_has_the_newest_row_of_each_key(rows: Rows) -> None:
    (plan,) = plans("CREATE STREAM T OVER S KEY k; SELECT STREAMED * FROM R(T)")
    snapshots = Snapshots(inputs_of(rows), LAST)
    for t in range(LAST):
        arrived = [(at, key, value) for at, key, value in rows if at <= t]
        newest = {
            key: max((at, value) for at, other, value in arrived if other == key) for _, key, _ in arrived
        }
        expected = {(key, value, at): 1 for key, (at, value) in newest.items()}
        assert snapshots.relation(plan, t) == expected


@given(rows_of_streams, st.integers(0, 6))
@examples
def test_ts_of_a_view_is_the_last_instant_at_which_the_row_was_inserted(rows: Rows, length: int) -> None:
    view = f"CREATE STREAMED VIEW V AS SELECT k FROM S [RANGE {length}];"
    plain, stamped = plans(f"{view} SELECT STREAMED k FROM R(V); SELECT STREAMED k, TS FROM R(V)")
    inputs = inputs_of(rows)
    snapshots, changes = Snapshots(inputs, LAST), Histories(inputs, LAST).changes(plain)
    for t in range(LAST):
        inserted = {
            row: max(at for at, bag in changes.items() if at <= t and bag.get(row, 0) > 0)
            for row in snapshots.relation(plain, t)
        }
        expected = {(*row, inserted[row]): n for row, n in snapshots.relation(plain, t).items()}
        assert snapshots.relation(stamped, t) == expected


points = st.sampled_from(["TRUE", "Timepoint MOD 2 = 0", "Timepoint MOD 3 = 1", "Timepoint IN (2, 5, 6)"])
atoms = st.sampled_from(
    [
        "N.c - 3 < R.TS", "R.TS <= N.c", "N.c < R.v", "N.c = R.v", "N.c <> R.v + 1", "R.v - N.c >= 2",
        "R.v BETWEEN N.c AND N.c + 4", "R.v > 3", "R.k = 'a'", "N.one = 1", "N.c > 4",
    ]
)  # fmt: skip
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        inner.map("(NOT {})".format),
    ),
    max_leaves=4,
)


@given(rows_of_streams, points, conditions, st.booleans())
@examples
def test_a_now_view_in_conditions_is_the_view_joined_in(
    rows: Rows, ticks: str, condition: str, is_first: bool
) -> None:
    sources = "R(Now_) N, R(S) R" if is_first else "R(S) R, R(Now_) N"
    views = f"""CREATE STREAMED VIEW Sync AS SELECT Timepoint FROM R(clockStr) WHERE {ticks};
        CREATE STREAMED VIEW Now_ AS SELECT 1 AS one, MAX(Timepoint) AS c FROM R(Sync);"""
    # A column of the view that is selected, here through a subquery, has to be joined in.
    joined = f"SELECT STREAMED k, v FROM (SELECT R.k, R.v, N.one FROM {sources} WHERE {condition})"
    window, join = plans(f"{views} SELECT STREAMED R.k, R.v FROM {sources} WHERE {condition}; {joined}")
    assert any(isinstance(node, Ticks) for node in join.walk())
    histories = Histories(inputs_of(rows), LAST)
    assert histories.changes(window) == histories.changes(join)
