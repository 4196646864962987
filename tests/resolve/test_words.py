"""A formula for a word gives one of the words of its quantity, whatever it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from small import plan, said

TEXT = """\
tables:
  ways:
    columns: {{way: {{words: [{words}]}}}}
    rows: {{one: {{way: {first}}}}}
scalars:
  taken: {{ref: ways, value: one}}
  method: {{words: [LoRA, full fine-tuning], formula: {formula}}}
"""


@pytest.mark.parametrize(
    ("words", "formula", "other"),
    [
        ("LoRA, full fine-tuning", "taken.way", ""),
        ("LoRA, full", "taken.way", "full"),
        ("lora, LoRA", "taken.way", "lora"),
    ],
)
def test_a_word_that_a_formula_reads_must_be_declared(
    words: str, formula: str, other: str, tmp_path: Path
) -> None:
    first = words.split(", ")[0]
    found = said(plan(tmp_path, TEXT.format(words=words, first=first, formula=formula)))
    if not other:
        assert found == []
        return
    assert len(found) == 1
    assert found[0].startswith(
        f"F006 it may be '{other}', which is not one of the words of 'method'"
    )
