"""Further pages of a plan, one per file or one per row of a table; versions; code."""

from __future__ import annotations

from pathlib import Path

import pytest

from render.pages.rendered import read
from scalesheet.examine import Examined, examine
from scalesheet.render.pages import write_pages
from small import HEAD, lay

PLAN = (
    HEAD
    + """
status: Living document
history:
  - {version: 1.1.0, date: 2026-02-01, text: Newer.}
  - {version: 1.0.0, date: 2026-01-01, text: First.}
  - {version: 2.0.0, status: future, date: 2027-01-01, text: To come.}
headline: [hours]
scalars:
  hours: {unit: hour, formula: sum(runs.hours), title: Hours in all}
  script: {text: yes, value: "first line\\nsecond line", show: {code: yes}}
  nodes: {at_least: 4, unit: node, title: Nodes}
tables:
  scales:
    title: Scales
    columns:
      size: {unit: parameter, title: Size}
      gpu: {ref: hardware, title: Card}
      advice: {text: yes}
      command: {text: yes, show: {code: yes}}
    rows:
      s:
        {title: Small, size: 1000, gpu: card, advice: Start *here*., command: "run --size=s\\nwait"}
      l: {title: Large, size: 8000, gpu: card, advice: Later., command: run --size=l}
  runs:
    title: Runs
    rows: {each: {scale: scales, card: hardware}}
    columns: {hours: {unit: hour, formula: scale.size / speed, title: Hours}}
    show: {down: scale, across: card, cell: hours}
  costs:
    title: Costs
    columns:
      of: {ref: scales}
      amount: {unit: USD, title: Amount}
    rows: {one: {of: s, amount: 1}, two: {of: l, amount: 2}, three: {of: l, amount: 3}}
    total: [amount]
charts:
  sizes: {title: Sizes, kind: bar, table: scales, column: size, alt: Sizes}
"""
).replace("scalars:\n", "scalars:\n  speed: {value: 1000, unit: parameter / hour}\n")
PAGE = "{{ table runs }}\n\n{{ script }}\n\n## Versions\n\n{{ history }}\n"
MORE = """---
title: More about {{ hours }}
summary: Costs and {{ hours }}.
headline: [hours, "costs['two'].amount"]
order: 1
---
Text with {{ hours }}.

!!! note "Mind"
    It takes {{ nodes }}, {{ scales['l'].size }} and {{ scales['l'].gpu.memory }}.

{{ table costs }}

{{ chart sizes }}
"""
SCALE = """---
title: Scale {{ scale }}
summary: "{{ scale.size }} on {{ scale.gpu }}."
headline: [scale.size, "runs[scale, 'card'].hours"]
each: {scale: scales}
---
{{ scale }}: {{ scale.advice }} {{ scale.gpu.memory }}

{{ scale.command }}

{{ table runs where scale }}

{{ table costs where scale }}
"""


def examined(folder: Path, more: str = MORE, scale: str = SCALE) -> Examined:
    """The minimal book with this plan."""
    files = {
        "plans/small/plan.yaml": PLAN,
        "plans/small/page.md": PAGE,
        "plans/small/pages/more.md": more,
        "plans/small/pages/scale.md": scale,
    }
    return examine(lay(folder, files))


def write(folder: Path, scale: str = SCALE) -> Path:
    """Write the pages of this book; return them and their folder."""
    found = examined(folder, scale=scale)
    assert (found.diagnostics, found.edition is None) == ([], False)
    assert found.edition is not None
    write_pages(found.edition, folder / "pages", folder / "plain")
    return folder


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("subpages"))


def text(folder: Path, name: str, kind: str = "pages") -> str:
    return (folder / kind / "plans" / f"{name}.md").read_text("utf-8")


def test_the_plan_lists_its_pages_in_order_below_the_answer(written: Path) -> None:
    page = read(text(written, "small")).text
    assert "Pages of this plan More about 9 h: Costs and 9 h. Scale Small: 1,000 param" in page
    assert page.index("Hours in all") < page.index("Pages of this plan") < page.index("Versions")
    assert 'href="small-more.html"' in text(written, "small")


def test_the_newest_released_version_is_under_the_title(written: Path) -> None:
    page = read(text(written, "small")).text
    assert "Version 1.1.0 · 2026-02-01 · Living document" in page
    assert "2.0.0 2027-01-01 future To come." in page


def test_figures_on_a_page_link_to_their_place_in_the_plan(written: Path) -> None:
    page = text(written, "small-more")
    assert page.startswith('---\ntitle: "More about 9 h"\n')
    assert '\n# More about <span data-of="hours" data-as="figure">' in page
    assert '<a href="small.html#f.hours" data-of="hours"' in page
    assert "Amount, two" in read(page).text
    assert '<a href="small.html">A plan</a>' in page
    assert 'src="../assets/small.js"' in page


def test_admonitions_hold_figures(written: Path) -> None:
    page = read(text(written, "small-more"))
    assert ("div", {"class": "admonition note"}) in page.found
    assert "It takes at least 4 nodes, 8,000 param and 24 GiB." in page.text


def test_the_plan_links_to_charts_that_a_page_shows(written: Path) -> None:
    more, page = text(written, "small-more"), text(written, "small")
    assert 'id="t.costs"' in more
    assert 'id="c.sizes"' in more
    assert 'id="t.costs"' not in page
    assert 'id="c.sizes"' not in page
    assert 'On further pages: <a href="small-more.html#t.costs">Costs</a>' in page
    assert 'id="t.scales"' in page  # on no page


def test_there_is_a_page_for_each_row(written: Path) -> None:
    page = read(text(written, "small-l")).text
    assert page.startswith("Scale Large")
    assert "8,000 param on A card." in page
    assert "Hours, A card 8 h" in page  # in the headline: another row than the page's
    assert "Large: Later. 24 GiB" in page


def test_text_in_cells_and_code_is_shown_literally(written: Path) -> None:
    page = text(written, "small-s")
    assert "Start &#42;here&#42;." in page
    assert "<pre><code" in page
    assert "run --size=s\nwait" in page
    assert '<td class="code"><pre><code' in text(written, "small")
    assert "first line\nsecond line" in text(written, "small")


def test_a_table_can_be_limited_to_the_rows_of_the_page(written: Path) -> None:
    page = read(text(written, "small-l")).text
    assert "A card 8" in page  # of runs; its columns are the cards
    assert "two 2 " in page
    assert "three 3 " in page
    assert "one 1 " not in page
    assert "Total" not in page
    assert 'id="t.costs:l"' in text(written, "small-l")


def test_rows_with_a_page_are_links_to_it(written: Path) -> None:
    page = text(written, "small")
    assert page.count('href="../plans/small-l.html">Large') >= 1  # in a table that refers to it
    assert '<th scope="row"><a href="small-l.html">Large</a>' in page  # in the row's own table


def test_the_plain_text_says_the_same(written: Path) -> None:
    page = text(written, "small-l", "plain")
    assert page.startswith("# Scale Large\n")
    assert "| two | 2 |" in page
    more, small = (text(written, name, "plain") for name in ("small-more", "small"))
    assert "[at least 4 nodes](small.md#i.nodes), [8,000 param]" in more
    assert "- [Scale Large](small-l.md): [8,000 param](small.md#t.scales)" in small
    assert "| 1.1.0 | 2026-02-01 | released | Newer. |" in small


@pytest.mark.parametrize(
    ("page", "line", "message"),
    [
        ("---\ntitle: A\n---\nSo {{ hour }}.\n", 4, "no figure 'hour' in this plan; did you mean"),
        ("---\ntitle: A {{ cost }}\n---\n", 2, "no figure 'cost'"),
        ("---\ntitle: A\nheadline:\n  - hurs\n---\n", 4, "no figure 'hurs' in this plan; did you"),
        (
            "---\ntitle: A\n---\n\n{{ table costs where scale }}\n",
            5,
            "no table 'costs where scale'",
        ),
        ("---\ntitle: A\n---\n{{ scale.size }}\n", 4, "no figure 'scale.size'"),
    ],
)
def test_an_unknown_name_is_reported_at_its_line(
    tmp_path: Path, page: str, line: int, message: str
) -> None:
    (fault,) = examined(tmp_path, page).diagnostics
    assert fault.path.endswith("plans/small/pages/more.md")
    assert (fault.line, fault.code) == (line, "N001")
    assert message in fault.message


def test_a_figure_of_a_row_that_is_not_chosen_says_why(tmp_path: Path) -> None:
    """The inputs do not change which names are valid."""
    plan = PLAN.replace(
        "scalars:\n", "scalars:\n  none: {ref: scales, formula: \"reason('too large')\"}\n", 1
    )
    files = {"plans/small/plan.yaml": plan, "plans/small/page.md": "It is {{ none.size }}.\n"}
    found = examine(lay(tmp_path, files))
    assert found.diagnostics == []
    assert found.edition is not None
    write_pages(found.edition, tmp_path / "pages")
    assert "It is too large." in read(text(tmp_path, "small")).text


def test_a_page_of_a_row_that_another_table_lacks_says_so(tmp_path: Path) -> None:
    """A new row has its page even before every table of the plan has a row for it."""
    said = "{{ notes[scale].size }}, {{ notes[scale].advice }}"
    of_each = f"---\ntitle: A\neach: {{scale: scales}}\n---\n{said}\n"
    notes = """
  notes:
    title: Notes
    columns: {size: {unit: parameter}, advice: {text: yes}}
    rows: {s: {size: 5, advice: Mind.}}
"""
    files = {
        "plans/small/plan.yaml": PLAN.replace("charts:\n", f"{notes.lstrip(chr(10))}charts:\n"),
        "plans/small/page.md": "A\n",
        "plans/small/pages/scale.md": of_each,
    }
    found = examine(lay(tmp_path, files))
    assert found.diagnostics == []
    assert found.edition is not None
    write_pages(found.edition, tmp_path / "pages")
    assert "5 param, Mind." in read(text(tmp_path, "small-s")).text
    assert "not in Notes, not in Notes" in read(text(tmp_path, "small-l")).text


@pytest.mark.parametrize("name", ["costs['four'].amount", "costs[scale].weight"])
def test_an_unknown_row_or_column_is_reported(tmp_path: Path, name: str) -> None:
    page = f"---\ntitle: A\neach: {{scale: scales}}\n---\n{{{{ {name} }}}}\n"
    found = examined(tmp_path, scale=page).diagnostics
    assert {(each.code, each.line) for each in found} == {("N001", 5)}
