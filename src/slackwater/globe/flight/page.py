"""The network as it is, in a browser of this machine."""

from __future__ import annotations

import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from slackwater.base.diagnostic import EngineError
from slackwater.globe.draw import as_svg
from slackwater.globe.draw.page import as_page
from slackwater.globe.flight.client import Client
from slackwater.globe.model import PeerName


class Traffic:
    """Bytes a second on each link, measured between two looks."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._before: dict[tuple[PeerName, PeerName], int] = {}
        self._then = time.monotonic()

    def rates(self) -> dict[tuple[PeerName, PeerName], float]:
        now, sent = time.monotonic(), self._sent()
        passed = max(now - self._then, 1e-3)
        rates = {link: max(sent[link] - self._before.get(link, 0), 0) / passed for link in sent}
        self._before, self._then = sent, now
        return rates

    def _sent(self) -> dict[tuple[PeerName, PeerName], int]:
        sent: dict[tuple[PeerName, PeerName], int] = {}
        for name, address in self._client.status()["members"].items():
            with suppress(EngineError):
                for to, _, size in self._client.at(address).status()["sent"]:
                    link = (name, to) if name <= to else (to, name)
                    sent[link] = sent.get(link, 0) + size
        return sent


class Page:
    """Serves the picture on a loopback address only."""

    def __init__(self, client: Client, port: int) -> None:
        traffic = Traffic(client)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                try:
                    picture = as_svg(client.deployment(), traffic=traffic.rates())
                except EngineError as error:
                    self.send_error(503, error.diagnostics[0].message)
                    return
                is_page = self.path == "/"
                self.send_response(200)
                kind = "text/html" if is_page else "image/svg+xml"
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.end_headers()
                self.wfile.write((as_page(picture) if is_page else picture).encode())

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port: int = self._server.server_address[1]

    def serve(self) -> None:
        """Until it is interrupted."""
        self._server.serve_forever()

    def close(self) -> None:
        self._server.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.server_close()
