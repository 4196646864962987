"""Make the README's pictures: the top of a plan's page, and the Inputs sheet of its workbook.

Run it after `make site` when the look of either has changed:

    PYTHONPATH=tests .venv/bin/python tests/docs/make_pictures.py

It needs Chromium, LibreOffice and pdftoppm (of poppler-utils).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from proof.browser import Chromium

PLAN = "qwen2-finance"
ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "docs" / "assets"
SHEET = 2  # the printed page of Inputs
AREA = (75, 85, 1320, 800)  # left, top, width and height on that page
DOTS = 165  # dots per inch
LARGEST = 80_000  # bytes per picture


def of_the_site(build: Path, picture: Path) -> None:
    with Chromium() as chromium:
        page = chromium.visit((build / "site" / "book" / "plans" / f"{PLAN}.html").as_uri()).page
        page.screenshot(path=picture)


def of_the_workbook(build: Path, picture: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workbook = build / "workbooks" / f"{PLAN}.xlsx"
        profile = f"-env:UserInstallation={Path(folder, 'profile').as_uri()}"
        office = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", folder]
        subprocess.run([*office, str(workbook)], check=True, capture_output=True)
        left, top, width, height = map(str, AREA)
        area = ["-x", left, "-y", top, "-W", width, "-H", height]
        pages = ["-r", str(DOTS), "-f", str(SHEET), "-l", str(SHEET), "-singlefile", "-png"]
        printed = Path(folder, f"{PLAN}.pdf")
        subprocess.run(
            ["pdftoppm", *pages, *area, str(printed), str(picture.with_suffix(""))], check=True
        )


def with_palette(picture: Path) -> None:
    """Reduce a picture to a palette, a third of the size: pages and sheets have few colors."""
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        picture, optimize=True
    )


def main(build: Path) -> None:
    for draw, name in ((of_the_site, "readme-site"), (of_the_workbook, "readme-workbook")):
        picture = ASSETS / f"{name}.png"
        draw(build, picture)
        with_palette(picture)
        size = picture.stat().st_size
        print(f"{picture.relative_to(ROOT)}: {size:,} bytes")
        assert size < LARGEST, f"{name} is larger than {LARGEST:,} bytes"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build")
