"""The audit as page, plain text and JSON: the headline first, then the mismatches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.test_claims import ROWS, TOTALS
from audit.world import HEAD, PLAN
from editions import given
from scalesheet import cli
from scalesheet.examine import examine
from scalesheet.render.audit import changed_by
from scalesheet.render.pages import write_pages
from scalesheet.values import Value
from small import lay


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    claims = HEAD + ROWS + TOTALS
    files = {"plans/paper/plan.yaml": PLAN, "plans/paper/claims.yaml": claims}
    return lay(tmp_path_factory.mktemp("audit"), files)


@pytest.fixture(scope="module")
def pages(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    out = tmp_path_factory.mktemp("pages")
    found = examine(data)
    assert found.book is not None
    report = write_pages(
        given(
            found.book,
            results=found.results,
            examples={id_: [0.0] * len(r.examples) for id_, r in found.book.records.items()},
            audits=found.audits,
        ),
        out / "html",
        out / "plain",
    )
    assert "audit/paper.md" in report.files
    return {
        f"{folder}/{name}": (out / folder / "audit" / f"{name}.md").read_text("utf-8")
        for folder in ("html", "plain")
        for name in ("paper", "index")
    } | {"plan": (out / "html" / "plans" / "paper.md").read_text("utf-8")}


def places(text: str, *parts: str) -> list[int]:
    found = [text.find(part) for part in parts]
    assert -1 not in found, dict(zip(parts, found, strict=True))
    return found


def test_the_headline_comes_first_then_the_worst_then_every_claim(pages: dict[str, str]) -> None:
    order = places(
        pages["html/paper"],
        "Of 10 figures, 2 are wrong and 2 more follow from a wrong one.",
        "Hours: 9 h in the document, 8.4 [8.0–8.9] h corrected.",
        "Hours, stated",
        "Hours, recomputed",
        "Hours, corrected",
        "A large fault",
        "001-L051-01",
        "A small fault",
        "A fault without an effect",
        "All claims",
        'class="verdict underdetermined"',
        'id="001-L020-01"',
        'id="001-L051-01"',
    )
    assert order == sorted(order)


def test_each_claim_has_its_row_with_both_figures_and_the_verdict(pages: dict[str, str]) -> None:
    page = pages["html/paper"]
    row = page[page.index('id="001-L020-03"') :].split("</tr>")[0]
    told = ["<q>0.5</q>", "<details", 'data-value="0.5">0.5 h', 'class="verdict reproduced"']
    assert places(row, *told) == sorted(places(row, *told))


def test_a_claim_that_another_uses_is_named_by_its_line(pages: dict[str, str]) -> None:
    page = pages["html/paper"]
    link = '<a href="#{0}">{1}</a>'
    large = page[page.index("A large fault") :].split("</div>")[0]
    assert f"<li>{link.format('001-L050-01', 'line 50')} * Cards" in large
    row = page[page.index('id="001-L020-03"') :].split("</tr>")[0]
    assert link.format("001-L020-02", "figure 2 of line 20") in row
    assert "@001" not in page


def test_the_plain_text_says_the_same(pages: dict[str, str]) -> None:
    text = pages["plain/paper"]
    assert "| [A paper](paper.md) | 10 | 2 | 2 | 3 | 0 | 3 | 0 |" in pages["plain/index"]
    assert "Of 10 figures, 2 are wrong and 2 more follow from a wrong one." in pages["plain/index"]
    assert "- Hours, stated: 9.0 h in the document" in text
    assert "| “0.5” 001-L020-03 | 20 | 0.5 h | 0.5 h |" in text
    assert "A large fault\n\n**Effect** on Hours: 16 h more\n" in text


def test_an_effect_below_zero_is_so_much_less() -> None:
    effect = Value(-815.0, -1165.0, -465.0)
    assert changed_by(effect) == (Value(815.0, 465.0, 1165.0), " less")


def test_the_plan_links_to_its_audit_and_back(pages: dict[str, str]) -> None:
    assert 'href="../audit/paper.html"' in pages["plan"]
    assert 'href="../plans/paper.html"' in pages["html/paper"]
    assert 'href="paper.html"' in pages["html/index"]


def test_the_command_prints_text_and_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "paper", "--data", str(data)]) == 0
    text = capsys.readouterr().out
    assert "Hours: written 9 h, implied 9 h, computed 8.42105 [8–8.88889] h" in text
    assert cli.main(["audit", "--data", str(data), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (len(found["claims"]), len(found["findings"]), len(found["headlines"])) == (10, 3, 1)


def test_the_command_reports_a_changed_verdict_and_shows_the_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = HEAD + "claims: {001-L001-01: {quote: x, says: 1 GPU, from: cards, expect: rounded}}\n"
    files = {"plans/paper/plan.yaml": PLAN, "plans/paper/claims.yaml": claims}
    assert cli.main(["audit", "--data", str(lay(tmp_path, files))]) == 1
    out, err = capsys.readouterr()
    assert "001-L001-01  consistent" in out
    assert "C004 '001-L001-01' says 1 GPU: expected rounded ('expect: rounded')" in err
    assert "found consistent ('expect: reproduced'): cards = 1 GPU, as written" in err


ACCEPTED = """
tables:  # a remark
  runs:
    table: runs
    line: 20
    columns:
      steps: {unit: step, plan: steps, expect: contradicted}
      hours: {unit: hour, quote: "{} hours", from: "@steps / speed", expect: rounded}
    rows:
      one: ["1,000", "0.5"]
      two: ["5,000", "2.5"]
      three: ["10,000", {quote: "6 hours", expect: rounded}]
claims:
  001-L040-01: {quote: x, says: 1 GPU, from: cards, expect: rounded}  # another
"""


def test_accept_writes_the_computed_verdicts_and_changes_nothing_else(tmp_path: Path) -> None:
    files = {"plans/paper/plan.yaml": PLAN, "plans/paper/claims.yaml": HEAD + ACCEPTED}
    folder = lay(tmp_path, files)
    assert cli.main(["audit", "--data", str(folder), "--accept"]) == 0
    text = (folder / "plans/paper/claims.yaml").read_text("utf-8")
    expected = ACCEPTED.replace("plan: steps, expect: contradicted", "plan: steps, expect: input")
    expected = expected.replace('/ speed", expect: rounded', '/ speed", expect: reproduced')
    expected = expected.replace('"2.5"', "{quote: 2.5 hours, expect: follows}")
    expected = expected.replace('"6 hours", expect: rounded', '"6 hours", expect: contradicted')
    expected = expected.replace("from: cards, expect: rounded", "from: cards, expect: reproduced")
    assert text == HEAD + expected
    assert cli.main(["audit", "--data", str(folder)]) == 0
    assert cli.main(["audit", "--data", str(folder), "--accept"]) == 0
    assert (folder / "plans/paper/claims.yaml").read_text("utf-8") == text


def test_the_command_looks_up_quotes_in_available_documents(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "paper.txt").write_text("one line", "utf-8")
    arguments = ["audit", "--data", str(data), "--documents"]
    assert cli.main([*arguments, str(tmp_path)]) == 1
    assert "C002 '001-L020-01' is on line 20, but the document has 1 line" in (
        capsys.readouterr().err
    )
    assert cli.main([*arguments, str(tmp_path / "none")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_a_plan_without_claims_is_wrong_usage(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["audit", "small", "--data", str(data)]) == 2
    assert "the plan 'small' has no claims.yaml (plans with one: paper)" in capsys.readouterr().err
