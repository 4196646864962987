"""The question of the front page as a form, and what its script must know."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from scalesheet.book import Book
from scalesheet.choose.conditions import SAYS
from scalesheet.choose.conditions import TABLE as CONDITIONS
from scalesheet.choose.offers import ALONE, together
from scalesheet.model import Key, Plan
from scalesheet.printers.base import number
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.answer import METHOD_TITLES, title_of
from scalesheet.render.pages.front.question import LAYOUT, ORDER, OWN, Answered
from scalesheet.render.pages.html import Html, tag
from scalesheet.render.pages.places import scalar_anchor
from scalesheet.render.pages.plan.live import shown
from scalesheet.render.part import part
from scalesheet.render.script import program
from scalesheet.vocabulary import AXES, METHODS, PRETRAINING, TERMS, TRAINERS

#: Figures that the page reads, and so all that its script can compute.
FIGURES = (
    "hours",
    "calendar_time",
    "cost",
    "verdict",
    "needed_memory",
    "most_memory",
    "usable_memory",
    "memory.total.bytes",
    "trained_tokens",
    "run_hours",
    "gross_gpu_hours",
    "broken",
    "usual_batch",
)
#: Columns that it shows besides what figures rest on.
COLUMNS = (
    ("offers", "term"),
    ("offers", "price"),
    ("models", "family"),
    ("models", "max_sequence"),
    ("hardware", "kind"),
)
AUTO = "auto"
Entry = Callable[..., Html]
Choice = Callable[..., Html]


def form(context: Context, plan: Plan, found: Answered) -> Html:
    """The question, with the case put in. Lists have one entry: the script fills them."""
    stated = found.stated

    def value(name: str) -> str:
        if name in stated:
            return stated[name]
        shipped = found.edits.get(Key(name)) or plan.scalars[name].stated
        assert shipped is not None, name
        return number(shipped.value) if isinstance(shipped.value, float) else str(shipped.value)

    def number_of(name: str) -> str:
        """`100,000`: what is typed may have commas."""
        size = float(value(name))
        return f"{int(size):,}" if size.is_integer() else number(size)

    def entry(name: str, label: str, unit: str = "", hidden: bool = False) -> Html:
        control = tag(
            "input",
            id=f"ask-{name}",
            name=name,
            value=number_of(name),
            type="text",
            inputmode="decimal",
            autocomplete="off",
            spellcheck="false",
        )
        return _field(name, label, control, unit, hidden=hidden)

    def choice(name: str, label: str, *options: tuple[str, str], chosen: str = "") -> Html:
        return _field(
            name,
            label,
            tag(
                "select",
                *(
                    tag("option", title, value=id_, selected=id_ == chosen)
                    for id_, title in options
                ),
                id=f"ask-{name}",
                name=name,
            ),
        )

    by_samples = value("data") == "samples"
    gpu = stated["gpu"]
    return tag(
        "form",
        choice("model", "Model", (value("model"), title_of(context, "models", value("model")))),
        _methods(value("method")),
        tag(
            "div",
            entry("samples", "Samples", hidden=not by_samples),
            entry("tokens", "Tokens", "millions", hidden=by_samples),
            choice(
                "data",
                "Counted in",
                ("samples", "samples"),
                ("tokens", "tokens"),
                chosen=value("data"),
            ),
            entry("sequence", "Length", "tokens"),
            entry("epochs", "Epochs"),
            class_="row data",
        ),
        tag(
            "div",
            choice("gpu", "Accelerator", (gpu, title_of(context, "hardware", gpu))),
            entry("gpus", "Count"),
            class_="row hardware",
        ),
        _layout(plan, found, entry, choice),
        tag(
            "p",
            tag("button", "Copy the link", type="button", data_do="copy"),
            tag("button", "Start again", type="button", data_do="reset", disabled=True),
            class_="buttons",
        ),
        tag("p", role="status", class_="sr"),
        tag("div", role="alert", data_faults=True),
        class_="ask",
        data_question=True,
        novalidate=True,
        aria_label="Your question",
    )


def _field(name: str, label: str, control: Html, unit: str = "", *, hidden: bool = False) -> Html:
    return tag(
        "div",
        tag(
            "label",
            label,
            tag("span", f" {unit}", class_="unit") if unit else None,
            for_=f"ask-{name}",
        ),
        control,
        class_="field",
        data_field=name,
        hidden=hidden,
    )


def _methods(chosen: str) -> Html:
    return tag(
        "fieldset",
        tag("legend", "Method"),
        tag(
            "div",
            *(
                tag(
                    "label",
                    tag("input", type="radio", name="method", value=name, checked=name == chosen),
                    tag("span", title),
                )
                for name, title in METHOD_TITLES.items()
            ),
            class_="segments",
        ),
        class_="field",
        data_field="method",
    )


def _layout(plan: Plan, found: Answered, entry: Entry, choice: Choice) -> Html:
    """What is usually left to be found: it is told, and can be fixed."""
    auto = (AUTO, AUTO)
    titles = {
        "stage": "ZeRO stage",
        "tensor": "Tensor parallel",
        "pipeline": "Pipeline stages",
        "micro_batch": "Micro-batch",
        "checkpointing": "Checkpointing",
        "trainer": "Trainer",
    }
    words = {name: map(str, each) for name, each in {**AXES, "trainer": TRAINERS}.items()}
    return tag(
        "details",
        tag("summary", "Layout: ", tag("span", layout_text(found), data_layout=True)),
        tag(
            "p",
            "Found for you: the fastest layout that fits, as ",
            tag("code", "scalesheet choose"),
            " finds it. Fix what you know.",
            class_="note",
        ),
        tag(
            "div",
            entry("batch", "Batch", "sequences"),
            entry("rank", "Rank of LoRA"),
            *(
                choice(name, title, auto, *((word, word) for word in words[name]), chosen=AUTO)
                for name, title in titles.items()
            ),
            class_="row layout",
        ),
        class_="layout",
    )


def layout_text(found: Answered) -> str:
    """`ZeRO 3, micro-batch 4, checkpointing`."""
    stage, tensor, pipeline, micro, checkpointing = (
        found.results.scalars[name].value for name in LAYOUT
    )

    def told(value: object) -> str:
        return number(value) if isinstance(value, float) else str(value)

    parts = [
        f"ZeRO {told(stage)}" if stage else "",
        f"tensor {told(tensor)}" if tensor != 1 else "",
        f"pipeline {told(pipeline)}" if pipeline != 1 else "",
        f"micro-batch {told(micro)}",
        "checkpointing" if checkpointing == "full" else "no checkpointing",
    ]
    return ", ".join(part for part in parts if part)


# ------------------------------------------------------------------ the script's data


def question_script(book: Book, plan: Plan, stated: Mapping[str, str]) -> str:
    """The part of the plan that the page computes, and the case that it begins with."""
    also = [Key(column, table) for table, column in COLUMNS]
    conditions = plan.tables[CONDITIONS]
    also += [Key(SAYS, CONDITIONS, row) for row in conditions.rows]
    own_book, own_plan = part(book, plan, FIGURES, also)
    names = {
        "plan": plan.id,
        "stated": dict(stated),
        "order": list(ORDER),
        "own": OWN,
        "layout": list(LAYOUT),
        "methods": METHOD_TITLES,
        "trainers": {method.plan: method.trainer for method in METHODS.values()},
        "pretraining": PRETRAINING,
        "terms": TERMS,
        "axes": AXES,
        "sold": _sold(book),
        "anchors": {
            name: scalar_anchor(plan, plan.scalars[name])
            for name in ("hours", "calendar_time", "cost", "verdict", "needed_memory")
        },
    }
    return "".join(
        (
            program(own_plan, own_book),
            shown(own_plan, own_book),
            f"scalesheet.question = {_text(names)};\n",
        )
    )


def _sold(book: Book) -> dict[str, object]:
    """By offer: how many a machine has and whether machines are joined; None for what is no price
    of a run."""
    columns = book.tables["offers"].columns
    found: dict[str, object] = {}
    for offer in book.tables["offers"].rows:
        said = columns["includes"].stated.get(offer)
        includes = str(said.value) if said is not None else ""
        per_node = columns["gpus"].stated[offer].value
        assert isinstance(per_node, float)
        found[offer] = None if ALONE in includes else together(int(per_node), includes)
    return found


def _text(value: object) -> str:
    """JSON that may stand in a script."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
