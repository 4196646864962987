"""Which kinds of file can be begun, what people call them, and where each has its place."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from scalesheet.load.folder import FOLDERS, is_id

#: Kinds that are never written by hand, and what writes them.
MADE = {"fit": "'scalesheet fit' writes it"}
#: Folder of a kind, as `plans` of `plan`.
FOLDER_OF: Mapping[str, str] = {
    **{kind: folder for folder, kind in FOLDERS.items() if kind not in MADE},
    "plan": "plans",
}
#: What is an entry of a file rather than a file, and the file that holds it.
ENTRIES: Mapping[str, str] = {kind: f"{kind}s" for kind in ("source", "unit")}
#: Begun as `new plan` begins a plan: the whole book, and the claims of a plan, by the plan's id.
BOOK, CLAIMS = "book", "claims"
#: Every kind that `new` can begin.
KINDS = (*FOLDER_OF, CLAIMS, *ENTRIES, BOOK)
#: What a kind may be called on the command line: by itself, by its folder, and as people say.
CALLED: Mapping[str, str] = {
    **{kind: kind for kind in FOLDER_OF},
    **{folder: kind for kind, folder in FOLDER_OF.items()},
    "accelerator": "hardware",
    "gpu": "hardware",
    "offer": "rate",
    "run": "published",
    "claim": CLAIMS,
    **{kind: kind for kind in (CLAIMS, BOOK, *ENTRIES)},
    **{file: kind for kind, file in ENTRIES.items()},
}


def modeline(data: Path, kind: str, id: str) -> str:
    """The first line of a new file, by which editors find its schema; nothing where the schemas do
    not stand beside the data."""
    file = data.absolute().parent / "generator" / "scalesheet" / "schema" / f"{kind}.schema.json"
    if not file.is_file():
        return ""
    way = os.path.relpath(file, place(data.absolute(), kind, id).parent).replace(os.sep, "/")
    return f"# yaml-language-server: $schema={way}\n"


def place(data: Path, kind: str, id: str) -> Path:
    """Where a file of that kind and id belongs."""
    if kind in ("plan", CLAIMS):
        return data / "plans" / id / f"{kind}.yaml"
    return data / FOLDER_OF[kind] / f"{id}.yaml"


def suggested(name: str) -> str:
    """The id that a name comes nearest to: `Qwen3 8B` is `qwen3-8b`. Empty where it has none."""
    id = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:64].strip("-")
    return id if is_id(id) else ""


def title(id: str) -> str:
    """A first title, made of an id."""
    return id.replace("-", " ").capitalize()
