"""Snapshots: some named frames and facts in one piece of bytes."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from typing import Any

import polars as pl

from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State

_LENGTH = struct.Struct(">Q")


def packed(facts: Mapping[str, Any], frames: Mapping[str, pl.DataFrame]) -> bytes:
    """Facts that JSON can say, and frames."""
    blobs = {name: _written(frame) for name, frame in frames.items()}
    sizes = {name: len(blob) for name, blob in blobs.items()}
    head = json.dumps({"facts": facts, "frames": sizes}).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *blobs.values()])


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
    """The facts and frames of a snapshot."""
    at = _LENGTH.size + _LENGTH.unpack_from(content)[0]
    head = json.loads(content[_LENGTH.size : at])
    frames = {}
    for name, size in head["frames"].items():
        frames[name] = pl.read_ipc(io.BytesIO(content[at : at + size]))
        at += size
    return head["facts"], frames


def _written(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


def machine_frames(machine: Machine) -> dict[str, pl.DataFrame]:
    """The states of a machine's steps, and the elements that wait for their epoch."""
    return {
        f"{place}/{name}": frame
        for place, state in _states(machine).items()
        for name, frame in state.frames.items()
    }


def restore_machine(machine: Machine, frames: Mapping[str, pl.DataFrame]) -> None:
    """Give a new machine these states."""
    states = _states(machine)
    for key, frame in frames.items():
        place, _, name = key.partition("/")
        states[place].restore(name, frame, replaced=True)


def forget_changes(machine: Machine) -> None:
    """Snapshots are whole: the changes since the last one need not be known."""
    for state in _states(machine).values():
        state.changes.clear()


def _states(machine: Machine) -> dict[str, State]:
    steps = {str(place): state for place, state in machine.states.items()}
    return {**steps, **{f"waiting {at}": state for at, state in enumerate(machine.waiting.values())}}
