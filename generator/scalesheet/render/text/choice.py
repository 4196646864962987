"""The answer of `choose` as text, JSON or CSV: the best, then limits, alternatives and
assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.answer import (
    BLOCKED,
    DECIDED,
    FIGURES,
    IN,
    MICRO_BATCHES,
    OF_MEMORY,
    PREFERRED,
    Answer,
    Row,
)
from scalesheet.choose.binding import Limit, Miss, Relaxed
from scalesheet.choose.evidence import Basis, Kind, Run
from scalesheet.choose.job import ASSUMED
from scalesheet.choose.odds import Odds, odds
from scalesheet.choose.search import Search
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Scalar, Stated
from scalesheet.numbers import format_of, text
from scalesheet.predict.fits import coefficients
from scalesheet.render.api.text import as_json, csv_text
from scalesheet.render.api.values import value_json
from scalesheet.render.text.plan import aligned
from scalesheet.sure.words import chance
from scalesheet.values import Value
from scalesheet.vocabulary import METHODS, OFFLOADS, TUNING, counted, gpu_hours

GIB = 2.0**30
ODDS = (
    "cheapest: the probability of being the cheapest; regret: the average extra cost over the "
    "cheapest. Errors are shared within one accelerator and method, and independent otherwise."
)
UNASKED = "in FP8: an answer only with --precision fp8, since it may change what is learnt."
_CHECKPOINTING = {"none": "no checkpointing", "full": "checkpointing"}


@dataclass(frozen=True)
class Teller:
    """Prints an answer."""

    book: Book
    plan: Plan
    search: Search
    edits: Mapping[Key, Stated]
    basis: Basis | None = None

    # ------------------------------------------------------------------ words

    def shown(self, scalar: Scalar, value: Value) -> str:
        """Print a value as all outputs do."""
        symbol = self.book.units.symbol(scalar.unit) if scalar.unit is not None else ""
        return text(value, format_of(scalar, [value], self.book.units), symbol)

    def plain(self, role: str, row: Row) -> str:
        """Print only the expected value."""
        value, number = row[role], row[role].value
        expected = Value.number(number) if isinstance(number, float) else value
        return self.shown(self.plan.roles[role], expected)

    def where(self, row: Row) -> str:
        """`4 x NVIDIA A100 SXM4 80 GB, Lambda 8x A100 SXM, on demand`, with each name once."""
        search = self.search
        offer = int(search.of[row.row])
        gpus = int(search.grid.gpus[search.at[row.row]])
        hardware = self.book.tables["hardware"]
        place = hardware.rows.index(search.offers.accelerators[offer])
        per_node = int(search.offers.per_node[offer])
        whole = f" (the whole node of {per_node} is paid for)" if gpus < per_node else ""
        unseen = self.book.unseen.get(search.offers.ids[offer])
        age = f", price {unseen.said}" if unseen is not None else ""
        accelerator = hardware.row_titles[place]
        offered = _without(accelerator, search.offers.titles[offer])
        return f"{gpus} x {accelerator}, {offered}{whole}{age}"

    def layout(self, row: Row) -> str:
        """`ZeRO 3, micro-batch 4, accumulation 2, checkpointing`."""
        made, at = self.search.grid, self.search.at[row.row]
        parts = [f"ZeRO {made.stage[at]:.0f}"] if made.stage[at] else []
        parts += [f"tensor {made.tensor[at]:.0f}"] if made.tensor[at] > 1 else []
        parts += [f"pipeline {made.pipeline[at]:.0f}"] if made.pipeline[at] > 1 else []
        parts += [f"experts {made.experts[at]:.0f}"] if made.experts[at] > 1 else []
        parts += [f"context {made.context[at]:.0f}"] if made.context[at] > 1 else []
        several = row[MICRO_BATCHES].value
        assert isinstance(several, float)
        parts += [f"micro-batch {made.micro_batch[at]:.0f}", f"accumulation {several:.0f}"]
        parts += [_CHECKPOINTING[str(made.checkpointing[at])]]
        away = str(made.offload[at])
        parts += [f"{away} in host memory"] if away != OFFLOADS[0] else []
        return ", ".join(parts)

    def method(self, row: Row) -> str:
        return METHODS[str(self.search.grid.method[self.search.at[row.row]])].plan

    def differences(self, row: Row, than: Row) -> str:
        """Describe how a row differs from another."""
        search, made = self.search, self.search.grid
        at, of = search.at[row.row], search.at[than.row]
        parts = []
        if self.method(row) != self.method(than):
            parts.append(f"with {self.method(row)}")
        if search.of[row.row] != search.of[than.row]:
            parts.append(f"at {search.offers.titles[search.of[row.row]]}")
        if made.gpus[at] != made.gpus[of]:
            number = counted(int(made.gpus[at]), "accelerator")
            parts.append(f"on {number} instead of {made.gpus[of]:,.0f}")
        if made.checkpointing[at] != made.checkpointing[of]:
            parts.append(
                "without checkpointing"
                if made.checkpointing[at] == "none"
                else "with checkpointing"
            )
        if made.offload[at] != made.offload[of]:
            away = str(made.offload[at])
            parts.append(f"with {'nothing' if away == OFFLOADS[0] else away} in host memory")
        for name, values in (
            ("ZeRO stage", made.stage),
            ("tensor degree", made.tensor),
            ("pipeline degree", made.pipeline),
            ("expert degree", made.experts),
            ("context degree", made.context),
            ("micro-batches of", made.micro_batch),
        ):
            if values[at] != values[of]:
                parts.append(f"{name} {values[at]:.0f} instead of {values[of]:.0f}")
        return ", ".join(parts)

    # ------------------------------------------------------------------ limits

    def bound(self, loose: Relaxed, row: Row, best: Row) -> str:
        """Describe what the next looser limit would give."""
        cost = self.plain("cost", row)
        saves = f"it would cost {loose.saving:.0%} less ({cost})"
        over = self._over(loose.limit, row)
        if loose.limit == "deadline":
            over += f"; the answer takes {_time(self._hours(best))}"
        return f"{self.differences(row, best)}, {saves}, but {over}"

    def _over(self, limit: Limit, row: Row) -> str:
        """Describe how far a row exceeds a limit."""
        search, at = self.search, self.search.at[row.row]
        if limit == "deadline":
            end = "up to " if search.job.certain else ""
            late, most = _time(search.late[row.row]), _time(search.job.deadline)
            return f"take {end}{late}, with a deadline of {most}"
        if limit == "memory":
            most, usable = search.most[at] / GIB, search.usable[at] / GIB
            return f"need up to {most:.0f} of {usable:.0f} GiB of memory"
        most = counted(int(search.job.most_gpus), "accelerator")
        return f"need {search.grid.gpus[at]:,.0f} of at most {most}"

    def _hours(self, row: Row) -> float:
        return float(self.search.late[row.row])

    def missed(self, miss: Miss, row: Row) -> str:
        return " and ".join(f"{self._over(limit, row)}" for limit in miss.limits)

    # ------------------------------------------------------------------ text

    def job(self) -> str:
        job = self.search.job
        models = self.book.tables["models"]
        title = models.row_titles[models.rows.index(job.model)]
        methods = " or ".join(METHODS[name].plan for name in job.methods)
        return (
            f"{title}, {methods}: {_count(job.tokens)} tokens in all epochs, in sequences of "
            f"{job.sequence:,.0f}, {job.batch:,.0f} in a step, within {_time(job.deadline)}"
        )

    def as_text(self, answer: Answer) -> str:
        """The answer for a terminal."""
        book = self.book
        lines = [
            self.job(),
            f"edition {book.edition.isoformat()}, prices of {book.as_of.isoformat()}; "
            f"{len(self.search.at):,} candidates",
            "",
        ]
        if answer.best is None:
            return "\n".join([*lines, *self._nothing(answer)]) + "\n"
        best = answer.best
        warning = self.warning(best)
        lines += [warning, ""] if warning else []
        first = "Preferred" if best.why == PREFERRED else "The cheapest that fits"
        lines += [f"{first}: {self.method(best)} on {self.where(best)}"]
        lines += [f"  {self.layout(best)}", *self._preferred(answer), ""]
        lines += _indented(
            [
                (scalar.title, self.shown(scalar, best[role]))
                for role in FIGURES
                for scalar in (self.plan.roles[role],)
            ]
        )
        if self.basis is not None:
            lines += ["", "Evidence", f"  {self.evidence(best)}", *self._published()]
        lines += ["", "What binds", *self._binding(answer)]
        lines += self._methods(answer)
        if answer.others:
            lines += ["", "Alternatives", *self._table((best, *answer.others))]
            unasked = any(each.why.startswith(IN) for each in answer.others)
            lines += ["", f"  {ODDS}", *([f"  {UNASKED}"] if unasked else [])]
        return "\n".join([*lines, "", "Assumptions", *self._assumed()]) + "\n"

    def _preferred(self, answer: Answer) -> Iterator[str]:
        """Say why the best is not the cheapest."""
        best = answer.best
        if best is None or best.why != PREFERRED or self.basis is None:
            return
        cheaper = answer.others[0]
        saves = 1 - float(self.search.cost[cheaper.row] / self.search.cost[best.row])
        yield f"  {self.where(cheaper)} would save {saves:.0%}, but less is known about it:"
        away = str(self.search.grid.offload[self.search.at[cheaper.row]])
        why = self.evidence(cheaper)
        if away != OFFLOADS[0]:
            why = f"no published result has {away} in host memory"
        yield f"  {why}."
        near = self.basis.said.near
        more = f"at most {near - 1:.0%} more"
        yield f"  A configuration with similar published results is preferred if it costs {more}."

    # ------------------------------------------------------------------ evidence

    def kind(self, row: Row) -> Kind:
        """The kind of published results that a row is compared with."""
        assert self.basis is not None
        method = str(self.search.grid.method[self.search.at[row.row]])
        accelerator = self.search.offers.accelerators[self.search.of[row.row]]
        size = self.basis.sizes[self.search.job.model]
        return Kind(method, self.basis.families[accelerator], size)

    def evidence(self, row: Row) -> str:
        """`12 published runs like this, typical error 15 %`."""
        return "" if self.basis is None else self.basis.words(self.kind(row))

    def warning(self, row: Row) -> str:
        """A warning if the utilization is far outside the published range, else empty."""
        share = row["utilisation"].value
        if self.basis is None or not isinstance(share, float):
            return ""
        return self.basis.unusual(self.kind(row).method, share)

    def published(self) -> list[Run]:
        """The published runs of the same job."""
        job = self.search.job
        if self.basis is None:
            return []
        return [run for name in job.methods for run in self.basis.same(name, job.model, job.tokens)]

    def _published(self) -> Iterator[str]:
        for run in self.published():
            yield f"  Published: {run.title} took {gpu_hours(run.gpu_hours)} on {run.on}"

    def _nothing(self, answer: Answer) -> Iterator[str]:
        yield "Nothing fits."
        if not answer.nearest:
            yield "  " + self.no_candidates()
        for miss, row in answer.nearest:
            yield f"  {' and '.join(miss.limits)}: {self.method(row)} on {self.where(row)},"
            yield f"    {self.layout(row)}, would {self.missed(miss, row)}"

    def no_candidates(self) -> str:
        """Say why there is nothing to choose from."""
        search = self.search
        if not len(search.offers):
            sold = self.book.tables["offers"].columns["term"].stated
            named = {str(sold[each].value) for each in search.job.offers} - {*search.job.terms}
            way = f"use --term {min(named)}" if len(named) == 1 else "see --term and --offers"
            return f"no offer of this term has a price in force; {way}"
        if not len(search.grid):
            return f"no layout can run: {'; '.join(search.why_not)}; see --batch and --gpus-at-most"
        return f"no candidate can be predicted: {'; '.join(search.why_not)}"

    def _binding(self, answer: Answer) -> Iterator[str]:
        assert answer.best is not None
        for loose, row in answer.binding:
            yield f"  {loose.limit}: {self.bound(loose, row, answer.best)}"
        if not answer.binding:
            yield "  nothing: more time, memory or accelerators would not save 2 %"

    def _methods(self, answer: Answer) -> list[str]:
        """The cheapest row of each method, if there are several.

        Methods are alternatives that price alone does not decide between.
        """
        by_name = {method.plan: method for method in METHODS.values()}
        rows = [row for row in (answer.best, *answer.others) if row is not None]
        cheapest = {by_name[self.method(row)]: row for row in reversed(rows) if row.of_its_method}
        if len(cheapest) < 2:
            return []
        known = [method for method in by_name.values() if method in cheapest]
        cells = [
            (
                method.plan,
                self.plain("cost", cheapest[method]),
                self.plain("hours", cheapest[method]),
                method.good_for,
            )
            for method in known
        ]
        lines = aligned(cells, numbers=frozenset({1, 2}))
        return ["", "Methods, each at its cheapest; they do not train the same parameters", *lines]

    def _table(self, rows: Sequence[Row]) -> list[str]:
        heads = ("", "cost", "cheapest", "regret", "hours", "accelerators and offer", "method")
        cells = [(*heads, "layout")]
        for row, likely in zip(rows, self.odds(rows), strict=True):
            cost, hours = (self.plain(role, row) for role in ("cost", "hours"))
            cells.append(
                (
                    row.why,
                    cost,
                    "" if likely is None else chance(likely.chance),
                    "" if likely is None else self._money(likely.regret),
                    hours.removesuffix(" h"),
                    self.where(row),
                    self.method(row),
                    self.layout(row),
                )
            )
        return aligned(cells, numbers=frozenset({1, 2, 3, 4}))

    def odds(self, rows: Sequence[Row]) -> tuple[Odds | None, ...]:
        """Each row's chance of being the cheapest of these, and its regret; None for a row in a
        precision that was not asked for, and without a cost.
        """
        accelerators = self.book.tables["offers"].columns["accelerator"].stated

        def name(row: Row) -> str:
            offer = str(row.results.scalars["offer"].value)
            return f"{accelerators[offer].value} {self.method(row)}"

        asked = [not row.why.startswith(IN) for row in rows]
        none = Value(reason="in another precision")
        costs = [row["cost"] if each else none for row, each in zip(rows, asked, strict=True)]
        return odds([(name(row), cost) for row, cost in zip(rows, costs, strict=True)])

    def _money(self, amount: float) -> str:
        return self.shown(self.plan.roles["cost"], Value.number(amount))

    def _assumed(self) -> Iterator[str]:
        search, plan = self.search, self.plan
        job = search.job
        given = {
            "tokens": f"{_count(job.tokens)} tokens in all epochs",
            "sequence": f"{job.sequence:,.0f} tokens in a sequence",
            "batch": f"{job.batch:,.0f} sequences per step",
            "deadline": f"a deadline of {_time(job.deadline)}",
        }
        taken = ", ".join(words for name, words in given.items() if name in job.taken)
        if taken:
            yield f"  not given, calculator defaults: {taken}"
        trainers = dict.fromkeys(job.trainer_of(method) for method in job.methods)
        products = "16-bit" if job.precision == "16 bit" else job.precision
        yield f"  {products} training with Adam, kernels of a {' or a '.join(trainers)} trainer"
        yield "  memory: the upper limit (99 %) has to fit"
        if job.until:
            yield f"  deadline: until {job.until}, from {self.book.as_of}, the day of the prices"
        if job.certain:
            yield "  deadline: met by the high end of the 80 % range of the hours"
        else:
            yield "  deadline: met by the expected hours"
        yield "  whole nodes, paid for from start-up to the end; storage and traffic not included"
        if "pretrain" in job.methods:
            share = np.exp(-coefficients(self.book, "runs")["gross"])
            yield f"  pretraining: progress in {share:.0%} of the time, as in published hours"
        idle = {
            "tuning_goodput": {"pretrain"},
            "rank": {"pretrain", "full"},
            "download_rate": {"pretrain"},
            **{name: set(TUNING) for name in ("layers_per_chunk", "bubble_goal")},
        }
        for name in ASSUMED:
            if set(job.methods) <= idle.get(name, set()):
                continue
            if name.startswith("interruption") and "spot" not in job.terms:
                continue
            scalar = plan.scalars[name]
            yield f"  {scalar.title}: {self.shown(scalar, self._assumption(name))}"

    def _assumption(self, name: str) -> Value:
        stated = self.edits.get(Key(name)) or self.plan.scalars[name].stated
        assert stated is not None
        assert isinstance(stated.value, float)
        return Value.number(stated.value, stated.low, stated.high)

    # ------------------------------------------------------------------ for programs

    def as_json(self, answer: Answer) -> str:
        """One object; every figure has a value, a range and a unit."""
        best = answer.best
        job = self.search.job
        data = {
            "job": {
                "model": job.model,
                "methods": list(job.methods),
                "tokens": job.tokens,
                "sequence": job.sequence,
                "batch": job.batch,
                "deadline_hours": job.deadline,
                "gpus_at_most": job.most_gpus,
                "terms": list(job.terms),
                "assumed": sorted(job.taken),
            },
            "edition": self.book.edition.isoformat(),
            "as_of": self.book.as_of.isoformat(),
            "candidates": len(self.search.at),
            "best": None if best is None else self._object(best),
            "binding": [
                {
                    "limit": loose.limit,
                    "saving": loose.saving,
                    "says": self.bound(loose, row, best),
                    "row": self._object(row),
                }
                for loose, row in answer.binding
                if best is not None
            ],
            "evidence": None if best is None or self.basis is None else self._evidence(best),
            "published": [asdict(run) for run in self.published()],
            "others": [self._object(row) for row in answer.others],
            "odds": [
                None if each is None else asdict(each)
                for each in (self.odds((best, *answer.others)) if best is not None else ())
            ],
            "nearest": [
                {
                    "limits": list(miss.limits),
                    "says": self.missed(miss, row),
                    "row": self._object(row),
                }
                for miss, row in answer.nearest
            ],
        }
        return as_json(data)

    def _evidence(self, row: Row) -> dict[str, Any]:
        """The published results like a row, in words and figures."""
        assert self.basis is not None
        like = self.basis.like.get(self.kind(row))
        return {
            "says": self.evidence(row),
            "warning": self.warning(row) or None,
            "of": None if like is None else like.task,
            "rows": 0 if like is None else like.rows,
            "typical_error": None if like is None else like.error - 1,
        }

    def _object(self, row: Row) -> dict[str, Any]:
        """A row. If it does not fit, it has a reason instead of hours and cost."""
        data = {name: self.plan.scalars[name] for name in DECIDED}
        data |= {role: self.plan.roles[role] for role in FIGURES}
        verdict = str(row["verdict"].value)
        blocked = set(FIGURES) - set(OF_MEMORY) if verdict in BLOCKED else set()
        values = row.results.scalars
        return {"why": row.why} | {
            key: value_json(
                Value(reason=verdict) if key in blocked else values[scalar.name], scalar
            )
            for key, scalar in data.items()
        }

    def as_csv(self, answer: Answer) -> str:
        """A line for each row of the text, best first."""
        heads = ["why", *DECIDED]
        for name in FIGURES:
            heads += [name, f"{name}_low", f"{name}_high", f"{name}_unit"]
        rows = [answer.best] if answer.best is not None else []
        lines = [self._line(row) for row in (*rows, *answer.others)]
        return csv_text(heads, lines)

    def _line(self, row: Row) -> list[object]:
        line: list[object] = [row.why, *(row.results.scalars[name].value for name in DECIDED)]
        for role in FIGURES:
            value, unit = row[role], self.plan.roles[role].unit
            line += [value.value, value.low, value.high, "" if unit is None else str(unit)]
        return line


def _indented(rows: Sequence[tuple[str, str]]) -> list[str]:
    return aligned(rows, numbers=frozenset())


def _without(accelerator: str, offer: str) -> str:
    """The title of an offer without a part that only names its accelerator: `Vast.ai, median offer`
    for `Vast.ai, A100 SXM 40 GB, median offer`.
    """
    words = accelerator.casefold().split()

    def names_it(part: str) -> bool:
        return all(any(of.startswith(w) for of in words) for w in part.casefold().split())

    first, *parts = offer.split(", ")
    return ", ".join((first, *(part for part in parts if not names_it(part))))


def _time(hours: float) -> str:
    """Days from 48 hours on, minutes below an hour, else hours."""
    if hours >= 48:
        return f"{hours / 24:,.3g} days"
    minutes = f"{hours * 60:.2g}"
    return f"{hours:.3g} h" if hours >= 1 else f"{minutes} minute{'s' * (minutes != '1')}"


def _count(number: float) -> str:
    """A count with the letter of its magnitude: 1.5B."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if number >= size:
            return f"{number / size:,.6g}{letter}"
    return f"{number:,.0f}"
