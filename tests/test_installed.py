"""The program installed from a wheel, in an empty folder, without the repository and its data."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from functools import cache
from pathlib import Path

import openpyxl
import pytest
import yaml

from project import ROOT, edit, environment
from scalesheet.source.places import CLAIMS, FOLDER_OF
from shipped import checkout
from test_distribution import git

#: Proxies that do not answer.
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")


@cache
def without_network() -> tuple[str, ...]:
    """The prefix that runs a command without a network, or nothing if this machine lacks it."""
    alone = ("unshare", "--map-root-user", "--net")
    if shutil.which("unshare") is None:
        return ()
    return alone if subprocess.run([*alone, "true"], capture_output=True).returncode == 0 else ()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, and with the dependencies of the current one."""
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
    # a folder in a .pth file adds its packages, but not the folders in its own .pth files
    (for_it / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return for_it


def _run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _environment() -> dict[str, str]:
    return {k: v for k, v in environment(**NOWHERE).items() if k != "PYTHONPATH"}


class Outsider:
    """A user with only the wheel and an empty folder, and no network."""

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

    def serves(self) -> str:
        """The front page from `serve`, which runs with this machine's network."""
        serving = subprocess.Popen(
            [str(self.program), "serve", "--port", "0"],
            cwd=self.folder,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert serving.stdout is not None
        with serving:
            try:
                said = iter(serving.stdout)
                found = (re.search(r"http://\S+?:\d+", line) for line in said)
                address = next((each[0] for each in found if each), None)
                assert address is not None, "it ended"
                opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
                with opener.open(address, timeout=600) as answer:
                    return str(answer.read().decode("utf-8"))
            finally:
                serving.send_signal(signal.SIGINT)
                serving.stdout.read()


@pytest.fixture
def outsider(installed: Path, tmp_path: Path) -> Outsider:
    return Outsider(installed, tmp_path)


def test_commands_of_the_wheel_have_no_network() -> None:
    if not without_network():
        pytest.skip("no 'unshare' here: the wheel was run with dead proxies, not without a network")
    ask = "import urllib.request; urllib.request.urlopen('http://192.0.2.1', timeout=5)"
    done = subprocess.run([*without_network(), sys.executable, "-c", ask], capture_output=True)
    assert b"unreachable" in done.stderr


def test_the_wheel_includes_the_catalogue_and_one_plan(installed: Path) -> None:
    brought = installed / "scalesheet" / "shipped"
    assert sorted(path.name for path in (brought / "data" / "plans").iterdir()) == ["calculator"]
    mine = {path.name for path in (ROOT / "data" / "rates").glob("*.yaml")}
    assert {path.name for path in (brought / "data" / "rates").glob("*.yaml")} == mine


def test_correcting_a_price_takes_one_file(outsider: Outsider) -> None:
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


def test_a_missing_book_is_reported(outsider: Outsider) -> None:
    outsider("init")
    book = outsider.folder / "data" / "book.yaml"
    book.write_text(book.read_text("utf-8").replace("extends: scalesheet", "extends: scalesheat"))
    told = outsider("check", status=1)
    assert "data/book.yaml:3:10: Y012 there is no book 'scalesheat' to extend" in told


#: A user's plan with predicted memory and time.
OWN = """\
title: Our plan
summary: One model is tuned. What memory does it need, and what does it cost?
headline: [cost, memory]
scalars:
  cost: {unit: USD, formula: runs.total.cost}
  memory: {unit: GB, formula: max(steps.peak)}
tables:
  runs:
    of: training-run
    rows: {tune: {model: llama-3-1-8b}}
    with: {tokens: 20_000_000 token, method: QLoRA, offer: runpod-secure-h100-sxm, gpus: 1}
    total: [cost]
  steps:
    of: step-memory
    rows: {tune: {model: llama-3-1-8b, method: QLoRA, weights_precision: nf4}}
"""
PAGE = (ROOT / "docs" / "own-book.md").read_text("utf-8")
#: A command in a block or in a sentence, a file to write, and a change to a file.
STEP = re.compile(
    r'^```(?P<how>yaml|diff) title="(?P<place>[^"]+)"\n(?P<text>.*?)^```$'
    r"|^\$ (?P<line>[^\n]+)$|`(?P<inline>scalesheet [^`]+)`",
    re.MULTILINE | re.DOTALL,
)
#: Values for the placeholders on the page.
MEANT = {"NAME": "ours", "TEXT": "Ours", "ID": "h100-sxm", "LOG": "log.csv"}
LOG = "phase,state,start,end,gpus,cost\nsmall,done,2026-11-02T10:00,2026-11-02T10:40,1,0.61\n"


def follow_the_page(outsider: Outsider) -> set[str]:
    """Follow the page from top to bottom; return the commands in it."""
    had = set()
    for step in STEP.finditer(PAGE):
        command = step["line"] or step["inline"]
        place = outsider.folder / (step["place"] or "")
        if step["how"] == "diff":
            lines = step["text"].splitlines()
            old, new = ("\n".join(x[1:] for x in lines if x[:1] != sign) for sign in "+-")
            edit(place, f"{old}\n", f"{new}\n")
        elif step["how"] and place.name == "book.yaml":
            ours, shown = (yaml.safe_load(x) for x in (place.read_text("utf-8"), step["text"]))
            assert {**ours, "edition": "a day"} == {**shown, "edition": "a day"}
        elif step["how"]:
            place.parent.mkdir(exist_ok=True)
            place.write_text(step["text"], "utf-8")
        elif command.startswith("cd "):
            outsider.folder /= command.removeprefix("cd ")
            git(outsider.folder, "init", "--initial-branch=main")
            git(outsider.folder, "add", ".")
            git(outsider.folder, "commit", "--message=A book")
            (outsider.folder / "log.csv").write_text(LOG, "utf-8")
            own = outsider.folder / "data" / "plans" / "own"
            own.mkdir()
            (own / "plan.yaml").write_text(OWN, "utf-8")
        else:
            words = [MEANT.get(word, word) for word in shlex.split(command)[1:]]
            had.add(words[0])
            if words == ["build"]:
                continue  # at the end, after the rest of the page
            if words[:2] == ["new", "KIND"]:
                for kind in (*FOLDER_OF, CLAIMS):
                    outsider("new", kind, "own" if kind == CLAIMS else "anew")
            elif words[0] == "serve":
                assert "Our plans" in outsider.serves()
            else:
                if words[0] == "pull":
                    changed(outsider.folder / words[1], "seeds", 4)
                outsider(*words)
                if words[0] == "pull":
                    plan = outsider.folder / "data" / "plans" / "first" / "plan.yaml"
                    assert "seeds: {value: 4," in plan.read_text("utf-8")
    return had


def changed(workbook: Path, input: str, value: float) -> None:
    """Put a value into the cell of an input, as a person would in a spreadsheet."""
    book = openpyxl.load_workbook(workbook)
    [(sheet, cell)] = book.defined_names[input].destinations
    book[sheet][cell].value = value
    book.save(workbook)


@pytest.mark.weekly
def test_the_page_about_own_books_works_with_the_wheel_alone(outsider: Outsider) -> None:
    had = follow_the_page(outsider)
    assert had >= {"init", "show", "serve", "build", "pull", "new", "actuals", "diff", "lock"}
    assert "Llama" in outsider("choose", "llama-3-1-8b", "--tokens", "1B", "--deadline", "2 day")
    case = ("model=llama-3-1-8b", "method=qlora", "hardware=rtx4090")
    outsider("predict", "memory", *(word for each in case for word in ("--set", each)))
    rows = outsider.folder / "rows.csv"
    rows.write_text("id,model,hardware,n_gpus,tokens\na,llama-3-1-8b,H100,8,1e9\n", "utf-8")
    assert "1 row, 1 predicted" in outsider("predict", "runs", "rows.csv")
    assert "--set" not in outsider("show", "first", "--set", "seeds=5", "--set", "cap=1")
    outsider("bench", "--help")
    assert "is out of date" in outsider("fit", "--check", status=1)  # it has its own runs now
    told = outsider("check").splitlines()
    assert {line.split()[1] for line in told if ".yaml:" in line} == {"N010"}, told
    outsider("build")
    pages = outsider.folder / "build" / "site" / "book"
    assert {path.stem for path in pages.rglob("*.html")} >= {"own", "first", "anew"}
