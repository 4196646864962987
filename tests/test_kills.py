"""A build that is killed at any moment leaves the old output or the new, and the next one succeeds.

The program is started as a user starts it and its whole process group is killed. SCALESHEET_KILLS
says how often (20); the moments are random, and the seed is shown when one fails.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from project import command, contents, edit, environment, project, remains

KILLS = int(os.environ.get("SCALESHEET_KILLS", "20"))
PRICES = ("1.25", "1.5")  # of the small plan; the whole output differs between the two

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs process groups"),
    pytest.mark.xdist_group("kills"),
]


def finished(build: list[str], folder: Path) -> float:
    """Builds to the end; the seconds that it took."""
    start = time.monotonic()
    subprocess.run(build, cwd=folder, env=environment(), check=True, capture_output=True)
    return time.monotonic() - start


def killed(build: list[str], folder: Path, after: float) -> bool:
    """Starts a build and kills its process group. Whether it was still running."""
    process = subprocess.Popen(
        build, cwd=folder, env=environment(), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    time.sleep(after)
    running = process.poll() is None
    if running:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return running


@pytest.mark.parametrize(
    ("options", "times"), [(["--no-site"], KILLS - KILLS // 2), ([], KILLS // 2)]
)
def test_after_a_kill_the_output_is_the_old_or_the_new_and_the_next_build_succeeds(
    options: list[str],
    times: int,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    data = project(tmp_path)
    plan = data / "plans" / "small" / "plan.yaml"
    out, pages = tmp_path / "build", tmp_path / "docs" / "book"
    build = command("build", *options)

    def state() -> tuple[dict[str, str], dict[str, str]]:
        return contents(out), contents(pages)

    whole, took = {}, 0.0
    for old, new in (PRICES, PRICES[::-1]):
        took = finished(build, tmp_path)
        whole[old] = state()
        edit(plan, f"value: {old},", f"value: {new},")
    finished(build, tmp_path)
    assert whole[PRICES[0]][0] != whole[PRICES[1]][0]

    seed = random.randrange(10**6)
    moments = random.Random(seed)
    tally: Counter[str] = Counter()
    for number in range(4 * times):  # one that comes too late shows nothing, and does not count
        if tally["kills"] == times:
            break
        old, new = PRICES if number % 2 == 0 else PRICES[::-1]
        edit(plan, f"value: {old},", f"value: {new},")
        # Most of the time goes into starting; what is written is written near the end.
        after = took * (1 - moments.random() ** 2 * 0.8)
        tally["kills"] += killed(build, tmp_path, after)
        tally["with remains"] += bool(remains(tmp_path))
        here = f"kill {number} after {after:.3f} s, seed {seed}"
        found_out, found_pages = state()
        assert found_out in (whole[old][0], whole[new][0]), here
        assert found_pages in (whole[old][1], whole[new][1]), here
        tally["new"] += found_out == whole[new][0]
        took = finished(build, tmp_path)
        assert state() == whole[new], here
        assert remains(tmp_path) == [], here
    assert tally["kills"] == times
    for what, count in sorted(tally.items()):
        record_property(what, count)
