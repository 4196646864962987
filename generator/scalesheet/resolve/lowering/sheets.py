"""Lowers `sheets` of a plan: which tables and phases share a sheet of the workbook."""

from __future__ import annotations

from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import DraftPlan
from scalesheet.resolve.lowering.values import Lowering
from scalesheet.tabs import FIXED, LONGEST, tab_of

PHASE = "phases."  # before the id of a phase, as in formulas


def lower_sheets(plan: DraftPlan, low: Lowering) -> None:
    """Each name refers to a table or a phase, and may be used once. Everything else gets its own
    sheet, under a title or name that is short enough.
    """
    titles = {name: table.title for name, table in plan.tables.items()}
    titles |= {f"{PHASE}{phase.id}": phase.title for phase in plan.phases}
    placed: dict[str, str] = {}
    for sheet, names in low.document.data.get("sheets", {}).items():
        if sheet.casefold() in map(str.casefold, FIXED):
            low.say(
                "S004", f"every workbook has a sheet '{sheet}': use another name", "sheets", sheet
            )
        for at, name in enumerate(names):
            path = ("sheets", sheet, at)
            if name not in titles:
                message = f"'{name}' is not a table or phase of the plan{nearest(name, titles)}"
                low.say("N001", message, *path)
            elif name in placed:
                low.say("S004", f"'{name}' is already on the sheet '{placed[name]}'", *path)
            elif len(names) > 1 and name in plan.tables and plan.tables[name].sections:
                message = f"'{name}' has its cases side by side, which needs its own sheet"
                low.say("S004", message, *path)
            placed.setdefault(name, sheet)
        plan.sheets[sheet] = tuple(names)
    for name, title in titles.items():
        phase = plan.tables[name].phase if name in plan.tables else None
        if {name, f"{PHASE}{phase}"}.isdisjoint(placed) and tab_of(title, name) is None:
            message = f"the name and the title of '{name}' are longer than {LONGEST} characters"
            low.say("S004", f"{message}: name a sheet for it under 'sheets'")
