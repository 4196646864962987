"""Made-up records of runs for a copy of the shipped data; none was ever measured."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from project import ROOT
from scalesheet.book import Book
from scalesheet.examine import Examined, examine
from scalesheet.predict.score.truth import RESULTS
from scalesheet.steps.job import Job
from scalesheet.steps.record import Figure, Record

GIB = 2**30
#: 8 sequences of 1,024 tokens in half a second.
MEASURED = """\
title: A made-up run
how: measured
date: 2026-11-20
source: {key: pixelis-budget, locator: scalesheet bench run --model qwen2-0-5b}
accelerator: h100-sxm
accelerators: {value: 1, unit: GPU}
model: qwen2-0-5b
method: LoRA
precision: bf16
checkpointing: no
batch_size: {value: 8, unit: sequence / step}
sequence_length: {value: 1024, unit: token / sequence}
step_time: {value: 0.5, unit: second / step}
data_loading_share: {value: 0.1, unit: 1}
forward_share: {value: 0.3, unit: 1}
backward_share: {value: 0.5, unit: 1}
optimizer_share: {value: 0.1, unit: 1}
tokens_per_second: {value: 16384, unit: token / second}
peak_memory: {value: 10, unit: GiB}
weights_memory: {value: 0.92, unit: GiB}
activations_memory: {value: 6, unit: GiB}
"""
SIMULATED = MEASURED.replace("how: measured", "how: simulated").replace(
    "title: A made-up run", "title: The same run"
)


def lay(folder: Path, records: Mapping[str, str], *tasks: str) -> Path:
    """Copy the shipped data without plans, with these records by id instead of its own.

    It expects no errors of own records. It has only the published results of `tasks`, since all
    published results are scored.
    """
    data = folder / "data"
    skip = shutil.ignore_patterns("plans", "measurements")
    shutil.copytree(ROOT / "data", data, ignore=skip)
    results = "|".join(name for task in tasks for name in (*RESULTS[task], "other"))
    for publication in (data / "runs").iterdir():
        if not tasks or not re.search(rf"\b({results}):", publication.read_text("utf-8")):
            publication.unlink()
    score = data / "score.yaml"
    score.write_text(re.sub(r"(?m)^own:\n(  .*\n)+", "", score.read_text("utf-8")), "utf-8")
    (data / "measurements").mkdir()
    for id, text in records.items():
        (data / "measurements" / f"{id}.yaml").write_text(text, "utf-8")
    return data


def examined(folder: Path, records: Mapping[str, str], *tasks: str) -> Examined:
    """The same data, examined."""
    return examine(lay(folder, records, *tasks), plans=())


def foretold(book: Book, job: Job, day: date, command: str) -> Record:
    """A made-up prediction: a step of 0.4 s, 0.36 to 0.44, in 8 GiB, whatever the job."""
    figures = {
        "step_time": Figure(0.4, "second / step", 0.36, 0.44),
        "data_loading_share": Figure(0.0, "1"),
        "forward_share": Figure(0.4, "1"),
        "backward_share": Figure(0.5, "1"),
        "optimizer_share": Figure(0.1, "1"),
        "tokens_per_second": Figure(job.tokens / 0.4, "token / second"),
        "peak_memory": Figure(8 * GIB, "byte"),
        "weights_memory": Figure(0.92 * GIB, "byte"),
        "gradients_memory": Figure(0.01 * GIB, "byte"),
    }
    return Record(job, "simulated", day, command, figures)
