"""`pull` of edited workbooks of a small book, saved by openpyxl without any values."""

from __future__ import annotations

import random
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest

from pull.workbooks import FILES, PLAN, Shipped, cell, copied, diff, said, ship
from runs import RUN, UNITS
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.examine import diagnose
from scalesheet.pull import read, write
from scalesheet.pull.sheets import read_workbook
from small import HEAD, MINIMAL

# ------------------------------------------------------------------ properties


def test_an_unedited_workbook_changes_nothing(shipped: Shipped) -> None:
    for path in (
        shipped.workbook,
        shipped.edited({}),
    ):  # as written, and as saved by another program
        pulled = read(shipped.data, path)
        assert (pulled.same, pulled.edits, pulled.left, said(pulled)) == (True, (), (), [])


@pytest.mark.parametrize("seed", range(4))
def test_the_next_workbook_has_the_edited_values(
    seed: int, shipped: Shipped, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    mine = copied(shipped, tmp_path)
    numbers = [
        *("batch", "price", "left.corrected", "left.written", "runs['s1k'].peak"),
        *("runs['s10k'].steps", "hardware['card'].memory", "hardware['card'].power"),
    ]
    edits: dict[str, object] = {name: chance.randrange(1, 10**6) / 8 for name in numbers}
    edits["runs['s10k'].steps"] = chance.randrange(1, 10**6)
    low, value, high = sorted(chance.randrange(1, 1000) for _ in range(3))
    for name in ("steps_per_hour", "wait"):
        edits |= {f"{name} low": low, name: value, f"{name} high": high}
    edits |= {"mode": "slow", "twice": chance.choice(["yes", "no"])}
    edits["runs['last'].by"] = chance.choice(["a: b", "'quoted'", "# no", "yes", "12", "one, two"])
    chosen = dict(chance.sample(sorted(edits.items()), 12))
    for name in ("wait", "steps_per_hour"):  # all ends or none
        if name in chosen or f"{name} low" in chosen or f"{name} high" in chosen:
            chosen |= {key: v for key, v in edits.items() if key.split()[0] == name}
    pulled = read(mine.data, mine.edited(chosen, name=f"{seed}.xlsx"))
    assert said(pulled) == []
    before = mine.plan.read_text()
    write(mine.data, pulled)
    kept = [line for line in before.splitlines() if line in mine.plan.read_text().splitlines()]
    assert len(kept) >= len(before.splitlines()) - len(chosen)  # only lines of edits
    build(mine.data, tmp_path / "build", site=False)
    again = openpyxl.load_workbook(tmp_path / "build" / "workbooks" / "small.xlsx")
    assert {name: cell(again, name).value for name in chosen} == chosen
    assert read(mine.data, tmp_path / "build" / "workbooks" / "small.xlsx").edits == ()


# ------------------------------------------------------------------ single edits

EDITS = {
    "a number, with its comment kept": (
        {"one": 2},
        ["-  one: {value: 1, unit: GPU}", "+  one: {value: 2, unit: GPU}"],
    ),
    "in the manner of the old": (
        {"steps_per_hour": 1900.0, "steps_per_hour high": 2300},
        [
            "-  steps_per_hour: {value: 2_000, low: 1_800, high: 2_200,",
            "+  steps_per_hour: {value: 1_900, low: 1_800, high: 2_300,",
        ],
    ),
    "the middle of the range stays unsaid": (
        {"wait low": 1, "wait": 2.5},
        ["-  wait: {low: 2, high: 4,", "+  wait: {low: 1, high: 4,"],
    ),
    "and is said where it is another number": (
        {"wait": 3.5},
        ["-  wait: {low: 2, high: 4, unit", "+  wait: {low: 2, high: 4, value: 3.5, unit"],
    ),
    "both sides of a scenario": (
        {"left.corrected": 6, "left.written": 8},
        [
            "-  left: {value: 5, unit: GB, written: {value: 7}}",
            "+  left: {value: 6, unit: GB, written: {value: 8}}",
        ],
    ),
    "a reason for a number, and a number for a reason": (
        {"runs['s1k'].peak": "not measured", "runs['s10k'].peak": 4},
        [
            "-      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5}",
            "-      s10k: {title: 10 000 steps, steps: {value: 10_000, "
            "note: the long one}, peak: {",
            "+      s1k: {title: 1 000 steps, steps: 1_000, peak: {reason: not measured}}",
            "+      s10k: {title: 10 000 steps, steps: {value: 10_000, "
            "note: the long one}, peak: {",
        ],
    ),
    "a text that was not there, and one that needs quotes": (
        {"runs['s1k'].by": "me", "runs['last'].by": "mine: all"},
        [
            "-      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5}",
            "-        by: hand",
            "+      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5, by: me}",
            '+        by: "mine: all"',
        ],
    ),
    "a title": (
        {"Runs!A9": "the last one"},
        ["+        title: the last one"],
    ),
    "a figure of the catalogue": (
        {"hardware['card'].memory": 48},
        ["-memory: {value: 24, unit: GiB,", "+memory: {value: 48, unit: GiB,"],
    ),
    "a figure that no file states": (
        {"hardware['card'].link": 64},
        ["+link: {value: 64, unit: GB / second, kind: assumption}"],
    ),
    "a formula, as the plan writes it": (
        {
            end: f"=1.2*runs_total_hours{end[4:].replace(' ', '_')}*price*one"
            for end in ("cost", "cost low", "cost high")
        },
        [
            '-  cost: {unit: USD, formula: "runs.total.hours * price * one"}   # in all',
            '+  cost: {unit: USD, formula: "1.2 * runs.total.hours * price * one"}   # in all',
        ],
    ),
    "a formula around a call": (
        {
            "room": "=1+1000000000*each*width/INDEX(Hardware!$H$2:$H$3,"
            "MATCH(gpu,hardware_id,0))/byte_per_GiB"
        },
        [
            '-  room: {unit: 1, formula: "weight_memory(params=1e9 * each, bytes_per',
            '+  room: {unit: 1, formula: "1 + weight_memory(params=1e9 * each, bytes_per',
        ],
    ),
    "a condition": (
        {"fits": '=IF(OR(room<=0.25,twice="yes"),"yes","no")'},
        [
            "-  fits: {flag: yes, formula: room <= 0.5 and not twice}",
            "+  fits: {flag: yes, formula: room <= 0.25 or twice}",
        ],
    ),
    "a formula of one row": (
        {
            f"runs['s1k'].hours{end and ' ' + end}": f"=C7/steps_per_hour{to}*2"
            for end, to in (("", ""), ("low", "_high"), ("high", "_low"))
        },
        [
            "-      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5}",
            "+      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5, hours: {formula: steps / ",
        ],
    ),
    "a formula of a whole column": (
        {
            f"runs['{row}'].hours{end and ' ' + end}": f"=C{at}/steps_per_hour{to}*2"
            for end, to in (("", ""), ("low", "_high"), ("high", "_low"))
            for at, row in enumerate(("s1k", "s10k", "last"), 7)
        },
        [
            "-      hours: {unit: hour, formula: steps / steps_per_hour}",
            "+      hours: {unit: hour, formula: steps / steps_per_hour * 2}",
        ],
    ),
    "a value over a formula": (
        {f"runs['s1k'].hours{end}": 4 for end in ("", " low", " high")},
        [
            "-      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5}",
            "+      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5, hours: 4}",
        ],
    ),
    "a formula over a value": (
        {"batch": "=4*SUM(2,2)*room"},
        ["-    value: 16", "-    kind: decision", "+    formula: 4 * sum(2, 2) * room"],
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edit_changes_only_its_lines(case: str, shipped: Shipped) -> None:
    cells, lines = EDITS[case]
    pulled = shipped.pull(cells)
    assert said(pulled) == []
    found = diff(pulled)
    assert [line[: len(wanted)] for line, wanted in zip(found, lines, strict=True)] == lines


def add_row(book: openpyxl.Workbook) -> None:
    sheet = book["Runs"]
    sheet["A10"], sheet["C10"], sheet["D10"] = "Two thousand", 2000, 1.5
    for column in "FGH":
        end = {"F": "_high", "G": "", "H": "_low"}[column]
        sheet[f"{column}10"] = f"=C10/steps_per_hour{end}"


LONG = (
    HEAD
    + """\
headline: [slowest]
scalars:
  first_share_of_the_room: {value: 0.5, unit: 1, domain: fraction}
  second_share_of_the_room: {value: 0.25, unit: 1, domain: fraction}
  third_share_of_the_room: {value: 0.125, unit: 1, domain: signed}
  gpu: {ref: hardware, value: card}
  slowest:
    unit: GiB
    formula: gpu.memory * (first_share_of_the_room + second_share_of_the_room) / \
(first_share_of_the_room - third_share_of_the_room) + gpu.memory * 3
"""
)


def test_an_edit_of_a_formula_with_steps_changes_the_original_formula(tmp_path: Path) -> None:
    mine = ship(tmp_path, {"plans/small/plan.yaml": LONG, "plans/small/page.md": "# A plan\n"})
    book = openpyxl.load_workbook(mine.workbook)
    formula = str(cell(book, "slowest").value)
    assert formula == "=IF(ISTEXT(slowest_part_2),slowest_part_2,slowest_part_2+gpu_memory*3)"
    pulled = mine.pull({"slowest": formula.replace("*3", "*4")})
    assert said(pulled) == []
    assert pulled.edits[0].new == (
        "gpu.memory * (first_share_of_the_room + second_share_of_the_room) / "
        "(first_share_of_the_room - third_share_of_the_room) + gpu.memory * 4"
    )


ABSENT = (
    HEAD
    + """\
headline: [spent]
scalars:
  need: {value: 20, unit: 1, domain: non-negative}
  measured: {unit: 1, formula: "need if need > 0 else reason('not measured')"}
  fits: {flag: yes, formula: measured < 24}
  spent: {unit: 1, formula: 3 if fits else 1}
"""
)


def test_the_generated_guard_of_a_flag_is_left_out_of_the_formula(tmp_path: Path) -> None:
    mine = ship(tmp_path, {"plans/small/plan.yaml": ABSENT, "plans/small/page.md": "# A plan\n"})
    formula = str(cell(openpyxl.load_workbook(mine.workbook), "spent").value)
    assert formula == '=IF(OR(fits="yes",fits="no"),IF(fits="yes",3,1),fits)'
    pulled = mine.pull({"spent": formula.replace("3", "4")})
    assert said(pulled) == []
    assert pulled.edits[0].new == "4 if fits else 1"


LEAST = (
    LONG.replace("headline: [slowest]", "headline: [slowest, shortest]").replace(
        "  slowest:",
        """\
  most_steps_that_a_run_may_take_here: {value: 900, unit: step}
  shortest: {unit: step, formula: least.steps}
  least: {ref: runs, formula: argmin(runs.steps where steps < most_steps_that_a_run_may_take_here)}
  slowest:""",
    )
    + """\
tables:
  runs:
    title: Runs
    columns: {steps: {unit: step, domain: count}}
    rows: {short: {steps: 100}, long: {steps: 1_000}}
"""
)


def test_an_edited_search_for_the_least_row_is_read_back(tmp_path: Path) -> None:
    mine = ship(tmp_path, {"plans/small/plan.yaml": LEAST, "plans/small/page.md": "# A plan\n"})
    formula = str(cell(openpyxl.load_workbook(mine.workbook), "least").value)
    edited = formula.replace("<most_steps_that_a_run_may_take_here", "<=2*third_share_of_the_room")
    assert edited != formula
    assert [edit.new for edit in mine.pull({"least": edited}).edits] == [
        "argmin(runs.steps where steps <= 2 * third_share_of_the_room)"
    ]


def test_an_edit_of_a_step_is_refused(tmp_path: Path) -> None:
    mine = ship(tmp_path, {"plans/small/plan.yaml": LONG, "plans/small/page.md": "# A plan\n"})
    assert said(mine.pull({"slowest_part_1": "=first_share_of_the_room*2"})) == [
        "W006 'slowest_part_1' is a step of a formula; edit the formula itself"
    ]


def test_an_added_row_is_imported(shipped: Shipped) -> None:
    pulled = shipped.pull({}, add_row)
    assert said(pulled) == []
    assert diff(pulled) == [
        "+      two-thousand:",
        "+        title: Two thousand",
        "+        steps: 2000",
        "+        peak: 1.5",
    ]


def test_an_already_imported_row_is_not_an_edit(shipped: Shipped, tmp_path: Path) -> None:
    """It is pulled again as it was added, without an id and without the formulas of its columns."""

    def add(book: openpyxl.Workbook) -> None:
        book["Runs"]["A10"], book["Runs"]["C10"], book["Runs"]["D10"] = "Two thousand", 2000, 1.5

    mine = copied(shipped, tmp_path)
    edited = mine.edited({}, add)
    for old, new in read(mine.data, edited).files.values():
        assert mine.plan.read_bytes() == old
        mine.plan.write_bytes(new)
    pulled = read(mine.data, edited)
    assert (said(pulled), pulled.edits, pulled.left) == ([], (), ())


def test_a_deleted_row_is_deleted(shipped: Shipped) -> None:
    def delete(book: openpyxl.Workbook) -> None:
        for column in "ABCDEFGHIJK":  # like deleting its cells, which moves those below up
            for row in (8, 9):
                text = book["Runs"][f"{column}{row + 1}"].value
                known = isinstance(text, str) and text.startswith("=")
                book["Runs"][f"{column}{row}"] = (
                    re.sub(rf"\b([A-Z]){row + 1}\b", rf"\g<1>{row}", text) if known else text
                )

    pulled = shipped.pull({}, delete)
    assert said(pulled) == []
    assert [edit.new for edit in pulled.edits] == ["deleted"]
    assert [line[:14] for line in diff(pulled)] == ["-      s10k: {"]


def test_a_price_is_never_overwritten(tmp_path: Path) -> None:
    plan = PLAN.replace("  one: {", "  deal: {ref: offers, value: offer}\n  one: {").replace(
        "  each:", "  paid: {unit: USD / (node * hour), formula: deal.node_price}\n  each:"
    )
    mine = ship(tmp_path, {**FILES, "plans/small/plan.yaml": plan})
    cells = {f"offers['offer'].node_price{end}": 3 for end in ("", " low", " high")}
    pulled = mine.pull(cells)
    assert said(pulled) == []
    assert diff(pulled) == [
        "+  - {from: 2026-11-20, price: 3, unit: USD / (node * hour), kind: assumption, "
        "note: from an edited workbook}"
    ]


def test_a_figure_that_replaces_a_reason_is_marked_as_an_assumption(tmp_path: Path) -> None:
    card = (MINIMAL / "hardware" / "card.yaml").read_text("utf-8")
    plan = PLAN.replace(
        "  each:", "  peak: {unit: TFLOP / (second * GPU), formula: gpu.dense_fp8}\n  each:"
    )
    files = {"hardware/card.yaml": card + "dense_fp8: {reason: no such unit}\n"}
    mine = ship(tmp_path, {**FILES, "plans/small/plan.yaml": plan, **files})
    pulled = mine.pull({"hardware['card'].dense_fp8": 250})
    assert said(pulled) == []
    assert diff(pulled) == [
        "-dense_fp8: {reason: no such unit}",
        "+dense_fp8: {value: 250, unit: TFLOP / (GPU * second), kind: assumption}",
    ]


# ------------------------------------------------------------------ the command


def test_the_command_writes_everything_or_nothing(
    shipped: Shipped,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mine = copied(shipped, tmp_path)
    monkeypatch.chdir(tmp_path)
    bad = str(mine.edited({"batch": 32, "wait": "soon"}, name="bad.xlsx"))
    good = str(mine.edited({"batch": 32, "hardware['card'].memory": 48}, name="good.xlsx"))
    before = {path: path.read_bytes() for path in mine.data.rglob("*.yaml")}

    assert main(["pull", "nowhere.xlsx"]) == 2
    assert main(["pull", bad]) == 1
    assert capsys.readouterr().out == (
        "bad.xlsx: Inputs!D14: W005 'wait' is the text 'soon', not a number, and this cell cannot "
        "hold a reason; write a number (data/plans/small/plan.yaml:16:9)\n"
    )
    assert main(["pull", "--dry-run", good]) == 0
    tried = capsys.readouterr().out
    assert {path: path.read_bytes() for path in mine.data.rglob("*.yaml")} == before

    assert main(["pull", good]) == 0
    done = capsys.readouterr().out
    assert done.splitlines()[:2] == tried.splitlines()[:2]
    assert done.splitlines()[:3] == [
        "data/hardware/card.yaml:6: hardware['card'].memory: 24 -> 48; its source and kind are "
        "those of the old value (Hardware!H2)",
        "data/plans/small/plan.yaml:10: batch: 16 -> 32 (Inputs!D13)",
        "2 changes of 2 files written",
    ]
    changed = {p.name for p, old in before.items() if p.read_bytes() != old}
    assert changed == {"card.yaml", "plan.yaml"}
    assert diagnose(Path("data")) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.xlsx", "data", "good.xlsx"]


def test_a_shared_formula_is_expanded(shipped: Shipped, tmp_path: Path) -> None:
    """Excel stores a filled-down formula once, and its copies by number."""
    path = tmp_path / "shared.xlsx"
    with zipfile.ZipFile(shipped.workbook) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if b"<f>K8/steps_per_hour</f>" in text:
                text = text.replace(
                    b"<f>K7/steps_per_hour</f>",
                    b'<f t="shared" ref="G7:G9" si="0">K7/steps_per_hour</f>',
                )
                for row in (8, 9):
                    plain = f"<f>K{row}/steps_per_hour</f>".encode()
                    text = text.replace(plain, b'<f t="shared" si="0"/>')
            new.writestr(name, text)
    cells = read_workbook(path).sheets["Runs"].cells
    assert [cells[row, 6].formula for row in (6, 7, 8)] == [
        f"K{n}/steps_per_hour" for n in (7, 8, 9)
    ]
    assert read(shipped.data, path).edits == ()


@pytest.mark.parametrize(
    ("rule", "gone"),
    [
        ("rule: {model: tiny}", ["-    rule: {model: tiny}"]),
        (
            "rule:  # the newest\n      model: tiny",
            ["-    rule:  # the newest", "-      model: tiny"],
        ),
    ],
)
def test_a_picked_record_replaces_its_rule(rule: str, gone: list[str], tmp_path: Path) -> None:
    more = (
        f"  run:\n    ref: measurements\n    {rule}\n    runs: {{batch_size: 4 * run.batch_size}}\n"
    )
    plan = PLAN.replace(
        "  each:", f"{more}  took: {{unit: second / step, formula: run.step_time}}\n  each:"
    )
    runs = {"measurements/new.yaml": RUN, "measurements/old.yaml": RUN.replace("11-20", "10-20")}
    mine = ship(tmp_path, {**FILES, "plans/small/plan.yaml": plan, **runs, "units.yaml": UNITS})
    unedited = mine.pull({})
    assert (unedited.edits, unedited.left, said(unedited)) == ((), (), [])
    pulled = mine.pull({"run": "old"})
    assert said(pulled) == []
    assert [(e.name, e.old, e.new) for e in pulled.edits] == [
        ("run", "new", "old, in place of the rule")
    ]
    assert diff(pulled) == [*gone, "+    value: old"]


def test_an_edit_by_the_name_of_an_input_is_imported(shipped: Shipped) -> None:
    """A program writes to the defined name, over the formula of the value in use."""

    def by_name(book: openpyxl.Workbook) -> None:
        sheet, at = book.defined_names["batch"].attr_text.split("!")
        book[sheet][at] = 99

    (edit,) = shipped.pull({}, by_name).edits
    assert (edit.name, edit.new) == ("batch", "99")
