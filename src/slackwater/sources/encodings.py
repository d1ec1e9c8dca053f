"""The encoding of text files: the first bytes of a file show whether it can be the declared one.

ff fe 74 00    ─►  UTF-16      a mark of the byte order
74 00 2c 00    ─►  UTF-16LE    every second byte is zero
74 2c 61 0a    ─►  one that writes letters of ASCII in one byte
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Span
from slackwater.sources import problems
from slackwater.sources.frame_errors import bad_option
from slackwater.sources.open_quotes import opened

_HEAD = 256
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""UTF-32 comes first: its mark begins with that of UTF-16."""


def encoding_of(options: Mapping[str, str]) -> str:
    settings = {key.lower(): value for key, value in options.items()}
    return settings.get("encoding", settings.get("charset", "UTF-8"))


def is_wide(encoding: str) -> bool:
    """Whether an ASCII letter takes several bytes, so that lines cannot be split by bytes."""
    return encoding.startswith(("UTF-16", "UTF-32"))


def settle_lines(name: str, kind: str, options: dict[str, str]) -> None:
    """Set the options with which Spark splits rows in that encoding; raises EngineError where it cannot."""
    encoding, settings = encoding_of(options), {key.lower(): value for key, value in options.items()}
    is_by_lines = settings.get("multiline", "false").lower() != "true"
    if kind == "csv" and is_wide(encoding) and is_by_lines:
        for key in [key for key in options if key.lower() == "multiline"]:
            del options[key]
        options["multiLine"] = "true"
    if kind == "json" and is_by_lines and encoding in _MARKS.values():
        hint = "Convert the files to UTF-8, or to UTF-16LE or UTF-16BE without a mark of the byte order."
        raise EngineError(bad_option(f'source "{name}"', "encoding", encoding, hint))
    if kind == "json" and is_by_lines and encoding != "UTF-8" and "linesep" not in settings:
        options["lineSep"] = "\n"


def check_encoding(name: str, origin: Span | None, file: str, options: Mapping[str, str]) -> None:
    """Refuse a file whose first bytes are of another encoding than the declared one; raises EngineError."""
    try:
        with opened(file) as content:
            head = content.read(_HEAD)
    except (OSError, EOFError):
        return  # Spark reports what is wrong with the file when it reads it.
    expected, actual = encoding_of(options), _detect(head)
    if actual is not None and actual != expected:
        raise EngineError(
            problems.OTHER_ENCODING.at(
                origin, where=file, name=name, file=file, expected=expected, actual=actual
            )
        )
    if actual is None and is_wide(expected) and head:
        raise EngineError(
            problems.OTHER_ENCODING.at(
                origin,
                where=file,
                name=name,
                file=file,
                expected=expected,
                actual=None,
                detail=f"Its first bytes are {head[:8].hex(' ')}; no text in {expected} begins like this.",
                hint="Remove encoding if the file is UTF-8, or name its encoding.",
            )
        )


def _detect(head: bytes) -> str | None:
    """UTF-16 or UTF-32, by the mark or the zeros; None for encodings that extend ASCII."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) * 4 <= len(head) or (even and odd):
        return None
    return "UTF-16LE" if odd else "UTF-16BE"
