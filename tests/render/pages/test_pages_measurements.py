"""Pages of measurements say how a record was found before they say anything else."""

import pytest

from runs import PLACE, RUN, UNITS
from scalesheet.build import examine
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.render.pages.catalogue import catalogue_pages
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plain.catalogue import catalogue_texts
from small import lay


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    simulated = RUN.replace("how: measured", "how: simulated").replace("A run", "Another run")
    files = {PLACE: RUN, "measurements/b-run.yaml": simulated, "units.yaml": UNITS}
    examined = examine(lay(tmp_path_factory.mktemp("runs"), files))
    book = examined.book
    assert book is not None
    return Context(book, examined.results, "x", {})


@pytest.fixture(scope="module")
def pages(context: Context) -> dict[str, str]:
    return dict(catalogue_pages(context))


def test_a_simulated_record_says_so_first(pages: dict[str, str]) -> None:
    page = pages["measurements/b-run.md"]
    assert page.startswith("# Another run, simulated\n")
    assert page.index("Simulated, not measured.") < page.index("Time of a step")
    assert page.count(">simulated</") > 8  # every figure is marked
    assert "Simulated" not in pages["measurements/a-run.md"]


def test_what_was_not_measured_is_left_out(pages: dict[str, str]) -> None:
    page = pages["measurements/a-run.md"]
    assert "Batch of all accelerators" in page
    assert "Memory of the optimizer" not in page
    assert "Not measured: rank of the adapters; " in page


def test_the_index_lists_how_each_was_found(pages: dict[str, str]) -> None:
    index = pages["measurements/index.md"]
    assert '<a href="b-run.html">Another run, simulated</a>' in index
    assert index.count(">measured</td>") == index.count(">simulated</td>") == 1


def test_the_accelerator_and_the_model_lead_to_it(pages: dict[str, str]) -> None:
    for page in ("hardware/card.md", "models/tiny.md"):
        assert '<a href="../measurements/b-run.html">Another run, simulated</a>' in pages[page]


def test_a_default_of_a_model_is_on_no_page(context: Context, pages: dict[str, str]) -> None:
    assert evaluate_catalogue(context.book).tables["models"]["block_norms"][0].value == 2
    assert "Norms in a block" not in pages["models/tiny.md"]
    plain = next(text for name, text in catalogue_texts(context) if name == "models/tiny.md")
    assert "Layers" in plain
    assert "Norms in a block" not in plain
