"""Editor support: every kind of file has a schema, and the real server completes and checks."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from editors.server import PROGRAM, ROOT, Message, Server, settings
from project import environment
from scalesheet.load import parse
from scalesheet.load.folder import FOLDERS, OPTIONAL, TOP
from scalesheet.source.places import modeline
from small import lay

SCHEMAS = "generator/scalesheet/schema"
#: The files of each kind, as the loader recognizes them.
MAPPED = {
    **{kind: [f"data/{name}"] for name, kind in {**TOP, **OPTIONAL}.items()},
    **{kind: [f"data/{folder}/*.yaml"] for folder, kind in FOLDERS.items()},
    "plan": ["data/plans/*/plan.yaml"],
    "claims": ["data/plans/*/claims.yaml", "data/plans/*/claims/*.yaml"],
}


def test_vs_code_has_a_schema_for_every_kind_of_file() -> None:
    stated = json.loads((ROOT / ".vscode/settings.json").read_text("utf-8"))["yaml.schemas"]
    listed = {place: [each] if isinstance(each, str) else each for place, each in stated.items()}
    assert listed == {f"./{SCHEMAS}/{kind}.schema.json": files for kind, files in MAPPED.items()}
    assert all((ROOT / place).is_file() for place in listed)
    advised = json.loads((ROOT / ".vscode/extensions.json").read_text("utf-8"))
    assert advised == {"recommendations": ["redhat.vscode-yaml"]}


def test_jetbrains_has_the_same() -> None:
    tree = ElementTree.parse(ROOT / ".idea" / "jsonSchemas.xml")
    found = {}
    for info in tree.iter("SchemaInfo"):
        said = {option.get("name"): option.get("value") for option in info.findall("option")}
        assert said["schemaVersion"] == "JSON Schema version 2020-12"
        place = said["relativePathToSchema"]
        found[place] = [o.get("value") for o in info.iter("option") if o.get("name") == "path"]
    assert found == {f"{SCHEMAS}/{kind}.schema.json": files for kind, files in MAPPED.items()}


# ------------------------------------------------------------------ the language server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if not PROGRAM.exists():
        pytest.skip("the YAML language server is not there: run 'make editors'")
    server = Server()
    yield server
    server.close()


OFFER = """\
title: An offer
provider: AWS
accelerator: t4
accelerators: 1
term: ondemand
prices:
  - from: 2023-07-01
    price: 0.53
    unit: USD / (node * hour)
    kind: published
    source: a-paper
"""


def test_a_wrong_word_is_reported_at_its_place(server: Server) -> None:
    (found,) = server.open("data/rates/new.yaml", OFFER)
    place = found["range"]
    assert (place["start"]["line"], place["start"]["character"]) == (4, 6)
    assert '"on-demand", "spot", "reserved"' in found["message"]
    assert server.open("data/rates/sound.yaml", OFFER.replace("ondemand", "on-demand")) == []


def test_hovering_a_key_explains_it(server: Server) -> None:
    server.open("data/rates/new.yaml", OFFER)
    assert "How many of them a node (an instance) has." in server.hover("data/rates/new.yaml", 3, 2)
    assert "Per node-hour." in server.hover("data/rates/new.yaml", 7, 5)


def test_keys_and_words_are_completed(server: Server) -> None:
    lines = OFFER.splitlines()
    server.open("data/rates/new.yaml", OFFER)
    assert server.completion("data/rates/new.yaml", 4, 6) == ["on-demand", "spot", "reserved"]
    keys = server.completion("data/rates/new.yaml", len(lines), 0)
    assert {"region", "commitment", "note"} <= set(keys)
    assert "term" not in keys


def test_a_new_file_names_its_own_schema(server: Server) -> None:
    place = "elsewhere/rates/new.yaml"  # where no setting maps the file
    assert server.open(place, OFFER) == []
    (found,) = server.open(f"{place}.yaml", modeline(ROOT / "data", "rate", "new") + OFFER)
    assert found["range"]["start"]["line"] == 5


def is_number_of_ours(text: str, found: Message) -> bool:
    """Whether the error is about a number such as 10_000, which is text in YAML 1.2."""
    start, end = found["range"]["start"], found["range"]["end"]
    marked = text.splitlines()[start["line"]][start["character"] : end["character"]]
    return re.fullmatch(r"[0-9]+(_[0-9]+)+", marked) is not None


@pytest.mark.parametrize("kind", MAPPED)
def test_the_server_finds_nothing_wrong_with_the_book(server: Server, kind: str) -> None:
    files = [path for pattern in MAPPED[kind] for path in ROOT.glob(pattern)]
    smallest = min(files, key=lambda path: (path.stat().st_size, path))
    place = smallest.relative_to(ROOT).as_posix()
    text = smallest.read_text("utf-8")
    assert [each for each in server.open(place, text) if not is_number_of_ours(text, each)] == []
    schemas = settings()["yaml"]["schemas"]
    assert (ROOT / SCHEMAS / f"{kind}.schema.json").as_uri() in schemas


# ------------------------------------------------------------------ before a commit


CHECK = "scalesheet-check"


def hooks() -> list[dict[str, object]]:
    offered = parse((ROOT / ".pre-commit-hooks.yaml").read_bytes(), "").data
    (local,) = parse((ROOT / ".pre-commit-config.yaml").read_bytes(), "").data["repos"]
    assert local["repo"] == "local"
    return [*offered, *local["hooks"]]


def test_the_hooks_have_the_fields_that_pre_commit_requires() -> None:
    known = {"id", "name", "description", "entry", "language", "files", "pass_filenames"}
    for hook in hooks():
        assert {"id", "name", "entry", "language"} <= set(hook) <= known
        assert hook["language"] in ("python", "system")
        file = "data/rates/a.yaml" if hook["id"] == CHECK else "a.py"
        assert re.search(str(hook["files"]), file)


def test_the_hooks_accept_valid_data_and_stop_errors(tmp_path: Path) -> None:
    entries = {str(hook["entry"]).rpartition("/")[2] for hook in hooks() if hook["id"] == CHECK}
    assert len(entries) == 1  # one is found on the path, the other in .venv
    program, *arguments = shlex.split(entries.pop())
    assert program == "scalesheet"

    def status() -> int:
        command = [sys.executable, "-m", "scalesheet", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, check=False
        ).returncode

    lay(tmp_path, {})
    assert status() == 0
    lay(tmp_path, {"rates/offer.yaml": OFFER})
    assert status() == 1
