"""`build` builds whatever `check` accepts: each kind of file as `new` writes it, with no optional
keys, and with all of them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from new.begin import run, sell
from project import ROOT, project, read_yaml
from scalesheet.build import Built, build
from scalesheet.schemas import schema
from scalesheet.source.places import FOLDER_OF, place

#: A front page with a question, whose script reads the whole catalogue.
FRONT = """\
---
question: {model: llama-3-1-8b, method: full fine-tuning, data: samples, samples: 100_000,
  sequence: 2048, epochs: 3, gpu: h100-sxm, gpus: 8}
---

# Small

{{ question }}

{{ plans }}

{{ score }}

{{ catalogue }}
"""
#: Parts of the catalogue that the front page and its plan need; a site of all takes minutes.
KEPT = {
    "hardware": {"h100-sxm", "h200-sxm", "mi300x", "rtx4090"},
    "models": {"llama-3-1-8b", "llama-3-1-70b", "gemma-3-27b", "deepseek-v3"},
    "rates": {
        *("digitalocean-mi300x", "digitalocean-8x-mi300x", "digitalocean-8x-h100"),
        *("lambda-1x-h100-sxm", "modal-h200"),
    },
    "providers": {"digitalocean", "lambda", "modal"},
    "plans": {"calculator"},
    "nodes": {"dgx-h100"},
    "measurements": set[str](),
    "runs": set[str](),
}
#: Additions to the required keys: one of two that a schema requires, or one without an example.
LEAST: dict[str, dict[str, Any]] = {
    "formula": {"unit": "byte"},
    "measurement": {"model_name": "A model in words"},
    "node": {"accelerators": {"reason": "not known"}},
    "published": {"rows": {"a": {"result": {"other": "it converged"}}}},
}
#: Keys whose example contradicts others, or uses a name that the file's other examples lack.
APART: dict[str, tuple[str, ...]] = {
    "model": ("published_parameters", "published_active_parameters"),
    "component": ("uses",),
    "plan": (
        "case",
        "headline",
        "limits",
        "catalogue",
        "actuals",
        "phases",
        "total",
        "charts",
        "sheets",
        "checks",
        "recommendations",
    ),
}
#: Names in examples, and their replacements in the book.
ELSEWHERE = {r"\ba-(data-sheet|log|report)\b": "to-be-stated", "aws-p5-48xlarge": "least"}


@pytest.mark.parametrize("kind", [kind for kind in FOLDER_OF if kind != "published"])
def test_each_kind_alone_builds_as_created(data: Path, tmp_path: Path, kind: str) -> None:
    """Published runs need the formulas of predictions and are built below."""
    sell(data, kind)
    assert run(kind, "anew") == 0
    assert (build(data, tmp_path / "out", site=False).out / "workbooks").is_dir()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """A site with three files of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    data = project(folder)
    shutil.rmtree(data)
    shutil.copytree(ROOT / "data", data, ignore=_dropped)
    (data / "score.yaml").unlink()
    (folder / "docs" / "index.md").write_text(FRONT, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind in FOLDER_OF:
            assert run(kind, "anew") == 0
            _least_and_most(data, kind)
        assert run("claims", "anew") == run("unit", "anew") == 0
        yield build(data, folder / "out")


def _dropped(folder: str, names: list[str]) -> list[str]:
    kept = KEPT.get(Path(folder).name)
    return [n for n in names if kept is not None and n.removesuffix(".yaml") not in kept]


def _least_and_most(data: Path, kind: str) -> None:
    """Write two files beside the new one: with only the required keys, and with all keys."""
    begun = place(data, kind, "anew")
    stated, keys = read_yaml(begun), schema(kind)
    least = {key: stated[key] for key in keys["required"]} | LEAST.get(kind, {})
    _write(place(data, kind, "least"), json.dumps(least))
    text = begun.read_text("utf-8")
    for key in keys["properties"]:
        text = text.replace(f"\n#{key}:", f"\n{key}:")
    for old, new in ELSEWHERE.items():
        text = re.sub(old, new, text)
    most = place(data, kind, "most")
    _write(most, text)
    kept = {key: each for key, each in read_yaml(most).items() if key not in APART.get(kind, ())}
    _write(most, json.dumps(kept))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.mark.weekly
def test_created_files_build_with_their_site(built: Built) -> None:
    assert {d.code for d in built.diagnostics} == {
        "N010",
        "V009",
    }  # blanks, and implausible figures
    pages = {path.stem for path in (built.out / "site" / "book").rglob("*.html")}
    assert {"anew", "least", "most"} <= pages
    [audited] = [each for each in built.out.glob("site/book/audit/*.html") if each.stem == "anew"]
    assert "288 GPU hours" in audited.read_text("utf-8")


def test_a_new_book_builds_without_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("book", "ours") == 0
    built = build(tmp_path / "ours" / "data", tmp_path / "out", site=False)
    assert built.diagnostics == ()
