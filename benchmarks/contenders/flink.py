"""PyFlink SQL: windows over rows answer when an event arrives, hopping ones when a second has passed."""

from __future__ import annotations

import csv
import json
import time
from collections import deque
from pathlib import Path

import numpy as np
from pyflink.table import EnvironmentSettings, TableEnvironment

from benchmarks import fingerprint
from benchmarks.job import Job, Reporter, read_job

_COLUMNS = {"S": ("k", "v"), "U": ("k", "w"), "R": ("k", "r"), "T": ("src", "dst", "amount")}
_OVER = "(PARTITION BY k ORDER BY stamp RANGE BETWEEN INTERVAL '{w}' SECOND PRECEDING AND CURRENT ROW)"
_HOP = "HOP(TABLE {table}, DESCRIPTOR(stamp), INTERVAL '1' SECOND, INTERVAL '{w}' SECOND)"


def _query(job: Job) -> tuple[str, list[str], str]:
    """The query, the columns of its answer with the instant last, and what it promises."""
    over, w = _OVER.format(w=job.window), job.window
    match job.workload[0]:
        case "a":
            text = f"SELECT k, COUNT(*) OVER {over} AS n, SUM(v) OVER {over} AS s, ts AS t FROM S"
            return text, ["k", "n", "s", "t"], "arrivals"
        case "b":
            around = f"INTERVAL '{w}.001' SECOND"
            near = f"U.stamp BETWEEN S.stamp - {around} AND S.stamp + {around}"
            near += f" AND ABS(S.ts - U.ts) <= {w * 1_000_000}"
            text = f"SELECT S.k, v, w, GREATEST(S.ts, U.ts) AS t FROM S JOIN U ON S.k = U.k AND {near}"
            return text, ["k", "v", "w", "t"], "exact"
        case "c":
            return "SELECT k, v * 2 AS d, ts AS t FROM S WHERE v >= 500", ["k", "d", "t"], "exact"
        case "d":
            counted = f"SELECT k, COUNT(*) OVER {over} AS n, ts AS t FROM S"
            return f"SELECT k, t FROM ({counted}) WHERE n = 1", ["k", "t"], "arrivals"
        case "e":
            hop = _HOP.format(table="S", w=w)
            bounds = "window_start, window_end"
            inner = f"SELECT {bounds}, k, COUNT(*) AS n FROM TABLE({hop}) GROUP BY {bounds}, k"
            text = (
                f"SELECT n, COUNT(*) AS m, UNIX_TIMESTAMP(CAST(window_end AS STRING)) AS t FROM ({inner}) "
                f"GROUP BY {bounds}, n"
            )
            return text, ["n", "m", "t"], "closed"
        case "f":
            versions = "versions FOR SYSTEM_TIME AS OF S.stamp ON S.k = versions.k"
            text = f"SELECT S.k, v, r, S.ts AS t FROM S JOIN {versions}"
            return text, ["k", "v", "r", "t"], "exact"
        case "g":
            credits = "SELECT dst, SUM(amount) AS credits FROM T GROUP BY dst"
            debits = "SELECT src, SUM(amount) AS debits FROM T GROUP BY src"
            balances = (
                "SELECT COALESCE(credits, 0) - COALESCE(debits, 0) AS balance "
                f"FROM ({credits}) FULL OUTER JOIN ({debits}) ON dst = src"
            )
            text = f"SELECT COUNT(*) AS accounts, COALESCE(SUM(balance), 0) AS total FROM ({balances})"
            return text, ["accounts", "total"], "finally"
    raise ValueError(job.workload)


_VERSIONS = (
    "CREATE TEMPORARY VIEW versions AS SELECT k, r, stamp FROM "
    "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY stamp DESC) AS place FROM R) WHERE place = 1"
)


def main() -> None:
    job = read_job()
    reporter = Reporter(job)
    table = environment(job)
    for name in job.streams:
        table.execute_sql(_declared(name, one_file(job, name)))
    if "R" in job.streams:
        table.execute_sql(_VERSIONS)
    query, columns, promise = _query(job)
    target = Path(job.work) / "answer"
    # Changes that take answers back need a format that has them; collect() gives some hundred a second.
    form = "debezium-json" if promise == "finally" else "csv"
    connector = f"'filesystem', 'path' = '{target}', 'format' = '{form}'" if job.check else "'blackhole'"
    listed = ", ".join(f"`{name}` BIGINT" for name in columns)
    table.execute_sql(f"CREATE TABLE answer ({listed}) WITH ('connector' = {connector})")
    reporter.began()
    started = time.perf_counter()
    table.execute_sql(f"INSERT INTO answer {query}").wait()
    work = time.perf_counter() - started
    reporter.mark(job.events)
    reporter.ended(work=work, promise=promise, **(_summary(job, target, promise) if job.check else {}))


def environment(job: Job) -> TableEnvironment:
    """Flink, as it is configured for all jobs."""
    table = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    settings = {
        "parallelism.default": str(job.cores),
        "table.local-time-zone": "UTC",
        "taskmanager.memory.process.size": "4g",
        "table.exec.source.idle-timeout": "1 s",
    }
    for key, value in settings.items():
        table.get_config().set(key, value)
    return table


def _summary(job: Job, target: Path, promise: str) -> dict[str, int]:
    if promise == "finally":
        return _last_answer(target)
    return {"fingerprint": _fingerprint(target, _last(job) if promise == "closed" else None)}


def _last_answer(folder: Path) -> dict[str, int]:
    """The last answer of all; and how many there were on the way, and with a total that is wrong."""
    count, wrong, accounts, total = 0, 0, 0, 0
    for path in sorted(folder.rglob("*part-*"), key=lambda path: int(path.name.rpartition("-")[2])):
        with path.open(encoding="utf-8") as changes:
            for after in (json.loads(line)["after"] for line in changes):
                if after is not None:
                    accounts, total = after["accounts"], after["total"]
                    count, wrong = count + 1, wrong + (total != 0)
    last = fingerprint.of_stream([np.array([accounts]), np.array([total])], np.zeros(1))
    return {"fingerprint": last, "answers": count, "wrong": wrong}


def one_file(job: Job, name: str) -> Path:
    """The stream as one file without a heading: several would be read in another order than theirs."""
    path = Path(job.work) / f"{name}.csv"
    with path.open("w", encoding="utf-8") as whole:
        for part in job.files(name, "csv"):
            whole.write(Path(part).read_text(encoding="utf-8").partition("\n")[2])
    return path


def _declared(name: str, path: Path) -> str:
    # One file has one reader, which keeps the order of time: rows that come late would be dropped. Flink's
    # time has milliseconds: an update counts from the next one on, where the next event is.
    columns = ", ".join(f"{column} BIGINT" for column in _COLUMNS[name])
    milliseconds = "(ts + 999) / 1000" if name == "R" else "ts / 1000"
    return (
        f"CREATE TABLE {name} ({columns}, ts BIGINT, "
        f"stamp AS TO_TIMESTAMP_LTZ({milliseconds}, 3), "
        "WATERMARK FOR stamp AS stamp - INTERVAL '0.001' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )


def _last(job: Job) -> int:
    """The second of the last event: at the end of its input Flink closes the windows after it, too."""
    with Path(job.files("S", "csv")[-1]).open(encoding="utf-8") as part:
        return int(deque(part, 1)[0].rsplit(",", 1)[1]) // 1_000_000


def _fingerprint(folder: Path, last: int | None) -> int:
    rows = [
        [int(cell) for cell in row]
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines())
    ]
    rows = [row for row in rows if last is None or row[-1] <= last]
    if not rows:
        return 0
    table = np.array(rows, np.int64)
    return fingerprint.of_stream(list(table[:, :-1].T), table[:, -1])


if __name__ == "__main__":
    main()
