"""Pages of measurements say first how a record was obtained."""

import html
import re
from itertools import pairwise
from pathlib import Path

import pytest

from editions import given
from made_up import MEASURED, SIMULATED, examined, foretold
from made_up import lay as lay_records
from runs import PLACE, RUN, UNITS
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.examine import examine
from scalesheet.render.measurements import OWN, scale
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.markdown import as_markdown
from scalesheet.steps.comparison import compared
from scalesheet_bench.sources import ENTRIES
from shipped import shipped
from small import lay


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    simulated = RUN.replace("how: measured", "how: simulated").replace("A run", "Another run")
    files = {PLACE: RUN, "measurements/b-run.yaml": simulated, "units.yaml": UNITS}
    examined = examine(lay(tmp_path_factory.mktemp("runs"), files))
    book = examined.book
    assert book is not None
    return Context(given(book, results=examined.results))


@pytest.fixture(scope="module")
def pages(context: Context) -> dict[str, str]:
    return dict(catalogue_pages(context))


def test_a_simulated_record_says_so_first(pages: dict[str, str]) -> None:
    page = pages["measurements/b-run.md"]
    assert page.startswith("# Another run, simulated\n")
    assert page.index("Simulated, not measured.") < page.index("Step time")
    assert page.count(">simulated</") > 8  # the mark is on every figure
    assert "Simulated" not in pages["measurements/a-run.md"]


def test_figures_that_were_not_measured_are_left_out(pages: dict[str, str]) -> None:
    page = pages["measurements/a-run.md"]
    assert "Global batch" in page
    assert ">Optimizer memory<" not in page
    assert "Not measured: LoRA rank; " in page


def test_the_index_says_how_each_record_was_obtained(pages: dict[str, str]) -> None:
    index = pages["measurements/index.md"]
    assert '<a href="b-run.html">Another run, simulated</a>' in index
    assert index.count(">measured</span></td>") == index.count(">simulated</span></td>") == 1


def test_the_accelerator_and_the_model_link_to_the_record(pages: dict[str, str]) -> None:
    for page in ("hardware/card.md", "models/tiny.md"):
        assert '<a href="../measurements/b-run.html">Another run, simulated</a>' in pages[page]


def test_the_defaults_of_a_model_are_on_no_page(context: Context, pages: dict[str, str]) -> None:
    assert evaluate_catalogue(context.book).tables["models"]["block_norms"][0].value == 2
    assert "Norms per block" not in pages["models/tiny.md"]
    plain = as_markdown(pages["models/tiny.md"])
    assert "Layers" in plain
    assert "Norms per block" not in plain


# ------------------------------------------------------------------ predictions


@pytest.fixture(scope="module")
def compared_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    unclear = MEASURED.replace("method: LoRA\n", "").replace("A made-up run", "An unclear one")
    other = MEASURED.replace("checkpointing: no", "checkpointing: yes")
    other = other.replace("A made-up run", "A slow one")
    other = other.replace("value: 0.5, unit: sec", "value: 0.8, unit: sec")
    uneven = other.replace("A slow one", "An uneven one\nunsteady: yes").replace("0.8,", "1.6,")
    records = {"a": MEASURED, "b": SIMULATED, "c": unclear, "d": other, "e": uneven}
    book = examined(tmp_path_factory.mktemp("compared"), records).book
    assert book is not None
    found = compared(book, foretold)
    context = Context(given(book, comparisons=found))
    made = dict(catalogue_pages(context))
    plain = {path: as_markdown(text) for path, text in made.items() if "measurements/" in path}
    return made | {f"plain/{path}": text for path, text in plain.items()}


def rows(page: str) -> dict[str, list[str]]:
    """The rows of all tables of a page by their headings, as text."""
    found = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", page)
    bare = {re.sub("<.*?>", "", name): cells for name, cells in found}
    return {
        name: [re.sub("<.*?>", "", each) for each in re.findall("<td.*?</td>", cells)]
        for name, cells in bare.items()
    }


def test_a_record_is_shown_beside_its_prediction(compared_pages: dict[str, str]) -> None:
    table = rows(compared_pages["measurements/a.md"].partition("{ #figures")[0])
    assert table["Step time"] == ["ms/step", "500", "400", "360–440, outside", "×1.25"]
    assert table["Forward pass"] == ["ms/step", "150", "160", "", "×0.938"]
    assert table["Waiting for data"] == ["ms/step", "50", "0", "", ""]
    assert "Forward pass, share of the step" not in table  # the ratio of the times gives it
    assert table["Peak memory"] == ["GiB", "10", "8", "×1.25"]
    assert table["Activation memory"] == ["GiB", "6", "none", ""]
    assert table["Gradient memory"] == ["GiB", "not taken", "0.01", ""]


def test_the_first_sentence_says_how_far_off_the_prediction_is(
    compared_pages: dict[str, str],
) -> None:
    page = compared_pages["measurements/a.md"]
    lead = re.search(r'<p class="lead">(.*?)</p>', page)
    assert lead is not None
    assert re.sub("<.*?>", "", lead[1]) == (
        "Measured on the hardware. A step took ×1.25 of the predicted time and peak memory "
        "is ×1.25 of the prediction."
    )


def test_the_chart_has_two_bars_for_each_component(compared_pages: dict[str, str]) -> None:
    page = compared_pages["measurements/a.md"]
    times, memory = re.findall(r'<svg class="bars pairs".*?</svg>', page, re.DOTALL)
    # five components, one of them (waiting) without a prediction, and two legend entries
    assert times.count("<rect class=") == 2 * 5 - 1 + 2
    assert "Forward: measured 150, predicted 160, ×0.938" in times
    assert "Gradients: measured –, predicted 0.01, –" in memory


def test_peak_memory_is_compared_with_the_accelerators(compared_pages: dict[str, str]) -> None:
    # 81,559 MiB, all of it available to programs
    said = "The accelerator has 79.65 GiB, of which the peak is 12.6 % as measured and 10.0 % as "
    for name in ("measurements/a.md", "plain/measurements/a.md"):
        assert said in compared_pages[name]


def test_a_record_that_cannot_be_predicted_says_why(compared_pages: dict[str, str]) -> None:
    page = compared_pages["measurements/c.md"]
    assert "<strong>Not predicted:</strong> the record states no method" in page
    assert "bars pairs" not in page


def test_measured_and_simulated_records_of_a_job_link_to_each_other(
    compared_pages: dict[str, str],
) -> None:
    page = compared_pages["measurements/a.md"].partition("{ #twins")[2].partition("{ #figures")[0]
    assert rows(page) == {
        "The same run, simulated": [
            "simulated",
            "2026-11-20",
            "0.5",
            "×1.000",
            "16,384",
            "×1.000",
            "10",
            "×1.000",
        ]
    }
    other = compared_pages["measurements/d.md"].partition("{ #twins")[2].partition("{ #figures")[0]
    assert list(rows(other)) == ["An uneven one"]
    assert "{ #twins" not in compared_pages["measurements/c.md"]


def test_the_index_says_how_far_off_predictions_are(compared_pages: dict[str, str]) -> None:
    index = compared_pages["measurements/index.md"]
    assert "4 records are measured on the hardware, 1 simulated." in index
    # 0.5 and 0.8 s, predicted 0.4 s
    assert (
        "×1.63 in the median and ×2.00 at worst, over 2 records, of which 0 are within 5 %. "
        '<a href="d.html">The worst</a>'
    ) in index
    table = rows(index)
    assert table["A made-up run"][:4] == ["measured", "0.5", "×1.25", "10"]
    assert table["A slow one"][:7] == (["measured", "0.8", "×2.00", "10", "×1.25", "16,384", ""])
    assert table["An unclear one"][:5] == ["measured", "0.5", "", "10", ""]
    # an unsteady run counts for memory, not for times
    assert table["An uneven one"][1:7] == ["1.6", "×4.00", "10", "×1.25", "16,384", "unsteady"]
    assert table["Peak memory"] == ["3", "0", "×1.25", "×1.25"]
    # a part below 5 % of its whole is not scored: weights are, waiting is not
    assert table["Weight memory"] == ["3", "3", "×1.000", "×1.000"]
    assert table["Forward pass"] == ["2", "0", "×1.28", "×1.50"]
    assert "Waiting for data" not in table
    assert table["NVIDIA H100 SXM5 80 GB"] == ["2", "0", "×1.63", "×2.00"]
    assert len(re.findall(r'<svg class="scatter"', index)) == 2
    # three measured records with a prediction; the chart leaves the simulated one out
    assert index.count('<circle class="dot"') == 2 * 3


def test_search_finds_it_by_everyday_names(compared_pages: dict[str, str]) -> None:
    index = compared_pages["measurements/index.md"]
    assert '"Benchmark"' in index
    assert '"MFU measured"' in index


def test_the_plain_text_says_the_same(compared_pages: dict[str, str]) -> None:
    page = compared_pages["plain/measurements/a.md"]
    assert "| Step time | ms/step | 500 | 400 | 360–440, outside | ×1.25 |" in page
    assert "| [The same run, simulated](b.md) | simulated | 2026-11-20 |" in page
    index = compared_pages["plain/measurements/index.md"]
    assert "| [A made-up run](a.md) | measured | 0.5 | ×1.25 | 10 | ×1.25 | 16,384 |" in index
    assert "| Peak memory | 3 | 0 | ×1.25 | ×1.25 |" in index
    assert "4 records are measured on the hardware, 1 simulated." in index
    assert (
        "**Not predicted:** the record states no method"
        in (compared_pages["plain/measurements/c.md"])
    )


def test_the_sources_that_bench_writes_are_known() -> None:
    assert set(OWN) == set(ENTRIES)


def test_a_record_from_bench_shows_the_command_that_repeats_it(tmp_path: Path) -> None:
    source = "source: {key: own-measurement, locator: scalesheet bench run --model qwen2-0-5b}"
    own = re.sub("source: .*", source, MEASURED)
    folder = lay_records(tmp_path, {"a": own, "b": MEASURED})
    sources = folder / "sources.yaml"
    text = sources.read_text("utf-8")
    if "own-measurement:" not in text:
        sources.write_text(f"{text}  own-measurement: {{title: Own}}\n", "utf-8")
    book = examine(folder, plans=()).book
    assert book is not None
    pages = dict(catalogue_pages(Context(given(book))))
    said = "<pre><code>scalesheet bench run --model qwen2-0-5b</code></pre>"
    assert said in pages["measurements/a.md"]
    assert "<pre>" not in pages["measurements/b.md"]


def test_an_unsteady_record_says_so_before_its_figures(compared_pages: dict[str, str]) -> None:
    page = compared_pages["measurements/e.md"]
    told = "<strong>Unsteady</strong>: step times varied more than requested"
    assert page.index(told) < page.index('class="hero"')
    assert "**Unsteady**: step times varied" in compared_pages["plain/measurements/e.md"]
    assert "Unsteady</strong>" not in compared_pages["measurements/a.md"]


def test_chart_labels_leave_room_for_their_numbers(
    compared_pages: dict[str, str],
) -> None:
    pages = "".join(compared_pages[f"measurements/{name}.md"] for name in ("a", "b", "d"))
    for drawn in re.findall(r'<svg class="bars pairs".*?</svg>', pages, re.DOTALL):
        texts = [re.sub("<.*?>", "", each) for each in re.findall("<text.*?</text>", drawn)]
        said = [html.unescape(each) for each in texts]
        beside = [pair for pair in pairwise(said) if "→" in pair[1]]
        assert len(beside) > 3
        for name, numbers in beside:
            assert len(name) + len(numbers) < 45, name  # characters that fit across a phone


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("second / step", 0.0123456, "12.35 ms/step"),
        ("second / step", 12.3456, "12.35 s/step"),
        ("GiB", 0.25, "256 MiB"),
        ("token / second", 95206.4, "95,206 tokens/s"),
        ("token / second", 1.0, "1 token/s"),
        ("token / second", 0.5, "0.5 tokens/s"),  # the denominator is not scaled
        ("TFLOP / (second * GPU)", 0.1225, "0.1225 TFLOP/(GPU·s)"),
        ("1", 0.1234, "12.3 %"),
        ("GiB", 0.0, "0 GiB"),
    ],
)
def test_figures_are_shown_in_a_unit_that_suits_their_size(
    unit: str, value: float, shown: str
) -> None:
    book = shipped().book
    assert book is not None
    assert scale(book.units, book.units.parse(unit), value).with_unit(value) == shown
