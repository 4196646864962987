"""What comes with the program beside its code: the catalogue, and what a site is made with.

In a wheel they stand in this package; in a checkout of the project, at its top.
"""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "shipped"
_ROOT = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2]

#: The data folder of the book that ships.
CATALOGUE = _ROOT / "data"
#: The settings of a site, and its styles and scripts.
SETTINGS = _ROOT / "mkdocs.yml"
ASSETS = _ROOT / "docs" / "assets"
