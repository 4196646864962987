"""`serve`: the published site, rebuilt on each change, with errors in terminal and page."""

from __future__ import annotations

import json
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from project import FEW_PAGES, contents, edit, environment, project, remains
from proof.browser import Chromium
from scalesheet import cli
from scalesheet.serve.server import News, Server
from scalesheet.serve.watch import changes, look

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends it as Ctrl-C does")
PATIENCE = 900.0  # seconds, in case of a hang; a build of the small project takes a few


@dataclass
class Serving:
    """A running `scalesheet serve` and what it printed."""

    process: subprocess.Popen[str]
    data: Path
    lines: queue.Queue[str] = field(default_factory=queue.Queue)
    address: str = ""

    def says(self, pattern: str) -> re.Match[str]:
        """Wait for a line that matches."""
        seen = []
        end = time.monotonic() + PATIENCE
        while (left := end - time.monotonic()) > 0:
            try:
                seen.append(self.lines.get(timeout=left))
            except queue.Empty:
                break
            if found := re.search(pattern, seen[-1]):
                return found
            if not seen[-1]:
                break  # the process ended
        raise AssertionError(f"no line like {pattern!r} in {seen}")

    def get(self, path: str, host: str = "localhost") -> tuple[int, str]:
        """The status and body of a response."""
        asked = urllib.request.Request(self.address + path, headers={"Host": host})
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode("utf-8", "replace")

    def stop(self) -> int:
        """Stop it like Ctrl-C; return the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Serving]]:
    """Start `serve` on the small project."""
    started: list[Serving] = []

    def begin() -> Serving:
        process = subprocess.Popen(
            [sys.executable, "-c", FEW_PAGES, "serve", "--port", "0"],
            cwd=tmp_path,
            env=environment(PYTHONUNBUFFERED="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        serving = Serving(process, tmp_path / "data")
        started.append(serving)
        assert process.stdout is not None
        output = process.stdout

        def read() -> None:
            for line in output:
                serving.lines.put(line)
            serving.lines.put("")

        threading.Thread(target=read, daemon=True).start()
        serving.address = serving.says(r"serving (http://127\.0\.0\.1:\d+)/")[1]
        return serving

    yield begin
    for serving in started:
        if serving.process.poll() is None:
            serving.process.kill()
            serving.process.wait()
        if serving.process.stdout is not None:
            serving.process.stdout.close()


def test_only_a_served_page_has_the_reload_script(
    start: Callable[[], Serving], tmp_path: Path
) -> None:
    project(tmp_path)
    serving = start()
    published = (tmp_path / "build" / "site" / "index.html").read_text("utf-8")
    status, served = serving.get("/")
    assert status == 200
    assert served.startswith(published)
    assert "/-scalesheet-/live.js" in served.removeprefix(published)
    assert "-scalesheet-" not in "".join(contents(tmp_path / "build"))
    assert serving.get("/workbooks/small.xlsx")[0] == 200
    assert serving.get("/-scalesheet-/live.js")[0] == 200
    for nowhere in ("/none.html", "/assets/", "/../data/book.yaml", "/-scalesheet-/../book.yaml"):
        assert serving.get(nowhere)[0] == 404
    assert serving.get("/", host="attacker.example")[0] == 421
    assert serving.stop() == 0
    serving.says("^stopped$")
    assert remains(tmp_path) == []


def test_a_change_rebuilds_and_an_error_keeps_the_last_good_site(
    start: Callable[[], Serving], tmp_path: Path
) -> None:
    plan = project(tmp_path) / "plans" / "small" / "plan.yaml"
    serving = start()
    first = json.loads(serving.get("/-scalesheet-/state.json")[1])
    edit(plan, "title: Runs", "title: The runs")
    serving.says(r"changed: data/plans/small/plan\.yaml")
    serving.says("built .*pages")
    second = json.loads(serving.get("/-scalesheet-/state.json")[1])
    assert second["build"] != first["build"]
    assert "The runs" in serving.get("/book/plans/small.html")[1]

    edit(plan, "value: card", "value: crad")
    serving.says(r"data/plans/small/plan\.yaml:\d+:\d+: N002 'crad'")
    serving.says("1 error")
    told = json.loads(serving.get("/-scalesheet-/state.json")[1])
    assert told["build"] == second["build"]
    assert told["title"] == "1 error. This page is from the last successful build."
    assert [problem["code"] for problem in told["problems"]] == ["N002"]
    assert "The runs" in serving.get("/book/plans/small.html")[1]

    edit(plan, "value: crad", "value: card")
    serving.says("built .*pages")
    assert json.loads(serving.get("/-scalesheet-/state.json")[1])["problems"] == []


def test_without_a_good_build_a_page_waits_for_one(
    start: Callable[[], Serving], tmp_path: Path
) -> None:
    edit(project(tmp_path) / "plans" / "small" / "plan.yaml", "value: card", "value: crad")
    serving = start()
    status, page = serving.get("/")
    assert status == 200
    assert "There is no site yet" in page
    assert "live.js" in page
    assert json.loads(serving.get("/-scalesheet-/state.json")[1])["title"] == "1 error."


def test_an_open_page_shows_the_error_and_then_the_new_site(
    start: Callable[[], Serving], tmp_path: Path, chromium: Chromium
) -> None:
    plan = project(tmp_path) / "plans" / "small" / "plan.yaml"
    serving = start()
    page = chromium.browser.new_context().new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{serving.address}/book/plans/small.html")
    panel = page.locator(".scalesheet-live")

    edit(plan, "value: card", "value: <b>crad")
    panel.wait_for(timeout=PATIENCE * 1000)
    text = panel.inner_text()
    assert "1 error. This page is from the last successful build." in text
    assert re.search(r"data/plans/small/plan\.yaml:\d+:\d+", text)
    assert "'<b>crad' is not in hardware" in text
    assert panel.evaluate("e => getComputedStyle(e).position") == "fixed"

    edit(plan, "value: <b>crad", "value: card")
    edit(plan, "title: Runs", "title: The runs")
    page.get_by_text("The runs").first.wait_for(timeout=PATIENCE * 1000)
    assert panel.count() == 0
    assert complaints == []
    page.context.close()


@contextmanager
def listening(site: Path, **options: float) -> Iterator[socket.socket]:
    """A connection to a server with a site of one page."""
    (site / "index.html").write_text("<p>home")
    with Server(site, 0, News(""), **options) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(server.server_address) as client:
            client.settimeout(PATIENCE)
            yield client
        server.shutdown()


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/", "localhost", 200),
        ("/" + "a" * 300, "localhost", 404),
        ("/" + "a" * 300 + ".html", "localhost", 404),
        ("/" + "a/" * 3000, "localhost", 404),
        ("/%00.html", "localhost", 404),
        ("/index.html/a.html", "localhost", 404),
        ("http://[", "localhost", 400),
        ("/", "[::1]:8000", 200),
        ("/", "[::1", 421),
        ("/", "a]b", 421),
        ("/", "", 421),
    ],
)
def test_every_request_is_answered_without_a_traceback(
    path: str, host: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with listening(tmp_path) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        answer = client.makefile("rb").read().decode()
    assert answer.startswith(f"HTTP/1.0 {status} "), answer
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: local"])
def test_a_silent_connection_is_closed(tmp_path: Path, sent: bytes) -> None:
    with listening(tmp_path, patience=0.05) as client:
        client.sendall(sent)
        assert client.recv(1) == b""


def test_a_port_in_use_is_refused_with_a_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = project(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        arguments = ["serve", "--data", str(data), "--out", str(tmp_path / "o"), "--port", port]
        assert cli.main(arguments) == 2
    err = capsys.readouterr().err
    assert f"port {port} is in use; name another with --port" in err
    assert not (tmp_path / "o").exists()


def test_a_change_is_reported_once_files_stop_changing(tmp_path: Path) -> None:
    file = tmp_path / "a"
    steps = iter(["", "half", "whole", "", "", "", "whole and more"])

    def sleep(seconds: float) -> None:
        if text := next(steps, ""):
            file.write_text(text)

    told = changes(lambda: tmp_path.iterdir(), look(tmp_path.iterdir()), 0.1, sleep)
    assert [next(told)[0] for _ in range(2)] == [[file], [file]]
    assert next(steps, None) is None
    assert file.read_text() == "whole and more"
