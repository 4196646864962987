"""Snippets: hand-written pages can include files of the project; text from the data cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from project import edit, project
from scalesheet.build import build
from scalesheet.diagnostics import Refused
from scalesheet.site.snippets import SnippetError, put_in

SETTINGS = "markdown_extensions: [tables, pymdownx.snippets: {base_path: ['.'], check_paths: true}]"
SECRET = "what nobody may read"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project with notes that pages can include, and a file outside it that they must not."""
    (tmp_path / "secret.txt").write_text(SECRET)
    home = tmp_path / "home"
    home.mkdir()
    (home / "notes.md").write_text("one\ntwo\n# --8<-- [start:part]\nthree\n# --8<-- [end:part]\n")
    (home / "link.md").symlink_to(tmp_path / "secret.txt")
    return home


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('--8<-- "notes.md:1:2"', "one\ntwo"),
        ("-8<- 'notes.md:part'", "three"),
        ("--8<--\nnotes.md:2:2\n--8<--", "two"),
        ('  --8<-- "notes.md:1:1"', "  one"),
        ('```\n--8<-- "notes.md:1:1"\n```', "```\none\n```"),
        (';--8<-- "notes.md"', '--8<-- "notes.md"'),
        ("no such line", "no such line"),
    ],
)
def test_a_hand_written_page_can_include_text(home: Path, written: str, text: str) -> None:
    found, files = put_in(written, SETTINGS, home)
    assert found == text
    assert set(files) <= {home / "notes.md"}


@pytest.mark.parametrize(
    "form", ['--8<-- "{}"', "-8<- '{}:1:1'", "--8<--\n{}\n--8<--", ' --8<-- "{}"']
)
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{outside}/secret.txt", "is not a path below"),
        ("../secret.txt", "is not a path below"),
        ("a/../../secret.txt", "is not a path below"),
        ("link.md", "is a link that leads out of the project"),
        ("https://example.org/secret.txt", "could not be found"),
        ("none.md", "could not be found"),
    ],
)
@pytest.mark.parametrize("options", ["", ", restrict_base_path: false, url_download: true"])
def test_a_snippet_from_outside_the_project_is_refused_at_its_line(
    home: Path, form: str, path: str, said: str, options: str
) -> None:
    page = "# Page\n\n" + form.format(path.format(outside=home.parent))
    with pytest.raises(SnippetError, match=said) as error:
        put_in(page, SETTINGS.replace(", check_paths", f"{options}, check_paths"), home)
    assert error.value.line == page[: page.index(path.format(outside=home.parent))].count("\n") + 1


def test_without_the_extension_nothing_is_included(home: Path) -> None:
    page = '--8<-- "notes.md"'
    assert put_in(page, "site_name: x", home) == (page, ())


ASKS = """
--8<-- "secret.txt"

-8<- 'secret.txt'

    --8<-- "secret.txt:1:1"

```text
--8<-- "secret.txt"
```

--8<--
secret.txt
--8<--

--8<-- "{home}/secret.txt"

--8<-- "https://example.org/x"
"""


@pytest.mark.usefixtures("few_pages")
def test_snippet_syntax_in_the_data_is_text_everywhere(tmp_path: Path) -> None:
    asks = ASKS.format(home=tmp_path)
    data = project(
        tmp_path,
        {
            "plans/small/page.md": f"# Small\n{asks}",
            "plans/small/pages/more.md": f"---\ntitle: More\n---\n{asks}",
        },
    )
    (tmp_path / "secret.txt").write_text(SECRET)
    edit(data / "plans" / "small" / "plan.yaml", "title: Runs", 'title: --8<-- "secret.txt"')
    edit(data / "book.yaml", "title:", 'note: |\n  a\n\n  --8<-- "secret.txt"\ntitle:')
    edit(tmp_path / "mkdocs.yml", "attr_list,", "attr_list, pymdownx.snippets: {base_path: ['.']},")
    edit(tmp_path / "docs" / "index.md", "by hand.", 'by hand.\n\n--8<-- "NOTES.md"')
    (tmp_path / "NOTES.md").write_text("Taken in.\n")

    out = build(data, tmp_path / "build").out

    assert "Taken in." in (out / "site" / "index.html").read_text("utf-8")
    assert "Taken in." in (out / "site" / "index.md").read_text("utf-8")
    page = (out / "site" / "book" / "plans" / "small.html").read_text("utf-8")
    assert '--8&lt;-- "secret.txt"' in page
    told = [
        path for path in out.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert told == []


def test_a_missing_snippet_is_refused_at_its_place(tmp_path: Path) -> None:
    data = project(tmp_path)
    edit(
        tmp_path / "mkdocs.yml", "attr_list,", "attr_list, pymdownx.snippets: {check_paths: true},"
    )
    edit(tmp_path / "docs" / "index.md", "by hand.", 'by hand.\n\n--8<-- "/etc/hostname"')
    with pytest.raises(Refused) as refused:
        build(data, tmp_path / "build")
    (found,) = refused.value.diagnostics
    assert (found.path.endswith("docs/index.md"), found.line, found.code) == (True, 5, "X002")
