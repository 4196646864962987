"""Puts the catalogue and the frame of a site into the wheel, for `scalesheet.shipped`."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
#: Of the plans the calculator, which `choose` asks; the others are of this project.
PLANS = frozenset(("calculator",))


class WithCatalogue(build_py):
    """The package with what stands beside it in the project."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # there the program finds them where they are
        target = Path(self.build_lib, "scalesheet", "shipped")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(ROOT / "data", target / "data", ignore=_ignored)
        shutil.copytree(ROOT / "docs" / "assets", target / "docs" / "assets")
        shutil.copy(ROOT / "mkdocs.yml", target)


def _ignored(folder: str, names: list[str]) -> list[str]:
    within = Path(folder) == ROOT / "data" / "plans"
    return [name for name in names if name[0] == "." or (within and name not in PLANS)]


setup(cmdclass={"build_py": WithCatalogue})
