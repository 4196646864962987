"""Single parts of the page's script, and the small plan whose pages the tests open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from editions import given
from render.drawings import of_plan
from render.pages.rendered import html
from render.sample import write_sample
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.evaluate.sensitivity import sensitivity
from scalesheet.examine import compile_book
from scalesheet.model import Key, Plan
from scalesheet.numbers import Rule
from scalesheet.render.live import SURE, script
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.draws import draws_script
from scalesheet.render.pages.plan.live import described, on_page, shown
from scalesheet.render.pages.plan.page import plan_page
from scalesheet.render.pages.plan.parts import part_pages
from scalesheet.render.pages.plan.subpages import subpages
from scalesheet.render.script import catalogue_script, program, runtime
from scalesheet.site.document import read_document
from scalesheet.site.harden import first_of_head, policy

ASSETS = Path(__file__).parents[3] / "docs" / "assets"
PROSE = """\
It takes **{{ total.gpu_hours }}** on {{ cards }} of {{ gpu }} with {{ gpu.memory }} each, and costs
{{ cost }} at {{ price }}, with {{ reserve }} in reserve. Does it fit? {{ enough }}.

{{ table sizes }}

{{ chart by_phase }}

{{ table train.runs }}
"""


def part(*names: str) -> str:
    """These parts of the script, without the rest."""
    folder = files("scalesheet.render.live")
    texts = [folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in names]
    return "\n".join(["globalThis.scalesheet ??= { plans: {} };", *texts])


def as_script(rule: Rule) -> dict[str, Any]:
    """A number format as the plan's script holds it."""
    return {k: v for k, v in asdict(rule).items() if v is not None and v is not False and v != ""}


def with_plan(plan: Plan, book: Book, *names: str) -> str:
    """These parts of the script, with a plan."""
    return "\n".join([runtime(), program(plan, book), shown(plan, book), part(*names)])


def sample(folder: Path) -> Book:
    """The small plan of the renderers' tests, with prose."""
    data = write_sample(folder / "data")
    (data / "plans/small/page.md").write_text(PROSE, "utf-8")
    return compile_book(data)


def write_site(book: Book, plan: Plan, folder: Path, edits: Sequence[str] = ()) -> Path:
    """Write a plan's pages after edits, with the site's style and policy; return their folder."""
    changed = dict(read_edit(book, plan, edit) for edit in edits)
    under = {
        word: evaluate(book, plan, {**changed, Key("scenario"): word}) for word in plan.scenarios
    }
    results = {plan.id: evaluate(book, plan, changed)}
    moving = {plan.id: sensitivity(book, plan, changed)}
    context = Context(
        given(book, results=results, scenarios={plan.id: under}, sensitivities=moving)
    )
    vars(context)["scripts"] = {plan.id: of_plan(plan, book, edits)}
    texts = {f"plans/{plan.id}.md": plan_page(context, plan)}
    texts |= dict(part_pages(context, plan))
    texts |= dict(subpages(context, plan))
    pages, assets = folder / "plans", folder / "assets"
    for each in (pages, assets):
        each.mkdir(parents=True)
    scripts = {
        "runtime": runtime(),
        "catalogue": catalogue_script(book) + described(book),
        plan.id: on_page(program(plan, book) + shown(plan, book), plan, book),
        "live": script(),
        f"{plan.id}.draws": draws_script(plan, book, context.edition.sures[plan.id]),
        "sure": script(SURE),
    }
    for name, text in scripts.items():
        (assets / f"{name}.js").write_text(text, "utf-8")
    for name in ("site.css", "charts.css", "site.js", "charts.js"):
        (assets / name).write_bytes((ASSETS / name).read_bytes())
    for path, text in texts.items():
        page = (folder / path).with_suffix(".html")
        page.write_text(document(html(text)), "utf-8")
    return pages


def document(body: str) -> str:
    text = f"""<!doctype html><html lang="en"><head><title>A plan</title>
        <meta name="viewport" content="width=device-width">
        <link rel="stylesheet" href="../assets/site.css">
        <link rel="stylesheet" href="../assets/charts.css"></head>
        <body data-md-color-scheme="default"><article class="md-typeset">{body}</article>
        <script src="../assets/site.js"></script></body></html>"""
    return with_policy(text)


def with_policy(text: str) -> str:
    """A page with the site's Content Security Policy."""
    return text.replace("<head>", f"<head>{first_of_head(policy(read_document(text)))}")
