"""`build`: the files it writes, the old output after bad input, and reproducible bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from project import contents, environment, project
from scalesheet.build import build, refuse_site
from scalesheet.diagnostics import Refused
from scalesheet.examine import compile_book
from scalesheet.output import staged
from small import lay

#: Pages that link to one missing page, each with its relative path.
LINKS = (("index.html", ""), ("reference/a.html", "../"), ("book/plans/b.html", "../../"))


def test_it_writes_a_workbook_and_data_for_each_plan(tmp_path: Path) -> None:
    built = build(lay(tmp_path, {}), tmp_path / "out", site=False)
    names = set(contents(tmp_path / "out"))
    assert {"api/v1/index.json", "api/v1/plans/small.json", "api/v1/plans/small.csv"} <= names
    assert {name for name in names if not name.startswith("api/v1/")} == {
        ".stamp.json",
        "workbooks/small.xlsx",
    }
    assert built.formulas > 0


@pytest.mark.usefixtures("few_pages")
def test_progress_names_each_step_with_counts(tmp_path: Path) -> None:
    lines: list[str] = []
    build(project(tmp_path), tmp_path / "build", progress=lines.append)
    assert lines[:3] == [
        "reading and checking the data",
        "computing how sure the results are",
        "writing the pages of plans: 1",
    ]
    assert "writing workbook 1 of 1: small" in lines
    assert lines[-1].startswith("building the site of ")


@pytest.mark.usefixtures("few_pages")
def test_a_broken_link_is_reported_at_its_place_in_the_text(tmp_path: Path) -> None:
    data = project(tmp_path, {"plans/small/page.md": "Words.\n\nSee [it](none.html#x) here.\n"})
    with pytest.raises(Refused) as refused:
        build(data, tmp_path / "build")
    # both the site's check and the generator report it
    found = refused.value.diagnostics
    assert {(Path(each.path).name, each.line, each.column) for each in found} == {
        ("page.md", 3, 10)
    }
    assert any("none.html#x leads to no file of the site" in each.message for each in found)


def test_all_links_to_one_missing_page_are_one_error(tmp_path: Path) -> None:
    said = [f"{page}: {up}commands.html leads to no file of the site" for page, up in LINKS]
    said += [f"mkdocs: 'a.md' links, but the target '{name}' is not found" for name in "xy"]
    with pytest.raises(Refused) as refused:
        refuse_site(said, compile_book(lay(tmp_path, {})), tmp_path)
    assert [each.message for each in refused.value.diagnostics] == [
        f"{said[0]} (2 more like it not shown)",
        *said[3:5],
    ]


def test_bad_input_leaves_the_old_output_unchanged(tmp_path: Path) -> None:
    data, out = lay(tmp_path, {}), tmp_path / "out"
    build(data, out, site=False)
    before = contents(out)
    plan = data / "plans" / "small" / "plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("unit: step", "unit: stepp"), "utf-8")
    with pytest.raises(Refused) as refused:
        build(data, out, site=False)
    assert "U001" in str(refused.value)
    assert contents(out) == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_unchanged_files_keep_their_dates_and_changed_ones_are_rewritten(tmp_path: Path) -> None:
    data, out = lay(tmp_path, {}), tmp_path / "out"
    build(data, out, site=False)
    workbook = out / "workbooks" / "small.xlsx"
    os.utime(workbook, (1, 1))
    build(data, out, site=False)
    assert workbook.stat().st_mtime == 1
    plan = data / "plans" / "small" / "plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("value: 2000,", "value: 2001,"), "utf-8")
    build(data, out, site=False)
    assert workbook.stat().st_mtime > 1


def test_a_failed_stage_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with staged(out) as stage:
        (stage / "a").write_text("old")

    def fails() -> None:
        with staged(out) as stage:
            (stage / "a").write_text("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert (out / "a").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


#: The program, with the hundred pages of the reference beside the site instead of in it.
BESIDE = """\
import sys
from pathlib import Path
from scalesheet.cli import main
from scalesheet.render import reference

write = reference.write_reference
reference.write_reference = lambda book, _, parser: write(book, Path("reference"), parser)
sys.exit(main())
"""


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    data, digests = project(tmp_path), []
    for seed, zone in (("0", "UTC"), ("4242", "Pacific/Kiritimati")):
        here = tmp_path / seed
        here.mkdir()
        build = [sys.executable, "-c", BESIDE, "build", "--data", str(data), "--out", "out"]
        environ = environment(PYTHONHASHSEED=seed, TZ=zone)
        subprocess.run(build, cwd=here, env=environ, check=True, capture_output=True)
        digests.append(contents(here))
    assert digests[0] == digests[1]
    made = {"site/index.html", "workbooks/small.xlsx", ".stamp.json"}
    assert {*(f"out/{name}" for name in made), "reference/commands.md"} < set(digests[0])


def test_the_hash_follows_the_numbers_and_not_their_descriptions(tmp_path: Path) -> None:
    data, out = lay(tmp_path, {}), tmp_path / "out"
    offer = data / "rates" / "offer.yaml"

    def stamp(old: str, new: str) -> str:
        offer.write_text(offer.read_text("utf-8").replace(old, new), "utf-8")
        return build(data, out, site=False).edition_hash

    shipped = stamp("", "")
    assert stamp("title: A provider's card", "title: Some provider's card") == shipped
    assert stamp("price: 1,", "price: 1.1,") != shipped, "no plan uses this offer, but it is shown"
