"""`build PLAN`: the plan's own files are the same as in a full build, and all others stay."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from project import contents, edit, project, remains
from scalesheet.cli import main
from small import MINIMAL

PLAN = (MINIMAL / "plans" / "small" / "plan.yaml").read_text("utf-8")
#: So many formulas that the plan has further pages.
MORE = "".join(f"  more_{n}: {{unit: GPU, formula: cards * {n}}}\n" for n in range(60))
FILES = {
    "plans/small/page.md": "See [another plan](other.md), [a card](../hardware/card.md), "
    "and [more](small-more.md).\n",
    "plans/small/pages/more.md": "---\ntitle: More\n---\n\nMore of it.\n",
    "plans/other/plan.yaml": PLAN.replace("scalars:\n", f"scalars:\n{MORE}"),
    "plans/other/page.md": "Another.\n",
}


def run(folder: Path, out: Path, *arguments: str) -> int:
    return main(["build", "--data", str(folder / "data"), "--out", str(out), *arguments])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, few_pages: None) -> Path:
    """A fully built project with two plans, for copying."""
    folder = tmp_path_factory.mktemp("project")
    project(folder, FILES)
    with (folder / "mkdocs.yml").open("a", encoding="utf-8") as settings:
        settings.write("site_description: A book for tests.\n")
    assert run(folder, folder / "build") == 0
    return folder


@pytest.fixture
def built(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "project")
    return tmp_path / "project"


def test_it_gives_the_same_bytes_as_a_full_build(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(built / "build")
    assert "site/book/plans/other.formulas-1.html" in before
    assert run(built, built / "build", "small") == 0
    assert run(built, built / "build", "other") == 0
    after = contents(built / "build")
    assert {name for name in before | after if before.get(name) != after.get(name)} == {
        ".stamp.json"
    }
    said = capsys.readouterr().out
    assert said.count(".xlsx") == 2
    assert "/site/book/plans/small.html" in said
    assert remains(built) == []


def test_an_edit_changes_only_files_of_its_plan(built: Path) -> None:
    edit(built / "data" / "plans" / "small" / "plan.yaml", "value: 2000,", "value: 2001,")
    out = built / "build"
    other = {path: path.stat().st_ino for path in out.rglob("other*") if path.is_file()}
    before = contents(out)
    run(built, out, "small")
    after = contents(out)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert {"workbooks/small.xlsx", "site/book/plans/small.html"} < changed
    assert {"site/api/v1/plans/small.json", "site/workbooks/small.xlsx"} < changed
    assert not [name for name in changed if "other" in name]
    assert {path: path.stat().st_ino for path in other} == other

    # the other files show the old plan, so a full build must rebuild them
    run(built, out)
    (built / "again").mkdir()
    run(built, built / "again" / "build")
    assert contents(out) == contents(built / "again" / "build")


def test_in_an_empty_folder_missing_pages_are_not_linked(built: Path) -> None:
    run(built, built / "new", "small")
    site = built / "new" / "site"
    pages = {path.relative_to(site).as_posix(): path for path in site.rglob("*.html")}
    assert {"book/plans/small.html", "book/plans/small-more.html", "book/plans/index.html"} <= {
        *pages
    }
    assert "book/plans/other.html" not in pages
    for page in pages.values():
        for address in re.findall(r'<a\b[^>]*href="?([^":#\s>]+)', page.read_text("utf-8")):
            assert (page.parent / address).is_file(), (page, address)
    text = pages["book/plans/small.html"].read_text("utf-8")
    assert "href=small-more.html" in text
    assert re.search(r"<a[^>]*>another plan</a>, <a[^>]*>a card</a>", text)
    index = (site / "search" / "index.js").read_text("utf-8")
    assert "small.html" in index
    assert "other.html" not in index


def test_a_page_that_a_plan_no_longer_has_is_deleted(built: Path) -> None:
    shutil.rmtree(built / "data" / "plans" / "small" / "pages")
    (built / "data" / "plans" / "small" / "page.md").write_text("Words.\n", "utf-8")
    run(built, built / "build", "small")
    assert not list((built / "build" / "site").rglob("small-more.*"))
    assert "small-more" not in (built / "build/site/search/index.js").read_text("utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("rates/offer.yaml", "price: 1,", "price: 1.1,"),
        ("plans/other/plan.yaml", "value: 2000,", "value: 2001,"),
    ],
)
def test_pages_from_before_another_edit_are_not_mixed_in(
    built: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str
) -> None:
    edit(built / "data" / file, old, new)
    before = contents(built / "build")
    assert run(built, built / "build", "small") == 1
    said = capsys.readouterr().err
    assert f"from before data/{file} changed; run 'scalesheet build'" in said
    assert contents(built / "build") == before
    assert remains(built) == []


@pytest.mark.parametrize(
    "file", ["rates/offer.yaml", "plans/other/plan.yaml", "plans/new/plan.yaml"]
)
def test_after_any_edit_it_replaces_what_only_it_wrote(built: Path, file: str) -> None:
    out = built / "new"
    assert run(built, out, "small") == 0
    path = built / "data" / file
    path.parent.mkdir(exist_ok=True)
    before = path.read_text("utf-8") if path.exists() else PLAN
    path.write_text(before.replace("price: 1,", "price: 1.1,") + "\n", "utf-8")
    assert run(built, out, "small") == 0
    assert run(built, built / "again", "small") == 0
    assert contents(out) == contents(built / "again")


def test_without_a_site_it_writes_only_workbook_and_data(built: Path) -> None:
    run(built, built / "new", "small", "--no-site")
    assert {name for name in contents(built / "new") if "schemas" not in name} == {
        ".stamp.json",
        "api/v1/plans.csv",
        "api/v1/plans.json",
        "api/v1/plans/small.csv",
        "api/v1/plans/small.json",
        "api/v1/plans/small/phases.csv",
        "api/v1/plans/small/runs.csv",
        "api/v1/quantiles/small.json",
        "api/v1/sensitivity/small.json",
        "workbooks/small.xlsx",
    }


def test_an_unknown_plan_is_wrong_usage(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(built, built / "new", "smal") == 2
    said = capsys.readouterr().err
    assert "there is no plan 'smal'; did you mean 'small'? (plans: other, small)" in said
    assert not (built / "new").exists()


def test_a_broken_plan_does_not_stop_another(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(built / "build")
    edit(built / "data" / "plans" / "other" / "plan.yaml", "value: 2000,", "valeu: 2000,")
    edit(built / "data" / "plans" / "small" / "plan.yaml", "value: 2000,", "value: 2001,")
    assert main(["show", "small", "--data", str(built / "data")]) == 0
    assert run(built, built / "build", "small") == 0
    assert "other has errors and was not rebuilt" in capsys.readouterr().err
    after = contents(built / "build")
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert "workbooks/small.xlsx" in changed
    assert [name for name in changed if "/other" in name] == []
    for arguments in (["show", "other"], ["build", "other", "--out", str(built / "new")]):
        assert main([*arguments, "--data", str(built / "data")]) == 1
        assert "did you mean 'value'" in capsys.readouterr().out
    assert run(built, built / "build") == 1  # a full build still requires all plans to be valid


@pytest.mark.parametrize("plans", [(), ("small",)])
def test_without_a_site_one_that_is_there_stays_and_the_output_says_so(
    built: Path, plans: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    out = built / "new"
    assert run(built, out, *plans) == 0
    before = contents(out)
    site = {name: digest for name, digest in before.items() if name.startswith("site/")}
    hash_ = re.findall("edition hash (\\w+)", capsys.readouterr().out)[-1]
    edit(built / "data" / "plans" / "small" / "plan.yaml", "value: 2000,", "value: 2001,")
    for _ in range(2):
        assert run(built, out, *plans, "--no-site") == 0
        after = contents(out)
        assert site.items() <= after.items()
        assert {name for name in after if name.startswith("site/")} == site.keys()
        assert before["workbooks/small.xlsx"] != after["workbooks/small.xlsx"]
        assert "api/v1/plans/small.json" in after
        of = "unknown" if plans else hash_
        assert f"kept  {out / 'site'}, of edition hash {of}: it" in capsys.readouterr().out
    assert run(built, out, *plans) == 0
    assert run(built, built / "again", *plans) == 0
    assert contents(out) == contents(built / "again")
