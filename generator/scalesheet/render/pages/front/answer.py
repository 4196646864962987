"""The question of the front page as a form, and its answer: figures, memory, offers, changes.

`render/live/front.js` makes the same elements in the page; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from scalesheet.model import Key, Plan, Quantity, Stated
from scalesheet.numbers import Format, format_of
from scalesheet.numbers import plain as plain_text
from scalesheet.printers.base import number
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.figures import NBSP, ends
from scalesheet.render.pages.front.question import ORDER, OWN, Answered, Change, Edits, Offered
from scalesheet.render.pages.html import Html, join, tag
from scalesheet.render.pages.places import scalar_anchor
from scalesheet.values import Results, Value
from scalesheet.vocabulary import METHODS, TERMS, TUNING

PAGE = "book/plans/{plan}.html"
#: Figures of the answer, each with its formula on the plan's page.
FIGURES = ("hours", "calendar_time", "cost", "verdict")
#: Titles of the methods by a plan's word, as the page offers them.
METHOD_TITLES = {METHODS[name].plan: METHODS[name].title for name in (*TUNING, "pretrain")}
FITS = {"fits": "good", "may not fit": "warn", "does not fit": "bad", "cannot run": "bad"}
CHANGES = {
    "fits": "What one change gives",
    "may not fit": "What would make it fit",
    "does not fit": "What would make it run",
}
NONE = (
    "No one change of method, count or accelerator does: a smaller model or shorter sequences may."
)
NO_HOURS = (
    "It has no hours and no cost, since it does not run like this. What would make it run is below."
)
WIDE = 1000  # of the drawing of memory, which stretches to its box
TALL = 28


def answer(context: Context, plan: Plan, found: Answered) -> Html:
    """The answer in full."""
    return join([_told(context, plan, found), _below(context, plan, found)])


def _told(context: Context, plan: Plan, found: Answered) -> Html:
    """Case, figures and memory: what leads to a formula leads to the state that they are of."""
    return tag(
        "section",
        _case(context, plan, found),
        tag(
            "div", *_figures(context, plan, found), class_="hero" if found.runs else "hero blocked"
        ),
        _memory(context, plan, found),
        tag(
            "p",
            tag(
                "a",
                "Every formula and input of this answer",
                href=address(plan, found.shown, "hours").partition("#")[0],
            ),
            class_="more",
        ),
        class_="answer",
        aria_label="Answer",
        data_answer=True,
    )


def _below(context: Context, plan: Plan, found: Answered) -> Html:
    return tag(
        "div",
        _offers(context, plan, found),
        _changes(context, plan, found),
        class_="beside",
        data_beside=True,
    )


# ------------------------------------------------------------------ the case in words


def _case(context: Context, plan: Plan, found: Answered) -> Html:
    scalars = found.results.scalars
    method = METHOD_TITLES[str(scalars["method"].value)]
    return tag(
        "p",
        f"{method} of ",
        _row(context, "models", str(scalars["model"].value)),
        f" with {_text(context, plan, found.results, 'trained_tokens')} on {found.gpus} × ",
        _row(context, "hardware", str(scalars[OWN].value)),
        class_="case",
        tabindex="-1",
    )


def _row(context: Context, table: str, id_: str) -> Html:
    """A row of the catalogue by its title, with its page."""
    return tag("a", title_of(context, table, id_), href=f"book/{table}/{id_}.html")


def title_of(context: Context, table: str, id_: str) -> str:
    return context.row_title(context.book.tables[table], id_)


# ------------------------------------------------------------------ figures


def _figures(context: Context, plan: Plan, found: Answered) -> Iterator[Html]:
    """What cannot run has neither hours nor cost."""
    if not found.runs:
        yield _fit(context, plan, found)
        yield tag("p", NO_HOURS, class_="note")
        return
    for name in ("hours", "calendar_time"):
        value = found.results.scalars[name]
        yield _figure(context, plan, name, name, value, found.shown)
    yield _cost(context, plan, found)
    yield _fit(context, plan, found)


def _figure(
    context: Context,
    plan: Plan,
    name: str,
    of: str,
    value: Value,
    edits: Edits,
    title: str = "",
    *note: Html | str,
) -> Html:
    """A figure, its range, and the way to its formula with these inputs."""
    scalar = plan.scalars[of]
    fmt = _format(context, scalar, [value])
    symbol = context.symbol(scalar)
    if value.reason is None:
        shown = [
            tag("span", plain_text(value, fmt), class_="num"),
            " ",
            tag("span", symbol, class_="unit"),
        ]
    else:
        shown = [tag("span", value.reason, class_="reason")]
    told = ends(value, fmt)
    return tag(
        "div",
        tag("p", title or scalar.title, class_="label"),
        tag("p", tag("a", *shown, href=address(plan, edits, of)), class_="value"),
        tag("p", f"{told} {symbol}" if told else NBSP, class_="range"),
        tag("p", *note, class_="note") if note else None,
        class_=f"figure {name}",
    )


def _cost(context: Context, plan: Plan, found: Answered) -> Html:
    """The cheapest offer, of each term; else what the electricity costs."""
    firsts = found.firsts
    if not firsts:
        cost = found.results.scalars["cost"]
        return _figure(
            context,
            plan,
            "cost",
            "cost",
            cost,
            found.edits,
            "Electricity",
            "No offer in the catalogue sells this.",
        )
    first, *others = firsts
    assert first.cost is not None
    return _figure(
        context,
        plan,
        "cost",
        "cost",
        first.cost,
        first.edits,
        f"Cost, {TERMS[first.term]} from",
        *(_from(context, plan, each) for each in others),
    )


def _from(context: Context, plan: Plan, each: Offered) -> Html:
    """`spot from 55.7 USD`."""
    assert each.cost is not None
    cost = plan.scalars["cost"]
    shown = plain_text(each.cost, _format(context, cost, [each.cost]))
    return tag("span", f"{TERMS[each.term]} from {shown}{NBSP}{context.symbol(cost)}")


def _fit(context: Context, plan: Plan, found: Answered) -> Html:
    scalars = found.results.scalars
    verdict = str(scalars["verdict"].value or scalars["verdict"].reason)
    needed = _text(context, plan, found.results, "needed_memory", unit=False)
    usable = _text(context, plan, found.results, "usable_memory")
    return tag(
        "div",
        tag("p", plan.scalars["verdict"].title, class_="label"),
        tag(
            "p",
            tag("a", verdict, href=address(plan, found.shown, "verdict")),
            class_=f"value fit {FITS.get(verdict, '')}".strip(),
        ),
        tag("p", f"{needed} of {usable}", class_="range"),
        class_="figure verdict-of",
    )


# ------------------------------------------------------------------ memory


def _memory(context: Context, plan: Plan, found: Answered) -> Html:
    """The parts of the memory of an accelerator, stacked, against what a run can have."""
    table = plan.tables["memory"]
    values = list(found.results.tables["memory"]["bytes"])
    parts = [
        (row, title, value)
        for row, title, value in zip(table.rows, table.row_titles, values, strict=True)
    ]
    fmt = _format(context, table.columns["bytes"], values)
    symbol = context.symbol(table.columns["bytes"])
    most, usable = (_size(found.results.scalars[n]) for n in ("most_memory", "usable_memory"))
    scale = max(most, usable) * 1.02
    shown = [(row, title, value) for row, title, value in parts if _size(value) > 0]
    described = ", ".join(f"{title} {plain_text(value, fmt)}" for _, title, value in shown)
    limit = _text(context, plan, found.results, "usable_memory")
    return tag(
        "figure",
        tag(
            "figcaption",
            tag(
                "a", "Memory of each accelerator", href=address(plan, found.shown, "needed_memory")
            ),
            f": {_text(context, plan, found.results, 'needed_memory')}, hardly ever more than "
            f"{_text(context, plan, found.results, 'most_memory')}, "
            f"of {limit} that a run can have",
        ),
        tag(
            "svg",
            *_bars(shown, most, usable, scale),
            viewBox=f"0 0 {WIDE} {TALL}",
            preserveAspectRatio="none",
            role="img",
            aria_label=f"{described}, in {symbol}; a run can have {limit}",
        ),
        tag(
            "ul",
            *(
                tag(
                    "li",
                    f"{title} ",
                    tag("span", plain_text(value, fmt), class_="num"),
                    tag("span", f"{NBSP}{symbol}", class_="unit"),
                    class_=f"part {row}",
                )
                for row, title, value in shown
            ),
            class_="parts",
        ),
        _first(shown, usable, found.results.scalars["verdict"].value == "fits"),
        class_="stack",
    )


def _bars(
    shown: Sequence[tuple[str, str, Value]], most: float, usable: float, scale: float
) -> Iterator[Html]:
    """A bar for each part, one to what is hardly ever exceeded, and a line at what there is."""
    at = 0.0

    def place(size: float) -> str:
        return f"{size / scale * WIDE:.1f}"

    for row, _, value in shown:
        size = _size(value)
        yield tag("rect", class_=f"part {row}", x=place(at), y="4", width=place(size), height="20")
        at += size
    beyond = max(0.0, most - at)
    yield tag("rect", class_="beyond", x=place(at), y="9", width=place(beyond), height="10")
    yield tag("rect", class_="limit", x=place(usable), y="0", width="3", height=str(TALL))


def _first(shown: Sequence[tuple[str, str, Value]], usable: float, fits: bool) -> Html | None:
    """Which part is the first that has no room, where one has none."""
    if fits:
        return None
    at = 0.0
    for row, title, value in shown:
        at += _size(value)
        if at > usable:
            strong = tag("strong", title, class_=f"part {row}")
            return tag("p", "The first that does not fit: ", strong, class_="first")
    return tag("p", "What is expected fits; the most that a run may need does not.", class_="first")


# ------------------------------------------------------------------ offers


def _offers(context: Context, plan: Plan, found: Answered) -> Html:
    """What each offer of the accelerator takes, the cheapest first; nothing of what cannot run."""
    if not found.runs:
        return tag("section", class_="offers", hidden=True)
    cost, price = plan.scalars["cost"], context.book.tables["offers"].columns["price"]
    sold = [o for o in found.offers if o.cost is not None]
    own = found.results.scalars["cost"]
    costs = _format(context, cost, [o.cost for o in sold if o.cost is not None])
    prices = _format(context, price, [o.price for o in found.offers])
    body = [_offer(context, plan, each, prices, costs) for each in sold]
    body.append(
        tag(
            "tr",
            tag("th", "Your own, electricity alone", scope="row"),
            tag("td", "owned", class_="term"),
            tag("td", class_="num"),
            _amount(plan, "cost", own, _format(context, cost, [own]), found.edits),
            class_="own",
        )
    )
    few = [o for o in found.offers if o.cost is None]
    return tag(
        "section",
        tag("h2", "What it costs, by offer"),
        tag(
            "div",
            tag(
                "table",
                tag(
                    "thead",
                    tag(
                        "tr",
                        tag("th", "Offer", scope="col"),
                        tag("th", "Terms", scope="col"),
                        tag(
                            "th",
                            "Price ",
                            tag("span", context.symbol(price), class_="unit"),
                            scope="col",
                            class_="num",
                        ),
                        tag(
                            "th",
                            "Cost ",
                            tag("span", context.symbol(cost), class_="unit"),
                            scope="col",
                            class_="num",
                        ),
                    ),
                ),
                tag("tbody", *body),
                class_="data",
            ),
            class_="scroll",
        ),
        tag(
            "p",
            f"Not sold {found.gpus} together: ",
            join((_row(context, "offers", o.offer) for o in few), "; "),
            ".",
            class_="note",
        )
        if few
        else None,
        class_="offers",
    )


def _offer(context: Context, plan: Plan, each: Offered, prices: Format, costs: Format) -> Html:
    assert each.cost is not None
    return tag(
        "tr",
        tag("th", _row(context, "offers", each.offer), scope="row"),
        tag("td", TERMS[each.term], class_=f"term {each.term}"),
        tag("td", plain_text(each.price, prices), class_="num"),
        _amount(plan, "cost", each.cost, costs, each.edits),
    )


def _amount(plan: Plan, name: str, value: Value, fmt: Format, edits: Edits) -> Html:
    """A figure with its range, and the way to its formula."""
    if value.reason is not None:
        return tag("td", value.reason, class_="reason")
    told = ends(value, fmt)
    return tag(
        "td",
        tag("a", plain_text(value, fmt), href=address(plan, edits, name)),
        tag("span", told, class_="range") if told else None,
        class_="num",
    )


# ------------------------------------------------------------------ changes


def _changes(context: Context, plan: Plan, found: Answered) -> Html:
    """What one change would give, each to be taken."""
    heading = tag("h2", CHANGES[str(found.results.scalars["verdict"].value)])
    if not found.changes:
        return tag("section", heading, tag("p", NONE, class_="note"), class_="changes")
    results = [each.results for each in found.changes if each.runs]
    hours, cost = (
        _format(context, plan.scalars[name], [r.scalars[name] for r in results])
        for name in ("hours", "cost")
    )
    return tag(
        "section",
        heading,
        tag(
            "div",
            tag(
                "table",
                tag(
                    "thead",
                    tag(
                        "tr",
                        tag("th", "Change", scope="col"),
                        tag("th", "Memory", scope="col"),
                        tag("th", "Hours", scope="col", class_="num"),
                        tag(
                            "th",
                            "Cost ",
                            tag("span", context.symbol(plan.scalars["cost"]), class_="unit"),
                            scope="col",
                            class_="num",
                        ),
                    ),
                ),
                tag(
                    "tbody", *(_change(context, plan, each, hours, cost) for each in found.changes)
                ),
                class_="data",
            ),
            class_="scroll",
        ),
        class_="changes",
    )


def _change(context: Context, plan: Plan, each: Change, hours: Format, cost: Format) -> Html:
    verdict = str(each.results.scalars["verdict"].value)
    return tag(
        "tr",
        tag(
            "th",
            tag("a", change_text(context, each), href=f"?{_query(each.some)}", data_change=True),
            scope="row",
        ),
        tag("td", verdict, class_=f"fit {FITS.get(verdict, '')}".strip()),
        *(
            _amount(plan, name, each.results.scalars[name], fmt, each.edits)
            if each.runs
            else tag("td", class_="num")
            for name, fmt in (("hours", hours), ("cost", cost))
        ),
    )


def change_text(context: Context, each: Change) -> str:
    some = each.some
    if "method" in some:
        return f"{METHOD_TITLES[some['method']]} instead"
    gpus = some.get("gpus")
    if "gpu" in some:
        count = f"{gpus} × " if gpus else ""
        return f"Cheapest that fits: {count}{title_of(context, 'hardware', some['gpu'])}"
    return f"{gpus} accelerator{'' if gpus == '1' else 's'}"


def _query(some: Mapping[str, str]) -> str:
    """In the order in which an address has inputs."""
    order = [name if name != OWN else "gpu" for name in ORDER]
    return "&".join(f"{name}={_encoded(some[name])}" for name in order if name in some)


# ------------------------------------------------------------------ numbers and addresses


def _format(context: Context, quantity: Quantity, values: Sequence[Value]) -> Format:
    return format_of(quantity, values, context.book.units)


def _text(context: Context, plan: Plan, results: Results, name: str, *, unit: bool = True) -> str:
    """The expected value of a scalar: `61.9 GB`."""
    scalar, value = plan.scalars[name], results.scalars[name]
    shown = plain_text(value, _format(context, scalar, [value]))
    return f"{shown}{NBSP}{context.symbol(scalar)}" if unit else shown


def _size(value: Value) -> float:
    return value.value if isinstance(value.value, float) else 0.0


def address(plan: Plan, edits: Edits, of: str) -> str:
    """The plan's page with these inputs, at the formula of a figure."""
    parts = [
        f"{name}={_encoded(_written(stated))}"
        for name in ORDER
        if (stated := edits.get(Key(name))) is not None
        and stated.value != _shipped(plan, name).value
    ]
    query = f"?{'&'.join(parts)}" if parts else ""
    return f"{PAGE.format(plan=plan.id)}{query}#{scalar_anchor(plan, plan.scalars[of])}"


def _shipped(plan: Plan, name: str) -> Stated:
    stated = plan.scalars[name].stated
    assert stated is not None, name
    return stated


def _written(stated: Stated) -> str:
    return number(stated.value) if isinstance(stated.value, float) else str(stated.value)


def _encoded(text: str) -> str:
    """As a browser's encodeURIComponent writes it."""
    return quote(text, safe="!~*'()")
