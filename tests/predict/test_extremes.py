"""A book with impossibly extreme figures is checked without a NumPy warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from scalesheet.examine import examine
from shipped import PREDICTING, part

RUN = (
    "{{method: pretrain, model: Odd, parameters: {size}, layers: 32, hidden: 4096, heads: 32, "
    "ffn: 11008, vocab: 32000, accelerator: h100-sxm, gpus: 8, precision: bf16, sequence: 4096, "
    "tokens: {size}, global_batch: 1024, micro_batch: 1, result: {result}}}"
)
PUBLICATION = """\
title: Odd
source: {{key: to-be-stated, locator: page 1}}
read: primary
family: odd
rows:
  hours: {hours}
  speed: {speed}
"""
MEASUREMENT = """\
title: Odd
how: measured
date: 2026-11-20
source: {{key: to-be-stated, locator: page 1}}
accelerator: h100-sxm
accelerators: {{value: 1, unit: GPU}}
model: llama-3-1-8b
method: full
precision: bf16
batch_size: {{value: 8, unit: sequence / step}}
sequence_length: {{value: 128, unit: token / sequence}}
step_time: {{value: {result}, unit: second / step}}
tokens_per_second: {{value: {result}, unit: token / second}}
peak_memory: {{value: {result}, unit: GiB}}
"""
KEPT = (
    "score.yaml",
    *(f"runs/{name}.yaml" for name in ("bloom-report", "llama-2-report", "mpt-7b-post")),
)


@pytest.mark.parametrize(("size", "result"), [("1e99", "1e-99"), ("1e-99", "1e99")])
def test_a_book_of_extremes_is_checked_without_a_warning(
    tmp_path: Path, size: str, result: str
) -> None:
    data = part(tmp_path, *PREDICTING, *KEPT)
    (data / "measurements").mkdir()
    hours = RUN.format(size=size, result=f"{{gpu_hours: {result}}}")
    speed = RUN.format(
        size=size, result=f"{{speed: {result}, memory: {{value: {result}, unit: GB}}}}"
    )
    odd = PUBLICATION.format(hours=hours, speed=speed)
    (data / "runs" / "odd.yaml").write_text(odd, "utf-8")
    (data / "measurements" / "odd.yaml").write_text(MEASUREMENT.format(result=result), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = {each.code for each in examine(data).diagnostics}
    assert "P001" in codes  # the changed score is reported instead
