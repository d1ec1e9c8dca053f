"""The exact text of every error in a data file or script.

NAME.input is the file, NAME.txt the error text. `stream-…` and `relation-…` are data files of the tables
below, `script-…` are scripts.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from golden import golden
from slackwater.algebra import Kind
from slackwater.algebra.types import DATE, DOUBLE, INT, STRING
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.span import Text
from slackwater.scripts.data import MOST_MISTAKES, Column, Table, read
from slackwater.scripts.entries import read_script
from slackwater.texts.files import FileError, read_text

FOLDER = Path(__file__).parent / "errors"
NAMES = sorted(path.stem for path in FOLDER.glob("*.input"))
STREAM = Table(
    "S", Kind.STREAM, (Column("A", INT), Column("B", DOUBLE), Column("C", STRING, 1), Column("D", STRING, 4))
)
RELATION = Table("R", Kind.RELATION, (Column("A", INT),))


def read_any(path: Path) -> None:
    if path.name.startswith("script-"):
        read_script(Text(path.name, path.read_text(encoding="utf-8")))
    else:
        read(path, STREAM if path.name.startswith("stream-") else RELATION)


def error_text(name: str, folder: Path = FOLDER) -> str:
    with pytest.raises(SlackwaterError) as caught:
        read_any(folder / f"{name}.input")
    return str(caught.value).replace(f"{folder}{os.sep}", "") + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_mistake_is_reported_in_these_words(name: str) -> None:
    text = error_text(name)
    assert text == golden(FOLDER / f"{name}.txt", text)


def test_a_limited_number_of_mistakes_is_reported() -> None:
    assert error_text("stream-many-mistakes").count("error[") == MOST_MISTAKES


def test_a_nul_byte_is_reported(tmp_path: Path) -> None:
    (tmp_path / "stream-nul.input").write_bytes(b"i,i,f,b,c4\n1,1,1.0,a,ab\0\n")
    assert error_text("stream-nul", tmp_path) == (
        "error[nul-byte]: the line has a NUL byte in it\n"
        " --> stream-nul.input:2\n"
        "  = hint: Check that the file is text, and complete.\n"
    )


def test_bytes_that_are_no_text_are_reported(tmp_path: Path) -> None:
    (tmp_path / "stream-latin.input").write_bytes(b"i,i,f,b,c4\n1,1,1.0,\xe4,abc\n")
    assert error_text("stream-latin", tmp_path) == (
        'error[not-utf8]: "stream-latin.input" is not UTF-8 text\n'
        " --> stream-latin.input:2\n"
        "  = detail: Byte 20 of the file is 0xe4.\n"
        "  = hint: Save it as UTF-8.\n"
    )


def test_a_type_that_no_data_file_holds_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("i,i\n1,1\n")
    with pytest.raises(EngineError) as caught:
        read(tmp_path / "data", Table("S", Kind.STREAM, (Column("when", DATE),)))
    assert caught.value.diagnostics[0].code == "unreadable-type"
    assert caught.value.diagnostics[0].message == 'a data file cannot hold column "when" of type date'


def test_a_missing_file_is_reported() -> None:
    with pytest.raises(FileError) as caught:
        read_text("no/such/file")
    expected = 'error[missing-file]: there is no file "no/such/file"\n  = hint: Check the path.'
    assert str(caught.value) == expected


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        read_text(tmp_path)
    assert caught.value.diagnostics[0].code == "not-a-file"


def test_an_impossible_path_is_reported() -> None:
    with pytest.raises(FileError) as caught:
        read_text("a\0b")
    assert caught.value.diagnostics[0].code == "unreadable-file"
