"""A build does nothing if nothing changed, and rewrites only what depends on a change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from types import SimpleNamespace

import pytest

from project import contents, edit, project, remains
from scalesheet import fingerprint
from scalesheet.build import build
from scalesheet.output import staged
from scalesheet.site import SiteReport


def written(*folders: Path) -> dict[Path, tuple[int, int]]:
    """The inode and modification time of each file."""
    return {
        path: (path.stat().st_ino, path.stat().st_mtime_ns)
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, few_pages: None) -> Path:
    """A small project that was built; each test rebuilds it and leaves it built."""
    folder = tmp_path_factory.mktemp("project")
    data = project(folder)
    (folder / "docs" / "spare.md").write_text("# Spare\n", "utf-8")
    (folder / "NOTES.md").write_text("Notes.\n", "utf-8")
    edit(folder / "mkdocs.yml", "attr_list,", "attr_list, pymdownx.snippets: {base_path: ['.']},")
    edit(folder / "docs" / "index.md", "by hand.", 'by hand.\n\n--8<-- "NOTES.md"')
    build(data, folder / "build")
    return folder


def rebuilt(folder: Path) -> bool:
    """Build once more; return whether the output was rebuilt."""
    before = (folder / "build").stat().st_ino
    build(folder / "data", folder / "build")
    return (folder / "build").stat().st_ino != before


def test_unchanged_input_writes_no_file_and_starts_no_generator(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("the site generator was started")

    monkeypatch.setattr("scalesheet.site.build_site", started)
    folders = (finished / "build", finished / "docs")
    before = written(*folders)
    first = build(finished / "data", finished / "build")
    assert written(*folders) == before
    assert (first.pages, first.formulas) > (0, 0)


def test_a_changed_price_leaves_every_page_that_does_not_show_it(finished: Path) -> None:
    site, book = finished / "build" / "site", finished / "docs" / "book"
    before = written(site, book)
    edit(finished / "data" / "rates" / "offer.yaml", "price: 1,", "price: 1.1,")
    build(finished / "data", finished / "build")
    after = written(site, book)
    assert before.keys() == after.keys()
    changed = {
        path.name if path.parent == site else f"{path.parent.name}/{path.name}"
        for path in after
        if before[path] != after[path]
    }
    kept = {"index.html", "models/tiny.html", "formulas/weight-memory.html", "tables/index.html"}
    assert {"offers/offer.html", "offers/offer.md", "changes/index.html"} <= changed
    assert not changed & kept
    compared = {"assets/accelerators.js", "assets/compare.js"}  # they contain prices
    assert not {path for path in changed - compared if "assets" in path or "sources" in path}


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the site generator with a copy of the pages: only whether it runs matters here."""

    def copied(pages: Path, out: Path, **_: object) -> SiteReport:
        shutil.copytree(pages, out)
        made = [page.rename(page.with_suffix(".html")) for page in sorted(out.rglob("*.md"))]
        return SiteReport(len(made), ())

    monkeypatch.setattr("scalesheet.site.build_site", copied)


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize(
    "change",
    [
        lambda at: edit(at / "data" / "book.yaml", "title:", "# a comment\ntitle:"),
        lambda at: edit(at / "docs" / "index.md", "A page", "The page"),
        lambda at: edit(at / "mkdocs.yml", "site_name: Small", "site_name: Smaller"),
        lambda at: edit(at / "NOTES.md", "Notes.", "Other notes."),
        lambda at: (at / "docs" / "more.md").write_text("# More\n"),
        lambda at: (at / "docs" / "spare.md").unlink(),
        lambda at: edit(at / "build" / "site" / "index.html", "Small", "Tampered"),
        lambda at: (at / "build" / "site" / "added.txt").write_text("added"),
        lambda at: (at / "build" / "workbooks" / "small.xlsx").unlink(),
        lambda at: (at / "build" / ".stamp.json").write_text("{}"),
        lambda at: (at / "docs" / "book").rename(at / "gone"),
        lambda at: (at / "docs" / "book" / "own.md").write_text("# Not of the build\n"),
    ],
    ids=[
        "data",
        "page by hand",
        "configuration",
        "text taken into a page",
        "new page",
        "page gone",
        "output edited",
        "output added to",
        "output lost",
        "stamp edited",
        "pages lost",
        "pages added to",
    ],
)
def test_any_change_of_input_or_output_is_noticed_once(
    finished: Path, change: Callable[[Path], object]
) -> None:
    change(finished)
    assert rebuilt(finished)
    assert not rebuilt(finished)
    assert "build/site/index.html" in contents(finished)
    assert "Tampered" not in (finished / "build" / "site" / "index.html").read_text("utf-8")


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize("name", ["_libraries", "__file__"])
def test_another_version_of_a_library_or_the_program_rebuilds(
    finished: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = str(tmp_path / "program.py") if name == "__file__" else lambda: ["mkdocs 99"]
    with monkeypatch.context() as another:
        another.setattr(fingerprint, name, other)
        assert rebuilt(finished)
    assert rebuilt(finished)


def test_development_tools_are_not_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(name: str, version: str = "1", *needs: str, points: object = ()) -> object:
        metadata = Message()
        metadata["Name"], metadata["Version"] = name, version
        for need in needs:
            metadata["Requires-Dist"] = need
        return SimpleNamespace(metadata=metadata, entry_points=points)

    plugin = SimpleNamespace(group="mkdocs.plugins")
    every = [
        installed("scalesheet", "1", "Py_YAML>=6", "mypy>=1; extra == 'dev'"),
        installed("py-yaml", "6.1", "parts[fast]<2; python_version > '3'"),
        installed("parts"),
        installed("mypy", "1", "ruff"),
        installed("ruff"),
        installed("a-plugin", "1", "its-part", points=[plugin]),
        installed("its.part"),
    ]
    monkeypatch.setattr("importlib.metadata.distributions", lambda: every)
    assert fingerprint._libraries.__wrapped__() == [
        "a-plugin 1",
        "its-part 1",
        "parts 1",
        "py-yaml 6.1",
    ]


def test_a_skipped_build_cleans_up_after_a_killed_one(finished: Path) -> None:
    (finished / ".build.lock").touch()
    (finished / ".build.new" / "site").mkdir(parents=True)
    (finished / ".build.new" / ".stamp.json").touch()
    assert not rebuilt(finished)
    assert remains(finished) == []


def test_a_skipped_build_does_not_disturb_a_running_one(finished: Path) -> None:
    def another() -> None:
        with staged(finished / "build"):
            assert not rebuilt(finished)
            assert remains(finished) == [".build.lock", ".build.new"]
            raise RuntimeError

    with pytest.raises(RuntimeError):
        another()
    assert not rebuilt(finished)


def test_hidden_files_are_ignored(finished: Path) -> None:
    (finished / "docs" / ".draft.md").write_text("# A draft\n")
    (finished / "data" / ".plan.yaml.swp").write_text("an editor's")
    assert not rebuilt(finished)


def test_pages_that_no_build_made_are_refused_before_building(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = finished / "docs" / "book"
    book.rename(finished / "kept")
    book.mkdir()
    (book / "own.md").write_text("# Mine\n")
    monkeypatch.setattr(
        "scalesheet.render.workbook.write.write_workbooks", lambda *given: pytest.fail("built")
    )
    with pytest.raises(FileExistsError, match="was not made by a build") as error:
        build(finished / "data", finished / "build")
    assert error.value.filename == str(book)
    assert (book / "own.md").read_text() == "# Mine\n"
    (book / "own.md").unlink()
    book.rmdir()
    (finished / "kept").rename(book)


@pytest.mark.usefixtures("copied")
def test_pages_of_a_version_that_left_no_stamp_are_replaced(
    finished: Path,
) -> None:
    (finished / "docs" / "book" / ".stamp.json").unlink()
    edit(finished / "data" / "book.yaml", "title:", "# another comment\ntitle:")
    assert rebuilt(finished)
    assert (finished / "docs" / "book" / ".stamp.json").is_file()
