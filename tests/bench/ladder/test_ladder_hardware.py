"""A measured device is added to the catalogue; stated figures there are never replaced."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from runs import UNITS
from scalesheet.examine import examine
from scalesheet.load import parse
from scalesheet_bench.ladder.hardware import (
    HardwareError,
    Origin,
    Written,
    figures,
    hardware_file,
    id_of,
    write,
)
from scalesheet_bench.ladder.rates import Device, Measured, Rate, rate_of
from scalesheet_bench.ladder.tell import written_text
from small import MINIMAL, lay

GIB = 1 << 30
ORIGIN = Origin("scalesheet bench ladder --rates", date(2026, 11, 22))
PROCESSOR = Device("cpu", "A maker's processor", "A maker", "processor", 24 * GIB, cores=4)
CARD = Device("cuda", "NVIDIA Card", "NVIDIA", "PCIe card", int(23.6 * GIB), power=450.0)
RATES = (
    rate_of("products", "bf16", 1024, 2e9, [1e-2, 1.01e-2, 1.02e-2]),
    rate_of("products", "bf16", 2048, 1.6e10, [4e-2, 4.01e-2, 4.02e-2]),
    rate_of("products", "fp32", 1024, 2e9, [2e-2, 2.01e-2, 2.02e-2]),
    rate_of("copy", "", 1 << 27, 2 << 27, [2e-2]),
    rate_of("triad", "", 1 << 27, 3 << 27, [2.5e-2]),
)
MEASURED = Measured(PROCESSOR, RATES, threads=4, libraries={"torch": "2.13.0"})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return lay(tmp_path, {"units.yaml": UNITS})


def test_the_best_size_of_each_rate_is_taken_in_catalogue_units() -> None:
    found = figures(MEASURED, ORIGIN)
    assert list(found) == ["measured_bf16", "measured_fp32", "measured_bandwidth"]
    assert found["measured_bf16"]["value"] == pytest.approx(1.6e10 / 4.01e-2 / 1e12, rel=1e-3)
    assert found["measured_bandwidth"]["value"] == pytest.approx(3 * 2**27 / 2.5e-2 / 1e9, rel=1e-3)
    assert "2,048 rows" in found["measured_bf16"]["note"]
    assert all(each["kind"] == "measured" for each in found.values())
    assert found["measured_fp32"]["source"] == {
        "key": "own-measurement",
        "locator": "scalesheet bench ladder --rates, 2026-11-22",
    }


def test_a_rate_with_few_repetitions_counts_only_without_a_better_one() -> None:
    steady = rate_of("products", "fp32", 512, 1e9, [1e-2] * 5)
    lucky = rate_of("products", "fp32", 4096, 1e9, [1e-3])
    assert Measured(PROCESSOR, (steady, lucky)).best("products", "fp32") == steady
    assert Measured(PROCESSOR, (lucky,)).best("products", "fp32") == lucky


def test_a_new_file_is_valid_and_states_only_measured_figures(data: Path) -> None:
    written = write(data, "a-processor", MEASURED, ORIGIN)
    assert (written.new, written.kept) == (True, ())
    examined = examine(data)
    assert [d for d in examined.diagnostics if d.severity == "error"] == []
    assert examined.book is not None
    table = examined.book.tables["hardware"]
    cells = {name: column.stated.get("a-processor") for name, column in table.columns.items()}
    assert cells["kind"].value == "processor"
    assert cells["memory"].value == 24
    assert [cells[name].reason for name in ("dense_bf16", "bandwidth", "power")] == [
        "not stated"
    ] * 3
    assert cells["measured_fp32"].basis == "measured"
    assert "own-measurement" in (data / "sources.yaml").read_text("utf-8")


def test_an_accelerator_has_the_power_limit_of_its_driver() -> None:
    said = parse(hardware_file(replace(MEASURED, device=CARD), ORIGIN).encode(), "").data
    assert "kind" not in said
    assert (said["power"]["value"], said["power"]["kind"]) == (450, "measured")
    assert said["title"] == "NVIDIA Card"
    assert said["memory"]["value"] == 23.6


def test_an_existing_file_keeps_its_lines_and_gets_missing_figures(data: Path) -> None:
    path = data / "hardware" / "card.yaml"
    before = path.read_text("utf-8")
    written = write(data, "card", replace(MEASURED, device=CARD), ORIGIN)
    assert (written.new, written.kept) == (False, ())
    assert written.added == ("measured_bf16", "measured_fp32", "measured_bandwidth")
    after = path.read_text("utf-8")
    lines = iter(after.splitlines())
    assert all(line in lines for line in before.splitlines())  # all, in order
    assert examine(data).book is not None


def test_earlier_measurements_are_kept_and_new_ones_printed(data: Path) -> None:
    write(data, "card", replace(MEASURED, device=CARD), ORIGIN)
    path = data / "hardware" / "card.yaml"
    before = path.read_bytes()
    faster = tuple(replace(rate, value=2 * rate.value) for rate in RATES)
    written = write(data, "card", Measured(CARD, faster), ORIGIN)
    assert path.read_bytes() == before
    assert (written.added, len(written.kept)) == ((), 3)
    text = written_text(written)
    assert "keeps what it states of measured_bf16, measured_fp32, measured_bandwidth" in text
    assert f"value: {2 * figures(MEASURED, ORIGIN)['measured_fp32']['value']:.4g}" in text


def test_a_busy_machine_is_noted_in_the_file(data: Path) -> None:
    shaky = rate_of("products", "fp32", 512, 1e9, [1.0, 2.0, 3.0])
    found = replace(MEASURED, rates=(shaky,), busy="others had 40% of the cores")
    note = figures(found, ORIGIN)["measured_fp32"]["note"]
    assert note.endswith(
        "; needs another measurement: others had 40% of the cores and the repetitions vary widely"
    )
    assert "another measurement" not in hardware_file(MEASURED, ORIGIN)


def test_only_figures_that_ask_for_it_are_measured_again(data: Path) -> None:
    busy = replace(MEASURED, rates=RATES[:2], busy="others had 40% of the cores")
    write(data, "here", busy, ORIGIN)
    path = data / "hardware" / "here.yaml"
    first = path.read_text("utf-8")
    assert write(data, "here", busy, ORIGIN).kept == ("measured_bf16",)  # still busy
    assert path.read_text("utf-8") == first
    later = Origin(ORIGIN.command, date(2026, 12, 1))
    faster = tuple(replace(r, value=2 * r.value, low=2 * r.value, high=2 * r.value) for r in RATES)
    written = write(data, "here", replace(MEASURED, rates=faster), later)
    assert written.renewed == ("measured_bf16",)
    assert written.added == ("measured_fp32", "measured_bandwidth")
    found = parse(path.read_bytes(), "").data
    was = parse(first.encode(), "").data
    now = figures(replace(MEASURED, rates=faster), later)
    assert found["measured_bf16"] == now["measured_bf16"]
    assert {key: found[key] for key in was if key != "measured_bf16"} == {
        key: was[key] for key in was if key != "measured_bf16"
    }
    again = write(data, "here", MEASURED, later)
    assert (again.renewed, len(again.kept)) == ((), 3)
    assert "measured again in" in written_text(written)


@pytest.mark.parametrize(
    ("id", "measured", "message"),
    [
        ("card", MEASURED, "is of an accelerator, and what was measured is A maker's"),
        (
            "card",
            replace(MEASURED, device=replace(CARD, memory=80 * GIB)),
            "has 24 GiB and what was measured is NVIDIA Card with 80.0 GiB; choose "
            "another id, such",
        ),
        ("A card", MEASURED, "'A card' is not an id: use a-z, 0-9"),
        ("new", Measured(CARD), "no rate was measured, so 'new' was not written"),
    ],
)
def test_invalid_measurements_are_not_written(
    data: Path, id: str, measured: Measured, message: str
) -> None:
    before = {path: path.read_bytes() for path in data.rglob("*.yaml")}
    with pytest.raises(HardwareError) as error:
        write(data, id, measured, ORIGIN)
    assert message in str(error.value)
    assert {path: path.read_bytes() for path in data.rglob("*.yaml")} == before


def test_an_unreadable_file_is_left_unchanged(data: Path) -> None:
    path = data / "hardware" / "card.yaml"
    path.write_text("title: [\n", "utf-8")
    with pytest.raises(HardwareError, match="cannot be read; see 'scalesheet check'"):
        write(data, "card", MEASURED, ORIGIN)


def test_a_name_becomes_an_id() -> None:
    assert id_of(PROCESSOR) == "a-maker-s-processor-4-cores"
    assert id_of(replace(CARD, name="NVIDIA H200")) == "nvidia-h200"


def test_writing_changes_no_other_file_of_the_book(data: Path) -> None:
    written: Written = write(data, "other", MEASURED, ORIGIN)
    same = [p for p in MINIMAL.rglob("*.yaml") if p.name not in ("sources.yaml", "units.yaml")]
    for path in same:
        assert (data / path.relative_to(MINIMAL)).read_bytes() == path.read_bytes()
    assert written.path == data / "hardware" / "other.yaml"
    assert not list(data.rglob(".*"))


def test_rates_are_medians_between_their_quartiles() -> None:
    rate: Rate = rate_of("triad", "", 8, 12.0, [1.0, 2.0, 3.0, 4.0])
    assert rate.low < rate.value < rate.high
    assert (rate.value, rate.repetitions) == (pytest.approx((12 / 2 + 12 / 3) / 2), 4)
    assert rate_of("triad", "", 8, 12.0, [3.0]).spread == 0
