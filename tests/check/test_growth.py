"""The time of `check` is linear in the number of files and of errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from project import timed
from scalesheet.diagnostics import MOST_SHOWN, Diagnostic, as_github, as_json, as_text
from scalesheet.examine import examine
from scalesheet.load.reader import parse
from scalesheet.nearest import MOST_COMPARED, _neighbors, nearest
from scalesheet.units import unknown_unit
from small import MINIMAL, lay

CARD = (MINIMAL / "hardware" / "card.yaml").read_text("utf-8").replace("aliases:", "#")
OFFER = (MINIMAL / "rates" / "offer.yaml").read_text("utf-8").replace("instance:", "#")
PLAN = (MINIMAL / "plans" / "small" / "plan.yaml").read_text("utf-8")
TABLE = (
    "title: T{n}\nsummary: s\nsource: a-paper\ncolumns: {{a: {{unit: USD}}}}\n"
    "rows: {{r: {{title: R, a: 1}}}}\n"
)


def sound(n: int) -> Iterator[tuple[str, str]]:
    yield f"hardware/h{n}.yaml", CARD.replace("A card", f"Card {n}")
    yield f"rates/r{n}.yaml", OFFER
    yield f"tables/t{n}.yaml", TABLE.format(n=n)


def plans(n: int) -> Iterator[tuple[str, str]]:
    if n % 8 == 0:
        yield f"plans/p{n}/plan.yaml", PLAN


def the_same(n: int) -> Iterator[tuple[str, str]]:
    yield f"rates/r{n}.yaml", OFFER + "instance: a-card\n"


def counted_otherwise(n: int) -> Iterator[tuple[str, str]]:
    count = f"accelerators: {n + 1}\ninstance: a-card\n"
    yield f"rates/r{n}.yaml", OFFER.replace("accelerators: 1\n", count)


def spot_and_on_demand(n: int) -> Iterator[tuple[str, str]]:
    term = "term: spot" if n % 2 else "term: on-demand"
    yield f"rates/r{n}.yaml", OFFER.replace("term: on-demand", term)


def far_from_their_peers(n: int) -> Iterator[tuple[str, str]]:
    price = f"price: {50 + n if n % 2 else 1}, unit"
    whole = OFFER.replace("price: 1, low: 0.8, high: 1.2, unit", price)
    yield f"rates/r{n}.yaml", whole.replace("A provider", f"Provider {n % 7 or n}")


def misspelt(n: int) -> Iterator[tuple[str, str]]:
    yield f"hardware/h{n}.yaml", CARD.replace("A card", f"Card {n}")
    yield f"rates/r{n}.yaml", OFFER.replace("accelerator: card", f"accelerator: hx{n}")


Kind = Callable[[int], Iterator[tuple[str, str]]]


@pytest.mark.weekly
@pytest.mark.parametrize(
    "kind",
    [sound, plans, the_same, counted_otherwise, spot_and_on_demand, far_from_their_peers, misspelt],
)
def test_four_times_the_files_take_about_four_times_the_time(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scalesheet.nearest.MOST_COMPARED", 15)  # a limit that 60 names exceed
    monkeypatch.setattr("scalesheet.kept._folder", lambda: None)

    times = count(1)

    def took(number: int) -> float:
        unread = f"# {tmp_path.name}, {next(times)}\n"  # unchanged files would be cached
        files = {path: text + unread for n in range(number) for path, text in kind(n)}
        return timed(examine, lay(tmp_path, files))[0]

    took(1)  # loads everything that is read only once
    # quadratic growth would give 16; a busy machine may be twice as slow now and then
    assert any(took(240) < 9 * took(60) for _ in range(3))


@pytest.mark.weekly
def test_unclosed_merge_markers_are_scanned_once() -> None:
    def took(lines: int) -> float:
        return timed(parse, b"<<<<<<< ours\n" * lines, "a.yaml")[0]

    assert took(64_000) < 9 * took(16_000) + 0.1


def test_each_duplicate_offer_is_reported_once(tmp_path: Path) -> None:
    data = lay(tmp_path, {path: text for n in range(30) for path, text in the_same(n)})
    found = [d for d in examine(data).diagnostics if d.code == "O007"]
    assert len(found) == 29
    assert all("and term as 'r0'" in d.message for d in found)


def test_the_nearest_of_ten_thousand_names_is_suggested() -> None:
    names = [f"accelerator-{n:05}" for n in range(10_000)]
    assert nearest("acelerator-04321", names) == "; did you mean 'accelerator-04321'?"
    assert nearest("xyz", names) == ""
    units = unknown_unit("acelerator_04321", {name.replace("-", "_") for name in names})
    assert units.near == "accelerator_04321"


def test_a_misspelled_name_is_compared_with_few_of_ten_thousand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []

    def counted(name: str, names: tuple[str, ...]) -> list[str]:
        compared.append(len(found := list(_neighbors(name, names))))
        return found

    monkeypatch.setattr("scalesheet.nearest._neighbors", counted)
    names = [f"accelerator-{n:05}" for n in range(10_000)]
    nearest("acelerator-04321", names)
    unknown_unit("acelerator-04321", names)
    assert len(compared) == 2
    assert max(compared) <= 4 * MOST_COMPARED


MANY = [Diagnostic(f"data/{n // 10}.yaml", n, 1, "N006", "unknown") for n in range(100)]
FEW = [Diagnostic("data/z.yaml", 1, 1, "O001", "old")]


def test_the_first_findings_of_a_code_are_printed_and_the_others_counted() -> None:
    lines = as_text(MANY + FEW).splitlines()
    assert lines[:MOST_SHOWN] == [str(d) for d in MANY[:MOST_SHOWN]]
    assert lines[MOST_SHOWN:] == [
        "data/z.yaml:1:1: O001 old",
        "80 more errors like these: N006 unknown source, in 8 files",
    ]


def test_json_and_annotations_count_the_findings_left_out() -> None:
    told = json.loads(as_json(MANY + FEW))
    assert len(told["diagnostics"]) == MOST_SHOWN + 1
    assert told["more"] == [{"code": "N006", "severity": "error", "count": 80, "files": 8}]
    assert as_github(MANY).splitlines()[-1] == (
        "::error title=N006::80 more errors like these: N006 unknown source, in 8 files"
    )
    assert json.loads(as_json(FEW))["more"] == []
