"""The minimal book, with all units of the shipped one."""

from __future__ import annotations

from pathlib import Path

import pytest

from project import ROOT
from small import lay


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return lay(tmp_path, {"units.yaml": (ROOT / "data" / "units.yaml").read_text("utf-8")})
