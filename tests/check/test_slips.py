"""What people mistype in the plan of a new book: one error, where the slip is, with its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from own import begun
from project import edit
from scalesheet.examine import examine
from scalesheet.nearest import nearest

OFFER, TOKENS = "runpod-secure-h100-sxm", "20_000_000, low: 15_000_000, high: 30_000_000"
#: What stands in the plan, what is written instead, and the error: its line, and how it begins.
SLIPS = [
    ("[cost, hours]", "[cost, runs.hours]", 3, "N001 'runs.hours' is a column, and a headline is"),
    ("gpus: 1}", "gpus: 0}", 15, "V002 'gpus': expected 1, 2, 3, ... (domain count), found 0"),
    ("batch: 32", "batch: -1", 15, "V002 'batch': expected 1, 2, 3, ... (domain count), found -1"),
    (
        "gpus: 1}",
        "gpu: 1}",
        15,
        "S001 A training run computes 'gpu'; state its inputs instead; did",
    ),
    (f"{TOKENS}, unit: token", "50M tokn", 6, "U001 'tokens': unknown unit 'tokn'; did you mean"),
    (TOKENS, "50M tokn, low: 20M token", 6, "U001 'tokens': unknown unit 'tokn'; did you mean"),
    ("500, unit: USD", "500 Dollar", 8, "U001 'cap': unknown unit 'Dollar'; did you mean 'USD'?"),
    (
        "500, unit: USD",
        "500$",
        8,
        "S003 scalars.cap.value: expected a number, found the text '500$'",
    ),
    (
        "500, unit: USD",
        "$500",
        8,
        "S003 scalars.cap.value: expected a number, found the text '$500'",
    ),
    ("{unit: USD, f", "{f", 9, "U003 'cost' has no unit; its formula gives USD; add 'unit: USD'"),
    ("  cap:", "   cap:", 8, "Y001 this line is indented by 3 spaces; expected 2 or 0; align it"),
    ("title: Our", "title Our", 1, "Y001 expected 'key: value', found 'title Our first plan'; put"),
    (OFFER, "h101", 15, "N002 'h101' is not in offers; did you mean one of these"),
    (OFFER, "runpod-h100", 15, "N002 'runpod-h100' is not in offers; did you mean one of these"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("slips"))


@pytest.mark.parametrize(("old", "new", "line", "says"), SLIPS)
def test_a_slip_is_one_error_where_it_is(
    data: Path, old: str, new: str, line: int, says: str
) -> None:
    plan = data / "plans" / "first" / "plan.yaml"
    before = plan.read_text("utf-8")
    edit(plan, old, new)
    try:
        (only,) = examine(data).diagnostics
    finally:
        plan.write_text(before, "utf-8")
    assert (Path(only.path).name, only.line) == ("plan.yaml", line)
    assert f"{only.code} {only.message}".startswith(says)


IDS = ("vast-h100", "vast-secure-h100-sxm", "vast-a10", "modal-h200", "llama-3-8b", "llama-3-1-8b")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("h100", "; did you mean 'vast-h100' or 'vast-secure-h100-sxm'?"),
        ("h101", "; did you mean 'vast-h100' or 'vast-secure-h100-sxm'?"),
        ("llama", "; did you mean 'llama-3-8b' or 'llama-3-1-8b'?"),
        ("llama-8b", "; did you mean 'llama-3-8b' or 'llama-3-1-8b'?"),
        ("vast", "; did you mean 'vast-a10', 'vast-h100' or 'vast-secure-h100-sxm'?"),
        ("vast-secure-h100-smx", "; did you mean 'vast-secure-h100-sxm'?"),
        ("VAST-A10", "; did you mean 'vast-a10'?"),
        ("xyzzy", ""),
    ],
)
def test_an_id_is_found_by_its_words(name: str, hint: str) -> None:
    assert nearest(name, IDS) == hint
