"""The shipped catalogue is plausible, cites its sources, and counts parameters correctly."""

from pathlib import Path

import pytest

from scalesheet.book import Book
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.evaluate.examples import counts, rounds_to
from scalesheet.examine import Examined, examine
from scalesheet.model import Table
from scalesheet.values import Results
from shipped import part, shipped

CATALOGUE = (
    "hardware",
    "nodes",
    "offers",
    "models",
    "measurements",
    "interconnects",
    "grids",
    "electricity",
    "sites",
    "loads",
)


@pytest.fixture(scope="module")
def examined() -> Examined:
    return shipped()


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


def test_every_figure_cites_a_place_in_its_source(book: Book) -> None:
    bare = []
    for table, row, column in figures(book):
        stated = book.tables[table].columns[column].stated[row]
        counted = table == "offers" and column == "gpus"  # the offer's own figure
        if not counted and (stated.citation is None or not stated.citation.locator):
            bare.append((table, row, column))
    assert bare == []


def test_the_count_of_every_model_is_the_published_one(book: Book, results: Results) -> None:
    models: Table = book.tables["models"]
    cells = results.tables["models"]
    published = [cells["published_parameters"][place].value for place in range(len(models.rows))]
    assert counts(book) == []
    assert sum(isinstance(said, float) for said in published) > 120
    for place, row in enumerate(models.rows):
        assert isinstance(cells["parameters"][place].value, float), row


@pytest.mark.parametrize(
    ("model", "stated", "wrong", "message"),
    [
        (
            "qwen2-0-5b",
            "494032768",
            "630167424",
            "494,032,768 parameters by its architecture, but 630,167,424 are stated",
        ),
        ("gpt-2", "124e6", "117e6", "124,439,808 parameters by its architecture, but 117,000,000"),
        ("mixtral-8x7b", "12.9e9", "14e9", "12,879,925,248 active parameters by its architecture"),
    ],
)
def test_a_count_that_does_not_add_up_is_reported_at_its_row(
    tmp_path: Path, model: str, stated: str, wrong: str, message: str
) -> None:
    data = part(tmp_path, "formulas", f"models/{model}.yaml")
    file = data / "models" / f"{model}.yaml"
    text = file.read_text("utf-8")
    assert text.count(f"value: {stated}\n") == 1
    file.write_text(text.replace(f"value: {stated}\n", f"value: {wrong}\n"), "utf-8")
    (told,) = examine(data).diagnostics
    assert (told.code, told.severity) == ("V014", "error")
    assert told.path.endswith(f"models/{model}.yaml")
    assert f"'{model}' has {message}" in told.message


@pytest.mark.parametrize(
    ("count", "published", "same"),
    [
        (124_439_808, 124e6, True),
        (124_439_808, 125e6, False),
        (494_032_768, 494_032_768, True),
        (494_032_769, 494_032_768, False),
        (6_658_473_984, 6.7e9, True),
        (12_853_473_280, 13e9, True),
    ],
)
def test_a_published_count_is_compared_to_its_own_digits(
    count: float, published: float, same: bool
) -> None:
    assert rounds_to(count, published) is same


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
        ("gemma-3-4b", "vision_parameters", 419_816_304),
        ("gemma-3-4b", "decoder_parameters", 3_880_263_168),
        ("llava-1-5-7b", "decoder_parameters", 6_738_939_904),
        ("qwen1-5-moe-a2-7b", "experts_part", 553_773_056),
        ("llama-4-scout", "parameters", 107_769_861_120),
        ("mpt-7b", "parameters", 6_649_286_656),
        ("opt-125m", "embedding_part", 40_184_832),
    ],
)
def test_parameters_are_counted_by_part(
    book: Book, results: Results, model: str, part: str, count: int
) -> None:
    place = book.tables["models"].rows.index(model)
    assert results.tables["models"][part][place].value == count


def test_each_term_is_a_separate_offer(book: Book) -> None:
    offers = book.tables["offers"]
    for row in offers.rows:
        term = offers.columns["term"].stated[row].value
        assert (term == "spot") == row.endswith("-spot"), row
        assert (term == "reserved") == row.endswith("-reserved"), row


def test_accelerators_have_the_vendors_memory_and_not_the_documents(book: Book) -> None:
    memory = book.tables["hardware"].columns["memory"].stated
    assert (memory["rtx5070"].value, memory["rtx5080"].value) == (12, 16)


def test_the_title_of_a_simulated_record_says_so(book: Book) -> None:
    runs = book.tables["measurements"]
    for row, title in zip(runs.rows, runs.row_titles, strict=True):
        simulated = runs.columns["how"].stated[row].value == "simulated"
        assert simulated == title.endswith(", simulated")
        bases = {c.stated[row].basis for c in runs.columns.values() if row in c.stated}
        assert "measured" not in bases or not simulated
