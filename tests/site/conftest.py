"""Fixtures: a site built once per engine, and a browser that records requests and errors."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest
from playwright.sync_api import Browser
from sample_site import Site, build, write_pages

from proof.browser import Chromium, Scheme, Visit
from proof.ledger import share
from scalesheet.site import Engine


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def sample_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("sample") / "pages")


@pytest.fixture(scope="session", params=share(get_args(Engine), 2))
def site(
    request: pytest.FixtureRequest, sample_pages: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp(request.param) / "site"
    report = build(folder, request.param, sample_pages)
    handler = functools.partial(_Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Site(request.param, folder, report, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


@pytest.fixture(scope="session")
def browser(chromium: Chromium) -> Browser:
    return chromium.browser


@pytest.fixture
def visit(chromium: Chromium) -> Iterator[Callable[..., Visit]]:
    """Open pages: `visit(address, scheme="dark", width=360)`."""

    def open_page(
        address: str, scheme: Scheme = "light", width: int = 1280, scripts: bool = True
    ) -> Visit:
        return chromium.visit(address, scheme=scheme, motion="reduce", width=width, scripts=scripts)

    yield open_page
    chromium.leave()
