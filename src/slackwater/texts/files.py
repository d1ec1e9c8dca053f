"""Reading a text from a file, with errors that say why it cannot be read."""

from __future__ import annotations

from pathlib import Path

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import plain
from slackwater.base.span import Text
from slackwater.texts import problems


class FileError(EngineError):
    """There is no such file, or it cannot be read as text."""


def read_text(path: str | Path) -> Text:
    """The whole file as text, named as in `path`; raises FileError."""
    name = str(path)
    try:
        content = Path(plain(path)).read_bytes()
    except FileNotFoundError as cause:
        raise FileError(missing_file(name)) from cause
    except IsADirectoryError as cause:
        raise FileError(not_a_file(name)) from cause
    except (OSError, ValueError) as cause:
        raise FileError(unreadable_file(name, cause)) from cause
    return decoded(name, content)


def decoded(name: str, content: bytes) -> Text:
    """The bytes as UTF-8 text; raises FileError."""
    try:
        return Text(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as cause:
        raise FileError(not_utf8(name, content, cause.start)) from cause


def missing_file(name: str) -> Diagnostic:
    return problems.MISSING_FILE.at(name=name)


def not_a_file(name: str) -> Diagnostic:
    return problems.NOT_A_FILE.at(name=name)


def unreadable_file(name: str, cause: Exception) -> Diagnostic:
    return problems.UNREADABLE_FILE.at(name=name, why=sentence(cause))


def not_utf8(name: str, content: bytes, start: int) -> Diagnostic:
    line = content.count(b"\n", 0, start) + 1
    return problems.NOT_UTF8.at(where=f"{name}:{line}", name=name, start=start + 1, content=content[start])


def sentence(cause: Exception) -> str:
    """The operating system's message as a sentence."""
    message = (cause.strerror if isinstance(cause, OSError) else None) or str(cause)
    return f"{message[:1].upper()}{message[1:]}."
