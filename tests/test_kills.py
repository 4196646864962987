"""A build that is killed at any moment leaves the old or the new output, and the next one succeeds.

The process group of a build is killed when it is about to create, rename or remove a file for the
n-th time. Moments are counted and not timed, so a busy machine makes no difference.
SCALESHEET_KILLS sets the number of kills (36 with SCALESHEET_THOROUGH=1, as once a week, otherwise
6); the moments are random, and a failure shows the seed.
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

from project import ROOT, THOROUGH, contents, edit, environment, project, remains

KILLS = int(os.environ.get("SCALESHEET_KILLS", 36 if THOROUGH else 6))
PRICES = ("1.25", "1.5")  # prices in the small plan, which change the whole output
WITH_A_SITE = KILLS // 3 if THOROUGH else 1  # kills of builds with a site, which take seconds
FINISHED = 3  # after this many kills in a row, a build may finish

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")

# Every Python process of the build imports this first. All of them append a byte to the same file
# for each change to files, so its length is the count.
COUNTS = """\
import os, signal, sys

count = os.open(os.environ["COUNT"], os.O_RDWR | os.O_APPEND)
changes = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"}

def counted(event, arguments):
    writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writes or event in changes:
        os.write(count, b".")
        if os.lseek(count, 0, os.SEEK_CUR) >= int(os.environ["LAST"]) > 0:
            os.killpg(0, signal.SIGKILL)

sys.addaudithook(counted)
"""

# Builds once per line of input, and writes the exit status. The first build imports everything,
# which is most of the work of a small one; each further build is a fork that reuses the imports.
BUILDS = """\
import os, sys
from scalesheet.cli import main
from scalesheet.render import reference

reference.write_reference = lambda *_: None  # more than a hundred pages, which are like any other

answers = os.dup(1)
said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.dup2(said, 1)
os.dup2(said, 2)
sys.stdin.readline()
os.write(answers, b"%d\\n" % main(sys.argv[1:]))
for last in sys.stdin:
    sys.stdout.flush()
    if (build := os.fork()) == 0:
        os.setsid()
        os.environ["LAST"] = last
        sys.exit(main(sys.argv[1:]))
    os.write(answers, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(build, 0)[1]))
"""


class Builds:
    """Builds of a project that count their changes to files."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self.folder = folder
        self.count = folder / "count"
        self.count.touch()
        hook = folder / "hook"
        hook.mkdir()
        (hook / "sitecustomize.py").write_text(COUNTS, "utf-8")
        path = os.pathsep.join([str(hook), str(ROOT / "generator")])
        told = {"COUNT": str(self.count), "LAST": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", BUILDS, "build", *options],
            cwd=folder,
            env=environment(PYTHONPATH=path, **told),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, last: int = 0) -> int:
        """Build, killed before the change with this number; return the number of changes begun."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.count.write_bytes(b"")
        print(last, file=self.process.stdin, flush=True)
        ended = self.process.stdout.readline().strip()
        changes = self.count.stat().st_size
        expected = -signal.SIGKILL if 0 < last <= changes else 0
        assert ended == str(expected), (self.folder / "said").read_text("utf-8")
        return changes

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        """The contents of the output and of the generated pages beside it."""
        return contents(self.folder / "build"), contents(self.folder / "docs" / "book")


def moment(number: int, changes: int, random_: random.Random) -> int:
    """The number of a random change.

    Every second time, it is in the last tenth, where the folders are exchanged and cleaned up.
    """
    late = changes - changes // 10
    return random_.randint(late, changes) if number % 2 else random_.randint(1, late)


@pytest.mark.parametrize(
    ("options", "times"), [(["--no-site"], KILLS - WITH_A_SITE), ([], WITH_A_SITE)]
)
def test_after_a_kill_the_output_is_old_or_new_and_the_next_build_succeeds(
    options: list[str],
    times: int,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    plan = project(tmp_path) / "plans" / "small" / "plan.yaml"
    builds = Builds(tmp_path, options)
    with builds.process:
        whole, changes, price = {}, 0, PRICES[0]
        for each in PRICES:
            edit(plan, f"value: {price},", f"value: {each},")
            changes, price = builds.run(), each
            whole[each] = builds.state()
        assert whole[PRICES[0]][0] != whole[PRICES[1]][0]

        seed = random.randrange(10**6)
        random_ = random.Random(seed)
        killed = with_remains = 0
        for number in range(4 * times):  # a build with fewer changes is neither killed nor counted
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
