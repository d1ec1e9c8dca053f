"""Where files are, as users write it: a path of this machine, or a URI.

data/today.csv                a path
file:///data/a%20b.csv        the path /data/a b.csv; file:/data/a%20b.csv, too
s3a://bucket/today.csv        somewhere else: Spark reads it, and nothing is written there
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from slackwater.base import problems
from slackwater.base.diagnostic import Diagnostic, EngineError

Place = str | os.PathLike[str]

# At least two letters, because of C:/; one slash, because a Path has made one of two.
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_FILE = re.compile(r"file:(?://(?:localhost)?)?(?=/(?!/))", re.IGNORECASE)


def is_remote(place: Place) -> bool:
    """Whether it is a URI that names no file of this machine."""
    text = os.fspath(place)
    return bool(_URI.match(text)) and not _FILE.match(text)


def plain(place: Place) -> str:
    """The path of a path or file URI, in plain text; a URI of another filesystem is returned unchanged.

    >>> plain("file:///data/a%20b.csv"), plain("file:/data"), plain("data/50%.csv"), plain("s3a://b/x")
    ('/data/a b.csv', '/data', 'data/50%.csv', 's3a://b/x')
    """
    text = os.fspath(place)
    return unquote(text[match.end() :]) if (match := _FILE.match(text)) else text


def local_path(place: Place, what: str) -> Path:
    """The path to write to; raises EngineError if it is not on this machine.

    >>> local_path("file:///data/a%20b", "answers")
    PosixPath('/data/a b')
    """
    if not isinstance(place, str | os.PathLike):
        raise EngineError(not_a_path(place, what))
    if not os.fspath(place):
        raise EngineError(not_a_path(place, what))
    if is_remote(place):
        raise EngineError(remote_place(os.fspath(place), what))
    return Path(plain(place)).expanduser()


def remote_place(place: str, what: str) -> Diagnostic:
    return problems.REMOTE_PLACE.at(place=place, what=what)


def not_a_path(place: object, what: str) -> Diagnostic:
    return problems.NOT_A_PATH.at(value=place, what=what)
