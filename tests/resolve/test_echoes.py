"""One root cause gives one message; errors that only follow from it are counted."""

import pytest

import small

PLAN = """
  gpus: {value: 4, unit: GPU, kind: decision}
  hours: {low: 8, high: 12, unit: hour, kind: decision}
  used: {unit: GPU * hour, formula: gpus * hours}
  twice: {unit: GPU * hour, formula: 2 * used}
  share: {unit: 1, domain: signed, formula: used / 5 / gpus / hours}
"""


@pytest.mark.parametrize(
    ("old", "new", "errors"),
    [
        # the unit of a quantity that other formulas use
        ("used: {unit: GPU * hour", "used: {unit: GPU", ["U002 'used' is declared in GPU,"]),
        # the unit of an input: one message, which names it
        ("hours: {low: 8, high: 12, unit: hour", "hours: {low: 8, high: 12, unit: GPU", ["U002"]),
        # a formula with a syntax error leaves the sign of those that read it unknown
        (
            "used: {unit: GPU * hour, formula: gpus *",
            "used: {unit: GPU * hour, formula: gpus * *",
            ["F0"],
        ),
        (
            "twice: {unit: GPU * hour, f",
            "twice: {f",
            ["U003 'twice' has no unit; its formula gives GPU * hour; add"],
        ),
        # two errors are two messages
        (
            "2 * used}\n  share: {unit: 1",
            "2 * usd}\n  share: {unit: hour",
            ["N001", "U002 'share'"],
        ),
    ],
)
def test_an_error_is_reported_once(tmp_path, old, new, errors):
    assert old in PLAN
    told = small.said(small.scalars(tmp_path, PLAN.replace(old, new)))
    told = [each for each in told if not each.startswith("R005")]
    assert [each[: len(begin)] for each, begin in zip(told, errors, strict=True)] == errors


def test_errors_that_follow_are_counted_in_the_message_of_their_cause(tmp_path):
    (only,) = small.said(
        small.scalars(
            tmp_path,
            """
            price: {value: 4, unit: GPU, kind: decision}
            one: {unit: hour, formula: price * 2}
            other: {unit: hour, formula: price * 3}
            both: {unit: GPU, formula: one + price}
            """,
        )
    )
    assert only.startswith("U002 'one' is declared in hour")
    assert only.endswith(
        "(2 errors that follow from this not shown; all of them read 'price', so check its unit)"
    )


def test_formulas_in_a_circle_do_not_hide_each_other(tmp_path):
    told = small.said(
        small.scalars(
            tmp_path,
            """
            one: {unit: GPU, formula: other * other}
            other: {unit: GPU, formula: one * one}
            """,
        )
    )
    assert [each[:10] for each in told] == ["U002 'one'", "U002 'othe"]
