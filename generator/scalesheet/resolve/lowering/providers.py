"""Lowers the providers: what they charge for and how, each statement with its own source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.model import Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftTable
from scalesheet.resolve.lowering.catalogue_tables import new_table
from scalesheet.resolve.lowering.values import citation

#: What a provider's file may state, by key. Traps follow, with a column for each.
STATEMENTS = {
    "quoted": "What a price is for",
    "billing": "How time is billed",
    "besides": "Also charged",
    "spot": "Spot",
    "reserved": "Commitments",
}
TRAP = "What misleads"


def providers_table(documents: Sequence[Document]) -> DraftTable:
    """The table of providers: one row for each, with a column of text for each statement."""
    table = new_table("providers", "Providers", documents)
    most = max((len(d.data.get("traps", ())) for d in documents), default=0)
    traps = {f"trap_{n}": f"{TRAP}, {n}" for n in range(1, most + 1)}
    for name, title in {"url": "Prices", **STATEMENTS, **traps}.items():
        table.columns[name] = Draft(name, title, table.position, kind="text", table=table.name)
    for document in documents:
        for name, stated in _said(document):
            table.columns[name].stated[document.id] = stated
    return table


def _said(document: Document) -> Iterator[tuple[str, Stated]]:
    """The columns that a file fills."""
    data = document.data
    if "url" in data:
        yield "url", Stated(str(data["url"]), basis="published", position=document.at("url"))
    places: dict[str, tuple[str | int, ...]] = {
        name: (name,) for name in STATEMENTS if name in data
    } | {f"trap_{n + 1}": ("traps", n) for n in range(len(data.get("traps", ())))}
    for name, steps in places.items():
        text = data["traps"][steps[1]] if steps[0] == "traps" else data[name]
        yield (
            name,
            Stated(
                str(text["says"]),
                basis="published",
                citation=citation(text["source"]),
                position=document.at(*steps, "says"),
            ),
        )


def unknown_providers(
    offers: Sequence[Document], providers: Sequence[Document]
) -> Iterator[Diagnostic]:
    """Report offers whose provider has no file, if any provider has one."""
    known = {str(document.data["title"]): document for document in providers}
    for document in offers if known else ():
        name = str(document.data["provider"])
        if name not in known:
            hint = nearest(name, known) or "; write its file, or a title on file"
            message = f"'{name}' is not in providers{hint}"
            yield at(document.at("provider"), "N002", message)
