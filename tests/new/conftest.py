"""The minimal book, with all units of the shipped one, and the provider of its offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from project import ROOT
from small import lay


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    units = (ROOT / "data" / "units.yaml").read_text("utf-8")
    return lay(tmp_path, {"units.yaml": units, "providers/seller.yaml": "title: A provider\n"})
