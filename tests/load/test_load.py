"""Loading: how YAML is read, the position of each value, and what is refused."""

import os
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from project import draws
from scalesheet.codes import CODES
from scalesheet.diagnostics import Diagnostic
from scalesheet.load import Document, flag, load, parse, reader

PARSERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(params=PARSERS, ids=lambda parser: parser.__name__)
def each_parser(request, monkeypatch):
    monkeypatch.setattr(reader, "PARSER", request.param)


def value(text: str):
    parsed = parse(f"a: {text}\n".encode(), "f.yaml")
    assert parsed.diagnostics == ()
    return parsed.data["a"]


def said(content: bytes | str) -> list[str]:
    content = content.encode() if isinstance(content, str) else content
    return [str(d).removeprefix("f.yaml:") for d in parse(content, "f.yaml").diagnostics]


# ------------------------------------------------------------------ scalars


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("24", 24),
        ("-3", -3),
        ("+3", 3),
        ("0", 0),
        ("10_000", 10_000),
        ("1_000", 1000),
        ("0.5", 0.5),
        ("1e9", 1e9),
        ("1E9", 1e9),
        ("1.5e-3", 0.0015),
        ("7e+2", 700.0),
        ("1_000.5", 1000.5),
        ("1e-100", 1e-100),
        ("0e999", 0.0),
    ],
)
def test_numbers_are_read_as_a_reader_expects(each_parser, text, number):
    assert value(text) == number
    assert type(value(text)) is type(number)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "yes",
        "on",
        "off",
        "No",
        "True",
        "FALSE",
        "Null",
        "12:30",
        "1:30:00",
        "2026-11-20",
        "2024-05",
        "0x10",
        "0o7",
        "007",
        "-01",
        ".5",
        "5.",
        "1__0",
        "_1",
        "1_",
        "1,000",
        "15%",
        "1e",
        "e9",
        "1.2.3",
        "=1+1",
        "<script>alert(1)</script>",
        "y",
        "n",
        "٣",
    ],
)
def test_everything_else_is_text_as_written(each_parser, text):
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("[]", []),
        ("{}", {}),
        ("'24'", "24"),
        ('"no"', "no"),
        ("|\n  two\n  lines", "two\nlines\n"),
        (">\n  one\n  line", "one line\n"),
        ('"\\u00b5"', "µ"),
        ("'.nan'", ".nan"),
    ],
)
def test_words_quotes_and_blocks_are_text(each_parser, text, meant):
    assert value(text) == meant


def test_a_byte_order_mark_and_windows_line_breaks_are_accepted(each_parser):
    parsed = parse(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "f.yaml")
    assert parsed.data == {"a": 1, "b": 2}
    assert parsed.diagnostics == ()


def test_a_flag_is_yes_or_no_or_a_bool():
    assert [flag(data) for data in ("yes", True, "no", False)] == [True, True, False, False]


# ------------------------------------------------------------------ positions


def test_each_value_and_key_knows_its_position(each_parser):
    text = (
        "# a comment\nmemory: {value: 24, unit: GiB}\nprices:\n  - from: 2024-01-01\n    price: 3\n"
    )
    parsed = parse(text.encode(), "f.yaml")
    document = Document("rate", "x", "f.yaml", parsed.data, parsed.places, parsed.keys)

    def line_and_column(position):
        return position.line, position.column

    assert line_and_column(document.at()) == (2, 1)
    assert line_and_column(document.at("memory")) == (2, 9)
    assert line_and_column(document.at("memory", "value")) == (2, 17)
    assert line_and_column(document.key_at("memory", "value")) == (2, 10)
    assert line_and_column(document.at("prices", 0, "price")) == (5, 12)
    assert line_and_column(document.key_at("prices", 0, "price")) == (5, 5)
    assert line_and_column(document.key_at("prices", 0)) == (4, 5)


def test_a_missing_value_has_the_position_of_its_nearest_ancestor(each_parser):
    parsed = parse(b"memory: {value: 24}\n", "f.yaml")
    document = Document("hardware", "x", "f.yaml", parsed.data, parsed.places, parsed.keys)
    assert document.at("memory", "source", "key") == document.at("memory")
    assert document.at("nothing") == document.at()
    assert Document("hardware", "x", "f.yaml", {}).at("a").line == 1


def test_columns_count_characters_and_not_bytes(each_parser):
    assert said("a: µµµ\nb: 'µ' x\n")[0].startswith(("2:8:", "2:1:", "2:4:"))
    assert said("{µ: 1, µ: 2}") == ["1:8: Y002 the key 'µ' is already on line 1; keep one"]


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("a: 1\nb: 2\na: 3\n", ["3:1: Y002 the key 'a' is already on line 1; keep one"]),
        ("", ["1:1: Y003 the file is empty; write its content"]),
        ("# only a comment\n", ["1:1: Y003 the file is empty; write its content"]),
        ("---\n~\n", ["1:1: Y003 the file is empty; write its content"]),
        (
            "a: &x 1\nb: *x\n",
            [
                "1:4: Y005 &x is an anchor; drop it and write values out",
                "2:4: Y005 *x is an alias; write the value out",
            ],
        ),
        (
            "a: .nan\nb: -.inf\nc: [nan, Infinity]\n",
            [
                f"{place}: Y007 {text} is not a number; write a number, or "
                "{reason: why there is none}"
                for place, text in [
                    ("1:4", ".nan"),
                    ("2:4", "-.inf"),
                    ("3:5", "nan"),
                    ("3:10", "Infinity"),
                ]
            ],
        ),
        (
            "a: 1e999\nb: -1e-999\n",
            [
                "1:4: Y007 1e999 is larger than 1e100; write it in a larger unit",
                "2:4: Y007 -1e-999 is smaller than 1e-100; write 0, or use a smaller unit",
            ],
        ),
        ("a: !!str 3\n", ["1:4: Y008 the tag tag:yaml.org,2002:str is not plain data; drop it"]),
        ("512: a\n", ["1:1: Y008 the key 512 is not text; put it in quotes"]),
        (
            "a: {price: 0,9}\n",
            [
                "1:14: Y008 a comma in braces begins another key, here 9; "
                "write a number with a decimal point and without commas: 0.9, 2000"
            ],
        ),
        ("? [a]\n: 1\n", ["1:3: Y008 a key is text, not a list or mapping; write a plain key"]),
        (
            "a: 1\n---\nb: 2\n",
            ["2:1: Y008 a second document begins; keep one document per file, without '---'"],
        ),
        (
            'a: "\\x1b[31m"\n',
            ["1:4: Y001 the control character U+001B is not allowed in text; delete it"],
        ),
        (
            "a: 1\nb: x\u2028y\n",
            ["2:5: Y001 the control character U+2028 is not allowed in text; delete it"],
        ),
        ("a: b: c\n", ["put text that contains ': ' in quotes"]),
        ("a:\n\tb: 1\n", ["2:1: Y001 the indentation has a tab; indent with spaces"]),
        ("a: 'open\n", ["1:4: Y001 the quote that opens here is never closed; close it"]),
        ("a: 'it's'\n", ["1:8: Y001 the quoted text ends at column 7", "write '' for a quote"]),
        ("a: 'open\nb: 1\nc: 'x'\n", ["1:4: Y001 a quote opens here", "line 3", "close the quote"]),
        ("--\na: 1\n", ["1:1: Y001 the line '--' is not YAML; delete it"]),
        (
            "a: {b: 1, c: 2 * t['x'].y + t['z'].y}\n",
            ["Y001 a text with '[' needs quotes here; write \"2 * t['x'].y + t['z'].y\""],
        ),
        ("a: {b: 0,9 USD, c: 1}\n", ["1:10: Y008 a comma in braces begins another key"]),
        ("a: 1\nb: [1, 2\n", ["2:4: Y001", "close the bracket"]),
        (
            "a: 1\n b: 2\n",
            ["2:1: Y001 this line is indented by 1 space; expected 0; align it"],
        ),
        (
            "a:\n  b: 1\n   c: 2\n",
            ["3:1: Y001 this line is indented by 3 spaces; expected 2 or 0; align it"],
        ),
        (
            "a: 1\nb c\nd: 2\n",
            ["2:1: Y001 expected 'key: value', found 'b c'; put ':' after the key"],
        ),
    ],
)
def test_yaml_outside_the_format_is_refused_at_its_place(each_parser, text, findings):
    found = said(text)
    if len(findings) == len(found):
        for message, expected in zip(found, findings, strict=True):
            assert expected in message
    else:
        assert all(expected in found[0] for expected in findings), found


def test_all_findings_of_a_file_are_reported_at_once(each_parser):
    codes = [message.split()[1] for message in said("a: .nan\nb: &x 1\nb: !t 2\n3: *x\n")]
    assert codes == ["Y007", "Y005", "Y002", "Y008", "Y008", "Y005"]


def test_the_rest_of_a_file_with_findings_can_still_be_checked(each_parser):
    parsed = parse(b"a: .nan\nb: 2\n", "f.yaml")
    assert parsed.data == {"a": None, "b": 2}
    assert parsed.broken == {("a",)}


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (b"a: 1\nb: \xe9\n", "2:4: Y004 byte 0xe9 at offset 8 is not UTF-8"),
        (b"a: \xed\xa0\x80", "1:4: Y004 byte 0xed at offset 3 is not UTF-8"),
        ("a: 1".encode("utf-16"), "1:1: Y004 the file is in UTF-16"),
        (b"a: x\x00y", "1:5: Y001 the control character U+0000"),
        (b"a: \xef\xbf\xbe", "1:4: Y001 the control character U+FFFE"),
        (b'a: "\\ud800"', "Y001"),
        (b'a: "\\UFFFFFFFF"', "Y001"),
        (b"a: 1" + b"0" * 5000, "1:4: Y007"),
        (b"a: " + b"x" * 5_000_000, "1:1: Y011 the file is larger than 5 MB"),
    ],
)
def test_hostile_bytes_are_refused(each_parser, content, finding):
    assert finding in said(content)[0]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[[", '{"a":['])
def test_deep_nesting_is_refused_and_neither_crashes_nor_hangs(each_parser, opening):
    began = time.process_time()
    (finding,) = said(opening * 100_000)
    assert "Y006 mappings and lists are nested deeper than 30 levels; flatten them" in finding
    assert time.process_time() - began < 30


def test_deep_nesting_over_many_lines_is_refused(each_parser):
    (finding,) = said("".join(f"{' ' * depth}a:\n" for depth in range(2000)))
    assert finding.startswith("31:31: Y006")


def test_thirty_levels_are_allowed(each_parser):
    assert said("[" * 30 + "]" * 30) == []
    assert len(said("[" * 31 + "]" * 31)) == 1


def test_an_alias_bomb_is_refused_without_expanding_it(each_parser):
    lines = ["a0: &a0 [x, x]", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 30))]
    assert {message.split()[1] for message in said("\n".join(lines))} == {"Y005"}


def test_a_file_with_countless_findings_reports_a_hundred(each_parser):
    assert len(said("a: .nan\n" * 1000)) == reader.MAX_FINDINGS


@settings(max_examples=draws(300))
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace")))
def test_no_bytes_cause_an_exception(content):
    assert_well_formed(content)


@settings(max_examples=draws(300))
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                ": ",
                "- ",
                "\n",
                "  ",
                "{",
                "}",
                "[",
                "]",
                ", ",
                "&x ",
                "*x",
                "!t ",
                "? ",
                "'",
                '"',
                "|",
                ">",
                "#",
                "---\n",
                "...\n",
                "%YAML 1.1\n",
                "<<",
                "~",
                "1e9",
                ".nan",
                "\\",
                "\\x",
                "\t",
                "\r",
                "\u2028",
                "\x00",
                "@",
                "`",
                "é",
                "\ufeff",
                "\x85",
            ]
        ),
        max_size=40,
    )
)
def test_no_yaml_structure_causes_an_exception(tokens):
    assert_well_formed("".join(tokens).encode())


def assert_well_formed(content: bytes) -> None:
    parsed = parse(content, "f.yaml")
    assert parsed.data is not None or parsed.diagnostics
    for finding in parsed.diagnostics:
        assert finding.code in CODES
        assert finding.line >= 1
        assert finding.column >= 1
        str(finding).encode("utf-8")
        assert str(finding).isprintable()


# ------------------------------------------------------------------ the folder


def write(data: Path, **files: str | bytes) -> Path:
    """Write a data folder with the three files that a book needs, and others (`__` is a slash)."""
    files = {"book.yaml": "title: x", "units.yaml": "units: x", "sources.yaml": "a: x"} | files
    for name, content in files.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return data


def found(data: Path) -> list[tuple[str, str]]:
    return [(Path(d.path).relative_to(data).as_posix(), d.code) for d in load(data)[1]]


def test_the_path_of_a_document_determines_its_kind(tmp_path):
    places = {
        "hardware/card.yaml": ("hardware", "card"),
        "rates/offer.yaml": ("rate", "offer"),
        "models/tiny.yaml": ("model", "tiny"),
        "formulas/loss.yaml": ("formula", "loss"),
        "plans/small/plan.yaml": ("plan", "small"),
    }
    documents, diagnostics = load(write(tmp_path, **dict.fromkeys(places, "title: x")))
    assert diagnostics == []
    top = {("book", "book"), ("units", "units"), ("sources", "sources")}
    assert {(d.kind, d.id) for d in documents} == {*places.values(), *top}


def test_a_plans_page_is_read_as_text(tmp_path):
    page = {"plans/small/page.md": "\ufeff# Title\r\n\r\n{{ cost }}\r\n"}
    documents, diagnostics = load(write(tmp_path, **page, **{"plans/small/plan.yaml": "a: 1"}))
    assert diagnostics == []
    (page,) = [d for d in documents if d.kind == "page"]
    assert (page.id, page.data) == ("small", "# Title\n\n{{ cost }}\n")


def test_a_further_page_is_read_as_data_and_text(tmp_path):
    page = "---\r\ntitle: Costs\r\neach: {scale: scales}\r\n---\r\nFrom {{ cost }}.\r\n"
    files = {"plans/small/pages/costs.md": page, "plans/small/plan.yaml": "a: 1"}
    documents, diagnostics = load(write(tmp_path, **files))
    assert diagnostics == []
    (page,) = [d for d in documents if d.kind == "subpage"]
    assert (page.id, page.part) == ("small", "costs")
    assert page.data == {"title": "Costs", "each": {"scale": "scales"}}
    assert (page.at("each", "scale").line, page.at("each", "scale").column) == (3, 15)
    assert (page.text, page.text_line) == ("From {{ cost }}.\n", 5)


def test_a_plan_can_have_claims_on_several_documents(tmp_path):
    names = ["claims.yaml", "claims/b.yaml", "claims/a.yaml"]
    files = dict.fromkeys([f"plans/small/{name}" for name in names], "a: 1")
    documents, _ = load(write(tmp_path, **files, **{"plans/small/plan.yaml": "a: 1"}))
    named = {(d.id, d.part) for d in documents if d.kind == "claims"}
    assert named == {("small", ""), ("small", "a"), ("small", "b")}


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("costs.md", "# Costs\n", "S002", 1),
        ("costs.md", "---\ntitle: Costs\n", "S002", 1),
        ("costs.md", "---\n---\n", "Y003", 1),
        ("costs.md", "---\ntitle: Costs\ntitle: Costs\n---\n", "Y002", 3),
        ("costs.md", "---\ntitle: Costs\n---\n\x07\n", "Y001", 4),
        ("The costs.md", "---\ntitle: Costs\n---\n", "S005", 1),
    ],
)
def test_a_further_page_with_invalid_data_is_reported(tmp_path, name, text, code, line):
    files = {f"plans/small/pages/{name}": text, "plans/small/plan.yaml": "a: 1"}
    (fault,) = load(write(tmp_path, **files))[1]
    assert (fault.code, fault.line) == (code, line)


def test_a_page_that_is_not_utf8_is_refused(tmp_path):
    files = {"plans/small/page.md": b"caf\xe9", "plans/small/plan.yaml": "a: 1"}
    assert found(write(tmp_path, **files)) == [("plans/small/page.md", "Y004")]


def test_missing_files_are_named(tmp_path):
    write(tmp_path, **{"plans/small/page.md": "text"})
    (tmp_path / "sources.yaml").unlink()
    (tmp_path / "units.yaml").unlink()  # a book does not need its own units
    assert found(tmp_path) == [("plans/small/plan.yaml", "Y012"), ("sources.yaml", "Y012")]
    write(tmp_path, **{"plans/other/claims/a.yaml": "a: 1"})
    assert ("plans/other/plan.yaml", "Y012") in found(tmp_path)
    assert [d.code for d in load(tmp_path / "nowhere")[1]] == ["Y012"]


@pytest.mark.parametrize(
    "place",
    [
        "extra.yaml",
        "hardware/new/card.yaml",
        "hardware/card.yml",
        "plans/plan.yaml",
        "plans/small/other.yaml",
        "plans/small/deep/plan.yaml",
        "Book.yaml",
        "rates/offer.YAML",
        "runs/2026/r.yaml",
    ],
)
def test_yaml_in_an_unknown_place_is_reported(tmp_path, place):
    assert found(write(tmp_path, **{place: "a: 1"})) == [(place, "Y010")]


@pytest.mark.parametrize(
    "place",
    [
        "README.md",
        "notes/table.csv",
        "rates/README.md",
        ".git/config.yaml",
        "hardware/.card.yaml.swp",
    ],
)
def test_other_files_are_ignored(tmp_path, place):
    assert found(write(tmp_path, **{place: "a: .nan"})) == []


@pytest.mark.parametrize("place", ["rates/prices.csv", "plans/small/notes.txt", "plans/todo"])
def test_other_files_in_the_books_folders_are_reported(tmp_path, place):
    assert found(write(tmp_path, **{place: "a: .nan"})) == [(place, "Y014")]


@pytest.mark.parametrize("name", ["RTX 4090", "card_1", "-card", "ä"])
def test_a_file_name_that_is_not_an_id_is_refused(tmp_path, name):
    assert [code for _, code in found(write(tmp_path, **{f"hardware/{name}.yaml": "a: 1"}))] == [
        "S005"
    ]


def test_an_unprintable_name_is_shown_escaped(tmp_path):
    (write(tmp_path) / "hardware").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/hardware/\xff\n.yaml")).write_text("a: 1")
    (finding,) = load(tmp_path)[1]
    assert str(finding).isprintable()
    assert finding.code == "S005"


def test_links_out_of_the_folder_are_refused(tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_text("a: 1")
    data = write(tmp_path / "data", **{"hardware/card.yaml": "a: 1"})
    (data / "hardware/linked.yaml").symlink_to(secret)
    (data / "hardware/broken.yaml").symlink_to(data / "nowhere")
    (data / "plans").symlink_to(tmp_path)
    (data / "models").symlink_to(data / "hardware")
    assert found(data) == [
        ("hardware/broken.yaml", "Y009"),
        ("hardware/linked.yaml", "Y009"),
        ("models", "Y010"),
        ("plans", "Y009"),
    ]
    assert {d.id for d in load(data)[0] if d.kind == "hardware"} == {"card"}


def test_a_link_within_the_folder_is_followed(tmp_path):
    data = write(tmp_path, **{"hardware/card.yaml": "a: 1"})
    (data / "hardware/same.yaml").symlink_to(data / "hardware/card.yaml")
    assert {d.id for d in load(data)[0] if d.kind == "hardware"} == {"card", "same"}


def test_pipes_and_folders_are_not_read_as_files(tmp_path):
    data = write(tmp_path)
    (data / "hardware").mkdir()
    os.mkfifo(data / "hardware/pipe.yaml")
    (data / "rates/offer.yaml").mkdir(parents=True)
    (data / "rates/offer.yaml/x.yaml").write_text("a: 1")
    assert found(data) == [("hardware/pipe.yaml", "Y010"), ("rates/offer.yaml/x.yaml", "Y010")]


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    data = write(tmp_path, **{"hardware/card.yaml": b"#" * 5_000_001})
    assert found(data) == [("hardware/card.yaml", "Y011")]


def test_paths_are_shown_relative_to_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "data", **{"hardware/card.yaml": "a: .nan"})
    assert [d.path for d in load(Path("data"))[1]] == ["data/hardware/card.yaml"]
    assert [d.path for d in load(tmp_path / "data")[1]] == ["data/hardware/card.yaml"]
    monkeypatch.chdir("/")
    inside = (tmp_path / "data/hardware/card.yaml").relative_to("/").as_posix()
    assert [d.path for d in load(tmp_path / "data")[1]] == [inside]


def test_documents_and_diagnostics_are_sorted(tmp_path):
    data = write(tmp_path, **{f"hardware/{n}.yaml": "a: .nan" for n in ("b", "a", "c")})
    documents, diagnostics = load(data)
    assert [d.path for d in documents] == sorted(d.path for d in documents)
    assert diagnostics == sorted(diagnostics)
    assert all(isinstance(d, Diagnostic) for d in diagnostics)
