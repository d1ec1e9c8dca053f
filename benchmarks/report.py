"""Reports: tables to read, and the same as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.suite import US, Result


def compare(results: Sequence[Result], title: str) -> Table:
    """Contenders beside each other; the ratio says how many times as fast we are."""
    table = Table(title=title)
    for name in ("workload", "contender"):
        table.add_column(name)
    for name in ("steady /s", "overall /s", "we are", "per CPU s", "peak MB"):
        table.add_column(name, justify="right")
    table.add_column("answer")
    ours = {result.workload: result for result in results if result.contender == US}
    shown = ""
    for result in results:
        table.add_row(result.title if result.title != shown else "", *_row(result, ours.get(result.workload)))
        shown = result.title
    return table


def markdown(results: Sequence[Result]) -> str:
    """A row for each workload: events a second steady, and in a CPU second, of each contender."""
    contenders = list(dict.fromkeys(result.contender for result in results))
    known = {(result.title, result.contender): result for result in results}
    rows = [["query", *(f"{name}, /s, per CPU s" for name in contenders)], ["---"] * (1 + len(contenders))]
    for title in dict.fromkeys(result.title for result in results):
        rows.append([title, *(_cell(known.get((title, name))) for name in contenders)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(result: Result | None) -> str:
    if result is None:
        return "–"
    _, steady, overall, _, per_cpu, _, answer = _row(result, None)
    if per_cpu == "–":
        return answer.partition(":")[0]
    wrong = ", WRONG" if result.right is False else ""
    stopped = ", stopped" if answer.endswith("limit") else ""
    return f"{steady if steady != '–' else overall + ' overall'}, {per_cpu}{wrong}{stopped}"


def line(result: Result) -> str:
    """One result, printed as soon as it is known."""
    name, steady, overall, _, per_cpu, peak, answer = _row(result, None)
    return f"  {name}: {steady}/s steady, {overall}/s overall, {per_cpu} per CPU s, {peak} MB, {answer}"


def _row(result: Result, ours: Result | None) -> list[str]:
    measurement = result.measurement
    if measurement is None or not measurement.marks:
        why = result.refusal or (
            measurement.failure if measurement and measurement.failure else "no batch was done in time"
        )
        return [result.contender, "–", "–", "–", "–", "–", why]
    per_cpu = measurement.events / measurement.cpu_seconds if measurement.cpu_seconds else None
    return [
        result.contender,
        _count(measurement.steady),
        _count(measurement.overall),
        _ratio(result, ours),
        _count(per_cpu),
        f"{measurement.peak_bytes / 1e6:,.0f}",
        _answer(result),
    ]


def _answer(result: Result) -> str:
    promises = {
        "exact": "exact",
        "arrivals": "at arrivals only",
        "closed": "at whole seconds",
        "finally": "right in the end only",
        "behind": "at ends of batches, expiry one late",
    }
    promise = promises.get(result.promise or "", result.promise or "not checked")
    stopped = result.measurement is not None and (result.measurement.ended or {}).get("finished") is False
    verdict = {True: "", False: ", WRONG", None: ""}[result.right]
    return promise + verdict + (", stopped at the limit" if stopped else "")


def _ratio(result: Result, ours: Result | None) -> str:
    if ours is None or ours is result or ours.measurement is None or result.measurement is None:
        return ""
    mine = ours.measurement.steady or ours.measurement.overall
    theirs = result.measurement.steady or result.measurement.overall
    return f"{mine / theirs:.1f} ×" if mine and theirs else "–"


def _count(number: float | None) -> str:
    return "–" if number is None else f"{number / 1000:,.0f} k" if number < 1e6 else f"{number / 1e6:.2f} M"


def grown(results: Sequence[Result]) -> Table:
    """Throughput, memory and state by the amount of data and the length of the window."""
    table = Table(title="Growth: (a), 1,000 keys")
    names = ("events", "window", "steady /s", "last quarter /s", "kept rows", "kept MB", "peak MB")
    for name in names:
        table.add_column(name, justify="right")
    for result in results:
        measurement = result.measurement
        if measurement is None or not measurement.marks:
            table.add_row(
                "–", f"{result.window} s", *["–"] * 4, (measurement.failure if measurement else None) or "–"
            )
            continue
        last = measurement.marks[-2] if len(measurement.marks) > 1 else measurement.marks[-1]
        table.add_row(
            f"{measurement.events / 1e6:g} M",
            f"{result.window} s",
            _count(measurement.steady),
            _count(_late(measurement.marks)),
            f"{last.get('rows', 0):,}",
            f"{(measurement.state_bytes or 0) / 1e6:.1f}",
            f"{measurement.peak_bytes / 1e6:,.0f}",
        )
    return table


def _late(marks: list[dict[str, Any]]) -> float | None:
    busy = [
        mark for place, mark in enumerate(marks) if not place or mark["events"] > marks[place - 1]["events"]
    ]
    if len(busy) < 4:
        return None
    first, last = busy[len(busy) * 3 // 4 - 1], busy[-1]
    return float((last["events"] - first["events"]) / (last["seconds"] - first["seconds"]))


def epochs(results: Sequence[Result]) -> Table:
    table = Table(title="Fixed cost: batches of 100 events")
    table.add_column("contender")
    table.add_column("median, ms a batch", justify="right")
    for result in results:
        seconds = result.measurement.per_batch if result.measurement else None
        table.add_row(result.contender, "–" if seconds is None else f"{seconds * 1000:,.0f}")
    return table


def machine() -> dict[str, Any]:
    """Where this was measured."""
    model = "unknown"
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        lines = facts.read_text(encoding="utf-8").splitlines()
        model = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model
        )
    return {
        "when": datetime.now(UTC).isoformat(timespec="minutes"),
        "processor": model,
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load": os.getloadavg(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def save(path: Path, facts: dict[str, Any], **results: Sequence[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {
        "machine": facts,
        **{name: [_plain(result) for result in group] for name, group in results.items()},
    }
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")


def _plain(result: Result) -> dict[str, Any]:
    measurement = result.measurement
    facts = {
        name: getattr(result, name)
        for name in ("title", "contender", "workload", "window", "batch", "promise", "right", "refusal")
    }
    if measurement is None:
        return facts
    job = {
        name: value
        for name, value in asdict(measurement.job).items()
        if name not in ("streams", "work", "report")
    }
    names = (
        "events",
        "seconds",
        "steady",
        "overall",
        "per_batch",
        "cpu_seconds",
        "peak_bytes",
        "state_bytes",
    )
    return {
        **facts, "job": job, **{name: getattr(measurement, name) for name in names},
        "failure": measurement.failure, "marks": measurement.marks, "ended": measurement.ended,
    }  # fmt: skip
