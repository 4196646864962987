"""Finds the node type that a description of hardware names: `p5.48xlarge`, `2 x ND H100 v5`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import NO_TABLE, Table
from scalesheet.predict.cases.aliases import Accelerators, is_accelerator
from scalesheet.values import Results

#: Words in a description of hardware that do not distinguish node types.
_IDLE = frozenset(
    (
        *("aws", "amazon", "ec2", "ml", "azure", "microsoft", "standard", "google", "cloud", "gcp"),
        *("nvidia", "intel", "node", "nodes", "instance", "instances", "machine", "machines", "vm"),
        *("vms", "series"),
    )
)
_ALONE = re.compile(r"(?P<node>.*)", re.DOTALL)
_BEFORE = re.compile(r"\s*(?P<count>[0-9]+)\s*(?:[x×*]\s*|\s)(?P<node>.*)", re.DOTALL)
_AFTER = re.compile(r"(?P<node>.*?)\s*[x×*]\s*(?P<count>[0-9]+)\s*", re.DOTALL)
_GENERATION = re.compile(r"\bsxm[0-9]\b")


@dataclass(frozen=True, slots=True)
class Node:
    """A node type: its accelerators, and its network to other nodes, if known."""

    accelerator: str
    gpus: float
    network: float = np.nan  # byte / second and accelerator, in each direction


def node_types(
    book: Book, hardware: Accelerators, results: Results
) -> Mapping[tuple[str, ...], Node]:
    """The node types of the catalogue and the instances of its offers, by the words of their names.
    A name that two different nodes share is left out, as is an offer's name for an accelerator.
    """
    nodes, offers = (book.tables.get(name, NO_TABLE) for name in ("nodes", "offers"))
    types: dict[tuple[str, ...], Node | None] = {}
    by_id = {row: _of(book, nodes, results, row) for row in nodes.rows}
    rented = (
        (name, node)
        for name, node in _rented(offers, by_id)
        if re.search("[0-9]", name) and not is_accelerator(name, hardware)
    )
    for name, node in (*_named(nodes, by_id), *rented):
        same = types.setdefault(_plain(name), node)
        if same is None or (same.accelerator, same.gpus) != (node.accelerator, node.gpus):
            types[_plain(name)] = None
    return {words: node for words, node in types.items() if node is not None}


def node_type(name: str, types: Mapping[tuple[str, ...], Node]) -> tuple[Node, float] | None:
    """The node type that a name means, and how many of them; None if it names no node type."""
    for pattern in (_ALONE, _BEFORE, _AFTER):
        found = pattern.fullmatch(name)
        if found and (node := types.get(_plain(found["node"]))):
            return node, float(found.groupdict().get("count") or 1)
    return None


def _plain(name: str) -> tuple[str, ...]:
    words = re.findall(r"[a-z0-9]+", _GENERATION.sub("sxm", name.lower().replace("_", " ")))
    return tuple(word for word in words if word not in _IDLE)


def _of(book: Book, table: Table, results: Results, row: str) -> Node:
    """The node of a row of the table `nodes`."""
    said = table.columns["accelerator"].stated[row].value
    place, own = table.rows.index(row), table.columns["network"].unit
    gpus, network = (
        float(results.tables["nodes"][name].value[place]) for name in ("gpus", "network")
    )
    assert own is not None
    times = float(book.units.factor(own, book.units.parse("byte / (second * node)")))
    return Node(str(said), gpus, network * times / gpus)


def _named(table: Table, by_id: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    for row, title in zip(table.rows, table.row_titles, strict=True):
        for name in (row, title, *table.row_aliases.get(row, ())):
            yield name, by_id[row]


def _rented(table: Table, by_id: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    if "instance" not in table.columns:
        return
    stated = {name: table.columns[name].stated for name in table.columns}
    said = partial(_said, stated)
    for row in table.rows:
        name, gpus, node = said("instance", row), said("gpus", row), said("node", row)
        if isinstance(name, str) and isinstance(gpus, float):
            yield name, by_id.get(str(node)) or Node(str(said("accelerator", row)), gpus)


def _said(stated: Mapping[str, Mapping[str, object]], column: str, row: str) -> object:
    value = stated.get(column, {}).get(row)
    return getattr(value, "value", None)
