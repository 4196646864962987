"""Every diagnostic has at least one bad file, which is reported at its place in a valid book.

The bad and the good example of each code are those that `explain` shows, shipped with the program
(`scalesheet/examples/`). Further bad files are here. The first line of a file says where it
belongs, the following lines say what is expected:

    # place: hardware/bad.yaml
    # expect: 6:17 S003 expected a number
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from scalesheet.codes import CODES, FAMILIES
from scalesheet.diagnostics import Diagnostic
from scalesheet.examine import diagnose
from scalesheet.examples import Example, example, in_words

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("[A-Z][0-9][0-9][0-9]_*.yaml"))
EXAMPLES = {code: example(code) for code in CODES if code not in in_words()}
EXPECT = re.compile(r"# expect: ([0-9]+):([0-9]+) ([A-Z][0-9]{3}) ?(.*)")

#: Bad input that no such file can show; the tests below make it, those of audits C002.
MADE = {"Y004", "Y011", "Y012", "N009", "C002", "C010", "C011"}
#: Diagnostics that are not only about a file of the book.
NOT_OF_A_FILE = {
    *("C002", "C010", "C011", "P001", "P002", "P003", "P004", "X001", "X002", "I001"),
    *(f"W00{number}" for number in range(1, 10)),  # tests/pull/
    *(
        "V014",
        "V015",
        "V016",
        "M001",
        "M002",
        "M003",
        "M004",
        "M005",
    ),  # tests/data/, tests/new/, tests/resolve/
    *("L001", "L002", "L003"),  # tests/test_links.py
    *(f"B00{number}" for number in range(1, 9)),  # tests/bench/
    *("V016", "V017"),  # tests/resolve/test_rules.py
    *("V019", "V020", "V021", "V022"),  # tests/check/test_slips.py
    "Y016",  # tests/load/test_extends.py
    *("Y015", "A001", "A002", "A003", "A004", "A005", "A006"),  # tests/actuals/
}


@dataclass(frozen=True)
class Expected:
    line: int
    column: int
    code: str
    message: str


def book(folder: Path, **files: bytes) -> Path:
    """A copy of the valid book with further files."""
    data = shutil.copytree(HERE / "minimal", folder / "data")
    for place, content in files.items():
        path = data / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return data


def expectations(text: str) -> tuple[str, list[Expected]]:
    """The place of a file, and the diagnostics expected there."""
    first, *rest = text.splitlines()
    matches = [m for line in rest if (m := EXPECT.fullmatch(line))]
    return first.removeprefix("# place: "), [
        Expected(int(m[1]), int(m[2]), m[3], m[4]) for m in matches
    ]


def told(found: list[Diagnostic], place: str, expected: Expected) -> bool:
    return any(
        d.path.endswith(place)
        and (d.line, d.column, d.code) == (expected.line, expected.column, expected.code)
        and expected.message in d.message
        for d in found
    )


def test_the_book_without_a_bad_file_is_valid(tmp_path):
    assert diagnose(book(tmp_path)) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_bad_file_is_reported_at_its_place(file, tmp_path):
    place, expected = expectations(file.read_text("utf-8"))
    found = diagnose(book(tmp_path, **{place: file.read_bytes()}))
    assert expected
    assert file.stem.split("_")[0] in {each.code for each in expected}
    for each in expected:
        assert told(found, place, each), "\n".join(map(str, found))
    assert {d.code for d in found} == {each.code for each in expected}, "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("place", "content", "expected"),
    [
        ("hardware/bad.yaml", b"title: caf\xe9\n", Expected(1, 11, "Y004", "byte 0xe9")),
        ("plans/small/page.md", b"\n\nh\xc3", Expected(3, 2, "Y004", "save the file as UTF-8")),
        ("book.yaml", "title: x".encode("utf-16"), Expected(1, 1, "Y004", "UTF-16")),
        ("rates/bad.yaml", b"#" * 5_000_001, Expected(1, 1, "Y011", "limit is 5 MB")),
        ("hardware/bad.yaml", b"", Expected(1, 1, "Y003", "the file is empty")),
        ("hardware/bad.yaml", b"- " * 100_000, Expected(1, 61, "Y006", "nested deeper than 30")),
        ("plans/a/page.md", b"text", Expected(1, 1, "Y012", "no plan.yaml")),
    ],
)
def test_bad_bytes_are_reported_at_their_place(place, content, expected, tmp_path):
    found = diagnose(book(tmp_path, **{place: content}))
    place = place.replace("page.md", "plan.yaml") if expected.code == "Y012" else place
    assert told(found, place, expected), found


def test_a_missing_file_is_reported(tmp_path):
    data = book(tmp_path)
    (data / "sources.yaml").unlink()
    assert told(diagnose(data), "sources.yaml", Expected(1, 1, "Y012", "the book has no"))


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_bad_example_gives_the_message_that_explain_shows(code, tmp_path):
    shown = EXAMPLES[code]
    found = diagnose(book(tmp_path, **{shown.place: shown.bad.encode()}))
    assert [str(d) for d in found] == [f"{tmp_path}/{said}" for said in shown.says]
    assert {d.code for d in found} == {code}


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_good_example_is_valid(code, tmp_path):
    shown = EXAMPLES[code]
    assert diagnose(book(tmp_path, **{shown.good_place: shown.good.encode()})) == []


def test_sources_can_be_empty_as_the_example_says(tmp_path):
    data = book(tmp_path, **{"sources.yaml": b"sources: {}\n"})
    assert "Y012" not in {d.code for d in diagnose(data)}


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("plans/small/pages/costs.md", b"---\ntitle: Costs\n---\n"),
        ("plans/small/claims/costs.yaml", b"document: {id: '1', title: A, source: a-paper}\n"),
    ],
)
def test_two_pages_with_one_address_are_reported(place, content, tmp_path):
    plan = b"title: A\nsummary: B\nscalars:\n  a: {value: 1, unit: 1}\n"
    claims = b"document: {id: '2', title: B, source: a-paper}\n"
    other = {"plans/small-costs/plan.yaml": plan, "plans/small-costs/claims.yaml": claims}
    assert diagnose(book(tmp_path / "a", **{place: content})) == []
    found = diagnose(book(tmp_path / "b", **other, **{place: content}))
    assert [(d.code, d.path.rsplit("/data/", 1)[1]) for d in found] == [("N009", place)]


def test_a_note_longer_than_a_cell_is_refused_at_its_place(tmp_path):
    """Whatever `check` accepts, `build` builds."""
    note = "words " * 6_000
    plan = f"title: A\nsummary: B\nscalars:\n  a: {{value: 1, unit: 1, note: {note}}}\n".encode()
    data = book(tmp_path, **{"plans/a/plan.yaml": plan, "plans/a/page.md": b"Words."})
    (found,) = diagnose(data)
    assert (found.code, found.line) == ("S004", 4)
    assert "expected at most 30,000 characters" in found.message


def test_every_diagnostic_has_an_example():
    assert all(isinstance(shown, Example) for shown in EXAMPLES.values())
    assert set(in_words()) == MADE | NOT_OF_A_FILE
    assert {file.name.split("_")[0] for file in FILES} <= set(EXAMPLES)


def test_every_letter_of_a_code_is_a_family():
    assert {code[0] for code in CODES} == set(FAMILIES)
