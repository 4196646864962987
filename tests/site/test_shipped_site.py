"""The site of the shipped book in Chromium: search results, filtered lists, and the accessibility
of every kind of page.
"""

from __future__ import annotations

import html
import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import quickjs
from playwright.sync_api import Browser, Page, expect
from sample_site import lists_of

from proof.fixtures import require
from proof.ledger import share

#: Bytes of all files. The aim is 30 MB; what is left above it, readers and programs use.
LARGEST_SITE = 30_000_000
#: A page of each kind, and a second plan, whose page has everything that plan pages can have.
KINDS = (
    "index",
    "404",
    "book/compare/index",
    "book/compare/accelerators",
    "book/compare/plans",
    "book/compare/workload",
    "book/compare/fits",
    "book/compare/any-model",
    "book/changes/index",
    "contributing/fix-a-price",
    "reference/formula-language",
    "book/plans/index",
    "book/plans/pixelis",
    "book/plans/vlm-finetune-zero",
    "book/audit/index",
    "book/audit/pixelis-summary",
    "book/score/index",
    "book/score/runs",
    "book/hardware/index",
    "book/hardware/h100-sxm",
    "book/nodes/index",
    "book/offers/index",
    "book/offers/lambda-1x-gh200",
    "book/providers/index",
    "book/providers/aws",
    "book/models/index",
    "book/models/gpt-2-medium",
    "book/measurements/index",
    "book/measurements/pixelis-simulated-2025-08-13",
    "book/formulas/index",
    "book/formulas/checkpoint-interval",
    "book/components/training-run",
    "book/fits/index",
    "book/tables/index",
    "book/sources/index",
    "book/sources/hu-2021",
    "book/reference/commands",
    "book/reference/quantiles",
    "book/reference/format/formula",
    "book/reference/diagnostics/V009",
)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page for all tests, which records errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    one = context.new_page()
    one.add_init_script(WATCH)
    yield one
    context.close()


@pytest.fixture(scope="module")
def address(book_site: Path) -> Callable[[str], str]:
    return lambda name: f"{book_site.as_uri()}/{name}"


WATCH = """
window.wrong = []
window.shift = 0
const refused = e => wrong.push(`${e.violatedDirective} refuses ${e.blockedURI}`)
addEventListener("securitypolicyviolation", refused)
addEventListener("error", e => wrong.push(e.message ?? "did not load"), true)
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value
}).observe({ type: "layout-shift", buffered: true })
"""

# ------------------------------------------------------------------ the search

#: Queries that people type, and the page that must come first.
FOUND_FIRST = {
    "H100": "hardware/h100-sxm",
    "h100 nvl": "hardware/h100-nvl",
    "4090": "hardware/rtx4090",
    "RTX 4090": "hardware/rtx4090",
    "MI300": "hardware/mi300x",
    "A100 80GB": "hardware/a100-sxm-80gb",
    "H200": "hardware/h200-sxm",
    "L40S": "hardware/l40s",
    "A6000": "hardware/rtx-a6000",
    "Gaudi 3": "hardware/gaudi3",
    "Trillium": "hardware/tpu-v6e",
    "Ironwood": "hardware/tpu-v7",
    "Grace Hopper": "hardware/gh200-96gb",
    "Ponte Vecchio": "hardware/max1550",
    "MFU": "formulas/model-flop-utilisation",
    "B_crit": "formulas/critical-batch-tokens",
    "C_svd": "formulas/randomised-svd-flop",
    "N_MLA": "formulas/latent-attention-parameters",
    "ridge point": "formulas/ridge-point",
    "finance": "plans/qwen2-finance",
    "Pixelis": "plans/pixelis",
    "vision-language": "plans/vlm-finetune",
    "multimodal": "plans/multimodal-scaling",
    "calculator": "plans/calculator",
    "support model": "plans/support-model",
    "Llama 3.1 8B": "models/llama-3-1-8b",
    "gpt-2 medium": "models/gpt-2-medium",
    "RunPod": "providers/runpod",
    "Lambda": "providers/lambda",
    "benchmarks": "measurements/index",
    "measurement": "measurements/index",
    "MFU measured": "measurements/index",
    "llama 3 70b memory": "models/llama-3-(1-)?70b",
    "zero 3": "formulas/",
    "qlora": "index",
    "gradient checkpointing": "formulas/(activation|recompute)",
    "how many gpu hours": "index",
    "h100 price": "hardware/h100-sxm",
    "spot": "offers/index",
    "kv cache": "formulas/kv-cache",
    "gsm8k": "plans/qwen2-finance",
    "FiQA": "plans/qwen2-finance",
    "MM-Vet": "plans/pixelis",
    "experience buffer": "plans/pixelis",
    "early stopping": "plans/",
    "nvtop": "plans/vlm-finetune",
    "mi300x": "hardware/mi300x",
    "deepseek v3": "models/deepseek-v3",
    "wall hours": "formulas/(wall-hours|run-hours|hours-from-throughput)",
    "young daly": "formulas/checkpoint-interval",
}


def test_the_search_lists_the_intended_page_first(book_site: Path) -> None:
    engine = quickjs.Context()
    for script in ("assets/search.js", "search/index.js"):
        engine.eval((book_site / script).read_text("utf-8"))
    engine.eval("const index = scalesheetSearch.read(scalesheetIndex)")
    found: dict[str, str] = {}
    for query, wanted in FOUND_FIRST.items():
        first = engine.eval(f"(scalesheetSearch.find(index, {json.dumps(query)})[0] ?? {{}}).path")
        if not re.match(rf"(book/)?{wanted}", str(first)):
            found[query] = str(first)
    assert found == {}


def test_a_page_loads_the_index_when_the_search_is_first_used(
    page: Page, address: Callable[[str], str]
) -> None:
    page.goto(address("book/hardware/h100-sxm.html"))
    scripts = page.locator("script[src$='search/index.js']")
    expect(scripts).to_have_count(0)
    page.get_by_role("searchbox", name="Search").fill("young daly")
    first = page.locator(".found a").first
    expect(first).to_have_attribute("href", re.compile("formulas/checkpoint-interval"))
    expect(scripts).to_have_count(1)
    assert page.evaluate("wrong") == []


# ------------------------------------------------------------------ lists


def rows(page: Page) -> list[str]:
    return page.locator("table.data tbody tr:visible > th").all_inner_texts()


def test_a_filtered_list_has_its_filters_in_the_address(
    page: Page, address: Callable[[str], str]
) -> None:
    page.goto(address("book/offers/index.html"))
    count, table = page.locator(".filter output"), page.locator("table.data")
    every = rows(page)
    expect(count).to_have_text(f"{len(every)} rows")

    page.get_by_label("Filter").fill("coreweave 8X")
    assert rows(page) == [row for row in every if row.startswith("CoreWeave 8x")]
    page.get_by_label("Term").select_option("spot")
    spot = rows(page)
    assert spot
    assert all("spot" in row for row in spot)
    expect(count).to_have_text(f"{len(spot)} of {len(every)} rows")

    price = table.get_by_role("button", name="Price per GPU hour")
    price.focus()
    page.keyboard.press("Enter")
    expect(table.locator("[aria-sort=ascending]")).to_contain_text("Price per GPU hour")
    rising = rows(page)
    page.keyboard.press("Enter")
    assert rows(page) == rising[::-1]
    assert page.url.endswith("?filter=coreweave+8X&term=spot&sort=-price-per-gpu-hour")

    page.reload()
    assert rows(page) == rising[::-1]
    expect(page.get_by_label("Filter")).to_have_value("coreweave 8X")
    page.get_by_role("button", name="show all").click()
    assert len(rows(page)) == len(every)
    page.get_by_role("button", name="Price per GPU hour").click()  # back to the published state
    assert rows(page) == every
    assert page.url.endswith("index.html")
    assert page.evaluate("wrong") == []


def test_rubbish_in_the_address_is_reported_and_shown_as_text(
    page: Page, address: Callable[[str], str]
) -> None:
    script = "%3Cimg src=x onerror=alert(1)%3E"
    page.goto(address(f"book/hardware/index.html?vendor={script}&sort=nonsense&other=1"))
    told = page.locator(".filter output")
    expect(told).to_contain_text("no vendor “<img src=x onerror=alert(1)>”")
    expect(told).to_contain_text("no column “nonsense” to sort by")
    assert len(rows(page)) > 60
    assert page.locator(".filter img").count() == 0
    assert page.evaluate("wrong") == []


def test_without_scripts_a_list_is_complete(
    browser: Browser, address: Callable[[str], str]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address("book/hardware/index.html?filter=nothing"))
    assert len(rows(page)) > 60
    assert page.locator(".filter").evaluate("e => e.offsetHeight") == 0
    context.close()


# ------------------------------------------------------------------ pages of plans


def test_the_whole_site_stays_within_its_size(book_site: Path) -> None:
    sizes = {path: path.stat().st_size for path in book_site.rglob("*") if path.is_file()}
    assert sum(sizes.values()) <= LARGEST_SITE


def test_no_drawing_has_a_text_that_its_script_lacked(book_site: Path) -> None:
    pages = {page: page.read_text("utf-8") for page in book_site.rglob("*.html")}
    assert [str(page) for page, text in pages.items() if "undefined<" in text] == []


def test_no_page_of_a_plan_exceeds_300_kb(book_site: Path) -> None:
    sizes = {page.name: page.stat().st_size for page in (book_site / "book/plans").glob("*.html")}
    assert {name: size for name, size in sizes.items() if size > 300_000} == {}


def test_a_plan_prints_on_at_most_three_pages(
    page: Page, address: Callable[[str], str], book_site: Path
) -> None:
    pages = {}
    for plan in share(sorted(path.stem for path in (book_site / "workbooks").iterdir()), 3):
        page.goto(address(f"book/plans/{plan}.html"))
        pages[plan] = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert pages
    assert all(1 <= count <= 3 for count in pages.values()), pages


#: Patterns of text that reads machine-written, by what is wrong with it.
MACHINE = {
    "plural after one": r"(?<![\d.,/–-])1 (?:figures|errors|runs|rows|GPUs|epochs|sources|plans)\b",
    "zeros after the last digit": r"\b0\.\d*[1-9]0{3,}\b",
    "nothing of something": r"\bbatch of 0\b",
    "fills it exactly, and does not fit": r"\bneeds (\d+)\.0 GB of \1 GiB",
    "memory of an RTX 4090": r"\bof 25\.[08] GB\b",
    "value of a program": r"\bundefined\b|\[object|\bNaN\b",
}
BY_HAND = ("book/reference", "reference", "changelog", "decisions", "tutorial")


def test_no_page_reads_machine_written(book_site: Path) -> None:
    found: dict[str, list[str]] = {}
    for page in book_site.rglob("*.html"):
        name = page.relative_to(book_site).as_posix()
        _, article, text = page.read_text("utf-8").partition("<article")
        if not article or name.startswith(BY_HAND):
            continue
        text = re.sub(
            r"<(script|style|pre|code|blockquote)\b.*?</\1>|<[^>]+>", " ", text, flags=re.S
        )
        words = " ".join(html.unescape(text).split())
        for what, pattern in MACHINE.items():
            for each in re.finditer(pattern, words):
                said = words[max(0, each.start() - 40) : each.end() + 20]
                found.setdefault(what, []).append(f"{name}: {said}")
    assert found == {}


# ------------------------------------------------------------------ navigation


def test_a_page_of_a_very_large_folder_shows_its_place(book_site: Path) -> None:
    page = book_site / "book/offers/lambda-1x-gh200.html"
    text = page.read_text("utf-8")
    path = re.search(r"<nav class=md-path .*?</nav>", text, re.DOTALL)
    assert path is not None
    assert re.findall(r"href=([^ >]+)", path[0])[-1] == "index.html"
    active = re.search(r'md-tabs__item--active"><a href=([^ >]+)', lists_of(page))
    assert active is not None
    assert active[1] == "../index.html"  # the index of all pages, the first one of the catalogue
    assert "Edition 2026-" in text


# ------------------------------------------------------------------ accessibility

AXE = "axe_playwright_python"


def axe() -> str:
    found = importlib.util.find_spec(AXE)
    require(None if found else f"no module {AXE}; install with '.[dev]'")
    assert found is not None
    assert found.origin is not None
    return (Path(found.origin).parent / "axe.min.js").read_text("utf-8")


def faults(page: Page, *rules: str) -> list[str]:
    """All violations that axe finds, however minor: the rule and the first element of each."""
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found]


#: The theme makes scrollable code focusable only once it is in sight.
SHOW_CODE = """async () => {
  for (const code of document.querySelectorAll("pre > code")) {
    if (!code.checkVisibility()) continue;
    code.scrollIntoView();
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  }
  scrollTo(0, 0);
}"""


#: Controls too small for a finger: under 24 pixels wide or high, unless links in text.
SMALL = """() =>
  [...document.querySelectorAll("a[href], button, input, select, summary, textarea")]
  .filter(e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}))
  .filter(e => e.tagName !== "A" || getComputedStyle(e).display !== "inline")
  .map(e => [e, e.getBoundingClientRect()])
  .filter(([e, {width, height}]) => width > 1 && Math.min(width, height) < 23.5)
  .map(([e, {width, height}]) => `${width} x ${height}: ${e.outerHTML.slice(0, 90)}`)"""


#: Records whose name and values cover each other once they are stacked.
COVERED = """() =>
  [...document.querySelectorAll("table.records tbody tr")]
  .filter(row => {
    const boxes = [...row.querySelectorAll(":scope > :is(th, td)")]
      .filter(cell => cell.textContent.trim() && cell.checkVisibility())
      .map(cell => {
        const content = document.createRange();
        content.selectNodeContents(cell);
        return content.getBoundingClientRect();
      });
    return boxes.some((a, n) => boxes.slice(n + 1).some(b =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1));
  })
  .map(row => row.textContent.slice(0, 90))"""


def moves(page: Page) -> float:
    """How far the layout of a page shifts while it loads: the least of several loads.

    On a busy machine, a table is sometimes shown before its last rows arrive; shifts that the page
    itself causes occur in every load.
    """
    shifts = [page.evaluate("shift")]
    while shifts[-1] >= 0.01 and len(shifts) < 6:
        page.reload()
        shifts.append(page.evaluate("shift"))
    return float(min(shifts))


def test_a_page_of_each_kind_is_accessible(page: Page, address: Callable[[str], str]) -> None:
    """In light and dark, wide and on a phone; nothing moves while loading, nothing is blocked."""
    script = axe()
    found: dict[str, object] = {}
    for kind in share(KINDS, 8):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")
        page.goto(address(f"{kind}.html"))
        shift = [moves(page)]
        page.evaluate(script)
        page.evaluate(SHOW_CODE)
        seen = faults(page)
        page.emulate_media(color_scheme="dark")
        seen += [f"dark, {each}" for each in faults(page, "color-contrast", "link-in-text-block")]
        page.set_viewport_size({"width": 360, "height": 740})
        page.evaluate(SHOW_CODE)
        seen += [f"phone, {each}" for each in faults(page, "scrollable-region-focusable")]
        page.reload()
        shift.append(moves(page))
        seen += [f"small, {each}" for each in page.evaluate(SMALL)]
        seen += [f"covered, {each}" for each in page.evaluate(COVERED)]
        if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            seen.append("scrolls sideways on a phone")
        seen += [f"shifts by {each:.3f}" for each in shift if each >= 0.01]
        seen += page.evaluate("wrong")
        if seen:
            found[kind] = seen
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    assert found == {}


@pytest.mark.parametrize("name", ["multimodal-scaling.tables", "calculator.inputs"])
def test_fields_take_the_room_of_the_text_that_they_replace(
    page: Page, address: Callable[[str], str], name: str
) -> None:
    page.goto(address(f"book/plans/{name}.html"))
    page.locator(".what-if.live").wait_for()
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
    assert moves(page) < 0.01


def test_the_keyboard_can_skip_to_the_text_and_focus_is_visible(
    page: Page, address: Callable[[str], str]
) -> None:
    page.goto(address("book/hardware/h100-sxm.html"))
    page.keyboard.press("Tab")
    skip = page.locator(".md-skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    link = page.locator("article p.meta a").first
    link.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(link).to_be_focused()
    assert link.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
