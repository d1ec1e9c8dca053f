"""Peers on loopback addresses, in this process: streams, restarts, tokens, TLS, limits."""

from __future__ import annotations

import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from globe.photons import document, orbit_before, photons, whole_answer
from golden import golden
from slackwater.base.diagnostic import EngineError
from slackwater.engines.epochs import frame_of
from slackwater.globe import Client, Config, Peer, connect
from slackwater.globe.astronomy.scenario import archive_at, photons_at, query
from slackwater.globe.compute.computation import END
from slackwater.globe.compute.rows import source_of
from slackwater.globe.flight.config import Token, read_config
from slackwater.globe.flight.cut import records_of
from slackwater.globe.flight.disk import DiskLog, DiskStore
from slackwater.globe.flight.page import Page
from slackwater.globe.model import Published, Statistics
from slackwater.globe.protocol.messages import Epoch

ERRORS = Path(__file__).parent / "peer_errors"
BEAT = 0.1
Start = Callable[..., Peer]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a peer with settings; all are closed in the end."""
    running: list[Peer] = []

    def begin(name: str, **settings: object) -> Peer:
        config = Config(name, data=str(tmp_path / name), beat=BEAT)
        peer = Peer(replace(config, **settings))  # type: ignore[arg-type]
        running.append(peer)
        return peer

    yield begin
    for peer in running:
        peer.close()


def items(client: Client, id: str, expected: str, seconds: float = 30) -> str:
    """The items of a subscription as one document, once it is as expected or time is over."""
    until = time.monotonic() + seconds
    while True:
        whole = "".join(["<photons>", *client.items(id), "</photons>"])
        if whole == expected or time.monotonic() > until:
            return whole
        time.sleep(0.1)


def chain(start: Start) -> tuple[Peer, Peer, Peer]:
    """P4 ── SP3 ── P0"""
    middle = start("SP3", super=True)
    source = start("P4", join=(middle.address,), links=(("SP3", 1e7),), operators=())
    end = start("P0", join=(middle.address,), links=(("SP3", 1e7),))
    return source, middle, end


def test_a_subscription_gets_the_answer_of_the_reference(start: Start) -> None:
    source, _, end = chain(start)
    records = photons(120)
    publisher, subscriber = connect(source.address), connect(end.address)
    publisher.publish(photons_at())
    subscriber.register("Vela", query("vela"), at="P0")
    subscriber.await_plan("Vela")
    publisher.append_records("photons", records, size=7)
    expected = whole_answer(query("vela"), records)
    assert items(subscriber, "Vela", expected) == expected
    publisher.end("photons")
    assert "".join(subscriber.items("Vela", follow=True)) == expected[9:-10]


def test_peers_come_back_with_what_they_had(start: Start, tmp_path: Path) -> None:
    source, middle, end = chain(start)
    records = photons(200)
    known = tmp_path / "known.xml"
    known.write_bytes(document(orbit_before(records)))
    connect(source.address).publish(photons_at())
    connect(middle.address).publish(archive_at("SP3", location=str(known)))
    subscriber = connect(end.address)
    for name in ("rxj-alert", "bursts"):
        subscriber.register(name, query(name), at="P0")
        subscriber.await_plan(name)
    connect(source.address).append_records("photons", records[:100], size=9)
    addresses = [peer.address for peer in (source, middle, end)]
    for peer in (middle, source, end):
        peer.close()
    middle = start("SP3", super=True, listen=addresses[1])
    end = start("P0", join=(middle.address,), links=(("SP3", 1e7),), listen=addresses[2])
    source = start("P4", join=(middle.address,), links=(("SP3", 1e7),), operators=(), listen=addresses[0])
    connect(source.address).append_records("photons", records[100:], size=9)
    connect(source.address).end("photons")
    for name in ("rxj-alert", "bursts"):
        expected = whole_answer(query(name), records, orbit_before(records))
        assert items(connect(end.address), name, expected) == expected
    with pytest.raises(EngineError, match="wrong-edge"):
        connect(source.address).append("photons", [Epoch(3)])


def test_rows_travel_as_arrow(start: Start) -> None:
    source, _, end = chain(start)
    schema = "CREATE STREAM readings (room INT, t INT) TIME at INT"
    published = Published("readings", "P4", "rows", schema, Statistics(1, 8))
    connect(source.address).publish(published)
    subscriber = connect(end.address)
    subscriber.register("hot", "SELECT room, t FROM readings WHERE t > 20", at="P0", language="cql")
    subscriber.await_plan("hot")
    frame = frame_of(source_of(published).plan, {1: {(1, 19): 1, (2, 21): 1}, 3: {(1, 22): 2}})
    connect(source.address).append_rows("readings", frame, 5)
    connect(source.address).end("readings")
    frames = list(subscriber.frames("hot", follow=True))
    assert [row for one in frames for row in one.select("@from", "room", "t").rows()] == [
        (1, 2, 21),
        (3, 1, 22),
    ]


def refused(call: Callable[[], object], name: str, *addresses: str) -> None:
    """The call fails with the text of a golden file, in which addresses have no port."""
    with pytest.raises(EngineError) as caught:
        call()
    text = str(caught.value.diagnostics[0])
    for address in addresses:
        text = text.replace(address, "127.0.0.1:4711")
    assert text + "\n" == golden(ERRORS / f"{name}.txt", text + "\n")


def test_without_the_right_token_nothing_is_possible(start: Start) -> None:
    tokens = (Token("secret"), Token("reader", ("subscribe",)), Token("of P1", ("join",), "P1"))
    peer = start("SP3", super=True, tokens=tokens)
    refused(connect(peer.address).status, "wrong-token", peer.address)
    refused(lambda: connect(peer.address, "guess").status(), "wrong-token", peer.address)
    reader = connect(peer.address, "reader")
    refused(lambda: reader.publish(photons_at("SP3")), "not-allowed")
    other = start("P2", join=(peer.address,), token="of P1")
    with pytest.raises(EngineError, match="not-allowed"):
        connect(peer.address, "of P1")._call("message", b'{"sender": "P2", "address": ""}\n{}')
    time.sleep(5 * BEAT)
    assert other.status()["speaker"] == ""
    assert connect(peer.address, "secret").status()["speaker"] == "SP3"


def test_limits_are_kept(start: Start) -> None:
    peer = start("SP3", super=True, max_frame=1_000, max_message=2_000, max_subscriptions=1)
    client = connect(peer.address)
    client.publish(replace(photons_at("SP3"), schema="", statistics=Statistics(1, 1)))
    refused(lambda: client.append("photons", [Epoch(1, b"x" * 2_000)]), "large-frame")
    refused(lambda: client.register("a", "x" * 3_000, at="SP3"), "large-message")
    client.register("a", "1", at="SP3")
    refused(lambda: client.register("b", "2", at="SP3"), "many-subscriptions")
    refused(lambda: client.register("a", "2", at="SP3"), "already-subscribed")
    refused(lambda: client.append("other", [Epoch(1)]), "not-published")
    client.append("photons", [Epoch(2)])
    refused(lambda: client.append("photons", [Epoch(2)]), "wrong-edge")
    refused(lambda: client._call("what"), "unknown-command")
    with pytest.raises(EngineError, match="bad-message"):
        client._call("message", b'{"sender": "x", "address": ""}\n{"type": "Resume", "more": 1}')


def test_what_cannot_be_planned_is_refused_with_the_reason(start: Start) -> None:
    peer = start("SP3", super=True)
    client = connect(peer.address)
    client.register("Vela", query("vela"), at="SP3")
    refused(lambda: client.await_plan("Vela"), "refused-subscription")
    client.publish(photons_at("SP3"))
    client.await_plan("Vela")
    client.unsubscribe("Vela")
    refused(lambda: list(client.items("Vela")), "no-subscription-here")


def test_mistakes_at_the_start_are_explained(start: Start, tmp_path: Path) -> None:
    refused(lambda: Peer(Config("P", "0.0.0.0:0")), "open-peer")
    start("P")
    with pytest.raises(EngineError, match="data-in-use"):
        Peer(Config("Q", data=str(tmp_path / "P")))
    refused(lambda: connect("127.0.0.1:1").status() and None, "unreachable-peer", "127.0.0.1:1")
    file = tmp_path / "peer.toml"
    file.write_text('name = "P"\ncolour = "red"\n')
    refused(lambda: read_config(file), "bad-peer-config")


def test_a_configuration_is_read(tmp_path: Path) -> None:
    file = tmp_path / "peer.toml"
    file.write_text(
        'name = "SP1"\nsuper = true\njoin = ["a:1"]\nlinks = ["SP2", { peer = "SP3", bandwidth = 5 }]\n'
        'tokens = ["x", { token = "y", may = ["publish"], peer = "P1" }]\n'
    )
    config = read_config(file, capacity=7.0)
    assert config == Config(
        "SP1", super=True, join=("a:1",), links=(("SP2", 1e8), ("SP3", 5.0)), capacity=7.0,
        tokens=(Token("x"), Token("y", ("publish",), "P1")),
    )  # fmt: skip


def test_the_network_is_shown_live(start: Start) -> None:
    peer = start("SP3", super=True)
    until = time.monotonic() + 20
    while not peer.node.membership.is_speaker and time.monotonic() < until:
        time.sleep(0.05)
    with Page(connect(peer.address), 0) as page:
        thread = threading.Thread(target=page.serve, daemon=True)
        thread.start()
        with urllib.request.urlopen(f"http://127.0.0.1:{page.port}/", timeout=20) as answer:
            content = answer.read().decode()
        page.close()
        thread.join()
    assert "<svg" in content
    assert "SP3" in content


def test_records_are_cut_as_they_are_in_their_document() -> None:
    text = b'<?xml version="1.0"?><a><b x="1"> <c/>\n</b><d/><b/><e><b>no</b></e><b>&lt;</b></a>'
    assert list(records_of(BytesIO(text), "x", ("a", "b"))) == [
        b'<b x="1"> <c/>\n</b>',
        b"<b/>",
        b"<b>&lt;</b>",
    ]


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself, and its key."""
    x509 = pytest.importorskip("cryptography.x509", reason="no cryptography to make certificates with")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem, private = folder / "peer.pem", folder / "peer.key"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return pem, private


def test_peers_talk_over_tls(start: Start, tmp_path: Path) -> None:
    pem, key = certificate(tmp_path)
    secured = {"certificate": str(pem), "key": str(key), "authority": str(pem), "listen": "localhost:0"}
    speaker = start("SP3", super=True, **secured)
    other = start("P0", join=(speaker.address,), **secured)
    until = time.monotonic() + 20
    while other.status()["speaker"] != "SP3" and time.monotonic() < until:
        time.sleep(0.1)
    assert connect(other.address, authority=pem).status()["speaker"] == "SP3"
    with pytest.raises(EngineError, match="unreachable-peer"):
        connect(speaker.address).status()


def test_a_log_is_read_again_without_what_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = DiskLog(path, syncs=True)
    log.append([Epoch(edge, bytes([edge]) * 10) for edge in range(1, 5)])
    log.trim(2)
    log.close()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 3)
    again = DiskLog(path, syncs=False)
    assert again.position == 3
    assert again.after(2, 1 << 20) == [Epoch(3, bytes([3]) * 10)]
    again.append([Epoch(END)])
    again.reset(7)
    again.append([Epoch(9, b"x")])
    again.close()
    last = DiskLog(path, syncs=False)
    assert (last.low, last.position, last.after(7, 0)) == (7, 9, [Epoch(9, b"x")])
    last.close()
    path.write_bytes(b"something else, long enough")
    with pytest.raises(EngineError, match="broken-log"):
        DiskLog(path, syncs=False)


def test_a_long_log_is_written_anew(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    log = store.log("stream s d")
    for edge in range(1, 9):
        log.append([Epoch(edge, b"x" * (1 << 20))])
    log.trim(6)
    assert [epoch.edge for epoch in log.after(6, 1 << 30)] == [7, 8]
    assert (tmp_path / "logs").iterdir().__next__().stat().st_size < 3 << 20
    store.close()
