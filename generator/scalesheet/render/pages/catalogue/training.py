"""What it takes to train a model: each method on each accelerator, for the default job of `choose`.

The figures come from the search of `choose`; each opens on the front page, which computes the same
case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from urllib.parse import quote_plus, urlencode

import numpy as np

from scalesheet.choose.answer import NEEDED
from scalesheet.choose.job import PLAN, Assumptions, Job, assumptions, lacking, stated_in
from scalesheet.choose.search import Search, search
from scalesheet.forks import spread
from scalesheet.frozen import dataclass
from scalesheet.model import Plan
from scalesheet.numbers import format_of, plain
from scalesheet.predict.arrays import Places, coded
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.render.pages.catalogue.memory import Held, held
from scalesheet.render.pages.compare.workload import workload_root
from scalesheet.render.pages.context import ASSETS, Context, to
from scalesheet.render.pages.figures import NBSP
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.people import counted, people
from scalesheet.values import Value
from scalesheet.vocabulary import METHODS, TUNING

TITLE = "What it takes to train"
MOST_ACCELERATORS = 10
MOST_GPUS = 8.0  # one node
MOST_OFFERS = 8


@dataclass(frozen=True)
class Training:
    """Data that the searches of all models share.

    `accelerators` are those with the most on-demand offers.
    """

    plan: Plan
    catalogue: Known
    assumed: Assumptions
    accelerators: tuple[str, ...]
    held: Held  # memory of all models, on the first of the accelerators
    sections: Mapping[str, tuple[object, ...]] = field(default_factory=dict)  # by model


def training(context: Context) -> Training | None:
    """Prepare the searches; None if the book has no plan for one run, or lacks what a search
    needs."""
    book = context.book
    plan = book.plans.get(PLAN)
    if plan is None or "offers" not in book.tables or lacking(plan, NEEDED):
        return None
    assumed = assumptions(book, plan, {})
    if not (assumed.throughput and assumed.runs and assumed.memory):
        return None
    catalogue = known(book)
    columns = catalogue.results.tables["offers"]
    sold = zip(columns["accelerator"].value, columns["term"].value, strict=True)
    counted = Counter(str(name) for name, term in sold if term == "on-demand")
    most = sorted(counted, key=lambda name: (-counted[name], name))[:MOST_ACCELERATORS]
    if not most:
        return None
    holding, _, _ = held(book, catalogue, plan, assumed, most[0])
    return Training(plan, catalogue, assumed, tuple(most), holding)


def with_sections(context: Context, made: Training) -> Training:
    """Add the sections of each model's page. The searches take a tenth of an uncached build."""

    def sections() -> dict[str, tuple[object, ...]]:
        rows = context.book.tables["models"].rows
        with spread(lambda row: tuple(training_section(context, made, row)), rows) as found:
            return dict(zip(rows, found(), strict=True))

    return replace(made, sections=context.edition.keep("training", sections))


def job_of(context: Context, made: Training, model: str) -> Job:
    """The job of `choose MODEL`, on at most `MOST_GPUS`."""
    book, plan = context.book, made.plan
    longest = made.catalogue.results.cell("models", model, "max_sequence").value
    sequence = stated_in(book, plan, "sequence", "token / sequence")
    return Job(
        model,
        TUNING,
        stated_in(book, plan, "tokens", "token"),
        min(sequence, longest) if isinstance(longest, float) else sequence,
        stated_in(book, plan, "batch", "sequence / step"),
        stated_in(book, plan, "deadline", "hour"),
        True,
        MOST_GPUS,
        wide=False,
    )


def training_section(context: Context, made: Training, model: str) -> Iterator[object]:
    """Show the table of accelerators and methods, then the cheapest offers."""
    job = job_of(context, made, model)
    found = search(context.book, made.catalogue, job, made.assumed)
    yield heading(2, TITLE, "training")
    if not len(found.at):
        yield tag("p", f"No time can be predicted: {'; '.join(found.why_not)}.", class_="note")
        return
    yield tag(
        "p",
        _said(job),
        class_="note",
        data_job=urlencode(job_part(made, job)),
        data_methods=",".join(quote_plus(METHODS[name].plan) for name in TUNING),
    )
    matrix = _matrix(context, made, found)
    yield workload_root("model", _named(context, made), job.deadline, matrix, model=model)
    yield from _offers(context, made, found)


def _said(job: Job) -> str:
    return (
        f"For {people(job.tokens)} tokens in sequences of {job.sequence:,.0f}, "
        f"{job.batch:,.0f} sequences a step: the cheapest on-demand configuration of at most "
        f"{job.most_gpus:.0f} GPUs whose 80 % range of hours ends within {job.deadline:,.0f} "
        "hours. Each answer opens on the front page, where every input can be changed."
    )


def _named(context: Context, made: Training) -> list[str]:
    """The accelerators of the table, sorted by title."""
    table = context.book.tables["hardware"]
    return sorted(made.accelerators, key=lambda row: context.row_title(table, row))


def _matrix(context: Context, made: Training, found: Search) -> Html:
    table = context.book.tables["hardware"]
    named = _named(context, made)
    places = {row: float(place) for place, row in enumerate(named)}
    of = coded(found.grid.accelerator).numbers(places.get)[found.at]
    by = coded(found.grid.method).numbers(TUNING.index)[found.at]
    rows = [np.flatnonzero(of == place) for place in range(len(named))]
    titles = {row: context.row_title(table, row) for row in made.accelerators}
    head = [heading_cell("Accelerator"), *(heading_cell(METHODS[name].title) for name in TUNING)]
    body = [
        [
            tag("th", link(to("hardware", row), titles[row]), scope="row"),
            *(
                tag("td", _cell(context, made, found, own[by[own] == method]))
                for method in range(len(TUNING))
            ),
        ]
        for row, own in zip(named, rows, strict=True)
    ]
    return grid(head, body)


def _cell(context: Context, made: Training, found: Search, rows: Places) -> Html | str:
    """The cheapest acceptable row, or why there is none."""
    best = found.best(rows[found.good[rows]])
    if best is not None:
        return _answer(context, made, found, best)
    if not len(rows):
        return "no configuration runs"
    few = rows[found.few[rows]]
    if (found.fits[rows] & found.in_time[rows]).any() or not len(few):
        return f"needs more than {MOST_GPUS:.0f} GPUs"
    tried = found.grid.gpus[found.at[few]].max()  # do not mention larger counts than were tried
    what = "too slow" if found.fits[few].any() else "doesn't fit"
    return f"{what} on {counted(tried, 'GPU')}"


def _answer(
    context: Context, made: Training, found: Search, row: int, case: str | None = None
) -> Html:
    """An answer in a link that `site.js` completes; it reads the case from the row and column, or
    from `case`."""
    gpus = float(found.grid.gpus[found.at[row]])
    what = counted(gpus, "GPU")
    hours = _shown(context, made, "hours", float(found.wall[row]))
    cost = _shown(context, made, "cost", float(found.cost[row]))
    return tag("a", f"{what}: {hours}, {cost}", data_case=case)


def _shown(context: Context, made: Training, role: str, amount: float) -> str:
    """Print a number as the plan prints the figure of that role."""
    scalar, value = made.plan.roles[role], Value.number(amount)
    shown = plain(value, format_of(scalar, [value], context.book.units))
    return f"{shown}{NBSP}{context.symbol(scalar)}".strip()


def case_of(found: Search, row: int) -> dict[str, str]:
    """What the address of the front page says of a case; it searches the fastest layout itself."""
    at = found.at[row]
    return {
        "method": METHODS[str(found.grid.method[at])].plan,
        "gpu": str(found.grid.accelerator[at]),
        "gpus": f"{found.grid.gpus[at]:.0f}",
    }


def job_part(made: Training, job: Job) -> dict[str, str]:
    """What it says of the job, which all cases of a page share, so that `site.js` adds it."""
    tokens = made.plan.scalars["tokens"].stated
    assert tokens is not None
    return {
        "model": job.model,
        "data": "tokens",
        "tokens": f"{tokens.value:.12g}",
        "sequence": f"{job.sequence:.0f}",
        "epochs": "1",
        "batch": f"{job.batch:.0f}",
    }


def _offers(context: Context, made: Training, found: Search) -> Iterator[object]:
    """List the offers that finish in time, cheapest first, each with its best configuration."""
    bests = found.best_of_each(found.good)
    rows = sorted((float(found.cost[row]), row) for row in bests if row is not None)
    if not rows:
        return
    head = [heading_cell(text) for text in ("Offer", "Method", "Configuration and cost")]
    body = [
        [
            tag(
                "th",
                link(
                    to("offers", found.offers.ids[found.of[row]]),
                    found.offers.titles[found.of[row]],
                ),
                scope="row",
            ),
            tag("td", METHODS[str(found.grid.method[found.at[row]])].title),
            tag("td", _answer(context, made, found, row, urlencode(case_of(found, row)))),
        ]
        for _, row in rows[:MOST_OFFERS]
    ]
    yield heading(2, "Cheapest offers that train it", "cheapest")
    yield grid(head, body)
    yield tag("script", src=f"../{ASSETS}/later.js")
