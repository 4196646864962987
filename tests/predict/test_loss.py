"""Losses: what every scaling law must obey, and what an evaluation set adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from scalesheet.book import Book
from scalesheet.examine import Examined
from scalesheet.predict.arrays import words
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.cases.free_text import sizes, vocabulary
from scalesheet.predict.fits import coefficients
from scalesheet.predict.loss import DATA, SHAPE, SIZES, corpus, set_name, unsupported_loss
from scalesheet.predict.loss import fit as loss_fit
from scalesheet.predict.loss.embeddings import without_embeddings
from scalesheet.predict.records import assumed, defaults, rows_of
from scalesheet.predict.score import TaskScore, fitted_rows, laws, score_of
from scalesheet.predict.score.truth import published
from scalesheet.predict.table import Predictions
from scalesheet.predict.tasks import predict

Given = Callable[..., Cases]
RUN = {
    "N": 7e9,
    "D_tokens": 1e12,
    "hidden": 4096,
    "layers": 32,
    "vocab": 50304,
    "tokenizer": "NeoX 50304",
    "eval_set": "Pile test",
}
GRID = np.geomspace(2e7, 1e12, 60)


@pytest.fixture
def made(book: Book, cases: Given) -> Callable[..., Predictions]:
    def of(*rows: dict[str, object]) -> Predictions:
        return predict(book, "loss", cases("loss", *({**RUN, **row} for row in rows)))

    return of


@pytest.fixture(scope="module")
def score(examined: Examined) -> TaskScore:
    return examined.scores["loss"]


# ------------------------------------------------------------------ laws


def test_the_interval_widens_outside_the_sizes_and_tokens_of_the_fit(
    made: Callable[..., Predictions], book: Book
) -> None:
    fitted = coefficients(book, "loss")
    inside = [{"N": size, "D_tokens": 1e12, "hidden": "", "layers": ""} for size in (1e9, 8e9)]
    beyond = [{"N": size, "D_tokens": 1e13, "hidden": "", "layers": ""} for size in (8e9, 1e11)]
    found = made(*inside, *beyond)
    half = (found.high - found.low) / 2
    assert half[:2] == pytest.approx(fitted["set_high"])
    assert half[2] == pytest.approx(np.hypot(fitted["set_high"], fitted["far"] * np.log(2)))
    assert half[3] > half[2]


def test_the_widening_covers_runs_with_more_compute_than_those_of_the_offset(
    book: Book,
) -> None:
    data = published(book, "loss", known(book))
    rows = fitted_rows("loss", data)
    seen = loss_fit.losses(book, data.cases.only(rows), data.truth[rows], data.family[rows])
    near = coefficients(book, "loss")["set_high"]
    assert loss_fit.far(seen, near) == pytest.approx(coefficients(book, "loss")["far"], rel=1e-3)
    assert loss_fit.far(seen, 10 * near) < loss_fit.far(seen, near)
    assert loss_fit.far(seen.only(seen.family == "olmo"), near) == 0


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.name)
def test_more_tokens_and_more_parameters_never_raise_a_loss(law: laws.Law, book: Book) -> None:
    for parameters in (1e8, 1e10):
        losses = laws.loss(book, law, np.full(len(GRID), parameters), 50 * GRID)
        assert (np.diff(losses) <= 0).all()
    for tokens in (1e10, 1e13):
        losses = laws.loss(book, law, GRID, np.full(len(GRID), tokens))
        assert (np.diff(losses) <= 1e-12).all()


def test_the_compute_optimal_point_has_the_lowest_loss_of_its_budget(book: Book) -> None:
    for budget in (1e20, 1e24):
        for record in ("chinchilla-loss", "chinchilla-loss-refitted"):
            stated = defaults(book, record)
            given = {name: stated[name] for name in ("a", "b", "alpha", "beta")}
            compute = np.array([budget])
            size = rows_of(book, "compute-optimal-parameters", compute=compute, **given)
            tokens = rows_of(book, "compute-optimal-tokens", compute=compute, **given)
            assert 6 * size * tokens == pytest.approx(compute)
            sides = size * np.array([0.9, 0.99, 1.0, 1.01, 1.1])
            losses = rows_of(book, record, parameters=sides, tokens=budget / (6 * sides))
            assert np.argmin(losses) == 2


def test_without_a_closed_form_the_minimum_is_searched_numerically(book: Book) -> None:
    (law,) = [each for each in laws.LAWS if each.record == "chinchilla-loss"]
    found = laws.least(book, law, np.array([1e22]))
    best = {each.name: each for each in laws.optimal(book, [1e22])}["Hoffmann 2022"]
    assert found.parameters == pytest.approx(best.parameters, rel=0.01)
    assert found.tokens == pytest.approx(best.tokens, rel=0.01)


def test_repeated_tokens_are_worth_less_than_new_ones_but_something(book: Book) -> None:
    tokens = 1e10 * np.array([0.5, 1, 1.5, 4, 40, 400])
    worth = rows_of(book, "effective-tokens", tokens=tokens, unique=1e10)
    assert worth[:2] == pytest.approx(tokens[:2])
    assert (worth[2:] < tokens[2:]).all()
    assert (np.diff(worth) > 0).all()
    assert worth[-1] < 1e10 * (1 + 15.387756)
    repeated = rows_of(book, "data-constrained-loss", parameters=1e9, tokens=worth)
    new = rows_of(book, "data-constrained-loss", parameters=1e9, tokens=tokens)
    assert (repeated >= new - 1e-12).all()
    assert (repeated[2:] > new[2:]).all()


def test_parameters_in_excess_of_the_data_help_less_and_less(book: Book) -> None:
    size = np.array([1e8, 1e9, 1e10, 1e11, 1e12])
    worth = rows_of(book, "effective-parameters", parameters=size, unique=2e10)
    assert worth[0] == pytest.approx(size[0])
    assert (worth <= size * (1 + 1e-12)).all()
    assert (worth[2:] < size[2:]).all()
    assert (np.diff(worth) > 0).all()


def test_a_model_that_is_used_more_should_be_smaller(book: Book) -> None:
    record = "chinchilla-loss-refitted"
    found = laws.in_use(book, 2.0, (0.0, 1e12, 1e13, 1e14), record)
    assert (np.diff(found.parameters) < 0).all()
    assert (np.diff(found.tokens) > 0).all()
    reached = rows_of(book, record, parameters=found.parameters, tokens=found.tokens)
    assert reached == pytest.approx(2.0)
    # if never used, it is the compute-optimal one of its budget
    budget = 6 * found.parameters[0] * found.tokens[0]
    best = {each.name: each for each in laws.optimal(book, [budget])}["Besiroglu 2024"]
    assert found.parameters[0] == pytest.approx(best.parameters[0], rel=0.02)


def test_the_over_trained_form_equals_the_additive_one_with_one_exponent(book: Book) -> None:
    stated = defaults(book, "data-constrained-loss")
    eta = stated["alpha"] / 2
    size, tokens = np.array([1e9, 1e9]), np.array([2e10, 6.4e11])
    given = rows_of(
        book,
        "over-trained-loss",
        compute=6 * size * tokens,
        ratio=tokens / size,
        floor=stated["floor"],
        a=stated["a"] * 6**eta,
        b=stated["b"] * 6**eta,
        eta=eta,
    )
    added = stated["floor"] + stated["a"] / size ** (2 * eta) + stated["b"] / tokens ** (2 * eta)
    assert given == pytest.approx(added)


def test_the_fitted_law_is_closer_to_published_losses_than_any_other(
    book: Book, score: TaskScore
) -> None:
    found = laws.judged(book, score)
    own = found.pop("this fit")
    assert len(found) == len(laws.LAWS) - 1
    assert all(own.median < each.median and own.p90 < each.p90 for each in found.values())
    assert found["Hoffmann 2022"].median == pytest.approx(score.thumb.median)


# ------------------------------------------------------------------ the fit


def rows(book: Book, seed: int = 1) -> loss_fit.Rows:
    """Noiseless losses of four families, from another law than the prior's."""
    random = np.random.default_rng(seed)
    size, data = random.uniform(-3, 3, 60), random.uniform(-3, 4, 60)
    family = words([f"f{n % 4}" for n in range(60)])
    bare = loss_fit.Rows(
        size,
        data,
        np.zeros(60),
        np.ones(60),
        words([f"offset_of_{name}" for name in family]),
        words([""] * 60),
        family,
        assumed(book),
        np.arange(60),
    )
    offset = np.array([0.5 * (n % 4) + 1 for n in range(60)])
    return replace(bare, loss=bare.law(np.log([0.6, 0.5, 0.28, 0.3, 0.72])) + offset)


def test_the_fit_uses_the_formula_of_the_catalogue(book: Book) -> None:
    given, logs = rows(book), np.log([0.6, 0.7, 0.25, 0.2, 0.7])
    said = rows_of(
        book,
        "joint-power-loss",
        parameters=1e9 * np.exp(given.parameters),
        tokens=2e10 * np.exp(given.tokens),
        floor=0.0,
        **dict(zip(SHAPE, np.exp(logs).tolist(), strict=True)),
    )
    assert given.law(logs) == pytest.approx(said)


def test_the_slopes_are_the_derivatives_of_the_law(book: Book) -> None:
    given, logs = rows(book), np.log([0.6, 0.7, 0.25, 0.2, 0.7])
    _, slopes = given.terms(logs)
    for place in range(len(SHAPE)):
        more = logs.copy()
        more[place] += 1e-6
        assert slopes[:, place] == pytest.approx((given.law(more) - given.law(logs)) / 1e-6, 1e-3)


def test_the_fit_finds_the_offsets_of_a_law_without_noise(book: Book) -> None:
    given = rows(book)
    logs = loss_fit.shape(given)
    assert given.law(logs) - given.law(logs).mean() == pytest.approx(
        given.law(np.log([0.6, 0.5, 0.28, 0.3, 0.72]))
        - given.law(np.log([0.6, 0.5, 0.28, 0.3, 0.72])).mean(),
        abs=0.03,
    )
    found = loss_fit.offsets(given, logs)
    gaps = [found[f"offset_of_f{n}"] - found["offset_of_f0"] for n in range(4)]
    assert gaps == pytest.approx([0.0, 0.5, 1.0, 1.5], abs=0.03)


def test_the_fit_uses_runs_of_the_stated_sizes(book: Book, score: TaskScore) -> None:
    used = score.published.cases.only(fitted_rows("loss", score.published))
    for values, (least, most) in ((without_embeddings(used), SIZES), (used.tokens, DATA)):
        assert least * 0.9 < values.min() < least * 1.2
        assert most * 0.8 < values.max() < most * 1.1


# ------------------------------------------------------------------ evaluation sets


def test_a_set_is_known_by_its_name_and_its_kind_of_text_by_a_word_in_it() -> None:
    assert (
        set_name("Pile test (model trained on dedup)")
        == "offset_of_pile_test_model_trained_on_dedup"
    )
    assert corpus("C4 validation (trained on RedPajama)") == "c4"
    assert corpus("The Pile, validation") == "pile"
    assert corpus("OpenWebText val") == "web"
    assert corpus("Compiled code") == corpus("") == ""


def test_a_known_set_gets_its_offset_and_a_new_one_a_wide_range(
    book: Book, made: Callable[..., Predictions]
) -> None:
    found = made({}, {"eval_set": "the Pile of others"}, {"eval_set": "my own"})
    width = (found.high - found.low).tolist()
    assert width[0] < width[1] == pytest.approx(width[2])
    assert "offset of its evaluation set" in found.method[0]
    assert "sets of pile" in found.method[1]
    assert "mean offset of all" in found.method[2]
    fitted = coefficients(book, "loss")
    bare = np.array([7e9 - 2 * 50304 * 4096])
    law = rows_of(
        book,
        "joint-power-loss",
        parameters=bare,
        tokens=1e12,
        floor=fitted["offset_of_pile_test"],
        **{name: fitted[name] for name in SHAPE},
    )
    assert found.predicted[0] == pytest.approx(law[0])


def test_the_range_contains_the_prediction(made: Callable[..., Predictions]) -> None:
    many = [{"N": n, "eval_set": name} for n in (1e8, 1e9, 1e11) for name in ("Pile test", "x")]
    found = made(*many)
    assert ((found.low < found.predicted) & (found.predicted < found.high)).all()


def test_tokens_of_a_larger_vocabulary_are_longer_and_have_a_higher_loss(
    made: Callable[..., Predictions],
) -> None:
    small, large = (
        made({"eval_set": "x", "tokenizer": f"{name}", "vocab": entries, "N_kind": "non-embedding"})
        for name, entries in (("A 32000", 32000), ("B 128000", 128000))
    )
    assert large.predicted[0] > small.predicted[0] + 0.2
    known_set = [
        made({"vocab": entries, "tokenizer": "", "N_kind": "non-embedding"}).predicted[0]
        for entries in (32000, 128000)
    ]
    assert known_set[0] == pytest.approx(known_set[1])  # its offset is for its own tokenizer


def test_repeated_tokens_count_as_fewer(made: Callable[..., Predictions]) -> None:
    new, four, forty = made({}, {"D_unique": 2.5e11}, {"D_unique": 2.5e10}).predicted
    assert new < four < forty
    assert four - new < 0.03


# ------------------------------------------------------------------ sizes


def test_sizes_are_read_from_names_of_runs_and_tokenizers() -> None:
    assert sizes("d512 L6 B64") == (512, 6)
    assert sizes("d=1024_l=24_h=8") == (1024, 24)
    assert np.isnan(sizes("GPT-2 124M")).all()
    assert vocabulary("Llama-3 128k") == 128_000
    assert vocabulary("GPT-2 50257") == 50257
    assert np.isnan(vocabulary("NeoX evaluated, reported per GPT-2 vocab token"))


def test_embeddings_are_subtracted_if_the_row_counts_them(cases: Given) -> None:
    marin = {"model": "d512 L6 B64", "N": 156508160, "tokenizer": "Llama-3 128k", "D_tokens": 1e9}
    blocks = 156508160 - 2 * 128_000 * 512
    counts = {
        "total incl. embeddings": blocks,
        "": blocks,
        "total without the input embedding": blocks + 128_000 * 512,
        "non-embedding": 156508160,
    }
    given = cases("loss", *({**marin, "N_kind": kind} for kind in counts))
    assert without_embeddings(given) == pytest.approx(list(counts.values()))


def test_tied_embeddings_are_subtracted_once(cases: Given) -> None:
    gpt2 = {"N": 124e6, "hidden": 768, "layers": 12, "vocab": 50257, "D_tokens": 1e10}
    assert without_embeddings(cases("loss", gpt2)) == pytest.approx([124e6 - 50257 * 768])


def test_a_model_of_unknown_shape_gets_the_usual_width(cases: Given) -> None:
    small = {"N": 124e6, "tokenizer": "GPT-2 50257", "D_tokens": 1e10}
    large = {"N": 70e9, "tokenizer": "Llama-2 32000", "D_tokens": 1e12}
    bare = without_embeddings(cases("loss", small, large))
    assert bare[0] == pytest.approx(85e6, rel=0.12)  # as for GPT-2
    assert bare[1] == pytest.approx(70e9 - 2 * 32000 * 8192, rel=0.01)  # as for Llama 2


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"D_tokens": ""}, "tokens not stated"),
        ({"N": ""}, "parameters not stated"),
        ({"loss_unit": "bits per byte"}, "per token, not per byte"),
        ({"loss_unit": "nats/char"}, "per token, not per byte"),
        ({"kind": "finetune-lora"}, "tuned"),
        ({"model": "Mixtral-8x7B", "N": "", "hidden": "", "layers": ""}, "mixture of experts"),
        ({"D_unique": 2e12}, "more unique tokens"),
        ({"N": 2e6, "N_kind": "non-embedding"}, "too small"),
    ],
)
def test_an_unsupported_row_says_why(
    row: dict[str, object], why: str, made: Callable[..., Predictions]
) -> None:
    found = made(row)
    assert np.isnan(found.predicted[0])
    assert why in str(found.unsupported[0])


def test_a_run_far_from_those_of_the_fit_says_so(made: Callable[..., Predictions]) -> None:
    near, far = made({}, {"N": 5e11}).method
    assert "far" not in near
    assert far.endswith("; far from the runs of the fit")


@pytest.mark.parametrize("entries", [256, 50304, 262144])
def test_no_loss_exceeds_that_of_a_uniform_guess(
    made: Callable[..., Predictions], entries: int
) -> None:
    rows = [{"D_tokens": 10.0**power, "vocab": entries} for power in range(13)]
    found = made(*rows)
    assert (found.high <= np.log(entries) * (1 + 1e-12)).all()
    assert (np.diff(found.predicted) <= 0).all()
    assert "uniform guess" in found.method[0]
    assert "uniform guess" not in found.method[-1]
    assert found.low[0] < found.predicted[0] - 0.2, "where the law is cut off, little is known"


# ------------------------------------------------------------------ the score


def test_a_family_is_scored_without_its_own_losses(book: Book, score: TaskScore) -> None:
    changed = {
        id_: replace(
            publication,
            rows=tuple(
                replace(row, result={**row.result, "loss": 1.3 * float(row.result["loss"])})
                if row.family == "olmo" and "loss" in row.result
                else row
                for row in publication.rows
            ),
        )
        for id_, publication in book.publications.items()
    }
    other = score_of(replace(book, publications=changed), "loss", known(book))
    assert other is not None
    own = score.published.family == "olmo"
    before, after = (s.left_out.predicted[own] - s.offset[own] for s in (score, other))
    assert after == pytest.approx(before)
    assert other.unseen.median > score.unseen.median


def test_shape_and_set_are_scored_separately(score: TaskScore) -> None:
    assert score.apart is not None
    assert score.apart.rows >= score.unseen.rows
    assert score.apart.median > score.unseen.median
    assert score.unseen.median < score.thumb.median
    assert score.unseen.p90 < score.thumb.p90


def test_a_set_with_one_row_has_no_score_of_shape(score: TaskScore) -> None:
    sets = score.published.cases.evaluation
    (place,) = [n for n, row in enumerate(score.published.rows) if row.id == "nanogpt-124m"]
    assert (sets == sets[place]).sum() == 1
    assert np.isnan(score.offset[place])
    assert not score.counted[place]
    assert unsupported_loss(score.published.cases)[place] is None
