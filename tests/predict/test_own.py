"""Own measurements have a score of their own; no fit uses them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from editions import given
from made_up import MEASURED, SIMULATED, examined, lay
from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.examine import Examined, examine
from scalesheet.model import ExpectedOwn, Position
from scalesheet.predict.score.expected import problems
from scalesheet.predict.score.own import Own
from scalesheet.predict.tasks import TASKS
from scalesheet.render.api.score import score_json
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.markdown import as_markdown
from scalesheet.render.pages.score.pages import score_pages
from shipped import shipped

HERE = Position("data/score.yaml", 1, 1)
UNSTEADY = MEASURED.replace("checkpointing: no", "checkpointing: no\nunsteady: yes")
STRANGE = MEASURED.replace("model: qwen2-0-5b", "model_name: A model of our own")
SLOW = MEASURED.replace("16384", "2048").replace(
    "value: 0.5, unit: second", "value: 4, unit: second"
)
RECORDS = {"fast": MEASURED, "slow": SLOW, "dry": SIMULATED, "uneven": UNSTEADY, "strange": STRANGE}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    return examined(tmp_path_factory.mktemp("own"), RECORDS, *TASKS)


@pytest.fixture(scope="module")
def book(found: Examined) -> Book:
    assert found.book is not None
    return found.book


@pytest.fixture(scope="module")
def pages(found: Examined, book: Book) -> dict[str, str]:
    context = Context(given(book, scores=found.scores))
    made = dict(score_pages(context))
    return made | {f"plain/{name}": as_markdown(page) for name, page in made.items()}


def own(found: Examined, task: str) -> Own:
    own = found.scores[task].own
    assert own is not None
    return own


def test_measured_records_are_scored_and_simulated_ones_never(found: Examined) -> None:
    for task in ("throughput", "memory"):
        ids = [row.id for row in own(found, task).published.rows]
        assert ids == ["fast", "slow", "strange", "uneven"]
    assert found.scores["runs"].own is found.scores["loss"].own is None


def test_predictions_are_compared_with_the_measured_values(found: Examined) -> None:
    speed = own(found, "throughput").published
    truth = dict(zip((row.id for row in speed.rows), speed.truth.tolist(), strict=True))
    assert (truth["fast"], truth["slow"]) == (16384, 2048)
    assert own(found, "memory").published.truth.tolist() == [10 * 2**30] * 4


def test_the_error_is_that_of_the_stored_fit(found: Examined) -> None:
    speed = own(found, "throughput")
    made = dict(
        zip((r.id for r in speed.published.rows), speed.made.predicted.tolist(), strict=True)
    )
    assert speed.errors["fast"] == pytest.approx(max(made["fast"] / 16384, 16384 / made["fast"]))
    assert speed.errors["slow"] == pytest.approx(8 * speed.errors["fast"])
    assert speed.worst == (speed.errors["slow"], "slow")
    assert speed.median == pytest.approx(sum(speed.errors.values()) / 2)


def test_an_unsteady_run_is_scored_for_memory_and_not_for_throughput(found: Examined) -> None:
    assert "uneven" not in own(found, "throughput").errors
    assert "uneven" in own(found, "memory").errors


def test_fits_and_scores_of_published_results_do_not_change(found: Examined) -> None:
    """With own measurements, the scores are those of the shipped book to the last digit."""
    for task, score in shipped().scores.items():
        assert found.scores[task].digest == score.digest
        assert found.scores[task].unseen == score.unseen
        assert found.scores[task].groups["family"].keys() == score.groups["family"].keys()


# ------------------------------------------------------------------ expected errors


def held(book: Book, **changed: object) -> Book:
    at_most = ExpectedOwn(("fast", "slow"), 99.0, 99.0, position=HERE)
    return replace(
        book, expected_own={"throughput": replace(at_most, **changed)}, expected={}, fits={}
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"median": 1.5}, "(median), expected at most 1.5"),
        ({"worst": 9.0}, "the error of 'slow' is"),
        ({"records": ("fast", "gone")}, "the record 'gone' is expected but not scored; no "),
        ({"records": ("dry",)}, "the record 'dry' is expected but not scored; no measured"),
        (
            {"records": ("uneven",)},
            "'uneven' is expected but not scored: unsteady: the ",
        ),
        ({"records": ("strange",)}, "'strange' is expected but not scored: "),
    ],
)
def test_a_prediction_that_got_worse_is_an_error(
    changed: dict[str, object], says: str, found: Examined, book: Book
) -> None:
    (told,) = problems(held(book, **changed), found.scores)
    assert (told.code, told.severity) == ("P001", "error")
    assert told.message.startswith("throughput of own measurements: ")
    assert says in told.message


def test_a_prediction_as_expected_is_not_reported(found: Examined, book: Book) -> None:
    assert list(problems(held(book), found.scores)) == []


def test_a_record_that_is_not_listed_is_not_checked(found: Examined, book: Book) -> None:
    fast = own(found, "throughput").errors["fast"]
    only = held(book, records=("fast",), median=fast, worst=fast)
    assert list(problems(only, found.scores)) == []


def test_the_file_lists_the_expected_errors(tmp_path: Path) -> None:
    data = lay(tmp_path, {"fast": MEASURED}, "throughput")
    score = data / "score.yaml"
    said = "own: {throughput: {records: [fast], median: 1.01, worst: 1.01}}\n"
    score.write_text(score.read_text("utf-8") + said, "utf-8")
    found = [d for d in examine(data, plans=()).diagnostics if d.code == "P001"]
    told = [each for each in found if "own measurements" in each.message]
    assert len(told) == 2
    line = score.read_text("utf-8").splitlines()[told[0].line - 1]
    assert line.startswith("own:")


# ------------------------------------------------------------------ the pages


def test_the_pages_list_them_separately(pages: dict[str, str]) -> None:
    index = pages["score/index.md"].partition("{ #own }")[2].partition("{ #peers }")[0]
    assert '<a href="throughput.html#own">' in index
    assert index.count('<th scope="row">') == 2
    page = pages["score/throughput.md"]
    published, _, own = page.partition("{ #own }")
    assert 'id="own-slow"' not in published
    assert 'id="own-slow"' in own
    assert '<a href="../measurements/slow.html">A made-up run</a>' in own
    assert "unsteady: the machine was busy" in own
    assert "{ #own }" not in pages["score/runs.md"]


def test_the_text_and_the_json_say_the_same(
    pages: dict[str, str], found: Examined, book: Book
) -> None:
    speed = own(found, "throughput")
    assert f"×{speed.worst[0]:.2f}" in pages["plain/score/throughput.md"]
    assert found.edition is not None
    tasks = score_json(found.edition)["tasks"]
    said = tasks["throughput"]["own"]
    assert (said["records"], said["worst_record"]) == (2, "slow")
    assert said["worst"] == speed.worst[0]
    assert [row["id"] for row in said["rows"]] == ["fast", "slow", "strange", "uneven"]
    assert "own" not in tasks["runs"]


def test_a_book_without_measured_records_says_so() -> None:
    found = shipped()
    assert found.book is not None
    bare = {task: replace(score, own=None) for task, score in found.scores.items()}
    pages = dict(score_pages(Context(given(found.book, scores=bare))))
    for name in ("index", "throughput", "memory"):
        assert "This book has no measured records yet." in pages[f"score/{name}.md"]


# ------------------------------------------------------------------ the command


def test_fit_prints_their_errors_and_check_enforces_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = lay(tmp_path, {"fast": MEASURED, "dry": SIMULATED}, "throughput")
    asked = ["fit", "throughput", "--check", "--data", str(data)]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "own measurements is 4.382" in said
    assert "throughput: not checked by score.yaml: fast\n" in said

    score = data / "score.yaml"
    expected = "own: {throughput: {records: [fast], median: 1.01, worst: 1.01}}\n"
    score.write_text(score.read_text("utf-8") + expected, "utf-8")
    assert main(asked) == 1
    said = capsys.readouterr().out
    assert "throughput: the error of 'fast' is 4.382" in said
    assert "not held" not in said
