"""`diff` of two small books: the changes, and the causes of each changed result."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from cases import JOB, JOBS
from editions import edition_of
from runs import RUN, UNITS
from scalesheet import cli
from scalesheet.diff import Diff, compare
from scalesheet.diff.changes import FormulaChanged, InputChanged
from scalesheet.evaluate import evaluate
from scalesheet.examine import Examined, examine
from scalesheet.render.text.diff import Sides, as_markdown, as_text, code, md
from small import MINIMAL, plan

SCHEMAS = Path(__file__).parents[2] / "generator" / "scalesheet" / "schema" / "api"
PLAN = "plans/small/plan.yaml"
RATE = "rates/cloud-card.yaml"
OFFERED = "  offer: {ref: offers, value: cloud-card, title: Offer}\n  rent: {unit: USD, formula: "
RENT = "total.gpu_hours * offer.price, title: Rent}\ntables:\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The minimal book with an offer that the plan uses."""
    data = shutil.copytree(MINIMAL, tmp_path_factory.mktemp("base") / "data")
    rate = next((data / "rates").iterdir())
    rate.rename(data / RATE)
    text = (data / PLAN).read_text("utf-8").replace("tables:\n", OFFERED + RENT, 1)
    (data / PLAN).write_text(text, "utf-8")
    return data


@pytest.fixture(scope="module")
def before(base: Path) -> Examined:
    examined = examine(base)
    assert examined.book is not None, examined.diagnostics
    return examined


@pytest.fixture
def changed(base: Path, before: Examined, tmp_path: Path) -> Callable[..., tuple[Diff, Examined]]:
    """The diff after a change: a file, then pairs of an old and a new text."""

    def change(file: str, *pairs: tuple[str, str]) -> tuple[Diff, Examined]:
        data = tmp_path / "data"
        if not data.exists():
            shutil.copytree(base, data)
        text = (data / file).read_text("utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        (data / file).write_text(text, "utf-8")
        after = examine(data)
        assert after.book is not None, after.diagnostics
        return compare(edition_of(before), edition_of(after)), after

    return change


def test_a_book_does_not_differ_from_itself(before: Examined) -> None:
    diff = compare(edition_of(before), edition_of(before))
    assert not diff
    assert sum(diff.compared.values()) > 5


def test_a_changed_price_is_listed_with_everything_that_follows(
    changed: Callable[..., tuple[Diff, Examined]], before: Examined
) -> None:
    diff, after = changed(RATE, ("price: 1,", "price: 0.8,"))
    (price,) = diff.inputs
    assert price.place.name == "offers['cloud-card'].node_price"
    assert price.turn.ratio == 0.8
    rent = next(m for m in diff.moved if m.place.name == "rent")
    # the ratio is that of two evaluations, and this cause explains all of it
    was, now = (each.results["small"].scalars["rent"].value for each in (before, after))
    assert isinstance(was, float)
    assert isinstance(now, float)
    assert rent.turn.ratio == now / was
    (effect,) = rent.effects
    assert effect.causes == (price,)
    assert effect.alone.new.value == now
    assert effect.through == ("offers.price",)
    # only figures that depend on it changed, and the plan comes before the catalogue
    assert [m.place.name for m in diff.moved] == ["rent", "offers['cloud-card'].price"]


TWO_PHASES = """
headline: [total.gpu_hours]
scalars:
  goodput: {value: 1, unit: 1, domain: positive-fraction}
  speed: {value: 1000, unit: step / hour}
tables:
  runs:
    columns: {steps: {unit: step}, hours: {unit: hour, formula: steps / speed}}
    rows: {small: {steps: 1000}, large: {steps: 4000}}
phases:
  a: {title: A, class: one_time, gpus: 1, hours: {formula: "runs['small'].hours"}}
  b: {title: B, class: one_time, gpus: 1, hours: {formula: "runs['large'].hours"}}
"""


def test_the_path_of_an_effect_leads_through_the_row_that_changed(tmp_path: Path) -> None:
    before = plan(tmp_path / "before", TWO_PHASES)
    after = plan(tmp_path / "after", TWO_PHASES.replace("4000", "5000"))
    diff = compare(edition_of(before), edition_of(after))
    total = next(m for m in diff.moved if m.place.name == "phases.total.gpu_hours")
    (effect,) = total.effects
    assert "phases['b'].hours" in effect.through
    assert "phases['a'].hours" not in effect.through


def test_a_layout_that_is_chosen_again_is_a_consequence_of_the_edit(tmp_path: Path) -> None:
    files = {"components/job.yaml": JOB}
    before = plan(tmp_path / "before", JOBS, files)
    after = plan(tmp_path / "after", JOBS.replace("data: {value: 8,", "data: {value: 35,"), files)
    diff = compare(edition_of(before), edition_of(after))
    assert {each.place.name for each in diff.inputs} == {"data", "jobs['free'].parts"}
    total = next(m for m in diff.moved if m.place.name == "jobs.total.hours")
    (effect,) = total.effects
    assert [str(each.place) for each in effect.causes if isinstance(each, InputChanged)] == [
        "small: data"
    ]
    assert effect.alone.new == total.turn.new


def test_the_effect_of_each_of_several_inputs_is_that_of_changing_it_alone(
    changed: Callable[..., tuple[Diff, Examined]], before: Examined
) -> None:
    diff, _ = changed(
        PLAN,
        ("cards: {value: 1,", "cards: {value: 2,"),
        ("price: {value: 1.25,", "price: {value: 1,"),
        ("{title: 1 000 steps, steps: 1000}", "{title: 1 000 steps, steps: 500}"),
    )
    assert len(diff.inputs) == 3
    assert before.book is not None
    plan = before.book.plans["small"]
    first = diff.moved[0]
    assert first.headline
    cost = next(m for m in diff.moved if m.place.name == "cost")
    alone = {e.causes[0].was.key: e.alone.new for e in cost.effects}  # type: ignore[union-attr]  # inputs have a place
    assert len(alone) == 3
    for change in diff.inputs:
        tried = evaluate(before.book, plan, {change.was.key: change.forth})
        assert alone[change.was.key] == tried.scalars["cost"]
    weights = [e.alone.weight for e in cost.effects]
    assert weights == sorted(weights, reverse=True)


def test_changes_of_formulas_and_inputs_are_separated(
    changed: Callable[..., tuple[Diff, Examined]],
) -> None:
    diff, _ = changed(
        PLAN,
        ("formula: total.gpu_hours * price,", "formula: 2 * total.gpu_hours * price,"),
        ("price: {value: 1.25,", "price: {value: 1.5,"),
    )
    (formula,) = diff.formulas
    assert (formula.old, formula.new) == ("total.gpu_hours * price", "2 * total.gpu_hours * price")
    cost = next(m for m in diff.moved if m.place.name == "cost")
    by = {type(e.causes[0]): e.alone.ratio for e in cost.effects}
    assert by == {FormulaChanged: 2.0, InputChanged: pytest.approx(1.2)}
    assert cost.turn.ratio == pytest.approx(2.4)


def test_a_row_with_a_new_id_is_recognized_as_renamed(
    changed: Callable[..., tuple[Diff, Examined]],
) -> None:
    diff, _ = changed(
        PLAN,
        ("s10k:", "s10000:"),
        ("price: {value: 1.25,", "card_price: {value: 1.25,"),
        ("total.gpu_hours * price,", "total.gpu_hours * card_price,"),
    )
    told = {(e.kind, e.fate, e.was, e.name) for e in diff.entries}
    assert told == {
        ("input", "renamed", "price", "card_price"),
        ("row", "renamed", "runs['s10k']", "runs['s10000']"),
    }
    assert not diff.inputs
    assert not diff.moved
    assert not diff.formulas  # these use the new ids, and are otherwise unchanged


def test_an_offer_that_moved_to_another_file_is_renamed(
    base: Path, before: Examined, tmp_path: Path
) -> None:
    data = shutil.copytree(base, tmp_path / "data")
    (data / RATE).rename(data / "rates/other.yaml")
    plan = data / PLAN
    plan.write_text(plan.read_text("utf-8").replace("cloud-card", "other"), "utf-8")
    diff = compare(edition_of(before), edition_of(examine(data)))
    assert [(e.fate, e.was, e.name) for e in diff.entries] == [
        ("renamed", "offers['cloud-card']", "offers['other']")
    ]
    assert not diff.inputs
    assert not diff.moved


def test_added_and_removed_entries_are_listed(
    changed: Callable[..., tuple[Diff, Examined]],
) -> None:
    diff, _ = changed(
        PLAN,
        ("  goodput:", "  spare: {value: 3, unit: GPU, kind: decision}\n  goodput:"),
        ("      s1k: {title: 1 000 steps, steps: 1000}\n", ""),
        ("count(runs) == 2", "count(runs) == 1"),
    )
    assert {(e.kind, e.fate, e.name) for e in diff.entries} == {
        ("input", "added", "spare"),
        ("row", "removed", "runs['s1k']"),
    }
    hours = next(m for m in diff.moved if m.place.name == "runs.total.hours")
    assert [c.name for e in hours.effects for c in e.causes] == ["runs['s1k']"]  # type: ignore[union-attr]  # rows have a name


def test_changed_counts_and_ranks_are_only_counted(base: Path, tmp_path: Path) -> None:
    old = shutil.copytree(base, tmp_path / "old")
    scalars = (
        "scalars:\n"
        "  kept: {unit: 1, formula: count(measurements), title: Records}\n"
        "  says: {text: yes, formula: \"text('{count(measurements):.0} records')\"}\n"
        "  twice: {unit: 1, formula: 2 * kept, title: Twice}\n"
        "  long: {unit: second / step, formula: max(measurements.step_time), title: Longest}\n"
    )
    text = (old / PLAN).read_text("utf-8").replace("scalars:\n", scalars, 1)
    (old / PLAN).write_text(text, "utf-8")
    (old / "units.yaml").write_text(UNITS, "utf-8")
    (old / "measurements").mkdir()
    (old / "measurements" / "first.yaml").write_text(RUN, "utf-8")
    new = shutil.copytree(old, tmp_path / "new")
    run = RUN.replace("value: 0.5", "value: 0.75")
    (new / "measurements" / "second.yaml").write_text(run, "utf-8")
    found = compare(edition_of(examine(old)), edition_of(examine(new)))
    assert [moved.place.name for moved in found.moved] == ["twice", "long"]
    assert found.recounted == 2
    assert "2 counts or ranks of rows that came or went" in as_text(found, Sides("old", "new"))


def test_a_new_record_chosen_by_a_rule_changes_what_depends_on_it(
    base: Path, tmp_path: Path
) -> None:
    old = shutil.copytree(base, tmp_path / "old")
    scalars = (
        "scalars:\n  run: {ref: measurements, rule: {model: tiny}, runs: {batch_size: "
        "run.batch_size}}\n  took: {unit: second / step, formula: run.step_time * 2, title: Took}\n"
    )
    text = (old / PLAN).read_text("utf-8").replace("scalars:\n", scalars, 1)
    (old / PLAN).write_text(text, "utf-8")
    (old / "units.yaml").write_text(UNITS, "utf-8")
    (old / "measurements").mkdir()
    (old / "measurements" / "first.yaml").write_text(RUN.replace("measured", "simulated"), "utf-8")
    new = shutil.copytree(old, tmp_path / "new")
    run = RUN.replace("value: 0.5", "value: 0.25").replace("value: 16,", "value: 32,")
    (new / "measurements" / "second.yaml").write_text(run, "utf-8")
    found = compare(edition_of(examine(old)), edition_of(examine(new)))
    assert [(str(i.place), i.turn.old.value, i.turn.new.value) for i in found.inputs] == [
        ("small: run", "first", "second")
    ]
    moved = {m.place.name: (m.turn.old.value, m.turn.new.value) for m in found.moved}
    assert moved["took"] == (1, 0.5)
    assert (
        "      chosen by the rule model tiny: the only one that is measured, of 2 that match"
        in (as_text(found, Sides("old", "new")).splitlines())
    )


def test_the_same_value_in_another_unit_is_not_a_change(
    changed: Callable[..., tuple[Diff, Examined]],
) -> None:
    diff, _ = changed(
        "hardware/card.yaml", ("{value: 24, unit: GiB", "{value: 25769803776, unit: byte")
    )
    assert not diff


def test_a_new_source_kind_or_note_of_the_same_number_is_listed(
    changed: Callable[..., tuple[Diff, Examined]],
) -> None:
    rest = "unit: W / GPU, kind: spec, source: a-vendor}"
    other = rest.replace("spec", "measured").replace("a-vendor", "{key: a-paper, locator: line 4}")
    other = other.replace("}}", "}, note: Read out.}")
    diff, _ = changed("hardware/card.yaml", (rest, other))
    told = [(str(s.place), s.what, s.old, s.new) for s in diff.statements]
    place = "hardware['card'].power"
    assert told == [
        (place, "source", "a-vendor", "a-paper: line 4"),
        (place, "kind", "spec", "measured"),
        (place, "note", "", "Read out."),
    ]
    assert (diff.inputs, diff.moved) == ((), ())
    text = as_text(diff, Sides("a", "b"))
    assert "1 source changed; 1 kind changed; 1 note changed; 0 of " in text
    assert "kind spec -> measured" in text
    # if the number changes, only the number is reported
    diff, _ = changed("hardware/card.yaml", ("power: {value: 450", "power: {value: 400"))
    assert [i.place.name for i in diff.inputs] == [place]
    assert diff.statements == ()


def test_changes_below_the_threshold_are_ignored(
    base: Path, before: Examined, tmp_path: Path
) -> None:
    data = shutil.copytree(base, tmp_path / "data")
    text = (data / PLAN).read_text("utf-8").replace("value: 1.25,", "value: 1.2505,")
    (data / PLAN).write_text(text, "utf-8")
    after = examine(data)
    assert [
        len(compare(edition_of(before), edition_of(after), share).moved)
        for share in (0.001, 0.0001)
    ] == [0, 1]


# ------------------------------------------------------------------ output


def test_text_and_markdown_name_the_chain(changed: Callable[..., tuple[Diff, Examined]]) -> None:
    diff, _ = changed(RATE, ("price: 1,", "price: 0.8,"))
    text = as_text(diff, Sides("a", "b"))
    price = "A provider's card, on demand, Price per node hour 1.00 [0.80–1.20] -> 0.80"
    assert "1 input changed; 2 of " in text
    assert price in text
    assert "small: Rent (rent)" in text
    assert "-20.0 %, through offers.price" in text
    shown = as_markdown(diff, Sides("a", "b"))
    assert "| small | Rent<br>`rent` |" in shown
    assert "<details>" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>|x|", "&lt;b&gt;\\|x\\|"),
        ("@someone #12", "@\u200bsomeone #\u200b12"),
        ("- a\n- b", "\\- a - b"),
        ("0.80 [1–2]", "0.80 \\[1–2\\]"),
        ("12. a", "12\\. a"),
        ("1. a", "1\\. a"),
        ("2.74 | -12.5 %", "2.74 \\| -12.5 %"),
        ("-12.5 %", "-12.5 %"),
        ("https://a.b [x](y)", "https:\u200b//a.b \\[x\\](y)"),
    ],
)
def test_text_from_the_data_is_never_markup(text: str, shown: str) -> None:
    assert md(text) == shown


def test_code_spans_can_hold_backticks() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"


def test_a_comment_is_never_too_long_for_github(
    changed: Callable[..., tuple[Diff, Examined]],
) -> None:
    diff, _ = changed(RATE, ("price: 1,", "price: 0.8,"))
    many = replace(diff, inputs=diff.inputs * 3000, moved=diff.moved * 3000)
    shown = as_markdown(many, Sides("a", "b"), most=300)
    assert len(shown) < 65_536
    assert "and 2,850 more" in shown or "too long for a comment" in shown


# ------------------------------------------------------------------ the command


@pytest.fixture(scope="module")
def repository(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the base as its first commit, and a higher GPU price in the work tree."""
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(base, root / "data")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"],
    ):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    path = root / "data" / PLAN
    path.write_text(path.read_text("utf-8").replace("value: 1.25,", "value: 2.5,"), "utf-8")
    return root


def run(*arguments: str) -> int:
    try:
        return cli.main(["diff", *arguments])
    except SystemExit as stopped:
        return int(stopped.code or 0)


def test_a_diff_with_a_revision_matches_its_schema(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", ".git")  # as in a Git hook
    data = str(repository / "data")
    assert run("HEAD", "--data", data, "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    shapes = [
        json.loads((SCHEMAS / f"{n}.schema.json").read_text("utf-8")) for n in ("diff", "values")
    ]
    registry: Registry[object] = Registry().with_resources(
        (shape["$id"], Resource.from_contents(shape)) for shape in shapes
    )
    Draft202012Validator(shapes[0], registry=registry).validate(told)
    (cost,) = [r for r in told["results"] if r["name"] == "cost"]
    assert cost["ratio"] == 2.0
    (cause,) = cost["effects"][0]["causes"]
    assert told[cause["list"]][cause["index"]]["name"] == "price"
    # with the sides swapped, the path within the revision is shown
    assert run(data, "HEAD", "--data", data) == 0
    assert f"price, HEAD:data/{PLAN}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["HEAD", "--data", "gone"], "there is no data folder 'gone'"),
        (["nowhere"], "there is no folder or revision 'nowhere'; branches: "),
        (["--", "--output=x"], "there is no folder or revision '--output=x'"),
        (["HEAD", "--threshold", "2"], "'2' is not a share; write 0.1% or 0.001"),
        (["HEAD", "--data", "NEW"], "the revision 'HEAD' has no folder 'new'"),
    ],
)
def test_a_missing_side_is_an_error(
    repository: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    (repository / "new").mkdir(exist_ok=True)
    given = [text.replace("NEW", str(repository / "new")) for text in arguments]
    assert run("--data", str(repository / "data"), *given) == 2
    assert says in capsys.readouterr().err


def test_outside_a_repository_it_says_so(
    base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(base.parents[1]))
    assert run("HEAD", "--data", str(base)) == 2
    assert "is not in a git repository" in capsys.readouterr().err


def test_a_check_that_no_longer_holds_is_listed(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shutil.copytree(base, tmp_path / "data")
    text = (data / PLAN).read_text("utf-8")
    (data / PLAN).write_text(text.replace("count(runs) == 2", "count(runs) == 3"), "utf-8")
    assert run(str(base), str(data)) == 0
    out = capsys.readouterr().out
    assert "1 check no longer holds" in out
    assert "Does not hold (1)\n  small: There are two runs (new)\n" in out
    assert run(str(base), str(data), "--format", "markdown") == 0
    out = capsys.readouterr().out
    assert (
        "\N{LARGE RED CIRCLE} **Does not hold (1)**\n\n- small: There are two runs (new)\n" in out
    )
    assert run(str(base), str(data), "--format", "json") == 0
    (breach,) = json.loads(capsys.readouterr().out)["breaches"]
    assert breach == {
        "plan": "small",
        "check": "check.two_runs",
        "text": "There are two runs",
        "new": True,
    }


def test_a_side_with_errors_is_reported(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shutil.copytree(base, tmp_path / "data")
    page = (data / PLAN).with_name("page.md")
    page.write_text(page.read_text("utf-8") + "\n{{ nothing }}\n", "utf-8")
    assert run(str(base), str(data)) == 1  # compared anyway
    out, err = capsys.readouterr()
    assert "N001" in err
    assert "does not pass check: 1 error" in err
    assert "No numbers changed." in out
    (data / PLAN).write_text("<<<<<<< HEAD\n=======\n>>>>>>> b\n", "utf-8")
    assert run(str(base), str(data)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "Y013" in err
    assert "cannot be evaluated" in err


def test_identical_sides_are_not_evaluated(
    base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scalesheet.examine.examine", lambda *_, **__: pytest.fail("evaluated"))
    assert run(str(base), str(base)) == 0
    assert "No numbers changed." in capsys.readouterr().out


def test_an_empty_side_is_wrong_usage(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(repository / "data")
    for sides in (("",), ("HEAD", ""), ("", "HEAD")):
        assert run(*sides, "--data", data) == 2
        assert "a side is empty; write a git revision, such as main" in capsys.readouterr().err


def test_a_shallow_clone_is_named_as_the_reason(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *who, *words], check=True, capture_output=True)

    whole, shallow = tmp_path / "whole", tmp_path / "shallow"
    git("clone", "-q", str(repository), str(whole))
    git("-C", str(whole), "commit", "-q", "--allow-empty", "-m", "second")
    git("clone", "-q", "--depth=1", whole.as_uri(), str(shallow))
    data = str(shallow / "data")
    for revision in ("HEAD~1", "origin/release", "0123456789abcdef0123456789abcdef01234567"):
        assert run(revision, "--data", data) == 2
        told = capsys.readouterr().err
        assert f"there is no revision '{revision}' because this clone is shallow" in told
        assert "'git fetch --unshallow', or check out with 'fetch-depth: 0'" in told
    git("-C", str(shallow), "fetch", "-q", "--unshallow")
    assert run("HEAD~1", "--data", data) == 0
    assert run("HEAD~5", "--data", data) == 2
    assert "shallow" not in capsys.readouterr().err
