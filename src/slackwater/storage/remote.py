"""Locations on other filesystems, by PyArrow: object stores, and HDFS.

An object store replaces an object whole with one PUT, and lists what has been put. It has neither rename
nor, through PyArrow, a PUT that fails where the object exists. An object without bytes counts as none: it is
the mark of a folder, or, on Azure, a file that is being written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa

from slackwater.storage.location import Content, Location

OBJECT_STORES = ("s3", "gs", "gcs", "abfs", "abfss")
SCHEMES = (*OBJECT_STORES, "hdfs", "viewfs", "mock")
"""`mock` is PyArrow's filesystem in memory, for tests."""
_ALIASES = {"s3a": "s3", "s3n": "s3"}
_SECRET = "…"


@dataclass(frozen=True, slots=True)
class Remote(Location):
    """A file or folder of a filesystem that PyArrow opens."""

    root: str = field(repr=False)
    """The URI of the filesystem with its settings, without a path."""
    path: str
    """Below it, without a slash at its ends."""

    def __str__(self) -> str:
        parts = urlsplit(self.root)
        user, at, host = parts.netloc.rpartition("@")
        # Of abfss://container@account the part before the sign is no secret, unless it has a password.
        shown = f"{user.partition(':')[0]}{at}{host}" if parts.scheme.startswith("abfs") else host
        return f"{parts.scheme}://{shown}/{self.path}"

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def uri(self) -> str:
        root, mark, query = self.root.partition("?")
        return f"{root}/{quote(self.path)}{mark}{query}"

    @property
    def is_exclusive(self) -> bool:
        return False

    def __truediv__(self, name: str) -> Remote:
        return Remote(self.root, f"{self.path}/{name}" if self.path else name)

    def open(self) -> None:
        """Open the filesystem; raises what PyArrow raises."""
        opened(self.root)

    def read(self) -> bytes:
        # A file, not a stream: its size is known, and it is one request, not one for each 256 KB.
        with self._reported(), self._opened() as (files, path), files.open_input_file(path) as file:
            return bytes(file.read())

    def write(self, content: Content, mark: str = "", *, is_new: bool = False) -> int:
        if is_new and self.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self))
        with self._reported(), self._opened() as (files, path):
            if self.root.startswith(OBJECT_STORES):
                _put(files, path, content)
            else:
                folder, _, name = path.rpartition("/")
                files.create_dir(folder, recursive=True)
                _put(files, draft := f"{folder}/.{name}{mark}.tmp", content)
                files.move(draft, path)
        return len(content)

    def exists(self) -> bool:
        return bool(_is_file(self._info()))

    def size(self) -> int:
        info = self._info()
        if not _is_file(info):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        return int(info.size)

    def modified(self) -> float:
        info = self._info()
        return info.mtime_ns / 1e9 if _is_file(info) else 0.0

    def names(self) -> list[str]:
        infos = self._infos()
        return sorted(info.base_name for info in infos if _is_file(info) or info.type.name == "Directory")

    def files(self) -> list[str]:
        return sorted(info.base_name for info in self._infos() if _is_file(info))

    def make(self) -> None:
        """Nothing: writing a file creates its folder."""

    def delete(self) -> None:
        with contextlib.suppress(FileNotFoundError), self._reported(), self._opened() as (files, path):
            files.delete_file(path)

    def delete_all(self) -> None:
        with contextlib.suppress(OSError), self._reported(), self._opened() as (files, path):
            files.delete_dir(path)

    def _info(self) -> Any:
        with self._reported(), self._opened() as (files, path):
            return files.get_file_info(path)

    def _infos(self) -> list[Any]:
        with self._reported(), self._opened() as (files, path):
            return list(files.get_file_info(_selector(path)))

    @contextlib.contextmanager
    def _opened(self) -> Iterator[tuple[Any, str]]:
        files, base = opened(self.root)
        yield files, f"{base}/{self.path}" if base else self.path

    @contextlib.contextmanager
    def _reported(self) -> Iterator[None]:
        """Errors of PyArrow as OSError, in one line and without credentials."""
        try:
            yield
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self)) from error
        except (OSError, pa.ArrowException) as error:
            raise OSError(described(error, self.root)) from error


def remote(text: str) -> Remote | None:
    """The location that a URI names; None where PyArrow has no filesystem for it.

    >>> remote("s3a://key:secret@bucket/a%20b/?region=eu-central-1")
    Remote(path='a b')
    >>> str(remote("s3a://key:secret@bucket/a%20b/?region=eu-central-1"))
    's3://bucket/a b'
    """
    match = re.match(r"([A-Za-z][\w+.-]+):/{1,3}", text)
    scheme = match[1].lower() if match else ""
    scheme = _ALIASES.get(scheme, scheme)
    if match is None or scheme not in SCHEMES:
        return None
    # A Path has made one slash of two.
    is_short = match[0].count("/") == 1 and scheme in OBJECT_STORES
    parts = urlsplit(f"{scheme}:{'//' if is_short else '/' * match[0].count('/')}{text[match.end() :]}")
    query = _with_one_put(scheme, parts.query)
    root = f"{scheme}://{parts.netloc}" + (f"?{query}" if query else "")
    return Remote(root, unquote(parts.path).strip("/"))


def _with_one_put(scheme: str, query: str) -> str:
    """With the setting of S3 by which a small file is one request, not the three of an upload in parts."""
    if scheme != "s3" or "allow_delayed_open" in query:
        return query
    return "&".join(filter(None, (query, "allow_delayed_open=true")))


@lru_cache(maxsize=32)
def opened(root: str) -> tuple[Any, str]:
    """The filesystem of a URI, once for each process, and the path of its root."""
    from pyarrow import fs  # takes 40 ms, which local checkpoints save

    files, path = fs.FileSystem.from_uri(root)
    return files, path.strip("/") if root.startswith(OBJECT_STORES) else path.rstrip("/")


def _put(files: Any, path: str, content: Content) -> None:
    with files.open_output_stream(path) as stream:
        stream.write(content)


def _selector(path: str) -> Any:
    from pyarrow.fs import FileSelector

    return FileSelector(path, allow_not_found=True)


def _is_file(info: Any) -> bool:
    return bool(info.type.name == "File" and info.size)


def described(error: BaseException, root: str) -> str:
    """The first line of a message, without the credentials and settings of the URI."""
    parts = urlsplit(root)
    text = str(error).strip().partition("\n")[0].rstrip(".")
    secrets = [parts.netloc.rpartition("@")[0].partition(":")[2], parts.password or ""]
    secrets += [setting.partition("=")[2] for setting in parts.query.split("&")]
    if not parts.scheme.startswith("abfs"):
        secrets.append(parts.username or "")
    for secret in {unquote(secret) for secret in secrets} | set(secrets):
        text = text.replace(secret, _SECRET) if len(secret) > 4 else text
    return text
