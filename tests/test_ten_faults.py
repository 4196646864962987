"""A contribution with ten errors at once gives ten messages, each with a fix."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from scalesheet.diagnostics import as_github, as_markdown
from scalesheet.examine import diagnose
from small import MINIMAL, lay

#: An error: file, old text, new text, and code and fix in the message.
Fault = tuple[str, str, str, str, str]

#: Errors in the form of files, which is checked before their meaning.
OF_FORM: list[Fault] = [
    ("hardware/card.yaml", "memory:", "memori:", "S001", "did you mean 'memory'?"),
    ("hardware/card.yaml", "value: 1008", "value: 1 008", "S003", "numbers are written like 2000"),
    (
        "hardware/card.yaml",
        "spec, source: a-vendor}\ndense_bf16",
        "spec}\ndense_bf16",
        "S002",
        "write a source; only an assumption or a decision stands without one",
    ),
    ("rates/offer.yaml", "on-demand\np", "ondemand\np", "S004", "did you mean 'on-demand'?"),
    (
        "rates/offer.yaml",
        "from: 2026-01-01",
        "from: 2023-01-01",
        "V007",
        "sort the entries, the oldest first",
    ),
    ("formulas/weight-memory.yaml", "a-paper", "a-papr", "N006", "did you mean 'a-paper'?"),
    (
        "sources.yaml",
        "2026-11-20",
        "2026-11-31",
        "S006",
        "expected a date YYYY-MM-DD that exists in the calendar",
    ),
    ("plans/small/plan.yaml", "low: 1800", "low: 2100", "V001", "swap or fix them"),
    ("models/Tiny Two.yaml", "", "title: A\n", "S005", "use a-z, 0-9 and '-'; rename it"),
    ("models/broken.yaml", "", "title: A\n\tfamily: B\n", "Y001", "indent with spaces"),
]

#: Errors in the meaning of files.
OF_MEANING: list[Fault] = [
    ("rates/offer.yaml", "accelerator: card", "accelerator: crad", "N002", "did you mean 'card'?"),
    (
        "formulas/weight-memory.yaml",
        "params * b",
        "params + b",
        "U002",
        "convert one to match the other",
    ),
    (
        "plans/small/plan.yaml",
        "total.gpu_hours * price",
        "total.gpu_hour * price",
        "N001",
        "did you mean 'phases.total.gpu_hours'?",
    ),
    (
        "plans/small/plan.yaml",
        "steps / steps_per_hour",
        "steps",
        "U002",
        "multiply it by something in hour / step, or declare the unit that it gives",
    ),
    (
        "plans/small/plan.yaml",
        "USD / (GPU * hour)",
        "Taler / (GPU * hour)",
        "U001",
        "declare it in units.yaml",
    ),
    ("plans/small/plan.yaml", "value: card,", "value: cadr,", "N002", "did you mean 'card'?"),
    (
        "plans/small/plan.yaml",
        "gpu_hours, cost]",
        "gpu_hours, costs]",
        "N001",
        "did you mean 'cost'?",
    ),
    ("plans/small/plan.yaml", "count(runs) ==", "count(runs ==", "F001", "expected ')' to close"),
    (
        "plans/small/plan.yaml",
        "gpus: {formula: cards}",
        "gpus: {formula: sqroot(cards)}",
        "N001",
        "did you mean 'sqrt'?",
    ),
    ("hardware/card.yaml", "unit: GB / second", "unit: GB", "U002", "give it in GB / second"),
]

_COMMAND = re.compile(
    r"::(error|warning) file=([^,:]+),line=([0-9]+),col=([0-9]+),title=([^,:]+)::(.+)"
)


def contribution(folder: Path, faults: list[Fault]) -> Path:
    files: dict[str, str] = {}
    for place, right, wrong, *_ in faults:
        sound = MINIMAL / place
        text = files.get(place) or (sound.read_text("utf-8") if sound.exists() and right else "")
        assert text.count(right) == 1 or not right, (place, right)
        files[place] = text.replace(right, wrong) if right else wrong
    return lay(folder, files)


@pytest.mark.parametrize("faults", [OF_FORM, OF_MEANING], ids=["of form", "of meaning"])
def test_ten_errors_give_ten_messages_with_their_fixes(
    faults: list[Fault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    contribution(tmp_path, faults)
    found = diagnose(Path("data"))
    assert len(found) == len(faults) == 10, "\n".join(map(str, found))
    for place, _, _, code, remedy in faults:
        told = [d for d in found if (d.path, d.code) == (f"data/{place}", code)]
        assert [d for d in told if remedy in d.message], (place, code, remedy, list(map(str, told)))

    # The same as annotations: one command each, on an existing line of an existing file.
    commands = as_github(found).splitlines()
    assert len(commands) == 10
    for command, diagnostic in zip(commands, found, strict=True):
        parts = _COMMAND.fullmatch(command)
        assert parts is not None, command
        file, message = Path(unquote(parts[2])), unquote(parts[6])
        assert (str(file), int(parts[3]), message) == (
            diagnostic.path,
            diagnostic.line,
            diagnostic.message,
        )
        assert len(file.read_text("utf-8").splitlines()) >= diagnostic.line
        assert unquote(parts[5]).startswith(diagnostic.code)
    assert len(as_markdown(found).splitlines()) == 10


def test_an_unknown_source_hides_no_other_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes no value, so the meaning of the file is still checked."""
    monkeypatch.chdir(tmp_path)
    unknown = next(fault for fault in OF_FORM if fault[3] == "N006")
    contribution(tmp_path, [unknown, *OF_MEANING])
    assert sorted(d.code for d in diagnose(Path("data"))) == sorted(
        code for _, _, _, code, _ in (unknown, *OF_MEANING)
    )
