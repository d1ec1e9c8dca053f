"""Where parts run: capabilities, overloads, better orders, peers that die; and what peers have to change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globe.described import described
from globe.invariants import check
from globe.test_chapter_2 import HERE
from golden import golden
from laws.subscriptions import subscriptions
from slackwater.base.span import Text
from slackwater.globe.astronomy import scenario
from slackwater.globe.model import Deployment, Histogram, Network, Published, Range, Statistics, Subscription
from slackwater.globe.plan import Planner, difference, register, reoptimize, without_peer
from slackwater.globe.plan.estimate import share_of
from slackwater.globe.plan.index import Index
from slackwater.globe.plan.shipping import data_shipping, sharing
from slackwater.globe.properties import contains
from slackwater.globe.properties.xml import need_of
from slackwater.language.xquery.parse import parse

VELA, RXJ, ALERT, BURSTS = scenario.subscriptions()


def deployed(*some: Subscription, network: Network = scenario.NETWORK) -> Deployment:
    planner = Planner(replace(scenario.deployment(), network=network))
    for subscription in some:
        planner.register(subscription)
    check(planner.deployment)
    return planner.deployment


def changed(**peers: dict[str, object]) -> Network:
    known = scenario.NETWORK
    return Network(
        tuple(replace(peer, **peers.get(peer.name, {})) for peer in known.peers),  # type: ignore[arg-type]
        known.links,
    )


def places(deployment: Deployment) -> dict[str, str]:
    return {task.id: task.at for task in deployment.tasks}


def test_what_a_peer_cannot_do_the_nearest_peer_does() -> None:
    weak = changed(P2={"operators": frozenset()})
    assert places(deployed(VELA, RXJ, network=weak))["rxj-trans"] == "SP1"


def test_a_peer_at_its_limit_gets_no_more_work() -> None:
    full = changed(SP2={"capacity": 1e-9})
    at = places(deployed(VELA, RXJ, network=full))
    assert at["rxj-filter"] in ("SP3", "SP1")


def test_a_satellite_that_can_filter_filters() -> None:
    able = changed(P4={"operators": frozenset({"filter"})})
    assert places(deployed(VELA, network=able))["vela-filter"] == "P4"


def test_an_equal_subscription_gets_the_same_result() -> None:
    again = deployed(ALERT, replace(ALERT, id="Again", at="P1"))
    assert [one.result for one in again.subscriptions] == ["rxj-alert", "rxj-alert"]
    assert len(again.tasks) == 1


def test_global_optimization_finds_what_the_order_of_registration_hid() -> None:
    hidden = deployed(RXJ, VELA)
    tasks = {task.id: task for task in hidden.tasks}
    assert tasks["rxj-filter"].inputs != ("vela-filter",)
    better = reoptimize(hidden)
    check(better)
    assert {task.id: task for task in better.tasks}["rxj-filter"].inputs == ("vela-filter",)
    assert sum(sharing(better).values()) < sum(sharing(hidden).values())


def region(name: str, low: float, high: float, at: str) -> Subscription:
    text = scenario.query("Vela").replace("120.0", f"{low}").replace("138.0", f"{high}")
    return Subscription(name, at, "xquery", text)


def test_streams_that_overlap_are_sent_as_one_as_far_as_they_go_together() -> None:
    known = deployed(region("West", 100.0, 135.0, "P0"), region("East", 105.0, 140.0, "P2"))
    better = reoptimize(known)
    check(better)
    at = places(better)
    assert (at["west-common"], at["west-filter"], at["east-filter"]) == ("SP3", "SP2", "SP2")
    assert [flow.route for flow in better.flows if flow.stream == "west-common"] == [("SP3", "SP2")]
    assert sum(sharing(better).values()) < sum(sharing(known).values())


def test_streams_that_hardly_overlap_stay_apart() -> None:
    known = deployed(region("West", 10.0, 30.0, "P0"), region("East", 300.0, 320.0, "P2"))
    assert reoptimize(known) == known


def test_what_runs_well_is_left_as_it_is() -> None:
    known = deployed(VELA, RXJ, ALERT, BURSTS)
    assert reoptimize(known) == known


def test_the_example_sends_a_tenth_of_what_shipping_the_data_would() -> None:
    known = deployed(VELA, RXJ, ALERT, BURSTS)
    assert sum(sharing(known).values()) <= 0.1 * sum(data_shipping(known).values())


@pytest.mark.parametrize(
    ("peer", "lost"), [("P2", ["RXJ", "RXJ-alert"]), ("P4", ["Vela", "RXJ", "RXJ-alert", "Bursts"])]
)
def test_a_peer_takes_with_it_what_needs_it(peer: str, lost: list[str]) -> None:
    known = deployed(VELA, RXJ, ALERT, BURSTS)
    left, missing = without_peer(known, peer)
    check(left)
    assert missing == lost
    assert [one.id for one in left.subscriptions] == [
        one.id for one in known.subscriptions if one.id not in lost
    ]


def test_a_difference_is_what_peers_have_to_do() -> None:
    before, after = deployed(VELA, RXJ), deployed(VELA, RXJ, ALERT)
    (p2, sp1, sp2) = difference(before, after)
    assert [task.id for task in sp2.start] == ["rxj-filter", "rxj-common", "rxj-alert"]
    assert [task.id for task in sp2.stop] == ["rxj-filter"]
    assert sp2.send == (("rxj-alert", "SP1"),)
    assert (sp1.send, p2.deliver[0].id) == ((("rxj-alert", "P2"),), "RXJ-alert")
    assert difference(after, after) == ()


PHOTONS = Published(
    "photons", "P4", "rows",
    "CREATE STREAM photons (ra DOUBLE, dec DOUBLE, phc INT, en DOUBLE, dx INT) TIME det_time INT",
    scenario.STATISTICS,
)  # fmt: skip
CQL = {
    "Vela": (
        "P0",
        "SELECT RSTREAM(ra, dec, en) FROM photons [NOW] WHERE ra > 120 AND ra < 138 AND dec < -40",
    ),
    "Mean": (
        "P2",
        "SELECT AVG(en) AS mean FROM photons [RANGE 60 SECONDS SLIDE 15 SECONDS] "
        "WHERE ra > 130.5 AND ra < 135.5 AND dec < -45",
    ),
}


def test_subscriptions_in_cql_share_streams_too() -> None:
    deployment = replace(scenario.deployment(), published=(PHOTONS,))
    for name, (peer, text) in CQL.items():
        deployment, _ = register(deployment, Subscription(name, peer, "cql", text))
    check(deployment)
    text = described(deployment)
    assert text == golden(HERE / "cql.txt", text)


@given(st.lists(st.tuples(subscriptions(), st.booleans()), max_size=12), subscriptions())
def test_the_index_finds_what_contains_a_need(some: list[tuple[str, bool]], text: str) -> None:
    needs = [need_of(parse(Text("query", one))).properties for one, _ in some]
    index = Index()
    for number, properties in enumerate(needs):
        index.add(f"s{number}", properties)
    for number, (_, leaves) in enumerate(some):
        if leaves:
            index.remove(f"s{number}", needs[number])
    need = need_of(parse(Text("query", text))).properties
    expected = {
        f"s{number}"
        for number, (_, leaves) in enumerate(some)
        if not leaves and contains(needs[number], need)
    }
    assert {*index.containing(need)} == expected


@pytest.mark.parametrize(
    ("known", "share"),
    [
        (Range(), 1.0),
        (Range(low=0.0, high=10.0), 0.5),
        (Range(low=5.0), 0.75),
        (Range(high=20.0), 0.75),
        (Range(low=40.0), 0.0),
        (Range(low=3.0, high=3.0, includes_low=True, includes_high=True), 0.1),
    ],
)
def test_the_share_of_a_range_is_read_from_quantiles(known: Range, share: float) -> None:
    assert share_of(known, Histogram((0.0, 10.0, 30.0), 10)) == pytest.approx(share)


def test_a_stream_of_which_nothing_is_known_can_be_subscribed() -> None:
    unknown = replace(scenario.photons_at(), statistics=Statistics(1.0, 100.0))
    deployment = Deployment(scenario.NETWORK).publish(unknown)
    check(register(deployment, VELA)[0])
