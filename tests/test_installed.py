"""The program as a wheel brings it: in an empty folder, without the repository and its data."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from functools import cache
from pathlib import Path

import pytest

from project import ROOT, environment
from proof.ledger import share
from shipped import checkout

#: Where nothing answers, for programs that would ask a proxy.
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")


@cache
def without_network() -> tuple[str, ...]:
    """How a command is run without a network, where this machine can do so."""
    alone = ("unshare", "--map-root-user", "--net")
    if shutil.which("unshare") is None:
        return ()
    return alone if subprocess.run([*alone, "true"], capture_output=True).returncode == 0 else ()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; what it depends on is that of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    source = checkout(folder / "source", code=True)
    build = (
        "from setuptools.build_meta import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    )
    _run([sys.executable, "-c", build, str(folder)], cwd=source)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    _run([*pip, "--no-index", "--no-deps", "--disable-pip-version-check", str(wheel)], cwd=folder)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    for_it = Path(_run([str(python), "-c", where], cwd=folder).strip())
    # a folder named by a .pth brings its packages, but not what its own .pth files name
    (for_it / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return for_it


def _run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _environment() -> dict[str, str]:
    return {k: v for k, v in environment(**NOWHERE).items() if k != "PYTHONPATH"}


class Outsider:
    """Someone who has the wheel and an empty folder, and no network."""

    def __init__(self, installed: Path, folder: Path) -> None:
        self.installed, self.folder = installed, folder
        self.program = installed.parents[2] / "bin" / "scalesheet"

    def __call__(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [*without_network(), str(self.program), *arguments],
            cwd=self.folder,
            env=_environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, (arguments, done.stdout[-1500:], done.stderr[-3000:])
        return done.stdout + done.stderr


@pytest.fixture
def outsider(installed: Path, tmp_path: Path) -> Outsider:
    return Outsider(installed, tmp_path)


def test_the_wheel_brings_the_catalogue_and_one_plan(installed: Path) -> None:
    brought = installed / "scalesheet" / "shipped"
    assert sorted(path.name for path in (brought / "data" / "plans").iterdir()) == ["calculator"]
    mine = {path.name for path in (ROOT / "data" / "rates").glob("*.yaml")}
    assert {path.name for path in (brought / "data" / "rates").glob("*.yaml")} == mine


def test_from_an_empty_folder_to_a_workbook_and_an_answer(outsider: Outsider) -> None:
    assert "wrote data/plans/first/plan.yaml" in outsider("init")
    assert "everything holds" in outsider("check")
    assert "Cost: left below the limit" in outsider("show", "first")
    assert "--set" not in outsider("show", "first", "--set", "seeds=5", "--set", "cap=1")
    assert "Llama" in outsider("choose", "llama-3-1-8b", "--tokens", "1B", "--deadline", "2 day")
    rows = outsider.folder / "rows.csv"
    with rows.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ["id", "model", "hardware", "n_gpus", "tokens"],
                ["a", "llama-3-1-8b", "H100", "8", "1e9"],
            ]
        )
    assert "1 row, 1 predicted" in outsider("predict", "runs", "rows.csv")
    outsider("fit", "--check")
    kinds = ("hardware", "rate", "model", "formula", "plan", "node", "provider", "table")
    for kind in share(kinds, 2):
        outsider("new", kind, f"my{kind}")
    told = outsider("check").splitlines()
    assert {line.split()[1] for line in told if ".yaml:" in line} == {"N010"}, told
    outsider("build", "--no-site")
    assert (outsider.folder / "build" / "workbooks" / "first.xlsx").is_file()


def test_a_corrected_price_is_one_file(outsider: Outsider) -> None:
    outsider("init")

    def cost() -> float:
        shown = json.loads(outsider("show", "first", "--format", "json"))
        return float(shown["quantities"]["cost"]["value"])

    before = cost()
    theirs = outsider.installed / "scalesheet" / "shipped" / "data" / "rates"
    offer = (theirs / "runpod-secure-h100-sxm.yaml").read_text("utf-8")
    mine = outsider.folder / "data" / "rates" / "runpod-secure-h100-sxm.yaml"
    mine.parent.mkdir()
    mine.write_text(re.sub(r"price: [0-9.]+", "price: 2.5", offer), "utf-8")
    assert cost() == pytest.approx(before * 2.5 / 3.99)


def test_a_book_that_is_not_there_is_told(outsider: Outsider) -> None:
    outsider("init")
    book = outsider.folder / "data" / "book.yaml"
    book.write_text(book.read_text("utf-8").replace("extends: scalesheet", "extends: scalesheat"))
    told = outsider("check", status=1)
    assert "data/book.yaml:3:10: Y012 there is no book 'scalesheat' to extend" in told
