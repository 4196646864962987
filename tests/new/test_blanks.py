"""`scalesheet new`: blanks of each kind, filled by flags or by answers; entries of sources."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from new.begin import run, sell
from project import command, environment
from scalesheet.examine import examine
from scalesheet.new import entry
from scalesheet.new.blanks import BUILT, blanks
from scalesheet.new.template import Given, draft
from scalesheet.source.places import FOLDER_OF, modeline, place
from scalesheet.source.text import flow

SHIPPED = Path(__file__).parents[2] / "data"
SOURCES = (SHIPPED / "sources.yaml").read_text("utf-8")


# ------------------------------------------------------------------ flags


#: Published runs need the formulas of predictions, which the book lacks.
KINDS = [kind for kind in FOLDER_OF if kind != "published"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_all_blanks_filled_keeps_no_example_values(
    data: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sell(data, kind)
    example = draft(kind, "anew", data, Given(source="a-paper"))
    filled = [f"--set={blank.name}={flow(blank.example)}" for blank in blanks(kind, example)]
    named = {blank.name for blank in blanks(kind, example)}
    filled += [f"--set={k}={flow(example[k])}" for k in example if k in BUILT and k not in named]
    assert run(kind, "anew", "--source", "a-paper", "--title", "Mine", *filled) == 0
    told = capsys.readouterr().out
    text = place(data, kind, "anew").read_text("utf-8")
    assert "example" not in told + text.partition("\n\n")[0]
    assert "to-be-stated" not in text
    assert examine(data).diagnostics == []


def test_set_values_are_written_with_unit_and_source(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = ("memory=80", "bandwidth=3.2..3.4", "bandwidth.unit=TB / second", "vendor=Mine: 2")
    flags = [f"--set={each}" for each in values]
    assert run("hardware", "anew", "--source", "a-paper", *flags) == 0
    told = capsys.readouterr().out.splitlines()
    still = "form_factor, released, dense_fp16, dense_bf16, power"
    assert told[1:] == [f"still from the example: {still}"]
    text = (data / "hardware" / "anew.yaml").read_text("utf-8")
    head = text.partition("\n\n")[0].replace("\n# ", " ")
    assert head.endswith(f"Still example values, replace with yours: {still}.")
    said = yaml.safe_load(text)
    cited = {"kind": "spec", "source": {"key": "a-paper", "locator": "page or table"}}
    assert said["memory"] == {"value": 80, "unit": "GiB", **cited}
    assert said["bandwidth"] == {"low": 3.2, "high": 3.4, "unit": "TB / second", **cited}
    assert said["vendor"] == "Mine: 2"
    assert examine(data).diagnostics == []


def test_figures_that_belong_to_the_example_are_left_out(data: Path) -> None:
    formula = ["--set=inputs={hours: hour, power: W}", "--set=unit=W * hour"]
    assert (
        run("formula", "anew", "--source", "a-paper", "--set=formula=hours * power", *formula) == 0
    )
    assert run("model", "anew", "--source", "a-paper", "--set=layers=2") == 0
    assert examine(data).diagnostics == []
    for kind, gone in (("formula", "examples"), ("model", "published_parameters")):
        text = place(data, kind, "anew").read_text("utf-8")
        assert f"\n{gone}:" not in text


def test_invalid_values_are_reported_and_nothing_is_written(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rate", "anew", "--set=term=spott", "--set=accelerator=crad") == 1
    out, err = capsys.readouterr()
    assert "term: expected one of 'on-demand', 'spot', 'reserved'" in out
    assert "nothing was written: data/rates/anew.yaml would not be valid in this book" in err
    assert not (data / "rates" / "anew.yaml").exists()


# ------------------------------------------------------------------ answers


class Person:
    """Answers each question by the first pattern that matches it or its text."""

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self.answers = {pattern: iter(each) for pattern, each in answers.items()}
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)

    def ask(self, prompt: str) -> str:
        about = next((t for t in reversed(self.told) if not t.startswith("  ")), "") + prompt
        for pattern, answers in self.answers.items():
            if re.search(pattern, about if prompt.startswith("  [") else prompt):
                return next(answers, "")
        return ""


def asked(monkeypatch: pytest.MonkeyPatch, person: Person, *arguments: str) -> int:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", person.ask)
    monkeypatch.setattr("builtins.print", lambda *a, **k: person.tell(" ".join(map(str, a))))
    return run(*arguments)


def test_a_person_is_asked_for_each_blank_with_its_unit(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(
        {
            "^title": ["My offer"],
            "  source": ["a-paper"],
            "^term": ["spott", "spot"],
            r"prices\[0\].price": ["-3", "2..3", "2.5 EUR", "2.5"],
            "^accelerator:": ["crad", "card"],
        }
    )
    assert asked(monkeypatch, person, "rate", "anew") == 0
    said = yaml.safe_load((data / "rates" / "anew.yaml").read_text("utf-8"))
    price = said["prices"][0]
    assert (said["title"], said["term"], said["accelerator"]) == ("My offer", "spot", "card")
    assert (price["price"], price["source"]["key"]) == (2.5, "a-paper")
    told = "\n".join(person.told)
    assert "prices[0].price in USD / (node * hour): Per node-hour." in told
    assert "  term: expected one of 'on-demand', 'spot', 'reserved', found the text 'spott'" in told
    assert "expected a price above 0, found the number -3" in told
    assert "expected a price above 0, found a mapping" in told
    figure = "prices[0].price: expected a figure in USD / (node * hour) without its unit, as 3.06"
    assert f"{figure}, found '2.5 EUR'" in told
    assert "the book has no accelerator 'crad'; did you mean 'card'?" in told


@pytest.mark.parametrize("kind", KINDS)
def test_empty_answers_give_the_same_file_as_a_script(
    data: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    sell(data, kind)
    assert run(kind, "anew") == 0
    path = place(data, kind, "anew")
    plain = path.read_text("utf-8")
    path.unlink()
    path.with_name("page.md").unlink(missing_ok=True)
    assert asked(monkeypatch, Person({}), kind, "anew") == 0
    assert path.read_text("utf-8") == plain


def test_a_new_source_is_added_with_the_file(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(
        {
            "  source": ["Not a key", "b-paper", "b-paper"],
            "its title": ["", "B: a paper"],
            "where it can be read": ["nowhere", "https://b.org"],
            "the place in it": ["p. 2"],
        }
    )
    assert asked(monkeypatch, person, "hardware", "anew") == 0
    told = "\n".join(person.told)
    assert "'Not a key' is not a key" in told
    assert "'b-paper' is not in sources.yaml yet; did you mean 'a-paper'?" in told
    assert "expected http..., found 'nowhere'" in told
    assert entry.known(data)["b-paper"] == {"title": "B: a paper", "url": "https://b.org"}
    said = yaml.safe_load((data / "hardware" / "anew.yaml").read_text("utf-8"))
    assert said["memory"]["source"] == {"key": "b-paper", "locator": "p. 2"}
    assert examine(data).diagnostics == []


def test_a_formula_is_asked_for_with_its_inputs(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(
        {
            "^inputs:": ["{hours: hour, power: W}"],
            "^unit:": ["W * hour"],
            "^formula:": ["hours * pwoer", "hours * power"],
        }
    )
    assert asked(monkeypatch, person, "formula", "anew") == 0
    at = person.told.index("This is not valid in this book:")
    assert person.told[at + 1] == "  unknown input 'pwoer'; did you mean 'power'?"
    said = yaml.safe_load((data / "formulas" / "anew.yaml").read_text("utf-8"))
    assert (said["inputs"], said["formula"]) == ({"hours": "hour", "power": "W"}, "hours * power")
    assert "examples" not in said


def test_a_provider_can_be_named_by_its_title(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("provider", "a-provider", "--title", "A provider", "--source", "a-paper") == 0
    person = Person({"^provider:": ["a-provider", "A provider"]})
    assert asked(monkeypatch, person, "rate", "anew") == 0
    assert "  the book has no provider 'a-provider'; did you mean 'A provider'?" in "\n".join(
        person.told
    )


def test_an_answer_that_is_invalid_in_the_book_is_asked_again(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person({r"prices\[0\].price": ["900", "2"]})
    assert asked(monkeypatch, person, "rate", "anew") == 0
    at = person.told.index("This is not valid in this book:")
    assert "900" in person.told[at + 1]
    said = yaml.safe_load((data / "rates" / "anew.yaml").read_text("utf-8"))
    assert said["prices"][0]["price"] == 2


def test_a_real_terminal_asks_and_end_of_input_writes_nothing(data: Path) -> None:
    def terminal(typed: bytes) -> tuple[int, bytes]:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            command("new", "source", "b-paper"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(),
            close_fds=True,
        )
        os.close(theirs)
        os.write(ours, typed)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:
            pass  # the process closed its end
        os.close(ours)
        return process.wait(30), shown

    before = (data / "sources.yaml").read_text("utf-8")
    status, shown = terminal(b"B\n\x04")
    assert (status, b"nothing was written" in shown) == (2, True)
    assert (data / "sources.yaml").read_text("utf-8") == before
    status, shown = terminal(b"B\n\n\n\n")
    assert (status, b"added b-paper to data/sources.yaml" in shown) == (0, True)
    assert entry.known(data)["b-paper"] == {"title": "B"}


# ------------------------------------------------------------------ sources


LAYOUTS = {
    "by the alphabet": ("sources:\n  a: {title: A}\n  c: {title: C}\n", "b", 2),
    "before the first": ("sources:\n  # of c\n  c: {title: C}\n", "b", 2),
    "after its like": (
        "sources:\n  z-a:\n    title: A\n\n  # more\n  b:\n    title: B\n",
        "z-b",
        3,
    ),
    "at the end": ("sources:\n    z:\n        title: Z\n    b:\n        title: B", "c", 5),
    "the first": ("sources:\n", "b", 1),
    "without a file's keys": ("# nothing yet\n", "b", 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_entry_is_added_beside_similar_ones_and_no_other_byte_changes(layout: str) -> None:
    text, key, line = LAYOUTS[layout]
    made = entry.added(text, key, {"url": "https://b.org", "title": "B: it"}).splitlines()
    assert made[line].strip().startswith(f"{key}:")
    kept = made[:line] + made[line + (1 if made[line].endswith("}") else 3) :]
    assert kept == text.splitlines() or text == "# nothing yet\n"
    assert yaml.safe_load("\n".join(made))["sources"][key] == {
        "title": "B: it",
        "url": "https://b.org",
    }


def test_an_entry_can_be_added_to_the_shipped_sources() -> None:
    made = entry.added(SOURCES, "nvidia-anew", {"title": "Anew"})
    added = [line for line in made.splitlines() if line not in SOURCES.splitlines()]
    assert added == ["  nvidia-anew:", "    title: Anew"]
    assert len(made) == len(SOURCES) + sum(len(line) + 1 for line in added)


def test_a_layout_that_allows_no_addition_is_reported(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "sources.yaml").write_text("sources: {a-paper: {title: A}, b: {title: B}}\n", "utf-8")
    assert run("source", "c", "--title", "C") == 2
    assert "do not each have their own line; add the new one by hand" in capsys.readouterr().err


def test_a_source_is_checked_like_any_other(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (data / "sources.yaml").read_text("utf-8")
    assert run("source", "c", "--title", "C", "--set", "accessed=yesterday") == 1
    out, err = capsys.readouterr()
    assert "S006 sources.c.accessed: expected a date YYYY-MM-DD" in out
    assert "nothing was written" in err
    assert (data / "sources.yaml").read_text("utf-8") == before
    assert run("source", "c", "--title", "C", "--set", "accessed=2026-11-20") == 0
    assert entry.known(data)["c"] == {"title": "C", "accessed": "2026-11-20"}


# ------------------------------------------------------------------ editors


@pytest.mark.parametrize(("kind", "up"), [("hardware", 2), ("plan", 3)])
def test_a_new_file_names_its_schema_if_the_schema_is_there(data: Path, kind: str, up: int) -> None:
    assert modeline(data, kind, "anew") == ""
    way = f"{'../' * up}generator/scalesheet/schema/{kind}.schema.json"
    assert modeline(SHIPPED, kind, "anew") == f"# yaml-language-server: $schema={way}\n"
    assert place(SHIPPED, kind, "anew").parent.joinpath(way).resolve().is_file()
