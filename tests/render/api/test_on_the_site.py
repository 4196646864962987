"""On the finished site, every link in the API and in the Markdown files leads to a file."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from render.api.shapes import Shapes, read

LINK = re.compile(r"(?<!\\)\[(?:\\.|[^\]\\])*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^(`{3,}).*?^\1$|`+[^`\n]+`+", re.MULTILINE | re.DOTALL)


def dangling(file: Path, addresses: list[str]) -> list[str]:
    """The links in a file whose target is missing; links to the web are left out."""
    found = []
    for address in addresses:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https", "mailto") or not parts.path:
            continue
        if not (file.parent / unquote(parts.path)).is_file():
            found.append(f"{file.name}: {address}")
    return found


def test_every_link_in_the_index_leads_to_a_file(book_site: Path) -> None:
    root = book_site / "api" / "v1"
    index = read(root / "index.json")
    assert Shapes(root).faults("index.json") == []
    addresses = [index["documentation"]]
    for plan in index["plans"]:
        addresses += [plan[key] for key in ("json", "csv", "workbook", "page", "markdown")]
    for kept in index["collections"].values():
        addresses += [kept["json"], kept["csv"]]
        for entry in read(root / kept["json"])["entries"] if "pages" in kept else ():
            addresses.append(kept["pages"].replace("{id}", entry.get("id") or entry["key"]))
    assert len(addresses) > 100
    assert dangling(root / "index.json", addresses) == []


def test_the_links_of_every_markdown_file_lead_to_files(book_site: Path) -> None:
    texts = [*book_site.rglob("*.md"), book_site / "llms.txt"]
    assert len(texts) > 100
    found = []
    for path in texts:
        text = FENCED.sub("", path.read_text("utf-8"))
        found += dangling(path, [a.strip("<>") for a in LINK.findall(text)])
    assert found == []


def test_generated_pages_have_plain_markdown(book_site: Path) -> None:
    plan = (book_site / "book/plans/qwen2-finance.md").read_text("utf-8")
    assert re.search(r"<(table|div|span|p|td)\b", plan) is None
    assert "{{" not in plan
    assert "- GPU hours in total" in plan
    hardware = (book_site / "book/hardware/index.md").read_text("utf-8")
    assert "[NVIDIA GeForce RTX 4090](rtx4090.html)" in hardware
