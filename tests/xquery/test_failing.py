"""What a user sees when a document or a query fails: the answer up to there, then the error.

# A title.

query
…

schema                                   (where there is one)
…

document                                 (`bytes`: with escapes as in Python)
…

output
<all that `slackwater xquery query.xq --schema … --input document.xml` prints, and its exit code>
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from golden import REWRITES
from slackwater.cli.app import main

FOLDER = Path(__file__).parent / "failing"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
WORDS = "query|schema|document|bytes|output"
SECTION = re.compile(rf"^({WORDS})\n(.*?)(?=\n\n(?:{WORDS})\n|\n?\Z)", re.MULTILINE | re.DOTALL)


def sections(text: str) -> dict[str, str]:
    return {section[1]: section[2] for section in SECTION.finditer(text)}


def run_command(
    case: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """The output of the command, run in a folder with the files of the case."""
    document = case.get("bytes", "").encode("latin-1").decode("unicode_escape").encode("latin-1")
    Path("document.xml").write_bytes(case["document"].encode() if "document" in case else document)
    Path("query.xq").write_text(case["query"], encoding="utf-8")
    arguments = ["query.xq", "--input", "document.xml"]
    if "schema" in case:
        Path("schema.dtd").write_text(case["schema"], encoding="utf-8")
        arguments += ["--schema", "schema.dtd"]
    monkeypatch.setattr(sys, "argv", ["slackwater", "xquery", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    return f"{printed.out}{printed.err}exit code {ended.value.code}"


@pytest.mark.parametrize("name", NAMES)
def test_the_command_prints_exactly_this(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FOLDER / f"{name}.txt"
    text = path.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    output = run_command(sections(text), capsys, monkeypatch)
    if REWRITES:
        path.write_text(
            f"{text.partition(chr(10) + 'output' + chr(10))[0]}\noutput\n{output}\n", encoding="utf-8"
        )
    assert output == sections(path.read_text(encoding="utf-8"))["output"]
    assert "Traceback" not in output
    assert "[bug]" not in output
