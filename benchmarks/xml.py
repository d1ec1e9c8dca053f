"""XQuery over auction documents: this engine beside SaxonC, each run in a process of its own.

$ python -m benchmarks.xml
$ python -m benchmarks.xml --size 5 --only q1 --only q8b

A run is all of it: the query is compiled, the document read, the answer written to a file. Its memory is
the most that the process ever had. The two answers are compared, byte for byte.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.auction import write_auction
from benchmarks.report import machine

ROOT = Path(__file__).parents[1]
QUERIES = ("q1", "q5", "q8", "q8b", "q11", "q13", "q16", "q17", "q20", "qa")
"""Of appendix C; its windows are no part of XQuery, so Saxon does not know them."""
ENGINES = ("slackwater", "saxon")
_CACHE = ROOT / ".bench"

app = typer.Typer(add_completion=False, help="Measure XQuery over streams beside SaxonC.")
console = Console(width=130)


@dataclass(frozen=True)
class Measured:
    """One run; no seconds where it was stopped, at the limit or otherwise."""

    query: str
    megabytes: int
    engine: str
    seconds: float | None
    peak: int = 0
    """The most memory of the process, in bytes."""
    buffered: int | None = None
    output: int = 0
    answer: str = ""
    """A hash of the answer."""


@app.command()
def compare(
    size: Annotated[list[int] | None, typer.Option(help="Megabytes; 5, 50 and 200.")] = None,
    only: Annotated[list[str] | None, typer.Option(help=f"Only these: {', '.join(QUERIES)}.")] = None,
    limit: Annotated[float, typer.Option(help="Seconds after which a run is stopped.")] = 300.0,
    cache: Annotated[Path, typer.Option(help="Where documents and results are kept.")] = _CACHE,
    alone: Annotated[bool, typer.Option("--alone", help="Only this engine.")] = False,
) -> None:
    """Every query at every size, by both engines, one after the other."""
    results: list[Measured] = []
    engines = ENGINES[:1] if alone else ENGINES
    for megabytes in size or [5, 50, 200]:
        document = _document(cache, megabytes)
        for name in only or QUERIES:
            results += [_measured(engine, name, megabytes, document, limit) for engine in engines]
            console.print(f"[dim]{name} at {megabytes} MB (load {os.getloadavg()[0]:.1f})[/dim]")
            _save(cache / "xml.json", results)
    console.print(_table(results))
    console.print("[dim]xml.json is written[/dim]")


def _document(cache: Path, megabytes: int) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"auction-elements-{megabytes}.xml"
    if not path.exists():
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as out:
            write_auction(out, megabytes, elements=True)
        unfinished.rename(path)
    return path


def _measured(engine: str, name: str, megabytes: int, document: Path, limit: float) -> Measured:
    command = [sys.executable, "-m", "benchmarks.xml_run", engine, name, str(document)]
    with NamedTemporaryFile() as answer:
        try:
            done = subprocess.run(
                [*command, answer.name], cwd=ROOT, capture_output=True, text=True, timeout=limit, check=True
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return Measured(name, megabytes, engine, None)
        hashed = file_digest(answer, "sha256").hexdigest()
        size = os.path.getsize(answer.name)
    return Measured(name, megabytes, engine, output=size, answer=hashed, **json.loads(done.stdout))


def _table(results: list[Measured]) -> Table:
    table = Table(title="XQuery over auctions: seconds and peak memory")
    table.add_column("query")
    for heading in ("MB", "seconds", "Saxon", "faster", "memory", "Saxon", "of it", "buffered", "answer"):
        table.add_column(heading, justify="right")
    runs = {(run.query, run.megabytes, run.engine): run for run in results}
    for name, megabytes in dict.fromkeys((run.query, run.megabytes) for run in results):
        ours, theirs = runs[name, megabytes, "slackwater"], runs.get((name, megabytes, "saxon"))
        table.add_row(name, *_row(ours, theirs))
    return table


def _row(ours: Measured, theirs: Measured | None) -> list[str]:
    faster = part = same = "–"
    if theirs is not None and theirs.seconds is not None and ours.seconds is not None:
        faster = f"{theirs.seconds / ours.seconds:.1f} ×"
        part = f"{ours.peak / theirs.peak:.0%}"
        same = "the same" if ours.answer == theirs.answer else "DIFFERS"
    return [
        str(ours.megabytes), _seconds(ours), _seconds(theirs), faster, _memory(ours), _memory(theirs), part,
        f"{(ours.buffered or 0) / 1000:,.1f} kB", same,
    ]  # fmt: skip


def _seconds(run: Measured | None) -> str:
    return "–" if run is None else f"{run.seconds:.2f}" if run.seconds is not None else "stopped"


def _memory(run: Measured | None) -> str:
    return "–" if run is None or not run.peak else f"{run.peak / 1e6:,.0f} MB"


def _save(path: Path, results: list[Measured]) -> None:
    report = {"machine": machine(), "runs": [asdict(run) for run in results]}
    path.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    app()
