"""Pytest fixtures of the proof: a real LibreOffice, a real Chromium, Node.

A plugin: name it in ``pytest_plugins = ["proof.fixtures"]`` (a test module or the outermost
conftest). If a program is missing, the tests that need it are skipped and listed at the end; if the
environment has ``CI``, they fail, because a proof that did not run proves nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from proof import browser, office
from proof.browser import Chromium
from proof.office import Office

MARK = "NOT PROVED:"


def require(absent: str | None) -> None:
    """Skip the test if something is missing; fail it under CI."""
    if absent is None:
        return
    if os.environ.get("CI", "").lower() not in ("", "0", "false", "no"):
        pytest.fail(f"{MARK} {absent}", pytrace=False)
    pytest.skip(f"{MARK} {absent}")


@pytest.fixture(scope="session", name="office")
def office_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A running LibreOffice that is verified to compute every formula it loads."""
    require(office.missing())
    with Office() as running:
        running.check_recalculates(tmp_path_factory.mktemp("canary"))
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """A running Chromium."""
    require(browser.missing_browser())
    with Chromium() as running:
        yield running


@pytest.fixture
def browser_page(chromium: Chromium) -> Iterator[Page]:
    """An empty page in its own context."""
    page = chromium.new_page()
    yield page
    page.context.close()


@pytest.fixture
def run_javascript(chromium: Chromium) -> Callable[..., Any]:
    """Evaluate classic scripts in Chromium: run_javascript(*scripts) -> JSON."""
    return chromium.run_javascript


@pytest.fixture(scope="session")
def run_node() -> Callable[..., Any]:
    """Evaluate classic scripts in Node: run_node(*scripts) -> JSON."""
    require(browser.missing_node())
    return browser.run_node


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print at the very end what the run did not prove."""
    counts: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if MARK in text:
            reason = text[text.index(MARK) :]
            counts[reason] = counts.get(reason, 0) + 1
    for reason, count in sorted(counts.items()):
        terminalreporter.write_line(f"{reason}  ({count} tests skipped)", red=True, bold=True)
