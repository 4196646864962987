"""Finished pages take fewer bytes and are the same document to a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from scalesheet.site.compact import compact, compact_pages

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A &amp; B</title>
<script type="application/json" id="data">{"a": "<li>&quot;\\n</li>"}</script>
</head>
<body class="">
<h1 id="a-b">A&#45;B&#58; it&#x27;s &quot;so&quot; &lt;p&gt; &amp;amp; &#60;</h1>
<p title="a > b" data-c="{&quot;a&quot;: 1}" data-d="&#61;x">First <em>text</em>
goes on</p>
<p class='one'>Second</p>
<ul>
<li>one <a href="x.html?a=1&amp;b=2&amp;para=3#c">link</a></li>
<li>two
<ul><li>three</li></ul>
</li>
</ul>
<div><p>last in a block</p></div>
<a href="x"><p>in a link</p></a>
<dl class="facts wide"><dt>name</dt><dd>value</dd><dt>other</dt><dd hidden="">none</dd></dl>
<table><thead><tr><th scope="col">a</th><td></td></tr></thead>
<tbody><tr><th scope="row">b</th><td class="num" data-value="1.5">1.5</td></tr>
<tr><td colspan="2">c</td><td></td></tr></tbody></table>
<pre id="p">  <b class="k">x</b>
  y &#39;z&#39;</pre>
<svg viewBox="0 0 10 10"><rect x="1" height="2"/><path d="M0 0h1"/><g class="g"/></svg>
<math><mrow><mi>a</mi><mo>=</mo><mn>1</mn></mrow></math>
<img src="data:," alt=""/><input value="a=b"><br/>
</body>
</html>
"""
#: The parsed page, without line breaks between blocks.
TREE = """text => {
  const tree = node => {
    if (node.nodeType === Node.TEXT_NODE)
      return node.parentElement.closest("pre, script") ? node.data : node.data.replace(/\\s+/g, " ")
    const attributes = [...node.attributes].map(({name, value}) => [name, value])
    return [node.namespaceURI, node.localName, attributes, [...node.childNodes].map(tree)
      .map(each => typeof each === "string" && !node.closest("pre, script") ? each.trim() : each)
      .filter(each => each !== "")]
  }
  return tree(new DOMParser().parseFromString(text, "text/html").documentElement)
}"""


def test_a_browser_reads_the_same_document(browser: Browser) -> None:
    page = browser.new_page()
    short = compact(PAGE)
    assert len(short) < 0.87 * len(PAGE)
    try:
        assert page.evaluate(TREE, short) == page.evaluate(TREE, PAGE)
    finally:
        page.close()


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ('<td class="num">1</td>\n<td>2</td></tr>', "<td class=num>1<td>2</tr>"),
        ("<li>a</li><li>b</li></ul>", "<li>a<li>b</ul>"),
        ("<p>a</p>\n<p>b</p> c", "<p>a<p>b</p> c"),  # text after it would join the paragraph
        ('<a href="x?a=1&amp;b=2">', '<a href="x?a=1&b=2">'),
        ('<a href="x?a=1&amp;para=2">', '<a href="x?a=1&amp;para=2">'),  # &para is a sign
        ('<p title="a b" class="">', '<p title="a b" class>'),
        ('<rect x="1"/>', "<rect x=1 />"),
        ('<pre class="a b">\n<i class="c">\n</pre>', '<pre class="a b">\n<i class="c">\n</pre>'),
        ("<script>a\n\n<li>\n</li></script>", "<script>a\n\n<li>\n</li></script>"),
        ("&#45;&quot;&amp;&lt;", '-"&amp;&lt;'),
        (  # a quote would end the value
            '<p data-a="{&quot;b&quot;: &#34;&#39;&#34;}">&quot;</p></td>',
            """<p data-a="{&quot;b&quot;: &#34;'&#34;}">"</td>""",
        ),
        (  # headings in a row or column of headings
            '<table><thead><tr><th scope="col">a</th><th scope="col" id="b">b</th></tr></thead>'
            '<tbody><tr><th scope="row">c</th><td>d</td></tr></tbody></table>',
            "<table><thead><tr><th>a<th id=b>b<tbody><tr><th>c<td>d</table>",
        ),
        (  # a row without a heading, and headings beside a cell
            '<table><thead><tr><th scope="col">a</th></tr></thead>'
            '<tbody><tr><th scope="row">c</th></tr><tr><td>d</td></tr></tbody></table>',
            "<table><thead><tr><th>a<tbody><tr><th scope=row>c<tr><td>d</table>",
        ),
    ],
)
def test_only_what_a_page_may_omit_is_left_out(long: str, short: str) -> None:
    assert compact(long) == short


def test_every_page_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("a.html", "below/b.html", "c.txt"):
        (tmp_path / name).write_text('<p class="x">', "utf-8")
    compact_pages(tmp_path)
    assert (tmp_path / "below/b.html").read_text("utf-8") == "<p class=x>"
    assert (tmp_path / "c.txt").read_text("utf-8") == '<p class="x">'


def test_the_figures_of_a_row_name_their_row_once() -> None:
    cells = '<td class="num" data-of="t/r/{}">1</td>'
    row = f"<tr><th>r</th>{cells.format('a')}{cells.format('b')}</tr>"
    short = "<tr data-row=t/r><th>r<td class=num data-of=/a>1<td class=num data-of=/b>1</tr>"
    assert compact(row) == short
    other = row.replace("t/r/b", "t/@key/b")  # of two rows
    assert compact(other).count("data-row") == 0


def test_the_figures_of_a_column_name_their_column_once() -> None:
    def row(name: str, cells: str = "<td>-</td>") -> str:
        value = f'<td data-of="t/{name}/a" data-as="value">1</td><td data-of="t/{name}/b">2</td>'
        return f"<tr><th>{name}</th>{value}{cells}</tr>"

    short = compact(f"<table>{row('r')}{row('s')}</table>")
    assert short == (
        '<table data-columns="- a:value b -">'
        "<tr data-row=t/r><th>r<td>1<td>2<td>-<tr data-row=t/s><th>s<td>1<td>2<td>-</table>"
    )
    other = row("u", "")  # a row with other columns names its own
    long = compact(f"<table>{row('r')}{row('s')}{other}</table>")
    assert "<tr data-row=t/u><th>u<td data-of=/a data-as=value>1<td data-of=/b>2" in long
    scalar = row("r", '<td data-of="total">3</td>')
    assert "data-columns" not in compact(f"<table>{scalar}{scalar}</table>")


def test_a_folded_formula_names_its_table_and_row_once() -> None:
    def figure(of: str, own: str = ' data-own=""') -> str:
        return f'<span data-of="{of}"{own}>1</span>'

    inner = (
        f'<div id="f.t:a">{figure("t/r/b")}, {figure("m/@t/r/c/d")}, {figure("t/r/e", "")}</div>'
    )
    fold = f'<details class="formula"><summary>{figure("t/r/a", "")}</summary>{inner}</details>'
    short = compact(fold)
    assert short == (
        "<details class=formula data-row=t/r><summary><span data-of=/a>1</span></summary>"
        "<div id=f.t:a><span data-of=/b>1</span>, <span data-of=m/@/c/d>1</span>, "
        "<span data-of=t/r/e>1</span></div></details>"
    )
    other = fold.replace("t/r/", "", 1).replace("t/r/b", "s/r/b").replace("m/@t/r/c", "m/@u/r/c")
    assert "data-row" not in compact(other)


def test_many_links_to_lines_of_a_folder_name_it_once() -> None:
    links = [
        f'<a href="https://host/data/runs/{n}.yaml#L{n}" class="edit">edit</a>' for n in range(9)
    ]
    few, many = f'<article class="x">{"".join(links)}</article>', links * 2
    assert "data-at" not in compact(few)
    page = compact(f'<article class="x">{"".join(many)}</article>')
    assert page.startswith("<article data-edit=https://host/data/runs/ class=x>")
    assert page.count("<a class=edit data-at=") == 18
    assert "data-at=3.yaml#L3>edit</a>" in page


def test_charts_have_short_ids() -> None:
    chart = (
        '<svg aria-labelledby="chart-a-title chart-a-desc"><title id="chart-a-title">A</title>'
        '<desc id="chart-a-desc">a</desc><rect fill="url(#chart-a-1)" /></svg>'
    )
    page = compact(chart + chart.replace("chart-a", "chart-a-b"))
    assert "chart-" not in page
    for name in ("c0", "c1"):
        assert f'aria-labelledby="{name}-title {name}-desc"' in page
        assert f"<title id={name}-title>" in page
        assert f"url(#{name}-1)" in page


def test_short_ids_of_charts_do_not_depend_on_the_process() -> None:
    """The order of a set of texts does."""
    chart = '<svg aria-labelledby="chart-{0}-title c"><title id="chart-{0}-title">A</title></svg>'
    page = compact("".join(chart.format(letter) for letter in "hgfedcba"))
    assert re.findall(r"<title id=(\S+)-title>", page) == [f"c{n}" for n in range(7, -1, -1)]
