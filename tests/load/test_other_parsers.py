"""The project's YAML is read the same by libyaml, PyYAML's own parser and ruamel.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from proof.ledger import share
from scalesheet.source.spelling import flowed
from scalesheet.source.text import block, flow

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\A---\n(.*?)^---$", re.MULTILINE | re.DOTALL)


def events(text: str, loader: Any) -> list[tuple[Any, ...]]:
    """The events of a parser: the kind of each, its value and whether it is quoted."""
    return [
        (type(event).__name__, getattr(event, "value", None), bool(getattr(event, "style", None)))
        for event in yaml.parse(text, Loader=loader)
    ]


def by_ruamel(text: str) -> list[tuple[Any, ...]]:
    return [
        (type(event).__name__, getattr(event, "value", None), bool(getattr(event, "style", None)))
        for event in YAML(typ="safe", pure=True).parse(text)
        if type(event).__name__ != "CommentEvent"
    ]


def ours(kind: str) -> Iterator[tuple[str, str]]:
    """The project's files of a kind, and the YAML in them."""
    if kind == "data":
        for path in share(sorted((ROOT / "data").rglob("*.yaml")), 4):
            yield str(path), path.read_text("utf-8")
        for path in sorted((ROOT / "data").rglob("*.md")):
            for text in _FRONT.findall(path.read_text("utf-8")):
                yield str(path), text
    if kind == "docs":
        pages = [
            ROOT / "README.md",
            ROOT / "CONTRIBUTING.md",
            *sorted((ROOT / "docs").rglob("*.md")),
        ]
        for path in pages:
            if "book" not in path.parts:
                for text in (
                    *_FRONT.findall(words := path.read_text("utf-8")),
                    *_BLOCK.findall(words),
                ):
                    yield str(path), text
    if kind == "examples":
        for path in sorted((ROOT / "generator/scalesheet/examples").glob("*.yaml")):
            yield str(path), path.read_text("utf-8").partition("\n# good:\n")[2]


@pytest.mark.parametrize("kind", ["data", "docs", "examples"])
def test_every_parser_reads_the_projects_yaml_the_same(kind: str) -> None:
    different = []
    for path, text in ours(kind):
        try:
            found = events(text, yaml.SafeLoader)
            if found != events(text, yaml.CSafeLoader):
                different.append(f"{path}: PyYAML's own parser reads it otherwise than libyaml")
            if found != by_ruamel(text):
                different.append(f"{path}: ruamel.yaml reads it otherwise")
        except Exception as error:  # parsers raise different exceptions
            different.append(f"{path}: {error}")
    assert different == []


TEXT = st.text(st.sampled_from("ab Z?:,-#'\"{}[]&*!|>%@`~=.\\0é"), max_size=12)
DATA = st.one_of(
    TEXT, st.dictionaries(TEXT, st.one_of(TEXT, st.lists(TEXT, max_size=2)), max_size=3)
)


@given(DATA)
def test_every_parser_reads_the_programs_output_the_same(data: Any) -> None:
    for written in (flowed({"a": data}), flow({"a": data}), block({"a": data})):
        found = events(written, yaml.SafeLoader)
        assert found == events(written, yaml.CSafeLoader) == by_ruamel(written), written
