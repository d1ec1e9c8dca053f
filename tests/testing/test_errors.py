"""Every mistake in a `.cqt` file has its exact text: NAME.input is the file, NAME.txt its error.

Files called `run-…` can be read; what is wrong shows when they are run.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from golden import golden
from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.engines.engine import engines
from slackwater.testing import cqt
from slackwater.testing.report import report
from slackwater.testing.runner import run

FOLDER = Path(__file__).parent / "errors"
NAMES = sorted(path.stem for path in FOLDER.glob("*.input"))


def text_of(name: str) -> str:
    text = Text(f"{name}.cqt", (FOLDER / f"{name}.input").read_text(encoding="utf-8"))
    try:
        cases = cqt.parse(text)
    except QueryError as error:
        return f"{error}\n"
    return "\n\n".join(report(run(case, engines(), seed=1)) for case in cases) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_the_error_text_of_a_mistake(name: str) -> None:
    text = text_of(name)
    assert text == golden(FOLDER / f"{name}.txt", text)


def test_only_files_called_run_can_be_read() -> None:
    assert [name for name in NAMES if text_of(name).startswith(("✓", "✗")) != name.startswith("run-")] == []


def test_every_error_of_the_format_has_its_text() -> None:
    source = Path(cqt.__file__).with_name("errors.py").read_text(encoding="utf-8")
    literals = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    codes = {value for value in literals if isinstance(value, str) and value.startswith("cqt-")}
    texts = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))
    assert [code for code in sorted(codes) if f"[{code}]" not in texts] == []
