"""Deployments of random subscriptions in random networks: sound, never more traffic, and the same answers."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import event, given
from hypothesis import strategies as st

from globe.invariants import answers, check
from globe.networks import deployments, published
from laws.effort import trying
from laws.subscriptions import documents, subscriptions
from slackwater.base.diagnostic import EngineError, QueryError
from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.globe.model import Deployment, Link, Network, Peer, Subscription
from slackwater.globe.plan import Planner, Weights, reoptimize, without_peer
from slackwater.globe.plan.shipping import data_shipping, query_shipping, sharing
from slackwater.language.xquery.parse import parse

TRAFFIC_ONLY = Weights(work=0.0)


@st.composite
def programs(draw: st.DrawFn, tight: bool = False) -> tuple[Deployment, list[Subscription]]:
    """A network and subscriptions at peers of it, other than the source; some of them are equal."""
    deployment = draw(deployments(tight))
    source = deployment.published[0].at
    names = st.sampled_from([peer.name for peer in deployment.network.peers if peer.name != source])
    texts = draw(st.lists(subscriptions(), min_size=1, max_size=3))
    chosen = draw(st.lists(st.tuples(st.sampled_from(texts), names), min_size=1, max_size=6))
    return deployment, [Subscription(f"Q{n}", at, "xquery", text) for n, (text, at) in enumerate(chosen)]


def planned(program: tuple[Deployment, list[Subscription]], weights: Weights = TRAFFIC_ONLY) -> Planner:
    planner = Planner(program[0], weights)
    planner.register_all(program[1])
    check(planner.deployment)
    return planner


def check_traffic(deployment: Deployment) -> None:
    shared = sum(sharing(deployment).values())
    assert shared <= sum(data_shipping(deployment).values()) + 1e-6
    assert shared <= sum(query_shipping(deployment).values()) + 1e-6


@trying(150)
@given(programs())
def test_sharing_sends_no_more_than_shipping_data_or_queries(
    program: tuple[Deployment, list[Subscription]],
) -> None:
    deployment = planned(program).deployment
    check_traffic(deployment)
    again = reoptimize(deployment, TRAFFIC_ONLY)
    check(again)
    check_traffic(again)
    assert sum(sharing(again).values()) <= sum(sharing(deployment).values()) + 1e-6


@trying(150)
@given(programs(tight=True), st.data())
def test_nothing_is_overloaded_and_nothing_is_left(
    program: tuple[Deployment, list[Subscription]], data: st.DataObject
) -> None:
    planner = planned(program, Weights())
    registered = [one.id for one in planner.deployment.subscriptions]
    event("refused" if len(registered) < len(program[1]) else "all registered")
    for name in data.draw(st.permutations(registered)):
        planner.unregister(name)
        check(planner.deployment)
    assert planner.deployment == program[0]
    assert all(abs(units) < 1e-6 for units in (*planner.state.work.values(), *planner.state.traffic.values()))


@trying(100)
@given(programs())
def test_what_is_registered_last_leaves_no_trace(program: tuple[Deployment, list[Subscription]]) -> None:
    """Also common parts, which others were made to read, are gone."""
    planner = Planner(program[0])
    for subscription in program[1]:
        before = planner.deployment
        if planner.register_all([subscription]):
            continue
        planner.unregister(subscription.id)
        assert planner.deployment == before
        planner.register(subscription)


@trying(100)
@given(programs(), documents(), st.data())
def test_every_deployment_gives_the_answers(
    program: tuple[Deployment, list[Subscription]], document: str, data: st.DataObject
) -> None:
    planner = planned(program, Weights())
    try:
        expected = {
            one.id: answer(parse(Text(one.id, one.text)), streams={"photons": read(document)})
            for one in program[1]
        }
        assert answers(planner.deployment, document) == expected
    except EngineError:
        return
    known = planner.deployment
    for name in data.draw(st.lists(st.sampled_from([*expected]), unique=True, max_size=2)):
        planner.unregister(name)
        del expected[name]
    assert answers(planner.deployment, document) == expected
    assert answers(reoptimize(known), document).items() >= expected.items()
    peers = [peer.name for peer in known.network.peers if peer.name != known.published[0].at]
    if peers:
        left, lost = without_peer(known, data.draw(st.sampled_from(peers)))
        check(left)
        delivered = answers(left, document)
        assert delivered.keys() | {*lost} == {one.id for one in known.subscriptions}
        assert all(delivered[name] == text for name, text in expected.items() if name in delivered)


@st.composite
def overlapping(draw: st.DrawFn) -> tuple[Deployment, list[Subscription]]:
    """Ranges that overlap, subscribed at the far end of a line of peers."""
    size = draw(st.integers(3, 6))
    names = [f"S{number}" for number in range(size)]
    links = [Link(one, other, 1e9) for one, other in pairwise(names)]
    peers = [Peer(name, capacity=1e9) for name in names]
    known = Deployment(Network(tuple(peers), tuple(links))).publish(published("photons", names[0]))
    chosen = draw(
        st.lists(
            st.tuples(st.integers(-1, 1), st.integers(2, 4), st.sampled_from(names[1:])),
            min_size=2,
            max_size=4,
        )
    )
    template = (
        'for $q in stream("photons")/photons/photon where $q/ra >= {} and $q/ra <= {} '
        "return <r>{{$q/ra}}{{$q/dec}}{{$q/en}}</r>"
    )
    texts = [(f"<out>{{ {template.format(low, high)} }}</out>", at) for low, high, at in chosen]
    return known, [Subscription(f"Q{n}", at, "xquery", text) for n, (text, at) in enumerate(texts)]


@trying(150)
@given(overlapping(), documents())
def test_streams_that_are_merged_give_the_answers(
    program: tuple[Deployment, list[Subscription]], document: str
) -> None:
    known = planned(program, Weights()).deployment
    better = reoptimize(known)
    event("merged" if any(task.id.endswith("common") for task in better.tasks) else "not merged")
    check(better)
    check_traffic(better)
    expected = {
        one.id: answer(parse(Text(one.id, one.text)), streams={"photons": read(document)})
        for one in program[1]
    }
    assert answers(better, document) == expected
    planner = Planner(better)
    for one in program[1]:
        planner.unregister(one.id)
        check(planner.deployment)
    assert planner.deployment == program[0]


@given(programs())
@trying(50)
def test_a_deployment_is_all_that_a_planner_knows(program: tuple[Deployment, list[Subscription]]) -> None:
    """Registering one by one, each time from the record, is registering with one planner."""
    planner = Planner(program[0])
    deployment = program[0]
    for subscription in program[1]:
        again = Planner(deployment)
        try:
            planner.register(subscription)
        except QueryError:
            continue
        again.register(subscription)
        deployment = again.deployment
        assert deployment == planner.deployment
