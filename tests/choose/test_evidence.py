"""The evidence for an answer: similar published results, and a published run of the same case."""

from __future__ import annotations

import pytest

from scalesheet.book import Book
from scalesheet.choose.evidence import NOWHERE, Basis, Kind, basis
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.score import TaskScore
from shipped import shipped


@pytest.fixture(scope="module")
def scores() -> dict[str, TaskScore]:
    return dict(shipped().scores)


@pytest.fixture(scope="module")
def evidence(book: Book, catalogue: Known, scores: dict[str, TaskScore]) -> Basis:
    made = basis(book, scores, catalogue.results)
    assert made is not None
    return made


def test_families_are_disjoint_sets_of_catalogue_accelerators(book: Book) -> None:
    assert book.evidence is not None
    named = [name for ids in book.evidence.families.values() for name in ids]
    assert len(named) == len(set(named))
    assert set(named) <= set(book.tables["hardware"].rows)


def test_every_scored_run_is_evidence_once(evidence: Basis, scores: dict[str, TaskScore]) -> None:
    asked = scores["runs"].asked
    assert asked is not None
    like = [each for each in evidence.like.values() if each.task == "runs"]
    assert sum(each.rows for each in like) == asked.quality.rows
    assert all(each.error >= 1 for each in evidence.like.values())


def test_evidence_is_grouped_by_method_family_and_size(evidence: Basis) -> None:
    known = Kind("pretrain", "A100", "1e9 to 1e10")
    assert evidence.words(known).startswith("10 published runs like this, typical error ")
    assert evidence.words(Kind("pretrain", evidence.families["a30"], known.size)).startswith("10 ")
    assert evidence.words(Kind("pretrain", "CDNA 3", known.size)) == NOWHERE
    assert evidence.words(Kind("qlora", "Hopper", known.size)) == (
        "No published run like this (QLoRA, Hopper, 1B to 10B parameters): an assumption"
    )
    assert "published throughputs like this" in evidence.words(Kind("lora", "Hopper", known.size))
    assert ", error " in evidence.words(Kind("pretrain", "Hopper", "above 1e11"))


def test_a_published_run_is_shown_for_its_own_model_and_tokens(evidence: Basis) -> None:
    (run,) = evidence.same("pretrain", "deepseek-v3", 14e12)
    assert (run.gpu_hours, run.on) == (2_664_000, "2,048 × NVIDIA H800 SXM5 80 GB")
    assert evidence.same("pretrain", "deepseek-v3", 5e12) == []
    assert evidence.same("full", "deepseek-v3", 14e12) == []


def test_a_utilization_far_outside_the_evidence_is_reported(evidence: Basis) -> None:
    low, high = evidence.utilization["pretrain"]
    assert evidence.unusual("pretrain", (low + high) / 2) == ""
    assert evidence.unusual("pretrain", low / evidence.said.far * 1.01) == ""
    told = evidence.unusual("pretrain", low / evidence.said.far * 0.9)
    assert told.startswith("Do not rely on this answer: its utilization of ")
    assert evidence.unusual("pretrain", high * evidence.said.far * 1.1).startswith("Do not rely")
