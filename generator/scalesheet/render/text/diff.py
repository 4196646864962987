"""A diff in words: for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from scalesheet.claims import WORDS
from scalesheet.diff.changes import (
    Breached,
    Diff,
    Effect,
    Entry,
    Forecast,
    FormulaChanged,
    InputChanged,
    Place,
    Released,
    ResultMoved,
    ScoreChanged,
    StatementChanged,
    Turn,
    VerdictChanged,
)
from scalesheet.diff.printing import percent
from scalesheet.frozen import dataclass
from scalesheet.model import Position
from scalesheet.vocabulary import counted

MOST_LISTED = 20  # of each sort; the rest is only counted
MOST_FOLDED = 150  # in the folded part of the Markdown
MOST_CAUSES = 3  # causes shown for a result
MOST_LETTERS = 60_000  # a GitHub comment may have 65,536


@dataclass(frozen=True)
class Sides:
    """The names of the two sides with their dates: `data, edition 2026-11-20`."""

    base: str
    head: str


@dataclass(frozen=True)
class Group:
    """The changed cells of one column, shown by the largest change."""

    worst: ResultMoved
    others: int


def summary(diff: Diff) -> str:
    """Summarize the diff in one sentence."""
    if not diff:
        return "No numbers changed."
    parts = [counted(len(diff.inputs), "input") + " changed"] if diff.inputs else []
    beside = Counter(each.what for each in diff.statements)
    parts += [f"{counted(n, what)} changed" for what, n in beside.items()]
    parts += [counted(len(diff.formulas), "formula") + " changed"] if diff.formulas else []
    parts += [f"{n} {fate}" for fate, n in Counter(e.fate for e in diff.entries).items()]
    every = sum(diff.compared.values())
    touched = Counter(moved.place.plan for moved in diff.moved if moved.place.plan)
    parts.append(
        f"{len(diff.moved):,} of {every:,} results moved by more than {diff.threshold * 100:g} %"
        + (f", in {counted(len(touched), 'plan')}" if touched else "")
    )
    if diff.recounted:
        follow = counted(diff.recounted, "count")
        parts.append(f"{follow} or rank{'s' * (diff.recounted > 1)} of rows that came or went")
    parts += [counted(len(diff.verdicts), "verdict") + " changed"] if diff.verdicts else []
    parts += [counted(len(diff.scores), "score figure") + " changed"] if diff.scores else []
    new = sum(each.new for each in diff.breaches)
    moved_on = sum(each.old != each.new for each in diff.forecasts)
    parts += [counted(moved_on, "forecast") + " changed"] if moved_on else []
    parts += [counted(len(diff.versions), "new version")] if diff.versions else []
    parts += [f"{counted(new, 'check')} no longer hold{'s' * (new == 1)}"] if new else []
    return "; ".join(parts) + "."


def groups(moved: Sequence[ResultMoved]) -> list[Group]:
    """Results in order, with the cells of a column together."""
    kept: dict[tuple[str, str | None, str], list[ResultMoved]] = {}
    for each in moved:
        key = each.place.key
        kept.setdefault((each.place.plan, key.table, key.name), []).append(each)
    return [Group(cells[0], len(cells) - 1) for cells in kept.values()]


def _turned(turn: Turn, arrow: str = "->") -> str:
    return f"{turn.old_text} {arrow} {turn.new_text} {turn.symbol}".rstrip()


def _where(position: Position | None) -> str:
    return f"{position.path}:{position.line}" if position is not None else ""


def _place(place: Place) -> str:
    return place.plan or "catalogue"


# ------------------------------------------------------------------ causes


def chain(effect: Effect, moved: ResultMoved) -> str:
    """`RunPod H100, price 2.99 -> 2.49 USD/h: -16.7 %, through price_per_hour`."""
    causes = [_CAUSES[type(cause)](cause) for cause in effect.causes[:MOST_CAUSES]]
    if len(effect.causes) > MOST_CAUSES:
        causes.append(f"{len(effect.causes) - MOST_CAUSES} more together")
    does = percent(effect.alone.ratio) or f"{effect.alone.old_text} -> {effect.alone.new_text}"
    if effect.alone.new != moved.turn.new:
        does = f"alone {does}"
    way = f", through {', '.join(effect.through)}" if effect.through else ""
    return f"{' and '.join(causes) or 'what else changed'}: {does}{way}"


_CAUSES: dict[type, Callable[..., str]] = {
    InputChanged: lambda cause: f"{cause.label} {_turned(cause.turn)}",
    FormulaChanged: lambda cause: f"the formula of {cause.label}",
    Entry: lambda cause: f"{cause.kind} {cause.name} {cause.fate}",
}

# ------------------------------------------------------------------ text


def as_text(diff: Diff, sides: Sides, most: int = MOST_LISTED) -> str:
    """The diff for a terminal, with up to `most` of each sort."""
    lines = [f"{sides.base} -> {sides.head}", summary(diff)]
    lines += [_released(each) for each in diff.versions]
    lines += [_forecast(each) for each in (*diff.forecasts, *diff.likelihoods)]
    if diff.breaches:
        lines += ["", f"Does not hold ({len(diff.breaches):,})"]
        lines += [f"  {_breached(each)}" for each in diff.breaches]
    for title, items, tell in _sections(diff):
        if items:
            lines += ["", f"{title} ({len(items):,})"]
            lines += [f"  {line}" for each in items[:most] for line in tell(each)]
            lines += _rest(items[most:])
    if diff.moved:
        lines += [
            "",
            f"Results, headline figures and the largest changes first ({len(diff.moved):,})",
        ]
        moved = groups(diff.moved)
        lines += [f"  {line}" for group in moved[:most] for line in _result(group)]
        lines += _rest_of_results(moved[most:])
    return "\n".join(lines) + "\n"


def _sections(
    diff: Diff,
) -> Iterator[tuple[str, Sequence[object], Callable[..., Iterator[str]]]]:
    yield "Verdicts", diff.verdicts, _verdict
    yield "Scores", diff.scores, _score
    yield "Inputs", diff.inputs, _input
    yield "Sources, kinds and notes of unchanged numbers", diff.statements, _statement
    yield "Formulas", diff.formulas, _formula
    yield "Added, removed, renamed", diff.entries, _entry


def _rest(items: Sequence[object]) -> list[str]:
    return [f"  and {len(items):,} more"] if items else []


def _rest_of_results(groups: Sequence[Group]) -> list[str]:
    if not groups:
        return []
    counts: Counter[str] = Counter()
    for group in groups:
        counts[_place(group.worst.place)] += 1 + group.others
    text = ", ".join(f"{number:,} of {plan}" for plan, number in counts.items())
    return [f"  and {sum(counts.values()):,} more: {text}"]


def _breached(breach: Breached) -> str:
    """`pixelis: The classes add up to all phases (new)`"""
    return f"{breach.plan}: {breach.text}" + (" (new)" if breach.new else "")


def _released(version: Released) -> str:
    """`pixelis 1.1.0: Measured speeds in place of simulated ones.`"""
    return f"{version.plan} {version.version}: {version.text}"


def _forecast(forecast: Forecast) -> str:
    """`pixelis: forecast 11,200 of 10,827 GPU h: 3 % over (was 10,827 of 10,827 GPU h: ...)`"""
    was = forecast.old.removeprefix("forecast ") if forecast.old != forecast.new else ""
    return f"{forecast.plan}: {forecast.new}" + (f" (was {was})" if was else "")


def _verdict(change: VerdictChanged) -> Iterator[str]:
    old, new = (_said(verdict) for verdict in (change.old, change.new))
    yield f"{change.audit}: {change.claim} '{change.quote}': {old} -> {new}"


def _said(verdict: str | None) -> str:
    return "no such claim" if verdict is None else WORDS.get(verdict, verdict)


def _score(change: ScoreChanged) -> Iterator[str]:
    old, new = (f"{x:.4g}" if x is not None else "none" for x in (change.old, change.new))
    yield f"{change.task}: {change.figure} {old} -> {new}"


def _input(change: InputChanged) -> Iterator[str]:
    yield f"{change.label}: {_turned(change.turn)}  {percent(change.turn.ratio)}".rstrip()
    yield f"    {change.place}, {_where(change.position)}".rstrip(", ")
    if change.forth.rule:
        yield f"    chosen by the rule {change.forth.rule}"


def _statement(change: StatementChanged) -> Iterator[str]:
    yield f"{change.label}: {change.what} {change.old or 'none'} -> {change.new or 'none'}"
    yield f"    {change.place}, {_where(change.position)}".rstrip(", ")


def _formula(change: FormulaChanged) -> Iterator[str]:
    yield f"{change.label} ({change}), {_where(change.position)}".rstrip(", ")
    yield f"    {change.old or 'a stated value'}"
    yield f"    -> {change.new or 'a stated value'}"


def _entry(change: Entry) -> Iterator[str]:
    of = f" of {change.plan}" if change.plan else ""
    was = f" from {change.was}" if change.was else ""
    about = ": ".join(part for part in (change.title, change.text) if part)
    yield f"{change.fate} {change.kind}{of} {change.name}{was}" + (f" ({about})" if about else "")


def _result(group: Group) -> Iterator[str]:
    moved = group.worst
    sort = ", headline" if moved.headline else ", check" if moved.check else ""
    more = f", and {counted(group.others, 'more cell')} of the column" if group.others else ""
    yield f"{_place(moved.place)}: {moved.label} ({moved.place.name}{sort}){more}"
    yield f"    {_turned(moved.turn)}  {percent(moved.turn.ratio)}".rstrip()
    for effect in moved.effects[:MOST_CAUSES]:
        yield f"    {chain(effect, moved)}"
    if len(moved.effects) > MOST_CAUSES:
        yield f"    and {counted(len(moved.effects) - MOST_CAUSES, 'more cause')}"


# ------------------------------------------------------------------ Markdown

_SPECIAL = re.compile(r"[\\`*_{}\[\]|~]|^[-+#](?!\d)")
#: The start of a numbered list: the sign is escaped, since a backslash before a digit would show.
_ITEM = re.compile(r"^(\d+)([.)])(?=\s|$)")
#: Mentions, issue numbers and addresses: an invisible character keeps them from being linked.
_LINKED = re.compile(r"(@|#(?=\d)|:(?=//)|www(?=\.))")


def md(text: str) -> str:
    """Escape text so that nothing in it is markup, a mention or a link."""
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = _ITEM.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", flat)).replace("-&gt;", "→")
    return _LINKED.sub("\\1\u200b", shown)


def code(text: str) -> str:
    """A code span that may contain any text."""
    flat = " ".join(text.split())
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}".replace("|", "\\|") if flat else ""


def as_markdown(diff: Diff, sides: Sides, most: int = MOST_LISTED) -> str:
    """The diff for a pull request: a sentence, the largest changes, the inputs; the rest folded."""
    blocks = [
        f"### {md(summary(diff))}",
        f"{code(sides.base)} → {code(sides.head)}, both evaluated by the program of this change.",
    ]
    blocks += [f"**{md(_released(each))}**" for each in diff.versions]
    blocks += [f"**{md(_forecast(each))}**" for each in (*diff.forecasts, *diff.likelihoods)]
    if diff.breaches:
        told = "\n".join(_item([_breached(each)]) for each in diff.breaches[:MOST_FOLDED])
        blocks.append(f"\N{LARGE RED CIRCLE} **Does not hold ({len(diff.breaches):,})**\n\n{told}")
    moved = groups(diff.moved)
    if moved:
        blocks.append(_results_table(moved[:most]))
    if rest := moved[most:]:
        blocks.append(
            _folded(_rest_of_results(rest)[0].strip(), _results_table(rest[:MOST_FOLDED]))
        )
    for title, items, tell in _sections(diff):
        if items:
            listed = "\n".join(_item(list(tell(each))) for each in items[:MOST_FOLDED])
            listed += f"\n- and {len(items) - MOST_FOLDED:,} more" * (len(items) > MOST_FOLDED)
            open_ = len(items) <= most
            text = f"{title} ({len(items):,})"
            blocks.append(f"**{text}**\n\n{listed}" if open_ else _folded(text, listed))
    return _cut(blocks)


def _cut(parts: Sequence[str]) -> str:
    """As many complete parts as fit in a comment."""
    kept: list[str] = []
    for part in parts:
        if sum(map(len, kept)) + len(part) > MOST_LETTERS:
            kept.append("The rest is too long for a comment; run the command to see it all.")
            break
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{md(title)}</summary>\n\n{text}\n\n</details>"


def _item(lines: Sequence[str]) -> str:
    return "- " + "<br>".join(md(line.strip()) for line in lines)


def _results_table(groups: Sequence[Group]) -> str:
    head = ["| plan | result | was | is | change | because of |", "|---|---|--:|--:|--:|---|"]
    return "\n".join([*head, *map(_row, groups)])


def _row(group: Group) -> str:
    moved = group.worst
    label = f"**{md(moved.label)}**" if moved.headline else md(moved.label)
    if group.others:
        label += f" and {counted(group.others, 'more cell')}"
    why = "<br>".join(md(chain(effect, moved)) for effect in moved.effects[:MOST_CAUSES])
    turn = moved.turn
    is_now = f"{turn.new_text} {turn.symbol}".rstrip()
    cells = [
        md(_place(moved.place)),
        f"{label}<br>{code(moved.place.name)}",
        md(turn.old_text),
        md(is_now),
        md(percent(turn.ratio)),
        why,
    ]
    return f"| {' | '.join(cells)} |"
