"""Every text of a book is text on every page, in each workbook and in the API, whatever it says.

The fields are found from the schemas, so a new one is tested as soon as it exists.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest
from playwright.sync_api import Browser

from project import ROOT
from scalesheet import schemas
from scalesheet.build import Built, build
from scalesheet.examine import examine
from scalesheet.load import Document, load

Schema = Mapping[str, Any]

#: What each text says after its number. It begins like a formula.
SAYS = (
    '"><meta http-equiv=refresh content="0;url=https://else.example/"> '
    "<img src=x onerror=alert(1)> </script><script>alert(2)</script> "
    "[x](javascript:x) `c` **b** {{ config }} $x$ &lt;"
)
#: Fields in which braces mean something: prose may only name figures of the plan, and a symbol has
#: an index. What these say.
BRACES = frozenset(
    (
        "formula.symbol",
        "plan.recommendations.*",
        "subpage.summary",
        "subpage.title",
    )
)
WITHOUT_BRACES = SAYS.replace(" {{ config }}", "")
NUMBER = re.compile(r"=Q(\d+)Q")
#: The record whose lines the claims of the plan name; another one has the texts.
CITED = "pixelis-simulated-2025-08-13"
#: What the sample has of the shipped book: a plan with audits, versions and further pages, and the
#: rows that it and the components need.
FILES = {
    "hardware": "a100-pcie-80gb a100-sxm-40gb a100-sxm-80gb h100-sxm h200-sxm mi300x rtx3090 "
    "rtx4090",
    "models": "deepseek-v3 gemma-3-12b gemma-3-27b gemma-3-4b llama-3-1-70b llama-3-1-8b "
    "llava-1-5-7b qwen2-5-vl-7b qwen3-8b",
    "nodes": "aws-p4d-24xlarge aws-p5-48xlarge dgx-h100",
    "rates": "aws-p4d-24xlarge aws-p5-48xlarge azure-nc24ads-a100-v4 digitalocean-8x-mi300x "
    "gcp-a2-highgpu-1g-spot gcp-a2-highgpu-1g lambda-1x-h100-sxm lambda-8x-a100-sxm-80gb "
    "modal-h200 runpod-community-rtx4090 runpod-secure-a100-sxm runpod-secure-h100-sxm",
    "providers": "aws digitalocean google-cloud lambda microsoft-azure modal runpod",
    "measurements": CITED,
    "runs": "falcon-7b-card",
    "plans": "pixelis",
}
#: What it has besides, so that there is a place for every text.
SOURCE = "  {}: {{title: A report, publisher: A vendor, date: 2023, accessed: 2026-11-20}}\n"
CONTESTED = "contested: [{of: power, value: 1, source: {key: a-report, locator: a, quote: b}}]\n"
PEERS = """\
peers:
  - {name: a, predicts: b, says: c, source: {key: a-report, locator: d}, note: e}
"""
ACTUALS = "phase,run,seed,state,accelerator,gpu_hours,from,note\nsvd,a,1,done,h100-sxm,5,log,x\n"
#: Fields without a text here: a table of runs, which is read; a reason instead of a number that the
#: sample needs; tables of claims and scores of runs, of which the sample has none.
OTHERS = frozenset(
    (
        "claims.tables.*.columns.*.note",
        "claims.tables.*.columns.*.title",
        "claims.tables.*.rows.*.*.against.*",
        "claims.tables.*.rows.*.*.note",
        "claims.tables.*.title",
        "score.own.throughput.note",
        "score.runs.note",
        "fit.runs",
        "hardware.memory.was.*.reason",
        "measurement.accelerators.reason",
        "model.published_parameters.reason",
        "node.accelerators.reason",
        "rate.prices.*.reason",
    )
)
#: Fields that name something, so that `check` refuses any other text at its place.
NAMES = frozenset(
    (
        "component.quantities.*.differs",
        "plan.actuals.match.*",
        "plan.tables.*.columns.*.differs",
        "rate.provider",
        "subpage.headline.*",
        "table.columns.*.differs",
    )
)


# ------------------------------------------------------------------ the fields of the schemas


def is_text(schema: Schema) -> bool:
    """Whether a schema allows any text; a unit or a formula is read, and is not one."""
    kinds = {schema["type"]} if isinstance(schema.get("type"), str) else {*schema.get("type", ())}
    free = "pattern" not in schema and not {"title", "enum", "format"} & schema.keys()
    plain = schema.get("pattern") == schemas.written("common")["$defs"]["text"]["pattern"]
    return "string" in kinds and not {"number", "boolean"} & kinds and (free or plain)


def parts(schema: Schema) -> Iterator[Schema]:
    """A schema and those that apply to the same value."""
    yield schema
    for key in ("then", "else"):
        if key in schema:
            yield from parts(schema[key])
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ())):
        yield from parts(part)


def below(schema: Schema) -> dict[str, Schema]:
    """The schemas of the keys of a mapping; `*` is that of further keys, or of items."""
    found: dict[str, Schema] = {}
    for part in parts(schema):
        for name, each in part.get("properties", {}).items():
            if isinstance(each, dict) and each:
                found.setdefault(name, each)
        for key in ("additionalProperties", "items"):
            if isinstance(part.get(key), dict):
                found.setdefault("*", part[key])
    return found


@cache
def fields() -> dict[int, str]:
    """Every text in the schemas, once where several files share it, with its first place."""
    found: dict[int, str] = {}

    def collect(schema: Schema, place: str) -> None:
        if is_text(schema):
            found.setdefault(id(schema), place)
        for name, each in below(schema).items():
            collect(each, f"{place}.{name}")

    for kind in schemas.KINDS:
        collect(schemas.schema(kind), kind)
    return found


def takes(schema: Schema) -> bool:
    """Whether the sample has a text there."""
    return is_text(schema) and fields()[id(schema)] not in OTHERS


HELD: dict[int, frozenset[int]] = {}


def held(schema: Schema) -> frozenset[int]:
    """The texts within a schema."""
    if id(schema) not in HELD:
        inner = [held(each) for each in below(schema).values()]
        own = frozenset({id(schema)} if is_text(schema) else ())
        HELD[id(schema)] = own.union(*inner)
    return HELD[id(schema)]


# ------------------------------------------------------------------ a book with a text in each


@dataclass
class Text:
    """A text that was written: its field, where it is in the data, and what was there."""

    field: int
    holder: Any
    key: Any
    before: Any
    says: str


@dataclass
class Writer:
    """Puts numbered texts into data wherever its schema allows them."""

    texts: list[Text] = field(default_factory=list)
    #: The fields that have a text, or were in an example that was added.
    tried: set[int] = field(
        default_factory=lambda: {n for n, of in fields().items() if of in OTHERS}
    )
    added: list[tuple[Any, str]] = field(default_factory=list)
    #: The texts that others name, with what they were before.
    renamed: dict[str, str] = field(default_factory=dict)

    def put(self, schema: Schema, holder: Any, key: Any, before: Any = None) -> None:
        says = WITHOUT_BRACES if fields()[id(schema)] in BRACES else SAYS
        text = f"=Q{len(self.texts)}Q{says}"
        self.texts.append(Text(id(schema), holder, key, before, says))
        self.tried.add(id(schema))
        holder[key] = text
        if key == "title" and isinstance(before, str):
            self.renamed.setdefault(before, text)

    def fill(self, schema: Schema, value: Any) -> None:
        """Replace each text, and add those that the schema allows; lists of texts get one more."""
        known = below(schema)
        if isinstance(value, list):
            item = known.get("*", {})
            for each in value:
                self.fill(item, each)
            if takes(item):
                value.append("")
                self.put(item, value, len(value) - 1)
        if not isinstance(value, dict):
            return
        for key, each in list(value.items()):
            inner = known.get(key, known.get("*", {}))
            if isinstance(each, str) and takes(inner):
                self.put(inner, value, key, each)
            else:
                self.fill(inner, each)
        test = schemas.validator(dict(schema))
        for key in [key for key in known if key not in value and key != "*"]:
            if takes(known[key]) and test.is_valid({**value, key: "text"}):
                self.put(known[key], value, key)

    def extend(self, schema: Schema, value: Any) -> None:
        """Add the examples of keys that hold texts which no file has yet."""
        known = below(schema)
        if isinstance(value, list):
            for each in value:
                self.extend(known.get("*", {}), each)
        if not isinstance(value, dict):
            return
        for key, each in value.items():
            self.extend(known.get(key, known.get("*", {})), each)
        for key in [key for key in known if key not in value and key != "*"]:
            if "examples" in known[key] and held(known[key]) - self.tried:
                example = deepcopy(known[key]["examples"][0])
                if schemas.validator(dict(schema)).is_valid({**value, key: example}):
                    self.tried |= held(known[key])
                    self.added.append((value, key))
                    value[key] = example
                    self.fill(known[key], example)

    def settle(self, line: str) -> bool:
        """Give in to an error at a line: its text names something, or an example does not fit."""
        if not (found := NUMBER.search(line)):
            code = line.strip().rstrip("[{,")
            fits = [(h, k) for h, k in self.added if k in h and code in printed({k: h[k]})]
            for holder, key in fits:
                for number in NUMBER.findall(printed(holder.pop(key))):
                    self.texts[int(number)].says = ""
            return bool(fits)
        text = self.texts[int(found[1])]
        named = self.renamed.get(text.before, text.before)
        text.holder[text.key] = named if text.says else text.before
        text.says = ""
        if text.before is None:
            del text.holder[text.key]
        return True


def printed(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False)


def lay(data: Path) -> None:
    """Write the sample's data folder."""

    def left_out(folder: str, names: list[str]) -> list[str]:
        kept = FILES.get(Path(folder).name)
        return [n for n in names if kept and n.removesuffix(".yaml") not in kept.split()]

    shutil.copytree(ROOT / "data", data, ignore=left_out)
    (data / "score.lock").unlink()
    (data / "score.yaml").write_text(PEERS, "utf-8")
    with (data / "sources.yaml").open("a", encoding="utf-8") as sources:
        sources.writelines(map(SOURCE.format, ("a-data-sheet", "a-log", "a-report")))
    records = data / "measurements"
    record = (records / f"{CITED}.yaml").read_text("utf-8")
    (records / "another.yaml").write_text(record.replace("qwen2-5-vl-7b", "qwen3-8b"), "utf-8")
    run = (data / "runs" / "falcon-7b-card.yaml").read_text("utf-8")
    run = (
        run.replace("accelerator: a100-sxm-40gb", "hardware: A card")
        + "defaults: {hardware: A card}\n"
    )
    (data / "runs" / "another.yaml").write_text(run, "utf-8")
    card = data / "hardware" / "rtx3090.yaml"
    text = card.read_text("utf-8").replace("memory:\n", "memory:\n  written: {value: 24}\n")
    card.write_text(text + CONTESTED, "utf-8")
    actuals = data / "plans" / "pixelis" / "actuals" / "runs.csv"
    actuals.parent.mkdir()
    actuals.write_text(ACTUALS, "utf-8")


def save(documents: Iterable[Document]) -> None:
    for each in documents:
        path, text = Path(each.path), printed(each.data)
        if each.kind == "actuals":
            with path.open("w", encoding="utf-8", newline="") as file:
                lines = csv.DictWriter(file, each.data["header"])
                lines.writeheader()
                lines.writerows(each.data["rows"])
        else:
            page = f"---\n{text}\n---\n{each.text}"
            path.write_text(page if each.kind == "subpage" else text, "utf-8")


def hostile(data: Path) -> list[Text]:
    """Write the sample with a text in every field, as far as `check` accepts it."""
    lay(data)
    every, _ = load(data)
    documents = [
        replace(each, data=deepcopy(each.data))  # files with the same bytes share it
        for each in every
        if each.kind in schemas.KINDS and each.id != CITED
    ]
    writer = Writer()
    for write in (writer.fill, writer.extend):
        for each in documents:
            write(schemas.schema(each.kind), each.data)
    for _ in range(20):
        save(documents)
        found = [each for each in examine(data).diagnostics if each.severity == "error"]
        if not found:
            return writer.texts
        lines = {Path(e.path).read_text("utf-8").split("\n")[e.line - 1] for e in found}
        numbered = {line for line in lines if NUMBER.search(line)}
        settled = [writer.settle(line) for line in sorted(numbered or lines)]
        assert all(settled), found
    raise AssertionError(found)


# ------------------------------------------------------------------ what readers get


@dataclass(frozen=True)
class Made:
    """The sample's build."""

    built: Built
    texts: list[Text]

    def changed(self, found: str) -> list[str]:
        """The numbered texts that do not say what was written, up to where they are cut off.

        Charts break lines, and LaTeX has a backslash before some signs.
        """
        flat, wrong = re.sub(r"\\([{}$&])", r"\1", "".join(found.split())), []
        for mark in NUMBER.finditer(flat):
            says = "".join(self.texts[int(mark[1])].says.split())
            rest = flat[mark.end() : mark.end() + len(says)]
            start, cut, _ = rest.partition("…")
            if rest != says and not (cut and says.startswith(start)):
                wrong.append(mark[0] + rest)
        return wrong


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, few_pages: None) -> Made:
    folder = tmp_path_factory.mktemp("texts")
    texts = hostile(folder / "data")
    return Made(build(folder / "data", folder / "out"), texts)


def test_every_field_that_holds_text_has_one(made: Made) -> None:
    written = {fields()[text.field] for text in made.texts if text.says}
    assert set(fields().values()) - written == OTHERS | NAMES


class Shown(HTMLParser):
    """The text of a page, and each value of an attribute."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = [""]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value or "" for name, value in attrs if name not in ("id", "href")]

    def handle_data(self, data: str) -> None:
        self.texts[0] += data


def test_pages_show_each_text_as_it_is(made: Made) -> None:
    assert made.built.site is not None
    for page in made.built.site.rglob("*.html"):
        for text in Shown(page.read_text("utf-8")).texts:
            assert made.changed(text) == [], page


def test_workbooks_have_each_text_as_text(made: Made) -> None:
    for path in made.built.workbooks:
        for sheet in openpyxl.load_workbook(path).worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    if isinstance(cell.value, str) and cell.value.startswith("=Q"):
                        assert cell.data_type == "s", (sheet.title, cell.coordinate)


def test_data_files_are_valid_and_have_each_text_as_it_is(made: Made) -> None:
    assert made.built.site is not None
    for path in (made.built.site / "api").rglob("*"):
        text = path.read_text("utf-8") if path.is_file() else ""
        if path.suffix == ".json":
            assert made.changed(" ".join(strings(json.loads(text)))) == [], path
        elif path.suffix == ".atom":
            for element in ElementTree.fromstring(text).iter():
                assert element.tag.rpartition("}")[2] in FEED, element.tag


FEED = (
    "feed",
    "category",
    "title",
    "id",
    "updated",
    "author",
    "name",
    "link",
    "entry",
    "summary",
    "content",
)


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from strings(each)


@pytest.mark.parametrize(
    "page", ["index", "book/index", "book/plans/pixelis", "book/compare/plans"]
)
def test_a_browser_stays_on_the_page(made: Made, page: str, browser: Browser) -> None:
    assert made.built.site is not None
    address = (made.built.site / f"{page}.html").as_uri()
    tab = browser.new_page()
    said: list[str] = []
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto(address, wait_until="load")
    tab.wait_for_timeout(500)
    assert (tab.url, said) == (address, [])
    assert tab.locator("[onerror], meta[http-equiv=refresh], a[href^='javascript:']").count() == 0
    assert SAYS[:40] in tab.title()
    tab.close()
