"""`scalesheet choose`: the cheapest configuration that meets a deadline, and what limits it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, as_of, folder, model_of, reading
from scalesheet.vocabulary import METHODS, TERMS, TRAINERS, TUNING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scalesheet.book import Book
    from scalesheet.choose.answer import Answer
    from scalesheet.choose.job import Job
    from scalesheet.model import Key, Plan, Stated
    from scalesheet.predict.cases.catalogue import Known
    from scalesheet.render.text.choice import Teller

#: Options whose defaults come from the plan.
TAKEN = ("tokens", "sequence", "batch", "deadline")
#: Formats of matrix products, with the plan's words for them.
PRODUCTS = {"16-bit": "16 bit", "fp8": "FP8"}
#: Inputs of the calculator that have an option of their own.
OPTIONS = {
    **{name: f"--{name}" for name in ("method", "tokens", "samples", "sequence", "batch")},
    **{name: f"--{name}" for name in ("deadline", "trainer", "precision")},
    "gpus": "--gpus-at-most",
    "offer": "--offers",
}
SUMMARY = "find the cheapest configuration that trains a model in time"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a model of the catalogue by id or name, or a config.json, or the folder with one",
    )
    parser.add_argument(
        "--method",
        type=_method,
        metavar="METHOD",
        help="training method: pretraining, full, lora or qlora (default: full, lora or qlora)",
    )
    parser.add_argument("--tokens", type=_count, metavar="N", help="tokens in all epochs: 15e9, 1B")
    parser.add_argument(
        "--samples", type=_count, metavar="N", help="sequences in all epochs, in place of tokens"
    )
    parser.add_argument("--sequence", type=_whole, metavar="N", help="sequence length in tokens")
    parser.add_argument("--batch", type=_whole, metavar="N", help="sequences per step")
    parser.add_argument(
        "--deadline",
        metavar="TIME",
        help='maximum wall-clock time: "3 days", "2 weeks", or until a day, 2027-03-19, counted '
        "from the day of the prices",
    )
    parser.add_argument(
        "--deadline-end",
        choices=("high", "expected"),
        default="high",
        help="hours that must meet the deadline: high end of the 80%% interval, or expected",
    )
    parser.add_argument(
        "--gpus-at-most",
        type=_whole,
        default=1024,
        metavar="N",
        help="maximum number of accelerators (default: 1024)",
    )
    parser.add_argument(
        "--term",
        choices=(*TERMS, "any"),
        default="on-demand",
        help="rental term (default: on-demand)",
    )
    parser.add_argument(
        "--offers",
        metavar="NAME,...",
        help="search only these offers, providers or accelerators, by id; a100 means every A100",
    )
    parser.add_argument(
        "--trainer",
        choices=TRAINERS,
        help="software for any model, or tuned for large runs (default: tuned for pretraining)",
    )
    parser.add_argument(
        "--precision",
        choices=PRODUCTS,
        default="16-bit",
        help="number format of matrix products (default: 16-bit)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="override an assumption of the plan calculator; may be repeated",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "csv"),
        default="text",
        help="output format (default: text)",
    )
    parser.add_argument(
        "--workbook",
        type=Path,
        metavar="FILE.xlsx",
        help="write the answer as a workbook whose cells compute it",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    teller, made = answered(options)
    write = {"text": teller.as_text, "json": teller.as_json, "csv": teller.as_csv}[options.format]
    print(write(made), end="")
    if made.best is None:
        return FINDINGS
    if options.workbook is not None:
        from scalesheet.render.workbook.choice import write_answer

        write_answer(teller.book, teller.plan, made.best.edits, options.workbook)
    return GOOD


def answered(options: argparse.Namespace) -> tuple[Teller, Answer]:
    """Return the answer and its printer. Raises UsageError if the options are impossible."""
    from scalesheet.choose.answer import NEEDED, answer
    from scalesheet.choose.evidence import basis
    from scalesheet.choose.job import PLAN, assumptions, lacking
    from scalesheet.choose.search import search
    from scalesheet.examine import sound_edition
    from scalesheet.predict.cases.catalogue import known
    from scalesheet.predict.configs import CONFIG, ENDING
    from scalesheet.render.text.choice import Teller

    data = folder(options.data)
    with reading():
        edition, _ = sound_edition(data, options.as_of, plans=(PLAN,))
    book = edition.book
    plan = book.plans.get(PLAN)
    if plan is None:
        raise UsageError(
            f"there is no plan '{PLAN}' in {data}, whose assumptions and cells choose uses"
        )
    if lacks := lacking(plan, NEEDED):
        raise UsageError(lacks)
    if (inside := Path(options.model, CONFIG)).is_file():
        options.model = str(inside)
    if options.model.endswith(ENDING):
        options.model, book = _by_config(options.model, book, data)
    catalogue = known(book)
    edits = _edits(book, plan, options.set)
    job = _job(options, book, plan, catalogue)
    assumed = assumptions(book, plan, edits)
    if not (assumed.throughput and assumed.runs and assumed.memory):
        raise UsageError("there are no fits yet; run 'scalesheet fit'")
    choice = search(book, catalogue, job, assumed)
    evidence = basis(book, edition.scores, catalogue.results)
    made = answer(book, plan, choice, edits, evidence)
    return Teller(book, plan, choice, edits, evidence), made


def _by_config(file: str, book: Book, data: Path) -> tuple[str, Book]:
    """The id of the model that a `config.json` describes, and the book with this model."""
    from scalesheet.predict.configs import with_models

    ids, wrong, made = with_models([file], book, data)
    if wrong:
        raise UsageError(wrong[file])
    return ids[file], made


# ------------------------------------------------------------------ the job


def _job(options: argparse.Namespace, book: Book, plan: Plan, catalogue: Known) -> Job:
    from scalesheet.choose.job import Job, stated_in, usual_batch
    from scalesheet.quantities import is_day

    def usual(name: str, unit: str) -> float:
        return stated_in(book, plan, name, unit)

    model = model_of(book, options.model)
    longest = catalogue.results.cell("models", model, "max_sequence").value
    most = longest if isinstance(longest, float) else float("inf")
    sequence = options.sequence or min(usual("sequence", "token / sequence"), most)
    tokens = options.tokens or usual("tokens", "token")
    if options.samples is not None:
        if options.tokens is not None:
            raise UsageError("use either --tokens or --samples")
        tokens = options.samples * sequence
    if sequence > most:
        raise UsageError(
            f"--sequence {sequence:.0f}: {model} supports sequences of at most {most:.0f} tokens"
        )
    deadline = usual("deadline", "hour")
    if options.deadline is not None:
        deadline = _hours(options.deadline, book)
    return Job(
        model=model,
        methods=(options.method,) if options.method else TUNING,
        tokens=tokens,
        sequence=sequence,
        batch=options.batch
        or (
            usual_batch(book, plan, model, tokens, sequence)
            if options.method == "pretrain"
            else usual("batch", "sequence / step")
        ),
        deadline=deadline,
        until=(options.deadline or "").strip() if is_day(options.deadline or "") else "",
        certain=options.deadline_end == "high",
        most_gpus=options.gpus_at_most,
        terms=tuple(TERMS) if options.term == "any" else (options.term,),
        offers=_offers(options.offers, book, catalogue),
        trainer=options.trainer or "",
        precision=PRODUCTS[options.precision],
        taken=frozenset(name for name in TAKEN if getattr(options, name) is None)
        - ({"tokens"} if options.samples is not None else set()),
    )


def _offers(text: str | None, book: Book, catalogue: Known) -> tuple[str, ...]:
    """The offers in a list of ids, providers and accelerators.

    Any other name, such as `a100`, means every accelerator with these words.
    """
    if text is None:
        return ()
    rows = catalogue.results.rows["offers"]
    columns = catalogue.results.tables["offers"]
    names: dict[str, set[str]] = {}
    for place, row in enumerate(rows):
        for name in (row, columns["provider"].value[place], columns["accelerator"].value[place]):
            names.setdefault(str(name).lower(), set()).add(row)
    meant: set[str] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        meant |= names.get(part.lower()) or _family(part, names, catalogue)
    if not meant:
        raise UsageError("--offers names nothing; leave it out for all offers")
    return tuple(row for row in rows if row in meant)


def _family(name: str, sold: Mapping[str, set[str]], catalogue: Known) -> set[str]:
    """The offers of all accelerators that match a name. Raises UsageError if there are none."""
    from scalesheet.nearest import nearest
    from scalesheet.predict.cases.aliases import family

    rows = family(name, catalogue.hardware)
    if offers := {offer for row in rows for offer in sold.get(row, ())}:
        return offers
    if rows:
        raise UsageError(f"--offers: the catalogue has no offer of {', '.join(rows)}")
    raise UsageError(
        f"--offers: '{name}' is not an offer, provider or accelerator that is sold"
        f"{nearest(name.lower(), sold) or '; write an id, or a family such as a100'}"
    )


def _edits(book: Book, plan: Plan, texts: list[str]) -> Mapping[Key, Stated]:
    from scalesheet.choose.job import ASSUMED
    from scalesheet.evaluate.edits import EditError, read_edit
    from scalesheet.nearest import nearest

    edits = {}
    for edit in texts:
        name = edit.partition("=")[0].strip()
        if name in OPTIONS:
            value = edit.partition("=")[2].strip()
            raise UsageError(f"--set {edit}: use {OPTIONS[name]} {value} instead")
        if name not in ASSUMED:
            raise UsageError(
                f"--set {edit}: '{name}' is not an assumption{nearest(name, ASSUMED)} "
                f"(assumptions: {', '.join(ASSUMED)})"
            )
        try:
            key, stated = read_edit(book, plan, edit)
        except EditError as error:
            raise UsageError(f"--set {edit}: {error}") from None
        edits[key] = stated
    return edits


# ------------------------------------------------------------------ numbers


def _hours(text: str, book: Book) -> float:
    """Hours in `3 day`, `36 h`, `2.5 weeks`; and from the day of the prices to a day."""
    from scalesheet.quantities import day_as_written, day_number, is_day, quantity, says_more

    said, until = f"--deadline '{text}'", day_as_written(text) or (text,) * is_day(text)
    if len(until) > 1 or (until and until[0] != text):
        raise UsageError(f"{said}: write {' or '.join(until)}")
    try:
        if until:
            hours = 24 * (day_number(text) - day_number(book.as_of.isoformat()))
            if hours <= 0:
                raise UsageError(f"{said}: expected a day after that of the prices, {book.as_of}")
            return hours
        hours = quantity(text.lower(), book.units.parse("hour"), book.units)
    except ValueError:
        hours = 0
    if hours <= 0 or not says_more(text):
        raise UsageError(
            f"{said}: expected a time such as '3 days', '36 hours' or '2 weeks', or a day such as "
            "2027-03-19"
        )
    return hours


def _method(text: str) -> str:
    """A method by its name here, in plans or in published runs."""
    from scalesheet.nearest import nearest

    names = {
        name.lower(): key for key, each in METHODS.items() for name in (each.case, each.plan, key)
    }
    if text.lower() not in names:
        known = [METHODS["pretrain"].plan, *TUNING]
        near = nearest(text.lower(), known) or f"; expected one of {', '.join(known)}"
        raise argparse.ArgumentTypeError(f"'{text}' is not a method{near}")
    return names[text.lower()]


def _number(text: str) -> float | None:
    from scalesheet.predict.cases.reader import spelled_out

    return spelled_out(text)


def _count(text: str) -> float:
    number = _number(text)
    if number is None or number <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0; write 15e9 or 1B")
    return number


def _whole(text: str) -> float:
    number = _count(text)
    if number != int(number):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return number
