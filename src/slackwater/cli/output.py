"""Shared by the commands: reading input, printing diagnostics."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import TextIO

from slackwater.base.diagnostic import Diagnostic, SlackwaterError, render
from slackwater.base.span import Text
from slackwater.cli import problems
from slackwater.texts.files import FileError, decoded, read_text

_HEAD = re.compile(r"(error|warning|note)(\[[\w-]+\]): (.*)")
_FILES = ("unreadable-input", "unreadable-schema")
_COLOURS = {"error": "31", "warning": "33", "note": "36"}


def read(name: str) -> Text:
    """The file's text; `-` is the standard input."""
    if name == "-":
        return decoded("<stdin>", sys.stdin.buffer.read())
    return read_text(name)


def exit_code(error: SlackwaterError) -> int:
    """2 where a file cannot be read, 1 where its content is wrong."""
    is_about_a_file = isinstance(error, FileError) or error.diagnostics[0].code in _FILES
    return 2 if is_about_a_file else 1


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on the standard error."""
    for diagnostic in diagnostics:
        print_diagnostic(diagnostic, sys.stderr)


def print_diagnostic(diagnostic: Diagnostic, stream: TextIO) -> None:
    """Print the diagnostic and a blank line, with colours on a terminal only."""
    text = render(diagnostic)
    stream.write(f"{coloured(text) if has_colours(stream) else text}\n\n")


def has_colours(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str) -> str:
    """A rendered diagnostic with its severity coloured, its message bold and its frame dim."""
    lines = text.split("\n")
    if head := _HEAD.fullmatch(lines[0]):
        colour = _COLOURS[head[1]]
        lines[0] = f"\x1b[1;{colour}m{head[1]}{head[2]}\x1b[0m\x1b[1m: {head[3]}\x1b[0m"
    lines[1:] = [re.sub(r"^(\s*\d* (?:\||=|-->)| *-->)", "\x1b[2m\\1\x1b[0m", line) for line in lines[1:]]
    return "\n".join(lines)


def print_bug(bug: BaseException) -> None:
    """Print an error of slackwater itself."""
    print_diagnostics([problems.BUG.at(error=f"{type(bug).__name__}: {bug}".rstrip(": "))])
