"""What must hold for all data, workbooks, arguments, addresses and requests, however broken.

`check` accepts or refuses and never crashes; `build` builds whatever it accepts; `pull` changes
nothing if it refuses; readers never see NaN. `make test` tries a few hundred cases from one seed,
the weekly workflow ten thousand from another: SCALESHEET_FUZZ sets how many, and
SCALESHEET_FUZZ_SEED the seed. The message of a failure has both.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from fuzz.mutations import edit_of, mutate_data, mutate_workbook, request_of
from project import contents, project, timed
from render.sample import write_sample
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.examine import examine
from scalesheet.serve.server import News, Server
from scalesheet.source.places import FOLDER_OF

CASES = int(os.environ.get("SCALESHEET_FUZZ", "300"))
SEED = int(os.environ.get("SCALESHEET_FUZZ_SEED", "0"))
#: Data cases, the largest group, are split so that test processes can share them.
PARTS = 4
#: The share of each kind among all cases.
SHARES = {"data": 0.5, "set": 0.2, "pull": 0.12, "address": 0.1, "request": 0.08}
#: One accepted book in this many is built with its site, which needs a second generator.
SITE_EVERY = 40


def cases(kind: str, part: int = 0, parts: int = 1) -> Iterator[random.Random]:
    """A seeded random generator per case; `rng.case` says how to repeat the case."""
    for number in range(part, int(CASES * SHARES[kind]), parts):
        rng = random.Random(f"{SEED} {kind} {number}")
        rng.case = f"case {number} of {kind}, SCALESHEET_FUZZ_SEED={SEED}"  # type: ignore[attr-defined]
        yield rng


def run(*arguments: str) -> tuple[int, str]:
    """Run a command in this process; return its exit status and everything it printed."""
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        try:
            status = main(arguments)
        except SystemExit as leaving:  # raised by argparse
            status = leaving.code if isinstance(leaving.code, int) else 2
    return status, said.getvalue()


def sound(said: str, status: int, case: str) -> None:
    """Fail unless the result is success, findings or wrong usage, without an internal error."""
    assert "internal error" not in said, f"{case}\n{said[-3_000:]}"
    assert "Traceback" not in said, f"{case}\n{said[-3_000:]}"
    assert status in (0, 1, 2), case


@pytest.fixture(scope="session")
def books(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Valid projects to mutate: the smallest one, one with a bit of everything, and one with a file
    of each kind from `new`."""
    small, sample, whole = (tmp_path_factory.mktemp(name) for name in ("small", "sample", "whole"))
    project(small)
    project(sample)
    shutil.rmtree(sample / "data")
    write_sample(sample / "data")
    project(whole)
    for kind in FOLDER_OF:
        before = shutil.copytree(whole / "data", whole / "before", dirs_exist_ok=True)
        run("new", kind, f"a-{kind}", "--data", str(whole / "data"))
        if run("check", "--data", str(whole / "data"))[0]:  # it has blanks to fill in
            shutil.rmtree(whole / "data")
            shutil.copytree(before, whole / "data")
        shutil.rmtree(before)
    return small, sample, whole


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_check_accepts_builds(part: int, books: tuple[Path, ...], tmp_path: Path) -> None:
    accepted = 0
    for rng in cases("data", part, PARTS):
        base = rng.choice(books)
        here = tmp_path / "project"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(base, here)
        done = f"{rng.case}: {base.name}/{mutate_data(rng, here / 'data')}"  # type: ignore[attr-defined]
        status, said = run("check", "--data", str(here / "data"))
        sound(said, status, done)
        if status == 0:
            accepted += 1
            site = ["--no-site"] if accepted % SITE_EVERY else []
            status, said = run(
                "build", *site, "--data", str(here / "data"), "--out", str(here / "build")
            )
            sound(said, status, done)
            assert status == 0, f"check accepts and build refuses: {done}\n{said[-3_000:]}"
            for file in (here / "build").rglob("plans/*.json"):
                json.loads(file.read_text("utf-8"), parse_constant=_no_constant)
    assert accepted, "every case was refused, so no build was tried"


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} in JSON")


@pytest.fixture(scope="module")
def sample(
    books: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory, few_pages: None
) -> Path:
    """A built project that no test changes."""
    here = tmp_path_factory.mktemp("built") / "project"
    shutil.copytree(books[1], here)
    build(here / "data", here / "build")
    return here


def test_an_edit_on_the_command_line_is_accepted_or_refused(sample: Path) -> None:
    book = examine(sample / "data").book
    assert book is not None
    names = tuple(book.plans["small"].scalars)
    taken = 0
    for rng in cases("set"):
        edits = [edit_of(rng, names) for _ in range(rng.choice((1, 1, 2)))]
        options = [part for edit in edits for part in ("--set", edit)]
        status, said = run(
            "show", "small", "--data", str(sample / "data"), "--format", "json", *options
        )
        case = f"{rng.case}: {edits}"  # type: ignore[attr-defined]
        sound(said, status, case)
        if status == 0:
            taken += 1
            json.loads(said, parse_constant=_no_constant)
    assert taken


def test_a_workbook_is_pulled_completely_or_not_at_all(sample: Path, tmp_path: Path) -> None:
    pulled = 0
    for rng in cases("pull"):
        here = tmp_path / "project"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(sample / "data", here / "data")
        workbook = tmp_path / "edited.xlsx"
        done = mutate_workbook(rng, sample / "build" / "workbooks" / "small.xlsx", workbook)
        case = f"{rng.case}: {done}"  # type: ignore[attr-defined]
        before = contents(here / "data")
        status, said = run("pull", str(workbook), "--dry-run", "--data", str(here / "data"))
        sound(said, status, case)
        assert contents(here / "data") == before, f"a dry run wrote: {case}"
        status, said = run("pull", str(workbook), "--data", str(here / "data"))
        sound(said, status, case)
        if contents(here / "data") != before:
            pulled += 1
            status, said = run("check", "--data", str(here / "data"))
            assert status == 0, f"pulled what check refuses: {case}\n{said[-3_000:]}"
    assert pulled


def test_a_page_shows_numbers_whatever_is_in_its_address(sample: Path, browser_page: Page) -> None:
    book = examine(sample / "data").book
    assert book is not None
    names = tuple(book.plans["small"].scalars)
    page = sample / "build" / "site" / "book" / "plans" / "small.html"
    wrong: list[str] = []
    browser_page.on("pageerror", lambda error: wrong.append(str(error)))
    for rng in cases("address"):
        edits = [edit_of(rng, names)[:500] for _ in range(rng.choice((1, 1, 3)))]
        query = "&".join(
            quote(edit, safe="=") if rng.random() < 0.8 else quote(edit, safe="=%&+")
            for edit in edits
        )
        browser_page.goto(f"{page.as_uri()}?{query}")
        case = f"{rng.case}: {edits}"  # type: ignore[attr-defined]
        assert wrong == [], f"{case}: {wrong}"
        text = browser_page.inner_text("main, article, body")
        assert not re.search(r"\b(NaN|undefined|Infinity)\b", text), case


def test_a_server_answers_every_request(sample: Path) -> None:
    site = sample / "build" / "site"
    places = tuple(
        "/" + path.relative_to(site).as_posix() for path in sorted(site.rglob("*"))[:200]
    )
    said = StringIO()
    server = Server(site, 0, News("1"))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with redirect_stderr(said):
            for rng in cases("request"):
                method, target, headers = request_of(rng, places)
                case = f"{rng.case}: {method} {target[:80]} {headers}"  # type: ignore[attr-defined]
                status = _asked(server.server_address[1], method, target, headers)
                assert 200 <= status < 600, case
                assert status != 500, case
                assert said.getvalue() == "", f"{case}\n{said.getvalue()}"
    finally:
        server.shutdown()
        server.server_close()


def _asked(port: int, method: str, target: str, headers: Any) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection._http_vsn_str = "HTTP/1.0"  # the response ends when the connection closes
    try:
        connection.putrequest(method, "/", skip_host=True, skip_accept_encoding=True)
        line = f"{method} {target} HTTP/1.0".encode("latin-1", "replace")
        connection._buffer[0] = line.translate(None, b"\r\n")  # sent unchanged
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


# ------------------------------------------------------------------ growth

#: Content of a file, repeated FEW times and four times as often.
REPEATED: dict[str, Callable[[int], tuple[str, str]]] = {
    "conflict marks": lambda n: ("book.yaml", "<<<<<<< a\n" * n),
    "open brackets": lambda n: ("book.yaml", "title: " + "[" * n),
    "unknown keys": lambda n: ("book.yaml", "".join(f"key_{k}: 1\n" for k in range(n))),
    "unknown names": lambda n: (
        "plans/small/plan.yaml",
        "title: A\nsummary: B.\nsource: a-paper\nscalars:\n"
        + "".join(f"  s{k}: {{unit: 1, formula: t{k} + 1}}\n" for k in range(n)),
    ),
    "terms": lambda n: (
        "plans/small/plan.yaml",
        "title: A\nsummary: B.\nsource: a-paper\nscalars:\n"
        + f"  s: {{unit: 1, formula: {' + '.join(['1'] * n)}}}\n",
    ),
    "rows": lambda n: (
        "plans/small/plan.yaml",
        "title: A\nsummary: B.\nsource: a-paper\ntables:\n  t:\n    title: T\n    columns:\n"
        "      x: {unit: 1, kind: decision}\n      y: {unit: 1, formula: x * 2}\n    rows:\n"
        + "".join(f"      r{k}: {{x: {k}}}\n" for k in range(n)),
    ),
}
FEW, TIMES = 500, 4


@pytest.mark.weekly
@pytest.mark.parametrize("what", REPEATED)
def test_time_and_findings_are_linear_in_the_file(what: str, tmp_path: Path) -> None:
    took, found = [], []
    for number in (FEW, FEW * TIMES):
        data = project(tmp_path / str(number))
        name, text = REPEATED[what](number)
        (data / name).write_text(text, "utf-8")
        seconds, (status, said) = timed(run, "check", "--data", str(data))
        took.append(seconds)
        found.append(said.count("\n"))
        sound(said, status, what)
    # linear growth gives 4, quadratic 16
    assert took[1] <= 10 * max(took[0], 0.1), took
    assert found[1] <= 5 * max(found[0], 10), found
