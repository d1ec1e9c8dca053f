"""An S3 that others have written: moto, over HTTP, on a port of this machine."""

from __future__ import annotations

import logging
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from moto.server import ThreadedMotoServer

from storage.s3_server import Bucket


@contextmanager
def moto_bucket() -> Iterator[Bucket]:
    """A bucket of a moto server, empty; only its URIs are of use, the objects are elsewhere."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it logs every request
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        base = f"http://{host}:{port}"
        for path, method in (("/moto-api/reset", "POST"), ("/bucket", "PUT")):
            urllib.request.urlopen(urllib.request.Request(base + path, method=method)).close()
        yield Bucket(port=port)
    finally:
        server.stop()
