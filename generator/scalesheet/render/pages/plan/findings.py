"""The errors in a plan's documents that change its headline most."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.audit.model import Audited, Judged, Shown
from scalesheet.audit.worst import bundle_title, grouped, weight
from scalesheet.model import Plan
from scalesheet.render.pages.audit import FOLDER, claim_address, effects
from scalesheet.render.pages.context import Context, audits_of, to
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.vocabulary import counted

MOST = 5
Bundle = tuple[Judged | Shown, ...]


def worst_findings(context: Context, plan: Plan) -> Iterator[object]:
    """Show the worst errors in all documents of the plan, with their effects on the headline."""
    found: list[tuple[float, str, Audited, Bundle]] = []
    for id_, audited in audits_of(context, plan).items():
        totals = {each.headline.name: each.written for each in audited.headlines}
        for group in grouped(audited):
            found += [(weight(b[0].effects, totals), id_, audited, b) for b in group.bundles]
    if not found:
        return
    found.sort(key=lambda each: -each[0])
    yield heading(2, "What the document gets wrong", "findings")
    yield tag("ol", *(_line(context, *each[1:]) for each in found[:MOST]), class_="worst")
    audits = {id_: None for _, id_, *_ in found}
    for id_ in audits:
        document = context.edition.audits[id_].audit.document.title
        count = counted(sum(i == id_ for _, i, *_ in found), "error")
        all_ = link(to("audit", id_, "faults"), f"All {count}")
        yield tag("p", all_, f" in {document}.", class_="note")


def _line(context: Context, id_: str, audited: Audited, bundle: Bundle) -> Html:
    fault = bundle[0]
    figures = [each for each in bundle if isinstance(each, Judged)]
    if isinstance(fault, Judged):
        title = bundle_title(figures)
        target = f"../{FOLDER}/{claim_address(context, fault.claim.id)}"
    else:
        title, target = fault.finding.title, to("audit", id_, "faults")
    return tag("li", link(target, title), effects(context, audited, fault.effects))
