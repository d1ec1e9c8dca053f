"""An object store over HTTP that speaks as much of S3 as PyArrow uses, on a port of this machine.

Requests can be observed and failed: `watch` is called with the method and the object's key before each, and
what it raises is an error for the client. Objects are in memory, strongly consistent, and last writer wins.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "bucket"


@dataclass(frozen=True, slots=True)
class Stored:
    content: bytes
    modified: float

    @property
    def tag(self) -> str:
        return f'"{hashlib.md5(self.content, usedforsecurity=False).hexdigest()}"'


@dataclass(slots=True)
class Bucket:
    """The objects, and the requests so far."""

    objects: dict[str, Stored] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    watch: Callable[[str, str], None] = lambda method, key: None
    lock: threading.RLock = field(default_factory=threading.RLock)
    port: int = 0

    def uri(self, path: str) -> str:
        settings = f"endpoint_override=127.0.0.1:{self.port}&scheme=http&region=us-east-1"
        return f"s3://key:secret@{BUCKET}/{path}?{settings}"

    def put(self, key: str, content: bytes) -> Stored:
        self.objects[key] = Stored(content, time.time())
        return self.objects[key]

    def names(self, prefix: str = "") -> list[str]:
        return sorted(key for key in self.objects if key.startswith(prefix) and self.objects[key].content)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bucket = Bucket(port=self.server_address[1])

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None: ...

    def _serve(self) -> None:
        url = urlsplit(self.path)
        bucket, _, key = unquote(url.path).lstrip("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        content = self._content()
        store = self.server.bucket
        with store.lock:
            store.requests.append((self.command, key or f"?{query.get('prefix', '')}"))
        try:
            store.watch(self.command, key or f"?{query.get('prefix', '')}")
        except Exception as error:
            self._fail(403, type(error).__name__, str(error))
            return
        if bucket != BUCKET:
            self._fail(404, "NoSuchBucket", "The specified bucket does not exist")
            return
        with store.lock:
            self._answer(store, key, query, content)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _serve

    def _answer(self, store: Bucket, key: str, query: dict[str, str], content: bytes) -> None:
        match self.command:
            case "PUT" if "uploadId" in query:
                store.uploads[query["uploadId"]][int(query["partNumber"])] = content
                self._reply(200, headers={"ETag": f'"{query["partNumber"]}"'})
            case "PUT":
                self._reply(200, headers={"ETag": store.put(key, content).tag} if key else {})
            case "POST" if "uploads" in query:
                store.uploads[str(len(store.uploads) + 1)] = {}
                self._xml("InitiateMultipartUploadResult", f"<UploadId>{len(store.uploads)}</UploadId>")
            case "POST" if "uploadId" in query:
                parts = store.uploads.pop(query["uploadId"])
                store.put(key, b"".join(parts[number] for number in sorted(parts)))
                self._xml("CompleteMultipartUploadResult", "")
            case "POST" if "delete" in query:
                for name in re.findall(r"<Key>(.*?)</Key>", content.decode()):
                    store.objects.pop(name, None)
                self._xml("DeleteResult", "")
            case "DELETE":
                store.objects.pop(key, None)
                store.uploads.pop(query.get("uploadId", ""), None)
                self._reply(204)
            case "GET" if not key:
                self._list(store, query)
            case _ if not key:
                self._reply(200)
            case _:
                self._get(store.objects.get(key))

    def _get(self, stored: Stored | None) -> None:
        if stored is None:
            self._fail(404, "NoSuchKey", "The specified key does not exist")
            return
        headers = {"ETag": stored.tag, "Last-Modified": formatdate(stored.modified, usegmt=True)}
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if match is None or not stored.content:
            self._reply(200, stored.content, headers)
            return
        begin, end = int(match[1]), min(int(match[2] or len(stored.content)), len(stored.content) - 1)
        headers["Content-Range"] = f"bytes {begin}-{end}/{len(stored.content)}"
        self._reply(206, stored.content[begin : end + 1], headers)

    def _list(self, store: Bucket, query: dict[str, str]) -> None:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        folders: set[str] = set()
        entries: list[str] = []
        keys = [key for key in sorted(store.objects) if key.startswith(prefix)]
        for key in keys[: int(query.get("max-keys", len(keys) or 1))]:
            head, is_below, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
            if is_below:
                folders.add(prefix + head + delimiter)
                continue
            stored = store.objects[key]
            modified = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stored.modified))
            millis = int(stored.modified * 1000) % 1000
            entries.append(
                f"<Contents><Key>{escape(key)}</Key><LastModified>{modified}.{millis:03d}Z</LastModified>"
                f"<ETag>{escape(stored.tag)}</ETag><Size>{len(stored.content)}</Size></Contents>"
            )
        prefixes = "".join(
            f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in sorted(folders)
        )
        count = len(entries) + len(folders)
        body = f"<KeyCount>{count}</KeyCount><IsTruncated>false</IsTruncated>{''.join(entries)}{prefixes}"
        self._xml("ListBucketResult", body)

    def _content(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            content = _unchunked(self.rfile)
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_framed = "aws-chunked" in self.headers.get("Content-Encoding", "")
        return _unchunked(io.BytesIO(content)) if is_framed else content

    def _xml(self, name: str, body: str) -> None:
        self._reply(200, f'<?xml version="1.0" encoding="UTF-8"?><{name}>{body}</{name}>'.encode())

    def _fail(self, status: int, code: str, message: str) -> None:
        body = f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>"
        self._reply(status, body.encode())

    def _reply(self, status: int, body: bytes = b"", headers: dict[str, Any] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _unchunked(stream: BinaryIO) -> bytes:
    """The content of chunks, by HTTP or by S3: `size;signature`, the bytes, and so on; the last is empty."""
    parts: list[bytes] = []
    while size := int(stream.readline().partition(b";")[0], 16):
        parts.append(stream.read(size))
        stream.readline()
    while stream.readline().strip():  # checksums
        pass
    return b"".join(parts)
