"""Reads an .ods workbook by having LibreOffice save it as .xlsx."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from scalesheet.foreign import File, read

SECONDS = 300  # a last resort
_WITHOUT = "it is an .ods file, and LibreOffice, which would convert it,"


def as_xlsx(file: File, path: Path) -> File:
    """The workbook as .xlsx. Raises Refused."""
    program = next(
        (found for name in ("soffice", "libreoffice") if (found := shutil.which(name))), ""
    )
    if not program:
        raise file.refused(f"{_WITHOUT} is not installed; save it as .xlsx")
    with tempfile.TemporaryDirectory(prefix="scalesheet-ods-") as folder:
        profile = f"-env:UserInstallation={(Path(folder) / 'profile').as_uri()}"
        command = [program, profile, "--headless", "--convert-to", "xlsx", "--outdir", folder]
        with suppress(subprocess.TimeoutExpired):  # no file then
            subprocess.run([*command, str(path.resolve())], capture_output=True, timeout=SECONDS)
        made = Path(folder) / f"{path.stem}.xlsx"
        if not made.is_file():
            raise file.refused(f"{_WITHOUT} did not; save it as .xlsx")
        return read(made, file.code)
