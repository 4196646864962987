"""The search index, and what the site's own script finds in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import quickjs
from hypothesis import given
from hypothesis import strategies as st
from sample_site import ASSETS

from scalesheet.site.search import Entry, entry, exchanged, index, read, words

ARTICLE = """<html><nav>elsewhere</nav><article class="md-content__inner"><h1 id="a">{title}</h1>
<p class="lead">{lead}</p><h2 id="part">{heading}<a class="headerlink" href="#part">¶</a></h2>
<table><tr><th scope="row">{row}</th><td>1.5&nbsp;TB</td><td>arXiv:2005.14165</td></tr></table>
<script>hidden()</script><svg><text>drawn</text></svg></article></html>"""


def page(path: str, title: str, **texts: Any) -> Entry:
    front = {"tags": texts.pop("tags", [])}
    given = {"title": title, "lead": "", "heading": "", "row": "", **texts}
    made = entry(path, ARTICLE.format(**given), front)
    assert made is not None
    return made


def found(query: str, *pages: Entry) -> list[str]:
    """The addresses that a query finds, best first."""
    context = quickjs.Context()
    context.eval((ASSETS / "search.js").read_text("utf-8"))
    context.eval(index(pages))
    search = "scalesheetSearch.find(scalesheetSearch.read(scalesheetIndex), {})"
    made = context.eval(f"JSON.stringify({search.format(json.dumps(query))})")
    return [each["path"] + f"#{each.get('anchor', '')}" for each in json.loads(made)]


def test_an_entry_knows_where_each_word_occurs() -> None:
    of = page(
        "a.html", "Title here", lead="Some words", heading="Parts", row="GSM8K", tags=["Nick"]
    )
    assert (of.title, of.note, of.headings) == ("Title here", "Some words", (("part", "Parts"),))
    fields = ("some", "gsm8k", "parts", "nick", "title")
    assert [of.words[word] for word in fields] == [0, 1, 2, 3, 4]
    assert not {"elsewhere", "hidden", "drawn"} & of.words.keys()
    assert {"tb", "2005.14165"} <= of.words.keys()
    assert "1.5" not in of.words, "a figure in the text"


def test_pages_with_all_words_come_before_those_with_some() -> None:
    some = page("some.html", "Early birds", lead="early")
    both = page("both.html", "Training", lead="it knows early stopping")
    assert found("early stopping", some, both) == ["both.html#", "some.html#"]


def test_a_title_weighs_more_than_a_row_and_a_row_more_than_a_text() -> None:
    text, row = page("text.html", "A", lead="gsm8k"), page("row.html", "B", row="GSM8K")
    title = page("title.html", "GSM8K")
    assert found("gsm8k", text, row, title) == ["title.html#", "row.html#", "text.html#"]


def test_phrases_that_mean_the_same_find_the_same() -> None:
    of = page("a.html", "Recomputation")
    assert found("gradient checkpointing", of) == ["a.html#"]
    assert found("zero 3", page("z.html", "ZeRO stage 3")) == ["z.html#"]


def test_a_result_links_to_the_heading_that_matches_better_than_the_title() -> None:
    assert found("loss curve", page("a.html", "Runs", heading="Loss curve")) == ["a.html#part"]


def test_catalogue_pages_come_before_their_sources() -> None:
    model = page("book/models/llama.html", "Llama", lead="memory")
    source = page("book/sources/llama.html", "Llama", lead="memory")
    assert found("llama memory", source, model)[0] == "book/models/llama.html#"


def test_stop_words_are_ignored_unless_there_are_no_others() -> None:
    of = page("a.html", "GPU hours")
    assert found("how many gpu hours", of) == ["a.html#"]
    assert found("how", page("b.html", "How to begin")) == ["b.html#"]


def test_pages_of_the_index_are_replaced_in_place() -> None:
    old = [page("a.html", "A"), page("b.html", "B"), page("c.html", "C")]
    own = [page("b.html", "New"), page("d.html", "D")]
    assert [e.title for e in exchanged(old, own, {"b.html", "c.html", "d.html"})] == [
        "A",
        "New",
        "D",
    ]


WORDS = st.dictionaries(st.from_regex(r"\A[a-z0-9é_]{1,8}\Z"), st.integers(0, 4), min_size=1)
ENTRIES = st.lists(
    st.builds(
        Entry,
        path=st.text(max_size=9),
        title=st.text(max_size=9),
        weight=st.floats(0.1, 4),
        note=st.text(max_size=9),
        names=st.tuples(st.text(max_size=9)),
        headings=st.tuples(st.tuples(st.text(max_size=4), st.text(max_size=4))),
        words=WORDS,
    ),
    min_size=1,
    max_size=5,
)


@given(ENTRIES)
def test_an_index_is_read_back_unchanged(pages: list[Entry]) -> None:
    assert read(index(pages)) == pages


@given(
    st.text(st.characters(max_codepoint=0x24F))
)  # beyond it, their Unicode tables differ by version
def test_script_and_build_split_a_text_into_the_same_words(text: str) -> None:
    pattern = r"/[\p{L}\p{N}_]+(?:\.\p{N}+)*/gu"
    theirs = quickjs.Context().eval(
        f"JSON.stringify({json.dumps(text)}.toLowerCase().match({pattern}) ?? [])"
    )
    ascii_ = [each for each in words(text) if each.isascii()]
    assert [each for each in json.loads(theirs) if each.isascii()] == ascii_


def test_synonyms_are_words_that_a_search_can_contain(tmp_path: Path) -> None:
    context = quickjs.Context()
    context.eval(index([page("a.html", "A")]))
    groups = json.loads(context.eval("JSON.stringify(scalesheetIndex.synonyms)"))
    assert all(len(set(group)) == len(group) > 1 for group in groups)
    assert all(phrase and phrase == phrase.lower() for group in groups for phrase in group)
