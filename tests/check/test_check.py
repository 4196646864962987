"""`check` reports all errors at once, each at its place and with a fix."""

import copy
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import draws
from scalesheet.check import check
from scalesheet.load import MAX_FINDINGS, Document, load, parse
from scalesheet.schemas import KINDS

MINIMAL = Path(__file__).parent.parent / "invalid" / "minimal"
SOUND, _ = load(MINIMAL)

HARDWARE = """\
title: A card
vendor: A vendor
form_factor: PCIe card
memory: {value: 24, unit: GiB, kind: spec, source: a-vendor}
bandwidth: {value: 1008, unit: GB / second, kind: spec, source: a-vendor}
dense_fp16: {value: 165.2, unit: TFLOP / (second * GPU), kind: spec, source: a-vendor}
dense_bf16: {reason: no bf16 tensor unit}
power: {value: 450, unit: W / GPU, kind: spec, source: a-vendor}
"""
SCALARS = "title: A plan\nsummary: In short.\nscalars:\n"
TABLE = """\
title: A plan
summary: In short.
tables:
  runs:
    columns:
      steps: {unit: step, domain: count}
      share: {unit: 1, domain: fraction}
      gpu: {ref: hardware}
      fits: {words: [fits, full]}
      saved: {flag: yes}
      remark: {text: yes}
      day: {date: yes}
    rows:
"""
RATE = """\
title: An offer
provider: A provider
accelerator: card
accelerators: 1
term: on-demand
prices:
"""
SOURCES = "sources:\n  a-vendor: {title: A data sheet}\n  a-paper: {title: A paper}\n"


def document(kind: str, text: str, path: str = "") -> Document:
    parsed = parse(text.encode(), path)
    assert parsed.data is not None, parsed.diagnostics
    return Document(kind, "x", path, parsed.data, parsed.places, parsed.keys, parsed.broken)


def said(kind: str, text: str) -> list[str]:
    """The findings as `line:column: CODE message`, with a valid sources.yaml."""
    found = check([document(kind, text), document("sources", SOURCES, "sources.yaml")])
    return [str(d).removeprefix(":") for d in found]


def test_the_smallest_valid_book_has_no_findings():
    documents, diagnostics = load(MINIMAL)
    assert diagnostics == []
    assert check(documents) == []


def test_the_time_of_a_check_is_linear_in_the_files():
    documents, _ = load(MINIMAL)

    def processor(times: int) -> float:
        began = time.process_time()
        check(documents * times)
        return time.process_time() - began

    processor(4)  # loads the schemas, which happens once
    few = min(processor(10) for _ in range(3))
    assert processor(100) < 30 * few


# ------------------------------------------------------------------ schemas


@pytest.mark.parametrize(
    ("kind", "text", "finding"),
    [
        (
            "hardware",
            HARDWARE.replace("memory", "memroy"),
            "4:1: S001 unknown key 'memroy'; did you mean 'memory'?",
        ),
        (
            "hardware",
            HARDWARE.replace("vendor: A vendor\n", ""),
            "1:1: S002 the file lacks the key 'vendor'; add it (Who makes it)",
        ),
        (
            "hardware",
            HARDWARE.replace("value: 24,", "value: lots,"),
            "4:17: S003 memory.value: expected a number, found the text 'lots'",
        ),
        (
            "hardware",
            HARDWARE.replace("value: 24,", "value: '24',"),
            "4:17: S003 memory.value: expected a number, found the text '24'; "
            "write it without quotes",
        ),
        (
            "hardware",
            HARDWARE.replace("value: 24,", "value: 24, zzz: 1,"),
            "4:21: S001 unknown key 'zzz' in memory; allowed here: value, low, high",
        ),
        (
            "hardware",
            HARDWARE.replace("vendor: A vendor", "vendor: 3"),
            "2:9: S003 vendor: expected text, found the number 3; put it in quotes",
        ),
        (
            "hardware",
            HARDWARE.replace("kind: spec, source: a-vendor}\nb", "kind: specs}\nb"),
            "4:38: S004 memory.kind: expected one of 'measured', 'simulated', 'vendor', 'spec', "
            "'published', 'assumption', 'decision', found the text 'specs'; did you mean 'spec'?",
        ),
        (
            "hardware",
            HARDWARE.replace("unit: GiB, ", ""),
            "4:1: U003 memory lacks the key 'unit'; write a unit; a pure number has the unit 1",
        ),
        (
            "hardware",
            HARDWARE + "released: 2022-02-29\n",
            "9:11: S006 released: expected a date YYYY-MM-DD that exists in the calendar, "
            "such as 2026-11-20, found the text '2022-02-29'",
        ),
        (
            "hardware",
            HARDWARE + "link: {value: 1, unit: GB / second, kind: spec}\n",
            "9:1: S002 link lacks the key 'source'; write a source; only an assumption or a "
            "decision stands without one",
        ),
        (
            "rate",
            RATE.replace("card", "Card+1") + "  - {from: 2024-01-01, reason: gone}\n",
            "3:14: S005 accelerator: expected an id of a-z, 0-9 and '-', found the text 'Card+1'",
        ),
        (
            "rate",
            RATE.replace("card", "../card") + "  - {from: 2024-01-01, reason: gone}\n",
            "3:14: Y009 accelerator: expected an id of a-z, 0-9 and '-', found the text "
            "'../card'; this is a path, and entities are named by their id",
        ),
        ("rate", RATE + "  []\n", "7:3: S007 prices: expected a list of at least one price"),
        ("rate", RATE + "  - {from: 2024-01-01}\n", "7:5: S002 prices[0] lacks the key 'price'"),
        (
            "rate",
            RATE + "  - {from: 2024-01-01, price: -1, unit: USD}\n",
            "7:31: V002 prices[0].price: expected a price above 0, found the number -1",
        ),
        (
            "plan",
            SCALARS + "  a: {value: 1, unit: step, formula: b}\n",
            "4:6: S004 scalars.a: expected either a value or a formula, found both",
        ),
        ("plan", SCALARS + "  A: {value: 1, unit: step}\n", "4:3: S005 scalars.A: expected a name"),
        ("plan", SCALARS + "  total: {value: 1, unit: 1}\n", "4:3: S004 scalars.total: expected a"),
        ("plan", SCALARS + "  a: [1]\n", "4:6: S003 scalars.a: expected a mapping such as"),
        ("sources", "sources: {a: {title: A, url: 'ftp://a.b'}}", "1:30: S004 sources.a.url: "),
        ("units", "units: {a: {symbol: s}}", "1:9: U005 units.a lacks the key 'dimension'"),
    ],
)
def test_a_schema_error_is_reported_at_its_place_with_a_fix(kind, text, finding):
    assert any(message.startswith(finding) for message in said(kind, text)), said(kind, text)


def test_text_that_looks_like_a_formula_or_markup_is_allowed():
    assert said("hardware", HARDWARE + "note: =1+1 <script>alert(1)</script>\n") == []


def test_a_wrong_type_of_value_is_reported_once():
    assert len(said("hardware", HARDWARE + "link: [1]\n")) == 1


def test_errors_of_the_loader_are_not_reported_again():
    assert said("hardware", HARDWARE.replace("value: 24", "value: .nan")) == []


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(
    ("scalar", "finding"),
    [
        ("{value: 5, low: 6, unit: 1}", "4:22: V001 scalars.a: low 6 is above value 5"),
        ("{value: 5, high: 4, unit: 1}", "4:23: V001 scalars.a: value 5 is above high 4"),
        ("{low: 9, high: 8, unit: 1}", "4:21: V001 scalars.a: low 9 is above high 8"),
        ("{at_least: 9, at_most: 8, unit: 1}", "4:29: V001 scalars.a: at_least 9 is above at_most"),
        (
            "{value: 1, unit: 1, written: {low: 3, high: 2}}",
            "4:50: V001 scalars.a, as written: low 3 is above high 2",
        ),
        (
            "{value: -1, unit: 1}",
            "4:14: V002 scalars.a: expected 0 or more (domain non-negative), found -1; fix it, "
            "or declare another domain",
        ),
        (
            "{value: 0, unit: 1, domain: positive}",
            "4:14: V002 scalars.a: expected above 0 (domain positive), found 0",
        ),
        (
            "{value: 1.5, unit: 1, domain: fraction}",
            "4:14: V002 scalars.a: expected 0 to 1 (domain fraction), ",
        ),
        ("{value: 2.5, unit: 1, domain: count}", "4:14: V002 scalars.a: expected 1, 2, 3, ... ("),
        ("{value: 1, low: 0, unit: 1, domain: count}", "4:22: V002 scalars.a: expected 1, 2, 3, "),
        (
            "{value: 1, unit: 1, written: {value: -1}}",
            "4:43: V002 scalars.a, as written: expected 0 or more",
        ),
    ],
)
def test_values_out_of_order_or_domain_are_reported(scalar, finding):
    (message,) = said("plan", SCALARS + f"  a: {scalar}\n")
    assert message.startswith(finding)


@pytest.mark.parametrize(
    "scalar",
    [
        "{value: 5, low: 5, high: 5, unit: 1}",
        "{value: -1, unit: 1, domain: signed}",
        "{value: 1, unit: 1, domain: fraction}",
        "{value: 0, unit: 1}",
        "{value: 3.0, unit: 1, domain: whole}",
        "{low: 8, high: 10, unit: hour}",
        "{at_most: 3e9, unit: parameter}",
    ],
)
def test_ends_of_domains_and_ranges_are_included(scalar):
    assert said("plan", SCALARS + f"  a: {scalar}\n") == []


def test_figures_of_phases_examples_and_prices_are_checked_too():
    phase = "phases:\n  p: {title: P, class: one_time, hours: -2}\n"
    (message,) = said("plan", "title: A\nsummary: B\n" + phase)
    assert message.startswith("4:41: V002 phases.p.hours: expected 0 or more (domain")
    formula = (
        "title: A\nunit: 1\nformula: n\ninputs:\n  n: {unit: 1, domain: count, default: 0}\n"
        "examples:\n  - {given: {n: 1.5}, expect: 1.5}\n"
    )
    assert [m.split()[0] for m in said("formula", formula)] == ["5:40:", "7:17:"]
    price = "  - {from: 2024-01-01, price: 2, low: 3, unit: USD / (node * hour), kind: decision}\n"
    assert said("rate", RATE + price) == [
        "7:39: V001 prices[0]: low 3 is above price 2; swap or fix them"
    ]


# ------------------------------------------------------------------ cells


@pytest.mark.parametrize(
    ("row", "finding"),
    [
        (
            "{stepz: 1}",
            "14:11: S001 row 'r' has the key 'stepz', which is not a column; did you mean 'steps'?",
        ),
        (
            "{steps: many}",
            "14:18: S003 row 'r', column 'steps': expected a number, or {reason: why there is "
            "none}, found the text 'many'",
        ),
        ("{steps: {value: '10'}}", "14:26: S003 row 'r', column 'steps': expected a number"),
        ("{gpu: 4090}", "14:16: S003 row 'r', column 'gpu': expected a row's id as text"),
        ("{fits: 1}", "14:17: S003 row 'r', column 'fits': expected a word of the class"),
        ("{saved: on}", "14:18: S004 row 'r', column 'saved': expected yes or no"),
        ("{remark: 5}", "14:19: S003 row 'r', column 'remark': expected text, in quotes"),
        ("{day: soon}", "14:16: S006 row 'r', column 'day': expected a date YYYY-MM-DD"),
        (
            "{steps: -5}",
            "14:18: V002 tables.runs, row 'r', column 'steps': expected 1, 2, 3, ... (domain "
            "count), found -5; fix it, or declare another domain",
        ),
        (
            "{share: {value: 2}}",
            "14:26: V002 tables.runs, row 'r', column 'share': expected 0 to 1 ",
        ),
    ],
)
def test_a_cell_must_have_its_columns_kind_and_domain(row, finding):
    (message,) = said("plan", TABLE + f"      r: {row}\n")
    assert message.startswith(finding)


def test_a_row_with_each_kind_of_cell_is_valid():
    row = "{title: R, steps: 10, share: {reason: unknown}, gpu: card, fits: full, saved: no, "
    row += "remark: =1, day: 2026-11-20}"
    assert said("plan", TABLE + f"      r: {row}\n") == []


# ------------------------------------------------------------------ dates and sources


@pytest.mark.parametrize(
    ("second", "finding"),
    [
        ("2023-01-01", "8:12: V007 prices[1].from: 2023-01-01 is earlier than the date of the"),
        ("2024-01-01", "8:12: V007 prices[1].from: 2024-01-01 repeats the date of the entry"),
    ],
)
def test_prices_must_be_in_order_of_their_dates(second, finding):
    prices = "".join(f"  - {{from: {day}, reason: gone}}\n" for day in ("2024-01-01", second))
    (message,) = said("rate", RATE + prices)
    assert message.startswith(finding)


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        ("a-vendr", "4:18: N006 memory.source: the source 'a-vendr' is not in sources.yaml; did"),
        ("{key: a-papr}", "4:24: N006 memory.source.key: the source 'a-papr' is not in"),
    ],
)
def test_unknown_sources_are_reported(source, finding):
    memory = f"memory: {{source: {source}, value: 24, unit: GiB, kind: spec}}\n"
    (message,) = said("hardware", HARDWARE.replace(HARDWARE.splitlines()[3] + "\n", memory))
    assert message.startswith(finding)


def test_sources_are_not_checked_if_their_file_is_unreadable():
    assert check([document("hardware", HARDWARE)]) == []


def test_all_errors_are_reported_at_once_and_in_order():
    text = HARDWARE.replace("memory", "memroy").replace("a-vendor", "nobody") + "note: 3\n"
    codes = [message.split()[1] for message in said("hardware", text)]
    assert codes == ["S001", "N006", "N006", "N006", "N006", "S003"]


# ------------------------------------------------------------------ properties

DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["a-paper", "2026-11-20", "step", "each", "../x", "\n", "count", "yes"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "value",
                    "low",
                    "high",
                    "unit",
                    "source",
                    "key",
                    "formula",
                    "rows",
                    "each",
                    "columns",
                    "reason",
                    "written",
                    "title",
                    "tables",
                    "scalars",
                    "from",
                    "price",
                    "domain",
                    "x",
                ]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=6,
)


def nodes(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in the data, as its container and its key or index."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in entries:
        yield data, key
        if isinstance(value, dict | list):
            yield from nodes(value)


@settings(max_examples=draws(400))
@given(st.data())
def test_any_replacement_in_a_valid_file_is_reported_without_an_exception(data):
    documents = [d for d in SOUND if d.kind != "page"]
    chosen = data.draw(st.sampled_from(documents))
    changed = replace(chosen, data=copy.deepcopy(chosen.data))
    container, key = data.draw(st.sampled_from(list(nodes(changed.data))))
    container[key] = data.draw(DATA)
    for finding in check([d for d in documents if d is not chosen] + [changed]):
        assert str(finding).isprintable()
        assert (finding.path, finding.line >= 1) == (chosen.path, True) or finding.code == "N006"


@settings(max_examples=draws(200))
@given(st.sampled_from(KINDS), DATA)
def test_no_data_causes_an_exception(kind, data):
    for finding in check([Document(kind, "x", "x.yaml", data)]):
        assert str(finding).isprintable()


def test_a_large_file_full_of_errors_takes_seconds_and_gives_a_hundred_findings():
    rows = "".join(f"      R{i}: {{stepz: many, source: nobody{i}}}\n" for i in range(20_000))
    began = time.process_time()
    assert len(said("plan", TABLE + rows)) == MAX_FINDINGS
    assert time.process_time() - began < 60  # of CPU time of this process; usually 5


def test_the_first_errors_of_a_file_are_reported_whatever_the_hashes():
    rows = "".join(
        f"  a{n}: {{value: 1, unit: USD, colour: red}}\n" for n in range(2 * MAX_FINDINGS)
    )
    found = check([document("plan", f"title: A\nscalars:\n{rows}")])
    unknown = [each.line for each in found if each.code == "S001"]
    assert unknown == list(range(3, 3 + len(unknown)))
    assert len(unknown) > MAX_FINDINGS // 2
