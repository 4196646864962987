"""The score's pages as plain Markdown: figures by task, family, hardware and size, every row."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.predict.score import TaskScore
from scalesheet.predict.score.own import TASKS as OWN_TASKS
from scalesheet.predict.score.own import TITLE as OWN_TITLE
from scalesheet.predict.tasks import TASKS
from scalesheet.render.laws import LEAD as LAWS
from scalesheet.render.laws import Section, sections
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.plain.text import API, cited, document, grid, link, plain
from scalesheet.render.pages.score.laws import PATH, TITLE
from scalesheet.render.pages.score.pages import FOLDER
from scalesheet.render.scores import (
    FACTOR,
    HEAD,
    LEAD,
    NAT,
    NO_OWN,
    OWN,
    OWN_HEAD,
    PEERS,
    TITLES,
    ShownRow,
    error,
    figure,
    fitting,
    own_quality,
    own_rows,
    quality,
    shown_rows,
    sides_of,
    unit_shown,
)


def score_texts(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text of the index, and of each task's page."""
    yield f"{FOLDER}/index.md", _index(context)
    for task, score in context.edition.scores.items():
        yield f"{FOLDER}/{task}.md", _page(context, score)
    if tables := list(sections(context.book, context.edition.scores)):
        parts = (part for each in tables for part in _section(each))
        yield PATH, document(f"# {TITLE}", LAWS, *parts)


def _index(context: Context) -> str:
    rows = [
        [link(f"{task}.md", TASKS[task].title), *quality(task, score.unseen)]
        for task, score in context.edition.scores.items()
    ]
    peers = [
        [plain(p.name), plain(p.predicts), plain(p.says), plain(p.note), cited(context, p.citation)]
        for p in context.book.peers
    ]
    return document(
        "# Score",
        LEAD,
        grid(["Prediction", *HEAD], rows) if rows else "Nothing is scored yet.",
        FACTOR,
        NAT,
        f"## {OWN_TITLE}",
        *_own_index(context),
        f"Data: {link(f'{API}/score.json', 'JSON')}",
        *(
            (
                "## What others say of themselves",
                PEERS,
                grid(["Program", "Predicts", "Says", "Rests on", "Source"], peers),
            )
            if peers
            else ()
        ),
    )


def _own_index(context: Context) -> Iterator[str]:
    result = {
        task: score.own for task, score in context.edition.scores.items() if score.own is not None
    }
    if not result:
        yield NO_OWN
        return
    yield OWN
    yield grid(
        ["Prediction", *OWN_HEAD],
        [[link(f"{t}.md", TASKS[t].title), *own_quality(own)] for t, own in result.items()],
    )


def _own(context: Context, score: TaskScore) -> Iterator[str]:
    task = score.task
    if task not in OWN_TASKS:
        return
    yield f"## {OWN_TITLE}"
    if score.own is None:
        yield NO_OWN
        return
    yield OWN
    yield grid(OWN_HEAD, [own_quality(score.own)])
    unit = unit_shown(task)
    yield grid(
        [
            "Record",
            "On",
            f"Measured ({unit})",
            f"Predicted ({unit})",
            "80 % interval",
            "Error",
            "Not scored because",
        ],
        [
            [
                link(to("measurements", row.id), row.note or row.id),
                plain(row.on),
                figure(task, row.published),
                figure(task, row.predicted),
                f"{figure(task, row.low)}–{figure(task, row.high)}",
                error(task, row.error),
                plain(row.because),
            ]
            for row in own_rows(score)
        ],
    )


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield plain(section.text)
    yield grid([*section.head], [[plain(cell) for cell in row] for row in section.rows])


def _page(context: Context, score: TaskScore) -> str:
    task = score.task
    sides = sides_of(score)
    expected = context.book.expected.get(task)
    short = expected.note if expected is not None else ""
    unit = unit_shown(task)
    rows = [[*_row(context, task, row)] for row in shown_rows(score)]
    return document(
        f"# Score: {plain(TASKS[task].title)}",
        NAT if task == "loss" else FACTOR,
        grid(["Predicted by", *HEAD], [[plain(name), *quality(task, q)] for name, q in sides]),
        *((fitting(score.room),) if score.room is not None else ()),
        *(("## Where it falls short", plain(short)) if short else ()),
        *(
            part
            for what, result in score.groups.items()
            for part in (
                f"## {TITLES[what]}",
                grid(
                    [what.capitalize(), *HEAD],
                    [[plain(name), *quality(task, q)] for name, q in result.items()],
                ),
            )
        ),
        *_own(context, score),
        "## Every row",
        grid(
            [
                "Run",
                "On",
                f"Published ({unit})",
                f"Predicted ({unit})",
                "80 % interval",
                "Error",
                "Not scored because",
                "Source",
                "Note",
            ],
            rows,
        ),
    )


def _row(context: Context, task: str, row: ShownRow) -> Iterator[str]:
    yield plain(row.title)
    yield plain(row.on)
    yield figure(task, row.published)
    yield figure(task, row.predicted)
    yield f"{figure(task, row.low)}–{figure(task, row.high)}"
    yield error(task, row.error)
    yield plain(row.because)
    yield cited(context, row.citation)
    yield plain(row.note)
