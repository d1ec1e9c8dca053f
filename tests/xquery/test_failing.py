"""What a user sees when a document, or a query on it, goes wrong: what was certain before, then why.

# A title.

query
…

schema                                   (where there is one)
…

document                                 (`bytes`: with escapes as in Python)
…

told
<all that `slackwater xquery query.xq --schema … --input document.xml` prints, and its exit code>
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from slackwater.cli.app import main

FOLDER = Path(__file__).parent / "failing"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
GOLDEN = bool(os.environ.get("SLACKWATER_GOLDEN"))
WORDS = "query|schema|document|bytes|told"
SECTION = re.compile(rf"^({WORDS})\n(.*?)(?=\n\n(?:{WORDS})\n|\n?\Z)", re.MULTILINE | re.DOTALL)


def sections(text: str) -> dict[str, str]:
    return {each[1]: each[2] for each in SECTION.finditer(text)}


def told(story: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command prints, run where the story's files are."""
    document = story.get("bytes", "").encode("latin-1").decode("unicode_escape").encode("latin-1")
    Path("document.xml").write_bytes(story["document"].encode() if "document" in story else document)
    Path("query.xq").write_text(story["query"], encoding="utf-8")
    arguments = ["query.xq", "--input", "document.xml"]
    if "schema" in story:
        Path("schema.dtd").write_text(story["schema"], encoding="utf-8")
        arguments += ["--schema", "schema.dtd"]
    monkeypatch.setattr(sys, "argv", ["slackwater", "xquery", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return f"{said.out}{said.err}exit code {ended.value.code}"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_told_in_these_words(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FOLDER / f"{name}.txt"
    text = path.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = told(sections(text), capsys, monkeypatch)
    if GOLDEN:
        path.write_text(f"{text.partition(chr(10) + 'told' + chr(10))[0]}\ntold\n{found}\n", encoding="utf-8")
    assert found == sections(path.read_text(encoding="utf-8"))["told"]
    assert "Traceback" not in found
    assert "[bug]" not in found
