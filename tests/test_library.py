"""scalesheet from Python: the documented examples work, and the numbers match the commands."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import scalesheet
from project import ROOT
from scalesheet.cli import main
from scalesheet.diagnostics import Refused
from scalesheet.load.folder import shown

PAGE = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")


@pytest.fixture(scope="module")
def book() -> scalesheet.Book:
    return scalesheet.open_book(ROOT / "data")


def printed(*arguments: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        main([*arguments, "--data", str(ROOT / "data")])
    return out.getvalue()


def test_the_examples_on_the_page_print_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    blocks = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
    for code, output in blocks.findall(PAGE):
        out = io.StringIO()
        with redirect_stdout(out):
            exec(code, names)
        assert not output or out.getvalue() == output


def test_a_plan_has_the_figures_of_show(book: scalesheet.Book) -> None:
    edits = ["--set", "seeds=5", "--set", "bases['llama'].gpus=4"]
    shown = json.loads(printed("show", "support-model", "--format", "json", *edits))
    plan = book.plan("support-model").set(seeds=5).set({"bases['llama'].gpus": 4})
    for name, figure in shown["quantities"].items():
        quantity = plan[name]
        assert quantity.value == figure["value"], name
        assert quantity.title == figure["title"]
    runs = plan.table("runs")
    rows = shown["tables"]["runs"]["rows"]
    assert list(runs.index) == [row["id"] for row in rows]
    assert runs["cost"].tolist() == [row["cells"]["cost"]["value"] for row in rows]
    assert (runs["cost_low"] <= runs["cost"]).all()
    assert runs.attrs["units"]["cost_high"] == "USD"
    assert plan["runs['h100--llama--all'].cost"].value == runs.loc["h100--llama--all", "cost"]


def test_an_edit_leaves_the_original_plan_unchanged(book: scalesheet.Book) -> None:
    plan = book.plan("support-model")
    before = float(plan["cost"])
    assert float(plan.set(seeds=6)["cost"]) == pytest.approx(2 * before)
    assert float(plan["cost"]) == before


def test_parts_of_a_frame_are_predicted_like_the_whole(
    book: scalesheet.Book, tmp_path: Path
) -> None:
    frame = pd.DataFrame(
        {
            "model": ["llama-3-1-8b", "unheard-of", "mistral-7b-v0-3", "llama-3-1-8b"] * 5,
            "hardware": ["H100", "H100", "A100", None] * 5,
            "n_gpus": [8, 8, 16, 8] * 5,
            "tokens": np.linspace(1e9, 1e11, 20),
        }
    )
    whole = book.predict(frame, "runs")
    parts = pd.concat([book.predict(part, "runs") for part in (frame[:7], frame[7:])])
    pd.testing.assert_frame_equal(whole, parts)
    assert (whole["predicted"].isna() == (whole["unsupported_because"] != "")).all()
    file = tmp_path / "cases.csv"
    frame.assign(id=range(20)).to_csv(file, index=False)
    command = pd.read_csv(io.StringIO(printed("predict", "runs", str(file))))
    np.testing.assert_allclose(whole["predicted"], command["predicted"], rtol=1e-5)


def test_unread_columns_are_named(book: scalesheet.Book) -> None:
    frame = pd.DataFrame({"model": ["llama-3-1-8b"], "hardware": ["H100"], "peak": [3.0]})
    assert book.predict(frame, "memory").attrs["unread"] == ("peak",)
    with pytest.warns(UserWarning, match=r"ignored columns: gpu \(did you mean 'hardware'"):
        book.predict(frame.assign(gpu="H100"), "memory")


def test_choose_gives_the_same_answer_as_the_command(book: scalesheet.Book) -> None:
    asked = ["llama-3-1-8b", "--tokens", "1e9", "--deadline", "3 day", "--format", "json"]
    made = book.choose("llama-3-1-8b", tokens=1e9, deadline="3 day")
    assert made == json.loads(printed("choose", *asked))


@pytest.mark.parametrize("name", ["load", "predict", "choose"])
@pytest.mark.parametrize("first", ["scalesheet", "scalesheet.{}", "scalesheet.library"])
def test_a_package_is_callable_whatever_is_imported_first(name: str, first: str) -> None:
    code = (
        f"import {first.format(name)}, scalesheet as ss, sys\n"
        f"assert ss.{name} is sys.modules['scalesheet.{name}']\n"
        f"try: ss.{name}(nothing=1)\n"
        "except TypeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "unexpected keyword argument 'nothing'" in done.stdout or "missing" in done.stdout


def test_functions_of_the_package_match_methods_of_a_book(book: scalesheet.Book) -> None:
    loaded = scalesheet.load(ROOT / "data")
    assert loaded.plan("support-model")["cost"] == book.plan("support-model")["cost"]
    frame = pd.DataFrame({"model": ["llama-3-1-8b"], "hardware": ["H100"], "tokens": [1e9]})
    whole = book.predict(frame, "memory")
    for each in (book, ROOT / "data", str(ROOT / "data"), None):
        pd.testing.assert_frame_equal(scalesheet.predict(frame, "memory", book=each), whole)
    made = scalesheet.choose("llama-3-1-8b", tokens=1e9, deadline="3 day")
    assert made == book.choose("llama-3-1-8b", tokens=1e9, deadline="3 day")


def test_an_unknown_name_suggests_the_nearest(book: scalesheet.Book) -> None:
    plan = book.plan("support-model")
    whole = book.plan("pixelis")
    assert whole["total.budget"].value == whole["phases.total.budget"].value
    with pytest.raises(KeyError, match="did you mean 'cost'"):
        plan["cots"]
    with pytest.raises(ValueError, match="did you mean 'seeds'"):
        plan.set(sedes=1)
    with pytest.raises(ValueError, match="outside the domain 'count'"):
        plan.set(seeds=-1)
    with pytest.raises(KeyError, match="did you mean 'support-model'"):
        book.plan("suport")
    with pytest.raises(KeyError, match="did you mean 'runs'"):
        plan.table("rns")
    with pytest.raises(ValueError, match="did you mean 'memory'"):
        book.predict(pd.DataFrame(), "memry")
    with pytest.raises(TypeError, match="is not a number"):
        float(plan["option"])


def test_an_invalid_book_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        scalesheet.open_book(tmp_path)
    with pytest.raises(Refused) as refused:
        scalesheet.open_book(ROOT)
    assert [d.message for d in refused.value.diagnostics] == [
        f"the book is in the folder 'data' below; name {shown(ROOT / 'data')}"
    ]


def test_a_quantity_prints_in_a_notebook(book: scalesheet.Book) -> None:
    html = book.plan("support-model")._repr_html_()
    assert "<b>Cost</b>: 1,605 [893–3,520] USD" in html
