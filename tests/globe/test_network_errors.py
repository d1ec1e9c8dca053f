"""What can go wrong in a network, in the words a user sees: every problem has a golden text."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from globe.test_compute import A, task, xquery
from globe.test_flight import start as start
from golden import golden
from slackwater.base.diagnostic import Diagnostic, EngineError, SlackwaterError
from slackwater.base.problem import Problem
from slackwater.cli.peers.feed import records
from slackwater.globe import Config, Peer, connect, plan
from slackwater.globe.astronomy.scenario import photons_at
from slackwater.globe.compute import items
from slackwater.globe.compute.computation import START
from slackwater.globe.compute.items import pack_records, unpack_records, unpack_rows
from slackwater.globe.compute.make import computation
from slackwater.globe.flight.disk import DiskLog
from slackwater.globe.model import Deployment, Link, Network, Statistics, Subscription, Task
from slackwater.globe.model import Peer as Member
from slackwater.globe.protocol import codec
from slackwater.globe.protocol.messages import Epoch
from slackwater.globe.protocol.node import Node
from slackwater.globe.protocol.parts import parts_of
from slackwater.globe.protocol.store import MemoryStore

ERRORS = Path(__file__).parent / "network_errors"
PARTS = ("compute", "feed", "flight", "mobile", "plan", "protocol", "split")
ALL = 'for $p in stream("photons")/photons/photon return $p'
Start = Callable[..., Peer]


def check(problem: Diagnostic, name: str, *secrets: str) -> None:
    """The text is that of a golden file, in which places of this run have no name."""
    text = str(problem) + "\n"
    for secret in secrets:
        text = text.replace(secret, "…")
    assert text == golden(ERRORS / f"{name}.txt", text)


def circle() -> object:
    one = replace(task("forward", "", "b"), id="a", output="a")
    other = replace(task("forward", "", "a"), id="b", output="b")
    network = Network((Member("P", "super", 1.0, frozenset()),), ())
    return parts_of(Deployment(network, tasks=(one, other)), {})


def bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "LARGEST", 1_000)
    unpack_records(pack_records([b"x" * 2_000]))


def second_task() -> object:
    first = task("cql", "SELECT k, v FROM A [RANGE 5]", "A")
    second = Task("u", "P", "cql", 'SELECT v FROM "out"', ("out",), "end", first.properties, first.estimate)
    return computation(second, [A], [first], {})


REFUSED: dict[str, Callable[[], object]] = {
    "broken-epoch": lambda: unpack_records(b"x" * 40),
    "broken-epoch-rows": lambda: unpack_rows(b"x" * 40),
    "relation-as-input": second_task,
    "bad-message-json": lambda: codec.unpack(b"[" * 100_000),
    "bad-message-type": lambda: codec.unpack(b'{"type": "Obey"}'),
    "bad-message-field": lambda: codec.unpack(b'{"type": "Resume", "more": 1}'),
    "bad-message-value": lambda: codec.unpack(b'{"type": "Resume", "stream": 7, "digest": "", "after": 0}'),
    "bad-message-missing": lambda: codec.unpack(b'{"type": "Resume", "stream": "s"}'),
    "large-message": lambda: codec.unpack(b" " * (codec.MOST + 1)),
    "cyclic-stream": circle,
    "self-link": lambda: Node(
        Member("P", "super", 1.0, frozenset()),
        MemoryStore(),
        None,
        lambda t, p: None,
        (Link("P", "P", 1.0),),  # type: ignore[arg-type, return-value]
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_understood_is_refused(name: str) -> None:
    with pytest.raises(SlackwaterError) as caught:
        REFUSED[name]()
    check(caught.value.diagnostics[0], name)


def test_an_epoch_that_grows_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError) as caught:
        bomb(monkeypatch)
    check(caught.value.diagnostics[0], "large-epoch")


def test_a_record_whose_clock_goes_back_is_reported() -> None:
    inside = b"<photon><ra>131</ra><dec>-46</dec><en>1</en><det_time>%d</det_time></photon>"
    running = xquery("rxj-alert")
    running.epoch({"photons": [pack_records([inside % 9, inside % 7])]}, START, 1)
    (problem,) = running.take_problems()
    check(problem, "wrong-clock")


def test_mistakes_with_folders_and_addresses_are_explained(start: Start, tmp_path: Path) -> None:
    peer = start("P")
    with pytest.raises(EngineError) as caught:
        Peer(Config("Q", data=str(tmp_path / "P")))
    check(caught.value.diagnostics[0], "data-in-use", str(tmp_path / "P"))
    with pytest.raises(EngineError) as caught:
        Peer(Config("Q", peer.address, data=str(tmp_path / "Q")))
    check(caught.value.diagnostics[0], "no-address", peer.address)
    with pytest.raises(EngineError) as caught:
        connect(peer.address).deployment()
    check(caught.value.diagnostics[0], "no-speaker")
    (tmp_path / "log").write_bytes(b"something else, long enough")
    with pytest.raises(EngineError) as caught:
        DiskLog(tmp_path / "log", syncs=False)
    check(caught.value.diagnostics[0], "broken-log")


def test_a_stream_is_published_once(start: Start) -> None:
    client = connect(start("SP3", super=True).address)
    client.publish(photons_at("SP3"))
    client.publish(replace(photons_at("SP3"), statistics=Statistics(2, 2)))
    with pytest.raises(EngineError) as caught:
        client.publish(replace(photons_at("SP3"), record="/other/record"))
    check(caught.value.diagnostics[0], "stream-exists")


def test_a_subscription_that_breaks_the_planner_fails_alone(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = plan.Planner.register

    def failing(self: plan.Planner, one: Subscription) -> object:
        if one.id == "odd":
            raise IndexError("tuple index out of range")
        return register(self, one)

    monkeypatch.setattr(plan.Planner, "register", failing)
    client = connect(start("SP3", super=True).address)
    client.publish(photons_at("SP3"))
    for name in ("odd", "all"):
        client.register(name, ALL, at="SP3")
    client.await_plan("all")
    text = str(client.failure("odd")) + "\n"
    assert text == golden(ERRORS / "cannot-plan.txt", text)


def test_a_document_without_records_is_explained(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        records._published("photons", "P", "", [], "/photons/photon", 1.0, "")
    check(caught.value.diagnostics[0], "no-records")


def test_a_task_that_fails_stops_and_says_why(start: Start) -> None:
    peer = start("SP3", super=True)
    client = connect(peer.address)
    client.publish(photons_at("SP3"))
    client.register("all", ALL, at="SP3")
    client.await_plan("all")
    client.append("photons", [Epoch(1, b"these are no records")])
    until = 100
    while not peer.reports and (until := until - 1):
        peer._stopped.wait(0.1)
    texts = "\n".join(report.text for report in peer.reports) + "\n"
    assert texts == golden(ERRORS / "task-stopped.txt", texts)


def problems() -> Iterator[tuple[str, Problem]]:
    for part in PARTS:
        module = importlib.import_module(f"slackwater.globe.{part}.problems")
        yield from ((part, one) for one in vars(module).values() if isinstance(one, Problem))


def test_every_problem_of_a_network_has_a_golden_text() -> None:
    shown = re.compile(r"^(?:error|warning|note)\[([a-z-]+)\]", re.MULTILINE)
    folders = Path(__file__).parent.glob("*errors*")
    texts = [file.read_text(encoding="utf-8") for folder in folders for file in folder.glob("*.txt")]
    golden_codes = {code for text in texts for code in shown.findall(text)}
    assert sorted({f"{part}: {one.code}" for part, one in problems() if one.code not in golden_codes}) == []
    listed = {file.parent.name for file in Path(plan.__file__).parent.parent.glob("*/problems.py")}
    assert listed <= set(PARTS)
