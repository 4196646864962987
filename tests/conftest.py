"""Fixtures that every test may use, and the proof's own figures at the end of a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shipped import built

pytest_plugins = ["proof.fixtures"]


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of this project after `scalesheet build`: one for a run, so only to be read."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shipped"
    shared.mkdir(exist_ok=True)
    return built(shared)


@pytest.fixture(scope="session")
def book_site(checkout: Path) -> Path:
    """The site of the book that ships."""
    return checkout / "build" / "site"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the proof measured: counts, the largest difference, seconds."""
    lines = [
        f"{report.nodeid.rpartition('::')[2]}: "
        + ", ".join(f"{name} {value}" for name, value in report.user_properties)
        for report in terminalreporter.stats.get("passed", [])
        if report.user_properties
    ]
    if lines:
        terminalreporter.section("proved")
        terminalreporter.write_line("\n".join(lines))
