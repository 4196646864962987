"""Files shipped with the program besides its code: the catalogue, and the assets of a site.

In a wheel they are in this package; in a checkout, at the top of the project.
"""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "shipped"
_ROOT = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2]

#: The data folder of the catalogue.
CATALOGUE = _ROOT / "data"
#: The settings of a site, and its styles and scripts.
SETTINGS = _ROOT / "mkdocs.yml"
ASSETS = _ROOT / "docs" / "assets"
