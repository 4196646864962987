"""Simulates the record of a job without its hardware, from formulas and rates of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from scalesheet.book import Book
from scalesheet.steps.footprint import Footprint, evaluated
from scalesheet.steps.job import Job
from scalesheet.steps.record import Figure, Record, settings
from scalesheet.steps.roofline import Rates, Times, rates_of, times

#: The ids of the formulas that count the work per token.
CONVENTION = "training-flop-per-token"
CONVENTION_OF_ADAPTERS = "lora-training-flop-per-token"


def simulated(book: Book, job: Job, day: date, command: str) -> Record:
    """Predict a step of the job. Raises Refused if the catalogue lacks the accelerator or its
    rates."""
    footprint, rates, taken = Footprint(book, job), rates_of(book, job), times(book, job)
    figures = {**settings(job), **_times(taken)}
    figures |= _speed(book, job, taken, rates)
    figures |= {key: Figure(size, "byte") for key, size in footprint.parts.items()}
    remarks = [taken.method, f"the peak is at the {footprint.moment}"]
    remarks += [footprint.remark] if footprint.remark else []
    if job.device != "cpu":
        remarks.append("memory is counted by rules that were checked only on CPUs")
    if job.compiled:
        remarks.append("memory is counted without compilation, which would keep less")
    return Record(
        job,
        "simulated",
        day,
        command,
        figures=figures,
        flop_convention=flop_per_token(book, job)[1],
        environment="No run behind it: computed from the catalogue",
        note="; ".join(remarks),
    )


def _times(taken: Times) -> dict[str, Figure]:
    return {
        "step_time": Figure(taken.step, "second / step", taken.low, taken.high),
        "data_loading_share": Figure(0.0, "1", note="batches are assumed to be ready"),
        "forward_share": Figure(taken.forward, "1"),
        "backward_share": Figure(taken.backward, "1"),
        "optimizer_share": Figure(taken.optimizer, "1"),
        "data_time": Figure(0.0, "second / step", note="not simulated"),
    }


def flop_per_token(book: Book, job: Job) -> tuple[Figure, str]:
    """The model FLOPs per token, without recomputation, and the id of the formula that counts
    them."""
    model = job.model
    sizes = {
        "parameters": model.active_parameters,
        "layers": float(model.layers),
        "width": float(model.heads * model.head_dim),
        "context": float(job.length),
    }
    if job.method == "full":
        flop, convention = evaluated(book, CONVENTION, **sizes), CONVENTION
    else:
        (trainable,) = Footprint(book, job).of("trained")
        flop = evaluated(book, CONVENTION_OF_ADAPTERS, trainable=trainable, **sizes)
        convention = CONVENTION_OF_ADAPTERS
    return Figure(flop / 1e9, "GFLOP / token"), convention


def _speed(book: Book, job: Job, taken: Times, rates: Rates) -> dict[str, Figure]:
    """Figures that follow from the time of a step."""
    work, _ = flop_per_token(book, job)

    def of_time(figure: Callable[[float], float], unit: str) -> Figure:
        """A figure that decreases with time."""
        return Figure(figure(taken.step), unit, figure(taken.high), figure(taken.low))

    def rate(step: float) -> float:
        return evaluated(
            book,
            "achieved-flop-rate",
            speed=job.tokens / step,
            flop_per_token=work.value * 1e9,
            gpus=job.gpus,
        )

    def utilisation(step: float) -> float:
        return evaluated(
            book,
            "model-flop-utilisation",
            speed=job.tokens / step,
            flop_per_token=work.value * 1e9,
            peak=rates.peak / 1e12,
            gpus=job.gpus,
        )

    result = {
        "samples_per_second": of_time(lambda step: job.sequences / step, "sequence / second"),
        "tokens_per_second": of_time(lambda step: job.tokens / step, "token / second"),
        "flop_per_token": work,
        "flop_rate": of_time(rate, "TFLOP / (second * GPU)"),
    }
    if rates.peak > 0:
        result["utilisation"] = of_time(utilisation, "1")
    return result
