"""Files of other people: text, tables, JSON, event files, numbers and times, or a diagnostic."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.hostile import event, framed
from scalesheet import foreign
from scalesheet.diagnostics import Refused
from scalesheet.foreign import File
from scalesheet.foreign.events import events, masked_crc32c

START = 1_788_000_000.0  # 2026-08-29T10:40:00Z


def file(content: bytes) -> File:
    return File("a", content, "A005")


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as raised:
        call()
    (problem,) = raised.value.diagnostics
    return str(problem)


# ------------------------------------------------------------------ bytes


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, says in (
        ("none", "does not exist"),
        ("pipe", "is not a file"),
        ("", "is not a file"),
    ):
        assert says in refusal(lambda name=name: foreign.read(tmp_path / name, "A005"))
    assert "does not exist" in refusal(lambda: foreign.read(Path("a\0b"), "A005"))


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 11)
    assert foreign.read(path, "A005", most=11).content == b"x" * 11
    assert "expected at most 10 bytes" in refusal(lambda: foreign.read(path, "A005", most=10))


# ------------------------------------------------------------------ text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_is_known_by_its_mark(encoding: str) -> None:
    assert foreign.text(file("é,b\n".encode(encoding))) == "é,b\n"


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a\nb\xe9", "a:2:2: A005 expected text in UTF-8, found other bytes"),
        (b"a\nb\0", "a:2:2: A005 expected text in UTF-8, found a NUL byte"),
        (b"\xff\xfea", "a:1:1: A005 expected text in UTF-8"),
        (gzip.compress(b"a"), "a:1:1: A005 expected text, found an archive; unpack it"),
        (_tar(), "a:1:1: A005 expected text, found an archive; unpack it"),
    ],
)
def test_other_bytes_are_no_text(content: bytes, says: str) -> None:
    assert refusal(lambda: foreign.text(file(content))).startswith(says)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'a,b\n"c,d\n\n', "a:2:1: A005 not CSV: a quotation mark is not closed"),
        (b'a,b\n"c"d,e\n', "a:2:1: A005 not CSV: a quotation mark is not closed, or text follows"),
        (
            b"a\n" + b"x" * (1 << 20) + b"x\n",
            "a:2:1: A005 not CSV: the line has more than 1,048,576",
        ),
        (b'a\n"' + b"x\n" * (1 << 20), "a:2:1: A005 not CSV: a quotation mark is not closed, or"),
    ],
)
def test_a_torn_table_is_refused_at_its_line(content: bytes, says: str) -> None:
    assert refusal(lambda: list(foreign.rows(file(content)))).startswith(says)


def test_a_line_of_a_table_has_the_number_of_its_first_line() -> None:
    found = list(foreign.rows(file(b'a;b\r\n\r\n"c\nd";e\n f ;g\n')))
    assert found == [(1, ["a", "b"]), (3, ["c\nd", "e"]), (5, [" f ", "g"])]


# ------------------------------------------------------------------ JSON


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "a:1:51: A005 expected a thing, found more than 50 levels"),
        ('{"a":\n' * 51 + "1" + "}" * 51, "a:51:1: A005 expected a thing, found more than 50"),
        ('{"a":\n NaN}', "a:2:2: A005 the number NaN is not a number"),
        ('{"a": -Infinity}', "a:1:7: A005 the number -Infinity is larger than 1e100"),
        ('{"a": 1' + "0" * 400 + "}", "a:1:7: A005 the number 1000"),
        ('{"a": ' + "9" * 5_000 + "}", "a:1:7: A005 the number 9999"),
        ('{"a": 1e400}', "a:1:7: A005 the number 1e400 is larger than 1e100"),
        ("[1]", "a:1:1: A005 expected a thing, found a list"),
        ('{"a": 1', "a:1:8: A005 not JSON"),
    ],
)
def test_json_that_is_too_deep_or_too_large_is_refused(text: str, says: str) -> None:
    assert refusal(lambda: foreign.mapping(file(text.encode()), "a thing")).startswith(says)


def test_losses_that_diverged_are_no_numbers() -> None:
    content = b'{"grad": NaN, "loss": Infinity, "text": "[[[ \\" [", "steps": 3, "rate": 1e-5}'
    found = foreign.mapping(file(content), "a thing", diverged=True)
    assert found == {"grad": None, "loss": None, "text": '[[[ " [', "steps": 3, "rate": 1e-5}


# ------------------------------------------------------------------ numbers and times


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(
            ("1,200", 1200),
            ("$-1,200.50", -1200.5),
            ("-$1,200.50", -1200.5),
            (" 3 ", 3),
            ("1e12", 1e12),
        ),
        *(
            ("1.200,50", None),
            ("nan", None),
            ("inf", None),
            ("1e308", None),
            ("٣", None),
            ("", None),
        ),
        *(("9" * 5_000, None), ("1,20", None), ("12 h", None), ("-5", -5)),
    ],
)
def test_a_number_is_finite_and_in_bounds(text: str, number: float | None) -> None:
    assert foreign.number(text) == number


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-28", datetime(2026, 11, 28, tzinfo=UTC)),
        ("2026-11-28T01:30+14:00", datetime(2026, 11, 27, 11, 30, tzinfo=UTC)),
        ("2200-12-31T23:59-14:00", datetime(2201, 1, 1, 13, 59, tzinfo=UTC)),
        *((each, None) for each in ("0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00")),
        *((each, None) for each in ("1899-12-31", "2201-01-01", "1-01-01", "2026-02-30", "today")),
    ],
)
def test_a_time_is_within_years_that_time_zones_can_move(
    text: str, moment: datetime | None
) -> None:
    assert foreign.moment(text) == moment


# ------------------------------------------------------------------ event files

RECORDS = [framed(event(START + 1800 * n, None if n == 0 else 10 * n)) for n in range(9)]
WHOLE = b"".join(RECORDS)


def test_events_have_times_and_steps() -> None:
    found = events(file(WHOLE))
    assert (found.count, found.step, found.damaged, found.timeless, found.lost) == (8, 80, 0, 0, 0)
    assert found.times[0] == datetime(2026, 8, 29, 10, 40, tzinfo=UTC)
    assert (found.times[-1] - found.times[0]).total_seconds() == 4 * 3600
    assert list(found.gaps()) == []


def test_the_checksum_is_that_of_tensorflow() -> None:
    """CRC-32C of nine digits is e3069283, https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4"""
    crc = 0xE3069283
    assert masked_crc32c(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 7))
def test_no_changed_bit_goes_unseen(at: int, bit: int) -> None:
    data = bytearray(WHOLE)
    data[at] ^= 1 << bit
    found = events(file(bytes(data)))
    assert found.damaged == 1 or found.lost
    assert {*found.times} <= {*events(file(WHOLE)).times}


@given(st.integers(0, len(WHOLE) - 1))
def test_no_cut_goes_unseen(at: int) -> None:
    found = events(file(WHOLE[:at]))
    whole = sum(len(b"".join(RECORDS[:n])) <= at for n in range(1, len(RECORDS)))
    assert found.lost == at - len(b"".join(RECORDS[:whole]))


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    assert events(file(data)).count == 0
    assert events(file(framed(data))).lost == 0


@pytest.mark.parametrize("time", [0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e300, 1.0])
def test_an_event_without_a_possible_time_is_counted_apart(time: float) -> None:
    found = events(file(WHOLE + framed(event(time, 90))))
    assert (found.count, found.step, found.timeless) == (8, 80, 1)


def test_a_gap_is_longer_than_usual() -> None:
    """Half an hour apart, a gap begins at five hours; every day, at ten days."""
    late = framed(event(START + 4 * 3600 + 5.5 * 3600, 90))
    ((before, took),) = events(file(WHOLE + late)).gaps()
    assert (before.isoformat(), took.total_seconds()) == ("2026-08-29T14:40:00+00:00", 5.5 * 3600)
    daily = b"".join(framed(event(START + 86_400 * n, n)) for n in (0, 1, 2, 3, 11))
    assert list(events(file(daily)).gaps()) == []
