"""The question of the front page: what its script must know, and what the script makes of it.

The case stands in the front matter of the page, in the words of `scalesheet show --set`, and `gpu`
for the accelerator whoever sells it. `render/live/case.js` answers it, in the page and in the
build; what it leaves open of the layout is found as `choose` finds it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scalesheet.book import Book
from scalesheet.choose.conditions import SAYS
from scalesheet.choose.conditions import TABLE as CONDITIONS
from scalesheet.choose.offers import ALONE, together
from scalesheet.model import Key, Plan
from scalesheet.render.live import ASKING, script
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.places import scalar_anchor
from scalesheet.render.pages.plan.live import shown
from scalesheet.render.script import program
from scalesheet.render.slicing import sliced
from scalesheet.vocabulary import AXES, METHODS, PRETRAINING, TERMS, TUNING

#: The roles of the figures that the page reads: with the parts of the memory, all that its script
#: can compute.
FIGURES = (
    "hours",
    "calendar_time",
    "cost",
    "verdict",
    "needed_memory",
    "most_memory",
    "usable_memory",
    "trained_tokens",
    "run_hours",
    "gross_gpu_hours",
    "broken",
    "usual_batch",
)
MEMORY = "memory.total.bytes"
#: Columns that it shows besides what figures rest on.
COLUMNS = (
    ("offers", "term"),
    ("offers", "price"),
    ("models", "family"),
    ("models", "max_sequence"),
    ("hardware", "kind"),
)


def answered(question: str) -> Mapping[str, Any]:
    """What `form.js` makes of a question's script: trees `form`, `answer` and `beside`; `case`,
    `lines` and `remedy` in words; or the `problem` with its case alone."""
    result: Mapping[str, Any] = Engine(question, script(ASKING)).call("scalesheet.answered")
    return result


def question_script(book: Book, plan: Plan, stated: Mapping[str, str]) -> str:
    """The part of the plan that the page computes, and the case that it begins with."""
    also = [Key(column, table) for table, column in COLUMNS]
    conditions = plan.tables[CONDITIONS]
    also += [Key(SAYS, CONDITIONS, row) for row in conditions.rows]
    roles = {role: plan.roles[role] for role in FIGURES}
    figures = (*(scalar.name for scalar in roles.values()), MEMORY)
    own_book, own_plan = sliced(book, plan, figures, also)
    names = {
        "plan": plan.id,
        "roles": {role: scalar.name for role, scalar in roles.items()},
        "stated": dict(stated),
        "methods": {METHODS[n].plan: METHODS[n].title for n in (*TUNING, "pretrain")},
        "trainers": {method.plan: method.trainer for method in METHODS.values()},
        "pretraining": PRETRAINING,
        "terms": TERMS,
        "axes": AXES,
        "sold": _sold(book),
        "anchors": {
            role: scalar_anchor(plan, roles[role])
            for role in ("hours", "calendar_time", "cost", "verdict", "needed_memory")
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
    result: dict[str, object] = {}
    for offer in book.tables["offers"].rows:
        text = columns["includes"].stated.get(offer)
        includes = str(text.value) if text is not None else ""
        per_node = columns["gpus"].stated[offer].value
        assert isinstance(per_node, float)
        result[offer] = None if ALONE in includes else together(int(per_node), includes)
    return result


def _text(value: object) -> str:
    """JSON that may stand in a script."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
