"""Workload pages: accelerators for a job, jobs that fit one, any model from its config.json."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from editions import edition_of
from proof.browser import Chromium
from render.live.parts import ASSETS, document
from render.pages.rendered import html
from scalesheet.choose.search import search
from scalesheet.edition import Edition
from scalesheet.examine import sound_edition
from scalesheet.quantities import amount
from scalesheet.render.live import ASKING, script
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.catalogue.training import job_of, training
from scalesheet.render.pages.compare.workload import question_of, workload_pages
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.architectures import architecture_script
from scalesheet.render.people import LETTERS, counted, people
from scalesheet.render.script import runtime
from shipped import DATA, shipped

Open = Callable[[str], Page]
CONFIGS: Mapping[str, Mapping[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "new" / "configs.json").read_text("utf-8")
)
READY = "[data-workload].live:not([aria-busy])"
RUN = """
globalThis.run = (made) => { let last; for (;;) { const next = made.next();
  if (next.done) return next.value ?? last; last = next.value ?? last; } };
"""


@pytest.fixture(scope="module")
def context() -> Context:
    edition: Edition = sound_edition(DATA, plans=("calculator",))[0]
    return Context(edition)


@pytest.fixture(scope="module")
def engine(context: Context) -> Engine:
    parts = script((*ASKING, "workload", "architecture"))
    plan = context.book.plans["calculator"]
    own = architecture_script(context.book, plan)
    return Engine(question_of(context), script(ASKING), own, parts, RUN)


# ------------------------------------------------------------------ computed figures


def test_the_browser_counts_a_models_parameters_as_the_catalogue_does(engine: Engine) -> None:
    table = edition_of(shipped()).catalogue
    at = {row: place for place, row in enumerate(table.rows["models"])}
    known = set(engine.call("(() => Object.keys(scalesheet.configs.types))"))
    read = 0
    for id_, config in CONFIGS.items():
        if config["model_type"] not in known:
            continue
        text = json.dumps(config)
        row = engine.call("((text) => scalesheet.architecture.install(text).row)", text)
        for name in ("parameters", "active_parameters"):
            assert row[name] == table.tables["models"][name][at[id_]].value, (id_, name)
        read += 1
    assert read > 100


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ('{"model_type": "mamba"}', "cannot be read in the browser"),
        ("hidden_size: 64", "num_hidden_layers"),
        ('{"hidden_size": -3, "num_hidden_layers": 2}', "expected a whole number"),
    ],
)
def test_an_unreadable_config_is_reported(engine: Engine, text: str, why: str) -> None:
    said = engine.call(
        "((text) => { try { scalesheet.architecture.read(text); return ''; } "
        "catch (error) { return error.message; } })",
        text,
    )
    assert why in said


def test_figures_listed_one_per_line_are_read_like_the_json(engine: Engine) -> None:
    config = CONFIGS["llama-3-1-8b"]
    lines = "\n".join(f"{name}: {str(value).lower()}" for name, value in config.items())
    read = "((text) => scalesheet.architecture.counted(scalesheet.architecture.read(text).row))"
    assert engine.call(read, lines) == engine.call(read, json.dumps(config))


@pytest.mark.parametrize("gpu", ["h100-sxm", "a100-sxm-80gb"])
@pytest.mark.parametrize("method", ["lora", "qlora"])
def test_the_matrix_on_the_page_is_the_published_one(
    context: Context, engine: Engine, gpu: str, method: str
) -> None:
    shared = training(context)
    assert shared is not None
    job = job_of(context, shared, "llama-3-1-8b")
    found = search(context.book, shared.catalogue, job, shared.assumed)
    rows = (found.grid.accelerator[found.at] == gpu) & (found.grid.method[found.at] == method)
    best = found.best(rows & found.good)
    assert best is not None
    words = {"lora": "LoRA", "qlora": "QLoRA"}[method]
    answer = engine.call(
        "((gpu, method, sequence, batch, tokens, hours) => {"
        " const { cases, workload } = scalesheet; const stated = new Map("
        "Object.entries({ model: 'llama-3-1-8b', data: 'tokens', epochs: 1, gpu, method, sequence,"
        " batch, tokens }));"
        " const { best } = run(workload.cheapestWithin(cases.complete(stated), hours));"
        " return [best.wanted.get('gpus'), cases.figureOf(best, 'hours').value,"
        " workload.costOf(best).value]; })",
        *(gpu, words, job.sequence, job.batch, job.tokens, job.deadline),
    )
    at = found.at[best]
    assert answer == pytest.approx([found.grid.gpus[at], found.wall[best], found.cost[best]])


def test_no_number_of_accelerators_that_fits_in_time_is_cheaper(engine: Engine) -> None:
    """A cheaper answer on fewer accelerators that only probably fits is shown beside it."""
    best, likely, others = engine.call(
        "((gpu, hours) => { const { cases, workload } = scalesheet; const { figureOf } = cases;"
        " const wanted = cases.complete(new Map(Object.entries({ model: 'llama-3-1-70b',"
        " method: 'LoRA', gpu, data: 'tokens', epochs: 1 })));"
        " const told = (each) => each && [each.wanted.get('gpus'), figureOf(each, 'verdict').value,"
        " workload.costOf(each)?.value ?? null, figureOf(each, 'elapsed_hours').high ?? null];"
        " const { best, likely } = run(workload.cheapestWithin(wanted, hours, 64));"
        " return [told(best), told(likely) ?? null, [1, 2, 4, 8, 16, 32, 64].map((gpus) =>"
        " told(run(workload.priced(cases.changedTo(wanted, { gpus })))) ?? null)]; })",
        *("a100-sxm-40gb", 72),
    )
    assert best[1] == "fits"
    assert best[3] <= 72
    fitting = [each for each in others if each and each[1] == "fits" and each[3] <= 72]
    assert best[2] == min(each[2] for each in fitting)
    assert likely is None or (likely[1] == "probably fits" and likely[2] < best[2])


@pytest.mark.parametrize("gpu", ["rtx4090", "rtx5090", "a100-sxm-40gb"])
def test_only_a_job_that_no_number_finishes_in_time_is_too_slow(engine: Engine, gpu: str) -> None:
    """If only an offer is missing, the page says so, and shows the smallest number in time."""
    found, others = engine.call(
        "((gpu, hours) => { const { cases, workload } = scalesheet;"
        " const wanted = cases.complete(new Map(Object.entries({ model: 'qwen2-5-32b',"
        " method: 'QLoRA', gpu, data: 'tokens', epochs: 1 })));"
        " const told = (each) => each && [each.wanted.get('gpus'),"
        " cases.figureOf(each, 'verdict').value, workload.costOf(each)?.value ?? null,"
        " cases.figureOf(each, 'elapsed_hours').high ?? null];"
        " const { best, why, last } = run(workload.cheapestWithin(wanted, hours, 64));"
        " return [[why ?? null, told(best ?? last)], [1, 2, 4, 8, 16, 32, 64].map((gpus) =>"
        " told(run(workload.priced(cases.changedTo(wanted, { gpus })))) ?? null)]; })",
        *(gpu, 72),
    )
    timely = [each for each in others if each and each[1] == "fits" and each[3] <= 72]
    priced = [each for each in timely if each[2] is not None]
    if priced:
        assert found[0] is None
    elif timely:
        assert found == [f"no offer of {counted(timely[0][0], 'GPU')}", timely[0]]
    else:
        assert found[0] == "too slow on up to 64 GPUs"


@pytest.mark.parametrize("count", [7, 999, 1000, 999_600_000, 7e9, 70_553_706_496, 1.5e13])
def test_large_numbers_are_written_with_k_m_b_or_t(engine: Engine, count: float) -> None:
    said = people(count)
    assert engine.call("scalesheet.workload.people", count) == said
    # rounding to three digits is the only loss
    read = float(said) if said[-1].isdigit() else float(amount(said[:-1], said[-1]))
    assert read == pytest.approx(count, rel=5e-3)
    assert not said.startswith("1000") or said[-1] == LETTERS[0][1]


def test_only_a_count_of_one_is_singular() -> None:
    assert [counted(n, "GPU") for n in (0, 1, 2, 1024)] == [
        "0 GPUs",
        "1 GPU",
        "2 GPUs",
        "1,024 GPUs",
    ]


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def folder(context: Context, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("workload")
    for name, text in workload_pages(context, question_of(context)):
        place = (made / name).with_suffix(".html") if name.endswith(".md") else made / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(document(html(text)) if name.endswith(".md") else text, "utf-8")
    (made / "assets" / "runtime.js").write_text(runtime(), "utf-8")
    for name in ("site.css", "charts.css", "site.js", "charts.js"):
        (made / "assets" / name).write_bytes((ASSETS / name).read_bytes())
    return made / "compare"


@pytest.fixture
def visit(chromium: Chromium, folder: Path) -> Iterator[Open]:
    def open_page(address: str) -> Page:
        name, _, query = address.partition("?")
        page = chromium.visit((folder / f"{name}.html").as_uri() + (query and f"?{query}")).page
        page.wait_for_selector(READY)
        return page

    yield open_page
    assert chromium.leave() == []


def test_a_job_is_entered_once_and_its_link_holds_all_of_it(visit: Open) -> None:
    page = visit("workload?model=llama-3-1-8b&of=h100-sxm,rtx4090&gpus=1&method=QLoRA")
    rows = page.locator("table.workload tbody tr")
    expect(rows).to_have_count(2)
    page.get_by_label("Tokens").fill("1.5B")
    page.get_by_label("Tokens").press("Enter")
    expect(page).to_have_url(re.compile("tokens=1500000000"))
    page.wait_for_selector(READY)
    before = rows.all_inner_texts()

    again = visit(page.url.rpartition("/")[2].replace(".html", ""))
    assert again.locator("table.workload tbody tr").all_inner_texts() == before
    assert "1.5B" in again.get_by_label("Tokens").input_value()


def test_the_cheapest_comes_first_in_table_and_chart(visit: Open) -> None:
    page = visit("workload?of=h100-sxm,a100-sxm-80gb,b200&gpus=8")
    costs = page.locator("table.workload tbody tr td:nth-child(5)").all_inner_texts()
    numbers = [float(text.split("\n")[0].replace(",", "")) for text in costs]
    assert numbers == sorted(numbers)
    ids = page.locator("svg [data-row]").evaluate_all("all => all.map(each => each.dataset.row)")
    links = page.locator("table.workload tbody th a").evaluate_all(
        "all => all.map(each => each.href.match(/([^/]+)\\.html$/)[1])"
    )
    assert ids == links


def test_an_invalid_value_is_reported_and_changes_nothing(visit: Open) -> None:
    page = visit("workload?of=h100-sxm&gpus=8")
    before = page.url
    page.get_by_label("Length").fill("many")
    page.get_by_label("Length").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("many")
    assert page.url == before


def test_invalid_values_in_a_link_are_reported(visit: Open) -> None:
    page = visit("fits?gpu=nothing&nonsense=1")
    expect(page.get_by_role("alert")).to_contain_text("nonsense")


def test_a_pasted_config_is_answered(visit: Open) -> None:
    page = visit("any-model")
    box = page.get_by_label("config.json")
    box.fill(json.dumps(CONFIGS["llama-3-1-8b"]))
    box.blur()
    expect(page.locator(".hero")).to_contain_text("8.03B")
    expect(page.locator("table.matrix tbody td").first).to_contain_text("GPU")
