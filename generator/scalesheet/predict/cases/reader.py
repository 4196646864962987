"""Reads a table of cases from CSV: only columns that describe a case before it runs.

Results (hours, rates, losses, memory peaks) and notes are not in `COLUMNS`, so no prediction can
depend on them. A row that cannot be read keeps its place and its id, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from sys import intern

import numpy as np

from scalesheet.foreign import File, read, rows
from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import in_bounds, stated
from scalesheet.load.document import quotable
from scalesheet.nearest import near
from scalesheet.predict.arrays import (
    Array,
    Reasons,
    Words,
    coded,
    each,
    first_reason,
    first_stated,
    first_word,
    no_reasons,
    no_words,
    words,
)
from scalesheet.vocabulary import counted

#: Task -> column of a file -> field of the case. If two columns give the same field, the first that
#: states it wins.
_ARCHITECTURE = {
    name: name for name in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
}
#: Columns that hold whole numbers.
_WHOLE = frozenset((*_ARCHITECTURE, "n_gpus", "gpus"))
_SETUP = {
    "id": "id",
    "model": "model",
    "seq_len": "sequence",
    "hardware": "hardware",
    "n_gpus": "gpus",
    "precision": "precision_text",
    "parallelism": "layout",
    "sharding": "layout",
    "global_batch_seqs": "global_batch",
    "micro_batch": "micro_batch",
    "act_ckpt": "recompute",
    "network": "network",
    "params": "parameters",
    "params_total": "parameters",
    "params_active": "active",
    # the same under the names of the book's own tables
    "accelerator": "hardware",
    "gpus": "gpus",
    "sequence": "sequence",
    "layout": "layout",
    "global_batch": "global_batch",
    "checkpointing": "recompute",
    "parameters": "parameters",
    "active": "active",
}
_RUN = {**_SETUP, **_ARCHITECTURE, "method": "kind", "task": "kind"}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "runs": {**_RUN, "kind": "kind", "tokens": "tokens", "quantity": "quantity"},
    "throughput": {**_RUN, "kind": "kind"},
    "memory": {**_RUN, "quantity": "quantity"},  # `kind` is that of a measured peak
    "loss": {
        "id": "id",
        "model": "model",
        "kind": "kind",
        "N": "parameters",
        "N_kind": "counts",
        "D_tokens": "tokens",
        "D_unique": "unique",
        "C_flops": "compute",
        "loss_unit": "loss_unit",
        "tokenizer": "tokenizer",
        "eval_set": "evaluation",
        **_ARCHITECTURE,
        "seq_len": "sequence",
    },
}

NUMBERS = frozenset(
    (
        *_ARCHITECTURE,
        *("parameters", "active", "sequence", "tokens", "gpus", "global_batch", "micro_batch"),
        *("compute", "unique", "network"),
    )
)
NOT_STATED = frozenset(("", "nan", "none", "null", "n/a", "na", "-", "?", "unknown"))
#: In text columns `none` is a word: it says something about sharding and recomputation.
_NO_WORD = NOT_STATED - {"none"}
#: Numbers with commas between groups of three digits.
_GROUPED = re.compile(r"\D*\d{1,3}(?:,\d{3})+(?![\d,]).*")
_TIMES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
#: Names people give columns -> columns they may have meant; the first that the task has wins.
CALLED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("gpu", "device", "gpu_type", "card", "chip", "gpu_name"), ("hardware",)),
    **dict.fromkeys(("tokens", "d", "n_tokens", "train_tokens"), ("tokens", "D_tokens")),
    **dict.fromkeys(("size", "n", "n_params", "model_size", "params"), ("params", "N")),
    **dict.fromkeys(("num_gpus", "gpu_count", "world_size"), ("n_gpus",)),
    **dict.fromkeys(("batch", "batch_size", "gbs", "global_batch_size"), ("global_batch_seqs",)),
    **dict.fromkeys(("bs", "mbs", "batch_per_gpu"), ("micro_batch",)),
    **dict.fromkeys(("context", "max_length", "max_seq_len", "seq_length"), ("seq_len",)),
    **dict.fromkeys(("bandwidth", "interconnect", "nic"), ("network",)),
    **dict.fromkeys(("dtype",), ("precision",)),
    **dict.fromkeys(("strategy", "zero", "fsdp", "tp"), ("parallelism",)),
    **dict.fromkeys(("method", "finetuning", "kind", "task"), ("method", "kind")),
    **dict.fromkeys(("gradient_checkpointing", "recompute"), ("act_ckpt",)),
}
MEANT = "did you mean"
NEAR = 0.85  # similarity of a typo; `gpu_hours` must not suggest `gpus`
AT_ONCE = 256  # lines, few enough to stay in the processor's cache
#: The code of a file that is not a table of cases.
CODE = "P004"


@dataclass(frozen=True)
class Read:
    """A table as read: text and numbers by field, and why rows cannot be used."""

    task: str
    rows: int
    words: Mapping[str, Words]
    numbers: Mapping[str, Array]
    unsupported: Reasons
    unread: tuple[str, ...] = ()  # columns that describe no case, or do so under another name

    def text(self, name: str) -> Words:
        """The text of a field; empty if the table has no such column."""
        return self.words[name] if name in self.words else no_words(self.rows)


def read_csv(path: Path, task: str) -> Read:
    """Read a CSV file. Raises Refused if it is not a table of cases."""
    return read_table(read(path, CODE), task)


def read_table(file: File, task: str) -> Read:
    """Read a CSV file, keeping only known columns. Lines of the wrong length are not cases. Raises
    Refused if it is not a table of cases.
    """
    lines = (cells for _, cells in rows(file))
    header = [as_known(name.strip(), task) for name in next(lines, ())]
    if not header:
        raise file.refused("the file is empty; expected CSV with a line of column names")
    taken = {place: name for place, name in enumerate(header) if name in COLUMNS[task]}
    if not taken:
        raise file.refused(
            "no column of the file describes a case; its columns are "
            f"{quotable(', '.join(header), clip=False)[:200]}, and those that are read are "
            f"{', '.join(COLUMNS[task])}"
        )
    if twice := [name for name in taken.values() if header.count(name) > 1]:
        raise file.refused(f"the file has the column '{min(twice)}' twice; keep one of them")
    columns: dict[str, list[str]] = {name: [] for name in taken.values()}
    whys: list[str | None] = []
    width = len(header)
    while some := list(islice(lines, AT_ONCE)):
        whys += [None if len(line) == width else _misshapen(line, width) for line in some]
        for place, texts in enumerate(zip(*some, strict=False)):
            if place in taken:
                columns[taken[place]] += map(intern, texts)
    columns.setdefault("id", list(map(str, range(1, len(whys) + 1))))
    return replace(
        of_columns(columns, len(whys), task, words(whys)), unread=unread_of(header, task)
    )


def as_known(name: str, task: str) -> str:
    """A column's name in the letters of COLUMNS: `Model` is `model`."""
    known = COLUMNS[task]
    return name if name in known else {each.lower(): each for each in known}.get(name.lower(), name)


def unread_of(header: Iterable[str], task: str) -> tuple[str, ...]:
    """The columns that describe no case of the task."""
    return tuple(_unknown(name, task) for name in header if name and name not in COLUMNS[task])


def _unknown(name: str, task: str) -> str:
    """A column that is not read, with a suggestion of the column that was meant."""
    other = meant(name, task)
    return f"{name} ({MEANT} '{other}'?)" if other else name


def meant(name: str, task: str) -> str | None:
    """The column that an unknown name most likely stands for."""
    known = COLUMNS[task]
    usual = next((each for each in CALLED.get(name.lower(), ()) if each in known), None)
    return usual or near(name.lower(), tuple(known), NEAR)


def _misshapen(line: list[str], width: int) -> str:
    """Why a line of the wrong length is not a case. Pads short lines."""
    fields = counted(len(line), "field")
    line += [""] * (width - len(line))
    return f"the row has {fields}, but the table has {width} columns"


def of_columns(
    columns: Mapping[str, Sequence[str]], rows: int, task: str, unsupported: Reasons | None = None
) -> Read:
    """A table from the text of its columns, keyed by their names in a file."""
    words_of: dict[str, Words] = {}
    numbers: dict[str, Array] = {}
    whys = [no_reasons(rows) if unsupported is None else unsupported]
    for name, field in COLUMNS[task].items():
        if name not in columns:
            continue
        if name == "id":
            words_of[field] = words([text.strip() for text in columns[name]])
        elif field in NUMBERS:
            known = coded(columns[name]).each(partial(_number, name))
            values = known.numbers(itemgetter(0))
            numbers[field] = first_stated(numbers.get(field, values), values)
            whys.append(known.each(itemgetter(1)).column())
        else:
            said = each(columns[name], _said)
            words_of[field] = first_word(words_of.get(field, said), said)
    return Read(task, rows, words_of, numbers, first_reason(*whys))


def _said(text: str) -> str:
    return "" if text.strip().lower() in _NO_WORD else text.strip()


def _number(name: str, written: str) -> tuple[float, str | None]:
    """Read a positive number or nan, and the reason if the text is neither."""
    text = written.strip()
    if text.lower() in NOT_STATED:
        return np.nan, None
    number = spelled_out(text)
    if number is None:
        return np.nan, f"{name} '{text[:40]}' is not a number"
    if number <= 0:
        return np.nan, f"{name} is {text[:40]}, and must be above 0"
    if name in _WHOLE and not number.is_integer():
        return np.nan, f"{name} is {text[:40]}, and must be a whole number"
    return number, None


_ABOUT = re.compile(r"^(~|≈|about |around |approx(\.|imately)? |ca\. ?|circa )\s*", re.IGNORECASE)
_COUNTED = re.compile(
    r"\s*(tokens?|gpus?|tpus?|chips?|accelerators?|param(eter)?s?|sequences?)$", re.IGNORECASE
)
_WORDS = {"thousand": "k", "million": "m", "billion": "b", "trillion": "t"}


def spelled_out(text: str) -> float | None:
    """The number in a text such as `1_000`, `6.7B` or `~300 billion tokens`, or None."""
    with suppress(ValueError):  # most numbers are written plainly
        return stated(text)
    plain = _COUNTED.sub("", _ABOUT.sub("", text.strip()))
    if "," in plain and not _GROUPED.fullmatch(plain):
        return None  # a decimal comma
    plain = plain.replace("_", "").replace(",", "")
    for word, short in _WORDS.items():
        if plain.lower().endswith(word):
            plain = plain[: -len(word)] + short
    times = _TIMES.get(plain[-1:].lower(), 1.0)
    try:
        return in_bounds(stated((plain[:-1] if times != 1.0 else plain).strip()) * times)
    except ValueError:
        return None
