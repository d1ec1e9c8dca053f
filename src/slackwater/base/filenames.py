"""Names of users as names of files: of any text a name that is safe on every filesystem.

    trades          trades              ../../OUT       %2E.%2F..%2FOUT
    query 1         query-1             a-b             a%2Db
    con             %63on               ""              %
    Straße          Stra%C3%9Fe         a × 1000        aaa…%h and a hash

Different names stay different. Letters keep their case: names that differ in nothing else may be one file.
"""

from __future__ import annotations

import hashlib
import re

_LONGEST = 150
"""Filesystems take 255 bytes, of which what is added to a name needs some."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_. ]")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def file_name_of(name: str) -> str:
    """A name for a file or folder; different names get different ones.

    >>> file_name_of("query 1"), file_name_of("../OUT"), file_name_of("NUL")
    ('query-1', '%2E.%2FOUT', '%4EUL')
    """
    safe = _UNSAFE.sub(lambda match: _escaped(match[0]), name)
    if safe and (safe[0] in ". " or _DEVICE.fullmatch(safe)):
        safe = _escaped(safe[0]) + safe[1:]
    if safe and safe[-1] in ". ":
        safe = safe[:-1] + _escaped(safe[-1])
    safe = safe.replace(" ", "-") or "%"
    if len(safe) > _LONGEST:
        # No escape begins with %h, so that no other name comes out like this.
        safe = f"{safe[:_LONGEST]}%h{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:40]}"
    return safe


def _escaped(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode(errors="surrogatepass"))
