"""The site stage without a browser: what is built, what is refused, and reproducible output."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import get_args

import pytest
import yaml
from sample_site import PAGES, ROOT, Site, build, write_pages

from scalesheet.fingerprint import contents_of
from scalesheet.site import Engine, blocks, build_site
from scalesheet.site.check import check_site
from scalesheet.site.document import read_document
from scalesheet.site.frame import lend, slim
from scalesheet.site.generate import MOST_LISTED, complaints, prepare, widen
from scalesheet.site.harden import harden, policy
from scalesheet.site.theme import script_styles, theme_of

POLICY_OF = re.compile(r"<meta http-equiv=Content-Security-Policy .*?>")
POLICY = re.compile(r"<head><meta charset=utf-8><meta http-equiv=Content-Security-Policy ")


def test_the_sample_pages_build_without_a_problem(site: Site, sample_pages: Path) -> None:
    assert site.report.problems == ()
    written = len(list(sample_pages.rglob("*.md")))
    assert site.report.pages == written + 1  # and the page for missing addresses


def test_the_policy_comes_first_in_every_page_and_allows_nothing_unsafe(site: Site) -> None:
    for page in site.pages():
        text = (site.folder / page).read_text(encoding="utf-8")
        assert POLICY.search(text), page
        assert "unsafe-" not in text.split(">", 5)[4], page
        assert text.index("charset=utf-8") < 1024, page


def test_nothing_with_a_date_or_without_use_is_published(site: Site) -> None:
    names = {path.name for path in site.folder.rglob("*")}
    assert not names & {"sitemap.xml", "sitemap.xml.gz", "search_index.json"}
    assert not any('name="generator"' in (site.folder / p).read_text() for p in site.pages())


def test_the_page_for_missing_addresses_has_the_search(site: Site) -> None:
    text = (site.folder / "404.html").read_text("utf-8")
    assert "Page not found" in text
    assert "<form class=find" in text
    assert not re.search(r'(?:href|src)="?/', text)


def test_a_page_with_further_pages_becomes_their_section(tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    for name in ("index", "a", "a-more", "a.inputs", "b"):
        (tmp_path / "plans" / f"{name}.md").write_text(f"# Page {name}\n", "utf-8")
    below = ["plans/a.md", "plans/a-more.md", "plans/a.inputs.md"]
    assert widen({"Plans": ["plans/index.md"]}, tmp_path) == {
        "Plans": ["plans/index.md", {"Page a": below}, "plans/b.md"]
    }


def test_tabs_come_before_anything_they_could_shift(site: Site) -> None:
    for name in site.pages():
        text = (site.folder / name).read_text("utf-8")
        if name != "404.html":
            assert text.index("assets/lists/") < text.index("<main") < text.index("assets/list.js")


def test_every_page_of_a_folder_is_in_the_navigation(site: Site) -> None:
    lists = site.lists("book/plans/index.html")
    assert re.search(r'href=(?:\./)?study\.html class="?md-nav__link', lists)


def test_two_builds_give_the_same_bytes(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONHASHSEED", "77")
    pages = write_pages(tmp_path / "elsewhere")
    build(tmp_path / "again", site.engine, pages)
    assert contents(tmp_path / "again") == contents(site.folder)


FAULTY = """# Faulty

[no page](missing.md) and [no anchor](architecture.md#missing)

<a href="nowhere.html">raw</a> <a href="architecture.html#nothing">raw anchor</a>
<a href="/root.html">root</a> <a href="javascript:alert(1)">script</a>
<img src="https://example.org/a.png" alt=""> <p style="color: red">styled</p>
<button onclick="go()">handled</button>
<script>steal()</script> <style>p { color: red }</style>
<a href="https://example.org/">out is fine</a> <a href="mailto:a@example.org">so is this</a>
"""

FOUND = {
    'changelog.html: <p style="color: red"> is not allowed on a page; '
    "use plain elements, classes and script files",
    'changelog.html: <button onclick="go()"> is not allowed on a page; '
    "use plain elements, classes and script files",
    "changelog.html: the inline script 'steal()' is not the theme's; put it into a file",
    "changelog.html: the inline style 'p { color: red }' is not the theme's; put it into a file",
    "changelog.html: loads https://example.org/a.png from the network",
    "changelog.html: nowhere.html leads to no file of the site",
    "changelog.html: architecture.html#nothing leads to no such anchor in architecture.html",
    "changelog.html: /root.html starts at the server's root, so it breaks in a folder "
    "and from file://",
    "changelog.html: links to javascript:alert(1), which is neither http(s) nor a page of the site",
}

COMPLAINED = {
    "mkdocs": {
        "mkdocs: Doc file 'changelog.md' contains a link 'missing.md', but the target is not found "
        "among documentation files.",
        # It does not check anchors; our own check does.
        "changelog.html: architecture.html#missing leads to no such anchor in architecture.html",
        "mkdocs: A reference to 'book/offers/index.md' is included in the 'nav' configuration, "
        "which is not found in the documentation files.",
    },
    "zensical": {
        "zensical: changelog.md:3:11: page does not exist",
        "zensical: changelog.md:3:55: anchor does not exist",
        # It does not check the navigation; our own check does.
        "book/models/index.html: ../offers/index.md leads to no file of the site",
    },
}


@pytest.mark.parametrize("engine", get_args(Engine))
def test_all_errors_are_reported_at_once(engine: Engine, tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    (pages / "changelog.md").write_text(FAULTY, encoding="utf-8")
    (pages / "book/offers/index.md").unlink()

    report = build(tmp_path / "site", engine, pages)

    assert set(report.problems) >= FOUND | COMPLAINED[engine]
    allowed = POLICY_OF.search((tmp_path / "site" / "changelog.html").read_text("utf-8"))
    assert allowed is not None
    for text in ("steal()", "p { color: red }"):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert digest not in allowed[0]


@pytest.mark.parametrize("engine", get_args(Engine))
@pytest.mark.parametrize("way", [".", "..", "../../..", "./", "../"])
def test_only_the_themes_scripts_are_known_at_any_depth(engine: Engine, way: str) -> None:
    theme = theme_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8")), engine, ROOT)
    (template,) = (each for each in theme.scripts if "__md_scope=new" in each.pattern)
    text = re.sub(r"\\(.)", r"\1", template.pattern.replace("[./]*", way))
    assert theme.own_scripts([text]) == (text,)
    assert theme.own_scripts([f"{text};steal()", text.replace(way, "https://x.example", 1)]) == ()


def test_project_templates_can_have_their_own_scripts(tmp_path: Path) -> None:
    (tmp_path / "overrides" / "partials").mkdir(parents=True)
    (tmp_path / "overrides" / "partials" / "a.html").write_text("<p><script>own()</script>")
    settings = {"theme": {"name": "material", "custom_dir": "overrides"}}
    theme = theme_of(settings, "mkdocs", tmp_path)
    assert theme.own_scripts(["own()", "steal()"]) == ("own()",)


def test_a_broken_configuration_leaves_the_old_site_alone(tmp_path: Path) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: x\ntheme: {name: nonesuch}\n")
    out = tmp_path / "site"
    out.mkdir()
    (out / "index.html").write_text("old")

    report = build_site(PAGES, out, config=config)

    assert report.pages == 0
    assert "nonesuch" in report.problems[0]
    assert (out / "index.html").read_text() == "old"


def test_files_are_published_beside_the_pages(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    (pages / "changelog.md").write_text("# Changelog\n\n[data](api/v1/plans.json)\n")
    api = tmp_path / "api"
    (api / "v1").mkdir(parents=True)
    (api / "v1" / "plans.json").write_text("{}")

    report = build_site(
        pages,
        tmp_path / "site",
        config=ROOT / "mkdocs.yml",
        files={"assets": ROOT / "docs" / "assets", "api": api},
    )

    assert report.problems == ()
    assert (tmp_path / "site/api/v1/plans.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("html", "finding"),
    [
        ('<link rel="preconnect" href="https://fonts.example">', "loads https://fonts.example"),
        ('<script src="//cdn.example/x.js"></script>', "loads //cdn.example/x.js"),
        ('<script src="data:text/javascript,go()"></script>', "loads data:text/javascript"),
        ('<a href="#gone">x</a>', "#gone leads to no such anchor"),
        ('<a href="sub">x</a>', "sub leads to no file"),
    ],
)
def test_content_from_elsewhere_and_broken_links_are_reported(
    html: str, finding: str, tmp_path: Path
) -> None:
    (tmp_path / "a.png").touch()
    (tmp_path / "index.html").write_text(html)
    (problem,) = check_site(tmp_path, harden(tmp_path))
    assert problem.startswith(f"index.html: {finding}")


def test_allowed_content_is_not_reported(tmp_path: Path) -> None:
    (tmp_path / "a b.html").write_text('<p id="é">')
    (tmp_path / "index.html").write_text(
        '<link rel="canonical" href="https://example.org/"><a href="a%20b.html#%C3%A9">x</a>'
        '<a href="https://example.org">x</a><a href="">x</a><img src="data:image/png;base64,AA">'
    )
    assert check_site(tmp_path, harden(tmp_path)) == ()


def test_style_sheets_must_not_load_from_the_network(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a{background:url( 'https://x.example/a.png' )}")
    fault = "a.css: loads https://x.example/a.png from the network"
    assert check_site(tmp_path, harden(tmp_path)) == (fault,)


def test_the_policy_hashes_executable_scripts_and_styles_but_no_data() -> None:
    page = (
        "<script>go()\r\n</script><style>a{}</style>"
        '<script type="application/json">{"a": "<b>"}</script><script src="x.js"></script>'
    )
    assert policy(read_document(page)) == (
        "default-src 'none'; "
        "script-src 'self' file: 'sha256-uxztVBOu4I1US70toGMPbtpfckNKW9OzJ9C6/M5mIrI='; "
        "style-src 'self' file: 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='; "
        "img-src 'self' file: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    works = policy(read_document('<script src="../assets/sure.js"></script>'))
    assert "; worker-src 'self' blob:; " in works


def test_a_style_that_a_script_adds_is_found(tmp_path: Path) -> None:
    script = tmp_path / "x.js"
    script.write_text(
        r"""var Tc='a:after{content:"\'"}';o.appendChild(C("style",{},Tc.toString()))"""
    )
    assert script_styles(script) == ['a:after{content:"\'"}']


def test_a_section_with_only_an_index_gets_all_pages_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    for name in ("index", "b", "a-part", "a"):
        (tmp_path / "book" / f"{name}.md").touch()
    pages = ["book/index.md", "book/a.md", "book/a-part.md", "book/b.md"]
    assert widen({"All": [{"Book": ["book/index.md"]}, "x.md"]}, tmp_path) == {
        "All": [{"Book": pages}, "x.md"]
    }


def test_only_the_index_of_a_large_folder_is_listed(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    entry = {"Book": ["book/index.md"]}
    for number in range(MOST_LISTED):
        (tmp_path / "book" / f"{number}.md").touch()
    assert len(widen(entry, tmp_path)["Book"]) == 1 + MOST_LISTED
    (tmp_path / "book" / "one-more.md").touch()
    assert widen(entry, tmp_path) == entry


def test_folders_linked_from_a_list_become_sections_below_it(tmp_path: Path) -> None:
    pages = {
        "book/tables/index.md": (
            '# Tables\n<a href="../grids/index.html">Grids</a> <a href="../plans/index.html">P</a>'
        ),
        "book/grids/index.md": "# Grids of the world\n",
        "book/grids/norway.md": "# Norway\n",
        "book/plans/index.md": "# Plans\n",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    entry = {"Tables": ["book/tables/index.md"]}
    below = {"Grids of the world": ["book/grids/index.md", "book/grids/norway.md"]}
    assert widen(entry, tmp_path, frozenset({"book/plans"})) == {
        "Tables": ["book/tables/index.md", below]
    }


def test_only_blank_lines_from_templates_are_removed() -> None:
    code = "<pre>\n  a\n\n  b</pre>"
    script = "<script>\n\n  go()\n</script>"
    assert slim(f"\n\n<p>\n    one  two\n\n</p>\n\n{code}\n\n  {script}\n") == (
        f"<p>\none  two\n</p>\n{code}\n{script}\n"
    )


INDEX = """\
<nav class="md-tabs"><li class="active">Catalogue</li></nav>
<div><nav class="md-nav md-nav--primary"><a href="../nodes/index.html">Nodes</a><nav></nav></nav>
</div><div class="md-sidebar md-sidebar--secondary"></div>
<nav class="md-path"><a href="index.html">Offers</a></nav>
<article class="md-content__inner">All</article>
"""


def test_a_page_outside_the_navigation_gets_that_of_its_folder() -> None:
    page = re.sub(r'<nav class="md-path".*?</nav>\n', "", INDEX).replace("All", "One")
    page = page.replace("active", "").replace("Nodes", "")
    assert lend(page, INDEX) == INDEX.replace("All", "One")
    assert lend(page, "<article class='md-content__inner'>no path here") == page


def test_a_navigation_that_is_replaced_need_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = write_pages(tmp_path / "pages")
    for number in range(MOST_LISTED + 1):  # only the index of so many is in the navigation
        (pages / "book" / "offers" / f"{number}.md").write_text(f"# Offer {number}\n")
    assert build(tmp_path / "site", "mkdocs", pages).problems == ()
    whole = tmp_path / "blocks.py"
    whole.write_text(Path(blocks.__file__).read_text().replace("on_page_context", "unused"))
    monkeypatch.setattr(blocks, "__file__", str(whole))
    build(tmp_path / "whole", "mkdocs", pages)
    assert contents_of(tmp_path / "site") == contents_of(tmp_path / "whole")


def test_each_page_ends_with_the_given_line(tmp_path: Path) -> None:
    settings = tmp_path / "mkdocs.yml"
    settings.write_text("site_name: x\n")
    (tmp_path / "pages").mkdir()
    prepare(tmp_path / "work", tmp_path / "pages", settings, {}, "Edition <1>")
    written = (tmp_path / "work" / "mkdocs.yml").read_text("utf-8")
    assert yaml.safe_load(written)["copyright"] == "Edition &lt;1&gt;"


def test_warnings_keep_the_items_they_list() -> None:
    said = """\
INFO    -  Building documentation
WARNING -  Pages not in nav:
  - a.md
  - b.md
INFO    -  Done

Aborted with 1 warnings in strict mode!
"""
    assert complaints(said) == ("Pages not in nav: - a.md - b.md",)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
