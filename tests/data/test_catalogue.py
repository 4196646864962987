"""The shipped catalogue is plausible, sourced to the place, and counts models as they are."""

import shutil
from pathlib import Path

import pytest

from scalesheet.build import Examined, examine
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.model import Book, Table
from scalesheet.values import Results

DATA = Path(__file__).parents[2] / "data"
CATALOGUE = (
    "hardware", "nodes", "offers", "models", "measurements", "interconnects", "grids",
    "electricity", "sites", "loads",
)  # fmt: skip


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    """The catalogue alone: what the plans say is tested with them."""
    data = tmp_path_factory.mktemp("catalogue") / "data"
    shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("plans"))
    return examine(data)


@pytest.fixture(scope="module")
def book(examined: Examined) -> Book:
    assert examined.book is not None, examined.diagnostics
    return examined.book


@pytest.fixture(scope="module")
def results(book: Book) -> Results:
    return evaluate_catalogue(book)


def test_nothing_in_it_is_implausible(examined: Examined) -> None:
    assert [str(d) for d in examined.diagnostics] == []


def figures(book: Book) -> list[tuple[str, str, str]]:
    return [
        (name, row, column.name)
        for name in CATALOGUE
        for column in book.tables[name].columns.values()
        for row, stated in column.stated.items()
        if stated.value is not None and not stated.default and column.kind == "number"
    ]


def test_every_figure_names_its_source_and_the_place_in_it(book: Book) -> None:
    bare = []
    for table, row, column in figures(book):
        stated = book.tables[table].columns[column].stated[row]
        counted = table == "offers" and column == "gpus"  # the offer's own figure
        if not counted and (stated.citation is None or not stated.citation.locator):
            bare.append((table, row, column))
    assert bare == []


def rounds_to(count: float, published: float) -> bool:
    """Whether a count, rounded to the digits of a published one, is that."""
    digits = f"{published:.0f}".rstrip("0")
    return round(count / 10 ** (len(f"{published:.0f}") - len(digits))) == int(digits)


def test_the_count_of_every_model_is_the_published_one(book: Book, results: Results) -> None:
    models: Table = book.tables["models"]
    cells = results.tables["models"]
    wrong, checked = [], 0
    for place, row in enumerate(models.rows):
        for counted, published in (
            ("parameters", "published_parameters"),
            ("active_parameters", "published_active_parameters"),
        ):
            said = cells[published][place].value
            count = cells[counted][place].value
            assert isinstance(count, float), (row, cells[counted][place].reason)
            if isinstance(said, float):
                checked += 1
                if published == "published_parameters" and not rounds_to(count, said):
                    wrong.append((row, count, said))
                if published != "published_parameters" and abs(count / said - 1) > 0.02:
                    wrong.append((row, count, said))
    assert wrong == []
    assert checked > 50


@pytest.mark.parametrize(
    ("model", "part", "count"),
    [
        ("qwen2-5-vl-7b", "vision_parameters", 676_550_144),
        ("qwen2-5-vl-7b", "decoder_parameters", 7_615_616_512),
        ("qwen2-vl-2b", "vision_parameters", 665_271_296),
        ("llama-3-1-8b", "vision_parameters", 0),
        ("mixtral-8x7b", "active_parameters", 12_879_925_248),
        ("llama-3-1-8b", "active_parameters", 8_030_261_248),
        ("deepseek-v3", "attention_part", 187_107_328),
    ],
)
def test_the_parts_of_a_model(
    book: Book, results: Results, model: str, part: str, count: int
) -> None:
    place = book.tables["models"].rows.index(model)
    assert results.tables["models"][part][place].value == count


def test_a_spot_price_is_an_offer_of_its_own(book: Book) -> None:
    offers = book.tables["offers"]
    for row in offers.rows:
        term = offers.columns["term"].stated[row].value
        assert (term == "spot") == row.endswith("-spot"), row


def test_the_accelerators_of_the_makers_and_not_of_the_documents(book: Book) -> None:
    memory = book.tables["hardware"].columns["memory"].stated
    assert (memory["rtx5070"].value, memory["rtx5080"].value) == (12, 16)


def test_a_simulated_record_says_so_wherever_it_is_named(book: Book) -> None:
    runs = book.tables["measurements"]
    for row, title in zip(runs.rows, runs.row_titles, strict=True):
        simulated = runs.columns["how"].stated[row].value == "simulated"
        assert simulated == title.endswith(", simulated")
        bases = {c.stated[row].basis for c in runs.columns.values() if row in c.stated}
        assert "measured" not in bases or not simulated
