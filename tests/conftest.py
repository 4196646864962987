"""Fixtures for all tests; which run weekly; the proof's figures at the end of a run."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from project import THOROUGH, draws
from proof import held
from sharing import shared_by
from shipped import built, examined_once

# No time limit per case: a busy machine is not an error.
settings.register_profile(
    "tests", deadline=None, max_examples=draws(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")

pytest_plugins = ["proof.fixtures"]
WEEKLY = pytest.StashKey[int]()  # how many tests were left to the weekly run
LONGEST = ("tests/proof/", "tests/site/", "tests/render/live/", "tests/predict/", "tests/plans/")


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the process and the environment of the programs that tests start.

    Interrupts are enabled, because a shell's background job ignores them and child processes
    inherit that. The garbage collector runs rarely, since books kept for all tests slow it down.
    The program's cache is a folder of this run, so that each run computes everything once. Python
    writes bytecode, or every program would compile every module.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("SCALESHEET_PROCESSES", "1")  # the workers already use all processors
    if "PYTEST_XDIST_WORKER" not in os.environ:
        kept = TemporaryDirectory(prefix="scalesheet-kept-")
        config.add_cleanup(kept.cleanup)
        os.environ["SCALESHEET_CACHE"] = kept.name
    gc.set_threshold(200_000, 20, 100)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave weekly tests to the weekly run. The slowest tests start first, so that no worker is
    left alone with one at the end.
    """
    weekly = [item for item in items if item.get_closest_marker("weekly") and not THOROUGH]
    items[:] = [item for item in items if item not in weekly]
    config.hook.pytest_deselected(items=weekly)
    config.stash[WEEKLY] = len(weekly)
    if hasattr(config, "workeroutput"):  # of pytest-xdist
        config.workeroutput["weekly"] = len(weekly)
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share fixtures run in one worker."""
    from xdist.scheduler import LoadScopeScheduling

    class ByWhatIsShared(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return shared_by(nodeid)

    config.option.loadscopereorder = False  # it would start with the many short ones
    return ByWhatIsShared(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker of pytest-xdist collects the same tests."""
    node.config.stash[WEEKLY] = getattr(node, "workeroutput", {}).get("weekly", 0)


@pytest.fixture(autouse=True, scope="session")
def read_once() -> Iterator[None]:
    """Commands that run in this process reuse the shipped book once it is read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scalesheet.examine.examine", examined_once)
        yield


@pytest.fixture(scope="module")
def few_pages() -> Iterator[None]:
    """Sites without the reference, more than a hundred pages that do not depend on data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scalesheet.render.reference.write_reference", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of this project after `scalesheet build`, shared by the whole run: read only."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shipped"
    shared.mkdir(exist_ok=True)
    return built(shared)


@pytest.fixture(scope="session")
def book_site(checkout: Path) -> Path:
    """The site of the shipped book."""
    return checkout / "build" / "site"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse test modules that import PyTorch without training: it takes seconds in each worker."""
    measuring = any("tests/measure/" in item.nodeid for item in session.items)
    if "torch" in sys.modules and not measuring:
        raise pytest.UsageError("a test module imports PyTorch; tests of it are in tests/measure")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    """Print the number of tests left to the weekly run, and the figures of the proof and of its
    ledger; `make proof` writes the ledger here.
    """
    if weekly := terminalreporter.config.stash.get(WEEKLY, 0):
        terminalreporter.write_line(f"tests left to the weekly run (make weekly): {weekly}")
    passed = terminalreporter.stats.get("passed", [])
    lines = []
    for report in passed:
        told = [f"{name} {value}" for name, value in report.user_properties if name != "ledger"]
        if told:
            lines.append(f"{report.nodeid.rpartition('::')[2]}: {', '.join(told)}")
    lines += held.skipped(terminalreporter.stats.get("skipped", []))
    if held.whole():
        entries = [v for r in passed for name, v in r.user_properties if name == "ledger"]
        lines.append(held.written(entries, exitstatus))
    if lines:
        terminalreporter.section("proved")
        terminalreporter.write_line("\n".join(lines))
