"""Figure 2.1 as processes of this machine: `make demo-globe`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.globe import chapter2
from benchmarks.globe.processes import Processes, await_true
from slackwater.globe.astronomy import scenario
from slackwater.globe.draw import as_svg
from slackwater.globe.model import Deployment
from slackwater.globe.plan import register


def planned() -> Deployment:
    """What the figures show: all four subscriptions, in their order."""
    deployment = scenario.deployment()
    for one in scenario.subscriptions():
        deployment, _ = register(deployment, one)
    return deployment


def main(
    count: Annotated[int, typer.Option(help="How many photons are published.")] = 3_000,
    picture: Annotated[Path, typer.Option(help="Where the network is drawn.")] = Path("build/globe.svg"),
) -> None:
    """Run the example of chapter 2 and compare plans and answers with what they should be."""
    stream = chapter2.records(count)
    with tempfile.TemporaryDirectory() as place, Processes(scenario.NETWORK, Path(place)) as network:
        network.start_all()
        typer.echo(f"{len(network.addresses)} peers run as processes")
        chapter2.publish(network, stream, Path(place))
        for name in chapter2.subscribe(network):
            typer.echo(f"{name} is registered at {dict(scenario.SUBSCRIPTIONS)[name]}")
        deployment = network.client("SP0").deployment()
        same = _shape(deployment) == _shape(planned())
        typer.echo(f"tasks and flows are {'those' if same else 'NOT those'} of figures 2.9 to 2.11")
        for task in deployment.tasks:
            typer.echo(f"  {task.id:12} at {task.at:4} over {', '.join(task.inputs)}")
        for flow in deployment.flows:
            typer.echo(f"  {flow.stream:12} flows {' → '.join(flow.route)}")
        client = network.client("P4")
        client.append_records("photons", stream)
        client.end("photons")
        right = [_compare(network, name, whole) for name, whole in chapter2.expected(stream).items()]
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_text(as_svg(deployment, "Chapter 2"), encoding="utf-8")
        typer.echo(f"the network is drawn in {picture}")
        _show_traffic(network)
    if not same or not all(right):
        raise typer.Exit(1)


def _shape(deployment: Deployment) -> tuple[object, ...]:
    tasks = {(task.id, task.at, task.inputs, task.text) for task in deployment.tasks}
    return tasks, {(flow.stream, flow.route) for flow in deployment.flows}


def _compare(network: Processes, name: str, whole: str) -> bool:
    try:
        await_true(lambda: chapter2.actual(network, name) == whole, name)
    except TimeoutError:
        typer.echo(f"{name}: the answer is NOT that of the reference")
        return False
    typer.echo(f"{name}: {len(whole):,} characters, equal to the reference")
    return True


def _show_traffic(network: Processes) -> None:
    typer.echo("bytes sent by link and stream, CPU seconds by peer")
    for name in sorted(network.addresses):
        status = network.client(name).status()
        sent = ", ".join(f"{stream} to {to} {size:,}" for to, stream, size in status["sent"])
        typer.echo(f"  {name:4} {status['cpu']:6.2f} s  {sent}")


if __name__ == "__main__":
    typer.run(main)
