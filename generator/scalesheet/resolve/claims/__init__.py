"""Lowers claims.yaml: each claim's figure and each expression becomes a scalar on top of the plan,
with units, ranges and order like any other quantity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scalesheet.claims import Audit, Basis, Claim, Figure, Finding, Headline, Source, Target
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.language.syntax import Cell, CellName, Name, Node, Scalar
from scalesheet.load import Document, Steps
from scalesheet.model import Domain, Key, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.binding.bind import infer
from scalesheet.resolve.binding.scope import BindError
from scalesheet.resolve.claims.expressions import Binder, Row, figure_draft
from scalesheet.resolve.claims.figures import read, read_quote
from scalesheet.resolve.claims.rows import Entry, entries_of, id_of
from scalesheet.resolve.compile import Compiled, compile_space, scalar
from scalesheet.resolve.drafts import Draft, DraftPlan, Space
from scalesheet.resolve.lowering.values import Lowering
from scalesheet.units import UnitError
from scalesheet.vocabulary import title_of

_ID = re.compile(r"(?P<document>.+)-L(?P<line>[0-9]{3,})-(?P<number>[0-9]{2,})")
_NOWHERE = Row()


@dataclass(slots=True)
class _Open:
    """One document's claims while they are lowered."""

    low: Lowering
    source: Source
    entries: list[Entry]
    figures: dict[str, Figure] = field(default_factory=dict)
    columns: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    @property
    def data(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = self.low.document.data
        return data


def audit_id(document: Document) -> str:
    """The id of a document's audit: the plan's id, plus the name for `claims/<name>.yaml`."""
    return "-".join(filter(None, (document.id, document.part)))


def audits_of(
    documents: Sequence[Document],
    plan: DraftPlan,
    space: Space,
    compiled: Compiled,
    problems: list[Diagnostic],
) -> tuple[Audit, ...]:
    """The audits of a plan's documents, or none if a diagnostic is an error; `space` and `compiled`
    belong to the plan.

    All are bound together, so that claims of different documents can be compared.
    """
    ordered = sorted(documents, key=lambda document: document.part)
    opened = [_opened(document, space) for document in ordered]
    if any(each.low.problems for each in opened):  # claims on missing rows would all fail
        problems += [diagnostic for each in opened for diagnostic in each.low.problems]
        return ()
    _unique(opened)
    drafts: dict[str, Draft] = {}
    for each in opened:
        each.figures = {entry.id: _figure(entry, each.low) for entry in each.entries}
        drafts |= {e.id: _draft(e, each.figures[e.id], each.low) for e in each.entries}
        each.columns = _columns(each.entries)
    within = replace(space, scalars={**space.scalars, **{d.name: d for d in drafts.values()}})
    everywhere = {column: ids for each in opened for column, ids in each.columns.items()}
    names = _plan_names(plan)
    audits: list[Audit] = []
    made = list(drafts.values())
    for each in opened:
        binder = Binder(each.low, within, drafts, {**everywhere, **each.columns})
        audits.append(_audit(each, binder, plan, names))
        made += binder.drafts
    own = [diagnostic for each in opened for diagnostic in each.low.problems]
    if not own:
        audited = compile_space(within, compiled.facts, own, made)
    problems += _once(own)
    if any(d.severity == "error" for d in own):
        return ()
    scalars = {draft.name: scalar(draft, audited) for draft in made}
    return tuple(replace(each, scalars=scalars, order=audited.order) for each in audits)


def _opened(document: Document, space: Space) -> _Open:
    low = Lowering(document, space.units)
    head = document.data["document"]
    source = Source(
        str(head["id"]), str(head["title"]), str(head["source"]), str(head.get("file", ""))
    )
    return _Open(low, source, list(entries_of(document.data, source.id, space, low)))


def _columns(entries: Sequence[Entry]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The claims made from rows, by table and column."""
    result: dict[tuple[str, str], tuple[str, ...]] = {}
    for entry in entries:
        if entry.column is not None:
            result[entry.column] = (*result.get(entry.column, ()), entry.id)
    return result


def _audit(opened: _Open, binder: Binder, plan: DraftPlan, names: Mapping[str, str]) -> Audit:
    """A document's audit, without its scalars yet."""
    document, data = opened.low.document, opened.data
    binder.prefix = f"{document.part}: " if document.part else ""
    headlines = _headlines(data, binder)
    units = {h.name: h for h in headlines}
    claims = {
        entry.id: _claim(entry, opened.figures[entry.id], opened.source, binder, plan, units, names)
        for entry in opened.entries
    }
    findings = tuple(
        _finding(id_, data["findings"][id_], binder, units) for id_ in data.get("findings", {})
    )
    return Audit(
        id=audit_id(document),
        plan=plan.id,
        document=opened.source,
        claims=claims,
        findings=findings,
        headlines=headlines,
        scalars={},
        order=(),
        path=document.path,
    )


def _once(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Report each error in a column once, not once per row."""
    first: dict[tuple[str, int, int, str], Diagnostic] = {}
    for each in problems:
        first.setdefault((each.path, each.line, each.column, each.code), each)
    return list(first.values())


def _unique(opened: Sequence[_Open]) -> None:
    """Drop claims whose id is already taken, in any of the documents."""
    first: dict[str, tuple[_Open, Entry]] = {}
    for each in opened:
        kept: list[Entry] = []
        for entry in each.entries:
            owner, other = first.setdefault(entry.id, (each, entry))
            if other is entry:
                kept.append(entry)
                continue
            where = owner.low.document.at(*other.place)
            part = owner.low.document.part
            file = f"claims/{part}.yaml" if part else "claims.yaml"
            place = f"line {where.line}" if owner is each else f"{file}, line {where.line}"
            message = f"the claim '{entry.id}' already exists in {place}; set its number"
            each.low.say("C006", message, *entry.place)
        each.entries = kept


# ------------------------------------------------------------------ figures


def _figure(entry: Entry, low: Lowering) -> Figure:
    """What the claim says. If it cannot be read, reports a diagnostic and returns its text."""
    key = "says" if entry.unit is None else "quote"
    text = str(entry.data.get(key, ""))
    try:
        if entry.unit is None:
            return read(text, low.units, str(entry.data["quote"]))
        unit = low.units.parse(str(entry.unit)) if entry.unit != "" else None
        return read_quote(text, unit)
    except UnitError as error:
        low.say("U001", error.message, *entry.at(key))
    except ValueError as error:
        low.say("C005", str(error), *entry.at(key))
    return Figure(text)


def _draft(entry: Entry, figure: Figure, low: Lowering) -> Draft:
    """The scalar of a claim's figure."""
    place = low.document.key_at(*entry.place)
    draft = figure_draft(entry.id, place)
    if isinstance(figure.value, bool):
        draft.kind, draft.stated = "flag", {None: Stated(figure.value, position=place)}
    elif isinstance(figure.value, str):
        draft.kind, draft.stated = "text", {None: Stated(figure.value, position=place)}
    else:
        draft.unit, draft.domain = figure.unit, _domain(figure)
        draft.stated = {None: _stated(figure, place)}
    return draft


def _domain(figure: Figure) -> Domain:
    assert figure.low is not None
    return "positive" if figure.low > 0 else "non-negative" if figure.low == 0 else "signed"


def _stated(figure: Figure, place: Any) -> Stated:
    assert isinstance(figure.value, float)
    if figure.bound in ("at least", "more than"):
        return Stated(at_least=figure.low, position=place)
    if figure.bound is not None:
        return Stated(at_most=figure.high, position=place)
    return Stated(figure.value, figure.low, figure.high, midpoint=figure.ranged, position=place)


# ------------------------------------------------------------------ claims


def _claim(
    entry: Entry,
    figure: Figure,
    source: Source,
    binder: Binder,
    plan: DraftPlan,
    headlines: Mapping[str, Headline],
    names: Mapping[str, str],
) -> Claim:
    low, data = binder.low, entry.data
    kind = _kind(figure)
    given = None
    if "from" in data:
        name = f"from of @{entry.id}"
        given = binder.basis(name, data["from"], entry.row, kind, figure.unit, *entry.at("from"))
    against = [
        binder.basis(
            f"against {number} of @{entry.id}",
            text,
            entry.row,
            kind,
            figure.unit,
            *entry.at("against"),
            number - 1,
        )
        for number, text in enumerate(data.get("against", ()), 1)
    ]
    limit = None
    if "limit" in data:
        name = f"limit of @{entry.id}"
        limit = binder.basis(name, data["limit"], entry.row, kind, figure.unit, *entry.at("limit"))
    effects = _effects(
        f"of @{entry.id}", data.get("effect", {}), entry.row, binder, headlines, entry.at("effect")
    )
    if "expect" not in data and entry.column is not None:
        table, column = entry.column
        message = f"the claims of '{column}' lack the key 'expect'; add it"
        low.say("S002", message, "tables", table, "columns", column)
    if data.get("role") == "bound" and figure.bound is None:
        message = "a bound needs a direction: write 'at most ...' or 'at least ...'"
        low.say("C005", message, *entry.at("says" if entry.unit is None else "quote"))
    for index, lacking in enumerate(data.get("lacks", ())):
        known = names.get(_plain(str(lacking)))
        if known is not None:
            message = f"the plan states '{lacking}' as '{known}'; remove it from 'lacks'"
            low.say("C008", message, *entry.at("lacks"), index)
    return Claim(
        id=entry.id,
        line=_line(entry, source, low),
        quote=str(data["quote"]),
        says=figure,
        expect=data.get("expect", "input"),
        source=given,
        against=tuple(basis for basis in against if basis is not None),
        target=_target(entry, figure, binder, plan) if "plan" in data else None,
        lacks=tuple(str(each) for each in data.get("lacks", ())),
        within=data.get("role") == "range",
        limit=limit,
        effects=effects,
        note=str(data.get("note", "")),
        position=low.document.key_at(*entry.place),
        place=entry.place,
        column=entry.column[1] if entry.column else "",
    )


def _kind(figure: Figure) -> str:
    if isinstance(figure.value, bool):
        return "flag"
    return "text" if isinstance(figure.value, str) else "number"


def _line(entry: Entry, source: Source, low: Lowering) -> int:
    """The line number in a claim's id."""
    match = _ID.fullmatch(entry.id)
    place = low.document.key_at(*entry.place)
    if match is None:
        form = id_of(source.id, 12, 1)
        low.problems.append(
            at(place, "C007", f"'{entry.id}' is not the id of a claim, as in '{form}'")
        )
        return 1
    line = int(match["line"])
    stated = int(entry.data.get("line", line))
    if match["document"] != source.id:
        message = f"the claim '{entry.id}' belongs to another document than '{source.id}'"
        low.problems.append(at(place, "C007", message))
    elif stated != line:
        message = f"the id '{entry.id}' names line {line}, and 'line' says {stated}"
        low.say("C007", message, *entry.at("line"))
    return line


def _effects(
    whose: str,
    data: Mapping[str, Any],
    row: Row,
    binder: Binder,
    headlines: Mapping[str, Headline],
    steps: Steps,
) -> dict[str, str]:
    """The scalar of each effect, by headline."""
    result: dict[str, str] = {}
    for name, text in data.items():
        if name not in headlines:
            message = f"there is no headline '{name}'{nearest(name, headlines)}"
            binder.low.problems.append(
                at(binder.low.document.key_at(*steps, name), "N001", message)
            )
            continue
        unit = headlines[name].unit
        basis = binder.basis(f"effect {whose} on {name}", text, row, "number", unit, *steps, name)
        if basis is not None:
            result[name] = basis.scalar
    return result


# ------------------------------------------------------------------ what `plan:` names


def _target(entry: Entry, figure: Figure, binder: Binder, plan: DraftPlan) -> Target | None:
    """The quantity in the plan that the figure is compared with."""
    steps = entry.at("plan")
    result = binder.read(entry.data["plan"], entry.row, *steps)
    if result is None:
        return None
    if not isinstance(result.tree, Name | CellName):
        binder.low.say("C005", "'plan' names one quantity; an expression belongs in 'from'", *steps)
        return None
    text = result.text.strip()
    bounded = _open_bound(result.tree, binder)
    if bounded is not None:
        at_ = (Key(bounded.name),)
        return Target(text, None, bounded.unit, tuple(bounded.stated.values()), at_)
    try:
        typed = infer(result.tree, binder.scope(entry.row), None)
    except BindError as error:
        binder.say(error, result)
        return None
    name = f"plan of @{entry.id}"
    basis = binder.basis(name, entry.data["plan"], entry.row, _kind(figure), figure.unit, *steps)
    inputs = _inputs_of(typed.tree, binder.space)
    if basis is None:
        return None
    return Target(text, basis.scalar, typed.unit, tuple(inputs.values()), tuple(inputs))


def _open_bound(tree: Node, binder: Binder) -> Draft | None:
    """The scalar that is an open bound, which expressions cannot read."""
    draft = binder.space.scalars.get(".".join(tree.path)) if isinstance(tree, Name) else None
    if draft is None or not draft.stated:
        return None
    open_ = all(s.at_least is not None or s.at_most is not None for s in draft.stated.values())
    return draft if open_ else None


def _inputs_of(tree: Node, space: Space) -> dict[Key, Stated]:
    """Every value stated for an input: one, or one per scenario; empty for computed quantities."""
    if isinstance(tree, Scalar):
        draft = space.scalars.get(tree.name)
        names = [tree.name, *(name for _, name in draft.sides)] if draft is not None else []
        drafts = {Key(name): space.scalars[name].stated for name in names}
        return {key: stated[None] for key, stated in drafts.items() if None in stated}
    if isinstance(tree, Cell):
        columns = space.table(tree.table).columns
        names = [tree.column, *(name for _, name in columns[tree.column].sides)]
        cells = {Key(name, tree.table, tree.row): columns[name].stated for name in names}
        return {key: stated[tree.row] for key, stated in cells.items() if tree.row in stated}
    return {}


def _plan_names(plan: DraftPlan) -> dict[str, str]:
    """Every name and title in the plan in normalized form, with the original name."""
    result: dict[str, str] = {}
    for scalar_ in plan.scalars.values():
        for name in (scalar_.name, scalar_.name.rpartition(".")[2], scalar_.title):
            result.setdefault(_plain(name), scalar_.name)
    for table in plan.tables.values():
        for name in (table.name, table.name.rpartition(".")[2], table.title):
            result.setdefault(_plain(name), table.name)
    return result


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()


# ------------------------------------------------------------------ findings and headlines


def _finding(
    id_: str, data: Mapping[str, Any], binder: Binder, headlines: Mapping[str, Headline]
) -> Finding:
    steps: Steps = ("findings", id_)
    shows = [
        binder.basis(f"{number} of {id_}", text, _NOWHERE, "", None, *steps, "shows", number - 1)
        for number, text in enumerate(data.get("shows", ()), 1)
    ]
    return Finding(
        id=id_,
        title=str(data["title"]),
        lines=tuple(int(line) for line in data["lines"]),
        shows=tuple(basis for basis in shows if basis is not None),
        effects=_effects(
            f"of {id_}", data.get("effect", {}), _NOWHERE, binder, headlines, (*steps, "effect")
        ),
        note=str(data.get("note", "")),
        position=binder.low.document.key_at(*steps),
    )


def _headlines(data: Mapping[str, Any], binder: Binder) -> tuple[Headline, ...]:
    headlines: list[Headline] = []
    for name, entry in data.get("headlines", {}).items():
        steps: Steps = ("headlines", name)
        unit = binder.low.unit(entry["unit"], *steps, "unit")
        parts: dict[str, Basis | None] = {
            part: binder.basis(
                f"{name}, {part}", entry[part], _NOWHERE, "number", unit, *steps, part
            )
            for part in ("written", "implied", "computed")
        }
        written, implied, computed = parts.values()
        if written is not None and implied is not None and computed is not None:
            place = binder.low.document.key_at(*steps)
            title = str(entry.get("title", title_of(name)))
            headlines.append(Headline(name, title, unit, written, implied, computed, place))
    return tuple(headlines)
