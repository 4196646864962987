"""Changes to the data are saved all or not at all, even after a kill, never over other edits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from project import environment
from scalesheet import cli
from scalesheet import save as saving
from scalesheet.save import JOURNAL, recover, save
from small import lay

OLD = {"a.yaml": b"old a", "plans/p/plan.yaml": b"old p"}
NEW = {"a.yaml": b"new a", "plans/p/plan.yaml": b"new p", "fits/runs.yaml": b"new fit"}


def filled(data: Path) -> Path:
    for name, content in OLD.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_bytes(content)
    return data


def changes(data: Path) -> dict[Path, tuple[bytes | None, bytes]]:
    return {data / name: (OLD.get(name), content) for name, content in NEW.items()}


def contents(data: Path) -> dict[str, bytes]:
    """The content of every file below the folder, including hidden ones."""
    return {
        path.relative_to(data).as_posix(): path.read_bytes()
        for path in data.rglob("*")
        if path.is_file()
    }


def test_all_files_change_and_keep_their_permissions(tmp_path: Path) -> None:
    data = filled(tmp_path)
    (data / "a.yaml").chmod(0o640)
    save(data, changes(data))
    assert contents(data) == NEW
    assert (data / "a.yaml").stat().st_mode & 0o777 == 0o640


def test_files_created_while_saving_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = filled(tmp_path)
    sync = os.fsync

    def another_saves(file: int) -> None:
        (data / "plans" / "p" / "page.md").write_bytes(b"an editor's")
        sync(file)

    monkeypatch.setattr(os, "fsync", another_saves)
    save(data, changes(data))
    assert contents(data) == NEW | {"plans/p/page.md": b"an editor's"}


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("when", ["before", "while it writes"])
def test_a_file_edited_since_it_was_read_stops_everything(
    name: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = filled(tmp_path)
    asked = changes(data)
    sync = os.fsync

    def edited(file: int | None = None) -> None:
        (data / name).parent.mkdir(exist_ok=True)
        (data / name).write_bytes(b"an editor's")
        if file is not None:
            sync(file)

    if when == "before":
        edited()
    else:
        monkeypatch.setattr(os, "fsync", edited)
    with pytest.raises(OSError, match=r"changed while this command ran|already exists") as error:
        save(data, asked)
    assert error.value.filename == str(data / name)
    assert contents(data) == OLD | {name: b"an editor's"}


def test_the_file_behind_a_link_changes_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_bytes(b"old")
    (tmp_path / "a.yaml").symlink_to("real.yaml")
    save(tmp_path, {tmp_path / "a.yaml": (b"old", b"new")})
    assert (tmp_path / "a.yaml").is_symlink()
    assert (tmp_path / "real.yaml").read_bytes() == b"new"


# The process exits before each file operation in turn, and the recovering one before each of its
# own. It forks because a process cannot remove an audit hook.
DIES = dedent("""
    import os, shutil, sys
    from pathlib import Path
    from scalesheet.save import recover, save
    from test_save import NEW, OLD, changes, contents, filled

    def dies(steps, data, work):
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        left = steps
        def count(event, arguments):
            nonlocal left
            if event.startswith("os.") or event == "open" and str(data) in str(arguments[0]):
                left -= 1
                if left < 0:
                    os._exit(9)
        sys.addaudithook(count)
        work()
        os._exit(0)

    os.fsync = lambda file: None  # a kill loses nothing that the system holds
    home, seen = Path(sys.argv[1]), []
    for first in range(1000):
        for second in range(1000):
            data = filled(home / f"{first}-{second}")
            killed = dies(first, data, lambda: save(data, changes(data)))
            again = dies(second, data, lambda: recover(data))
            recover(data)
            found = contents(data)
            found.pop(".saving.lock", None)
            assert found in (OLD, NEW), (first, second, found)
            seen.append(found == NEW)
            shutil.rmtree(data)
            if not again:
                break
        if not killed:
            break
    assert seen == sorted(seen) and set(seen) == {False, True}, seen
    print(first, len(seen))
""")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_kill_before_any_file_operation_leaves_the_old_or_the_new_data(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIES, str(tmp_path)],
        env=environment(PYTHONPATH=os.pathsep.join(sys.path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    operations, ends = map(int, done.stdout.split())
    assert operations > 10
    assert ends > operations


def killed_after(data: Path, renames: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the data as if killed after this many renames."""
    put, left = saving._put, iter(range(renames))

    def puts(path: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        put(path)

    with monkeypatch.context() as patched:
        patched.setattr(saving, "_put", puts)
        with pytest.raises(KeyboardInterrupt):
            save(data, changes(data))


@pytest.mark.parametrize("renames", range(3))
def test_the_next_command_finishes_a_killed_save(
    renames: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = lay(tmp_path, {})
    unit = (data / "units.yaml").read_bytes()
    monkeypatch.setitem(NEW, "units.yaml", unit + b"# more\n")
    monkeypatch.setitem(OLD, "units.yaml", unit)
    filled(data)
    killed_after(data, renames, monkeypatch)
    cli.main(["check", "--data", str(data)])
    assert (data / "units.yaml").read_bytes() == unit + b"# more\n"
    assert not (data / JOURNAL).exists()


def test_an_edit_after_a_kill_is_kept_and_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = filled(tmp_path)
    killed_after(data, 1, monkeypatch)
    (data / "plans" / "p" / "plan.yaml").write_bytes(b"an editor's")
    with pytest.raises(OSError, match=r"is in \.plan\.yaml\.saving") as error:
        recover(data)
    assert str(error.value.filename).endswith("plan.yaml")
    recover(data)
    assert contents(data) == NEW | {
        "plans/p/plan.yaml": b"an editor's",
        "plans/p/.plan.yaml.saving": b"new p",
    }


def test_a_foreign_journal_changes_nothing_outside_the_data(tmp_path: Path) -> None:
    data = filled(tmp_path / "data")
    (tmp_path / ".mine.saving").write_bytes(b"mine")
    (data / JOURNAL).write_text(json.dumps({"../mine": ["", "x"]}))
    with pytest.raises(OSError, match="outside the data folder; remove this journal"):
        recover(data)
    assert (tmp_path / ".mine.saving").read_bytes() == b"mine"
