"""Creates or completes an accelerator's catalogue file with measured figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from scalesheet.diagnostics import errors
from scalesheet.examine import save_valid
from scalesheet.load import parse
from scalesheet.load.folder import is_id, shown
from scalesheet.new import entry
from scalesheet.new.sound import document
from scalesheet.save import content
from scalesheet.schemas import schema
from scalesheet.source.patch import Set, patched
from scalesheet.source.places import modeline, place, suggested
from scalesheet.source.text import block
from scalesheet.steps.faults import NotMeasured
from scalesheet_bench.ladder.rates import STEADY, Device, Measured, Rate
from scalesheet_bench.sources import MEASURED, with_source

UNKNOWN = "not stated"
#: The note on a figure that was measured on a busy or unsteady machine.
AGAIN = "needs another measurement"
#: Digits of figures in the file; repetitions differ in the third.
DIGITS = 4
#: An existing file is for this device if its memory agrees within this share: specs and drivers
#: differ by a few per cent.
SAME_MEMORY = 0.12
RATE, BANDWIDTH = "TFLOP / (second * GPU)", "GB / second"
PRECISIONS = ("bf16", "fp16", "tf32", "fp32")
_GIB = float(1 << 30)
_REQUIRED = ("bandwidth", "dense_fp16", "dense_bf16")

Figure = Mapping[str, Any]


class HardwareError(NotMeasured):
    """Raised if nothing was written; the message says why and what to do."""

    code = "B008"


@dataclass(frozen=True)
class Origin:
    """The command that measured a figure, and the day."""

    command: str
    day: date

    @property
    def source(self) -> Mapping[str, str]:
        return {"key": MEASURED, "locator": f"{self.command}, {self.day.isoformat()}"}


@dataclass(frozen=True)
class Written:
    """The result of writing measured figures."""

    path: Path
    new: bool  # the file is new
    added: tuple[str, ...]  # keys of the schema
    renewed: tuple[str, ...]  # keys of replaced figures, which were marked for another measurement
    kept: tuple[str, ...]  # keys that the file already had, which stay
    paste: str  # the measured values of these, as YAML


def name_of(device: Device) -> str:
    """The display name; a processor includes its cores."""
    return f"{device.name}, {device.cores} cores" if device.kind == "cpu" else device.name


def id_of(device: Device) -> str:
    """The id nearest to its name."""
    return suggested(name_of(device)) or device.kind


def figures(measured: Measured, origin: Origin) -> dict[str, Figure]:
    """The measured figures by their keys in hardware.schema.json."""
    result: dict[str, Figure] = {}
    for precision in PRECISIONS:
        rate = measured.best("products", precision)
        if rate is not None:
            what = f"products of {rate.size:,} rows"
            result[f"measured_{precision}"] = _figure(rate, RATE, 1e12, what, measured, origin)
    if (triad := measured.best("triad")) is not None:
        note = f"triads of arrays of {triad.size / 2**20:,.0f} MiB"
        if (copy := measured.best("copy")) is not None:
            note += f" (copies reach {_rounded(copy.value / 1e9):g})"
        result["measured_bandwidth"] = _figure(triad, BANDWIDTH, 1e9, note, measured, origin)
    if (link := measured.best("all-reduce")) is not None:
        what = f"messages of {link.size / 2**20:,.0f} MiB between {measured.device.count} devices"
        result["measured_link"] = _figure(link, BANDWIDTH, 1e9, what, measured, origin)
    return result


def _figure(
    rate: Rate, unit: str, times: float, what: str, measured: Measured, origin: Origin
) -> Figure:
    low, high = (_rounded(end / times) for end in (rate.low, rate.high))
    torch = measured.libraries.get("torch", "")
    by = f" with PyTorch {torch}" if torch else ""
    note = f"median of {rate.repetitions} {what}{by}; half of them from {low:g} to {high:g}"
    reasons = [measured.busy] if measured.busy else []
    if rate.spread > STEADY:
        reasons.append("the repetitions vary widely")
    if reasons:
        note += f"; {AGAIN}: {' and '.join(reasons)}"
    return {
        "value": _rounded(rate.value / times),
        "unit": unit,
        "kind": "measured",
        "source": dict(origin.source),
        "note": note,
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def hardware_file(measured: Measured, origin: Origin, title: str = "") -> str:
    """The text of a new file. What the driver does not report becomes a reason, not a guess."""
    device = measured.device
    what = "the kernel" if device.kind == "cpu" else "the driver"
    data: dict[str, Any] = {"title": title or name_of(device)}
    if device.kind == "cpu":
        data["kind"] = "processor"
    data |= {"vendor": device.vendor, "form_factor": device.form_factor}
    data["memory"] = {
        "value": round(device.memory / _GIB, 2),
        "unit": "GiB",
        "kind": "measured",
        "source": dict(origin.source),
        "note": f"as {what} reports it",
    }
    data |= {key: {"reason": UNKNOWN} for key in _REQUIRED}
    data |= figures(measured, origin)
    data["power"] = {"reason": UNKNOWN}
    if device.power is not None:
        data["power"] = {
            "value": _rounded(device.power),
            "unit": "W / GPU",
            "kind": "measured",
            "source": dict(origin.source),
            "note": "the limit that the driver enforces as shipped",
        }
    data["note"] = environment(measured)
    return block(data)


def environment(measured: Measured) -> str:
    """Describe the environment of the measurement in a sentence."""
    device = measured.device
    parts = [f"{name} {number}" for name, number in measured.libraries.items()]
    if measured.threads:
        parts.append(f"{measured.threads} threads")
    if device.driver:
        parts.append(device.driver)
    return f"Measured with {', '.join(parts)}."


def completed(
    text: str, result: Mapping[str, Figure]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Add missing figures to a file's text; return it with the keys of added and replaced ones.

    Every other byte stays. An existing figure is never replaced, whatever its origin, unless it is
    marked for another measurement and the new one is steady.
    """
    keys = list(schema("hardware")["properties"])
    data = parse(text.encode(), "").data
    lacking = [key for key in keys if key in result and key not in data]
    renewed = [
        key
        for key in keys
        if key in result
        and key in data
        and _provisional(data[key])
        and AGAIN not in result[key]["note"]
    ]
    changes = []
    for key in lacking:
        before = [other for other in keys[: keys.index(key)] if other in data]
        changes.append(Set((key,), dict(result[key]), before[-1] if before else None))
    for key in renewed:
        changes += [Set((key, name), result[key][name]) for name in ("value", "note")]
        changes.append(Set((key, "source", "locator"), result[key]["source"]["locator"]))
    return patched(text, changes), tuple(lacking), tuple(renewed)


def _provisional(figure: Any) -> bool:
    """Return whether a figure is an own measurement that is marked for another one."""
    source = figure.get("source") if isinstance(figure, dict) else None
    own = isinstance(source, dict) and source.get("key") == MEASURED
    return own and AGAIN in str(figure.get("note", ""))


def write(data: Path, id: str, measured: Measured, origin: Origin) -> Written:
    """Write the device as `data/hardware/<id>.yaml`.

    An existing file keeps all its figures and gets those it lacks; see `completed`. Raises
    HardwareError, and Refused if the result would not fit the book.
    """
    result = figures(measured, origin)
    if not is_id(id):
        hint = f"; this device would be '{id_of(measured.device)}'"
        raise HardwareError(f"'{id}' is not an id: use a-z, 0-9 and '-', at most 64{hint}")
    if not result:
        raise HardwareError(f"no rate was measured, so '{id}' was not written; measure again")
    path = place(data, "hardware", id)
    was, had = content(path), content(entry.file(data))
    new = was is None
    renewed: tuple[str, ...] = ()
    if was is None:
        text = modeline(data, "hardware", id) + hardware_file(measured, origin)
        lacking = tuple(result)
    else:
        old = was.decode()
        _same_device(path, id, old, measured.device)
        text, lacking, renewed = completed(old, result)
    sources = with_source(data, MEASURED)
    if lacking or renewed:
        changes: dict[Path, tuple[bytes | None, bytes]] = {path: (was, text.encode())}
        if sources is not None:
            changes[entry.file(data)] = had, sources.encode()
        save_valid(data, changes)
    kept = tuple(key for key in result if key not in (*lacking, *renewed))
    return Written(path, new, lacking, renewed, kept, block({key: result[key] for key in kept}))


def _same_device(path: Path, id: str, text: str, device: Device) -> None:
    """Make sure that the file is for the device on which the figures were measured."""
    read, result = document("hardware", id, shown(path), text)
    if errors(result) or not isinstance(read.data, dict):
        raise HardwareError(f"{shown(path)} cannot be read; see 'scalesheet check', then again")
    stated = read.data.get("memory", {})
    kind = read.data.get("kind", "accelerator")
    own = "processor" if device.kind == "cpu" else "accelerator"
    if kind != own:
        raise HardwareError(
            f"{shown(path)} is of {_an(kind)}, and what was measured is {name_of(device)}, "
            f"{_an(own)}; choose another id, such as '{id_of(device)}'"
        )
    size = stated.get("value") if stated.get("unit") == "GiB" else None
    has = device.memory / _GIB
    if size and abs(has / size - 1) > SAME_MEMORY:
        raise HardwareError(
            f"{shown(path)} has {size:g} GiB and what was measured is {name_of(device)} with "
            f"{has:.1f} GiB; choose another id, such as '{id_of(device)}'"
        )


def _an(kind: str) -> str:
    return f"an {kind}" if kind == "accelerator" else f"a {kind}"
