"""The plan as it was when its documents were audited: `audited.yaml`, written by `audit --freeze`.

Claims describe a document, but the plan changes later. So claims are compared with the plan as it
was at the time, and no edit of the present plan can break them. The file holds the plan's own data
and the date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load.document import Document
from scalesheet.model import Plan

KIND = "audited"
NAME = "audited.yaml"
#: The key of the date.
DAY = "audited"
HEAD = """\
# The plan as it stood when its documents were audited; claims are compared with this one.
# Written by: scalesheet audit {plan} --freeze
"""
#: Parts of a plan that no claim can be compared with.
UNREAD = frozenset(
    ("note", "status", "history", "charts", "recommendations", "actuals", "catalogue", "sheets")
)


def frozen(plan: Any) -> dict[str, Any]:
    """The part of a plan's data that an audit may depend on."""
    data = plan if isinstance(plan, Mapping) else {}
    return {key: value for key, value in data.items() if key not in UNREAD}


def with_records(data: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """The plan's data with the record that each rule chose: a later measurement changes the plan,
    but no verdict on its documents.
    """
    scalars = {
        name: {
            "value" if key == "rule" else key: _chosen(plan, name, key, each)
            for key, each in entry.items()
        }
        for name, entry in data.get("scalars", {}).items()
    }
    return {**data, "scalars": scalars} if scalars else dict(data)


def _chosen(plan: Plan, name: str, key: str, value: Any) -> Any:
    stated = plan.scalars[name].stated if key == "rule" else None
    return stated.value if stated is not None else value


def settled(documents: Sequence[Document]) -> tuple[list[Document], list[Diagnostic]]:
    """The documents, with each audited plan as a plan at its own date; audited plans that equal the
    present plan are dropped.
    """
    plans = {each.id: each.data for each in documents if each.kind == "plan"}
    kept: list[Document] = []
    problems: list[Diagnostic] = []
    for document in documents:
        if document.kind != KIND:
            kept.append(document)
            continue
        then = frozen(document.data)
        day = then.pop(DAY, None)
        if not _is_day(day):
            message = f"'{DAY}' is the day of the audit: expected a date YYYY-MM-DD"
            remedy = f"write the file with 'scalesheet audit {document.id} --freeze'"
            problems.append(at(document.at(DAY), "S006", f"{message}; {remedy}"))
        elif then != frozen(plans.get(document.id)):
            kept.append(replace(document, data=then, as_of=str(day)))
    return kept, problems


def _is_day(text: Any) -> bool:
    try:
        return isinstance(text, str) and bool(date.fromisoformat(text))
    except ValueError:
        return False
