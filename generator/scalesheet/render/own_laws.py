"""Tables of a law fitted to the user's own runs, for all outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scalesheet.numbers import Format
from scalesheet.predict.fits.holdout import quantile
from scalesheet.predict.law.answer import SHARES, Answer, Point, Ranged
from scalesheet.predict.law.speed import PER_PARAMETER
from scalesheet.predict.score.hidden import LARGE, Hidden
from scalesheet.render.laws import Section, exponent, large
from scalesheet.render.lines import Line, Lines
from scalesheet.render.parity import ParityPlot, ParityPoint, parity_plot_of
from scalesheet.render.scores import spelled

NOT_KNOWN = "–"
WILD = 3.0  # standard deviations of the noise beyond which a run is worth a look
MOST_NAMED = 5
FAR_BEYOND = 1e4  # times the compute of the largest run
LEAD = (
    "Fitted to your own small runs, with published laws as the prior. Intervals should hold 80 % "
    "of runs; they widen with the distance from the runs you made."
)


def headline(made: Answer) -> str:
    """`7 runs of 25M to 410M parameters on 1.5B to 12B tokens`."""
    runs = made.runs
    sizes, tokens = (_span(column.min(), column.max()) for column in (runs.parameters, runs.tokens))
    return (
        f"{len(runs)} runs of {sizes} parameters on {tokens} tokens. A future run is assumed to "
        f"be within {made.law.noise:.3f} nat per token of the law (standard deviation), from the "
        f"scatter of the runs and {made.law.fitted[0].form.noise:g} assumed. {cautions(made)}"
    ).rstrip()


def cautions(made: Answer) -> str:
    """Warnings before the law is trusted: runs far off it, and a long extrapolation."""
    runs, law = made.runs, made.law
    off = np.abs(runs.loss - made.fitted) > WILD * law.noise
    said = []
    if off.any():
        named = ", ".join(map(str, runs.ids[off][:MOST_NAMED]))
        said.append(f"Check {named}: far off the law, so given less weight.")
    if law.noise > WILD * law.fitted[0].form.noise:
        said.append("The runs follow no law closely: loss should fall with size and tokens.")
    if made.speed is not None and made.speed.noise > WILD * made.speed.assumed:
        said.append(
            "Their throughput follows no law closely: check the runs' GPU hours and hardware."
        )
    if made.target.compute > FAR_BEYOND * made.largest.compute:
        said.append("The planned run is far beyond the runs; a run in between would tell more.")
    return " ".join(said)


def _span(least: float, most: float) -> str:
    return large(least) if least == most else f"{large(least)} to {large(most)}"


def planned(made: Answer) -> str:
    """`7B parameters on 140B tokens, 297 times the compute of the largest run`."""
    target = made.target
    times = spelled(target.compute / made.largest.compute, 3)
    chosen = "" if made.stated else ", the compute-optimal run of that budget"
    return (
        f"{large(target.parameters)} parameters on {large(target.tokens)} tokens, {times} times "
        f"the compute of the largest run{chosen}"
    )


def ranged(number: Ranged, decimals: int | None = None) -> str:
    """`2.255 [2.200–2.354]`."""
    value, low, high = (
        spelled(x, 3) if decimals is None else f"{x:.{decimals}f}"
        for x in (number.value, number.low, number.high)
    )
    return f"{value} [{low}–{high}]"


def figures(made: Answer) -> list[tuple[str, str, str]]:
    """Figures of the planned run: title, value with interval, unit."""
    out = [("Loss", ranged(made.target.loss, 3), "nat/token")]
    if made.throughput is not None and made.gpu_hours is not None:
        out.append(("Throughput", ranged(made.throughput), "tokens/s/GPU"))
        out.append(("GPU hours", ranged(made.gpu_hours), ""))
    return out


def sections(made: Answer) -> Iterator[Section]:
    """Yield the tables below the headline."""
    runs = made.runs
    columns = (runs.ids, runs.parameters, runs.tokens, runs.loss, made.fitted)
    forms = [
        (title, f"{share:.0%}".replace("%", " %"), ranged(loss, 3))
        for title, share, loss in made.by_form
    ]
    if made.target.on_file is not None:
        forms.append(
            ("current law, with the floor of these runs", NOT_KNOWN, f"{made.target.on_file:.3f}")
        )
    yield Section(
        "Loss of the planned run by form",
        "forms",
        "The prediction uses the form with the largest share; the interval combines all forms, "
        "weighted by share. Where the forms disagree, the runs can't tell them apart yet.",
        ("Form", "Share", "Loss"),
        tuple(forms),
    )
    if made.next:
        yield _next(made)
    yield Section(
        "Compute-optimal runs",
        "optimal",
        "The size and tokens with the lowest loss for each budget C = 6 N D. The last column "
        "is that loss by the current law, with the floor of these runs.",
        ("FLOP", "Parameters", "Tokens", "Loss", "Law on file"),
        tuple(
            (
                exponent(p.compute),
                large(p.parameters),
                large(p.tokens),
                ranged(p.loss, 3),
                _on_file(p),
            )
            for p in made.frontier
        ),
        curves=_curves(made),
    )
    yield Section(
        "Runs",
        "residuals",
        "Measured loss, loss by the law, and their difference, in nat per token.",
        ("Run", "Parameters", "Tokens", "Loss", "Law", "Off"),
        tuple(
            (str(id), large(n), large(d), f"{loss:.3f}", f"{law:.3f}", f"{loss - law:+.3f}")
            for id, n, d, loss, law in zip(*(column.tolist() for column in columns), strict=True)
        ),
    )


def _on_file(point: Point) -> str:
    return NOT_KNOWN if point.on_file is None else f"{point.on_file:.3f}"


def _curves(made: Answer) -> Lines:
    """Chart the lowest loss by compute with its interval, the law on file, and own runs of up to
    three sizes.

    Losses are above the floor, so that the curves can be told apart.
    """
    floor = made.law.coefficients["floor"]
    ways = (
        ("Law of these runs", [(p.compute, p.loss.value) for p in made.frontier]),
        ("Low end of the interval", [(p.compute, p.loss.low) for p in made.frontier]),
        ("High end", [(p.compute, p.loss.high) for p in made.frontier]),
        ("Law on file", [(p.compute, p.on_file) for p in made.frontier if p.on_file is not None]),
        *_measured(made),
    )
    lines = [
        _line(name, [(at, loss - floor) for at, loss in points]) for name, points in ways if points
    ]
    axes = ("Compute (FLOP)", f"Loss above {floor:.3f} (nat/token)")
    ticks = tuple((p.compute, exponent(p.compute)) for p in made.frontier[::2])
    title = "Loss by compute"
    return Lines("own-law", title, title, axes, ticks, Format(2), tuple(lines))


def _measured(made: Answer) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Yield the measured points of the smallest, a middle and the largest size with several
    runs."""
    runs = made.runs
    sizes, counts = np.unique(runs.parameters, return_counts=True)
    several = sizes[counts > 1].tolist()
    for size in dict.fromkeys([*several[:1], *several[len(several) // 2 :][:1], *several[-1:]]):
        own = runs.parameters == size
        compute = PER_PARAMETER * size * runs.tokens[own]
        points = sorted(zip(compute.tolist(), runs.loss[own].tolist(), strict=True))
        yield f"Runs of {large(size)}", points


def _line(name: str, points: Sequence[tuple[float, float]]) -> Line:
    ends = ", ".join(f"{loss:.3f} at {exponent(at)} FLOP" for at, loss in (points[0], points[-1]))
    return Line(name, ends, (tuple(points),), points[-1][1])


def residuals(made: Answer) -> ParityPlot:
    """Compare the law with the measured loss, run by run."""
    runs = made.runs
    off = np.abs(made.fitted - runs.loss)
    columns = (runs.ids, runs.loss, made.fitted, off)
    rows = [
        ParityPoint(str(id), loss, law, own)
        for id, loss, law, own in zip(*(column.tolist() for column in columns), strict=True)
    ]
    most = float(np.median(off)), float(np.quantile(off, 0.9))
    return parity_plot_of("loss", "The law against the runs", ("Measured", "Law"), rows, most)


def _next(made: Answer) -> Section:
    hours = made.next[0].gpu_hours is not None
    cost = "GPU hours" if hours else "FLOP"
    rows = []
    for one in made.next:
        flop = exponent(one.share * made.target.compute)
        takes = spelled(one.gpu_hours, 3) if one.gpu_hours is not None else flop
        share = f"{100 * one.share:.2g} %"
        narrows = f"{100 * one.narrows:.0f} %"
        rows.append((large(one.parameters), large(one.tokens), takes, share, narrows))
    *most, last = (f"{100 * share:g}" for share in SHARES)
    shares = f"{', '.join(most)} and {last} %"
    without = "" if hours else " Add gpu_hours to the runs to see this in GPU hours."
    return Section(
        "What to run next",
        "next",
        f"The first run narrows the interval of the planned loss most per {cost.removesuffix('s')};"
        f" the others narrow it most within {shares} of the planned compute.{without}",
        ("Parameters", "Tokens", cost, "Of the planned run", "Narrows the interval by"),
        tuple(rows),
    )


# ------------------------------------------------------------------ the score


def hidden_section(sweeps: tuple[Hidden, ...]) -> Section:
    """The score of published sweeps whose largest runs were hidden, each sweep weighted equally."""
    truth = [each.truth for each in sweeps]
    weight = np.concatenate([np.full(len(each.truth), 1 / len(each.truth)) for each in sweeps])
    ways = [[getattr(each, way) for each in sweeps] for way in ("expected", "shipped", "published")]
    off = [np.abs(np.concatenate(way) - np.concatenate(truth)) for way in ways]
    rows = [
        (
            each.name,
            str(each.shown),
            str(len(each.truth)),
            f"{spelled(each.beyond, 2)} ×",
            *(f"{np.median(np.abs(way[n] - each.truth)):.3f}" for way in ways),
            f"±{each.half:.3f}",
            f"{100 * each.inside:.0f} %",
        )
        for n, each in enumerate(sweeps)
    ]
    covered = float(np.mean([each.inside for each in sweeps]))
    half = float(np.mean([each.half for each in sweeps]))
    medians = (f"{quantile(each, 0.5, weight):.3f}" for each in off)
    shown, hidden = sum(each.shown for each in sweeps), sum(len(each.truth) for each in sweeps)
    whole = (
        "All sweeps",
        str(shown),
        str(hidden),
        "",
        *medians,
        f"±{half:.3f}",
        f"{100 * covered:.0f} %",
    )
    families = len({each.family for each in sweeps})
    return Section(
        "Laws fitted to small runs",
        "hidden",
        f"In each published sweep, the runs from {100 * LARGE:g} % of its largest compute up are "
        "hidden, and a law is fitted to the rest, as 'scalesheet law' does; its prior has not "
        "seen the family. Median errors are in nat per token, beside those of the law of other "
        "families and of Chinchilla's as published, each with one offset fitted to the visible "
        "runs. "
        f"The interval is meant to hold 80 %; the {len(sweeps)} sweeps are of {families} families, "
        "too few to calibrate it. Each sweep counts once in the last line.",
        (
            "Sweep",
            "Shown",
            "Hidden",
            "Compute beyond",
            "Law of these runs",
            "Law of other families",
            "Chinchilla",
            "Interval",
            "Within it",
        ),
        (*rows, whole),
    )
