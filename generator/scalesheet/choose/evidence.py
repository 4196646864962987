"""The evidence for an answer: similar published results, and the published run it corresponds to.

A result is similar if method, accelerator family and size class of the model are the same;
`evidence` in data/score.yaml lists the families. For runs, the error is that of predictions from
the question alone; for throughput, that of predictions for the full configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.search import Search
from scalesheet.frozen import dataclass
from scalesheet.model import Evidence
from scalesheet.predict.arrays import Array, Flags, among
from scalesheet.predict.fits import coefficients
from scalesheet.predict.records import rows_of
from scalesheet.predict.score import SIZES, TaskScore, size_class
from scalesheet.predict.time.steps import Work
from scalesheet.values import Results
from scalesheet.vocabulary import METHODS, OFFLOADS

#: Names of results by task, in singular and plural; the first task is closest to an answer.
CALLED: Mapping[str, tuple[str, str]] = {
    "runs": ("published run", "published runs"),
    "throughput": ("published throughput", "published throughputs"),
}
#: The size classes of the score, in words.
_SAID = ("below 1B", "1B to 10B", "10B to 100B", "above 100B")
SIZE_NAMES = {name: said for (_, name), said in zip(SIZES, _SAID, strict=True)}


#: The number of similar published results from which a kind counts as known.
A_FEW = 3
NOWHERE = "No published run on this accelerator: an assumption"
NOT_LIKE = "No published run like this ({kind}): an assumption"
UNUSUAL = (
    "Do not rely on this answer: its utilization of {share} is far outside the published results "
    "for {method}: nine of ten are within {low} to {high}."
)


@dataclass(frozen=True)
class Kind:
    """What results have in common: method, accelerator family, and size class of the score."""

    method: str
    family: str
    size: str


@dataclass(frozen=True)
class Like:
    """Published results similar to an answer: task, number, and median error factor."""

    task: str
    rows: int
    error: float


@dataclass(frozen=True)
class Run:
    """A published run that may be the one that is asked for."""

    id: str
    title: str
    method: str
    model: str  # id in the catalogue
    tokens: float
    gpu_hours: float
    on: str


@dataclass(frozen=True)
class Basis:
    """All evidence in a book: similar results by kind, published runs, and for each method the
    range of utilization that contains nine of ten published results.
    """

    said: Evidence
    families: Mapping[str, str]  # of accelerators
    sizes: Mapping[str, str]  # of models
    like: Mapping[Kind, Like]
    runs: Sequence[Run]
    utilization: Mapping[str, tuple[float, float]]

    def knows(self, kind: Kind) -> bool:
        """Whether there are a few published results of this kind."""
        return kind in self.like and self.like[kind].rows >= A_FEW

    def unknown(self, search: Search) -> Array:
        """For each row of a search, the number of aspects without published evidence: its kind, and
        offloading to host memory.
        """
        made, size = search.grid, self.sizes[search.job.model]
        pairs = list(zip(made.method.tolist(), made.accelerator.tolist(), strict=True))
        known = {
            (method, name): self.knows(Kind(method, self.families[name], size))
            for method, name in set(pairs)
        }
        kinds = np.array([not known[pair] for pair in pairs], dtype=np.float64)
        count: Array = (kinds + (made.offload != OFFLOADS[0]))[search.at]
        return count

    def words(self, kind: Kind) -> str:
        """`12 published runs like this, typical error 15 %`, or that there are none."""
        like = self.like.get(kind)
        if like is not None:
            name, error = CALLED[like.task][like.rows != 1], percent(like.error - 1)
            typical = "typical error" if like.rows > 1 else "error"
            return f"{like.rows} {name} like this, {typical} {error}"
        if kind.family not in {other.family for other in self.like}:
            return NOWHERE
        named = f"{METHODS[kind.method].title}, {kind.family}, {SIZE_NAMES[kind.size]} parameters"
        return NOT_LIKE.format(kind=named)

    def same(self, method: str, model: str, tokens: float) -> list[Run]:
        """The published runs that an answer may be about."""
        most = self.said.same_tokens
        return [
            run
            for run in self.runs
            if (run.method, run.model) == (method, model)
            and tokens / most <= run.tokens <= tokens * most
        ]

    def unusual(self, method: str, utilization: float) -> str:
        """A warning for utilization far outside the published range; empty otherwise."""
        low, high = self.utilization.get(method, (0.0, np.inf))
        if low / self.said.far <= utilization <= high * self.said.far:
            return ""
        return UNUSUAL.format(
            share=percent(utilization),
            method=METHODS[method].title,
            low=percent(low),
            high=percent(high),
        )


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def basis(book: Book, scores: Mapping[str, TaskScore], catalogue: Results) -> Basis | None:
    """Collect the evidence of a book, if it defines which results are similar."""
    if book.evidence is None:
        return None
    said = book.evidence
    errors: dict[Kind, dict[str, list[float]]] = {}
    reached: dict[str, list[float]] = {}
    for task in CALLED:
        if task not in scores:
            continue
        score = scores[task]
        cases = score.published.cases
        counted, error = score.counted, score.error
        if score.asked is not None:
            counted, error = score.asked.counted, score.asked.error
        counted = counted & among(cases.method, *METHODS)
        shares = _utilization(book, score)
        for at in np.flatnonzero(counted).tolist():
            method = str(cases.method[at])
            kind = Kind(method, said.family(cases.accelerator[at]), size_class(cases.active[at]))
            errors.setdefault(kind, {}).setdefault(task, []).append(float(error[at]))
            reached.setdefault(method, []).append(float(shares[at]))
    like = {kind: _first(tasks) for kind, tasks in errors.items()}
    active = catalogue.tables["models"]["active_parameters"].value
    return Basis(
        said,
        {name: said.family(name) for name in catalogue.rows["hardware"]},
        {
            name: size_class(float(number))
            for name, number in zip(catalogue.rows["models"], active, strict=True)
        },
        like,
        _runs(book, scores["runs"]) if "runs" in scores else (),
        {method: _nine_of_ten(shares) for method, shares in reached.items()},
    )


def _first(tasks: Mapping[str, Sequence[float]]) -> Like:
    """The results of the task that is closest to an answer."""
    task = next(name for name in CALLED if name in tasks)
    return Like(task, len(tasks[task]), median(tasks[task]))


def _nine_of_ten(shares: Sequence[float]) -> tuple[float, float]:
    low, high = np.quantile(shares, (0.05, 0.95))
    return float(low), float(high)


def _utilization(book: Book, score: TaskScore) -> Array:
    """Model FLOP of the steps over the dense 16-bit peak, computed as in the calculator."""
    cases, truth = score.published.cases, score.published.truth
    work = Work(cases, book)
    flop = rows_of(
        book,
        "training-flop-per-token",
        parameters=work.product_parameters,
        layers=cases.layers,
        width=cases.heads * cases.head_dim,
        context=work.sequence,
        per_parameter=np.where(work.small, 4.0, 6.0),
    )
    speed = truth
    if score.task == "runs":
        speed = cases.tokens / (truth * 3600) * np.exp(coefficients(book, "runs")["gross"])
    share: Array = speed * flop / cases.sixteen
    return share


def _runs(book: Book, score: TaskScore) -> list[Run]:
    hardware = book.tables["hardware"]
    titles = dict(zip(hardware.rows, hardware.row_titles, strict=True))
    cases, rows = score.published.cases, score.published.rows
    known: Flags = score.published.scored & among(cases.method, *METHODS)
    return [
        Run(
            rows[at].id,
            rows[at].words.get("model", rows[at].id),
            str(cases.method[at]),
            str(cases.model_id[at]),
            float(cases.tokens[at]),
            float(score.published.truth[at]),
            _on(cases.gpus[at], titles.get(cases.accelerator[at], "")),
        )
        for at in np.flatnonzero(known).tolist()
        if cases.model_id[at]
    ]


def _on(gpus: float, accelerator: str) -> str:
    return f"{gpus:,.0f} × {accelerator}" if gpus == gpus else accelerator
