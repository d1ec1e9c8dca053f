"""The state of windows is in the checkpoint, wherever that is."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from slackwater.run.window_ends import Ends, State
from slackwater.sinks.driver import Callback
from slackwater.storage.local import Local
from slackwater.storage.location import Location
from storage.objects import in_memory, store_in_memory


def ends(folder: Location, state: State) -> Ends:
    windows = SimpleNamespace(state=state)
    return Ends(windows, Callback(lambda frame, number: None), folder)  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["here", "elsewhere"])
def test_windows_resume_from_the_last_committed_epoch(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_in_memory(monkeypatch)
    folder = Local(tmp_path / "windows") if place == "here" else in_memory("windows")
    for number in range(4):
        ends(folder, State((number,), number, 0)).put(number, pl.DataFrame({"a": [1]}))
    assert folder.files() == ["000000002.json", "000000003.json"]
    resumed = ends(folder, State())
    resumed.prepare(3)
    assert resumed.windows.state == State((2,), 2, 0)
