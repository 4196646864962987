"""How all outputs show measurements: figures beside their prediction, in words and in pictures.

Numbers have up to four significant digits, or all digits before the point. All times of a record
are in one unit, and so is all its memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Plan, Scalar
from scalesheet.numbers import Format
from scalesheet.numbers import number as rounded
from scalesheet.render.parity import ParityPlot, ParityPoint, parity_plot_of
from scalesheet.render.scores import NOTHING
from scalesheet.steps.comparison import (
    CLOSE,
    COMPARED,
    PARTS,
    SHARES,
    SMALL,
    TIMES,
    Comparison,
    ErrorFactors,
    Pair,
    error_factors,
)
from scalesheet.steps.recorded import TABLE
from scalesheet.units import Unit, Units, beside
from scalesheet.values import Results, Value

DIGITS = 4
MOST_DIGITS = 6  # significant digits of a figure as it stands on file
NEAR = (0.9, 1.1)  # ratios that print with one more digit
SMALLER = {"GiB": "MiB", "second": "ms"}
#: The heading of the first column of figures, by how the record was made.
SIDES = {"measured": "Measured", "simulated": "Simulated, as recorded"}
RATIO = "The ratio is recorded over predicted: ×1.05 means 5 % more than predicted."
PREDICTED = (
    "The prediction is what `scalesheet bench simulate` computes of the same job from the "
    "catalogue; from the record it takes only what was run."
)
#: Columns of the list of records: figures, ratios, and the summary of the predictions.
FIGURES = ("step_time", "peak_memory", "tokens_per_second", "utilisation")
RATIOS = ("step_time", "peak_memory")
CARDS = ("step_time", "tokens_per_second", "peak_memory", "utilisation", "flop_rate")
TOLD = {"peak_memory": "Peak memory", "step_time": "Step time"}
#: The sources of records that `bench` writes; their locator is the command.
OWN = ("own-measurement", "own-simulation")  # as in bench/sources.py
#: Marks of a record by their columns: the label and its explanation.
MARKS: Mapping[str, tuple[str, str]] = {
    "interrupted": ("interrupted", "it ended before the mean reached the requested precision"),
    "unsteady": (
        "unsteady",
        "step times varied more than requested; the machine was busy, or its clock changed",
    ),
    "input_bound": ("waits for data", "batch preparation slowed the steps"),
}
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Step time": ("step_time", *TIMES),
    "Step time shares": tuple(SHARES),
    "Rates": (
        "tokens_per_second",
        "samples_per_second",
        "flop_per_token",
        "flop_rate",
        "utilisation",
        "power",
    ),
    "Memory per accelerator": (
        "peak_memory",
        *PARTS,
        "average_memory",
        "reserved_memory",
        "process_memory",
    ),
}
#: Charts of a record by name: the title, and the components with short labels.
DRAWN: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "time": (
        "Step time by part",
        {
            "step_time": "Whole step",
            "data_loading_time": "Waiting for data",
            "forward_time": "Forward",
            "backward_time": "Backward",
            "optimizer_time": "Optimizer",
        },
    ),
    "memory": (
        "Memory per accelerator, by part",
        {
            "peak_memory": "Peak",
            "weights_memory": "Weights",
            "gradients_memory": "Gradients",
            "optimizer_memory": "Optimizer",
            "activations_memory": "Activations",
            "working_memory": "Working",
        },
    ),
}


@dataclass(frozen=True)
class Scale:
    """How figures of a unit print: the factor and the symbol; `percent` for shares."""

    times: float
    symbol: str
    percent: bool = False

    def number(self, value: float | None) -> str:
        """Print a number without its unit."""
        if value is None:
            return NOTHING
        if self.percent:
            return f"{value * 100:.1f} %"
        return rounded(value * self.times, self.format(value))

    def with_unit(self, value: float | None) -> str:
        """Print a number with its unit."""
        return beside(self.number(value), self.symbol) if value is not None else NOTHING

    def format(self, value: float) -> Format:
        """The same format, for outputs that print values by formats."""
        shown = abs(value * self.times)
        power = math.floor(math.log10(shown)) if shown else DIGITS
        if self.percent:
            return Format(1, percent=True)
        return Format(max(0, DIGITS - 1 - power), least=0)


def scales(book: Book, comparison: Comparison) -> dict[Unit, Scale]:
    """The scale of each unit of a record.

    It is that of the column, or the next smaller one if the largest figure is below 1.
    """
    greatest: dict[Unit, float] = {}
    for pair in comparison.pairs.values():
        for value in (pair.recorded.value, pair.predicted.value):
            if isinstance(value, float):
                greatest[pair.unit] = max(greatest.get(pair.unit, 0.0), value)
    return {
        pair.unit: scale(book.units, pair.unit, greatest.get(pair.unit, 1.0))
        for pair in comparison.pairs.values()
    }


def scale(units: Units, unit: Unit, greatest: float = 1.0) -> Scale:
    """The scale of a unit whose largest figure is `greatest`."""
    if unit.pure:
        return Scale(1.0, "", percent=True)
    names = {SMALLER.get(n, n) if power == 1 else n: power for n, power in unit.factors}
    smaller = Unit.of(names)
    if 0 < greatest < 1 and smaller != unit and all(name in units.declared for name in names):
        return Scale(float(units.factor(unit, smaller)), units.symbol(smaller))
    return Scale(1.0, units.symbol(unit))


def at_most(fmt: Format, value: float) -> Format:
    """Limit the format to the digits that a clock or a memory counter gives."""
    if fmt.scientific or fmt.percent or not value:
        return fmt
    power = math.floor(math.log10(abs(value)))
    return replace(fmt, decimals=min(fmt.decimals, max(0, MOST_DIGITS - 1 - power)))


def number(value: Value) -> float | None:
    return value.value if isinstance(value.value, float) else None


def ends(scale: Scale, value: Value) -> str:
    """`0.41–0.44`; empty where the value has no range."""
    if not value.ranged or value.low is None or value.high is None:
        return ""
    return f"{scale.number(value.low)}–{scale.number(value.high)}"


def ratio(value: float | None) -> str:
    """`×1.25`; near 1 with one more digit: `×1.013`."""
    if value is None:
        return NOTHING
    return f"×{rounded(value, Format(3 if NEAR[0] < value < NEAR[1] else 2))}"


def off_by(error: ErrorFactors) -> str:
    """`×1.04 in the median and ×1.3 at worst, over 12 records, of which 10 are within 5 %`."""
    if error.rows == 1:
        return f"{ratio(error.median)}, of one record"
    return (
        f"{ratio(error.median)} in the median and {ratio(error.worst)} at worst, over "
        f"{error.rows} records, of which {error.within} are within {CLOSE:.0%}"
    ).replace("%", " %")


#: Columns for the errors of predictions.
OFF_HEAD = ("Records", f"Within {CLOSE * 100:.0f} %", "Median", "Worst")
OFF_SAYS = (
    "Measured records only, as factors of 1 or more: ×1.05 is 5 % too high or too low. A part "
    f"below {SMALL * 100:.0f} % of its whole in a record is left out, as are times and rates of "
    "runs that were interrupted, unsteady or input-bound."
)


def off_cells(error: ErrorFactors) -> tuple[str, ...]:
    """The cells of `OFF_HEAD`."""
    return str(error.rows), str(error.within), ratio(error.median), ratio(error.worst)


def offs_by_component(comparisons: Mapping[str, Comparison]) -> list[tuple[str, ErrorFactors]]:
    """Every component that has a prediction in some measured record."""
    titles = {key: pair.title for each in comparisons.values() for key, pair in each.pairs.items()}
    offs = (
        (titles[key], error_factors(comparisons.values(), key)) for key in COMPARED if key in titles
    )
    return [(title, each) for title, each in offs if each is not None]


def offs_by_accelerator(comparisons: Mapping[str, Comparison], key: str) -> dict[str, ErrorFactors]:
    """One component, by the accelerator of the measurement."""
    groups: dict[str, list[Comparison]] = {}
    for each in comparisons.values():
        if each.job is not None:
            groups.setdefault(each.job.accelerator, []).append(each)
    offs = {name: error_factors(groups[name], key) for name in sorted(groups)}
    return {name: each for name, each in offs.items() if each is not None}


def groups(comparison: Comparison) -> list[tuple[str, list[Pair]]]:
    """The components of a record in groups; shares are left out if there are times."""
    listed = {
        title: [comparison.pairs[key] for key in keys if key in comparison.pairs]
        for title, keys in GROUPS.items()
        if not (keys == tuple(SHARES) and any(key in comparison.pairs for key in TIMES))
    }
    return [(title, pairs) for title, pairs in listed.items() if pairs]


def led(comparison: Comparison | None, how: str) -> str:
    """Compare a record with its prediction in one sentence."""
    over = {key: comparison.ratio(key) if comparison is not None else None for key in RATIOS}
    verb = "took" if how == "measured" else "takes"
    clauses = {
        "step_time": f"a step {verb} {ratio(over['step_time'])} of the predicted time",
        "peak_memory": f"peak memory is {ratio(over['peak_memory'])} of the prediction",
    }
    text = " and ".join(clauses[key] for key, each in over.items() if each is not None)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def marks(book: Book, id: str) -> list[str]:
    """The marks that apply to a record, by column name."""
    columns = book.tables[TABLE].columns
    stated = {name: columns[name].stated.get(id) for name in MARKS if name in columns}
    return [name for name, mark in stated.items() if mark is not None and mark.value is True]


def command(book: Book, id: str) -> str:
    """The command that made the record; empty if `bench` did not make it."""
    citation = book.tables[TABLE].columns["accelerator"].stated[id].citation
    return citation.locator if citation is not None and citation.key in OWN else ""


def chosen_by(
    book: Book, id: str, results: Mapping[str, Results]
) -> list[tuple[Plan, Scalar, str]]:
    """The plan inputs that refer to the record, each with its note on the choice."""
    return [
        (plan, scalar, scalar.stated.note if scalar.stated is not None else "")
        for plan in book.plans.values()
        for scalar in plan.scalars.values()
        if scalar.refers_to == TABLE and results[plan.id].scalars[scalar.name].value == id
    ]


def room(book: Book, id: str, comparison: Comparison) -> str:
    """The peak as a share of the accelerator's memory, recorded and predicted; empty if either is
    unknown."""
    pair, hardware = comparison.pairs.get("peak_memory"), book.tables["hardware"]
    stated = book.tables[TABLE].columns["accelerator"].stated[id].value
    if pair is None or stated not in hardware.rows:
        return ""
    for name in ("memory_usable", "memory"):
        column = hardware.columns.get(name)
        had = column.stated.get(str(stated)) if column is not None else None
        if column is None or column.unit is None or had is None:
            continue
        if isinstance(had.value, float | int):
            there = float(had.value) * float(book.units.factor(column.unit, pair.unit))
            sides = {SIDES[comparison.how].lower(): pair.recorded, "predicted": pair.predicted}
            text = " and ".join(
                f"{value / there * 100:.1f} % as {side}"
                for side, value in ((side, number(each)) for side, each in sides.items())
                if value is not None
            )
            has = scale(book.units, pair.unit).with_unit(there)
            return f"The accelerator has {has}, of which the peak is {text}." if text else ""
    return ""


def explained(comparison: Comparison) -> str:
    """The note on how the prediction was made."""
    return f"How it is predicted: {comparison.note.rstrip('.')}."


def assumed(comparison: Comparison) -> str:
    """What the prediction assumes where the record says nothing."""
    return f"Not in the record, so the prediction assumes: {'; '.join(comparison.assumed)}."


def count(hows: Sequence[str]) -> str:
    """`3 records are measured on the hardware, 1 simulated.`; also says when there are none."""
    measured, simulated = hows.count("measured"), hows.count("simulated")
    if not hows:
        return "There are no records yet."
    if not measured:
        only = "the only record is" if simulated == 1 else f"all {simulated} records are"
        return f"Nothing is measured yet: {only} simulated."
    text = f"{_many(measured)} measured on the hardware"
    return f"{text}, {simulated} simulated." if simulated else f"{text}, none simulated."


def _many(n: int) -> str:
    return "1 record is" if n == 1 else f"{n} records are"


# ------------------------------------------------------------------ pictures


@dataclass(frozen=True, slots=True)
class PairedBar:
    """A component: both numbers as values and texts, their ratio, and the range of the
    prediction."""

    label: str
    recorded: float
    predicted: float
    texts: tuple[str, str]
    ratio: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PairedBars:
    """The data of `live/paired_bars.js`; `sides` names the two bars of each pair."""

    id: str
    title: str
    axis: str
    sides: tuple[str, str]
    rows: tuple[PairedBar, ...]


def paired_bars(book: Book, comparison: Comparison, name: str) -> PairedBars | None:
    """A chart of `DRAWN` for one record; None if it has nothing to compare."""
    title, names = DRAWN[name]
    shown = {
        short: comparison.pairs[key] for key, short in names.items() if key in comparison.pairs
    }
    if not any(pair.ratio is not None for pair in shown.values()):
        return None
    by = scales(book, comparison)[next(iter(shown.values())).unit]
    rows = tuple(
        PairedBar(
            short,
            _scaled(by, pair.recorded),
            _scaled(by, pair.predicted),
            (by.number(number(pair.recorded)), by.number(number(pair.predicted))),
            ratio(pair.ratio),
            _end(by, pair.predicted.low),
            _end(by, pair.predicted.high),
        )
        for short, pair in shown.items()
    )
    return PairedBars(
        f"pairs-{comparison.id}-{name}",
        title,
        f"{title.partition(',')[0]} ({by.symbol})",
        (SIDES[comparison.how], "Predicted"),
        rows,
    )


def _scaled(by: Scale, value: Value) -> float:
    return (number(value) or 0.0) * by.times


def _end(by: Scale, end: float | None) -> float | None:
    return None if end is None else end * by.times


#: Scatter plots of all records: the component, the score's task whose unit it uses, the unit, and
#: whether it covers all accelerators together.
SCATTERED: Mapping[str, tuple[str, str, bool]] = {
    "tokens_per_second": ("throughput", "token / second", True),
    "peak_memory": ("memory", "byte", False),
}


def parity_plot(book: Book, comparisons: Mapping[str, Comparison], key: str) -> ParityPlot | None:
    """Measured records against their predictions; None if there are fewer than two."""
    task, unit, shared = SCATTERED[key]
    dots = []
    for each in comparisons.values():
        pair = each.pairs.get(key)
        if each.how != "measured" or pair is None or pair.ratio is None or each.job is None:
            continue
        times = float(book.units.factor(pair.unit, book.units.parse(unit)))
        times /= each.job.gpus if shared else 1
        here, made = (number(side) or 0.0 for side in (pair.recorded, pair.predicted))
        name = f"{each.job.model.title}, {each.job.method}"
        factor = max(pair.ratio, 1 / pair.ratio)
        dots.append(ParityPoint(name, here * times, made * times, factor))
    if len(dots) < 2:
        return None
    factors = sorted(dot.off for dot in dots)
    errors = (_quantile(factors, 0.5), _quantile(factors, 0.9))
    sides = ("Measured", "Predicted")
    return parity_plot_of(task, "Measured and predicted", sides, dots, errors)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate between the two nearest values, as the score does."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
