"""Spark on several processes of this machine: `local-cluster`, and a standalone master with workers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

import pyspark

import slackwater
from slackwater.run.local.java import ensure_java

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
    # What a lost machine has is given up soon: by default a fetch from it is tried for 15 seconds and more.
    "spark.shuffle.io.retryWait": "100ms",
    "spark.shuffle.io.maxRetries": "1",
}


def environment(home: Path) -> dict[str, str]:
    """A home of Spark that can be written, and the paths of our packages for all processes."""
    home.mkdir()
    for path in Path(pyspark.__file__).parent.iterdir():
        (home / path.name).symlink_to(path)
    source, tests = Path(slackwater.__file__).parent.parent, Path(__file__).parents[1]
    return {
        **os.environ,
        "SPARK_HOME": str(home),
        "PYTHONPATH": os.pathsep.join([str(source), str(tests)]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_SCALA_VERSION": "2.13",  # a worker that Spark's scripts did not start cannot find it out
    }


@dataclass(slots=True)
class Standalone:
    """A master, and workers that can be killed."""

    folder: Path
    environment: dict[str, str]
    port: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    started: int = 0
    """How many workers have been started."""

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a Java process of Spark, in its own process group."""
        java = Path(os.environ.get("JAVA_HOME", "")) / "bin" / "java"
        command = [
            str(java) if java.exists() else "java",
            *QUICK.split(),
            "-cp",
            f"{self.environment['SPARK_HOME']}/jars/*",
        ]
        process = subprocess.Popen(
            [*command, f"org.apache.spark.deploy.{name}", *arguments],
            env=self.environment, cwd=self.folder, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def add_worker(self) -> None:
        """A worker with one core and a working folder of its own."""
        work = self.folder / f"worker {self.started}"
        work.mkdir()
        self.started += 1
        options = ["-h", "127.0.0.1", "-c", "1", "-m", "1g", "-d", str(work), "--webui-port", "0"]
        self.start("worker.Worker", *options, self.url)

    def lose_worker(self, number: int) -> None:
        """Kill one of the workers, with its executor, and start another."""
        victim = self.processes.pop(1 + number)
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
        self.add_worker()


@contextmanager
def standalone(folder: Path, workers: int) -> Iterator[Standalone]:
    """A master and so many workers; all are killed at the end."""
    ensure_java()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = Standalone(folder, environment(folder / "home"), port)
    try:
        options = ["-h", "127.0.0.1", "-p", str(port), "--webui-port", "0"]
        cluster.start("master.Master", *options)
        _await(port)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        for process in cluster.processes:
            process.kill()
            process.wait()


def _await(port: int) -> None:
    until = monotonic() + 60
    while monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.1)
    raise TimeoutError("the master did not start")
