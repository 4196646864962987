"""Pages of a workload: accelerators for one job, what fits one, and any model by its config.json.

A page has only its question; the scripts of `render/live` answer it with the arithmetic of the
front page, and keep the question in the address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.choose.evidence import basis
from scalesheet.choose.job import PLAN, lacking, stated_in
from scalesheet.frozen import dataclass
from scalesheet.render.live import ANSWERING, WORKLOAD, script
from scalesheet.render.pages.compare.accelerators import usual
from scalesheet.render.pages.context import ASSETS, Context
from scalesheet.render.pages.front.architectures import architecture_script
from scalesheet.render.pages.front.question import FIGURES, question_script
from scalesheet.render.pages.html import Html, page, tag

SCRIPTS = ("runtime", "question", "architecture", "answering", "workload")
_NO_SCRIPT = "This page computes in your browser; without scripts it has no answer."


@dataclass(frozen=True)
class WorkloadPage:
    """A page: its address below `compare/`, the mode of its script, and its texts."""

    id: str
    mode: str
    title: str
    sentence: str
    details: str = ""


PAGES = (
    WorkloadPage(
        "workload",
        "compare",
        "Accelerators for one job",
        "Describe a training job once and see which accelerators it fits on, how long it takes and "
        "what it costs.",
        "With auto, each accelerator has the cheapest count of 1, 2, 4 … 1,024 that fits and "
        "finishes in time. A smaller count that costs less and probably fits has its own row. The "
        "cost is that of the cheapest on-demand offer with that many accelerators, including "
        "start-up and at least one hour. “Cheapest” is the chance that a row costs least. Regret "
        "is how much more a row costs than the cheapest, on average. Errors of different "
        "accelerators are assumed to be independent.",
    ),
    WorkloadPage(
        "fits",
        "card",
        "What fits my GPU?",
        "Every model in the catalogue, by training method, on the GPU you have, in the fastest "
        "layout that fits. Follow a verdict to open it on the front page.",
    ),
    WorkloadPage(
        "any-model",
        "any",
        "Any model, from its config.json",
        "Paste a model's config.json, or enter its dimensions one per line. Its parameters are "
        "counted with the catalogue's formulas, and it is computed like any in the catalogue. "
        "Nothing leaves your browser.",
    ),
)


def question_of(context: Context) -> str:
    """The script of the question if the front page has none; empty if the book lacks what it
    needs."""
    book = context.book
    plan = book.plans.get(PLAN)
    if plan is None or lacking(plan, FIGURES) or "offers" not in book.tables:
        return ""
    evidence = basis(book, context.edition.scores, context.edition.catalogue)
    return question_script(book, plan, {}, evidence)


def workload_pages(context: Context, question: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of the pages, and of their scripts; nothing without a question."""
    if not question:
        return
    shown = usual(context)
    for each in PAGES:
        yield f"compare/{each.id}.md", _page(context, each, shown)
    plan = context.book.plans[PLAN]
    yield f"{ASSETS}/question.js", question
    yield f"{ASSETS}/architecture.js", architecture_script(context.book, plan)
    yield f"{ASSETS}/answering.js", script(ANSWERING)
    yield f"{ASSETS}/workload.js", script(WORKLOAD)
    yield f"{ASSETS}/later.js", script(("later",))


def _page(context: Context, made: WorkloadPage, shown: Sequence[str]) -> str:
    return page(
        made.title,
        tag("p", made.sentence, class_="lead"),
        workload_root(made.mode, shown, hours(context)),
        tag("noscript", tag("p", _NO_SCRIPT, class_="note")),
        tag("p", made.details, class_="note") if made.details else None,
        *scripts(),
        wide=True,
        list_=True,
    )


def workload_root(
    mode: str,
    shown: Sequence[str],
    within: float,
    published: Html | None = None,
    model: str | None = None,
) -> Html:
    """The element that the script fills.

    If it has published content, the scripts load only when a reader asks for them.
    """
    return tag(
        "div",
        tag("div", published, class_="published") if published else None,
        class_="workload-page",
        data_workload=mode,
        data_accelerators=",".join(shown),
        data_hours=f"{within:g}",
        data_model=model,
        data_later=",".join(SCRIPTS) if published else None,
    )


def scripts() -> Iterator[Html]:
    for name in SCRIPTS:
        yield tag("script", src=f"../{ASSETS}/{name}.js")


def hours(context: Context) -> float:
    """The deadline of the plan, in hours."""
    return stated_in(context.book, context.book.plans[PLAN], "deadline", "hour")
