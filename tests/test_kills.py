"""A build that is killed at any moment leaves the old output or the new, and the next one succeeds.

The program is started as a user starts it, and its whole process group is killed as it is about to
make, rename, or remove a file for the n-th time. Moments are counted and not timed, so a busy
machine changes nothing. SCALESHEET_KILLS says how many kills there are (36 with
SCALESHEET_THOROUGH=1, as once a week, otherwise 6); the numbers are
random, and a failure shows its seed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from project import ROOT, THOROUGH, command, contents, edit, environment, project, remains

KILLS = int(os.environ.get("SCALESHEET_KILLS", 36 if THOROUGH else 6))
PRICES = ("1.25", "1.5")  # of the small plan; the whole output differs between the two
WITH_A_SITE = KILLS // 3 if THOROUGH else 1  # of the kills: such a build takes seconds
FINISHED = 3  # after so many kills, one on top of another, a build is left to finish

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")

# Every Python process of the build imports this first. Each writes one byte for each change to
# files into the same file, whose length is therefore the count.
COUNTS = """\
import os, signal, sys

count = os.open(os.environ["COUNT"], os.O_RDWR | os.O_APPEND)
last = int(os.environ["LAST"])
changes = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"}

def counted(event, arguments):
    writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writes or event in changes:
        os.write(count, b".")
        if os.lseek(count, 0, os.SEEK_CUR) >= last > 0:
            os.killpg(0, signal.SIGKILL)

sys.addaudithook(counted)
"""


class Builds:
    """Builds of a project, which count the changes that they make to files."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self.folder = folder
        self.build = command("build", *options)
        self.count = folder / "count"
        hook = folder / "hook"
        hook.mkdir()
        (hook / "sitecustomize.py").write_text(COUNTS, "utf-8")
        self.path = os.pathsep.join([str(hook), str(ROOT / "generator")])

    def run(self, last: int = 0) -> int:
        """Builds, and is killed before the change with this number; the changes begun."""
        self.count.write_bytes(b"")
        told = {"COUNT": str(self.count), "LAST": str(last), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            self.build,
            cwd=self.folder,
            env=environment(PYTHONPATH=self.path, **told),
            start_new_session=True,
            capture_output=True,
            check=False,
        )
        changes = self.count.stat().st_size
        expected = -signal.SIGKILL if 0 < last <= changes else 0
        assert done.returncode == expected, done.stderr.decode()
        return changes

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        """The output, and the generated pages beside it."""
        return contents(self.folder / "build"), contents(self.folder / "docs" / "book")


def moment(number: int, changes: int, random_: random.Random) -> int:
    """One of the changes; every second time one of the last tenth, which are the exchange and the
    clearing up after it."""
    late = changes - changes // 10
    return random_.randint(late, changes) if number % 2 else random_.randint(1, late)


@pytest.mark.parametrize(
    ("options", "times"), [(["--no-site"], KILLS - WITH_A_SITE), ([], WITH_A_SITE)]
)
def test_after_a_kill_the_output_is_the_old_or_the_new_and_the_next_build_succeeds(
    options: list[str],
    times: int,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    plan = project(tmp_path) / "plans" / "small" / "plan.yaml"
    builds = Builds(tmp_path, options)
    whole, changes, price = {}, 0, PRICES[0]
    for each in PRICES:
        edit(plan, f"value: {price},", f"value: {each},")
        changes, price = builds.run(), each
        whole[each] = builds.state()
    assert whole[PRICES[0]][0] != whole[PRICES[1]][0]

    seed = random.randrange(10**6)
    random_ = random.Random(seed)
    killed = with_remains = 0
    for number in range(4 * times):  # a build that has fewer changes is not killed, nor counted
        old, new = PRICES if builds.state()[0] == whole[PRICES[0]][0] else PRICES[::-1]
        edit(plan, f"value: {price},", f"value: {new},")
        price = new
        last = moment(number, changes, random_)
        killed += builds.run(last) >= last
        with_remains += bool(remains(tmp_path))
        here = f"kill {killed} before change {last} of {changes}, seed {seed}"
        out, pages = builds.state()
        assert out in (whole[old][0], whole[new][0]), here
        assert pages in (whole[old][1], whole[new][1]), here
        if number % FINISHED == FINISHED - 1 or killed == times:
            builds.run()
            assert builds.state() == whole[new], here
            assert remains(tmp_path) == [], here
        if killed == times:
            break
    assert killed == times, f"seed {seed}"
    record_property("kills", killed)
    record_property("with remains", with_remains)
