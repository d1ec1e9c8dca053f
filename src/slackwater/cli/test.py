"""`slackwater test`: run `.cqt` files and show where an answer differs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.base.diagnostic import EngineError
from slackwater.cli import problems
from slackwater.cli.output import print_diagnostics
from slackwater.texts.files import FileError, missing_file, read_text

if TYPE_CHECKING:
    from slackwater.engines.engine import Engine
    from slackwater.testing.on_spark import Spark

Paths = Annotated[list[str], typer.Argument(metavar="PATH", help=".cqt files, or folders of them.")]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="reference|kernels|spark|both|all",
        help="The engine; both is reference and kernels, which need no Spark.",
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Repeat the random batches of an earlier run.")]


def run_tests(paths: Paths, engine: EngineName = "both", seed: Seed = None) -> None:
    """Run .cqt files: inputs, queries and expected answers.

    \b
    Examples:
      slackwater test congestion.cqt
      slackwater test tests/queries
      slackwater test tests/queries --engine reference --seed 7
      slackwater test tests/queries --engine spark
    """
    from slackwater.testing.engines import choose_engines

    used = random.randrange(1_000_000) if seed is None else seed
    try:
        engines = choose_engines(engine)
    except EngineError as error:
        print_diagnostics(error.diagnostics)
        raise typer.Exit(2) from None
    passed = failed = 0
    for path in _files(paths):
        good, bad = _run(path, engines, used)
        passed, failed = passed + good, failed + bad
    if failed:
        typer.echo(f"to repeat the random batches: --seed {used}")
    typer.echo(f"{passed} passed, {failed} failed")
    raise typer.Exit(1 if failed else 0)


def _files(paths: list[str]) -> list[Path]:
    """The files of the paths, each once; raises FileError."""
    files: list[Path] = []
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise FileError(missing_file(name))
        files += sorted(path.rglob("*.cqt")) if path.is_dir() else [path]
    if not files:
        raise FileError(problems.NO_TESTS.at(paths=", ".join(paths)))
    return list(dict.fromkeys(files))


def _run(path: Path, engines: list[Engine | Spark], seed: int) -> tuple[int, int]:
    """Run the cases of a file; how many passed and how many did not."""
    from slackwater.testing.cqt import read
    from slackwater.testing.report import report
    from slackwater.testing.runner import run

    try:
        cases = read(read_text(path))
    except FileError as error:
        typer.echo(f"✗ {path}")
        print_diagnostics(error.diagnostics)
        return 0, 1
    outcomes = []
    for case in cases:
        outcomes.append(run(case, engines, seed))
        typer.echo(report(outcomes[-1]))
    passed = sum(outcome.passed for outcome in outcomes)
    return passed, len(outcomes) - passed
