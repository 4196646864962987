"""Reads a model's `config.json` key by key, and explains invalid values.

Code asks for keys by name. Keys that were asked for count as read; the others are either
bookkeeping (tokens, dropout, versions) or are reported to the user as not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scalesheet import foreign
from scalesheet.diagnostics import Diagnostic
from scalesheet.load import quotable
from scalesheet.schemas import described

#: The largest file that is read, in bytes; a config has a few kilobytes.
MAX_BYTES = 1_000_000
#: The largest size that a part of a model can have.
LARGEST = 10**9
#: The most layers, and the largest ratio of a feed-forward layer's width to the model's.
MOST_LAYERS, WIDEST = 10_000, 1_000.0

#: Keys that affect neither an architecture's sizes nor anything that a plan uses.
_BOOKKEEPING = re.compile(
    r"_.*|.*_token_ids?|.*_token_index|.*dropout.*|.*pdrop|.*_drop|.*_eps|.*epsilon|torch_dtype|dtype"
    r"|transformers_version|architectures|model_type|use_cache|initializer.*|auto_map|.*_act"
    r"|.*activation.*|(local_)?rope_(theta|pct)|rotary_.*|partial_rotary_factor|pretraining_tp"
    r"|output_.*|router_(aux|z)_.*|aux_loss.*|router_jitter.*|summary_.*|task_specific_params|id2label"
    r"|label2id|gradient_checkpointing|embd_.*|resid_.*|scale_attn.*|reorder_and.*|problem_type"
    r"|seq_aux|norm_topk_prob|init_(device|config)|logit_scale|verbose|name|finetuning_task|return_dict"
    r"|classifier_.*|tokenizer_class|skip_bias_.*|slow_but_exact|.*_in_fp32|offset_alibi|unk_index"
    r"|attn_logit_.*|query_pre_attn_.*|cache_implementation|scoring_func|ep_size|norm_type"
)


class Config:
    """A mapping of a config, or of a part of it. All errors are collected."""

    def __init__(
        self,
        path: str,
        text: str,
        data: Mapping[str, Any],
        problems: list[Diagnostic],
        prefix: str = "",
    ) -> None:
        self.path, self.text, self.data = path, text, data
        self.found, self.prefix = problems, prefix
        self._asked: set[str] = set()
        self._parts: list[Config] = []

    # -------------------------------------------------------------- values

    def size(
        self, *names: str, default: int | None = None, least: int = 1, most: int = LARGEST
    ) -> int:
        """An integer under the first existing name.

        If it is missing without a default, that is an error; 1 is returned, so that reading can go
        on.
        """
        name, value = self._first(names)
        if value is None:
            if default is None:
                self.missing(names[0], "a whole number")
            return 1 if default is None else default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            bound = f"of {least} or more" if most == LARGEST else f"from {least} to {most:,}"
            self.wrong(name, f"a whole number {bound}")
            return max(least, 1)
        return value

    def layers(self, *names: str, default: int | None = None) -> int:
        return self.size(*names, default=default, most=MOST_LAYERS)

    def maybe(self, *names: str) -> int | None:
        """A positive integer, or None if the key is missing."""
        return self.size(*names) if self.has(*names) else None

    def number(self, name: str, default: float) -> float:
        _, value = self._first((name,))
        if value is None:
            return default
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not 0 < value <= WIDEST:
            self.wrong(name, f"a number above 0, at most {WIDEST:,.0f}")
            return default
        return float(value)

    def flag(self, *names: str, default: bool) -> bool:
        name, value = self._first(names)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.wrong(name, "true or false")
            return default
        return value

    def word(self, name: str, default: str) -> str:
        _, value = self._first((name,))
        if value is None:
            return default
        if not isinstance(value, str):
            self.wrong(name, "a text")
            return default
        return value

    def sizes(self, name: str) -> tuple[int, ...]:
        """A list of integers; empty if the key is missing."""
        _, value = self._first((name,))
        if value is None:
            return ()
        whole = isinstance(value, list) and all(type(each) is int for each in value)
        if not whole:
            self.wrong(name, "a list of whole numbers")
            return ()
        return tuple(value)

    def words(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty if the key is missing."""
        _, value = self._first((name,))
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.wrong(name, "a list of strings")
            return ()
        return tuple(value)

    def part(self, name: str, needed: bool = True) -> Config | None:
        """The mapping under a name."""
        _, value = self._first((name,))
        if value is None:
            if needed:
                self.missing(name, "a mapping")
            return None
        if not isinstance(value, Mapping):
            self.wrong(name, "a mapping")
            return None
        below = Config(self.path, self.text, value, self.found, f"{self.prefix}{name}.")
        self._parts.append(below)
        return below

    def has(self, *names: str) -> bool:
        return any(self.data.get(name) is not None for name in names)

    def ignore(self, *names: str) -> None:
        """Count these as read."""
        self._asked.update(names)

    def _first(self, names: Sequence[str]) -> tuple[str, Any]:
        self._asked.update(names)
        for name in names:
            if self.data.get(name) is not None:
                return name, self.data[name]
        return names[0], None

    # -------------------------------------------------------------- errors

    def missing(self, name: str, expected: str) -> None:
        self._say(
            "M003",
            "",
            f"the key '{self.prefix}{name}' is missing; expected {expected}: use the checkpoint's "
            "file as published",
        )

    def wrong(self, names: str | Sequence[str], expected: str) -> None:
        """Report that the value under the first existing name is not what was expected."""
        name, value = self._first((names,) if isinstance(names, str) else names)
        value = "nothing" if value is None else described(value)
        self._say(
            "M004",
            name,
            f"{self.prefix}{name}: expected {expected}, found {value}; compare it with the "
            "checkpoint's file as published",
        )

    def unsupported(self, name: str, what: str) -> None:
        self._say("M005", name, f"{self.prefix}{name}: {what}")

    def _say(self, code: str, name: str, message: str) -> None:
        line, column = foreign.place_of_key(self.text, name)
        self.found.append(Diagnostic(self.path, line, column, code, message))

    # -------------------------------------------------------------- unread keys

    def unused(self) -> Iterator[str]:
        """Yield the keys that describe the model and were not asked for, sorted."""
        here = (
            self.prefix + quotable(key)
            for key, value in self.data.items()
            if key not in self._asked
            and not _BOOKKEEPING.fullmatch(key)
            and value not in (None, False, [], {})
        )
        below = (key for part in self._parts for key in part.unused())
        return iter(sorted({*here, *below}))


def read(path: Path) -> Config:
    """Read a config file. Raises Refused if it is not a JSON mapping."""
    file = foreign.read(path, "M001", MAX_BYTES)
    data = foreign.mapping(file, "the config.json of a model, as published")
    return Config(file.path, foreign.text(file), data, [])
