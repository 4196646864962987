"""`scalesheet new` from examples: every kind of file is valid as written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from new.begin import run, sell
from own import begun
from scalesheet import cli
from scalesheet.build import build
from scalesheet.diagnostics import errors
from scalesheet.examine import examine
from scalesheet.load.folder import FOLDERS
from scalesheet.schemas import schema
from scalesheet.source.places import CALLED, CLAIMS, FOLDER_OF, MADE, suggested
from shipped import DATA, part
from small import lay


def test_every_kind_of_file_that_people_write_can_be_created() -> None:
    assert set(FOLDER_OF) == {*FOLDERS.values(), "plan"} - set(MADE)


def test_an_entry_of_the_extended_book_is_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = begun(tmp_path)
    offer, theirs = "runpod-secure-h100-sxm", DATA / "rates" / "runpod-secure-h100-sxm.yaml"
    asked = ["new", "rate", offer, "--data", str(data)]
    assert cli.main([*asked, "--set", "price=2"]) == 2
    assert f"the extended book has '{offer}'" in capsys.readouterr().err
    assert cli.main(asked) == 0
    assert (data / "rates" / theirs.name).read_bytes() == theirs.read_bytes()
    assert errors(examine(data).diagnostics) == []


@pytest.mark.parametrize("kind", [kind for kind in FOLDER_OF if kind != "published"])
def test_a_new_file_is_valid_and_has_a_comment_on_each_key(
    data: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sell(data, kind)
    assert run(kind, "anew") == 0
    written = capsys.readouterr().out.splitlines()[0].removeprefix("wrote ")
    text = Path(written).read_text("utf-8")
    found = examine(data).diagnostics
    assert [d for d in errors(found) if d.path == written] == []
    assert {d.code for d in found if d.path == written} <= {"N010"}
    stated = yaml.safe_load(text)
    assert set(schema(kind)["required"]) <= set(stated)
    for key in stated:
        before = text.partition(f"\n{key}:")[0].splitlines()[-1]
        assert before.startswith("# "), key


def test_claims_units_and_a_book_can_be_created_too(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("claims", "small") == 0
    assert run("unit", "image") == 0
    assert run("units", "dozen", "--set", "is=12 * image", "--title", "twelve images") == 0
    assert run("book", "ours") == 0
    out = capsys.readouterr().out
    assert "wrote data/plans/small/claims.yaml" in out
    assert "added image to data/units.yaml" in out
    assert [d.code for d in examine(data).diagnostics] == ["N010"]  # the document's source is blank
    assert yaml.safe_load((data / "units.yaml").read_text("utf-8"))["units"]["image"] == {
        "dimension": "image",
        "title": "image",
        "counted": True,
    }
    assert cli.main(["audit", "small"]) == 0
    assert "288 GPU" in capsys.readouterr().out
    assert cli.main(["check", "--data", "ours/data"]) == 0
    assert "title: Ours" in (tmp_path / "ours" / "data" / "book.yaml").read_text("utf-8")


def test_optional_keys_are_valid_when_uncommented(data: Path) -> None:
    assert run("model", "anew") == 0
    file = data / "models" / "anew.yaml"
    kept = [
        line[1:] if line.startswith(("#output_bias:", "#norm:", "#note:", "#experts:")) else line
        for line in file.read_text("utf-8").splitlines()
    ]
    file.write_text("\n".join(kept) + "\n", "utf-8")
    assert errors(examine(data).diagnostics) == []


def test_a_new_file_uses_names_from_the_book(data: Path) -> None:
    assert run("measurement", "anew") == 0
    said = yaml.safe_load((data / "measurements" / "anew.yaml").read_text("utf-8"))
    assert (said["accelerator"], said["model"]) == ("card", "tiny")


def test_a_given_source_leaves_no_blank(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("hardware", "anew", "--source", "a-paper", "--title", "A new card") == 0
    assert "still missing" not in capsys.readouterr().out
    assert examine(data).diagnostics == []
    said = yaml.safe_load((data / "hardware" / "anew.yaml").read_text("utf-8"))
    assert (said["title"], said["memory"]["source"]["key"]) == ("A new card", "a-paper")


def test_a_new_publication_is_shown_and_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = part(tmp_path, "formulas", "hardware", "tables/assumptions.yaml", "models/gpt-2.yaml")
    assert run("run", "anew") == 0
    examined = examine(data)
    assert [d.code for d in examined.diagnostics] == ["N010"]
    assert examined.scores == {}


def test_runs_without_what_predictions_need_are_not_written(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("run", "anew") == 1
    told = capsys.readouterr().out
    assert "data/tables/assumptions.yaml:1:1: Y012 predictions need" in told
    assert not (data / "runs").exists()


def test_a_file_that_would_break_another_is_not_written(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without any provider an offer may name one that has no file; with one, each needs a file."""
    assert run("provider", "anew") == 1
    assert "data/rates/offer.yaml:2:11: N002 'A provider' is not in providers" in (
        capsys.readouterr().out
    )
    assert not (data / "providers" / "anew.yaml").exists()
    assert run("provider", "seller", "--title", "A provider") == run("provider", "anew") == 0


@pytest.mark.parametrize("title", ["", " ", "a\0b", "\ufeff"])
def test_a_book_with_a_title_that_check_refuses_is_not_created(
    tmp_path: Path, title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["init", str(tmp_path / "book"), "--title", title]) == 1
    assert "book/data/book.yaml:" in capsys.readouterr().out
    assert not (tmp_path / "book").exists()


def test_a_missing_reference_is_reported_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = lay(tmp_path, {})
    assert run("rate", "anew", "--set", "accelerator=another") == 1
    out, err = capsys.readouterr()
    assert "N002" in out
    assert "nothing was written: data/rates/anew.yaml would not be valid in this book" in err
    assert not (data / "rates" / "anew.yaml").exists()


def test_a_book_with_blanks_can_be_built(data: Path, tmp_path: Path) -> None:
    for kind in FOLDER_OF:
        if kind not in ("published", "provider"):  # with one provider, every offer needs a provider
            assert run(kind, "anew") == 0
    built = build(data, tmp_path / "out", site=False)
    assert {d.code for d in built.diagnostics} == {"N010"}


@pytest.mark.parametrize("word", CALLED)
def test_kinds_have_everyday_names(data: Path, word: str) -> None:
    id = "small" if CALLED[word] == CLAIMS else "anew"
    sell(data, CALLED[word])
    refused = CALLED[word] == "published"  # it needs the formulas of predictions
    assert run(word, id, "--title", "Anew") == int(refused)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["modle", "a"], "there is no kind 'modle'; did you mean 'model'? (kinds: hardware, "),
        (["xyz", "a"], "there is no kind 'xyz' (kinds: hardware, "),
        (["fit", "a"], "a fit is not written by hand: 'scalesheet fit' writes it"),
        (["book", "a", "--set", "title=A"], "a new book takes only a --title"),
        (["unit", "GPU"], "the unit 'GPU' is built in; use it as it is"),
        (["unit", "frame"], "the unit 'frame' is in data/units.yaml already; edit it there"),
        (["unit", "a", "--source", "a-paper"], "a unit has no figures"),
        (["claims", "smal"], "there is no plan 'smal'; did you mean 'small'?"),
        (["fits", "a"], "'scalesheet fit' writes it"),
        (
            ["model", "Qwen3 8B"],
            "is not an id: use a-z, 0-9 and '-', at most 64; did you mean 'qwen3-8b'?",
        ),
        (["model", "../../etc/passwd"], "is not an id"),
        (["model", "a" * 65], "is not an id"),
        (["model", "-"], "is not an id: use a-z, 0-9 and '-', at most 64"),
        (["model", "tiny"], "data/models/tiny.yaml already exists; choose another id"),
        (["plan", "small"], "data/plans/small/plan.yaml already exists"),
        (
            ["model", "a", "--source", "a-papr"],
            "the source 'a-papr' is not in sources.yaml; did you mean 'a-paper'?",
        ),
        (["model", "a", "--from", "nowhere.json"], "there is no file 'nowhere.json'"),
        (["rate", "a", "--set", "price=2"], "a rate has no key 'price'; did you mean 'prices'?"),
        (["rate", "a", "--set", "prices[1].price=2"], "the example has no prices[1].price"),
        (["rate", "a", "--set", "term"], "--set: write KEY=VALUE"),
        (["rate", "a", "--set", "Term=spot"], "'Term' is not a key; write one like memory, or "),
        (["hardware", "a", "--set", "memory=1e999"], "1e999 is larger than 1e100"),
        (["hardware", "a", "--set", "memory={value: 1"], "close the bracket"),
        (
            ["model", "a", "--from", "x", "--set", "layers=2"],
            "which --from does not use; edit the file",
        ),
        (["source", "a"], "a source needs its title, as on its title page: --title TEXT"),
        (["source", "a-paper", "--title", "A"], "the source 'a-paper' is in data/sources.yaml al"),
        (["source", "a", "--title", "A", "--set", "link=x"], "has no key 'link'; its keys: title"),
        (["source", "a", "--source", "a-paper"], "a source has no figures"),
        (["plan", "a", "--from", "nowhere.json"], "--from reads a model's config.json"),
        (["model", "a", "--data", "nowhere"], "there is no data folder 'nowhere'"),
    ],
)
def test_wrong_usage_is_reported_with_a_fix_and_writes_nothing(
    data: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.walk(data))
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert sorted(os.walk(data)) == before


def test_an_offer_needs_an_accelerator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    assert run("rate", "anew") == 2
    assert "a rate names an accelerator of the book, which has none yet" in capsys.readouterr().err


def test_ids_are_suggested() -> None:
    assert suggested("Qwen2.5-VL 7B") == "qwen2-5-vl-7b"
    assert suggested("!!") == ""


def test_an_existing_page_is_left_unchanged(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = data / "plans" / "anew" / "page.md"
    page.parent.mkdir()
    page.write_text("# Mine\n", "utf-8")
    assert run("plan", "anew") == 2
    assert "data/plans/anew/page.md already exists" in capsys.readouterr().err
    assert (page.read_text("utf-8"), os.listdir(page.parent)) == ("# Mine\n", ["page.md"])
