"""Fixtures that every test may use, and the proof's own figures at the end of a run."""

from __future__ import annotations

import pytest

pytest_plugins = ["proof.fixtures"]


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
