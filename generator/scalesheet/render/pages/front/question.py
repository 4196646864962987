"""The question of the front page: the data of its script, and the script's answer.

The case is in the front matter of the page, in the words of `scalesheet show --set`, with `gpu` for
the accelerator from any provider. `render/live/case.js` answers it, in the page and in the build;
it searches the open parts of the layout as `choose` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scalesheet.book import Book
from scalesheet.choose.conditions import HOLDS, SAYS
from scalesheet.choose.conditions import TABLE as CONDITIONS
from scalesheet.choose.evidence import NOT_LIKE, NOWHERE, SIZE_NAMES, UNUSUAL, Basis
from scalesheet.choose.offers import ALONE, together
from scalesheet.model import Key, Plan, Stated
from scalesheet.printers.javascript import javascript
from scalesheet.render.live import ASKING, script
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.places import address_of, homes
from scalesheet.render.pages.plan.live import shown
from scalesheet.render.script import program, shortened
from scalesheet.render.slicing import sliced
from scalesheet.units import Unit
from scalesheet.vocabulary import AXES, METHODS, PRETRAINING, TERMS, TUNING

#: The roles of the figures that the page reads; its script can compute these and the parts of
#: memory.
FIGURES = (
    "hours",
    "elapsed_hours",
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
    "utilisation",
    "energy",
)
MEMORY = "memory.total.value"
GIB = "GiB"  # the unit in which the field's tools show memory
#: Formulas of the catalogue that pages compute by themselves.
ALONE_COMPUTED = ("cost-of-tokens", "weight-bytes", "kv-cache-bytes", "chinchilla-loss-refitted")
#: Columns that the page shows in addition to those its figures depend on.
COLUMNS = (
    ("offers", "term"),
    ("offers", "price"),
    ("models", "family"),
    ("models", "max_sequence"),
    ("hardware", "kind"),
    ("hardware", "vendor"),
    ("hardware", "memory"),
    ("hardware", "dense_fp8"),
)


def answered(question: str) -> Mapping[str, Any]:
    """Run `form.js` on a question's script.

    Returns the trees `form`, `answer` and `beside`, and `case`, `lines` and `remedy` in words; or
    only the `problem` and its case.
    """
    result: Mapping[str, Any] = Engine(question, script(ASKING)).call("scalesheet.answered")
    return result


def question_script(
    book: Book, plan: Plan, stated: Mapping[str, str], basis: Basis | None = None
) -> str:
    """The part of the plan that the page computes, its first case, and the evidence for its
    answers."""
    also = [Key(column, table) for table, column in COLUMNS]
    conditions = plan.tables[CONDITIONS]
    also += [Key(name, CONDITIONS, row) for row in conditions.rows for name in (HOLDS, SAYS)]
    roles = {role: plan.roles[role] for role in FIGURES}
    figures = (*(scalar.name for scalar in roles.values()), MEMORY)
    own_book, own_plan = sliced(book, plan, figures, also)
    places = homes(plan)
    names = {
        "plan": plan.id,
        "roles": {role: scalar.name for role, scalar in roles.items()},
        "stated": dict(stated),
        "methods": {METHODS[n].plan: METHODS[n].title for n in (*TUNING, "pretrain")},
        "trainers": {method.plan: method.trainer for method in METHODS.values()},
        "pretraining": PRETRAINING,
        "tuning": [METHODS[n].plan for n in TUNING],
        "terms": TERMS,
        "axes": AXES,
        "sold": _sold(book),
        "seen": {offer: _seen(prices) for offer, prices in book.prices.items() if prices},
        "memory": {
            "factor": float(book.units.factor(_unit(plan, "usable_memory"), book.units.parse(GIB))),
            "symbol": GIB,
        },
        "tokens": _tokens(book, plan),
        "unseen": {offer: asdict(each) for offer, each in book.unseen.items()},
        "evidence": None if basis is None else _evidence(book, plan, basis),
        "anchors": {
            role: address_of(places, plan, Key(roles[role].name), "").replace(".md#", "#")
            for role in (
                *("hours", "calendar_time", "cost"),
                "verdict",
                "needed_memory",
                "utilisation",
            )
        },
    }
    return "".join(
        (
            shortened(program(own_plan, own_book)),
            shown(own_plan, own_book),
            f"scalesheet.question = {_text(names)};\n",
            f"scalesheet.question.formulas = {{{','.join(_formulas(book))}}};\n",
        )
    )


def _seen(prices: Sequence[Stated]) -> str:
    """The day on which the current price was last seen."""
    return prices[-1].seen or prices[-1].since


def _tokens(book: Book, plan: Plan) -> float:
    """The number of tokens in one of the plan's units of tokens."""
    return float(book.units.factor(_unit(plan, "trained_tokens"), book.units.parse("token")))


def _unit(plan: Plan, role: str) -> Unit:
    unit = plan.roles[role].unit
    assert unit is not None
    return unit


def _formulas(book: Book) -> Iterator[str]:
    """Yield catalogue formulas that pages compute by themselves, as functions of their inputs."""
    for id_ in ALONE_COMPUTED:
        if id_ in book.records:
            record = book.records[id_]
            usual = {
                each.name: {"value": each.stated.value}
                for each in record.inputs
                if each.stated is not None
            }
            yield (
                f"{id_.replace('-', '_')}: (given, rt = scalesheet.runtime) => "
                f"{{ const s = {{...{_text(usual)}, ...given}}; "
                f"return {javascript(record.formula.ends.value)}; }}"
            )


def _evidence(book: Book, plan: Plan, basis: Basis) -> dict[str, object]:
    """The evidence that any answer may need, by the plan's names of methods, with tokens in its
    unit."""
    counted = _tokens(book, plan)
    said = {name: method.plan for name, method in METHODS.items()}
    return {
        "families": dict(basis.families),
        "known": sorted({kind.family for kind in basis.like}),
        "sizes": dict(basis.sizes),
        "names": SIZE_NAMES,
        "like": {
            f"{said[kind.method]}|{kind.family}|{kind.size}": basis.words(kind)
            for kind in basis.like
        },
        "none": {"nowhere": NOWHERE, "kind": NOT_LIKE, "unusual": UNUSUAL},
        "runs": [
            {**asdict(run), "method": said[run.method], "tokens": run.tokens / counted}
            for run in basis.runs
        ],
        "knows": [
            f"{said[kind.method]}|{kind.family}|{kind.size}"
            for kind in basis.like
            if basis.knows(kind)
        ],
        "near": basis.said.near,
        "within": basis.said.same_tokens,
        "far": basis.said.far,
        "utilization": {said[name]: ends for name, ends in basis.utilization.items()},
    }


def _sold(book: Book) -> dict[str, object]:
    """For each offer, the GPUs per node and whether nodes are connected; None for a GPU without a
    host, whose price is not that of a run."""
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
    """JSON that is safe inside a script."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
