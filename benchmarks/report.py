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


def compared(results: Sequence[Result], title: str) -> Table:
    """Contenders beside each other; the ratio says how many times as fast we are."""
    table = Table(title=title)
    for name in ("workload", "contender"):
        table.add_column(name)
    for name in ("steady /s", "overall /s", "we are", "per CPU s", "peak MB"):
        table.add_column(name, justify="right")
    table.add_column("answer")
    ours = {each.workload: each for each in results if each.contender == US}
    shown = ""
    for each in results:
        table.add_row(each.title if each.title != shown else "", *_row(each, ours.get(each.workload)))
        shown = each.title
    return table


def line(each: Result) -> str:
    """One result, printed as soon as it is there."""
    name, steady, overall, _, per_cpu, peak, answer = _row(each, None)
    return f"  {name}: {steady}/s steady, {overall}/s overall, {per_cpu} per CPU s, {peak} MB, {answer}"


def _row(each: Result, ours: Result | None) -> list[str]:
    found = each.measurement
    if found is None or not found.marks:
        why = each.refusal or (found.failure if found and found.failure else "no batch was done in time")
        return [each.contender, "–", "–", "–", "–", "–", why]
    per_cpu = found.events / found.cpu_seconds if found.cpu_seconds else None
    return [
        each.contender, _count(found.steady), _count(found.overall), _ratio(each, ours), _count(per_cpu),
        f"{found.peak_bytes / 1e6:,.0f}", _answer(each),
    ]  # fmt: skip


def _answer(each: Result) -> str:
    told = {
        "exact": "exact",
        "arrivals": "at arrivals only",
        "closed": "at whole seconds",
        "finally": "right in the end only",
        "behind": "at ends of batches, expiry one late",
    }
    promise = told.get(each.promise or "", "not checked")
    stopped = each.measurement is not None and (each.measurement.ended or {}).get("finished") is False
    verdict = {True: "", False: ", WRONG", None: ""}[each.right]
    return promise + verdict + (", stopped at the limit" if stopped else "")


def _ratio(each: Result, ours: Result | None) -> str:
    if ours is None or ours is each or ours.measurement is None or each.measurement is None:
        return ""
    mine = ours.measurement.steady or ours.measurement.overall
    theirs = each.measurement.steady or each.measurement.overall
    return f"{mine / theirs:.1f} ×" if mine and theirs else "–"


def _count(number: float | None) -> str:
    return "–" if number is None else f"{number / 1000:,.0f} k" if number < 1e6 else f"{number / 1e6:.2f} M"


def grown(results: Sequence[Result]) -> Table:
    """How throughput, memory and state go with the amount of data and the length of the window."""
    table = Table(title="Growth: (a), 1,000 keys")
    names = ("events", "window", "steady /s", "last quarter /s", "kept rows", "kept MB", "peak MB")
    for name in names:
        table.add_column(name, justify="right")
    for each in results:
        found = each.measurement
        if found is None or not found.marks:
            table.add_row("–", f"{each.window} s", *["–"] * 4, (found.failure if found else None) or "–")
            continue
        last = found.marks[-2] if len(found.marks) > 1 else found.marks[-1]
        table.add_row(
            f"{found.events / 1e6:g} M", f"{each.window} s", _count(found.steady), _count(_late(found.marks)),
            f"{last.get('rows', 0):,}", f"{(found.state_bytes or 0) / 1e6:.1f}",
            f"{found.peak_bytes / 1e6:,.0f}",
        )  # fmt: skip
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
    for each in results:
        taken = each.measurement.per_batch if each.measurement else None
        table.add_row(each.contender, "–" if taken is None else f"{taken * 1000:,.0f}")
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


def saved(path: Path, facts: dict[str, Any], **results: Sequence[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"machine": facts, **{name: [_plain(each) for each in some] for name, some in results.items()}}
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")


def _plain(each: Result) -> dict[str, Any]:
    found = each.measurement
    facts = {
        name: getattr(each, name)
        for name in ("title", "contender", "workload", "window", "batch", "promise", "right", "refusal")
    }
    if found is None:
        return facts
    job = {
        name: value for name, value in asdict(found.job).items() if name not in ("streams", "work", "report")
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
        **facts, "job": job, **{name: getattr(found, name) for name in names},
        "failure": found.failure, "marks": found.marks, "ended": found.ended,
    }  # fmt: skip
