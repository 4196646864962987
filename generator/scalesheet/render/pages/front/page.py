"""The front page: a handwritten page whose placeholders the build fills.

`{{ title }}` is the title of the book, `{{ question }}` the question of the front matter with its
answer. `{{ plans }}`, `{{ catalogue }}` and `{{ score }}` list the contents of the book. `plans` in
the front matter selects plans; the default is all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from scalesheet.book import Book
from scalesheet.choose.evidence import basis
from scalesheet.choose.job import PLAN, lacking
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.model import Position
from scalesheet.nearest import nearest
from scalesheet.numbers import format_of
from scalesheet.predict.score import TaskScore
from scalesheet.predict.tasks import TASKS
from scalesheet.render.pages.context import ASSETS, Context
from scalesheet.render.pages.figures import amount
from scalesheet.render.pages.front.question import FIGURES, answered, question_script
from scalesheet.render.pages.html import Html, drawn, heading, tag
from scalesheet.render.scores import error

QUESTION = "question"
SCRIPTS = ("runtime", "question", "answering", "front")
_LINE = re.compile(r"^\{\{ *(?P<name>\w+) *\}\}$", re.MULTILINE)
_FRONT = re.compile(r"\A---\n(?P<matter>.*?\n)---\n", re.DOTALL)
MOST_FIGURES = 2  # figures shown for each plan


class Unanswered(Exception):
    """Raised with the reason if the case of the page cannot be answered."""


@dataclass(frozen=True)
class FrontPage:
    """The page, the script of its question (empty without one), and any problems."""

    page: str
    script: str
    problems: tuple[Diagnostic, ...]


def front_page(context: Context, written: str, path: str) -> FrontPage:
    """Fill the page. `path` is its name in diagnostics."""
    problems: list[Diagnostic] = []
    asks = any(line["name"] == QUESTION for line in _LINE.finditer(written))
    result: Mapping[str, Any] = {}
    script = ""
    if asks:
        try:
            stated = _stated(written)
            plan = context.book.plans.get(PLAN)
            if plan is None:
                raise Unanswered(f"there is no plan '{PLAN}', which holds its arithmetic")
            if lacks := lacking(plan, FIGURES):
                raise Unanswered(lacks)
            evidence = basis(context.book, context.edition.scores, context.edition.catalogue)
            asked = question_script(context.book, plan, stated, evidence)
            name = f"answered {sorted(stated.items())}"
            result = context.edition.keep(name, lambda: answered(asked))
            if "problem" in result:
                raise Unanswered(result["problem"])
            script = asked
        except Unanswered as why:
            problems.append(at(Position(path, 1, 1), "X002", f"the question of the page: {why}"))

    fillers: Mapping[str, Callable[[], str]] = {
        "title": lambda: heading(1, context.book.title),
        QUESTION: lambda: _question(result) if script else "",
        "plans": lambda: _plans(context, _matter(written).get("plans")),
        "catalogue": lambda: _catalogue(context),
        "score": lambda: _score(context),
    }

    def filled(line: re.Match[str]) -> str:
        filler = fillers.get(line["name"])
        if filler is None:
            place = Position(path, written.count("\n", 0, line.start()) + 1, 1)
            message = f"the front page can have {', '.join(fillers)}, not '{line['name']}'"
            problems.append(at(place, "N001", message + nearest(line["name"], fillers)))
            return line[0]
        return filler()

    return FrontPage(_LINE.sub(filled, written), script, tuple(problems))


def usual_case(book: Book) -> dict[str, str]:
    """The case of the plan calculator, for a front page that states none; empty if the book cannot
    answer it.
    """
    plan = book.plans.get(PLAN)
    if plan is None or lacking(plan, FIGURES) or "offers" not in book.tables:
        return {}
    model, offer = (plan.scalars[name].stated for name in ("model", "offer"))
    sold = book.tables["offers"].columns["accelerator"].stated
    if model is None or offer is None or offer.value not in sold:
        return {}
    return {"model": str(model.value), "gpu": str(sold[str(offer.value)].value)}


def _stated(written: str) -> Mapping[str, str]:
    """Read the case from the page's front matter. Raises Unanswered."""
    case = _matter(written).get(QUESTION)
    if not isinstance(case, dict) or "gpu" not in case:
        raise Unanswered("expected its case in the front matter: question: {model: ..., gpu: ...}")
    return {str(name): str(value) for name, value in case.items()}


def _matter(written: str) -> Mapping[str, Any]:
    """Read the front matter of the page."""
    front = _FRONT.match(written)
    matter: Any = yaml.safe_load(front["matter"]) if front else {}
    return matter if isinstance(matter, dict) else {}


# ------------------------------------------------------------------ the page


def _question(result: Mapping[str, Any]) -> str:
    parts = (drawn(result[name]) for name in ("form", "answer", "beside"))
    scripts = (tag("script", src=f"book/{ASSETS}/{name}.js") for name in SCRIPTS)
    return "\n\n".join((tag("div", *parts, class_="front"), *scripts))


def _plans(context: Context, named: Any) -> Html:
    """Each plan that the page names, or all, with its first figures."""
    plans = context.book.plans
    cards = []
    for plan in [plans[each] for each in named or plans if each in plans]:
        facts = []
        for name in plan.headline[:MOST_FIGURES]:
            scalar, value = plan.scalars[name], context.edition.results[plan.id].scalars[name]
            fmt = format_of(scalar, [value], context.book.units)
            shown = amount(value, fmt, context.symbol(scalar), range_=False)
            facts.append(tag("span", f"{scalar.title} ", tag("strong", shown)))
        cards.append(
            tag(
                "li",
                tag("a", plan.title, href=f"book/plans/{plan.id}.html"),
                tag("p", *facts, class_="facts-of"),
            )
        )
    return tag("ul", *cards, class_="cards plans")


def _catalogue(context: Context) -> Html:
    """The parts of the catalogue with their sizes."""
    return tag(
        "ul",
        *(
            tag(
                "li",
                tag(
                    "a", tag("strong", f"{count:,}"), f" {title}", href=f"book/{folder}/index.html"
                ),
            )
            for folder, title, count in _counts(context)
        ),
        class_="counts",
    )


def _counts(context: Context) -> Iterator[tuple[str, str, int]]:
    book = context.book
    titles = {
        "hardware": "accelerators",
        "nodes": "machines",
        "offers": "offers",
        "models": "models",
        "measurements": "measurements",
    }
    for name, title in titles.items():
        if name in book.tables:
            yield name, title, len(book.tables[name].rows)
    yield "formulas", "formulas", len(book.records)
    yield "sources", "sources", len(book.sources)


def _as_asked(task: str, score: TaskScore) -> Iterator[object]:
    """The error of this page's answers, if its question can describe published runs."""
    if score.asked is not None:
        yield "; as asked here "
        yield tag("strong", error(task, score.asked.quality.median))
        yield f", {score.asked.quality.rows:,} rows"


def _score(context: Context) -> Html:
    """The error of each kind of prediction, for runs that the fit has not seen."""
    cards = [
        tag(
            "li",
            tag("a", TASKS[task].title, href=f"book/score/{task}.html"),
            tag(
                "p",
                "median error ",
                tag("strong", error(task, score.unseen.median)),
                f", {score.unseen.rows:,} published rows",
                *_as_asked(task, score),
                class_="facts-of",
            ),
        )
        for task, score in context.edition.scores.items()
    ]
    return tag("ul", *cards, class_="cards") if cards else tag("p", "Nothing is scored yet.")
