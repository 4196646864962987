"""Which kinds of file `new` can create, what people call them, and where each belongs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from scalesheet.load.folder import FOLDERS, is_id
from scalesheet.vocabulary import title_of

#: Kinds that are never written by hand, and the command that writes them.
MADE = {"fit": "'scalesheet fit' writes it"}
#: The folder of each kind, such as `plans` for `plan`.
FOLDER_OF: Mapping[str, str] = {
    **{kind: folder for folder, kind in FOLDERS.items() if kind not in MADE},
    "plan": "plans",
}
#: Kinds that are entries of a file rather than files, with that file.
ENTRIES: Mapping[str, str] = {kind: f"{kind}s" for kind in ("source", "unit")}
#: Created like plans: a whole book, and the claims of a plan, by the plan's id.
BOOK, CLAIMS = "book", "claims"
#: Every kind that `new` can create.
KINDS = (*FOLDER_OF, CLAIMS, *ENTRIES, BOOK)
#: Names of kinds on the command line: the kind, its folder, and common words.
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
    """The first line of a new file, by which editors find its schema.

    Empty if the schemas are not beside the data.
    """
    file = data.absolute().parent / "generator" / "scalesheet" / "schema" / f"{kind}.schema.json"
    if not file.is_file():
        return ""
    way = os.path.relpath(file, place(data.absolute(), kind, id).parent).replace(os.sep, "/")
    return f"# yaml-language-server: $schema={way}\n"


def place(data: Path, kind: str, id: str) -> Path:
    """The path for a file of that kind and id."""
    if kind in ("plan", CLAIMS):
        return data / "plans" / id / f"{kind}.yaml"
    return data / FOLDER_OF[kind] / f"{id}.yaml"


def suggested(name: str) -> str:
    """The id that is nearest to a name: `qwen3-8b` for `Qwen3 8B`. Empty if there is none."""
    id = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:64].strip("-")
    return id if is_id(id) else ""


def title(id: str) -> str:
    """An initial title, made from an id."""
    return title_of(id)
