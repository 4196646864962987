"""Impossible and implausible figures of the catalogue are reported, unless a reason is stated."""

from pathlib import Path

import pytest

from runs import PLACE, RUN, UNITS
from scalesheet.examine import examine
from small import MINIMAL, lay

BF16 = "dense_bf16: {value: 165.2, unit: TFLOP / (second * GPU), kind: spec, source: a-vendor}"
CARD = (
    (MINIMAL / "hardware" / "card.yaml")
    .read_text("utf-8")
    .replace("dense_bf16: {reason: no bf16 tensor unit}", BF16)
)


def told(folder: Path, **files: str) -> list[str]:
    places = {place.replace("__", "/") + ".yaml": text for place, text in files.items()}
    found = examine(lay(folder, {**places, "units.yaml": UNITS})).diagnostics
    assert all(d.severity == "warning" for d in found if d.code == "V009")
    return [d.message for d in found if d.code == "V009"]


FP8 = "dense_fp8: {value: 330.4, unit: TFLOP / (second * GPU), kind: spec, source: a-vendor}\n"


def rate(name: str, value: float) -> str:
    return (
        f"{name}: {{value: {value}, unit: TFLOP / (second * GPU), kind: spec, source: a-vendor}}\n"
    )


FP4 = FP8 + rate("dense_fp4", 660.8)
SPARSE = rate("sparse_bf16", 330.4)
MEASURED = rate("measured_bf16", 140)
TF32 = rate("dense_tf32", 82.6) + rate("measured_tf32", 60)
BANDWIDTH = (
    MEASURED.replace("bf16", "bandwidth")
    .replace("140", "920")
    .replace("TFLOP / (second * GPU)", "GB / second")
)
USABLE = "memory_usable: {value: 23.99, unit: GiB, kind: measured, source: a-vendor}\n"
SHARES = "\n".join(
    f"{name}_share: {{value: {share}, unit: 1}}"
    for name, share in (
        ("data_loading", 0),
        ("forward", 0.2),
        ("backward", 0.7),
        ("optimizer", 0.1),
    )
)
PASSES = "micro_batch: {value: 2, unit: sequence / step}\naccumulation: {value: 4, unit: 1}"
WORK = """\
tokens_per_second: {value: 2048, unit: token / second}
flop_per_token: {value: 10, unit: GFLOP / token}
flop_rate: {value: 20.48, unit: TFLOP / (second * GPU)}
utilisation: {value: 0.124, unit: 1}"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CARD + FP4, ""),
        (CARD + FP4.replace("660.8", "1321.6"), "4.00 times the fp8 peak, usually 2"),
        (CARD + FP4.replace("660.8", "1321.6") + "unusual: {fp4: Wider units.}\n", ""),
        (CARD + SPARSE, ""),
        (CARD + SPARSE.replace("330.4", "165.2"), "1.00 times the dense bf16 peak, usually 2"),
        (CARD + SPARSE.replace("330.4", "634") + "unusual: {sparse: 4 to 1.}\n", ""),
        (
            CARD.replace("dense_bf16: {value: 165.2", "dense_bf16: {value: 82.6"),
            "2.00 times the bf16 peak, usually 1",
        ),
        (CARD + MEASURED, ""),
        (CARD + MEASURED.replace("140", "170"), "170 was measured of a peak of 165.2"),
        (CARD + MEASURED.replace("140", "60"), "36% of the bf16 peak, usually 50% or more"),
        (CARD + MEASURED.replace("140", "60") + "unusual: {measured: Capped.}\n", ""),
        (CARD + rate("measured_fp16", 140), ""),
        (CARD + rate("measured_fp16", 60), "36% of the fp16 peak"),
        (CARD + TF32, ""),
        (CARD + TF32.replace("60", "90"), "90 was measured of a peak of 82.6"),
        (CARD + BANDWIDTH, ""),
        (CARD + BANDWIDTH.replace("920", "1100"), "1100 was measured of a peak of 1008"),
        (CARD + BANDWIDTH.replace("920", "92"), "9% of the bandwidth, usually 50% or more"),
        (CARD + USABLE, ""),
        (CARD + USABLE.replace("23.99", "24.5"), "24.5 GiB of 24; one is too large"),
        (CARD.replace("1008", "100.8"), "1639 bf16 FLOP per byte of memory"),
        (CARD.replace("1008", "10080"), "16 bf16 FLOP per byte of memory"),
        (CARD.replace("1008", "100.8") + "unusual: {ridge: It is.}\n", ""),
        (CARD + FP8, ""),
        (CARD + FP8.replace("330.4", "660.8"), "4.00 times the bf16 peak, usually 2"),
        (CARD + FP8.replace("330.4", "165.2") + "unusual: {fp8: Same unit.}\n", ""),
    ],
)
def test_inconsistent_rates_of_an_accelerator_are_reported(
    tmp_path: Path, text: str, message: str
) -> None:
    found = told(tmp_path, hardware__card=text)
    assert [m.startswith(message) for m in found] == ([True] if message else [])


def test_the_reason_why_it_is_unusual_is_in_its_note(tmp_path: Path) -> None:
    text = CARD + "note: A card.\nunusual: {fp8: Same unit.}\n"
    book = examine(lay(tmp_path, {"hardware/card.yaml": text})).book
    assert book is not None
    assert book.tables["hardware"].row_notes["card"] == "A card. Unusual: Same unit."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value: 16,", "value: 16.2,", ""),
        ("value: 16,", "value: 20,", "20, but batch and time of a step give 16"),
        ("value: 6,", "value: 600,", "558.794 GiB of the accelerator's 24"),
        ("model: tiny", "model: tiny\nweights_memory: {value: 9, unit: GB}", "8.3819 GiB is more"),
        (
            "model: tiny",
            "model: tiny\ntokens_per_second: {value: 99, unit: token / second}",
            "99, but samples and length give 2048",
        ),
        (
            "model: tiny",
            "model: tiny\nflop_rate: {value: 200, unit: TFLOP / (second * GPU)}",
            "200 TFLOP/s, above the dense peak of 165.2",
        ),
        (
            "model: tiny",
            "model: tiny\nforward_share: {value: 0.6, unit: 1}\n"
            "backward_share: {value: 0.6, unit: 1}",
            "the shares of a step sum to 120%",
        ),
        ("model: tiny", "model: tiny\n" + SHARES, ""),
        (
            "model: tiny",
            "model: tiny\n" + SHARES.replace("0.7", "0.5"),
            "the shares of a step sum to 80%",
        ),
        (
            "samples_per_second: {value: 16, unit: sequence / second}",
            "tokens_per_second: {value: 99, unit: token / second}",
            "99, but batch, length and time of a step give 2048",
        ),
        (
            "model: tiny",
            "model: tiny\nreserved_memory: {value: 7, unit: GB}\n"
            "process_memory: {value: 40, unit: GB}",
            "",
        ),
        (
            "model: tiny",
            "model: tiny\nreserved_memory: {value: 5, unit: GB}",
            "4.65661 GiB, less than the peak of 5.58794",
        ),
        (
            "model: tiny",
            "model: tiny\nreserved_memory: {value: 50, unit: GB}",
            "46.5661 GiB of the accelerator's 24",
        ),
        ("model: tiny", "model: tiny\n" + PASSES, ""),
        (
            "model: tiny",
            "model: tiny\n" + PASSES.replace("4", "2"),
            "8 sequences, but 1 accelerators with 2 passes of 2 process 4",
        ),
        ("model: tiny", "model: tiny\nprecision: fp16\n" + WORK, ""),
        (
            "model: tiny",
            "model: tiny\nprecision: fp16\n" + WORK.replace("0.124", "0.3"),
            "30.0%, but the work of 20.48 TFLOP/s of 165.2 is 12.4%",
        ),
        ("model: tiny", "model: tiny\nprecision: fp32\n" + WORK, ""),
        (
            "model: tiny",
            "model: tiny\n" + WORK.replace("value: 10,", "value: 30,"),
            "20.48 TFLOP/s, but tokens per second and the work of one give 61.44",
        ),
        ("model: tiny", "model: tiny\npower: {value: 460, unit: W / GPU}", ""),
        (
            "model: tiny",
            "model: tiny\npower: {value: 4600, unit: W / GPU}",
            "4600 W of a board power of 450",
        ),
        (
            "model: tiny",
            "model: tiny\nmethod: full\nrank: {value: 8, unit: 1}",
            "full training has no adapters",
        ),
        (
            "accelerators: {value: 1, unit: GPU}",
            "accelerators: {value: 2, unit: GPU}\nstrategy: single",
            "2 accelerators need a strategy",
        ),
    ],
)
def test_implausible_figures_of_a_run_are_reported(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in RUN
    found = told(tmp_path, **{PLACE.removesuffix(".yaml"): RUN.replace(old, new)})
    assert [m.startswith(message) for m in found] == ([True] if message else [])
