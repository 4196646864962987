"""Reads own runs from a CSV file: size, tokens, loss and, where stated, throughput.

Columns may have the names that people give them. All problems are collected with line and column; a
law is learned only from a file without problems.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.foreign import File
from scalesheet.foreign import rows as foreign_rows
from scalesheet.frozen import dataclass
from scalesheet.nearest import near
from scalesheet.predict.arrays import Array, Words, unstated
from scalesheet.predict.cases import Cases, cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.cases.reader import CALLED, COLUMNS, NEAR, of_columns, spelled_out
from scalesheet.predict.loss import entries, seen_tokens, unsupported_loss
from scalesheet.predict.loss.embeddings import SHARED as SHARED_TABLES
from scalesheet.predict.loss.embeddings import without_embeddings
from scalesheet.predict.records import rows_of
from scalesheet.vocabulary import counted

LEAST = 3  # runs
DISAGREE = 2.0  # times: hours include more than steps, but hardly this much
#: Result of a run -> names that its column may have.
RESULTS: Mapping[str, tuple[str, ...]] = {
    "loss": ("loss", "val_loss", "eval_loss", "validation_loss", "test_loss", "final_loss"),
    "gpu_hours": ("gpu_hours", "gpu_h", "gpuh", "gpu-hours", "gpu hours"),
    "speed": ("tokens_per_second_per_gpu", "tokens_per_sec_per_gpu", "tokens/s/gpu", "tok/s/gpu"),
}
_OF_RESULT = {name: result for result, names in RESULTS.items() for name in names}
_OF_RUN = {name.lower(): name for name in COLUMNS["loss"]}
_NAMES = {"run": "id", "name": "id", "parameters": "N", **_OF_RUN}
_KNOWN = (*COLUMNS["loss"], *_OF_RESULT)
NEEDED = {"N": "size (N, params)", "D_tokens": "tokens (D, D_tokens)", "loss": "loss (val_loss)"}
#: Constant in the entire file; runs that are asked about inherit these from the others.
SHARED = ("N_kind", "tokenizer", "vocab", "eval_set", "loss_unit")


@dataclass(frozen=True)
class Runs:
    """Runs as stated and as laws count them. `bare`: parameters without embeddings; `seen`: tokens,
    where repeated ones count for what they are worth; `speed`: token / s / GPU, nan if unknown.
    """

    ids: Words
    parameters: Array
    tokens: Array
    loss: Array
    speed: Array
    bare: Array
    seen: Array
    shared: Mapping[str, str]
    tied: bool  # whether input and output embeddings are assumed tied if no run says

    def __len__(self) -> int:
        return len(self.loss)


@dataclass(frozen=True)
class _Table:
    """The text of a file by column, under our names, with positions."""

    file: File
    columns: Mapping[str, list[str]]
    lines: list[int]  # of each row
    places: Mapping[str, int]  # column number in the header, from 1

    def at(self, row: int, column: str, message: str) -> Diagnostic:
        return self.file.wrong(message, self.lines[row], self.places.get(column, 1))


CODE = "P003"


def read_runs(file: File, book: Book, catalogue: Known) -> Runs:
    """Read the runs of a file. Raises Refused with everything that is wrong with it."""
    table, problems = _table(file)
    if problems:
        raise Refused(problems)
    described = _cases(table.columns, len(table.lines), catalogue)
    numbers = {name: _numbers(table, name, problems) for name in (*NEEDED, "gpu_hours", "speed")}
    for row, why in enumerate(unsupported_loss(described).tolist()):
        if why and not any(each.line == table.lines[row] for each in problems):
            remedy = "Remove the run, correct it, or say in a column 'N_kind' what N counts"
            problems.append(table.at(row, "N", f"{why}. {remedy}"))
    vocabulary = entries(described)
    most = rows_of(book, "uniform-loss", entries=vocabulary)
    for row in np.flatnonzero(numbers["loss"] > most).tolist():
        said = (
            f"the loss {numbers['loss'][row]:g} is above {most[row]:.4g}, the loss of a uniform "
            "guess among "
            f"{vocabulary[row]:,.0f} entries: expected nat per token. Divide a sum by its "
            "tokens, or state the vocabulary in a column 'vocab'"
        )
        problems.append(table.at(row, "loss", said))
    problems += _whole(table, numbers)
    speed, hours = numbers["speed"], numbers["gpu_hours"]
    by_hours = numbers["D_tokens"] / (3600 * hours)
    for row in np.flatnonzero(np.abs(np.log(speed / by_hours)) > np.log(DISAGREE)).tolist():
        said = (
            f"throughput {speed[row]:g} disagrees with gpu_hours: tokens over {hours[row]:g} GPU "
            f"hours are {by_hours[row]:,.0f} tokens/s/GPU. Correct one, or leave it empty"
        )
        problems.append(table.at(row, "speed", said))
    if problems:
        raise Refused(problems)
    tied = bool(numbers["N"].max() < SHARED_TABLES)  # the same for measured and planned runs
    return Runs(
        ids=_ids(table),
        parameters=numbers["N"],
        tokens=numbers["D_tokens"],
        loss=numbers["loss"],
        speed=np.where(np.isnan(speed), by_hours, speed),
        bare=without_embeddings(described, tied),
        seen=seen_tokens(book, described),
        shared={name: table.columns[name][0] for name in SHARED if name in table.columns},
        tied=tied,
    )


def bare(runs: Runs, parameters: Array, catalogue: Known) -> Array:
    """Parameters without embeddings of runs that are asked about, counted as for the others."""
    texts = [repr(number) for number in parameters.tolist()]
    columns = {"N": texts, "D_tokens": ["1e9"] * len(texts)}
    columns |= {name: [text] * len(texts) for name, text in runs.shared.items()}
    return without_embeddings(_cases(columns, len(texts), catalogue), runs.tied)


def _cases(columns: Mapping[str, list[str]], rows: int, catalogue: Known) -> Cases:
    stated = {name: texts for name, texts in columns.items() if name in COLUMNS["loss"]}
    ids = stated.get("id", [str(row + 1) for row in range(rows)])
    return cases(of_columns({**stated, "id": ids}, rows, "loss"), catalogue)


def _ids(table: _Table) -> Words:
    named = table.columns.get("id") or table.columns.get("model") or [""] * len(table.lines)
    texts = [text.strip() or f"line {line}" for text, line in zip(named, table.lines, strict=True)]
    out: Words = np.empty(len(texts), dtype=object)
    out[:] = texts
    return out


# ------------------------------------------------------------------ the file


def _table(file: File) -> tuple[_Table, list[Diagnostic]]:
    """Parse lines and columns, and list what is wrong with them."""
    problems: list[Diagnostic] = []

    def say(line: int, column: int, message: str) -> None:
        problems.append(file.wrong(message, line, column))

    lines = [row for row in foreign_rows(file) if any(map(str.strip, row.cells))]
    head = [name.strip() for name in lines[0][1]] if lines else []
    known: dict[str, int] = {}
    for place, name in enumerate(head, start=1):
        ours = _named(name)
        if ours is None:
            say(1, place, f"unknown column '{name}'{_meant(name)}. Rename it, or leave it out")
        elif ours in known:
            say(1, place, f"'{name}' and '{head[known[ours] - 1]}' mean the same. Keep one of them")
        else:
            known[ours] = place
    lacking = [title for name, title in NEEDED.items() if name not in known]
    if lacking and not problems:
        say(
            1,
            1,
            f"expected a column for {' and '.join(lacking)}, found {', '.join(head) or 'none'}",
        )
    rows = lines[1:]
    for line, fields in rows:
        if len(fields) != len(head):
            remedy = "Quote commas in text" if len(fields) > len(head) else "Add what is missing"
            found = f"expected {counted(len(head), 'field')}, found {len(fields)}"
            say(line, 1, f"{found}. {remedy}")
    columns = {
        name: [fields[place - 1] if place <= len(fields) else "" for _, fields in rows]
        for name, place in known.items()
    }
    return _Table(file, columns, [line for line, _ in rows], known), problems


def _named(name: str) -> str | None:
    """Our name for a column: a result, or a property of a run."""
    plain = name.lower()
    if plain in _OF_RESULT:
        return _OF_RESULT[plain]
    meant = next((each for each in CALLED.get(plain, ()) if each in COLUMNS["loss"]), None)
    return _NAMES.get(plain) or meant


def _meant(name: str) -> str:
    meant = near(name.lower(), _KNOWN, NEAR)
    return f"; did you mean '{meant}'?" if meant else f" (columns: {', '.join(_KNOWN)})"


def _numbers(table: _Table, name: str, problems: list[Diagnostic]) -> Array:
    """Read positive numbers. Results other than the loss may be empty."""
    out = unstated(len(table.lines))
    for row, written in enumerate(table.columns.get(name, ())):
        text = written.strip()
        number = spelled_out(text) if text else None
        if number is not None and math.isfinite(number) and number > 0:
            out[row] = number
        elif text or name in NEEDED:
            called = NEEDED.get(name, name).partition(" ")[0]
            found = f"'{text[:40]}'" if text else "nothing"
            remedy = "Correct it, or remove the run"
            if "," in text:
                remedy = f"Use a decimal point: {text.replace(',', '.')[:40]}"
            said = f"{called}: expected a number above 0, found {found}. {remedy}"
            problems.append(table.at(row, name, said))
    return out


def _whole(table: _Table, numbers: Mapping[str, Array]) -> Iterator[Diagnostic]:
    """What is wrong with the runs as a whole; nothing if some cannot be read."""
    if any(np.isnan(numbers[name]).any() for name in NEEDED):
        return
    rows = len(table.lines)
    if rows < LEAST:
        said = f"expected {LEAST} runs or more, found {rows}. Add runs of other sizes"
        yield table.file.wrong(said)
        return
    if len(set(numbers["N"].tolist())) == 1:
        size = f"{numbers['N'][0]:g}"
        said = f"expected runs of two sizes or more, found one, {size}. Add a run of another size"
        yield table.file.wrong(said, 1, table.places["N"])
    for name in SHARED:
        texts = {text.strip() for text in table.columns.get(name, ())}
        if len(texts) > 1:
            found = ", ".join(sorted(repr(text) for text in texts)[:3])
            said = (
                f"expected one '{name}' for all runs, found {found}. Put the runs of each in a "
                "file of its own"
            )
            yield table.file.wrong(said, 1, table.places[name])
