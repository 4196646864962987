"""The output is the old or the new one at any moment, even with two builds or after a kill."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from xlsxwriter.exceptions import FileCreateError

from project import command, contents, environment, remains
from scalesheet import output
from scalesheet.commands import failed
from scalesheet.output import MARK, staged, sweep
from small import HEAD, lay


def fill(folder: Path, files: dict[str, str], *, mark: bool = True) -> None:
    """Write files to a folder, with the mark of a build unless told otherwise."""
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    if mark:
        (folder / MARK).touch()


def texts(folder: Path) -> dict[str, str]:
    """The text of each file except the mark."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MARK
    }


OLD = {"same": "s", "changed": "old", "gone/away": "x"}
NEW = {"same": "s", "changed": "new", "come/in": "y"}


@pytest.fixture(params=["exchanged in one step", "moved aside"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of replacing a folder, since not every file system can exchange two names."""
    if request.param == "moved aside":
        monkeypatch.setattr(output, "_exchanged", lambda a, b: False)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_the_new_folder_replaces_the_whole_old_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for files in (OLD, NEW):
        with staged(out) as stage:
            fill(stage, files)
        assert texts(out) == files
        assert list(tmp_path.iterdir()) == [out]


@pytest.mark.usefixtures("way")
def test_a_failing_block_changes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    fill(out, OLD)

    def fails() -> None:
        with staged(out) as stage:
            fill(stage, NEW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert texts(out) == OLD
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.usefixtures("way")
def test_unchanged_files_keep_their_inodes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    fill(out, OLD)
    before = {name: (out / name).stat().st_ino for name in ("same", "changed")}
    with staged(out) as stage:
        fill(stage, NEW)
    assert (out / "same").stat().st_ino == before["same"]
    assert (out / "changed").stat().st_ino != before["changed"]
    assert (out / "same").stat().st_nlink == 1


def test_without_hard_links_the_new_files_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refused)
    out = tmp_path / "out"
    fill(out, OLD)
    with staged(out) as stage:
        fill(stage, NEW)
    assert texts(out) == NEW


def test_the_folder_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "elsewhere" / "real", tmp_path / "out"
    fill(real, OLD)
    link.symlink_to(real)
    with staged(link) as stage:
        fill(stage, NEW)
    assert link.is_symlink()
    assert texts(real) == NEW
    assert list(real.parent.iterdir()) == [real]


MINE = {"thesis.txt": "years of work", "api/server.py": "mine", "site/index.html": "mine"}


@pytest.mark.parametrize("name", ["out", ".out.new", ".out.old"])
@pytest.mark.parametrize("also", ["", "an output"])
@pytest.mark.usefixtures("way")
def test_a_folder_that_no_build_made_is_refused_by_name_and_stays(
    name: str, also: str, tmp_path: Path
) -> None:
    if also and name != "out":
        fill(tmp_path / "out", OLD)
    fill(tmp_path / name, MINE, mark=False)
    before = texts(tmp_path)
    with (
        pytest.raises(FileExistsError, match="was not made by a build") as error,
        staged(tmp_path / "out"),
    ):
        raise AssertionError
    assert error.value.filename == str(tmp_path / name)
    sweep(tmp_path / "out")
    assert texts(tmp_path) == before


def test_a_file_or_a_link_under_a_working_name_is_refused_and_stays(tmp_path: Path) -> None:
    fill(tmp_path / "elsewhere", MINE)
    for name in (".out.lock", ".out.new", ".out.old"):
        for make in (lambda at: at.write_text("mine"), lambda at: at.symlink_to("elsewhere")):
            make(tmp_path / name)
            before = texts(tmp_path)
            with pytest.raises(FileExistsError) as error, staged(tmp_path / "out"):
                raise AssertionError
            assert error.value.filename == str(tmp_path / name)
            sweep(tmp_path / "out")
            assert texts(tmp_path) == before
            (tmp_path / name).unlink()


def test_an_empty_folder_can_be_replaced(tmp_path: Path) -> None:
    for name in ("out", ".out.new", ".out.old"):
        (tmp_path / name).mkdir()
    with staged(tmp_path / "out") as stage:
        fill(stage, NEW)
    assert texts(tmp_path / "out") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_second_build_of_the_same_folder_is_told_to_wait(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with staged(out) as stage:
        fill(stage, NEW)
        with (
            pytest.raises(BlockingIOError, match="another build is writing this folder"),
            staged(out),
        ):
            pass
        fill(stage, {"more": "z"})
    assert texts(out) == {**NEW, "more": "z"}
    assert list(tmp_path.iterdir()) == [out]


def test_a_waiting_build_runs_after_the_first(tmp_path: Path) -> None:
    code = dedent("""
        import fcntl, sys
        from pathlib import Path
        from scalesheet.output import staged
        lock = fcntl.flock
        def asks(file, how):
            print("asks", flush=True)
            lock(file, how)
        fcntl.flock = asks
        with staged(Path(sys.argv[1]), wait=True) as stage:
            (stage / "by").write_text("the second")
        print("done")
    """)
    out = tmp_path / "out"
    with staged(out) as stage:
        fill(stage, {"by": "the first"})
        second = subprocess.Popen(
            [sys.executable, "-c", code, str(out)], env=environment(), stdout=subprocess.PIPE
        )
        assert second.stdout is not None
        assert second.stdout.readline() == b"asks\n"
        assert second.poll() is None
    said, _ = second.communicate()
    assert said.endswith(b"done\n")
    assert texts(out) == {"by": "the second"}
    assert remains(tmp_path) == []


# A process that exits at its n-th file operation, as if killed there, without any cleanup.
DIES = dedent("""
    import json, os, sys
    from pathlib import Path
    from scalesheet import output
    out, steps, way, new = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
    if way == "moved aside":
        output._exchanged = lambda a, b: False
    left = steps
    def count(event, arguments):
        global left
        if event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "open"):
            if event != "open" or str(out.parent) in str(arguments[0]):
                left -= 1
                if left < 0:
                    os._exit(9)
    sys.addaudithook(count)
    with output.staged(out) as stage:
        for place, text in new.items():
            (stage / place).parent.mkdir(parents=True, exist_ok=True)
            (stage / place).write_text(text)
""")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_kill_before_any_file_operation_leaves_the_old_or_the_new_folder(
    way: str, tmp_path: Path
) -> None:
    """After a kill at any step, the next build succeeds and cleans up."""
    seen = []
    for steps in range(200):
        folder = tmp_path / str(steps)
        out = folder / "out"
        fill(out, OLD)
        done = subprocess.run(
            [sys.executable, "-c", DIES, str(out), str(steps), way, json.dumps(NEW)],
            env=environment(),
            check=False,
        )
        if out.exists() or way == "exchanged in one step":
            assert texts(out) in (OLD, NEW), steps
            seen.append(texts(out) == NEW)
        with pytest.raises(RuntimeError), staged(out):
            raise RuntimeError  # even a failed build restores the folder
        assert texts(out) in (OLD, NEW), steps
        assert list(folder.iterdir()) == [out]
        if done.returncode == 0:
            break
        assert done.returncode == 9
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (False, True)
    assert contents(out)


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit on the size of a file")
def test_a_file_that_cannot_be_written_is_named_with_a_fix(tmp_path: Path) -> None:
    data = lay(tmp_path, {"plans/small/plan.yaml": HEAD, "plans/small/page.md": "# A\n"})
    words = command("build", "--no-site", "--data", str(data), "--out", str(tmp_path / "out"))
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 2; exec "$@"', "sh", *words],
        capture_output=True,
        text=True,
        env=environment() | {"PYTHONDONTWRITEBYTECODE": "1"},  # it would be cut off
        check=False,
    )
    assert done.returncode == 1
    assert "internal error" not in done.stderr
    assert re.fullmatch(
        r"scalesheet: /\S+: File too large; raise the limit on the size of a file \(ulimit -f\), "
        r"or write elsewhere\n",
        done.stderr,
    )


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_write_error_without_a_name_names_the_current_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrapped: bool
) -> None:
    """`No space left on device` names no file, in our own writes and in XlsxWriter's."""
    place = tmp_path / "a-file.txt"

    def write() -> None:
        with place.open("w") as file:
            file.write("a")
            raise OSError(errno.ENOSPC, "No space left on device")

    try:
        write()
    except OSError as error:
        failed(FileCreateError(error) if wrapped else error)
    said = f"{place}: No space left on device; free space on the disk, or write elsewhere"
    assert capsys.readouterr().err == f"scalesheet: {said}\n"
