"""Pages of the score: how good each kind of prediction is, and every row with its citation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from scalesheet.audit.explain import listed
from scalesheet.model import Peer
from scalesheet.predict.score import Quality, TaskScore
from scalesheet.predict.score.own import TASKS as OWN_TASKS
from scalesheet.predict.score.own import TITLE as OWN_TITLE
from scalesheet.predict.tasks import TASKS
from scalesheet.render.live import script
from scalesheet.render.own_laws import hidden_section
from scalesheet.render.pages.context import ASSETS, Context, cite, edit_link, to
from scalesheet.render.pages.figures import NBSP, sort_key
from scalesheet.render.pages.html import Html, heading, join, link, meta_line, page, tag
from scalesheet.render.pages.score.laws import TITLE as LAWS
from scalesheet.render.pages.score.laws import laws_page, section_blocks
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.parity import parity_plot
from scalesheet.render.scores import (
    ASKED,
    ASKED_TITLE,
    DESCRIBED_TITLE,
    FACTOR,
    HEAD,
    LEAD,
    NAT,
    NO_OWN,
    NOTHING,
    OWN,
    OWN_HEAD,
    PEERS,
    REGIMES,
    TITLES,
    ShownRow,
    asked_rows,
    error,
    family_titles,
    figure,
    fitting,
    own_quality,
    own_rows,
    quality,
    shown_rows,
    sides_of,
    unit_shown,
)
from scalesheet.render.strip_plot import strip_plot
from scalesheet.sure.words import percent

FOLDER = "score"
ALIKE = HEAD.index("Families")  # the figures before it weight each row equally
LEAST_ROWS, MOST_FAMILIES = 3, 4
API = "../../api/v1/score.json"  # from any page of the score


def score_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of the index, and of each task's page."""
    yield f"{FOLDER}/index.md", _index(context)
    for task, score in context.edition.scores.items():
        yield f"{FOLDER}/{task}.md", _page(context, score)
    yield from laws_page(context)
    if context.edition.scores:
        yield f"{ASSETS}/filtered.js", script(("filtered",))


def _index(context: Context) -> str:
    lead = join([*_first(context), tag("p", LEAD)])
    if not context.edition.scores:
        return page("Score", lead, tag("p", "Nothing is scored yet.", class_="note"))
    head = [heading_cell("Prediction"), *(heading_cell(name, number=True) for name in HEAD)]
    head += [heading_cell("Rule of thumb", number=True)]
    body = [
        [
            tag("th", link(f"{task}.md{place}", title), scope="row"),
            *_numbers(quality(task, figures)),
            *_numbers([error(task, score.thumb.median)]),
        ]
        for task, score in context.edition.scores.items()
        for title, place, figures in _ways(score)
    ]
    return page(
        "Score",
        lead,
        grid(head, body),
        tag("p", FACTOR),
        tag("p", f"{ASKED_TITLE}: ", ASKED) if _is_asked(context) else None,
        tag("p", NAT) if "loss" in context.edition.scores else None,
        tag(
            "p",
            "Each page shows its rows and its rule of thumb. The same figures as ",
            tag("a", "JSON", href=API),
            ". The build fails if accuracy gets worse.",
        ),
        *_own_index(context),
        *_peers(context),
        wide=True,
    )


def _first(context: Context) -> Iterator[Html]:
    """Say how far off the median prediction is, and for which families it is worst."""
    said = []
    for task, score in context.edition.scores.items():
        figures = score.asked.quality if score.asked is not None else score.unseen
        off = f"{figures.median:.3f} nat" if task == "loss" else percent(figures.median - 1)
        title = TASKS[task].title
        plain = title if title[:2].isupper() else title[0].lower() + title[1:]
        said.append(f"{off} for {plain}")
    if said:
        first = f"For runs of a new family, the median error is {listed(said)}."
        yield tag("p", first, class_="lead")
    families = family_titles(context.book)
    items = [
        tag(
            "li",
            link(f"{task}.md#family", TASKS[task].title),
            ": ",
            ", ".join(f"{families[id_]} {error(task, each.median)}" for id_, each in worst),
        )
        for task, score in context.edition.scores.items()
        if (worst := _worst(score))
    ]
    if items:
        yield tag("p", "The families with the largest median errors:", class_="note")
        yield tag("ul", *items)


def _worst(score: TaskScore) -> list[tuple[str, Quality]]:
    """The families with the largest median errors, among those with enough rows."""
    families = [each for each in score.groups["family"].items() if each[1].rows >= LEAST_ROWS]
    return sorted(families, key=lambda each: -each[1].median)[:MOST_FAMILIES]


def _is_asked(context: Context) -> bool:
    return any(score.asked is not None for score in context.edition.scores.values())


def _ways(score: TaskScore) -> Iterator[tuple[str, str, Quality]]:
    """A task, and its score as asked if it has one: title, anchor, figures."""
    title = TASKS[score.task].title
    if score.asked is None:
        yield title, "", score.unseen
        return
    yield f"{title}, {DESCRIBED_TITLE.lower()}", "", score.unseen
    yield f"{title}, {ASKED_TITLE.lower()}", "#asked", score.asked.quality


def _own_index(context: Context) -> Iterator[object]:
    """Show how good the fit on file is on our own measurements."""
    yield heading(2, OWN_TITLE, "own")
    result = {
        task: score.own for task, score in context.edition.scores.items() if score.own is not None
    }
    if not result:
        yield tag("p", NO_OWN, " ", link(to("measurements", "index"), "All records"), ".")
        return
    yield tag("p", OWN, " ", link(to("measurements", "index"), "All records"), ".")
    head = [heading_cell("Prediction"), *(heading_cell(name, number=True) for name in OWN_HEAD)]
    body = [
        [
            tag("th", link(f"{task}.md#own", TASKS[task].title), scope="row"),
            *_numbers(own_quality(own)),
        ]
        for task, own in result.items()
    ]
    yield grid(head, body)


def _numbers(texts: Iterable[str]) -> list[Html]:
    return [tag("td", text, class_="num") for text in texts]


def _peers(context: Context) -> Iterator[object]:
    if not context.book.peers:
        return
    yield heading(2, "Other programs", "peers")
    yield tag("p", PEERS)
    yield tag("ul", *(tag("li", *_peer(context, peer)) for peer in context.book.peers))


def _peer(context: Context, peer: Peer) -> Iterator[object]:
    yield tag("strong", peer.name)
    yield f", {peer.predicts}: {peer.says}"
    yield f", {peer.note}" if peer.note else None
    yield join([". ", cite(context, peer.citation)])


# ------------------------------------------------------------------ one task


def _page(context: Context, score: TaskScore) -> str:
    task = score.task
    rows = list(shown_rows(score))
    scored = [row for row in rows if not row.because]
    others = [row for row in rows if row.because]
    fit = context.book.fits.get(task)
    return page(
        f"Score: {TASKS[task].title}",
        meta_line(
            link("index.md", "Score"),
            link(to("fits", task), "The fit") if fit is not None else None,
            tag("a", "JSON", href=API),
            link("laws.md", LAWS) if task == "loss" else None,
        ),
        _cards(task, score.unseen),
        tag("p", NAT if task == "loss" else FACTOR),
        _beside(score),
        tag("p", fitting(score.room)) if score.room is not None else None,
        *_short(context, task),
        heading(2, "Predicted vs. published", "against"),
        _against(context, score),
        heading(2, "Error of each row", "off"),
        tag(
            "figure",
            context.draw("strip_plot", strip_plot(score, family_titles(context.book))),
            class_="chart",
        ),
        *(
            part
            for what, result in score.groups.items()
            for part in _group(context, task, what, result)
        ),
        *_asked(context, score),
        *(_laws_of_small_runs(context) if task == "loss" else ()),
        heading(2, "Scored rows", "rows"),
        _rows(context, task, scored),
        *_unscored(context, task, others),
        *_own(context, score),
        wide=True,
    )


def _against(context: Context, score: TaskScore) -> Html:
    """Plot every scored row; the table below has the numbers."""
    plot = parity_plot(score)
    table = context.table("hardware")
    names = {facets[1] for facets in plot.dots if len(facets) > 1}
    titles = {
        name: context.row_title(table, name)
        for name in sorted(names)
        if table is not None and name in table.rows
    } | family_titles(context.book)
    figure = tag(
        "figure",
        context.draw("parity", plot),
        class_="chart",
        data_filtered=score.task,
        data_titles=json.dumps(titles),
    )
    return join([figure, tag("script", src=f"../{ASSETS}/filtered.js")])


def _cards(task: str, figures: Quality) -> Html:
    message = zip(HEAD[1:ALIKE], quality(task, figures)[1:ALIKE], strict=True)
    cards = [
        tag("div", tag("p", name, class_="label"), tag("p", text, class_="value"), class_="figure")
        for name, text in message
    ]
    return tag("div", *cards, class_="hero")


def _beside(score: TaskScore) -> Html:
    """Compare the ways to predict the same rows."""
    sides = sides_of(score)
    head = [heading_cell("Predicted by"), *(heading_cell(name, number=True) for name in HEAD)]
    body = [
        [tag("th", name, scope="row"), *_numbers(quality(score.task, figures))]
        for name, figures in sides
    ]
    return grid(head, body)


def _laws_of_small_runs(context: Context) -> list[object]:
    hidden = context.edition.hidden_sweeps
    return section_blocks(context, hidden_section(hidden)) if hidden else []


def _short(context: Context, task: str) -> Iterator[object]:
    expected = context.book.expected.get(task)
    if expected is not None and expected.note:
        yield heading(2, "Known weaknesses", "short")
        yield tag("p", expected.note)


def _group(
    context: Context, task: str, what: str, result: Mapping[str, Quality]
) -> Iterator[object]:
    yield heading(2, TITLES[what], what)
    yield tag("p", REGIMES) if what == "regime" else None
    shown = ALIKE if what == "family" else len(HEAD)
    head = [heading_cell(TITLES[what].removeprefix("By ").capitalize())]
    head += [heading_cell(name, number=True) for name in HEAD[:shown]]
    yield grid(
        head,
        [
            [
                tag("th", _named(context, what, name), scope="row"),
                *_numbers(quality(task, figures)[:shown]),
            ]
            for name, figures in result.items()
        ],
        sortable=True,
    )


def _named(context: Context, what: str, name: str) -> object:
    """A group by its name or title; an accelerator links to its page."""
    if what == "family":
        return family_titles(context.book).get(name, name)
    table = context.table("hardware")
    if what != "hardware" or table is None or name not in table.rows:
        return name
    return link(to("hardware", name), context.row_title(table, name))


def _rows(context: Context, task: str, rows: list[ShownRow]) -> Html:
    families = family_titles(context.book)
    unit = unit_shown(task)
    head = [heading_cell("Run"), heading_cell("On"), heading_cell("Family")]
    head += [heading_cell(name, unit, number=True) for name in ("Published", "Predicted")]
    head += [heading_cell("80 % interval", unit), heading_cell("Error", number=True)]
    head += [heading_cell("Source and note"), heading_cell("")]
    body = [
        [
            tag("th", row.title, scope="row"),
            tag("td", _on(context, row)),
            tag("td", families[row.family]),
            _amount(task, row.published),
            _amount(task, row.predicted),
            tag("td", _span(task, row), class_="range"),
            _error(task, row.error),
            tag("td", *_cited(context, row), class_="words"),
            tag("td", edit_link(context, row.position, "edit"), class_="num"),
        ]
        for row in rows
    ]
    return grid(head, body, sortable=True, row_ids=[f"row-{row.id}" for row in rows])


def _unscored(context: Context, task: str, rows: list[ShownRow]) -> Iterator[object]:
    if not rows:
        return
    unit = unit_shown(task)
    yield heading(2, "Rows that are not scored", "unscored")
    head = [heading_cell(name) for name in ("Run", "On")]
    head += [heading_cell(name, unit, number=True) for name in ("Published", "Predicted")]
    head += [heading_cell(name) for name in ("Why not scored", "Source and note", "")]
    body = [
        [
            tag("th", row.title, scope="row"),
            tag("td", _on(context, row)),
            _amount(task, row.published),
            _amount(task, row.predicted),
            tag("td", row.because, class_="words"),
            tag("td", *_cited(context, row), class_="words"),
            tag("td", edit_link(context, row.position, "edit"), class_="num"),
        ]
        for row in rows
    ]
    yield grid(head, body, sortable=True, row_ids=[f"row-{row.id}" for row in rows])


def _asked(context: Context, score: TaskScore) -> Iterator[object]:
    """Show the rows predicted from the question alone, each beside the answer."""
    if score.asked is None:
        return
    task, unit = score.task, unit_shown(score.task)
    yield heading(2, ASKED_TITLE, "asked")
    yield tag("p", ASKED)
    expected = context.book.expected.get("runs_asked")
    yield tag("p", expected.note) if expected is not None and expected.note else None
    head = [heading_cell("Run"), heading_cell("On")]
    head += [heading_cell(name, unit, number=True) for name in ("Published", "Predicted")]
    head += [heading_cell("80 % interval", unit), heading_cell("Error", number=True)]
    head += [heading_cell("Chosen layout")]
    body = [
        [
            tag("th", link(f"#row-{row.id}", row.title), scope="row"),
            tag("td", _on(context, row)),
            _amount(task, row.published),
            _amount(task, row.predicted),
            tag("td", _span(task, row), class_="range"),
            _error(task, row.error),
            tag("td", row.method, class_="words"),
        ]
        for row in asked_rows(score)
    ]
    yield grid(head, body, sortable=True, row_ids=[f"asked-{row.id}" for row in asked_rows(score)])


def _own(context: Context, score: TaskScore) -> Iterator[object]:
    """Show our own measurements, each beside its prediction by the fit on file."""
    task, own = score.task, score.own
    if task not in OWN_TASKS:
        return
    yield heading(2, OWN_TITLE, "own")
    if own is None:
        yield tag("p", NO_OWN)
        return
    yield tag("p", OWN)
    cells = zip(OWN_HEAD, own_quality(own), strict=True)
    yield tag("p", "; ".join(f"{name.lower()} {text}" for name, text in cells).capitalize(), ".")
    held = context.book.expected_own.get(task)
    if held is not None and held.note:
        yield tag("p", held.note)
    unit = unit_shown(task)
    head = [heading_cell("Record"), heading_cell("On")]
    head += [heading_cell(name, unit, number=True) for name in ("Measured", "Predicted")]
    head += [heading_cell("80 % interval", unit), heading_cell("Error", number=True)]
    head += [heading_cell("Why not scored")]
    body = [
        [
            tag("th", link(to("measurements", row.id), row.note or row.id), scope="row"),
            tag("td", _on(context, row)),
            _amount(task, row.published),
            _amount(task, row.predicted),
            tag("td", _span(task, row), class_="range"),
            _error(task, row.error),
            tag("td", row.because, class_="words") if row.because else tag("td"),
        ]
        for row in own_rows(score)
    ]
    yield grid(head, body, sortable=True, row_ids=[f"own-{row.id}" for row in own_rows(score)])


def _error(task: str, value: float | None) -> Html:
    text = error(task, value)
    by = None if value is None else sort_key(text, value)
    return tag("td", text, class_="num", data_value=by)


def _amount(task: str, value: float | None) -> Html:
    if value is None:
        return tag("td", NOTHING, class_="num")
    text = figure(task, value)
    return tag("td", text, class_="num", data_value=sort_key(text, value))


def _span(task: str, row: ShownRow) -> str:
    """The interval, and whether the published figure is outside it; empty without one."""
    if row.low is None:
        return ""
    return f"{figure(task, row.low)}–{figure(task, row.high)}" + ", outside" * (row.inside is False)


def _on(context: Context, row: ShownRow) -> str:
    """`8 × H100 SXM5 80 GB`: the accelerator by its title, without the vendor."""
    count, times, accelerator = row.on.rpartition(" × ")
    table = context.table("hardware")
    if table is not None and accelerator in table.rows:
        vendor = table.columns["vendor"].stated.get(accelerator)
        title = context.row_title(table, accelerator)
        accelerator = title.removeprefix(f"{vendor.value} " if vendor else "")
    return _unbroken(f"{count}{times}{accelerator}")


def _unbroken(words: str) -> str:
    """Words kept on one line."""
    return words.replace(" ", NBSP).replace("-", "\u2011")


def _cited(context: Context, row: ShownRow) -> Iterator[Html | None]:
    yield cite(context, row.citation)
    if row.note:
        yield join([": ", tag("span", row.note, class_="note")])
