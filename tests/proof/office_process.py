"""LibreOffice as a process: its profile, its start, and cleaning up after a kill.

It is a part of ``office_server.py`` and runs in the same Python.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import subprocess
import sys

import uno

SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
 xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
{items}
</oor:items>
"""
SETTING = (
    '<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse">'
    "<value>{value}</value></prop></item>"
)
FIXED_SETTINGS = [
    ("/org.openoffice.Setup/L10N", "ooSetupSystemLocale", "en-US"),
    ("/org.openoffice.Setup/L10N", "ooLocale", "en-US"),
    ("/org.openoffice.Setup/Office", "ooSetupInstCompleted", "true"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("/org.openoffice.Office.Common/Misc", "UseOpenCL", "false"),
    ("/org.openoffice.Office.Common/Misc", "CrashReport", "false"),
    ("/org.openoffice.Office.Common/Misc", "UseDocumentSystemFileLocking", "false"),
    ("/org.openoffice.Office.Common/Misc", "UseDocumentOOoLockFile", "false"),
    ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"),
]


def start_soffice(soffice: str, profile: str, pipe: str, recalc: str) -> subprocess.Popen[bytes]:
    """Write the profile's settings and start LibreOffice in its own process group."""
    modes = {"always": 0, "never": 1}
    settings = list(FIXED_SETTINGS)
    for key in ("OOXMLRecalcMode", "ODFRecalcMode"):
        settings.append(("/org.openoffice.Office.Calc/Formula/Load", key, modes[recalc]))
    user = os.path.join(profile, "user")
    os.makedirs(user, exist_ok=True)
    items = "\n".join(SETTING.format(path=p, name=n, value=v) for p, n, v in settings)
    with open(os.path.join(user, "registrymodifications.xcu"), "w", encoding="utf-8") as file:
        file.write(SETTINGS.format(items=items))
    environment = dict(os.environ, SAL_USE_VCLPLUGIN="svp", HOME=profile, LC_ALL="C.UTF-8")
    environment.pop("DISPLAY", None)
    return subprocess.Popen(
        [
            soffice,
            f"-env:UserInstallation={uno.systemPathToFileUrl(profile)}",
            "--headless",
            "--invisible",
            "--norestore",
            "--nologo",
            "--nodefault",
            "--nolockcheck",
            f"--accept=pipe,name={pipe};urp;StarOffice.ComponentContext",
        ],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        stderr=sys.stderr,
        env=environment,
        start_new_session=True,
    )


def own_pipes(profile: str) -> list[str]:
    """The pipe that LibreOffice creates for a profile and leaves behind when it is killed."""
    url = uno.systemPathToFileUrl(profile)
    digest = hashlib.md5(url.encode("utf-16le"), usedforsecurity=False).digest()
    # Releases differ in whether bytes have leading zeros.
    return [f"SingleOfficeIPC_{''.join(f'{byte:{w}x}' for byte in digest)}" for w in ("", "02")]


def adopt_orphans() -> None:
    """Make grandchildren of a killed wrapper ours to reap (Linux only; harmless elsewhere)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
