"""The commands for peers, against peers in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from globe.photons import document, photons, whole_answer
from slackwater.base.diagnostic import EngineError
from slackwater.cli.app import app
from slackwater.globe import Config, Peer
from slackwater.globe.astronomy.photons import DTD
from slackwater.globe.astronomy.scenario import query
from slackwater.globe.flight.config import Token


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with Peer(
        Config("SP3", super=True, data=str(tmp_path / "SP3"), beat=0.1, tokens=(Token("t"),))
    ) as running:
        yield running


def run(peer: Peer, *arguments: str) -> str:
    """What a command prints."""
    command = [*arguments, "--at", peer.address]
    result = CliRunner(env={"SLACKWATER_TOKEN": "t"}).invoke(app, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_stream_is_published_and_subscribed(peer: Peer, tmp_path: Path) -> None:
    records, file = photons(60), tmp_path / "photons.xml"
    file.write_bytes(document(records))
    text = tmp_path / "vela.xq"
    text.write_text(query("vela"), encoding="utf-8")
    publishing = ("--input", str(file), "--record", "/photons/photon", "--schema", str(DTD))
    run(peer, "publish", "photons", *publishing, "--epoch", "7", "--end")
    lines = run(peer, "subscribe", str(text), "--name", "Vela").splitlines()
    assert "".join(["<photons>", *lines, "</photons>"]) == whole_answer(query("vela"), records)
    assert run(peer, "subscribe", "--name", "Vela", "--available").splitlines() == lines
    assert "SP3 *  super" in run(peer, "peers")
    assert run(peer, "streams").splitlines()[0].split() == ["stream", "at", "made", "by", "flows"]
    assert "subscription Vela at SP3" in run(peer, "plan")
    run(peer, "globe", "--out", str(tmp_path / "network.svg"))
    assert "<svg" in (tmp_path / "network.svg").read_text(encoding="utf-8")
    run(peer, "subscribe", "--name", "Vela", "--stop")
    assert "Vela" not in run(peer, "plan")


def test_a_subscription_to_nothing_is_refused(peer: Peer) -> None:
    with pytest.raises(EngineError, match="refused-subscription"):
        run(peer, "subscribe", "SELECT a FROM nothing", "--name", "rows")


def test_a_document_without_records_is_refused(peer: Peer, tmp_path: Path) -> None:
    file = tmp_path / "empty.xml"
    file.write_text("<photons/>")
    with pytest.raises(EngineError, match="no-records"):
        run(peer, "publish", "photons", "--input", str(file), "--record", "/photons/photon")


def test_a_peer_needs_a_name() -> None:
    result = CliRunner().invoke(app, ["peer"])
    assert result.exit_code == 2
    assert "--name" in result.output


def test_a_port_is_used_once(peer: Peer, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no-address"):
        Peer(replace(peer.config, listen=peer.address, data=str(tmp_path / "other")))
