"""New inputs and figures: rows of Inputs and Calculation with names that the plan does not have."""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.defined_names import defined
from scalesheet.language.syntax import ENDS
from scalesheet.load.document import quotable
from scalesheet.model import DOMAINS, Scalar
from scalesheet.pull.formulas import Formulas
from scalesheet.pull.model import Edit, Proof, Pulling
from scalesheet.pull.values import ValueProblem, said_in, shown, stated_as
from scalesheet.pull.where import END_HEADINGS, Listed
from scalesheet.source.patch import Set
from scalesheet.units import UnitError


def added(pulling: Pulling, formulas: Formulas) -> None:
    """Record each new row as an edit, or report what it lacks."""
    for name, again in pulling.where.twice:
        text = f"the name '{name}' is used twice on {again.sheet}; give one of the rows another"
        pulling.refuse("W008", again, text, pulling.lines.of_name(name))
    for name, typed in pulling.where.of_phases:
        text = "is new on the sheet of a phase; to add it to the plan, write it on Calculation"
        pulling.leave(typed, f"'{name}' {text}" if name else f"a value without a name {text}")
    shipped = {defined(name).casefold() for name in pulling.where.shipped}
    for name, row in pulling.where.new.items():
        place = row.place(END_HEADINGS["value"])
        assert place is not None
        if not name:
            if not pulling.where.gone:  # otherwise it may belong to a missing name
                pulling.leave(
                    place,
                    "a value without a name beside it; to make it a new input, give it a name",
                )
        elif name in pulling.plan.scalars:
            text = f"a new input would have the name '{name}', which is taken; choose another"
            pulling.refuse("W008", place, text)
        elif name in shipped and not pulling.same:
            pulling.leave(place, f"the input '{name}' is no longer in the data")
        else:
            _added(pulling, formulas, name, row)


def _added(pulling: Pulling, formulas: Formulas, name: str, row: Listed) -> None:
    places = {end: at for end in ENDS if (at := row.place(END_HEADINGS[end])) is not None}
    place, cells = places["value"], {end: pulling.cell(at) for end, at in places.items()}
    beside = {
        head: str(pulling.cell(at).value or "").strip()
        for head in row.columns
        if (at := row.place(head)) is not None
    }
    more, copied = _beside(pulling, row, beside)
    entry = {"title": more.pop("title")} if "title" in more else {}
    proof, new = None, ""
    try:
        unit = pulling.book.units.shown(beside["Unit"] or "1")
        if cells["value"].formula is not None:
            read = formulas.of_new_scalar(name, place)
            if read is None:
                return
            tokens, new = read
            entry["formula"] = new
            proof = Proof(None, None, name, {"value": (place, cells["value"], tokens)})
        else:
            found = said_in(cells, Scalar(name, name), None)
            stated, new = stated_as(Scalar(name, name), found), f"{shown(found)} {beside['Unit']}"
            entry |= stated if isinstance(stated, dict) else {"value": stated}
    except UnitError as error:
        pulling.refuse("W005", place, f"the unit of '{name}' is not known: {error.message}")
        return
    except ValueProblem as problem:
        pulling.refuse(problem.code, place, f"'{name}' {problem.message}")
        return
    entry["unit"] = 1 if unit.pure else str(unit)
    entry |= {"domain": of} if (of := beside.get("Domain")) in DOMAINS and proof is None else {}
    if proof is not None:
        more.pop("kind", None)
    elif copied:
        new += ", as an assumption; the source beside it belongs to another input"
    entry |= more
    if (source := beside.get("Source")) and not copied:
        text = f"the source of '{name}' reads '{quotable(source)}'; state it in the data"
        pulling.leave(row.place("Source") or place, text)
    site = pulling.sites.new_scalar(name)
    above = [
        (each.row, scalar)
        for scalar in pulling.plan.scalars
        if (each := pulling.where.listed.get(defined(scalar).casefold())) is not None
        and each.sheet == row.sheet
        and each.row < row.row
        and (own := pulling.sites.scalar(scalar)) is not None
        and own.steps == ("scalars", scalar)
    ]
    change = Set(site.steps, entry, max(above)[1] if above else None)
    pulling.edits.append(Edit(name, str(place), site, "nothing", new.strip(), (change,), proof))


def _beside(
    pulling: Pulling, row: Listed, beside: Mapping[str, str]
) -> tuple[dict[str, object], bool]:
    """Title, kind and note of a new row, and whether its source was copied from another row.

    Text that is also next to another row belongs to that row's value.
    """
    others = [
        {
            head: str(pulling.cell(at).value or "").strip()
            for head in beside
            if (at := each.place(head))
        }
        for each in pulling.where.listed.values()
        if each != row and each.of_plan
    ]
    own = {head for head, text in beside.items() if all(each.get(head) != text for each in others)}
    heads = {"title": "Quantity", "note": "Note"}
    entry: dict[str, object] = {
        key: text for key, head in heads.items() if head in own and (text := beside[head])
    }
    copied = bool(beside.get("Source")) and "Source" not in own
    kind = "assumption" if copied else beside.get("Kind")
    return ({"kind": kind} if kind else {}) | entry, copied
