"""Declared dependencies are imported."""

from __future__ import annotations

import ast
import re
import tomllib

from project import ROOT

#: Packages with another import name.
IMPORTED_AS = {
    "jsonschema-rs": "jsonschema_rs",
    "pymdown-extensions": "pymdownx",
    "pyyaml": "yaml",
    "quickjs-ng": "quickjs",
}
#: Packages that are run as programs.
STARTED = {"mkdocs-material"}


def test_each_dependency_is_imported_by_some_module() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[^\w.-]", each)[0] for each in project["dependencies"]} - STARTED
    imported = {
        name.partition(".")[0]
        for path in (ROOT / "generator").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert {IMPORTED_AS.get(name, name) for name in names} <= imported
