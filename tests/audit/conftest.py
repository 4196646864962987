"""The audit of the plan that a test module names in PLAN, and its parts by id and name."""

from __future__ import annotations

import pytest

from audit.printed import Json, printed


@pytest.fixture(scope="module")
def audit(request: pytest.FixtureRequest) -> Json:
    return printed("audit", request.module.PLAN)


@pytest.fixture(scope="module")
def claims(audit: Json) -> dict[str, Json]:
    return {claim["id"]: claim for claim in audit["claims"]}


@pytest.fixture(scope="module")
def headlines(audit: Json) -> dict[str, Json]:
    return {headline["name"]: headline for headline in audit["headlines"]}


@pytest.fixture(scope="module")
def findings(audit: Json) -> dict[str, Json]:
    return {finding["id"]: finding for finding in audit["findings"]}
