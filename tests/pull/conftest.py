"""A small book with the workbook that was built from it."""

from __future__ import annotations

import pytest

from pull.workbooks import Shipped, ship


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    return ship(tmp_path_factory.mktemp("pull"))
