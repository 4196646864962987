"""Tests that share fixtures run in one worker."""

from __future__ import annotations

import pytest

from sharing import shared_by


@pytest.mark.parametrize(
    ("nodeid", "shared"),
    [
        ("tests/proof/test_plans.py::test_the_json[pixelis]", "pixelis"),
        ("tests/proof/test_proof_sensitivity.py::test_lists[pixelis]", "pixelis"),
        ("tests/proof/test_plans.py::test_the_json[moving]", "moving"),
        ("tests/proof/test_harness.py::test_it", "tests/proof/test_harness.py"),
        ("tests/plans/test_pixelis.py::test_it[pixelis]", "tests/plans/test_pixelis.py"),
        ("tests/test_cli.py::test_it[a::b]", "tests/test_cli.py"),
    ],
)
def test_tests_of_a_plan_or_of_a_module_share_a_worker(nodeid: str, shared: str) -> None:
    assert shared_by(nodeid) == shared
