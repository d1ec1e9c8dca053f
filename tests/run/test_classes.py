"""The archive of Spark's classes: used where it fits, and never needed."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from slackwater.run.local.classes import _archive, mapped_classes
from slackwater.run.local.java import ensure_java, java_program


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ensure_java()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    return _archive()


def test_without_an_archive_java_gets_no_options(archive: Path) -> None:
    assert mapped_classes() == ""


@pytest.mark.parametrize("content", [b"", b"no archive", bytes(1 << 20)])
def test_java_starts_without_an_archive_that_is_broken(archive: Path, content: bytes) -> None:
    archive.parent.mkdir(parents=True)
    archive.write_bytes(content)
    options = shlex.split(mapped_classes())
    assert f"-XX:SharedArchiveFile={archive}" in options
    done = subprocess.run([java_program(), *options, "-version"], capture_output=True, text=True, check=True)
    assert "[cds" not in done.stdout + done.stderr
