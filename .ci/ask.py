"""Asks the `slackwater` beside this Python for its version and for the answer of the README's example."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = Path(sys.executable).with_name("slackwater")
READINGS = """\
ts,segment,speed
2024-02-29 08:00:00,north,60
2024-02-29 08:01:00,north,30
2024-02-29 08:02:00,north,20
2024-02-29 08:04:00,south,35
"""
ANSWER = """\
time | segment
2024-02-29 08:02:00Z | north
2024-02-29 08:04:00Z | south
"""


def main() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    example = re.search(r"^```sql\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert version is not None
    assert example is not None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "congestion.cql").write_text(example[1], encoding="utf-8")
        Path(folder, "readings.csv").write_text(READINGS, encoding="utf-8")
        same(asked(folder, "--version"), f"slackwater {version[1]}\n")
        same(asked(folder, "check", "congestion.cql"), "")
        same(asked(folder, "run", "congestion.cql"), ANSWER)


def asked(folder: str, *arguments: str) -> str:
    print("slackwater", *arguments, flush=True)
    return subprocess.run(
        [PROGRAM, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def same(found: str, wanted: str) -> None:
    if found != wanted:
        sys.exit(f"expected:\n{wanted}\nfound:\n{found}")


if __name__ == "__main__":
    main()
