"""Random networks with faults: no subscriber loses or doubles an item. `make fuzz-globe` runs many more."""

from __future__ import annotations

import pytest

from slackwater.globe.simulate.networks import Shape, Size, several
from slackwater.globe.simulate.scenario import Scenario, Violation


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_nothing_is_lost_or_doubled(first: int) -> None:
    for seed in range(first, first + 20):
        Scenario(seed).run()


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_tasks_with_state_lose_nothing_either(first: int) -> None:
    for seed in range(first, first + 10):
        Scenario(seed, Size(windows=True)).run()


@pytest.mark.parametrize("shape", ["linked", "split"])
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_streams_between_subnets_lose_nothing_either(first: int, shape: Shape) -> None:
    for seed in range(first, first + 20):
        Scenario(seed, several(shape)).run()


def test_subscriptions_are_checked_that_read_another_subnet() -> None:
    """Otherwise the test above could pass without a stream between subnets."""
    scenario = Scenario(27, several("linked"))
    scenario.run()
    nodes = scenario.world.nodes
    subnets = {name: node.membership.subnet for name, node in nodes.items()}
    across = [
        one.id
        for one in scenario.subscriptions.values()
        if subnets[one.at] != subnets[scenario.sources[one.text.split('"')[1]].at]
    ]
    assert any(scenario.world.delivered.get(id) for id in across)


def test_a_speaker_of_another_subnet_is_obeyed() -> None:
    """It counts its plans from the beginning there, and they are newer than those before."""
    Scenario(494, several("split")).run()


@pytest.mark.parametrize("seed", [58, 70, 128, 153, 226, 704, 1005, 4386])
def test_what_once_failed(seed: int) -> None:
    Scenario(seed).run()


def test_a_lost_epoch_is_noticed() -> None:
    """Otherwise the tests above could not fail."""
    scenario = Scenario(3)
    scenario.run()
    name, epochs = next((name, epochs) for name, epochs in scenario.world.delivered.items() if epochs)
    full = next(epoch for epoch in epochs if epoch.items)
    scenario.world.delivered[name] = [epoch for epoch in epochs if epoch is not full]
    with pytest.raises(Violation, match="seed 3"):
        scenario.check()
    scenario.world.delivered[name] = [*epochs, full]
    with pytest.raises(Violation, match="seed 3"):
        scenario.check()


def test_the_same_seed_gives_the_same_run() -> None:
    one, other = Scenario(5), Scenario(5)
    one.run()
    other.run()
    assert one.world.messages == other.world.messages
    assert one.world.delivered == other.world.delivered
