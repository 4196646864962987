"""A plan may change, but its documents stay compared with the plan as it was when audited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from audit.world import HEAD, PLAN
from project import edit, read_yaml
from scalesheet.audit.model import Moved
from scalesheet.claims import Audit, cites
from scalesheet.cli import main
from scalesheet.examine import Examined, examine
from scalesheet.load import audited
from scalesheet.model import Citation, Key, Plan, Stated
from scalesheet.resolve.claims.changed import moved_on, said_by
from shipped import DATA
from small import lay, said

CLAIMS = """
claims:
  001-L003-01: {quote: "1,900", says: 1800 .. 2000 step / hour, plan: speed, expect: input}
  001-L020-01: {quote: "1,000", says: 1000 step, plan: "runs['one'].steps", expect: input}
  001-L030-01: {quote: 8 h, says: 8 hour, from: "expected(runs.total.hours)", expect: reproduced}
"""
#: Ordinary edits of the plan: another value, one row less, one row more, another name.
EDITS = {
    "value": ("low: 1800", "low: 1700"),
    "cited": ("locator: lines 20-29", "locator: lines 30-39"),
    "dropped": ("      one: {steps: 1000}\n", ""),
    "added": ("      one: {steps: 1000}\n", "      one: {steps: 1000}\n      zero: {steps: 10}\n"),
    "renamed": ("speed", "pace"),
}


@pytest.fixture(name="data")
def data_fixture(tmp_path: Path) -> Path:
    """A book with a plan that was audited and frozen."""
    plan = PLAN.replace("scenarios:", "headline: [runs.total.hours, need]\nscenarios:")
    files = {"plans/paper/plan.yaml": plan, "plans/paper/claims.yaml": HEAD + CLAIMS}
    data = lay(tmp_path, files)
    assert main(["audit", "paper", "--freeze", "--data", str(data)]) == 0
    return data


def edited(data: Path, old: str, new: str) -> Examined:
    edit(data / "plans/paper/plan.yaml", old, new)
    return examine(data)


def verdicts(examined: Examined) -> list[tuple[str, str | None]]:
    return [(each.claim.id, each.verdict) for each in examined.audits["paper"].claims]


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=list(EDITS))
def test_an_edit_of_the_plan_breaks_no_claim(data: Path, old: str, new: str) -> None:
    before = verdicts(examine(data))
    after = edited(data, old, new)
    assert said(after) == []
    assert verdicts(after) == before


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=list(EDITS))
def test_without_a_frozen_plan_claims_are_compared_with_the_current_one(
    data: Path, old: str, new: str
) -> None:
    (data / "plans/paper" / audited.NAME).unlink()
    assert said(edited(data, old, new)) != []


def test_the_audit_lists_headlines_that_have_changed(data: Path) -> None:
    assert examine(data).audits["paper"].moved == ()
    after = edited(data, "two: {steps: 5000}", "two: {steps: 7000}").audits["paper"]
    assert [each.quantity.name for each in after.moved] == ["runs.total.hours", "need"]
    hours, need = map(_ends, after.moved)
    assert hours == pytest.approx((16000 / 1900, 18000 / 1900))
    assert need == (30, 30)
    assert after.audit.day == "2026-11-20"


def test_a_figure_that_the_plan_no_longer_has(data: Path) -> None:
    edit(data / "plans/paper/plan.yaml", "headline: [runs.total.hours, need]", "headline: [cards]")
    need = "  need: {value: 30, unit: GB, source: {key: a-paper, locator: line 6}}\n"
    after = edited(data, need, "").audits["paper"]
    assert _ends(after.moved[1]) == (30, None)


def _ends(moved: Moved) -> tuple[object, object]:
    return moved.then.value, None if moved.now is None else moved.now.value


def test_changed_figures_are_printed(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(data / "plans/paper/plan.yaml", "two: {steps: 5000}", "two: {steps: 7000}")
    assert main(["audit", "paper", "--data", str(data)]) == 0
    text = capsys.readouterr().out
    assert "Since the audit of 2026-11-20 the plan has changed" in text
    assert "8.42105 [8–8.88889] h then, 9.47368 [9–10] h now" in text


def test_freezing_again_updates_the_frozen_plan(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(data / "plans/paper/plan.yaml", "low: 1800", "low: 1700")
    assert main(["audit", "paper", "--freeze", "--data", str(data)]) == 1
    assert (
        "C003" in capsys.readouterr().err
    )  # line 3 of the document states another value than the plan now
    assert "low: 1700" in (data / "plans/paper" / audited.NAME).read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("audited: 2026-11-20\n", "", "S006 'audited' is the day of the audit"),
        ("audited: 2026-11-20\n", "audited: soon\n", "S006 'audited' is the day of the audit"),
        ("unit: step / hour", "unit: stride / hour", "U001"),
        ("formula: steps / speed", "formula: steps / haste", "N001 unknown name 'haste'"),
    ],
)
def test_an_invalid_frozen_plan_is_reported(data: Path, old: str, new: str, message: str) -> None:
    edit(data / "plans/paper" / audited.NAME, old, new)
    found = examine(data)
    assert found.edition is None
    assert any(message in str(d) and audited.NAME in d.path for d in found.diagnostics), said(found)


def test_every_shipped_document_is_compared_with_a_frozen_plan() -> None:
    audits = {path.parent for path in DATA.glob("plans/*/claims.yaml")}
    audits |= {path.parent.parent for path in DATA.glob("plans/*/claims/*.yaml")}
    assert {path.parent for path in DATA.glob(f"plans/*/{audited.NAME}")} == audits


def test_a_frozen_plan_is_read_back_unchanged(data: Path) -> None:
    frozen = read_yaml(data / "plans/paper" / audited.NAME)
    assert frozen.pop(audited.DAY) == "2026-11-20"
    assert frozen == audited.frozen(read_yaml(data / "plans/paper/plan.yaml"))


def test_a_changed_input_quotes_the_line_it_was_taken_from(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here it is changed in YAML; all outputs show this one citation."""
    edit(data / "plans/paper/plan.yaml", "one: {steps: 1000}", "one: {steps: 1200}")
    assert main(["show", "paper", "--data", str(data), "--why", "runs['one'].steps"]) == 0
    assert "A paper, changed from line 20, which says 1,000" in capsys.readouterr().out
    assert main(["show", "paper", "--data", str(data), "--why", "runs['two'].steps"]) == 0
    assert "A paper, lines 20-29" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("edit_", "told"),
    [
        ("runs['one'].steps=1200", "= 1200 (changed from line 20, which says 1,000)\n"),
        ("runs['one'].steps=1000", "= 1000 (lines 20-29)\n"),
        ("need=40", "= 40 (changed from line 6, where it was 30)\n"),
    ],
)
def test_an_override_quotes_it_too(
    data: Path, capsys: pytest.CaptureFixture[str], edit_: str, told: str
) -> None:
    assert main(["show", "paper", "--data", str(data), "--set", edit_]) == 0
    assert told in capsys.readouterr().out


def test_an_input_with_its_own_source_keeps_it(data: Path) -> None:
    edit(
        data / "plans/paper/plan.yaml",
        "need: {value: 30, unit: GB, source: {key: a-paper, locator: line 6}}",
        "need: {value: 40, unit: GB, source: {key: a-paper, locator: line 60}}",
    )
    book = examine(data).book
    assert book is not None
    stated = book.plans["paper"].scalars["need"].stated
    assert stated is not None
    assert stated.citation == Citation("a-paper", "line 60")


ERROR = """
  001-L020-01:
    {quote: "1,000", says: 1000 step, against: ["2 * @001-L030-02"], plan: "runs['one'].steps",
     expect: contradicted}
  001-L030-02: {quote: "2,000", says: 2000 step, from: "2 * @001-L020-01", expect: reproduced}
"""


@pytest.mark.parametrize("frozen", [True, False], ids=["frozen so", "cited since"])
def test_a_cited_line_that_states_another_value_is_a_finding(data: Path, frozen: bool) -> None:
    """That includes a claim whose verdict depends on other figures, in a plan frozen like this."""
    claims = data / "plans/paper/claims.yaml"
    old = next(line for line in CLAIMS.splitlines(keepends=True) if "L020-01" in line)
    edit(claims, old, ERROR.lstrip("\n"))
    assert main(["audit", "paper", "--freeze", "--data", str(data)]) == 0
    assert said(examine(data)) == []
    edit(data / "plans/paper/plan.yaml", "one: {steps: 1000}", "one: {steps: 1200}")
    assert said(examine(data)) == []  # its source says that it was changed
    if frozen:
        main(["audit", "paper", "--freeze", "--data", str(data)])
        line = "lines 20-29"
    else:
        edit(data / "plans/paper/plan.yaml", "locator: lines 20-29", "locator: lines 20-28")
        line = "lines 20-28"
    (told,) = (each for each in said(examine(data)) if each.startswith("C010"))
    assert told == (
        f"C010 'runs['one'].steps' cites {line} of a-paper, but line 20 says 1,000 steps; "
        "cite where the value is from, or leave out the source"
    )


def test_every_input_of_every_document_says_when_it_was_changed() -> None:
    """Changes each input of the shipped plans that a claim cites, one at a time."""
    book = examine(DATA).book
    assert book is not None
    changed = 0
    for audits in _by_plan(book.audits.values()):
        then = book.compared(audits[0].plan)
        for key, claims in said_by(audits).items():
            if key.table is not None and key.table not in then.tables:
                continue  # belongs to the catalogue
            cited = stated_of(then, key).citation
            first = next((c for c, doc in claims if cites(cited, doc, c.line)), None)
            if first is None:
                continue  # the corrected value beside the document's
            citation = stated_of(moved_on(changed_plan(then, key), then, audits), key).citation
            assert citation is not None, key
            told = f"changed from line {first.line}, which says {first.quote}"
            assert citation.locator == told
            assert stated_of(moved_on(then, then, audits), key) == stated_of(then, key)
            changed += 1
    assert changed > 300


def _by_plan(audits: Iterable[Audit]) -> list[list[Audit]]:
    result: dict[str, list[Audit]] = {}
    for audit in audits:
        result.setdefault(audit.plan, []).append(audit)
    return list(result.values())


def stated_of(plan: Plan, key: Key) -> Stated:
    if key.table is None:
        stated = plan.scalars[key.name].stated
    else:
        stated = plan.tables[key.table].columns[key.name].stated[key.row or ""]
    assert stated is not None
    return stated


def changed_plan(plan: Plan, key: Key) -> Plan:
    """The plan with another value of an input; a number's range moves with it."""
    was = stated_of(plan, key)
    if isinstance(was.value, float):
        stated = replace(was, value=was.value + 1, low=was.value + 1, high=was.value + 1)
    else:
        stated = replace(was, value=f"{was.value}x", at_least=1.5)
    if key.table is None:
        scalars = {**plan.scalars, key.name: replace(plan.scalars[key.name], stated=stated)}
        return replace(plan, scalars=scalars)
    table = plan.tables[key.table]
    column = table.columns[key.name]
    column = replace(column, stated={**column.stated, key.row or "": stated})
    table = replace(table, columns={**table.columns, key.name: column})
    return replace(plan, tables={**plan.tables, key.table: table})
