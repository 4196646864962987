"""Progress: what the measuring process has reported so far, and the record made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from statistics import fmean
from typing import Any

from scalesheet.steps.faults import Failed
from scalesheet.steps.job import Effort, Job
from scalesheet.steps.record import Figure, Record, settings
from scalesheet_bench.train.ledger import PARTS
from scalesheet_bench.train.spread import Mean, mean_of

#: Waiting for batches for more than this share of a step makes it input-bound.
INPUT_BOUND = 0.05
SHARES = {"data": "data_loading_share"} | {part: f"{part}_share" for part in PARTS[1:]}
MEMORY = ("peak", "average", "weights", "gradients", "optimizer", "activations", "working")


@dataclass
class Progress:
    """The messages of a measurement so far."""

    steps: list[dict[str, float]] = field(default_factory=list)
    messages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    interrupted: bool = False

    def take(self, data: Mapping[str, Any]) -> None:
        """Keep a message."""
        if data["is"] == "step":
            self.steps.append({part: float(data[part]) for part in (*PARTS, "whole")})
        else:
            self.messages[str(data["is"])] = data


def recorded(job: Job, effort: Effort, progress: Progress, command: str, day: date) -> Record:
    """The record of a measurement with at least one timed step."""
    if not progress.steps:
        raise Failed(
            "the process that measures ended before its first timed step and gave no reason: "
            "measure again, and report this if it happens again"
        )
    mean = mean_of([step["whole"] for step in progress.steps])
    figures = {**settings(job), **_times(job, progress, mean), **_memory(progress)}
    after = progress.messages.get("after", {})
    if after.get("power") is not None:
        figures["power"] = Figure(float(after["power"]), "W/GPU", note="mean of the timed steps")
    about = progress.messages.get("environment", {})
    imprecise = mean.precision > effort.precise and not progress.interrupted
    return Record(
        job=job,
        how="measured",
        day=day,
        command=command,
        figures=figures,
        interrupted=progress.interrupted,
        unsteady=imprecise or bool(after.get("disturbed")),
        input_bound=figures["data_loading_share"].value > INPUT_BOUND,
        environment="; ".join(filter(None, [str(about.get("text", "")), after.get("clocks", "")])),
        libraries=dict(about.get("libraries", {})),
        note=_note(effort, progress, mean, imprecise),
    )


def _times(job: Job, progress: Progress, mean: Mean) -> dict[str, Figure]:
    """The time of a step with its interval, its parts, and what follows from it."""
    spent = {part: fmean(step[part] for step in progress.steps) for part in PARTS}
    whole = sum(spent.values())
    figures = {
        "steps": Figure(mean.count, "step"),
        "step_time": _mean(mean, min(step["whole"] for step in progress.steps)),
        **{key: Figure(spent[part] / whole, "1") for part, key in SHARES.items()},
        "samples_per_second": _rate(job.sequences, mean, "sequence/second"),
        "tokens_per_second": _rate(job.tokens, mean, "token/second"),
    }
    if mean.count > 1:
        figures["step_spread"] = Figure(mean.spread, "1")
    if "data" in progress.messages:
        figures["data_time"] = Figure(float(progress.messages["data"]["seconds"]), "second/step")
    return figures


def _mean(mean: Mean, fastest: float) -> Figure:
    """The time of a step. If few steps give an interval below zero, it starts at the fastest
    step."""
    if mean.low is not None and mean.low <= 0:
        return Figure(
            mean.value,
            "second/step",
            fastest,
            mean.high,
            note="too few steps for a lower end of the interval: the fastest of them",
        )
    return Figure(mean.value, "second/step", mean.low, mean.high)


def _rate(count: int, mean: Mean, unit: str) -> Figure:
    """This many per step, as a rate per second; the ends are swapped."""
    if not mean.low or mean.high is None:  # a time that may be 0 gives no upper limit
        return Figure(count / mean.value, unit)
    return Figure(count / mean.value, unit, count / mean.high, count / mean.low)


def _memory(progress: Progress) -> dict[str, Figure]:
    """The memory of one accelerator, in bytes."""
    figures = {}
    result = progress.messages.get("memory")
    if result is not None:
        for part in MEMORY:
            figures[f"{part}_memory"] = Figure(float(result[part]), "byte")
        figures["peak_memory"] = Figure(
            float(result["peak"]),
            "byte",
            note=f"at the peak, in the {result['moment']} part of the step: gradients "
            f"{result['gradients_at_peak']:,.0f} B, activations "
            f"{result['activations_at_peak']:,.0f} B",
        )
    after = progress.messages.get("after", {})
    if "reserved" in after:
        figures["reserved_memory"] = Figure(float(after["reserved"]), "byte")
    elif "process" in after:
        figures["process_memory"] = Figure(float(after["process"]), "byte")
    return figures


def _note(effort: Effort, progress: Progress, mean: Mean, imprecise: bool) -> str:
    """What was built and what interfered, in sentences."""
    notes = []
    model = progress.messages.get("model")
    if model is not None:
        notes.append(
            f"Built as {model['class']}: {model['parameters']:,} parameters, "
            f"{model['trained']:,} trained."
        )
        if model["adapters"]:
            bare = " and none on its experts, which are not linear layers" * bool(model["experts"])
            notes.append(f"Adapters on {model['adapters']} linear layers{bare}.")
    if mean.high is None:
        notes.append("One step was timed, so its spread is not known.")
    elif imprecise:
        notes.append(
            f"The mean is precise to {100 * mean.precision:.1f} %; {100 * effort.precise:g} % "
            "was requested."
        )
    disturbed = str(progress.messages.get("after", {}).get("disturbed", ""))
    if disturbed:
        notes.append(f"Disturbed: {disturbed}.")
    return " ".join(notes)
