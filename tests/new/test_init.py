"""What `scalesheet init` writes about itself."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from own import begun
from scalesheet import __version__

WHEEL = f"./scalesheet-{__version__}-py3-none-any.whl"
GIT = "https://example.org/company/scalesheet"
OF_GIT = {"vcs": "git", "commit_id": "0123abcd"}

#: Where pip got the program from (None: an index), and what installs it again.
ORIGINS: dict[str, tuple[Any, str]] = {
    "an index": (None, f"scalesheet=={__version__}"),
    "git": ({"url": GIT, "vcs_info": OF_GIT}, f"scalesheet @ git+{GIT}@0123abcd"),
    "a clone": ({"url": "file:///clone", "dir_info": {"editable": True}}, WHEEL),
    "a local repository": ({"url": "file:///clone", "vcs_info": OF_GIT}, WHEEL),
    "a wheel": ({"url": "file:///x/scalesheet.whl", "archive_info": {}}, WHEEL),
}


class Installed:
    def __init__(self, origin: object) -> None:
        self.origin = origin

    version = __version__

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


def requirements(folder: Path) -> str:
    """The line of requirements.txt that is no comment."""
    lines = (begun(folder).parent / "requirements.txt").read_text("utf-8").splitlines()
    assert not any("{" in line for line in lines)
    (line,) = [line for line in lines if not line.startswith("#")]
    return line


@pytest.mark.parametrize(("origin", "line"), ORIGINS.values(), ids=ORIGINS)
def test_a_new_book_installs_the_program_that_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: object, line: str
) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(origin))
    assert requirements(tmp_path) == line
    assert line == WHEEL or Requirement(line).name == "scalesheet"


def test_a_checkout_that_is_not_installed_names_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert requirements(tmp_path) == WHEEL
