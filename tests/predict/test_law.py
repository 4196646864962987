"""Scaling laws of own runs: their properties, how runs are read, what a law's file holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from project import ROOT
from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.diagnostics import Refused
from scalesheet.examine import Examined
from scalesheet.foreign import File
from scalesheet.model import Stated
from scalesheet.predict.arrays import Array
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.law.answer import SHARES, USEFUL, Answer, answer
from scalesheet.predict.law.file import again, coefficients, digest, problems, written
from scalesheet.predict.law.forms import Form, forms
from scalesheet.predict.law.learn import DRAWS, Learned, learn, sweep
from scalesheet.predict.law.runs import CODE, RESULTS, Runs, bare, read_runs
from scalesheet.predict.law.speed import speed
from scalesheet.predict.records import rows_of
from scalesheet.render.own_laws import headline

PLANNED = (7e9, 140e9)
RUNS = """run,N,D,loss,gpu_hours
a,25M,1.5B,3.80,0.6
b,25M,6B,3.53,2.4
c,70M,1.5B,3.55,1.5
d,70M,6B,3.24,6
e,160M,3B,3.19,6
f,160M,12B,2.96,23
g,410M,8B,2.86,38
"""
SIZES = np.log(np.array([25e6, 25e6, 70e6, 70e6, 160e6, 160e6, 410e6, 410e6, 1e9, 1e9]) / 1e9)
TOKENS = np.log(np.array([2e9, 8e9, 2e9, 8e9, 4e9, 16e9, 8e9, 24e9, 10e9, 20e9]) / 2e10)
FAR = np.log([7.0]), np.log([7.0])  # 7e9 parameters, 140e9 tokens


@pytest.fixture(scope="module")
def known(book: Book) -> tuple[Form, ...]:
    return forms(book)


@pytest.fixture(scope="module")
def read(book: Book, catalogue: Known) -> Callable[[str], Runs]:
    return lambda text: read_runs(File("runs.csv", text.encode(), CODE), book, catalogue)


@pytest.fixture(scope="module")
def made(book: Book, catalogue: Known, read: Callable[[str], Runs]) -> Answer:
    return answer(book, catalogue, read(RUNS), PLANNED)


def width(law: Learned, x: Array, y: Array) -> float:
    low, high = law.interval(x, y)
    return float(high[0] - low[0])


# ------------------------------------------------------------------ laws


def test_each_form_is_the_formula_of_the_catalogue(book: Book, known: Sequence[Form]) -> None:
    sizes, tokens = np.array([3e7, 1e9, 7e10]), np.array([1e9, 3e11, 2e12])
    assert [form.name for form in known] == ["joint", "chinchilla", "kaplan"]
    for form in known:
        law, slopes = form.curve(form.mean, np.log(sizes / 1e9), np.log(tokens / 2e10))
        given = form.coefficients(form.mean)
        assert law == pytest.approx(
            rows_of(book, "joint-power-loss", parameters=sizes, tokens=tokens, **given)
        )
        for place in range(len(form.free)):
            step = 1e-6 * np.eye(len(form.free))[place]
            more = form.curve(form.mean + step, np.log(sizes / 1e9), np.log(tokens / 2e10))[0]
            assert (more - law) / 1e-6 == pytest.approx(slopes[:, place], abs=1e-4)


def test_published_laws_are_the_prior_of_their_form(book: Book, known: Sequence[Form]) -> None:
    (kaplan,) = (form for form in known if form.name == "kaplan")
    points = {"parameters": np.array([1e8, 1e10]), "tokens": np.array([1e9, 1e12])}
    law = kaplan.curve(kaplan.mean, *(np.log([0.1, 10.0]), np.log([0.05, 50.0])))[0]
    assert law == pytest.approx(rows_of(book, "kaplan-loss", **points))


def test_the_interval_covers_made_up_sweeps_as_often_as_it_claims(
    known: Sequence[Form],
) -> None:
    inside = []
    for seed in range(36):
        random = np.random.default_rng(seed)
        form = known[seed % len(known)]
        truth = form.mean + form.unsure * random.standard_normal(len(form.free))
        noise = 0.02 * random.standard_normal(len(SIZES) + 1)
        loss = form.curve(truth, SIZES, TOKENS)[0] + noise[:-1]
        low, high = learn(sweep(SIZES, TOKENS, loss), known).interval(*FAR)
        inside.append(low[0] <= form.curve(truth, *FAR)[0][0] + noise[-1] <= high[0])
    assert 0.65 <= np.mean(inside) <= 0.95


def test_more_runs_give_a_narrower_interval(known: Sequence[Form]) -> None:
    form = known[0]
    loss = form.curve(form.mean, SIZES, TOKENS)[0]
    widths = [
        width(learn(sweep(SIZES[:n], TOKENS[:n], loss[:n]), known), *FAR) for n in (4, 6, 8, 10)
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.5 * widths[0]


def test_the_interval_widens_with_distance_from_the_runs(made: Answer) -> None:
    places = [np.log([times]) for times in (0.3, 3.0, 30.0, 300.0)]
    widths = [width(made.law, place, place) for place in places]
    assert widths == sorted(widths)


def test_the_order_of_runs_and_the_notation_of_numbers_change_nothing(
    book: Book, catalogue: Known, read: Callable[[str], Runs], made: Answer
) -> None:
    head, *lines = RUNS.splitlines()
    turned = "\n".join((head, *reversed(lines)))
    spelled = RUNS.replace("M,", "000_000,").replace("B,", "e9,").replace("N,D,", "params,tokens,")
    for text in (turned, spelled, RUNS.replace(",", ";")):
        other = answer(book, catalogue, read(text), PLANNED)
        assert coefficients(other) == coefficients(made)
        assert other.target == made.target
        assert other.next == made.next


def test_the_same_seed_repeats_the_answer_and_another_changes_only_the_interval(
    book: Book, catalogue: Known, read: Callable[[str], Runs], made: Answer
) -> None:
    runs = read(RUNS)
    assert answer(book, catalogue, runs, PLANNED).target == made.target
    other = answer(book, catalogue, runs, PLANNED, seed=1).target.loss
    assert other.value == made.target.loss.value
    assert other.low != made.target.loss.low
    assert other.low == pytest.approx(made.target.loss.low, abs=0.02)


def test_an_outlier_hardly_changes_the_law(known: Sequence[Form]) -> None:
    form = known[0]
    loss = form.curve(form.mean, SIZES, TOKENS)[0]
    off = loss + 0.5 * (np.arange(len(loss)) == 9)  # least squares would change it by 0.16
    one, other = (
        learn(sweep(SIZES, TOKENS, each), known[:1]).expected(*FAR) for each in (loss, off)
    )
    assert abs(one - other)[0] < 0.1


def test_draws_average_to_the_fit_and_weights_add_up_to_one(made: Answer) -> None:
    assert made.law.weights.sum() == pytest.approx(1)
    assert len(made.law.drawn(*FAR)) == DRAWS * len(made.law.fitted)
    assert made.law.weights @ made.law.drawn(*FAR)[:, 0] == pytest.approx(
        made.target.loss.value, abs=0.05
    )


def test_assumptions_are_read_from_the_table(
    book: Book, catalogue: Known, read: Callable[[str], Runs], made: Answer
) -> None:
    table = book.tables["assumptions"]
    value = table.columns["value"]

    def other(**edits: float) -> Book:
        stated = {**value.stated, **{row.replace("_", "-"): Stated(n) for row, n in edits.items()}}
        columns = {**table.columns, "value": replace(value, stated=stated)}
        return replace(book, tables={**book.tables, "assumptions": replace(table, columns=columns)})

    def asked(**edits: float) -> Answer:
        return answer(other(**edits), catalogue, read(RUNS), PLANNED)

    def size(one: Answer) -> float:
        return one.target.loss.high - one.target.loss.low

    assert made.throughput is not None
    assert size(asked(own_floor_deviation=0.01)) < size(made)
    assert asked(own_scatter=0.2).law.noise > 2 * made.law.noise
    faster = asked(own_growth=0.5, own_growth_deviation=0.01).throughput
    assert faster is not None
    assert faster.value > 2 * made.throughput.value
    assert "and 0.2 assumed" in headline(asked(own_scatter=0.2))


def test_a_book_without_assumptions_says_where_to_get_them(book: Book) -> None:
    bare = replace(book, tables={"fits": book.tables["fits"]})
    with pytest.raises(Refused, match=r"tables/assumptions\.yaml.*copy the file"):
        forms(bare)


# ------------------------------------------------------------------ hours and the next run


def test_hours_match_the_runs_and_their_range_widens_beyond_them(
    book: Book, read: Callable[[str], Runs]
) -> None:
    runs = read(RUNS)
    rate = speed(book, runs)
    assert rate is not None
    hours = runs.tokens / (3600 * rate.throughput(book, runs.parameters))
    assert np.exp(np.abs(np.log(hours / [0.6, 2.4, 1.5, 6, 6, 23, 38]))).max() < 1.25
    factors = rate.factor(np.array([1e8, 1e10, 1e12]))
    assert (np.diff(factors) > 0).all()
    assert (
        speed(book, read("\n".join(line.rpartition(",")[0] for line in RUNS.splitlines()))) is None
    )


def test_throughput_that_follows_no_law_is_reported(
    book: Book, catalogue: Known, read: Callable[[str], Runs], made: Answer
) -> None:
    wrong = answer(book, catalogue, read(RUNS.replace("38", "0.038")), PLANNED)
    assert "Their throughput follows no law closely" in headline(wrong)
    assert "follows no law" not in headline(made)


def test_a_larger_next_run_narrows_more_and_the_first_most_per_gpu_hour(made: Answer) -> None:
    first, *others = made.next
    assert first.gpu_hours is not None
    for one in others:
        assert one.gpu_hours is not None
        assert one.narrows / one.gpu_hours <= first.narrows / first.gpu_hours or (
            one.narrows < USEFUL
        )
    assert [one.narrows for one in others] == sorted(one.narrows for one in others)
    assert all(one.share <= SHARES[-1] for one in made.next)


def test_the_next_run_narrows_the_interval_about_as_much_as_claimed(
    book: Book, catalogue: Known, read: Callable[[str], Runs], made: Answer
) -> None:
    last = made.next[-1]
    point = np.array([last.parameters]), np.array([last.tokens])
    own = made.law.fitted[0]
    law = own.form.curve(own.found, np.log(point[0] / 1e9), np.log(point[1] / 2e10))[0][0]
    more = f"{RUNS}h,{last.parameters:.0f},{last.tokens:.0f},{law:.4f},\n"
    then = answer(book, catalogue, read(more), PLANNED).target.loss
    before = made.target.loss
    narrowed = 1 - (then.high - then.low) / (before.high - before.low)
    assert narrowed == pytest.approx(last.narrows, abs=0.25)
    assert narrowed > 0.1


def test_the_frontier_is_the_lowest_loss_for_each_budget(made: Answer) -> None:
    for point in made.frontier[2:]:
        assert 6 * point.parameters * point.tokens == pytest.approx(point.compute)
    losses = [point.loss.value for point in made.frontier]
    assert losses == sorted(losses, reverse=True)


# ------------------------------------------------------------------ files


BAD = {
    "": ["1:1 expected a column for size (N, params) and tokens (D, D_tokens) and loss (val_loss)"],
    "N,D,loss\n1e8,1e9,3.5\n": ["1:1 expected 3 runs or more, found 1. Add runs"],
    "N,D\n1e8,1e9\n": ["1:1 expected a column for loss (val_loss), found N, D"],
    "N,D,loss,colour\n1e8,1e9,3.5,red\n": ["1:4 unknown column 'colour'"],
    "N,D,losss\n1e8,1e9,3.5\n": ["1:3 unknown column 'losss'; did you mean 'loss'?"],
    "N,size,D,loss\n1e8,1e8,1e9,3.5\n": ["1:2 'size' and 'N' mean the same. Keep one of them"],
    "N,D,loss\n1e8,1e9,3.5\n1e8,2e9,3.4\n1e8,3e9,3.3\n": [
        "1:1 expected runs of two sizes or more, found one, 1e+08. Add a run of another size"
    ],
    "N,D,loss\n1e8,1e9,11.5\n1e8,2e9,3.4\n2e8,3e9,3.3\n": ["2:3 the loss 11.5 is above 10.82"],
    "N,D,loss\n1e8,1e9,nan\n1e8,2e9,3.4\n2e8,3e9,3.3\n": [
        "2:3 loss: expected a number above 0, found 'nan'. Correct it, or remove the run"
    ],
    "N,D,loss\n-1e8,1e9,3.4\n1e8,,3.4\n2e8,3e9,3.3\n": [
        "2:1 size: expected a number above 0, found '-1e8'",
        "3:2 tokens: expected a number above 0, found nothing",
    ],
    "N,D,loss\n1e8,1e9\n1e8,2e9,3.4\n2e8,3e9,3.3\n": [
        "2:1 expected 3 fields, found 2. Add what is missing"
    ],
    "N,D,loss\n1e8,1,5e9,3.5\n1e8,2e9,3.4\n2e8,3e9,3.3\n": [
        "2:1 expected 3 fields, found 4. Quote commas in text"
    ],
    "N,D,loss\n1,\0,3\n": ["2:3 expected text in UTF-8, found a NUL byte"],
    'N,D,loss\n1,"2,3\n': ["2:1 not CSV: a quotation mark is not closed"],
    "N,D,loss,gpu_hours,tok/s/gpu\n1e8,1e9,3.5,1,1e5\n1e8,2e9,3.4,,1\n2e8,3e9,3.3,2,\n": [
        "2:5 throughput 100000 disagrees with gpu_hours: tokens over 1 GPU hours are 277,778 tokens"
    ],
    "N,D,loss,eval_set\n1e8,1e9,3.5,a\n1e8,2e9,3.4,b\n2e8,3e9,3.3,a\n": [
        "1:4 expected one 'eval_set' for all runs, found 'a', 'b'"
    ],
    "N,D,loss,gpu_hours\n1e8,1e9,3.5,-1\n1e8,2e9,3.4,\n2e8,3e9,3.3,2\n": [
        "2:4 gpu_hours: expected a number above 0, found '-1'"
    ],
    "N,D,loss\n1e6,1e9,3.5\n1e8,2e9,3.4\n2e8,3e9,3.3\n": ["2:1 too small: fewer than 3e6"],
}


@pytest.mark.parametrize("text", BAD)
def test_an_error_in_a_file_is_reported_with_its_place_and_fix(
    text: str, read: Callable[[str], Runs]
) -> None:
    with pytest.raises(Refused) as raised:
        read(text)
    found = [f"{each.line}:{each.column} {each.message}" for each in raised.value.diagnostics]
    assert [one[: len(begins)] for one, begins in zip(found, BAD[text], strict=True)] == BAD[text]
    assert {each.code for each in raised.value.diagnostics} == {"P003"}


@pytest.mark.parametrize("name", RESULTS["loss"])
def test_a_loss_is_known_by_its_everyday_names(name: str, read: Callable[[str], Runs]) -> None:
    assert len(read(RUNS.replace(",loss,", f",{name.upper()},"))) == 7


def test_the_stored_law_follows_from_its_runs(book: Book, catalogue: Known) -> None:
    fit = book.fits["own-marin-delphi"]
    made = again(book, fit, catalogue)
    place = ROOT / "data" / "fits" / "own-marin-delphi.yaml"
    assert written(book, "marin-delphi", fit.runs, made) == place.read_text("utf-8")
    assert digest(made.runs) == fit.digest
    assert list(problems(book)) == []


def test_the_command_writes_a_law_and_says_the_same_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], made: Answer
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(RUNS, "utf-8")
    words = ["law", str(path), "--size", "7B", "--tokens", "140B", "--data", str(ROOT / "data")]
    assert main(words) == 0
    assert f"Loss        {made.target.loss.value:.3f} [" in capsys.readouterr().out
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["planned"]["loss"]["value"] == made.target.loss.value
    assert found["law"] == coefficients(made)


def test_the_reference_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "reference" / "law.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    table = page.partition("```csv\n")[2].partition("```")[0]
    Path("runs.csv").write_text(table, "utf-8")
    command, _, shown = page.partition("```console\n$ ")[2].partition("...\n```")[0].partition("\n")
    assert main([*command.split()[1:], "--data", str(ROOT / "data")]) == 0
    assert capsys.readouterr().out.startswith(shown)


def lines_of(command: str, runs: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    (folder / "runs.csv").write_text(runs, "utf-8")
    main(["law", str(folder / "runs.csv"), *command.split(), "--data", str(ROOT / "data")])
    return " ".join(capsys.readouterr().out.split())


def test_a_run_far_off_the_law_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Check" not in lines_of("", RUNS, tmp_path, capsys)
    mistyped = RUNS.replace("2.96", "1.96")
    assert mistyped != RUNS
    assert "Check f: far off the law" in lines_of("", mistyped, tmp_path, capsys)


def test_runs_that_follow_no_law_and_a_plan_far_beyond_them_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rising = "N,D,loss\n100M,2B,3\n200M,4B,3.5\n400M,8B,4\n800M,16B,5\n"
    assert "follow no law closely" in lines_of("", rising, tmp_path, capsys)
    assert "far beyond the runs" in lines_of("--size 700T --tokens 7T", RUNS, tmp_path, capsys)


def test_parameters_without_embeddings_rise_smoothly(made: Answer, catalogue: Known) -> None:
    sizes = np.geomspace(2e8, 5e9, 200)
    steps = np.diff(np.log(bare(made.runs, sizes, catalogue)))
    assert steps.max() < 2 * steps.min()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--size", "7B"),
            "--tokens: expected a number of at least 10M, such as 7B, found nothing",
        ),
        (("--size", "x", "--tokens", "1B"), "--size: expected a number of at least 3M"),
        (("--write", "My law"), "--write My law: expected a name of a-z, 0-9 and hyphens"),
    ],
)
def test_wrong_usage_is_reported(
    words: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["law", str(tmp_path / "none.csv"), *words]) == 2
    assert says in capsys.readouterr().err


# ------------------------------------------------------------------ the score


def test_sweeps_whose_largest_runs_are_hidden_are_scored(examined: Examined) -> None:
    assert examined.edition is not None
    hidden = examined.edition.hidden_sweeps
    assert len(hidden) >= 9
    off = [float(np.median(np.abs(each.expected - each.truth))) for each in hidden]
    others = [float(np.median(np.abs(each.shipped - each.truth))) for each in hidden]
    assert np.mean(off) < np.mean(others)
    assert np.mean([each.inside for each in hidden]) >= 0.75
    for each in hidden:
        assert each.shown >= 3
        assert each.beyond > 1
        assert (each.low <= each.expected).all()
        assert (each.expected <= each.high).all()
