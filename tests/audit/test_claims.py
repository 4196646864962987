"""Reading claims.yaml: ids, claims made from rows, expressions, headlines, findings, quotes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.world import HEAD, audited, examined, told
from scalesheet.audit.model import Judged
from scalesheet.audit.problems import quotes
from scalesheet.audit.worst import bundle_title, contradictions, faults, grouped
from scalesheet.render.api.audit import audit_json
from scalesheet.render.audit import audit_text

ROWS = """
tables:
  runs:
    table: runs
    line: 20
    columns:
      named: {unit: step, against: ["@steps"], expect: reproduced}
      steps: {unit: step, plan: steps, expect: input}
      hours: {unit: hour, from: "@steps / speed", plan: hours, expect: follows}
    rows:
      one: [1k, "1,000", {quote: 0.5, expect: reproduced}]
      two: {line: 25, cells: [~, "5,000", 2.5]}
      three: [10k, "10,000", {quote: "6", from: ~, against: [hours], expect: contradicted}]
"""


def test_claims_are_made_from_rows_with_their_ids(tmp_path: Path) -> None:
    made = {each.claim.id: each for each in audited(tmp_path, ROWS).claims}
    assert list(made) == [
        "001-L020-01",
        "001-L020-02",
        "001-L020-03",
        "001-L025-01",
        "001-L025-02",  # numbers skip a claim that a row lacks
        "001-L026-01",
        "001-L026-02",
        "001-L026-03",  # lines continue from the previous row
    ]
    assert [each.verdict for each in made.values()] == [
        "reproduced",
        "input",
        "reproduced",
        "input",
        "follows",
        "reproduced",
        "input",
        "contradicted",
    ]
    assert made["001-L020-03"].because == (
        "@001-L020-02 / speed = 1,000 / 2,000 = 0.5 h, as written."
    )
    assert told(tmp_path / "again", ROWS) == []


def test_a_column_can_be_below_its_row_and_have_its_own_number(tmp_path: Path) -> None:
    claims = """
tables:
  blocks:
    line: 40
    columns:
      cards: {unit: GPU, quote: "({} cards)", lacks: [a], expect: underdetermined}
      hours: {unit: hour, offset: 1, number: 3, lacks: [a], expect: underdetermined}
      days: {unit: hour, offset: 1, lacks: [a], expect: underdetermined}
    rows:
      first: [2, 7, 8]
      second: {line: 50, cells: [4, 9, 10]}
"""
    made = [(each.claim.id, each.claim.quote) for each in audited(tmp_path, claims).claims]
    assert made == [
        ("001-L040-01", "(2 cards)"),
        ("001-L041-03", "7"),
        ("001-L041-04", "8"),
        ("001-L050-01", "(4 cards)"),
        ("001-L051-03", "9"),
        ("001-L051-04", "10"),
    ]


@pytest.mark.parametrize(
    ("says", "expression"),
    [
        ("16_000 step", "sum(@runs.steps)"),
        ("10k step", "max(@runs.steps)"),
        ("1k step", "min(@runs.steps)"),
        ("3", "count(@runs.steps)"),
        ("2", "count(@runs.named)"),
    ],
)
def test_a_column_of_claims_is_drawn_together(tmp_path: Path, says: str, expression: str) -> None:
    claims = f'{ROWS}claims:\n  001-L001-01: {{quote: x, says: "{says}", from: "{expression}", expect: reproduced}}\n'  # noqa: E501  # one line of YAML
    assert told(tmp_path, claims) == []


BAD = [
    # claims, code, part of the message
    (
        "claims: {001-L001-01: {quote: x, says: 5 hour, from: speed, expect: input}}",
        "U002",
        "'from of @001-L001-01' is declared in hour, but the formula gives step / hour",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 5 hour, from: sped, expect: input}}",
        "N001",
        "unknown name 'sped'; did you mean 'speed'?",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 5 hours, lacks: [x], expect: input}}",
        "U001",
        "unknown unit 'hours'; did you mean 'hour'?",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: '$4,200', from: speed, expect: input}}",
        "C005",
        "the claim says '$4,200', which is text; write 4_200 USD",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: adamw, from: speed, expect: input}}",
        "F004",
        "expected a text, found a number",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 5 hour, from: optimizer, expect: input}}",
        "F004",
        "expected a number, found a text",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 5 hour, from: 2 *, expect: input}}",
        "F001",
        "formula, character 4",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 5 hour, from: '@001-L002-01', expect: input}}",
        "C001",
        "there is no claim '001-L002-01'",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 1 GPU, plan: 2 * cards, expect: input}}",
        "C005",
        "'plan' names one quantity",
    ),
    (
        "claims: {001-L001-01: {quote: x, says: 1 GPU, role: bound, lacks: [x], expect: input}}",
        "C005",
        "a bound needs a direction",
    ),
    (
        "claims: {002-L001-01: {quote: x, says: 1 GPU, lacks: [x], expect: underdetermined}}",
        "C007",
        "belongs to another document than '001'",
    ),
    (
        "claims: {one: {quote: x, says: 1 GPU, lacks: [x], expect: underdetermined}}",
        "C007",
        "'one' is not the id of a claim, as in '001-L012-01'",
    ),
    (
        ROWS + "claims: {001-L001-01: {quote: x, says: 1, from: 'sum(@runs.step)', expect: input}}",
        "C001",
        "there are no claims 'runs.step'; did you mean 'runs.steps'?",
    ),
    (
        ROWS + "claims: {001-L001-01: {quote: x, says: 1, from: '@runs.steps', expect: input}}",
        "C001",
        "'@runs.steps' stands for several claims",
    ),
    (ROWS.replace("table: runs", "table: rins"), "N001", "the plan has no table 'rins'"),
    (ROWS.replace("two:", "tow:"), "N002", "'tow' is not a row of runs; did you mean 'two'?"),
    (
        ROWS.replace("plan: steps,", "plan: steps, effect: {hours: speed},"),
        "N001",
        "there is no headline 'hours'",
    ),
    (
        ROWS.replace(", expect: input", ""),
        "S002",
        "the claims of 'steps' lack the key 'expect'; add it",
    ),
    (ROWS.replace("[1k, ", "[1k, 2k, "), "S004", "the row 'one' has 4 cells and the table 3"),
]


@pytest.mark.parametrize(("claims", "code", "message"), BAD)
def test_bad_claims_are_reported(tmp_path: Path, claims: str, code: str, message: str) -> None:
    found = told(tmp_path, claims)
    assert [each[1] for each in found] == [code]
    assert message in found[0][2]


def test_an_error_in_a_column_is_reported_once_at_its_character(tmp_path: Path) -> None:
    found = examined(tmp_path, ROWS.replace("@steps / speed", "@steps / sped")).diagnostics
    assert [(d.line, d.column, d.code) for d in found] == [(10, 43, "N001")]


def test_claims_can_be_named_only_in_claims_yaml(tmp_path: Path) -> None:
    from audit.world import PLAN
    from scalesheet.examine import diagnose
    from small import lay

    plan = PLAN.replace("formula: steps / speed", 'formula: "@steps / speed"')
    found = diagnose(lay(tmp_path, {"plans/paper/plan.yaml": plan}))
    assert [(d.code, d.message) for d in found] == [
        ("F001", "formula, character 1: '@' names a claim, which works only in claims.yaml")
    ]


TOTALS = """
claims:
  001-L050-01: {quote: 9 hours, says: 9 hour, from: "sum(@runs.hours)", effect: {hours: "runs.total.hours - @001-L050-01"}, expect: follows}
  001-L051-01: {quote: 20 hours, says: 20 hour, against: [runs.total.hours], effect: {hours: "runs.total.hours - @001-L051-01"}, expect: contradicted}
headlines:
  hours: {title: Hours, unit: hour, written: "@001-L050-01", implied: "sum(@runs.hours)", computed: runs.total.hours}
findings:
  small: {title: A small fault, lines: [50], shows: [cards], effect: {hours: "0.1 * runs.total.hours"}, note: Why.}
  none: {title: A fault without an effect, lines: [51, 52], shows: ["gpu.memory < need", "low(fast)"]}
  large: {title: A large fault, lines: [50], shows: ["@001-L050-01 * cards"], effect: {hours: "2 * runs.total.hours"}}
"""  # noqa: E501  # lines of YAML


def test_errors_are_sorted_by_their_effect_on_a_headline(tmp_path: Path) -> None:
    found = audited(tmp_path, ROWS + TOTALS)
    assert [each.finding.id for each in found.findings] == ["large", "small", "none"]
    assert [each.claim.id for each in contradictions(found)] == ["001-L051-01", "001-L026-03"]
    named = [getattr(f, "claim", None) or getattr(f, "finding", None) for f in faults(found)]
    assert [each.id for each in named if each] == [
        "large",
        "001-L051-01",
        "small",
        "001-L026-03",
        "none",
    ]


def test_a_headline_has_a_written_an_implied_and_a_computed_value(tmp_path: Path) -> None:
    (found,) = audited(tmp_path, ROWS + TOTALS).headlines
    assert (found.written.value, found.implied.value) == (9, 9)
    assert found.computed.value == pytest.approx(16_000 / 1900)
    assert found.because == "sum(@runs.hours) = sum(0.5, 2.5, 6) = 9 h"


def test_a_finding_can_show_expressions_of_any_kind(tmp_path: Path) -> None:
    shown = {f.finding.id: f.because for f in audited(tmp_path, ROWS + TOTALS).findings}
    assert shown["none"] == ("gpu.memory < need = 24 < 30 / 1.07374 = yes", "low(fast) = 8 h")


def test_json_has_the_promised_keys_and_is_reproducible(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        found = examined(tmp_path / name, ROWS + TOTALS)
        assert found.book is not None
        data = audit_json(found.book, found.audits.values())
        texts.append(json.dumps(data) + audit_text(found.book, found.audits["paper"]))
    assert texts[0] == texts[1]
    assert list(data["claims"][0])[:6] == ["plan", "id", "document", "line", "quote", "says"]
    promised = {
        "plan",
        "id",
        "document",
        "line",
        "quote",
        "says",
        "computed",
        "verdict",
        "inherits",
        "because",
    }
    assert all(promised <= set(claim) for claim in data["claims"])
    hours = next(c for c in data["claims"] if c["id"] == "001-L020-03")
    assert hours["says"] == {"value": 0.5, "low": 0.5, "high": 0.5, "unit": "hour"}
    assert hours["computed"] == {"value": 0.5, "low": 0.5, "high": 0.5, "unit": "hour"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("10k steps", None),
        ("10,000 steps", "'10k' is not on line 2, which is '10,000 steps'"),
        ("ten\n10k", "'10k' is not on line 2, which is 'ten'; it is on line 3"),
        (None, "'001-L002-01' is on line 2, but the document has 1 line"),
    ],
)
def test_a_quote_must_be_on_its_line(tmp_path: Path, line: str | None, message: str | None) -> None:
    claims = "claims:\n  001-L002-01: {quote: 10k, says: 10k step, lacks: [x], expect: underdetermined}\n"  # noqa: E501  # one line of YAML
    audit = audited(tmp_path, claims).audit
    paper = "title" if line is None else f"title\n{line}"
    (tmp_path / "paper.txt").write_text(paper, "utf-8")
    assert [(d.code, d.message) for d in quotes(audit, tmp_path)] == (
        [] if message is None else [("C002", message)]
    )


@pytest.mark.parametrize(
    ("quote", "says", "same"),
    [
        ("$600", "500 USD", False),
        ("$600", "600 USD", True),
        ("about 1,250.50 dollars", "1250.5 USD", True),
        ("10k", "10k step", True),
        ("35 %", "35 %", True),
        ("8-10 hours", "8 .. 10 hour", True),
        ("7 or 12 hours", "8 .. 10 hour", False),
        ("x2", "2", True),
        ("twice", "2", True),
        ("like an RTX 4080", "1", False),
    ],
)
def test_a_quote_has_the_figure_that_the_claim_says(
    tmp_path: Path, quote: str, says: str, same: bool
) -> None:
    line = f"{{quote: '{quote}', says: '{says}', lacks: [x], expect: underdetermined}}"
    found = [each for each in told(tmp_path, f"claims:\n  001-L002-01: {line}\n") if "C011" in each]
    assert [*map(str, found)] == [] if same else f"quotes '{quote}' but says" in str(found[0])


def test_a_document_in_another_encoding_is_reported(tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_bytes(b"title\ncaf\xe9")
    (problem,) = quotes(audited(tmp_path, ROWS).audit, tmp_path)
    assert (problem.line, problem.column, problem.code) == (2, 4, "C002")
    assert problem.message == "expected text in UTF-8, found other bytes; save the file as UTF-8"


def test_quotes_of_a_missing_document_are_not_checked(tmp_path: Path) -> None:
    audit = audited(tmp_path, ROWS).audit
    assert quotes(audit, tmp_path / "nowhere") == []
    assert HEAD.count("file:") == 1


ENDS = """
claims:
  001-L004-01: {quote: one, says: 1 GPU, plan: cards, expect: contradicted}
  001-L005-01: {quote: two, says: 2 GPU, against: ["@001-L004-01"], expect: contradicted}
  001-L006-01: {quote: three, says: 3 GPU, against: [cards], expect: contradicted}
tables:
  runs:
    table: runs
    line: 20
    columns:
      hours: {unit: hour, from: hours, expect: contradicted}
    rows: {one: ["7"], two: ["8"], three: ["9"]}
"""


def test_figures_that_disagree_and_figures_of_a_column_are_grouped(
    tmp_path: Path,
) -> None:
    (group,) = grouped(audited(tmp_path, ENDS))
    bundles = [[f for f in bundle if isinstance(f, Judged)] for bundle in group.bundles]
    assert [bundle_title(figures) for figures in bundles] == [
        "3 figures of hours: lines 20, 21 and 22",
        "Line 6: “three”",
        "Lines 4 and 5: “two” and “one”",
    ]
    assert bundle_title(bundles[0][:1]) == "Line 20, hours: “7”"


def test_the_figures_of_one_error_are_printed_together(tmp_path: Path) -> None:
    found = examined(tmp_path, ENDS)
    assert found.book is not None
    text = audit_text(found.book, found.audits["paper"])
    worst = text[text.index("  3 figures of hours") :].splitlines()
    assert worst[1].startswith("  line 20: 7 (001-L020-01")
    assert worst[3:5] == ["    and line 21: 8 (001-L021-01)", "    and line 22: 9 (001-L022-01)"]
