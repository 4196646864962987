"""Decide which tests run in one worker."""

from __future__ import annotations

from proof.subjects import PLANS, SMALL


def shared_by(nodeid: str) -> str:
    """The name of a test's group: the plan that it proves, or else its module."""
    module, _, name = nodeid.partition("::")
    subject = name.partition("[")[2].rstrip("]")
    return subject if subject in (*PLANS, *SMALL) and "tests/proof/" in module else module
