"""Imports point downwards: packages import only lower layers, and no modules are circular."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from project import ROOT

PACKAGE = ROOT / "generator" / "scalesheet"

#: The layers from bottom to top. Packages on one line do not import each other.
#: `docs/architecture.md` describes them.
LAYERS = """
__init__ frozen
codes nearest pictures vocabulary language output disk kept forks shipped short_names
units save tabs
model quantities
claims scenarios diagnostics printers
addresses book load values
hints foreign
schemas examples prose numbers links source
check resolve
evaluate
breaches
actuals audit new site sure
predict
defined_names fingerprint
choose steps
edition
kept_edition
kept_catalogue
kept_plan
examine carried
diff render
render.live
render.workbook render.pages
render.api pull
render.reference render.text
build serve
part
commands
cli library
__main__
"""


@cache
def modules() -> dict[str, Path]:
    """Every module of the package, by name; packages are named without `__init__`."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts if len(parts) == 1 else (p for p in parts if p != "__init__"))
        found[name] = path
    return found


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports: at the top, in functions, or only for types."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] == "scalesheet"
        ):
            owner = str(node.module).removeprefix("scalesheet").removeprefix(".")
            for alias in node.names:
                name = f"{owner}.{alias.name}".removeprefix(".")
                yield name if name in modules() else owner or "__init__"


@cache
def arrows() -> dict[str, set[str]]:
    """The imports of each module; the package's `__init__` imports lazily, so it has none here."""
    return {
        name: set(imported(path)) - {name} if name != "__init__" else set()
        for name, path in modules().items()
    }


def package(module: str) -> str:
    """The package of a module: its folder, or its folder within `render`."""
    parts = module.split(".")
    within_render = parts[0] == "render" and (PACKAGE / "render" / "".join(parts[1:2])).is_dir()
    return ".".join(parts[:2]) if within_render and len(parts) > 1 else parts[0]


def test_every_package_has_a_layer_and_imports_only_lower_layers() -> None:
    layer = {name: n for n, line in enumerate(LAYERS.split("\n")) for name in line.split()}
    assert {package(name) for name in modules()} == layer.keys()
    upwards = [
        f"{name} -> {other}"
        for name, others in sorted(arrows().items())
        for other in sorted(others)
        if package(name) != package(other) and layer[package(other)] >= layer[package(name)]
    ]
    assert upwards == []


def test_measuring_code_is_imported_in_one_place() -> None:
    places = [
        path.relative_to(PACKAGE).as_posix()
        for path in modules().values()
        if "from scalesheet_bench" in path.read_text("utf-8")
    ]
    assert places == ["commands/bench.py"]


def test_no_modules_import_each_other() -> None:
    try:
        TopologicalSorter(arrows()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_part_of_a_message_is_cut_off() -> None:
    """A string that is a statement of its own and no docstring is the lost end of a message."""
    lost = set()
    for name, path in modules().items():
        every = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        docstrings = {id(n.body[0]) for n in every if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        lost |= {
            f"{name}:{node.lineno}"
            for function in every
            if isinstance(function, ast.FunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Expr) and id(node) not in docstrings
            if isinstance(node.value, ast.JoinedStr | ast.Constant)
        }
    assert lost == set()


#: What opens, unpacks or parses a file. Only `foreign` may do this with files of other people.
OPENS = frozenset(
    (
        *("open", "read_bytes", "read_text", "read_csv", "read_json", "read_excel", "ZipFile"),
        *("load", "loads", "ParserCreate", "parse_file", "reader", "DictReader", "EventFileLoader"),
    )
)
#: The packages and commands that such files come in by.
DOORS = ("actuals", "audit", "new", "predict", "pull", "resolve", "steps")
DOORS += tuple(f"commands.{name}" for name in ("actuals", "audit", "law", "new", "predict", "pull"))
#: Where functions of ours have such a name: the reader of the book, and that of cases.
OURS = {"scalesheet.load", "scalesheet.predict.cases.reader"}


def test_only_one_package_opens_files_of_other_people() -> None:
    opened = []
    for name, path in modules().items():
        if not name.startswith(DOORS):
            continue
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        ours = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module in OURS
            for alias in node.names
        }
        for node in nodes:
            if isinstance(node, ast.Call):
                function = node.func
                called = getattr(function, "id", getattr(function, "attr", ""))
                known = isinstance(function, ast.Name) and called in ours
                shipped = ast.unparse(function).startswith("resources.files('scalesheet')")
                if called in OPENS and not (known or shipped):
                    opened.append(f"{name}:{node.lineno}: {called}")
    assert opened == []
