"""Finds the accelerator or model in the catalogue that a name written by people refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scalesheet.frozen import dataclass
from scalesheet.model import Table
from scalesheet.nearest import nearest

#: Words that do not help to identify an accelerator.
_IDLE = frozenset(
    (
        *("nvidia", "amd", "google", "intel", "aws", "gpu", "gpus", "card", "tensor", "core"),
        *("tesla", "geforce", "instinct", "cloud", "habana", "chip", "chips", "pod", "pods"),
        *("slice", "accelerator", "accelerators", "dgx", "hgx", "hbm2", "hbm2e", "hbm3", "hbm3e"),
        *("gddr6", "gddr6x", "gddr7", "vram", "memory"),
    )
)
_COUNT = re.compile(r"^\s*([0-9]+)\s*[x×*]\s*(?=\S)", re.IGNORECASE)
_PER_NODE = re.compile(r"[\s,]*\(?\s*[0-9]+\s*(?:x\s*)?(?:/|per|a)\s*node\s*\)?", re.IGNORECASE)
_SIZE = re.compile(r"([0-9]+)[\s_-]*g(?:i?b)?\b")
_VERSION = re.compile(r"\btpu[\s_-]*v?([0-9]+)(?:[\s_-]*([a-z])\b)?")
_SLICE = re.compile(r"(\btpu v[0-9]+[a-z]?)[\s_-]+[0-9]+\b(?!\s*g)")
_GENERATION = re.compile(r"\b(sxm)[0-9]+\b")
_FORMS = ("sxm", "oam")  # preferred when a name omits the form factor


@dataclass(frozen=True, slots=True)
class Accelerators:
    """The names of the accelerators in the table, and what else identifies them."""

    exact: Mapping[str, tuple[str, ...]]  # normalized name (see `_plain`) -> rows
    parts: Mapping[str, frozenset[str]]  # row -> words in its names
    rank: Mapping[str, tuple[bool, float, str]]  # decides between two matches
    names: tuple[str, ...]  # as written, to suggest near misses
    words: frozenset[str]  # in all names
    own: frozenset[tuple[str, ...]]  # words of ids and titles, which identify exactly one


@dataclass(frozen=True, slots=True)
class NamedAccelerator:
    """A row, how many accelerators the name counts, and what was assumed; or a reason. If the name
    is of a node type, also its accelerators, and bytes per second of each to other nodes.
    """

    row: str = ""
    count: float | None = None
    assumed: str = ""
    reason: str | None = None
    per_node: float | None = None
    network: float | None = None


def _plain(name: str) -> tuple[str, ...]:
    """The identifying words of a name: `A100-SXM4-80GB` gives a100, sxm, 80gb."""
    text = name.lower()
    text = _VERSION.sub(r"tpu v\1\2", text)
    text = _SLICE.sub(r"\1", text)
    text = _SIZE.sub(r" \1gb ", text)
    text = _GENERATION.sub(r"\1", text)
    return tuple(word for word in re.findall(r"[a-z0-9.]+", text) if word not in _IDLE)


def accelerators(table: Table) -> Accelerators:
    """Collect the names in the table `hardware`."""
    exact: dict[str, list[str]] = {}
    parts: dict[str, frozenset[str]] = {}
    rank: dict[str, tuple[bool, float, str]] = {}
    every: list[str] = []
    for row, title in zip(table.rows, table.row_titles, strict=True):
        called = (row, title, *table.row_aliases.get(row, ()))
        every += called
        for name in called:
            rows = exact.setdefault(" ".join(sorted(_plain(name))), [])
            if row not in rows:
                rows.append(row)
        stated = table.columns["memory"].stated.get(row)
        size = stated.value if stated is not None else None
        size = size if isinstance(size, float) else 0.0
        built = table.columns["form_factor"].stated.get(row)
        shape = " ".join(_plain(str(built.value))) if built is not None else ""
        parts[row] = (
            frozenset(word for name in called for word in _plain(name))
            | {f"{size:g}gb"}
            | frozenset(shape.split())
        )
        rank[row] = (not any(each in parts[row] for each in _FORMS), size, row)
    words = frozenset(word for own in parts.values() for word in own)
    pairs = zip(table.rows, table.row_titles, strict=True)
    own = frozenset(tuple(sorted(_plain(name))) for pair in pairs for name in pair)
    named = {name: tuple(rows) for name, rows in exact.items()}
    return Accelerators(named, parts, rank, tuple(every), words, own)


def accelerator(name: str, known: Accelerators) -> NamedAccelerator:
    """Find the accelerator that a name refers to. Unknown names never match another accelerator."""
    count, bare = _counted(name)
    plain = _words(bare, known)
    if not plain:
        # an empty name is judged by the prediction: not every prediction needs an accelerator
        return NamedAccelerator(reason=_unknown(bare, known) if name.strip() else None)
    rows = _rows(plain, known)
    if not rows:
        return NamedAccelerator(reason=_unknown(bare, known))
    row = min(rows, key=known.rank.__getitem__)
    others = len(rows) > 1 or (
        tuple(sorted(plain)) not in known.own and len(family(bare, known)) > 1
    )
    assumed = f"'{bare.strip()}' taken for {row}" if others else ""
    return NamedAccelerator(row, count, assumed)


def is_accelerator(name: str, known: Accelerators) -> bool:
    """Whether a name, with a count or without, refers to an accelerator."""
    return bool(_rows(_words(_counted(name)[1], known), known))


def _counted(name: str) -> tuple[float | None, str]:
    """The count before a name, if any, and the name without it."""
    match = _COUNT.match(name)
    bare = _PER_NODE.sub("", name[match.end() :] if match else name)
    return float(match[1]) if match else None, bare


def _words(name: str, known: Accelerators) -> tuple[str, ...]:
    """The words of a name; those that are known only in the singular lose their plural."""
    return tuple(word if word in known.words else word.removesuffix("s") for word in _plain(name))


def _rows(words: tuple[str, ...], known: Accelerators) -> tuple[str, ...]:
    """The rows that the words name: the one of exactly this name, or else all that have them."""
    rows = known.exact.get(" ".join(sorted(words)), ())
    if len(rows) == 1:
        return rows
    text = frozenset(words)
    fitting = (row for row, parts in known.parts.items() if text <= parts)
    return rows or (tuple(fitting) if _names_it(text) else ())


def family(name: str, known: Accelerators) -> tuple[str, ...]:
    """All accelerators whose names contain every word: `a100` matches four, `A100 80 GB` two."""
    words = frozenset(_plain(name))
    return tuple(row for row, parts in known.parts.items() if words and words <= parts)


def _names_it(words: frozenset[str]) -> bool:
    """Whether the words identify a product. A memory size, a form factor or the name of a series
    alone does not.
    """
    own = [word for word in words if not re.fullmatch(r"[0-9]+gb|sxm|pcie|oam|module|board", word)]
    message = " ".join(own)
    return bool(re.search("[0-9]", message) and re.search("[a-z]|[0-9]{4}", message))


def _unknown(name: str, known: Accelerators) -> str:
    return f"unknown accelerator '{name.strip()}'{nearest(name.strip(), known.names)}"


# ------------------------------------------------------------------ models


@dataclass(frozen=True, slots=True)
class Models:
    """The models in the table by the words of their names, longest names first."""

    names: tuple[tuple[tuple[str, ...], str], ...]
    whole: Mapping[tuple[str, ...], str]
    makers: frozenset[str]  # names of developers, which may precede a model's name


def _pieces(name: str) -> tuple[str, ...]:
    """Split a name into letters and digits: `Llama-3.1-8B` and `llama3.1 8b` become the same."""
    return tuple(re.findall(r"[a-z]+|[0-9]+", name.lower().rpartition("/")[2]))


def models(table: Table) -> Models:
    """Collect the names in the table `models`."""
    whole: dict[tuple[str, ...], str] = {}
    for row, title in zip(table.rows, table.row_titles, strict=True):
        for name in (row, title, *table.row_aliases.get(row, ())):
            if _pieces(name):
                whole.setdefault(_pieces(name), row)
    longest = sorted(whole.items(), key=lambda item: (-len(item[0]), item[0]))
    developers = table.columns["developer"].stated if "developer" in table.columns else {}
    text = (str(stated.value) for stated in developers.values() if stated.value is not None)
    makers = frozenset(word for each in text for word in _pieces(each) if len(word) > 2)
    return Models(tuple(longest), whole, makers)


def model(name: str, known: Models) -> str:
    """The model that a name, or its first words, refers to; empty if none. The developer's name may
    come first: `Meta-Llama-3-8B`.
    """
    return _model(_pieces(name), known)[0]


def unknown(name: str, known: Models) -> str | None:
    """What to say of a model's name that says nothing about its size; None without a name."""
    if not name:
        return None
    near = nearest(name.strip().lower(), dict.fromkeys(known.whole.values()))
    return f"unknown model '{name.strip()}'{near or '; name one of the catalogue'}"


def beyond(name: str, known: Models) -> str:
    """The words that follow the model in a name: `guanaco` in `LLaMA-65B Guanaco`."""
    return " ".join(_model(_pieces(name), known)[1])


def _model(pieces: tuple[str, ...], known: Models) -> tuple[str, tuple[str, ...]]:
    """The row, and the pieces that remain."""
    if pieces in known.whole:
        return known.whole[pieces], ()
    for start, row in known.names:
        if len(start) > 1 and pieces[: len(start)] == start:
            return row, pieces[len(start) :]
    return _model(pieces[1:], known) if pieces and pieces[0] in known.makers else ("", ())


def is_whole(name: str, known: Models) -> bool:
    """Whether the entire name is one that the catalogue lists."""
    return _pieces(name) in known.whole


_TWO_HALVES = re.compile(
    r"(?<![a-z0-9])((m|by|umt|long|code)?t5|ul2|m?bart|encoder[ -]decoder)(?![a-z])"
)


def two_halves(name: str) -> bool:
    """Whether a name is that of an encoder-decoder model, where a token passes through one half."""
    return _TWO_HALVES.search(name.lower()) is not None


_PARAMETERS = re.compile(r"(?<![a-z0-9.x×])([0-9]+(?:\.[0-9]+)?)\s?([bm])(?![a-z0-9])")


_ACTIVE = re.compile(r"(?<=[0-9]b)[\s_-]*a([0-9]+(?:\.[0-9]+)?)\s?b(?![a-z0-9])")


def active(name: str) -> float:
    """The active parameters in a name such as `80B-A3B`, or nan."""
    result = _ACTIVE.search(name.lower())
    return float(result[1]) * 1e9 if result else float("nan")


def parameters(name: str) -> float:
    """The parameters in a name such as `GPT-3 6.7B`, or nan."""
    result = _PARAMETERS.search(name.lower())
    return float(result[1]) * {"b": 1e9, "m": 1e6}[result[2]] if result else float("nan")
