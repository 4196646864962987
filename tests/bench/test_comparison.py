"""Each record is compared with the prediction of its job by component, or says why not."""

from __future__ import annotations

from datetime import date

import pytest

from made_up import MEASURED, SIMULATED, examined, foretold
from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.steps.comparison import Comparison, compared, error_factors
from scalesheet.steps.job import Job
from scalesheet.steps.record import Record
from scalesheet.steps.recorded import UnclearError, job_of, recorded
from scalesheet.steps.simulate import simulated
from shipped import shipped

UNKNOWN = MEASURED.replace("model: qwen2-0-5b", "model_name: A model of our own")
BLANK = MEASURED.replace("method: LoRA\n", "")
SLOWER = MEASURED.replace("value: 0.5, unit: second", "value: 0.8, unit: second").replace(
    "16384", "10240"
)
RECORDS = {
    "a": MEASURED,
    "b": SIMULATED,
    "c": SLOWER.replace("checkpointing: no", "checkpointing: yes"),
    "d": UNKNOWN,
    "e": BLANK,
    "f": MEASURED.replace("accelerators: {value: 1", "accelerators: {value: 3"),
}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    found = examined(tmp_path_factory.mktemp("beside"), RECORDS).book
    assert found is not None
    return found


@pytest.fixture(scope="module")
def found(book: Book) -> dict[str, Comparison]:
    return compared(book, foretold)


# ------------------------------------------------------------------ jobs


def test_a_record_gives_the_job_that_ran(book: Book) -> None:
    job = job_of(book, "a")
    assert (job.model.id, job.accelerator, job.method) == ("qwen2-0-5b", "h100-sxm", "LoRA")
    assert (job.batch, job.accumulation, job.length, job.gpus) == (8, 1, 1024, 1)
    assert (job.checkpointing, job.strategy, job.device) == (False, "single", "cuda")
    assert job_of(book, "c").checkpointing


def test_missing_settings_of_a_record_are_assumed_and_noted(book: Book) -> None:
    found = recorded(book, "a")
    assert (found.job.weights, found.job.rank, found.job.attention) == ("bf16", 8, "sdpa")
    assert [each.partition(" ")[0] for each in found.assumed] == [
        "weights",
        "PyTorch's",
        "adapters",
    ]


@pytest.mark.parametrize(("id", "said"), [("d", "no model"), ("e", "no method; give method: full")])
def test_a_record_without_model_or_method_gives_no_job(book: Book, id: str, said: str) -> None:
    with pytest.raises(UnclearError, match=said):
        job_of(book, id)


def test_an_unknown_record_is_an_error(book: Book) -> None:
    with pytest.raises(KeyError):
        job_of(book, "none")


def test_a_batch_must_divide_among_the_accelerators(book: Book) -> None:
    with pytest.raises(UnclearError, match="8 sequences a step cannot be divided among 3 passes"):
        job_of(book, "f")


# ------------------------------------------------------------------ comparisons


def test_both_sides_are_in_the_unit_of_the_record(found: dict[str, Comparison]) -> None:
    peak = found["a"].pairs["peak_memory"]
    assert (peak.recorded.value, peak.predicted.value) == (10, 8)
    assert peak.ratio == pytest.approx(1.25)


def test_shares_are_converted_to_times(found: dict[str, Comparison]) -> None:
    forward = found["a"].pairs["forward_time"]
    assert forward.recorded.value == pytest.approx(0.5 * 0.3)
    assert forward.predicted.value == pytest.approx(0.4 * 0.4)
    parts = ("data_loading_time", "forward_time", "backward_time", "optimizer_time")
    whole = sum(float(found["a"].pairs[name].recorded.value or 0) for name in parts)
    assert whole == pytest.approx(0.5)


def test_a_figure_missing_on_one_side_has_no_ratio(found: dict[str, Comparison]) -> None:
    pairs = found["a"].pairs
    assert pairs["gradients_memory"].recorded.value is None
    assert pairs["activations_memory"].predicted.value is None
    assert pairs["data_loading_time"].predicted.value == 0
    for name in ("gradients_memory", "activations_memory", "data_loading_time"):
        assert pairs[name].ratio is None
    assert "utilisation" not in pairs


def test_a_record_is_inside_or_outside_the_range_of_its_prediction(book: Book) -> None:
    assert compared(book, foretold)["a"].pairs["step_time"].inside is False

    def wide(book: Book, job: Job, day: date, command: str) -> Record:
        made = foretold(book, job, day, command)
        made.figures["step_time"] = type(made.figures["step_time"])(0.4, "second / step", 0.3, 0.6)
        return made

    assert compared(book, wide)["a"].pairs["step_time"].inside is True
    assert compared(book, wide)["a"].pairs["peak_memory"].inside is None


def test_measured_and_simulated_records_of_a_job_find_each_other(
    found: dict[str, Comparison],
) -> None:
    assert found["a"].twins == ("b",)
    assert found["b"].twins == ("a",)
    assert found["c"].twins == found["d"].twins == ()


def test_a_record_that_cannot_be_predicted_says_why(
    found: dict[str, Comparison], book: Book
) -> None:
    assert found["e"].why.startswith("the record states no method")
    assert found["e"].pairs["peak_memory"].recorded.value == 10
    assert found["e"].ratio("peak_memory") is None

    def refuses(book: Book, job: Job, day: date, command: str) -> Record:
        raise Refused([Diagnostic("x", 1, 1, "B005", "no rate of products")])

    assert compared(book, refuses)["a"].why == "no rate of products"


def test_only_measured_records_count_in_the_error_of_predictions(
    found: dict[str, Comparison],
) -> None:
    told = error_factors(found.values(), "step_time")
    assert told is not None
    # 0.5 and 0.8 s, predicted 0.4; simulated and unpredicted records do not count
    assert (told.rows, told.worst_id) == (2, "c")
    assert told.median == pytest.approx((1.25 + 2) / 2)
    assert told.worst == pytest.approx(2)
    assert error_factors([found["b"]], "step_time") is None


def test_every_shipped_record_is_predicted_or_says_why() -> None:
    book = shipped().book
    assert book is not None
    found = compared(book, simulated)
    assert list(found) == list(book.tables["measurements"].rows)
    for each in found.values():
        peak = each.pairs.get("peak_memory")
        assert each.why or (peak is not None and peak.predicted.value)
