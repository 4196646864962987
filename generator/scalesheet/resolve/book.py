"""The main program of `resolve`: the ground for plans, each plan on top of it, and the Book."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from scalesheet.addresses import addresses, same_addresses
from scalesheet.book import Book
from scalesheet.claims import Audit
from scalesheet.diagnostics import Diagnostic, at, errors
from scalesheet.frozen import dataclass
from scalesheet.kept import Place
from scalesheet.language.syntax import Node, Scalar
from scalesheet.load import PLAN_KINDS, Document, audited, flag
from scalesheet.model import Component, Formula, Key, Plan, Record, Stated
from scalesheet.model import Scalar as ModelScalar
from scalesheet.nearest import nearest
from scalesheet.resolve.binding.bind import infer
from scalesheet.resolve.binding.conversion import convert
from scalesheet.resolve.binding.scope import BindError, Scope, Typed
from scalesheet.resolve.claims import audits_of
from scalesheet.resolve.claims.changed import moved_on as moved_on_since
from scalesheet.resolve.compile import Compiled, compile_space, scalar, table
from scalesheet.resolve.drafts import Draft, DraftComponent, DraftPlan, DraftRecord, Space
from scalesheet.resolve.lowering.actuals import actuals_of, with_forecast
from scalesheet.resolve.lowering.cases import alone
from scalesheet.resolve.lowering.catalogue import records_of, sources_of, tables_of, units_of
from scalesheet.resolve.lowering.charts import charts_of
from scalesheet.resolve.lowering.components import components_of, examples_of, is_open
from scalesheet.resolve.lowering.likelihood import groups_of
from scalesheet.resolve.lowering.plans import plan_of
from scalesheet.resolve.lowering.published import (
    evidence_of,
    expected_of,
    expected_own_of,
    fits_of,
    peers_of,
    publications_of,
)
from scalesheet.resolve.lowering.subpages import audited_at, pages_of
from scalesheet.resolve.lowering.values import Lowering, forget_files
from scalesheet.resolve.lowering.versions import history_of
from scalesheet.resolve.plausibility.prices import (
    age_findings,
    limits_of,
    offers_of,
    old_prices,
    price_findings,
    unseen_prices,
)
from scalesheet.resolve.proving.facts import Facts, of_domain
from scalesheet.resolve.proving.integers import WHOLE
from scalesheet.resolve.proving.ranges import split
from scalesheet.resolve.reasons import settle
from scalesheet.resolve.uses import tables_used
from scalesheet.short_names import as_written, in_full
from scalesheet.units import PURE


@dataclass(frozen=True)
class Ground:
    """What plans build on: a book without plans, the names visible in it, the facts of its columns,
    and the day whose values apply. `book` is None if it has errors.
    """

    book: Book | None
    space: Space
    catalogue: Compiled
    day: str


def resolve(
    documents: Sequence[Document], as_of: date | None = None
) -> tuple[Book | None, list[Diagnostic]]:
    """Resolve documents to a Book, or None if a diagnostic is an error; returns all diagnostics."""
    problems: list[Diagnostic] = []
    ground = grounded(documents, as_of, problems)
    return (with_plans(ground, documents, problems) if ground else None), problems


@dataclass(frozen=True)
class Formulas:
    """The finished catalogue formulas and components, the drafts of components, and what is wrong
    with all of them.
    """

    records: Mapping[str, Record]
    drafts: Mapping[str, DraftComponent]
    components: Mapping[str, Component]
    of_records: tuple[Diagnostic, ...]
    of_components: tuple[Diagnostic, ...]

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        return (*self.of_records, *self.of_components)


def _formulas(documents: Sequence[Document], catalogue: Compiled, space: Space) -> Formulas:
    alone_ = replace(space, catalogue={}, tables=space.catalogue)
    problems: list[Diagnostic] = []
    records = {
        each.id: record
        for each in space.records.values()
        if (record := _record(each, alone_, problems)) is not None
    }
    of_components: list[Diagnostic] = []
    drafts = components_of(documents, space, of_components)
    space = replace(space, components=drafts)
    components = {
        each.id: component
        for each in drafts.values()
        if _leads(each, space.catalogue)
        and (component := _alone(each, space, catalogue, of_components)) is not None
    }
    return Formulas(records, drafts, components, tuple(problems), tuple(of_components))


def grounded(
    documents: Sequence[Document], as_of: date | None, problems: list[Diagnostic]
) -> Ground | None:
    """The catalogue and the components, or None if no plan can be read on top of them."""
    forget_files()
    first = next(each for each in documents if each.kind == "book")
    book = first.data
    edition = date.fromisoformat(str(book["edition"]))
    day = (as_of or edition).isoformat()
    documents = [replace(document, as_of=day) for document in documents]
    units = units_of([each for each in documents if each.kind == "units"], problems)
    if problems:
        return None  # nothing else can be read without its units
    sources = sources_of([each for each in documents if each.kind == "sources"])
    drafts = records_of(documents, units, problems)
    tables, prices = tables_of(documents, units, drafts, as_of or edition, problems)
    accelerators = tables["hardware"].rows if "hardware" in tables else ()
    offers = offers_of(documents, prices)
    limits = limits_of(book)
    old = old_prices(offers, limits, as_of or edition)
    if not any(d.severity == "error" for d in problems):
        # a book that extends another cannot check its prices again; pages show their age
        own_offers = [offer for offer in offers if not offer.document.extended]
        problems += age_findings(own_offers, old, as_of or edition)
        problems += price_findings(offers, limits, edition)
    publications = publications_of(documents, units, problems, accelerators)
    own = flag(book.get("calibrated", "yes"))
    below = Space(units, drafts, {}, tables=tables, calibrated=own)
    catalogue = compile_space(below, {}, problems)
    columns = [each for draft in tables.values() for each in draft.columns.values()]
    below = replace(
        below,
        catalogue=tables,
        tables={},
        groups={name: tuple(sorted(each)) for name, each in groups_of(columns).items()},
        bounds=frozenset((each.table, each.name) for each in columns if each.only_bound),
    )
    formulas = _formulas(documents, catalogue, below)
    records, components = formulas.records, formulas.components
    below = replace(below, components=formulas.drafts)
    problems += formulas.problems
    if any(d.severity == "error" for d in formulas.of_components):
        return None  # each plan that uses a component would report the same
    space = replace(below, as_of=as_of.isoformat() if as_of else "")
    if any(d.severity == "error" for d in problems):
        return Ground(None, space, catalogue, day)
    finished = Book(
        title=str(book["title"]),
        edition=edition,
        as_of=as_of or edition,
        units=units,
        sources=sources,
        tables={name: table(t, catalogue) for name, t in tables.items()},
        order=catalogue.order,
        records=records,
        components=components,
        plans={},
        url=str(book.get("repository", "")),
        folder=Place(first.path.removesuffix("book.yaml")),
        prices=prices,
        old_prices=old,
        unseen=unseen_prices(offers, as_of or edition),
        publications=publications,
        fits=fits_of(documents),
        expected=expected_of(documents),
        expected_own=expected_own_of(documents),
        evidence=evidence_of(documents),
        peers=peers_of(documents),
        calibrated=own,
    )
    return Ground(finished, space, catalogue, day)


def with_plans(
    ground: Ground, documents: Sequence[Document], problems: list[Diagnostic]
) -> Book | None:
    """The Book with the plans among some documents and the audits of their source documents, or
    None if a diagnostic is an error.
    """
    by_id: dict[str, list[Document]] = {}
    for document in documents:
        if document.kind in PLAN_KINDS:
            by_id.setdefault(document.id, []).append(document)
    plans: dict[str, Resolved] = {}
    for id_, own in by_id.items():
        resolved = resolve_plan(ground, own, problems)
        if resolved is not None:
            plans[id_] = resolved
    problems += same_addresses(
        {id_: addresses(each.plan) for id_, each in plans.items()},
        {id_: audited_at(own) for id_, own in by_id.items()},
    )
    if ground.book is None or any(d.severity == "error" for d in problems):
        return None
    return replace(
        ground.book,
        plans={id_: each.plan for id_, each in plans.items()},
        audits={id_: audit for each in plans.values() for id_, audit in each.audits.items()},
        audited={id_: each.then for id_, each in plans.items() if each.then is not None},
    )


@dataclass(frozen=True)
class Resolved:
    """A plan, the plan at the time of its audit if it has changed since, and the audits of its
    documents by id.
    """

    plan: Plan
    then: Plan | None
    audits: Mapping[str, Audit]


def resolve_plan(
    ground: Ground,
    documents: Sequence[Document],
    problems: list[Diagnostic],
    estimates: Mapping[str, Stated] | None = None,
    ranges: Mapping[Key, Stated] | None = None,
    then: Then | None = None,
) -> Resolved | None:
    """Resolve the plan in the documents of its folder; None if it cannot be read. Other plans are
    not seen. `estimates` are those at completion, by row, once the plan was computed; `ranges`
    replace the stated values of inputs. `then` is the plan as it was audited, if already read.
    """
    forget_files()
    own: list[Diagnostic] = []
    documents = _of_the_day(documents, ground)
    document = next((each for each in documents if each.kind == "plan"), None)
    if document is None:
        return None
    beside = [each for each in documents if each is not document]
    document = with_forecast(document, estimates or {})
    read = _read(document, beside, ground, own, ranges or {})
    resolved = None
    if read is not None:
        audits: Sequence[Audit] = ()
        if errors(own):
            then = None
        elif (then := then or as_audited(ground, beside)) is not None:
            own += then.problems
            audits = then.audits
        else:
            audits = _audits(beside, read, own)
        moved_on = then.plan if then else None
        plan = moved_on_since(read.plan, moved_on, audits) if moved_on else read.plan
        resolved = Resolved(plan, moved_on, {audit.id: audit for audit in audits})
    problems += own
    return resolved


@dataclass(frozen=True)
class _Read:
    """A plan with its drafts and the facts of its quantities, which claims are bound on top of."""

    plan: Plan
    draft: DraftPlan
    space: Space
    compiled: Compiled


def _read(
    document: Document,
    beside: Sequence[Document],
    ground: Ground,
    problems: list[Diagnostic],
    ranges: Mapping[Key, Stated],
) -> _Read | None:
    """Read a plan; `beside` are the other files of its folder and other documents with its id."""
    low = Lowering(document, ground.space.units, problems)
    page = next((d for d in beside if d.kind == "page"), None)
    draft = plan_of(document, page, ground.space, low)
    if not low.finish():
        return None  # formulas would follow references to missing rows
    for key, range_ in ranges.items():
        own = draft.tables[key.table].columns if key.table else draft.scalars
        own[key.name].stated[key.row] = range_
    space = _space(draft, ground.space)
    compiled = compile_space(space, ground.catalogue.facts, problems)
    pages = pages_of([d for d in beside if d.kind == "subpage"], draft, ground.space, problems)
    plan = _finished(draft, compiled, ground.space, ground.catalogue, problems)
    if plan is None:
        return None
    runs = [d for d in beside if d.kind == "actuals"]
    actuals = actuals_of(document, runs, plan, space.units, problems)
    history = history_of(
        document, [d for d in beside if d.kind == "version"], space.units, problems
    )
    plan = replace(plan, pages=pages, actuals=actuals, history=history)
    return _Read(plan, draft, space, compiled)


@dataclass(frozen=True)
class Then:
    """A plan as it was when its documents were audited, their audits, and problems; None with
    errors.
    """

    plan: Plan | None
    audits: tuple[Audit, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


def as_audited(ground: Ground, documents: Sequence[Document]) -> Then | None:
    """The plan that its documents are compared with, as it was when audited, if that is on file;
    None if they are compared with the present one. It does not depend on the present plan. Its
    warnings are dropped, since the present plan already reports those that still apply.
    """
    documents = _of_the_day(documents, ground)
    document = next((each for each in documents if each.kind == audited.KIND), None)
    if document is None or not any(each.kind == "claims" for each in documents):
        return None
    own: list[Diagnostic] = []
    read = _read(document, (), ground, own, {})
    faults = errors(own)
    audits = tuple(_audits(documents, read, faults)) if read else ()
    return Then(read.plan if read else None, audits, tuple(faults))


def _of_the_day(documents: Sequence[Document], ground: Ground) -> list[Document]:
    """The documents with the date of the book; an audited plan has its own."""
    return [
        each if each.kind == audited.KIND else replace(each, as_of=ground.day) for each in documents
    ]


def _audits(beside: Sequence[Document], read: _Read, problems: list[Diagnostic]) -> Sequence[Audit]:
    """The audits of a plan's documents, if it has claims."""
    claims = [each for each in beside if each.kind == "claims"]
    if not claims or any(d.severity == "error" for d in problems):
        return ()
    audits = audits_of(claims, read.draft, read.space, read.compiled, problems)
    day = next((each.as_of for each in beside if each.kind == audited.KIND), "")
    return [replace(audit, day=day) for audit in audits]


def _space(draft: DraftPlan, empty: Space) -> Space:
    return replace(
        empty,
        scalars=draft.scalars,
        tables=draft.tables,
        phases=tuple(phase.id for phase in draft.phases),
    )


def _leads(draft: DraftComponent, tables: Mapping[str, object]) -> bool:
    """Whether the book has the tables that the component's references and formulas need."""
    every = (*draft.inputs.values(), *draft.quantities.values())
    return all(each.refers_to is None or each.refers_to in tables for each in every)


def _alone(
    draft: DraftComponent, empty: Space, catalogue: Compiled, problems: list[Diagnostic]
) -> Component | None:
    """A component by itself: its formulas are bound and checked once for all its users."""
    examples = examples_of(draft, empty, problems)
    own = alone(draft, empty, Lowering(draft.document, empty.units, problems))
    compiled = compile_space(_space(own, empty), catalogue.facts, problems)
    plan = _finished(own, compiled, empty, catalogue, problems)
    if plan is None:
        return None
    data = draft.document.data
    return Component(
        plan=plan,
        inputs=tuple(draft.inputs),
        required=tuple(name for name, each in draft.inputs.items() if is_open(each)),
        outputs=draft.outputs,
        evidence=tuple(data.get("evidence", ())),
        examples=examples,
        note=str(data.get("note", "")),
        choice=draft.choice,
        corrections=tuple(draft.corrections),
    )


def _finished(
    draft: DraftPlan,
    compiled: Compiled,
    empty: Space,
    catalogue: Compiled,
    problems: list[Diagnostic],
) -> Plan | None:
    """The plan of a draft whose formulas are bound; None if a diagnostic is an error."""
    headline = _headline(draft, problems)
    charts = charts_of(draft, empty.units, problems)
    if any(d.severity == "error" for d in problems):
        return None
    scalars = {name: scalar(s, compiled) for name, s in draft.scalars.items()}
    tables = {name: table(t, compiled) for name, t in draft.tables.items()}
    return Plan(
        id=draft.id,
        title=draft.title,
        summary=draft.summary,
        scalars=scalars,
        tables=tables,
        phases=draft.phases,
        order=compiled.order,
        catalogue=tables_used(scalars, tables, catalogue, empty.catalogue),
        headline=headline,
        checks=draft.checks,
        charts=charts,
        scenarios=draft.scenarios,
        page=draft.page,
        recommendations=draft.recommendations,
        row_checks=draft.row_checks,
        citation=draft.citation,
        position=draft.position,
        page_path=draft.page_path,
        components=draft.components,
        chosen=draft.chosen,
        status=draft.status,
        carries=draft.carries,
        sheets=draft.sheets,
    )


def _headline(draft: DraftPlan, problems: list[Diagnostic]) -> tuple[str, ...]:
    names: list[str] = []
    for name, position in draft.headline:
        full = in_full(name, draft.scalars)
        if full in draft.scalars:
            names.append(full)
        else:
            table, _, column = name.rpartition(".")
            message = f"unknown scalar '{name}'{nearest(name, as_written(draft.scalars))}"
            if table in draft.tables and column in draft.tables[table].columns:
                message = (
                    f"'{name}' is a column, and a headline is one figure; give a row of it a name "
                    f"below 'scalars:', such as formula: {table}['ROW'].{column}"
                )
            problems.append(at(position, "N001", message))
    return tuple(names)


# ------------------------------------------------------------------ catalogue formulas


def _record(draft: DraftRecord, space: Space, problems: list[Diagnostic]) -> Record | None:
    """A catalogue formula by itself: bound over its inputs, with its dimension checked."""
    try:
        formula = _record_formula(draft, space)
    except BindError as error:
        problems.append(at(draft.formula.at(error.offset), error.code, error.message))
        return None
    for example in draft.examples:
        position = example.position or draft.position
        for name in example.given:
            if name not in draft.inputs:
                message = f"the example gives '{name}'{nearest(name, draft.inputs)}"
                problems.append(at(position, "N001", message))
        missing = [n for n in draft.inputs if n not in example.given and n not in draft.defaults]
        if missing:
            problems.append(at(position, "S002", f"the example gives no {', '.join(missing)}"))
    return Record(
        id=draft.id,
        title=draft.title,
        inputs=tuple(_input(name, i, draft.defaults) for name, i in draft.inputs.items()),
        unit=draft.unit,
        formula=formula,
        symbol=draft.symbol,
        valid=draft.valid,
        convention=draft.convention,
        examples=draft.examples,
        asserted=draft.asserted,
        citation=draft.citation,
        note=draft.note,
        position=draft.position,
    )


def _input(name: str, draft: Draft, defaults: dict[str, float]) -> ModelScalar:
    default = defaults.get(name)
    return ModelScalar(
        name=name,
        title=draft.title,
        unit=draft.unit,
        domain=draft.domain or "non-negative",
        show=draft.show,
        note=draft.note,
        position=draft.position,
        stated=None if default is None else Stated(default, default, default, basis="decision"),
    )


def _record_formula(draft: DraftRecord, space: Space) -> Formula:
    inputs = {
        name: Typed(Scalar(name), "number", None if draft.asserted else i.unit)
        for name, i in draft.inputs.items()
    }
    if draft.asserted:
        inputs = {n: replace(t, unit=PURE) for n, t in inputs.items()}
    scope = Scope(space, inputs=inputs, asserted=draft.asserted)
    typed = infer(draft.formula.tree, scope, None if draft.asserted else draft.unit)
    if typed.kind != "number":
        raise BindError("F004", "a catalogue formula gives a number", draft.formula.tree)
    if not draft.asserted:
        typed = convert(
            typed, draft.unit, scope, draft.formula.tree, f"'{draft.id}' is declared in"
        )

    def facts(node: Node) -> Facts:
        assert isinstance(node, Scalar)
        domain = draft.inputs[node.name].domain or "non-negative"
        return Facts(interval=of_domain(domain), stated=True, whole=domain in WHOLE)

    whole = settle(typed.tree, facts).whole
    ends = split(whole, "number", draft.id, facts, None).ends
    return Formula(
        draft.formula.text,
        typed.tree,
        ends,
        citation=draft.citation,
        position=draft.formula.position,
    )
