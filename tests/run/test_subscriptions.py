"""Subscriptions as plans: built by operators, compiled once, described by their own text."""

from __future__ import annotations

from decimal import Decimal

import pytest

from slackwater.algebra.explain import explained
from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.base.time import SECONDS
from slackwater.flux import run
from slackwater.flux.across import subscription
from slackwater.flux.run import XQuery
from slackwater.language.xquery.parse import parse
from slackwater.run.window_ends import Windows
from slackwater.session import Session, connect

PHOTONS = "CREATE STREAM photons (en DOUBLE) TIME t INT FROM XML 'p.xml' RECORD '/photons/photon'"
WINDOWED = """for $w in stream("photons")/photons/photon|t diff 4 step 2|
let $a := avg($w/en) where count($w) > 0 return <w n="{count($w)}">{$a, max($w/en), sum($w/en)}</w>"""


@pytest.fixture
def s() -> Session:
    session = connect()
    session.sql(PHOTONS)
    return session


def test_the_plan_reads_the_records_and_aggregates_over_the_window(s: Session) -> None:
    plan = s.xquery(WINDOWED).query.bound.plan
    assert explained(plan, s.clock).split("\n") == [
        "Product",
        "├─ Aggregate count(*), avg(c1), sum(c2), max(c3), sum(c4)",
        "│  └─ Sliding 4 Seconds",
        "│     └─ Select passes",
        "│        └─ Stream photons 1 "
        "(t bigint, passes boolean, c1 double, c2 double, c3 double, c4 double)",
        "└─ Aggregate min(t), max(t)",
        "   └─ Range Unbounded",
        "      └─ Select passes",
        "         └─ Stream photons 1 "
        "(t bigint, passes boolean, c1 double, c2 double, c3 double, c4 double)",
    ]  # fmt: skip


def test_a_checkpoint_knows_a_subscription_by_its_own_text(s: Session) -> None:
    """A checkpoint is refused to another subscription, also to one with the same plan."""
    text = 'for $p in stream("photons")/photons/photon where $p/en > {} return $p/en'
    one, other = (s.xquery(text.format(bound)).query.bound for bound in (1, 2))
    assert one.expanded == text.format(1)
    assert one.expanded != other.expanded
    assert one == s.xquery(text.format(1)).query.bound


@pytest.mark.parametrize("extent", ["99999999999999999999", "0.5", "4 step 0.5"])
def test_a_wrong_length_is_reported_where_the_window_stands(s: Session, extent: str) -> None:
    text = f'for $w in stream("photons")/photons/photon|t diff {extent}| return count($w)'
    with pytest.raises(QueryError) as caught:
        s.xquery(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "bad-window"
    assert diagnostic.span is not None
    assert text[diagnostic.span.start : diagnostic.span.end] == f"|t diff {extent}|"


def test_the_query_over_windows_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is parsed at the end of a window: its aggregates are variables of one compiled query."""
    window = subscription(parse(Text("query", WINDOWED))).window
    assert window is not None
    monkeypatch.setattr(run, "parse", None)
    windows = Windows(window, SECONDS)
    changes = [(1, "+", 1, 0.5, 1.0, 0.5, 0.5, 1, 1), (3, "+", 2, 1.0, 2.0, 1.5, 2.0, 1, 3),
               (7, "+", 1, None, 0.0, None, None, 1, 3)]  # fmt: skip
    items = [item for change in changes for item in windows.update(change)] + [*windows.ended(10)]
    assert items == [(4, '<w n="2">1 1.5 2</w>'), (6, '<w n="2">1 1.5 2</w>')]
    assert len(windows.query._plans) == 1


def test_external_variables_have_their_first_values_again_in_the_next_run() -> None:
    module = parse(Text("query", "declare variable $n external; <n>{$n + 1}</n>"))
    query = XQuery(module, variables={"n": [Decimal("0.5")]})
    answers = [query.answer(b"<a/>", variables=values) for values in (None, {"n": [1]}, {})]
    assert answers == ["<n>1.5</n>", "<n>2</n>", "<n>1.5</n>"]
    assert repr(query) == "<xquery declare variable $n external; <n>{$n + 1}</n>>"
