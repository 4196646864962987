"""Pages of audits: how much is wrong, the errors by their effect, then every claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from scalesheet.audit.explain import claim_text, shown
from scalesheet.audit.model import Audited, Judged, Moved, Shown, Totals
from scalesheet.audit.worst import Group, bundle_title, grouped
from scalesheet.claims import Audit, Headline, Verdict
from scalesheet.model import Plan, Position, Quantity
from scalesheet.numbers import format_of, text
from scalesheet.render.audit import changed_by, verdict_text
from scalesheet.render.pages.context import Context, audits_of, edit_link, file_note, line_link, to
from scalesheet.render.pages.figures import card, sort_key
from scalesheet.render.pages.html import Html, anchor, heading, join, link, meta_line, page, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.values import Value
from scalesheet.vocabulary import counted

FOLDER = "audit"
API = "../../api/v1"  # from any audit page
#: What could be the id of a claim, with or without its @.
_NAMED = re.compile(r"@?\b([A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)+)\b")
#: What each verdict means for a figure.
MEANINGS: Mapping[Verdict, str] = {
    "contradicted": "Other figures in the document, or known facts, give a different number.",
    "follows": "Computed correctly from a wrong figure.",
    "reproduced": "Matches the recalculation.",
    "rounded": "Matches the recalculation, rounded as written.",
    "input": "Stated in the document and used by the plan.",
    "underdetermined": "The document does not state enough to compute it.",
}
#: The three values of a headline with their descriptions.
SIDES = (
    ("stated", "in the document"),
    ("recomputed", "from the document's own lines"),
    ("corrected", "by the plan"),
)
OWN_RULES = (
    "The recomputed figure keeps the document's own rules. The corrected figure is the plan's. It "
    "also corrects errors below that lie in a rule rather than in the arithmetic."
)
ORDER = (
    "Grouped by the headline figure that each error changes most, largest effect first. Errors "
    "that change no headline come last. Two figures that contradict each other count as one error."
)
INDEX_LEAD = "Every figure in a planning document, recalculated from the figures it depends on."


def audit_pages(context: Context, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield path and text of the page of each audit of a plan."""
    for id_, audited in audits_of(context, plan).items():
        yield f"{FOLDER}/{id_}.md", _page(context, audited)


def audit_title(audited: Audited) -> str:
    return f"Audit: {audited.audit.document.title}"


def audits_index(context: Context) -> str:
    head = [heading_cell("Document"), heading_cell("Claims", number=True)]
    head += [heading_cell(verdict_text(verdict), number=True) for verdict in MEANINGS]
    body = [
        [
            tag("th", link(f"{id_}.md", audited.audit.document.title), scope="row"),
            tag("td", len(audited.claims), class_="num"),
            *(tag("td", count, class_="num") for count in audited.counts().values()),
        ]
        for id_, audited in context.edition.audits.items()
    ]
    none = tag("p", "No documents have been audited yet.", class_="note")
    listed = grid(head, body) if body else none
    audits = context.edition.audits.values()
    found = f" {_answer(list(audits))}" if audits else ""
    return page("Audit", tag("p", INDEX_LEAD + found, class_="lead"), listed, list_=True)


def _answer(audits: list[Audited]) -> str:
    """`Of 215 figures, 6 are wrong and 79 more follow from a wrong one.`"""
    counts = [audited.counts() for audited in audits]
    wrong, follow = (
        sum(each[verdict] for each in counts) for verdict in ("contradicted", "follows")
    )
    several = counted(sum(len(audited.claims) for audited in audits), "figure")
    if not wrong:
        return f"None of {several} is wrong."
    more = f" and {follow:,} more follow{'s' * (follow == 1)} from a wrong one" if follow else ""
    return f"Of {several}, {wrong:,} {'is' if wrong == 1 else 'are'} wrong{more}."


def _document(context: Context, key: str) -> Html | None:
    """Link the page of the document's source, if it is in the sources."""
    return link(to("sources", key), "The document") if key in context.book.sources else None


def _page(context: Context, audited: Audited) -> str:
    document = audited.audit.document
    plan = context.book.plans[audited.audit.plan]
    return page(
        audit_title(audited),
        meta_line(
            link(to("plans", plan.id), plan.title),
            _document(context, document.key),
            tag("a", "JSON", href=f"{API}/audit/{plan.id}.json"),
            *other_audits(context, audited),
        ),
        tag("p", *_answers(context, audited), class_="lead"),
        *_headlines(context, audited),
        *_faults(context, audited),
        *_others(context, audited),
        *_moved(context, audited),
        heading(2, "All claims", "claims"),
        _counts(audited),
        tag(
            "p",
            "Open the number of a figure for its explanation.",
            file_note(context, _first(audited)),
            class_="note",
        ),
        _claims(context, audited),
        wide=True,
    )


def other_audits(context: Context, audited: Audited) -> Iterator[Html]:
    """Links to the audits of the plan's other documents."""
    for id_, other in context.edition.audits.items():
        if other is not audited and other.audit.plan == audited.audit.plan:
            yield link(f"{id_}.md", f"Audit: {other.audit.document.title}")


# ------------------------------------------------------------------ headlines


def _answers(context: Context, audited: Audited) -> Iterator[str]:
    """Say how much is wrong, and how that changes the first total."""
    yield _answer([audited])
    if audited.headlines:
        first = audited.headlines[0]
        stated, _, corrected = (total_text(context, first.headline, each) for each in _sides(first))
        if stated != corrected:
            yield f" {first.headline.title}: {stated} in the document, {corrected} corrected."


def _headlines(context: Context, audited: Audited) -> Iterator[object]:
    """Show the first total as three figures."""
    if not audited.headlines:
        return
    first = audited.headlines[0]
    yield tag("div", *_cards(context, first), class_="hero")
    yield tag(
        "details",
        tag("summary", "How it is recomputed from the document"),
        tag("p", _cited(context, audited, first.because)),
        tag("p", OWN_RULES) if first.implied != first.computed else "",
        class_="quiet",
    )


def _others(context: Context, audited: Audited) -> Iterator[object]:
    """Show the other totals as a table."""
    if others := audited.headlines[1:]:
        yield heading(2, "Other totals", "totals")
        head = [heading_cell("Total"), *(heading_cell(name, number=True) for name, _ in SIDES)]
        yield grid(head, [_row(context, totals) for totals in others])


def _moved(context: Context, audited: Audited) -> Iterator[object]:
    """Show how the plan has changed since the audit."""
    rows = (_then_and_now(context, moved) for moved in audited.moved)
    day, moved = audited.audit.day, [[title, then, now] for title, then, now in rows if then != now]
    if not moved:
        return
    yield heading(2, "The plan since the audit", "moved")
    yield tag(
        "p",
        f"The plan has changed since {day}. The document is still compared with the plan as it "
        "was then.",
        class_="note",
    )
    head = [heading_cell(each, number=each != "Figure") for each in ("Figure", day, "Now")]
    yield grid(head, moved)


def _then_and_now(context: Context, moved: Moved) -> list[Html]:
    quantity = moved.quantity
    values = [moved.then, *([] if moved.now is None else [moved.now])]
    fmt = format_of(quantity, values, context.book.units)
    cells = [text(value, fmt, context.symbol(quantity)) for value in values]
    cells += ["no longer in the plan"] * (2 - len(cells))
    return [
        tag("th", quantity.title, scope="row"),
        *(tag("td", cell, class_="num") for cell in cells),
    ]


def _sides(totals: Totals) -> tuple[Value, ...]:
    return totals.written, totals.implied, totals.computed


def _quantity(headline: Headline) -> Quantity:
    return Quantity(headline.name, headline.title, unit=headline.unit)


def _cards(context: Context, totals: Totals) -> Iterator[Html]:
    quantity = _quantity(totals.headline)
    fmt = format_of(quantity, _sides(totals), context.book.units)
    for (name, what), value in zip(SIDES, _sides(totals), strict=True):
        title = f"{totals.headline.title}, {name}"
        yield card(title, value, fmt, context.symbol(quantity), outer=False, note=what)


def _row(context: Context, totals: Totals) -> list[Html]:
    cells = (
        tag("td", total_text(context, totals.headline, value), class_="num")
        for value in _sides(totals)
    )
    return [tag("th", totals.headline.title, scope="row"), *cells]


def total_text(context: Context, headline: Headline, value: Value) -> str:
    """Print a value of a headline as the site does: `359.6 [341.7–379.4] GPU·h`."""
    quantity = _quantity(headline)
    fmt = format_of(quantity, [value], context.book.units)
    return text(value, fmt, context.symbol(quantity))


def _counts(audited: Audited) -> Html:
    """Count the claims per verdict, with the meaning of each verdict."""
    head = [heading_cell("Verdict"), heading_cell("Claims", number=True)]
    body = [
        [
            tag("td", chip(verdict), " ", MEANINGS[verdict]),
            tag("td", count, class_="num"),
        ]
        for verdict, count in audited.counts().items()
    ]
    total = [tag("td", "all"), tag("td", len(audited.claims), class_="num")]
    return grid(head, body, foot=total)


def chip(verdict: Verdict | None) -> Html:
    """The label of a verdict."""
    return tag("span", verdict_text(verdict), class_=f"verdict {verdict or 'underdetermined'}")


# ------------------------------------------------------------------ what is wrong


def _faults(context: Context, audited: Audited) -> Iterator[object]:
    """List mismatches and findings by the headline that they change most, worst first."""
    groups = grouped(audited)
    if not groups:
        return
    count = sum(len(group.bundles) for group in groups)
    yield heading(2, f"{counted(count, 'error')}, worst first", "faults")
    yield tag("p", ORDER, class_="note")
    for group in groups:
        name = group.totals.headline.name if group.totals else "rest"
        yield heading(3, group_title(group), f"faults-{anchor(name)}")
        first = audited.headlines[:1]  # the first headline is shown above, in large figures
        if group.totals is not None and group.totals not in first:
            yield tag("p", *_three(context, group.totals), class_="note")
        for bundle in group.bundles:
            figures = [fault for fault in bundle if isinstance(fault, Judged)]
            if len(figures) > 1:
                yield _bundle(context, audited, figures)
                continue
            for fault in bundle:
                if isinstance(fault, Judged):
                    yield _contradiction(context, audited, fault)
                else:
                    yield _finding(context, audited, fault)


def group_title(group: Group) -> str:
    """`Errors that change GPU hours (3)`."""
    count = f"({len(group.bundles)})"
    if group.totals is None:
        return f"Errors that change no headline {count}"
    return f"Errors that change {group.totals.headline.title} {count}"


def _three(context: Context, totals: Totals) -> Iterator[object]:
    """`9 h in the document, 9 h from the document's own lines, 8.4 h by the plan`"""
    for number, ((_, what), value) in enumerate(zip(SIDES, _sides(totals), strict=True)):
        shown = total_text(context, totals.headline, value)
        yield f"{', ' if number else ''}{shown} {what}"


def _contradiction(context: Context, audited: Audited, judged: Judged) -> Html:
    claim = judged.claim
    return tag(
        "div",
        tag(
            "p",
            chip("contradicted"),
            f" Line {claim.line}: ",
            link(f"#{anchor(claim.id)}", f"“{_plain(claim.quote)}”"),
            class_="title",
        ),
        effects(context, audited, judged.effects),
        tag("p", _cited(context, audited, judged.because)),
        class_="finding",
    )


def _bundle(context: Context, audited: Audited, figures: list[Judged]) -> Html:
    """Show figures with the same error: the worst one explained, the others folded."""
    worst, *others = figures
    several = f"The other {len(others)}" if len(others) > 1 else "The other"
    return tag(
        "div",
        tag("p", chip("contradicted"), f" {bundle_title(figures)}", class_="title"),
        effects(context, audited, worst.effects),
        tag("p", _quoted(worst), ": ", _cited(context, audited, worst.because)),
        tag(
            "details",
            tag("summary", several),
            tag("ul", *(_other_end(context, audited, judged) for judged in others)),
            class_="quiet",
        ),
        class_="finding",
    )


def _other_end(context: Context, audited: Audited, judged: Judged) -> Html:
    end = effects(context, audited, judged.effects)
    return tag("li", _quoted(judged), ": ", _cited(context, audited, judged.because), end)


def _plain(quote: str) -> str:
    """A quote without the signs that make it bold in Markdown."""
    return quote.replace("**", "")


def _quoted(judged: Judged) -> Html:
    """Quote a figure with its line, linked to its row."""
    claim = judged.claim
    return link(f"#{anchor(claim.id)}", f"Line {claim.line}, “{_plain(claim.quote)}”")


def _finding(context: Context, audited: Audited, shown: Shown) -> Html:
    finding = shown.finding
    where = f"Line{'s' * (len(finding.lines) > 1)} {', '.join(map(str, finding.lines))}. "
    return tag(
        "div",
        tag("p", finding.title, class_="title"),
        effects(context, audited, shown.effects),
        tag("ul", *(tag("li", _cited(context, audited, each)) for each in shown.because)),
        tag(
            "p",
            f"{where if finding.lines else ''}{finding.note} ",
            edit_link(context, finding.position),
        ),
        class_="finding" + " minor" * (not shown.effects),
    )


def effects(context: Context, audited: Audited, of: Mapping[str, Value]) -> Html | None:
    """Say how each headline changes once these errors are corrected."""
    headlines = {headline.name: headline for headline in audited.audit.headlines}
    parts = [_effect(context, headlines[name], value) for name, value in of.items()]
    return tag("p", tag("strong", "Effect "), "; ".join(parts)) if parts else None


def _effect(context: Context, headline: Headline, effect: Value) -> str:
    """`on GPU hours: 39.8 GPU·h more`."""
    size, more = changed_by(effect)
    return f"on {headline.title}: {total_text(context, headline, size)}{more}"


# ------------------------------------------------------------------ claims


def _claims(context: Context, audited: Audited) -> Html:
    head = [
        heading_cell("Figure"),
        heading_cell("Line", number=True),
        heading_cell("Says", number=True),
        heading_cell("Should be", number=True),
        heading_cell("In the plan", number=True),
        heading_cell("Verdict"),
    ]
    body = [_claim(context, audited, judged) for judged in audited.claims]
    ids = [anchor(judged.claim.id) for judged in audited.claims]
    return grid(head, body, sortable=True, row_ids=ids)


def _claim(context: Context, audited: Audited, judged: Judged) -> list[Html]:
    claim = judged.claim
    return [
        tag("th", tag("q", _plain(claim.quote)), _why(context, audited, judged), scope="row"),
        tag("td", claim.line, class_="num"),
        _number(claim_text(claim.says, context.book.units), claim.says.value),
        _value(context, judged, judged.should_be),
        _value(context, judged, judged.corrected),
        tag("td", chip(judged.verdict)),
    ]


def _why(context: Context, audited: Audited, judged: Judged) -> Html:
    """The explanation, folded, with links to the claims that the error comes from."""
    rests = [link(claim_address(context, id_), id_) for id_ in judged.inherits]
    return tag(
        "details",
        tag("summary", judged.claim.id),
        tag("p", _cited(context, audited, judged.because)),
        tag("p", "Carries over errors from ", join(rests, ", "), ".") if rests else None,
        tag("p", line_link(context, judged.claim.position, _first(audited))),
        class_="quiet",
    )


def _first(audited: Audited) -> Position | None:
    return next((each.claim.position for each in audited.claims), None)


def claim_address(context: Context, claim: str) -> str:
    """The address of a claim's row, from any audit page."""
    return f"{_home(context, claim)}.md#{anchor(claim)}"


def _home(context: Context, claim: str) -> str | None:
    """The id of the audit that has this claim; None if it is not a claim."""
    homes = (
        id_ for id_, audited in context.edition.audits.items() if claim in audited.audit.claims
    )
    return next(homes, None)


def _cited(context: Context, audited: Audited, text: str) -> Html:
    """Replace the ids of claims in a text by their lines, linked to their rows, and the names of
    the plan's quantities by their titles.
    """
    plan = context.book.compared(audited.audit.plan)
    parts: list[object] = []
    at = 0
    for match in _NAMED.finditer(text):
        home = _home(context, match[1])
        if home is not None:
            of = context.edition.audits[home].audit
            own = of.id == audited.audit.id
            target = f"#{anchor(match[1])}" if own else claim_address(context, match[1])
            where = _line(of, match[1]) + ("" if own else f" of document {of.document.id}")
            parts += [_titled(plan, text[at : match.start()]), link(target, where)]
            at = match.end()
    return join((*parts, _titled(plan, text[at:])))


#: A quantity in an expression: `stated_ratio`, `check.x`, `runs['a'].hours`, or a word before a
#: sign, since other words may be those of a sentence.
_QUANTITY = re.compile(
    r"(?<![\w'.])(?:(?P<table>[a-z]\w*)\['(?P<row>[\w-]+)'\]\.(?P<column>[a-z]\w*)"
    r"|[a-z]\w*(?:\.[a-z]\w*)+|[a-z]+_\w*|[a-z]+(?=\)| [=<>+*/]))(?![\w(\['])(?!\.[a-z])"
)


def _titled(plan: Plan, text: str) -> str:
    """An explanation with titles in place of names."""

    def title(name: re.Match[str]) -> str:
        if name["table"] is None:
            scalar = plan.scalars.get(name[0])
            return name[0] if scalar is None else scalar.title
        table = plan.tables.get(name["table"])
        if table is None or name["row"] not in table.rows or name["column"] not in table.columns:
            return name[0]
        row = table.row_titles[table.rows.index(name["row"])]
        return f"{table.columns[name['column']].title} of {row}"

    return _QUANTITY.sub(title, text)


def _line(audit: Audit, claim: str) -> str:
    """`line 7`, or `figure 3 of line 12` if the line has several."""
    line = audit.claims[claim].line
    there = [each.id for each in audit.claims.values() if each.line == line]
    return f"line {line}" if len(there) == 1 else f"figure {there.index(claim) + 1} of line {line}"


def _value(context: Context, judged: Judged, value: Value | None) -> Html:
    if value is None:
        return tag("td")
    says = judged.claim.says
    return _number(shown(value, says.unit, context.book.units, percent=says.percent), value.value)


def _number(text: str, value: object) -> Html:
    """A cell that sorts by its number."""
    by = sort_key(text, value) if isinstance(value, float) else None
    return tag("td", text, class_="num", data_value=by)
