"""Serves the finished site to this machine, and notifies its pages of each new build.

Pages on disk are exactly as they will be published. A page only gets our script and style sheet
when it is served; both come from this server, so the page's own strict policy allows them.
"""

from __future__ import annotations

import html
import http.server
import json
import os
import sys
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from scalesheet.frozen import dataclass

OURS = "/-scalesheet-/"
_FILES = {"live.js": "text/javascript; charset=utf-8", "live.css": "text/css; charset=utf-8"}
_HERE = Path(__file__).parent
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
PATIENCE = 10.0  # seconds


@dataclass(frozen=True)
class Problem:
    """One error, as the panel shows it."""

    place: str
    code: str
    message: str
    remedy: str


@dataclass(frozen=True)
class News:
    """What a page is notified of: the last good build, and errors since then."""

    build: str
    title: str = ""
    problems: tuple[Problem, ...] = ()


class Server(http.server.ThreadingHTTPServer):
    """Serves `site` on the loopback address only; `news` is what its pages are notified of.

    A connection that is silent for `patience` seconds is closed. Raises OSError if the port is in
    use.
    """

    daemon_threads = True

    def __init__(self, site: Path, port: int, news: News, patience: float = PATIENCE) -> None:
        self.site = site
        self.news = news
        self.patience = patience
        super().__init__(("127.0.0.1", port), partial(Handler, directory=str(site)))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that closed the connection before the response."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files of the site, pages with our script, and the news."""

    server: Server

    def setup(self) -> None:
        self.request.settimeout(self.server.patience)
        super().setup()

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        # A foreign page could reach this server under its own domain name; such names are refused.
        host = _parts(f"//{self.headers.get('Host', '')}")
        if host is None or host.hostname not in _LOOPBACK:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "This server is for this machine only")
            return
        address = _parts(self.path)
        if address is None:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        path = address.path
        if path.startswith(OURS):
            self._ours(path.removeprefix(OURS), body)
            return
        file = Path(self.translate_path(self.path))
        folder = os.path.isdir(file)
        page = _content(file / "index.html" if folder else file)
        if (folder and not path.endswith("/")) or (file.suffix != ".html" and os.path.isfile(file)):
            super().do_GET() if body else super().do_HEAD()
        elif page is not None:
            self._send(page, "text/html; charset=utf-8", body, page=True)
        elif not self.server.site.is_dir():
            self._send(_WAITING.encode(), "text/html; charset=utf-8", body, page=True)
        else:
            message = f"There is no page {html.escape(path)} in this site.".encode()
            self._send(message, "text/html; charset=utf-8", body, HTTPStatus.NOT_FOUND, page=True)

    def _ours(self, name: str, body: bool) -> None:
        if name == "state.json":
            state = json.dumps(asdict(self.server.news), ensure_ascii=False).encode()
            self._send(state, "application/json; charset=utf-8", body)
        elif name in _FILES:
            self._send((_HERE / name).read_bytes(), _FILES[name], body)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send(
        self,
        content: bytes,
        kind: str,
        body: bool,
        status: HTTPStatus = HTTPStatus.OK,
        *,
        page: bool = False,
    ) -> None:
        if page:
            content += _live(self.server.news.build).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: object) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Log nothing: the terminal is for the builds."""


def _parts(address: str) -> SplitResult | None:
    """Parse an address; None if it is invalid."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def _content(page: Path) -> bytes | None:
    """The bytes of a page; None if it does not exist, because a build may remove it at any time."""
    if page.suffix != ".html":
        return None
    try:
        return page.read_bytes()
    except (OSError, ValueError):  # such as a name that is too long, or has a null character
        return None


_WAITING = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>scalesheet</title>"
    "<p>There is no site yet. This page shows it as soon as a build succeeds."
)


def _live(build: str) -> str:
    """The elements after the page's end, where parsers still accept them and no byte of the page
    moves."""
    return (
        f'<link rel="stylesheet" href="{OURS}live.css">'
        f'<script src="{OURS}live.js" data-build="{build}"></script>'
    )
