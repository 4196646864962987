"""The command line: exit status, output streams, and every message about wrong usage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from project import project
from scalesheet import cli
from scalesheet.commands import NAMES
from scalesheet.diagnostics import Diagnostic, as_markdown
from small import HEAD, lay

ROOT = Path(__file__).parents[1]


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(lay(tmp_path, {}))


def run(*arguments: str) -> int:
    try:
        return cli.main(arguments)
    except SystemExit as stopped:
        return int(stopped.code or 0)


#: The arguments that each command needs; it is interrupted before it uses them.
WORDS = {
    **{name: (name,) for name in ("choose", "diff", "pull")},
    "actuals": ("plan", "log.csv"),
    "predict": ("runs", "rows.csv"),
    "law": ("runs.csv",),
    "cut": ("plan", "1.0.0"),
    "bench": ("model",),
    "new": ("hardware", "card"),
}


@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_has_its_own_status_and_mentions_output_if_there_is_any(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module(f"scalesheet.commands.{name}"), "run", stopped)
    assert run(name, *WORDS.get(name, ())) == 130
    kept = "; the output is unchanged" if name in ("build", "serve") else ""
    assert capsys.readouterr() == ("", f"scalesheet: interrupted{kept}\n")


def test_an_interrupted_build_leaves_the_output_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = lay(tmp_path, {}), tmp_path / "out"
    build = ("build", "--no-site", "--data", str(data), "--out", str(out))
    assert run(*build) == 0

    units = Path(data) / "units.yaml"
    units.write_text(f"{units.read_text('utf-8')}# changed\n", "utf-8")

    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}

    before = files()
    stages = []

    def stops(stage: Path, *_: object) -> None:
        stages.append([*stage.rglob("*.xlsx")])
        raise KeyboardInterrupt

    monkeypatch.setattr("scalesheet.fingerprint.write_stamp", stops)  # the last file to be written
    assert run(*build) == 130
    assert stages[0]
    assert files() == before
    assert capsys.readouterr().err.endswith("interrupted; the output is unchanged\n")


def test_check_of_good_data_is_silent_on_standard_output(
    data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", "--data", data) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", "everything holds\n")


def test_check_prints_each_finding_with_place_and_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = lay(tmp_path, {"hardware/card.yaml": "title: A card\nvendor: A\nmemori: 1\n"})
    assert run("check", "--data", str(data)) == 1
    out, err = capsys.readouterr()
    assert f"{data}/hardware/card.yaml:3:1: S001 unknown key 'memori'" in out
    assert "did you mean 'memory'?" in out
    assert "errors" in err


def test_check_prints_json_and_annotations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = lay(tmp_path, {"hardware/card.yaml": ""})
    assert run("check", "--data", str(data), "--format", "json") == 1
    first = json.loads(capsys.readouterr().out)["diagnostics"][0]
    assert (first["code"], first["line"], first["severity"]) == ("Y003", 1, "error")
    assert run("check", "--data", str(data), "--format", "github") == 1
    assert capsys.readouterr().out.startswith("::error file=")


def test_check_lists_old_prices_as_of_another_day_for_an_issue(
    data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", "--data", data, "--as-of", "2035-01-01", "--format", "markdown") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"- `{data}/rates/offer.yaml:")
    assert "** **O001 old price**" not in line
    assert "**O001 " in line
    assert "before 2035-01-01" in line


def test_a_list_for_an_issue_has_no_markup_and_fits() -> None:
    told = [
        Diagnostic(
            f"data/{'x' * 80}.yaml", n, 1, "S001", "unknown <b> 'a_b' [x](y) @all `c`" + "x" * 4000
        )
        for n in range(1000)
    ]
    lines = as_markdown(told).splitlines()
    assert "unknown \\<b\\> 'a\\_b' \\[x\\](y) @\u200ball \\`c\\`" in lines[0]
    assert lines[-1] == f"- and {1000 - len(lines) + 1} more"
    assert sum(map(len, lines)) < 65_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--data", "nowhere"], "there is no data folder 'nowhere'"),
        (
            ["show", "smal"],
            "there is no plan, component, table or entry of the catalogue 'smal'; did you ",
        ),
        (["show", "small", "--set", "cards"], "write NAME=VALUE"),
        (["show", "small", "--set", "crads=2"], "there is no input 'crads'; did you mean 'cards'?"),
        (
            ["show", "small", "--set", "cards=two"],
            "expected a number in GPUs, found 'two'",
        ),
        (
            ["show", "small", "--set", "cards=0"],
            "0 is outside the domain 'count'; write a number that",
        ),
        (["show", "small", "--set", "cards=1e999"], "'1e999' is larger than 1e100"),
        (["show", "small", "--set", "cost=5"], "'cost' is derived"),
        (["show", "small", "--set", "gpu=h100"], "'h100' is not possible here"),
        (["show", "small", "--set", "steps_per_hour=9..3"], "the low end 9 is above"),
        (["show", "small", "--set", "runs['s1k'].hours=3"], "this cell is derived"),
        (["show", "small", "--set", "runs['s2k'].steps=3"], "'s2k' is not a row of runs"),
        (["show", "small", "--as-of", "yesterday"], "'yesterday' is not a date"),
        (["build", "--no-site", "--out", "DATA"], "would replace the data folder"),
        (["bild"], "did you mean 'build'?"),
        (
            ["show", "small", "--sets", "cards=2"],
            "there is no option '--sets'; did you mean '--set'?",
        ),
        (["show", "small", "cards=2"], "'cards=2' is an unexpected argument"),
        (["show", "small", "--format", "jsn"], "did you mean 'json'?"),
        ([], "the following arguments are required"),
    ],
)
def test_wrong_usage_says_what_is_expected(
    data: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [data if part == "DATA" else part for part in arguments]
    known = "--data" in arguments or not arguments or arguments == ["bild"]
    assert run(*arguments, *([] if known else ["--data", data])) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_an_edit_changes_what_depends_on_it(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    def cost(*edits: str) -> float:
        arguments = [part for edit in edits for part in ("--set", edit)]
        assert run("show", "small", "--data", data, "--format", "json", *arguments) == 0
        shown = json.loads(capsys.readouterr().out)["quantities"]["cost"]["value"]
        assert isinstance(shown, float)
        return shown

    assert cost("cards=2") == 2 * cost()
    assert cost("steps_per_hour=1000..4000") != cost()
    assert cost("runs['s1k'].steps=2000") > cost()


def test_show_prints_text_and_csv(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "small", "--data", data, "--set", "cards=2") == 0
    out = capsys.readouterr().out
    assert "changed: cards = 2\n" in out
    assert out.startswith("A small plan\nedition 2026-11-20")
    assert run("show", "small", "--data", data, "--format", "csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("table,row,name,value,low,high,unit,reason,code,kind,source,")
    (steps,) = [line for line in lines if line.startswith("runs,s1k,steps,")]
    assert steps.startswith("runs,s1k,steps,1000,1000,1000,step,,,")


def test_a_folder_that_no_build_made_is_not_replaced(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    (mine / "api").mkdir()
    assert run("build", "--no-site", "--data", data, "--out", str(mine)) == 2
    assert f"'{mine}' was not made by a build" in capsys.readouterr().err
    assert (mine / "thesis.txt").read_text() == "years of work"


def test_an_internal_error_says_so_and_how_to_report_it(
    data: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import scalesheet.examine

    def broken(path: Path, as_of: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(scalesheet.examine, "examine", broken)
    assert run("check", "--data", data) == 1
    err = capsys.readouterr().err
    assert "internal error (I001): RuntimeError: a bug" in err
    assert "Please report it" in err


def test_a_closed_pipe_is_not_an_error(data: str) -> None:
    command = f"{sys.executable} -m scalesheet show small --data {data} | head -1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "A small plan\n"
    assert done.stderr == ""


def test_help_loads_no_heavy_libraries() -> None:
    code = (
        "import sys; from scalesheet import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'pandas', 'pint', 'xlsxwriter', 'yaml', 'jsonschema')"
        " if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_output_is_utf_8_whatever_the_locale(data: str, locale: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scalesheet", "show", "small", "--data", data],
        env={**os.environ, "PYTHONPATH": str(ROOT / "generator"), **locale},
        capture_output=True,
        check=True,
    )
    assert "5.5 [5.0–6.1]" in done.stdout.decode("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="has no umask")
@pytest.mark.parametrize("hidden", [0o077, 0o002])
def test_written_files_respect_the_umask(tmp_path: Path, hidden: int) -> None:
    data = project(tmp_path)
    sources = data / "sources.yaml"
    kept = sources.stat().st_mode
    before = set(tmp_path.rglob("*"))
    mask = os.umask(hidden)
    try:
        out = str(tmp_path / "out")
        assert run("build", "--data", str(data), "--no-site", "--out", out) == 0
        assert run("new", "hardware", "another", "--data", str(data)) == 0
        assert run("new", "source", "another", "--title", "A", "--data", str(data)) == 0
    finally:
        os.umask(mask)
    assert sources.stat().st_mode == kept  # an existing file keeps its mode
    written = set(tmp_path.rglob("*")) - before
    assert {path.suffix for path in written} >= {".xlsx", ".json", ".yaml"}
    for path in written:
        assert path.stat().st_mode & 0o777 == (0o777 if path.is_dir() else 0o666) & ~hidden, path


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("command", [("check",), ("show", "small")])
def test_a_terminal_shows_progress(command: tuple[str, ...], tmp_path: Path) -> None:
    import pty

    plan = f"{HEAD}scalars:\n  a: {{value: 1, unit: 1, kind: decision}}\n"
    lay(tmp_path, {"plans/small/plan.yaml": plan, "plans/small/page.md": "# A plan\n"})
    reader, terminal = pty.openpty()
    process = [sys.executable, "-m", "scalesheet", *command]
    done = subprocess.run(process, cwd=tmp_path, capture_output=False, stdout=-1, stderr=terminal)
    os.close(terminal)
    with os.fdopen(reader, "rb", buffering=0) as screen:
        seen = screen.read(4096).decode()
    assert done.returncode == 0
    assert seen.startswith("\r\x1b[Kreading and checking the data\r\x1b[K")
    piped = subprocess.run(process, cwd=tmp_path, capture_output=True, text=True)
    assert "reading and checking" not in piped.stdout + piped.stderr


SWEEP = "run,N,D,loss\na,25M,1.5B,3.8\nb,70M,6B,3.24\nc,160M,3B,3.19\n"


@pytest.mark.parametrize(
    "words", [("law", "sweep.csv"), ("predict", "memory", "--set", "model=llama-3-1-8b")]
)
def test_commands_that_read_no_plan_use_the_catalogue_outside_a_book(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sweep.csv").write_text(SWEEP, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 0
    assert "no book here; using the catalogue of scalesheet" in capsys.readouterr().err
    assert run(*words, "--data", "mine") == 2
    assert "there is no data folder 'mine'" in capsys.readouterr().err


def test_a_law_is_written_only_into_a_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sweep.csv").write_text(SWEEP, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("law", "sweep.csv", "--write", "mine") == 2
    assert "there is no data folder 'data'" in capsys.readouterr().err
