"""Reads an .ods workbook by having LibreOffice save it as .xlsx."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scalesheet.pull.package import UnreadableError

SECONDS = 300  # a last resort
_WITHOUT = "it is an .ods file, and LibreOffice, which would convert it,"


@contextmanager
def as_xlsx(path: Path) -> Iterator[Path]:
    """The workbook as a temporary .xlsx file. Raises UnreadableError."""
    program = next(
        (found for name in ("soffice", "libreoffice") if (found := shutil.which(name))), ""
    )
    if not program:
        raise UnreadableError("W001", f"{_WITHOUT} is not installed; save it as .xlsx")
    with tempfile.TemporaryDirectory(prefix="scalesheet-ods-") as folder:
        profile = f"-env:UserInstallation={(Path(folder) / 'profile').as_uri()}"
        command = [program, profile, "--headless", "--convert-to", "xlsx", "--outdir", folder]
        with suppress(subprocess.TimeoutExpired):  # no file then
            subprocess.run([*command, str(path.resolve())], capture_output=True, timeout=SECONDS)
        made = Path(folder) / f"{path.stem}.xlsx"
        if not made.is_file():
            raise UnreadableError("W001", f"{_WITHOUT} did not; save it as .xlsx")
        yield made
