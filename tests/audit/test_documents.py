"""Several documents of one plan, findings from checks, and errors grouped by headline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.test_claims import ROWS, TOTALS
from audit.world import HEAD, PLAN, audited
from editions import given
from scalesheet import cli
from scalesheet.audit.model import Judged
from scalesheet.audit.worst import grouped
from scalesheet.examine import Examined, examine
from scalesheet.render.pages import write_pages
from small import lay

FIRST = HEAD + "claims: {001-L004-01: {quote: one, says: 1 GPU, plan: cards, expect: input}}\n"
SECOND = """
document: {id: "002", title: A summary, source: a-vendor}
claims:
  002-L001-01: {quote: two, says: 2 GPU, from: "@001-L004-01", expect: contradicted}
  002-L002-01: {quote: two, says: 2 GPU, from: "@002-L001-01", expect: follows}
"""


def documents(folder: Path, plan: str = PLAN, first: str = FIRST) -> Examined:
    files = {
        "plans/paper/plan.yaml": plan,
        "plans/paper/claims.yaml": first,
        "plans/paper/claims/summary.yaml": SECOND,
    }
    return examine(lay(folder, files))


def test_claims_can_be_compared_with_those_of_another_document(tmp_path: Path) -> None:
    found = documents(tmp_path)
    assert found.diagnostics == []
    assert list(found.audits) == ["paper", "paper-summary"]
    disagrees, follows = found.audits["paper-summary"].claims
    assert disagrees.because == "@001-L004-01 = 1 GPU, not 2 GPUs."
    assert follows.inherits == ("002-L001-01",)


def test_an_id_must_be_in_only_one_document(tmp_path: Path) -> None:
    again = FIRST.replace("001-L004-01", "002-L001-01").replace('"001"', '"002"')
    (fault,) = documents(tmp_path, first=again).diagnostics
    assert (fault.code, fault.path.rsplit("/", 1)[1]) == ("C006", "summary.yaml")
    assert "already exists in claims.yaml, line 2;" in fault.message


def test_each_document_has_a_page_and_all_form_one_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = documents(tmp_path)
    assert found.book is not None
    report = write_pages(
        given(
            found.book,
            results=found.results,
            examples={id_: [0.0] * len(r.examples) for id_, r in found.book.records.items()},
            audits=found.audits,
        ),
        tmp_path / "pages",
    )
    assert {"audit/paper.md", "audit/paper-summary.md"} <= set(report.files)
    summary = (tmp_path / "pages/audit/paper-summary.md").read_text("utf-8")
    assert 'href="paper.html">Audit: A paper' in summary
    assert 'href="../plans/paper.html"' in summary
    plan = (tmp_path / "pages/plans/paper.md").read_text("utf-8")
    assert 'href="../audit/paper-summary.html">Audit: A summary' in plan

    assert cli.main(["audit", "paper", "--data", str(tmp_path / "data"), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["claims"]
    assert [(c["id"], c["document"]) for c in told] == [
        ("001-L004-01", "A paper"),
        ("002-L001-01", "A summary"),
        ("002-L002-01", "A summary"),
    ]


# ------------------------------------------------------------------ checks

RUNS = """
checks:
  short: {title: No run takes longer than the limit, table: runs, formula: high(hours) <= limit}
  slow:
    title: The speed is at most what was measured
    formula: high(speed) <= measured
    note: It was never higher.
    source: {key: a-paper, locator: lines 5 and 9-11}
"""
LIMITS = (
    "scalars:\n  limit: {value: 5.6, unit: hour}\n  measured: {value: 2000, unit: step / hour}\n"
)
#: A plan in which the document's values make the runs too long and the speed too high.
BROKEN = PLAN.replace("written: {value: 2000,", "written: {value: 2050,").replace(
    "three: {steps: 10_000}", "three: {steps: {value: 5000, written: {value: 12_300}}}"
)


def with_checks(plan: str) -> str:
    return plan.replace("scalars:\n", LIMITS) + RUNS


def test_a_check_that_fails_as_written_is_a_finding(tmp_path: Path) -> None:
    assert documents(tmp_path / "sound", with_checks(PLAN)).audits["paper"].findings == ()
    found = documents(tmp_path, with_checks(BROKEN))
    assert found.diagnostics == []
    rows, speed = found.audits["paper"].findings
    assert rows.finding.title == "Does not hold: No run takes longer than the limit"
    assert rows.because == ("three: high(hours) <= limit = 6 <= 5.6 = no",)
    assert rows.finding.lines == (20,)
    assert speed.because == ("high(speed) <= measured = 2,050 <= 2,000 = no",)
    assert speed.finding.lines == (5, 9)
    assert speed.finding.note == "It was never higher."
    assert found.audits["paper-summary"].findings == ()


def test_a_finding_of_a_check_belongs_to_the_cited_document(tmp_path: Path) -> None:
    plan = with_checks(BROKEN).replace(
        "source: {key: a-paper, locator: lines 5 and 9-11}\n", "source: a-vendor\n"
    )
    found = documents(tmp_path, plan)
    assert [f.finding.id for f in found.audits["paper-summary"].findings] == ["check-slow"]
    assert [f.finding.id for f in found.audits["paper"].findings] == ["check-short"]


def test_a_finding_of_a_check_is_in_text_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents(tmp_path, with_checks(BROKEN))
    assert cli.main(["audit", "--data", str(tmp_path / "data")]) == 0
    out = capsys.readouterr().out
    assert "  Does not hold: The speed is at most what was measured (lines 5, 9)\n" in out
    title = "Does not hold: No run takes longer than the limit (line 20)"
    assert f"  {title}\n    three: high(hours) <= limit" in out
    assert cli.main(["audit", "--data", str(tmp_path / "data"), "--format", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["findings"][0]
    assert first["shows"] == [
        {
            "expression": "high(hours) <= limit",
            "because": "three: high(hours) <= limit = 6 <= 5.6 = no",
            "result": {"value": False},
        }
    ]


# ------------------------------------------------------------------ groups

CARDS = "  cards: {title: Cards, unit: GPU, written: cards, implied: cards, computed: cards}\n"
MORE = (
    "  more: {title: A card more, lines: [50], shows: [cards], "
    "effect: {cards: cards, hours: 0.5 * fast}}\n"
)
TWO = TOTALS.replace("headlines:\n", f"headlines:\n{CARDS}").replace(
    "  none: {title", f"{MORE}  none: {{title"
)


def test_errors_are_below_the_headline_that_they_change_most(tmp_path: Path) -> None:
    groups = grouped(audited(tmp_path, ROWS + TWO))
    named = [
        (
            group.totals.headline.name if group.totals else None,
            [f.claim.id if isinstance(f, Judged) else f.finding.id for f in group.faults],
        )
        for group in groups
    ]
    assert named == [
        ("hours", ["large", "001-L051-01", "small"]),
        ("cards", ["more"]),
        (None, ["001-L026-03", "none"]),
    ]
