"""`scalesheet links` requests each address from a real local server and reports the result."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scalesheet import cli
from scalesheet.links import addresses
from scalesheet.load import load
from small import lay

SHIPPED = Path(__file__).parents[1] / "data"

#: The server's answers by path: status, and address of a redirect.
ANSWERS = {
    "/good": (200, ""),
    "/gone": (410, ""),
    "/private": (403, ""),
    "/broken": (500, ""),
    "/moved": (301, "/moved-again"),
    "/moved-again": (308, "/good"),
    "/detour": (302, "/good"),
    "/lost": (301, "/nowhere"),
    "/circle": (302, "/circle"),
    "/file": (302, "file:///etc/passwd"),
}
#: The code and words of the message for each address that is reported.
EXPECTED = {
    "gone": ("L001", "answers 410, gone; find where the text is now"),
    "nowhere": ("L001", "answers 404, not found"),
    "lost": ("L001", "answers 404, not found"),
    "private": ("L002", "answers 403, forbidden; open it in a browser"),
    "broken": ("L002", "answers 500"),
    "slow": ("L002", "no answer within 3 seconds"),
    "circle": ("L002", "redirects more than 8 times"),
    "file": ("L002", "redirects to something that is not a page"),
    "deaf": ("L002", "no connection (Connection refused)"),
    "moved": ("L003", "has moved to"),
}


class Handler(BaseHTTPRequestHandler):
    asked: list[str]
    over: threading.Event

    def do_HEAD(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        if self.path == "/slow":
            self.over.wait(20)
            return
        status, onward = ANSWERS.get(self.path.partition("?")[0], (404, ""))
        if self.path == "/headless":
            status = 200 if self.command == "GET" else 405
        self.send_response(status)
        if onward:
            self.send_header("Location", onward)
        self.end_headers()

    do_GET = do_HEAD  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    over = threading.Event()
    handler = type("Own", (Handler,), {"asked": asked, "over": over})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}", asked
        over.set()
        httpd.shutdown()
        thread.join()


def links(data: Path, *more: str) -> int:
    return cli.main(["links", "--data", str(data), "--patience", "3", "--pause", "0", *more])


def test_each_address_is_requested_once_and_reported_at_its_place(
    server: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, asked = server
    named = {key: f"{root}/{key}" for key in (*EXPECTED, "good", "detour", "headless")}
    named |= {"deaf": "http://127.0.0.1:1/", "part": f"{root}/good#part", "odd": f"{root}/good?é=1"}
    lines = [f'  {key}: {{title: A, url: "{url}"}}' for key, url in named.items()]
    data = lay(tmp_path, {"sources.yaml": "\n".join(["sources:", *lines, ""])})
    assert links(data, "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)["diagnostics"]
    by_line = {each["line"]: each for each in told}
    found = {key: by_line.get(at + 2) for at, key in enumerate(named)}
    assert {key for key, each in found.items() if each} == set(EXPECTED)
    for key, (code, words) in EXPECTED.items():
        each = found[key]
        assert each is not None
        assert each["code"] == code, each
        assert words in each["message"], each
        assert each["remedy"]
    moved = found["moved"]
    assert moved is not None
    assert f"has moved to {root}/good;" in moved["message"]
    assert asked.count("HEAD /headless") == asked.count("GET /headless") == 1
    assert "GET /good" not in asked


def test_warnings_alone_succeed_and_markdown_mentions_nobody(
    server: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = server
    url = f"{root}/private?@someone"
    data = lay(tmp_path, {"sources.yaml": f'sources:\n  a: {{title: A, url: "{url}"}}\n'})
    assert links(data, "--format", "markdown") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"- `{data}/sources.yaml:2:")
    assert "**L002 address could not be read**" in line
    assert "@someone" not in line
    assert links(data) == 0
    assert "1 address checked: 1 warning" in capsys.readouterr().err
    assert links(data, "--patience", "0") == 2


def test_the_shipped_book_has_hundreds_of_distinct_addresses() -> None:
    found = addresses(load(SHIPPED)[0])
    assert len(found) > 300
    assert all(url.startswith("http") and "#" not in url for url in found)
