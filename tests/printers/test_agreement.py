"""The printers agree: a tree has the same value in Python, LibreOffice, Node and Chromium."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import xlsxwriter

from printers.expressions import batch
from printers.samples import binary
from printers.world import HERE, ROWS, SCALARS, TABLE, TITLES, Known, reference
from project import draws
from proof.office import Office
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, State
from scalesheet.language import arithmetic
from scalesheet.language.arithmetic import TOO_LARGE
from scalesheet.language.syntax import (
    Call,
    Choice,
    Column,
    Compare,
    End,
    Fixed,
    Join,
    Negative,
    Node,
    Number,
    Scalar,
    Text,
)
from scalesheet.printers import runtime
from scalesheet.printers.excel import excel
from scalesheet.printers.javascript import javascript, quoted
from scalesheet.printers.python import python
from scalesheet.printers.runtime import Reason
from scalesheet.render.script import runtime as runtime_script

AGREED = 1e-12
SIZE, TEXTS = draws(900), draws(400)


def n(value: float) -> Number:
    return Number(value)


TENTHS = binary(binary(n(0.3), "-", n(0.2)), "-", n(0.1))
#: Expressions that are known to differ between programs, and their required values.
BOUNDARY: list[tuple[Node, Any]] = [
    (TENTHS, 0.0),
    (Choice(Text("zero"), Compare("==", binary(n(0.1), "+", n(0.2)), n(0.3)), Text("not")), "zero"),
    (Compare("<", binary(n(0.1), "+", n(0.2)), n(0.3)), False),
    (Compare(">", binary(n(0.1), "+", n(0.2)), n(0.3)), False),
    (Compare(">=", n(0.3), binary(n(0.1), "+", n(0.2))), True),
    (Compare("!=", n(1.0), n(1.0 + 1e-14)), True),
    (Compare("==", n(1.0), n(1.0 + 1e-15)), True),
    (Compare("==", n(0.0), n(0.0)), True),
    (Compare("<", n(-1e-300), n(0.0)), True),
    (Call("ceil", (binary(n(23.1), "/", n(0.3)),)), 77.0),
    (Call("floor", (binary(n(0.3), "/", n(0.1)),)), 3.0),
    (Call("ceil", (n(77.0000001),)), 78.0),
    (Call("ceil", (n(-0.5),)), 0.0),
    (Call("floor", (n(-0.5),)), -1.0),
    (Call("ceil", (n(-2.0),)), -2.0),
    (Call("ceil", (n(15e12),)), 15e12),
    (Call("floor", (n(15e12),)), 15e12),
    (Call("ceil", (n(0.0),)), 0.0),
    (Call("round", (n(2.675), n(2.0))), 2.68),
    (Call("round", (n(1.005), n(2.0))), 1.01),
    (Call("round", (n(2.5),)), 3.0),
    (Call("round", (n(-2.5),)), -3.0),
    (Call("round", (n(-0.5),)), -1.0),
    (Call("round", (n(0.49999999999999994),)), 1.0),
    (Call("round", (n(1234567.0), Negative(n(3.0)))), 1235000.0),
    (Call("round", (n(499.0), Negative(n(3.0)))), 0.0),
    (Call("round", (n(2.0**53 + 2),)), 2.0**53 + 2),
    (Negative(binary(n(16.0), "**", n(2.0))), -256.0),
    (binary(Negative(n(16.0)), "**", n(2.0)), 256.0),
    (binary(n(2.0), "**", binary(n(3.0), "**", n(2.0))), 512.0),
    (binary(binary(n(2.0), "**", n(3.0)), "**", n(2.0)), 64.0),
    (binary(n(2.0), "**", Negative(n(1.0))), 0.5),
    (binary(n(7.0), "-", binary(n(5.0), "-", n(3.0))), 5.0),
    (binary(n(24.0), "/", binary(n(4.0), "*", n(3.0))), 2.0),
    (binary(n(3.0), "*", Negative(n(4.0))), -12.0),
    (Call("log10", (n(100.0),)), 2.0),
    (Call("sum", (n(0.1), n(0.2), Negative(n(0.3)))), 0.0),
    (Call("sum", tuple(n(0.1) for _ in range(300))), 30.0),
    (Call("max", (n(0.0), Scalar("debt"))), 0.0),
    (Fixed(Call("round", (n(2.675), n(2.0))), 2), "2.68"),
    (Fixed(Call("round", (n(-2.5),)), 0, " h"), "-3 h"),
    (Fixed(Call("round", (n(-0.04), n(1.0))), 1), "0.0"),
    (Fixed(Negative(n(0.0)), 0), "0"),
    (Fixed(Call("round", (n(1234567.0),)), 0), "1234567"),
    (Fixed(Call("round", (n(1e14), n(2.0))), 2), "100000000000000.00"),
    (Fixed(Call("round", (n(18e12),)), 0, " tokens"), "18000000000000 tokens"),
    (Fixed(Call("round", (n(4e-7), n(6.0))), 6), "0.000000"),
    (Fixed(Call("round", (n(0.0005), n(3.0))), 3), "0.001"),
    (Join((Text("a"), Scalar("empty"), Fixed(n(8.0), 0, " GB"), Text(" b"))), "a8 GB b"),
    (Join((Scalar("empty"),)), ""),
    (Join(()), ""),
]


LARGE = binary(n(1e300), "*", n(1e300))
#: Expressions that overflow, and would give a number or a flag if infinity propagated.
OVERFLOWING: list[Node] = [
    LARGE,
    binary(LARGE, "-", LARGE),
    binary(LARGE, "*", n(0.0)),
    binary(n(10.0), "**", n(400.0)),
    Call("exp", (n(1000.0),)),
    Call("sum", (n(1e308), n(1e308))),
    Call("min", (LARGE, n(5.0))),
    Call("max", (Negative(LARGE), n(5.0))),
    Call("floor", (LARGE,)),
    Call("round", (LARGE,)),
    Choice(n(1.0), Compare(">", LARGE, n(5.0)), n(0.0)),
    Choice(n(1.0), Compare("==", LARGE, LARGE), n(0.0)),
]
#: Overflows in a quotient or power, which Python's own operators do not refuse.
VANISHING = [binary(n(1.0), "/", LARGE), binary(n(0.5), "**", LARGE)]


class Names:
    """The places of the world in the test's workbook."""

    def scalar(self, name: str, end: End) -> str:
        return f"w.{name}" if end == "value" else f"w.{name}_{end}"

    def column(self, table: str, column: str, end: End) -> str:
        return f"World!${self._letter(column)}${HERE + 2}"

    def range(self, table: str, column: str, end: End) -> str:
        letter = self._letter(column)
        return f"World!${letter}$2:${letter}${len(ROWS) + 2}"

    looked_up = range

    def keys(self, table: str, column: str, end: End) -> str:
        return self.ids(table)

    def ids(self, table: str) -> str:
        return f"World!$A$2:$A${len(ROWS) + 2}"

    def titles(self, table: str) -> str:
        return f"World!$H$2:$H${len(ROWS) + 2}"

    def constant(self, name: str) -> str:
        return f"w.{name}"

    def _letter(self, column: str) -> str:
        return "BCDEFG"[list(TABLE).index(column)]


def in_workbook(nodes: Sequence[Node], office: Office, folder: Path) -> list[Any]:
    """LibreOffice's values of the formulas; a wrong value is stored with each."""
    path = folder / "agreement.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        world = book.add_worksheet("World")
        for row, id_ in enumerate(ROWS):
            cells = [id_, *(cells[row] for cells in TABLE.values()), TITLES[row]]
            for column, value in enumerate(cells):
                put(world, row + 1, column, value)
        constants = {**arithmetic.CONSTANTS, "byte_per_GB": 1e9, "out_of_reach": 1e300}
        for row, (name, value) in enumerate([*SCALARS.items(), *constants.items()]):
            put(world, row, 8, value)
            book.define_name(f"w.{name}", f"=World!$I${row + 1}")
        formulas = book.add_worksheet("Formulas")
        for row, node in enumerate(nodes):
            formula = excel(node, Names())
            if formula.array:
                formulas.write_array_formula(row, 0, row, 0, formula.text, None, -98765)
            else:
                formulas.write_formula(row, 0, formula.text, None, -98765)
    with office.open(path) as workbook:
        cells = workbook.read("Formulas")
    found = (cells[f"A{row + 1}"] for row in range(len(nodes)))
    return [cell.error_name or cell.value for cell in found]


def put(sheet: Any, row: int, column: int, value: Any) -> None:
    if isinstance(value, float):
        sheet.write_number(row, column, value)
    else:
        sheet.write_string(row, column, as_text(value))


def as_text(value: Any) -> str:
    """The text of a cell that does not hold a number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.text if isinstance(value, Reason) else str(value)


def in_python(nodes: Sequence[Node]) -> list[Any]:
    """The values of the printed Python text."""

    class Rows(list[Any]):
        def __getitem__(self, key: Any) -> Any:
            return super().__getitem__(ROWS.index(key))

    table = Rows(
        SimpleNamespace(
            id=id_, title=TITLES[row], **{name: cells[row] for name, cells in TABLE.items()}
        )
        for row, id_ in enumerate(ROWS)
    )
    names = {name: getattr(runtime, name) for name in runtime.__all__}
    names |= {**SCALARS, "t": table, "row": table[ROWS[HERE]]}
    return [eval(python(node), names) for node in nodes]


def script(nodes: Sequence[Node]) -> str:
    """A script that gives the values of all expressions."""

    def cell(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, Reason):
            return f"{{reason: {quoted(value.text)}}}"
        return quoted(value) if isinstance(value, str) else repr(value)

    scalars = {name: cell(value) for name, value in SCALARS.items()}
    rate = f"{{value: {SCALARS['rate']}, low: {SCALARS['rate_low']}, high: {SCALARS['rate_high']}}}"
    scalars["rate"] = rate
    columns = (f"{name}: [{', '.join(map(cell, cells))}]" for name, cells in TABLE.items())
    table = f"rows: {list(ROWS)}, titles: {list(TITLES)}, columns: {{{', '.join(columns)}}}"
    inputs = (
        f"{{scalars: {{{', '.join(f'{name}: {text}' for name, text in scalars.items())}}}, "
        f"tables: {{t: {{{table}}}}}}}"
    )
    expressions = ",\n".join(f"() => {javascript(node)}" for node in nodes)
    return f"""(() => {{
        const rt = scalesheet.runtime, i = {HERE};
        const {{ s, t }} = rt.start({inputs});
        return [{expressions}].map((f) => f()).map((x) => (rt.isReason(x) ? x.text : x));
    }})()"""


def differences(nodes: Sequence[Node], found: Sequence[Any]) -> tuple[list[str], float]:
    """Differences from the reference, in words, and the largest relative difference."""
    wrong, largest = [], 0.0
    for node, value in zip(nodes, found, strict=True):
        wanted = reference(node)
        if isinstance(wanted, Known) and isinstance(value, float | int):
            off = abs(value - wanted.value)
            agree = off <= AGREED * wanted.largest
            largest = max(largest, off / wanted.largest if off else 0.0)
        else:
            agree = not isinstance(wanted, Known) and as_text(wanted) == as_text(value)
        if not agree:
            wrong.append(f"{python(node)}\n  {excel(node, Names()).text}\n  {wanted} but {value!r}")
    return wrong, largest


def assert_agreement(found: Sequence[Any], record_property: Callable[[str, Any], None]) -> None:
    wrong, largest = differences(everything(), found)
    assert not wrong, f"{len(wrong)} of {len(found)} differ:\n" + "\n".join(wrong[:5])
    record_property("expressions", len(found))
    record_property("largest relative difference", f"{largest:.1e}")


def everything() -> list[Node]:
    return [*(node for node, _ in BOUNDARY), *batch(SIZE), *batch(TEXTS, "texts")]


def test_the_batch_has_the_expected_size_and_kinds() -> None:
    assert len(batch(SIZE)) == SIZE
    kinds = {type(reference(node)) for node in batch(SIZE)}
    assert kinds == {Known, bool, str, Reason}
    assert len(batch(TEXTS, "texts")) == TEXTS
    assert {type(reference(node)) for node in batch(TEXTS, "texts")} == {Known, str, Reason}


@pytest.mark.parametrize(("node", "expected"), BOUNDARY, ids=[python(x) for x, _ in BOUNDARY])
def test_the_boundary_cases_have_the_required_values(node: Node, expected: Any) -> None:
    found = in_python([node])[0]
    assert found == (
        pytest.approx(expected, rel=1e-12, abs=1e-12) if isinstance(expected, float) else expected
    )


def test_python_agrees(record_property: Any) -> None:
    assert_agreement(in_python(everything()), record_property)


def test_libreoffice_agrees(office: Office, tmp_path: Path, record_property: Any) -> None:
    assert_agreement(in_workbook(everything(), office, tmp_path), record_property)


def test_node_agrees(run_node: Callable[..., Any], record_property: Any) -> None:
    assert_agreement(run_node(runtime_script(), script(everything())), record_property)


def test_chromium_agrees(run_javascript: Callable[..., Any], record_property: Any) -> None:
    assert_agreement(run_javascript(runtime_script(), script(everything())), record_property)


def test_python_gives_no_number_for_an_overflow() -> None:
    for node in OVERFLOWING:
        try:
            (found,) = in_python([node])
        except OverflowError:
            continue
        assert not math.isfinite(found), python(node)


def test_the_evaluator_gives_a_reason_for_an_overflow() -> None:
    for node in (*OVERFLOWING, *VANISHING):
        assert interpret(node, Here(State())).why == TOO_LARGE, python(node)


def test_libreoffice_shows_an_error_for_an_overflow(office: Office, tmp_path: Path) -> None:
    path = tmp_path / "overflow.xlsx"
    nodes = [*OVERFLOWING, *VANISHING]
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Formulas")
        for row, (name, value) in enumerate(arithmetic.CONSTANTS.items()):
            sheet.write_number(row, 8, value)
            book.define_name(f"w.{name}", f"=Formulas!$I${row + 1}")
        for row, node in enumerate(nodes):
            sheet.write_formula(row, 0, excel(node, Names()).text, None, -98765)
    with office.open(path) as workbook:
        cells = workbook.read("Formulas")
    for row, node in enumerate(nodes):
        assert cells[f"A{row + 1}"].error, python(node)


def test_a_page_gives_a_reason_for_an_overflow(run_node: Callable[..., Any]) -> None:
    nodes = [*OVERFLOWING, *VANISHING]
    steps = "".join(f'["{at}", "", [() => {javascript(x)}], []],' for at, x in enumerate(nodes))
    code = f"""(() => {{
        const rt = scalesheet.runtime;
        const plan = {{ steps: (s, t) => [{steps}] }};
        const {{ results }} = rt.machine(plan, {{ scalars: {{}}, tables: {{}} }});
        return Object.keys(results.scalars).map((name) => results.scalars[name].reason);
    }})()"""
    assert run_node(runtime_script(), code) == [TOO_LARGE] * len(nodes)


def test_a_difference_would_be_noticed() -> None:
    wrong, _ = differences([n(2.0), Column("t", "kind")], [2.0 + 1e-11, "once"])
    assert len(wrong) == 2
