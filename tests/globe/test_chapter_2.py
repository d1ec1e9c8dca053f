"""The example of chapter 2: plans, placements and flows are those of its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from globe.described import described
from golden import golden
from slackwater.globe.astronomy import scenario
from slackwater.globe.model import Deployment
from slackwater.globe.plan import register, unregister

HERE = Path(__file__).parent / "chapter_2"
FIGURES = {"Vela": "vela", "RXJ": "figure_2_9", "RXJ-alert": "figure_2_10", "Bursts": "figure_2_11"}


def registered(number: int) -> Deployment:
    deployment = scenario.deployment()
    for subscription in scenario.subscriptions()[:number]:
        deployment, _ = register(deployment, subscription)
    return deployment


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_subscription_is_deployed_as_in_its_figure(number: int) -> None:
    name = scenario.SUBSCRIPTIONS[number - 1][0]
    text = described(registered(number))
    assert text == golden(HERE / f"{FIGURES[name]}.txt", text)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_explanation_says_what_was_considered(number: int) -> None:
    subscription = scenario.subscriptions()[number - 1]
    _, explanation = register(registered(number - 1), subscription)
    text = f"{explanation}\n"
    assert text == golden(HERE / f"explain-{subscription.id.lower()}.txt", text)


def test_the_selection_of_rxj_runs_once_for_both_subscriptions() -> None:
    tasks = {task.id: task for task in registered(3).tasks}
    assert tasks["rxj-filter"].inputs == tasks["rxj-alert"].inputs == ("rxj-common",)
    assert tasks["rxj-common"].at == "SP2"


def test_without_the_alert_everything_is_as_before() -> None:
    assert unregister(registered(3), "RXJ-alert") == registered(2)


def test_what_others_use_outlives_its_subscription() -> None:
    deployment = unregister(registered(2), "Vela")
    assert [flow.route for flow in deployment.flows if flow.stream == "vela-filter"] == [("SP3", "SP2")]
    assert {task.id for task in deployment.tasks} == {"vela-filter", "rxj-filter", "rxj-trans"}
