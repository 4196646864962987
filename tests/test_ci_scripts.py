"""The scripts of the workflows, with a `gh` and a `scalesheet` that record their calls."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from scalesheet import cli
from scalesheet.commands import NAMES
from scalesheet.render.text.diff import md

ROOT = Path(__file__).parents[1]
SHA = "0123456789abcdef0123456789abcdef01234567"
#: A program that records its arguments and body text, and answers from a file.
STAND_IN = """\
#!PYTHON -SE
import json, os, shutil, sys
here = os.path.dirname(os.path.abspath(__file__))
line = " ".join(sys.argv[1:])
body = ""
for each in sys.argv[1:]:
    path = each.removeprefix("body=@")
    if each.endswith("body.md"):
        body = open(path, encoding="utf-8").read()
with open(f"{here}/asked", "a") as asked:
    asked.write(json.dumps([line, body]) + "\\n")
for part, (status, out) in json.load(open(f"{here}/answers")).items():
    if part in line:
        if "--dir" in sys.argv:
            with open(sys.argv[sys.argv.index("--dir") + 1] + "/diff.md", "w") as file:
                file.write(out)
        else:
            sys.stdout.write(out)
        sys.exit(status)
"""

Answers = dict[str, tuple[int, str]]


@dataclass(frozen=True)
class Done:
    status: int
    printed: str
    asked: list[tuple[str, str]]
    summary: str

    def changes(self) -> list[tuple[str, str]]:
        """The requests that change something on GitHub."""
        verbs = ("--method", "issue edit", "issue create", "issue close")
        return [each for each in self.asked if any(verb in each[0] for verb in verbs)]


def run(folder: Path, script: str, answers: Answers, *arguments: str, **more: str) -> Done:
    tools, project = folder / "tools", folder / "project" / ".ci"
    tools.mkdir(parents=True)
    project.mkdir(parents=True)
    for name in ("gh", "scalesheet"):
        (tools / name).write_text(STAND_IN.replace("PYTHON", sys.executable), "utf-8")
        (tools / name).chmod(0o755)
    (tools / "answers").write_text(json.dumps(answers), "utf-8")
    shutil.copytree(ROOT / ".ci", project, dirs_exist_ok=True)
    done = subprocess.run(
        [project / script, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={
            "PATH": f"{tools}:{os.environ['PATH']}",
            "SCALESHEET": str(tools / "scalesheet"),
            "GITHUB_REPOSITORY": "a/b",
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "LC_ALL": "C.UTF-8",
            **more,
        },
    )
    asked, summary = tools / "asked", folder / "summary"
    lines = asked.read_text("utf-8").splitlines() if asked.exists() else []
    for line, _ in map(json.loads, lines):  # our own commands must accept the arguments
        if line.split()[0] in NAMES:
            assert cli.parser().parse_args(line.split())
    return Done(
        done.returncode,
        done.stdout + done.stderr,
        [(line, body) for line, body in map(json.loads, lines)],
        summary.read_text("utf-8") if summary.exists() else "",
    )


# ------------------------------------------------------------------ diff


@pytest.mark.parametrize(
    ("answer", "status", "summary"),
    [
        ((0, "total cost fell"), 0, "total cost fell"),
        ((1, "total cost fell"), 0, "total cost fell"),  # a changed number is not an error
        ((0, ""), 0, "No number moved.\n"),
        ((2, ""), 2, ""),
    ],
)
def test_the_diff_becomes_the_summary_and_is_kept_for_the_comment(
    tmp_path: Path, answer: tuple[int, str], status: int, summary: str
) -> None:
    done = run(tmp_path, "diff", {"diff": answer}, GITHUB_BASE_REF="next")
    assert (done.status, done.summary) == (status, summary)
    assert done.asked[0][0] == "diff origin/next --format markdown"
    if summary:
        assert (tmp_path / "project" / "report" / "diff.md").read_text("utf-8") == summary


# ------------------------------------------------------------------ comment

REQUEST = {"RUN": "7", "SHA": SHA}
DIFF: Answers = {"run download": (0, "cost of @all fell"), "pulls?": (0, "12\n13\n")}


def test_the_first_comment_is_created_and_mentions_nobody(tmp_path: Path) -> None:
    done = run(tmp_path, "comment", DIFF, **REQUEST)
    assert done.status == 0, done.printed
    ((line, body),) = done.changes()
    assert line.startswith("api --method POST repos/a/b/issues/12/comments --field body=@")
    assert body.startswith("<!-- scalesheet: what this does to the numbers -->\n")
    assert "cost of @\u200ball fell" in body
    assert SHA in body


def test_an_existing_comment_is_edited(tmp_path: Path) -> None:
    there: Answers = {"issues/12/comments?": (0, "99\n")}
    done = run(tmp_path, "comment", DIFF | there, **REQUEST)
    ((line, _),) = done.changes()
    assert line.startswith("api --method PATCH repos/a/b/issues/comments/99 --field body=@")


def test_a_long_diff_is_cut_and_points_to_the_rest(tmp_path: Path) -> None:
    done = run(tmp_path, "comment", DIFF | {"run download": (0, "é" * 50_000)}, **REQUEST)
    ((_, body),) = done.changes()
    assert len(body.encode()) < 65_536
    assert "It goes on in the summary of the run." in body


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@all &#64;all &commat;all", "@_all &_#_64;all &_commat;all"),
        ("[x](https://a.b) ![i](//a.b/i)", "[x]_(https:_//a.b) ![i]_(//a.b/i)"),
        ("[x][y] and [y]: //a.b", "[x]_[y]_ and [y]_: //a.b"),
        ("www.a.b, a.b/c#1, #\\1, GH-12", "www_.a.b, a.b/c#_1, #_\\1, GH-_12"),
        ("<https://a.b> <b onclick=a> <!-- <a", "<_https:_//a.b> <_b onclick=a> <_!-- <_a"),
        ("<details open> <br/> <summary >", "<_details open> <_br/> <_summary >"),
        ("```\n~~~~\n``````", "``_`\n~~_~~\n``_``_``"),
        # the output of `diff` stays unchanged
        ("### 1 input\n\n| a | `b` |\n|---|--:|\n| **c**<br>\\[d | &lt;e |",) * 2,
        ("<details><summary>a</summary>\n\n- b\n\n</details>",) * 2,
        ("<details><summary>never closed", "<details><summary>never closed</details>"),
    ],
)
def test_text_of_the_request_is_shown_and_has_no_effect(
    tmp_path: Path, text: str, shown: str
) -> None:
    done = run(tmp_path, "comment", DIFF | {"run download": (0, text)}, **REQUEST)
    ((_, body),) = done.changes()
    ours, _, quoted = body.partition("which also wrote what follows.\n\n")
    assert SHA in ours
    assert quoted == shown.replace("_", "\u200b") + "\n"


def test_a_title_of_the_request_is_text_in_the_diff_too(tmp_path: Path) -> None:
    title = "@all [x](https://a.b) <img src=//a.b> ``` #1 &#64;b | <details>"
    text = f"{md(title)}\n"
    done = run(tmp_path, "comment", DIFF | {"run download": (0, text)}, **REQUEST)
    ((_, body),) = done.changes()
    for said in (text, body.partition("which also wrote what follows.")[2]):
        assert not re.search(r"@(?!\u200b)|(?<!\\)[\]`]|<|://|#\d|&(?!amp;|lt;|gt;)", said)


@pytest.mark.parametrize(
    ("answers", "more", "status", "said"),
    [
        ({"run download": (1, "")}, REQUEST, 0, "the check left no diff"),
        ({"pulls?": (0, "")}, REQUEST, 0, "no open pull request has the commit"),
        ({}, {"RUN": "7", "SHA": '" or true'}, 1, "no run and commit"),
        ({}, {"RUN": "7"}, 1, "SHA"),
    ],
)
def test_without_a_diff_or_request_there_is_no_comment(
    tmp_path: Path, answers: Answers, more: dict[str, str], status: int, said: str
) -> None:
    done = run(tmp_path, "comment", DIFF | answers, **more)
    assert (done.status, done.changes()) == (status, [])
    assert said in done.printed


# ------------------------------------------------------------------ weekly

OLD = "- `data/rates/a.yaml:8:5` **O001 old price**: the price was last seen on 2025-06-01\n"
DEAD = "- `data/sources.yaml:9:5` **L001 broken address**: answers 404\n"
UNREAD = "- `data/sources.yaml:12:5` **L002 address could not be read**: answers 403\n"


def test_one_issue_is_opened_and_then_updated(tmp_path: Path) -> None:
    answers: Answers = {"check --as-of": (0, OLD), "links --format": (1, DEAD + UNREAD)}
    done = run(tmp_path / "first", "weekly", answers)
    assert done.status == 0, done.printed
    ((line, body),) = done.changes()
    assert line.startswith("issue create --title Upkeep: old prices and dead links --body-file ")
    assert OLD in body
    assert DEAD in body
    assert UNREAD not in body
    assert "1 further addresses could not be read" in body
    assert any(each[0].startswith("check --as-of 20") for each in done.asked)

    done = run(tmp_path / "second", "weekly", answers | {"issue list": (0, "5\n")})
    ((line, _),) = done.changes()
    assert line.startswith("issue edit 5 --body-file ")


def test_a_long_list_is_cut_between_lines_and_counted(tmp_path: Path) -> None:
    done = run(tmp_path, "weekly", {"check --as-of": (0, OLD * 1000), "links --format": (0, "")})
    ((_, body),) = done.changes()
    listed = body.count(OLD)
    assert 0 < listed < 1000
    assert f"\n- and {1000 - listed} more\n" in body
    assert len(body) < 65_536


def test_the_issue_is_closed_when_everything_holds(tmp_path: Path) -> None:
    done = run(
        tmp_path / "open", "weekly", {"links --format": (0, UNREAD), "issue list": (0, "5\n")}
    )
    ((line, _),) = done.changes()
    assert line.startswith("issue close 5 --comment All holds on 20")
    assert run(tmp_path / "none", "weekly", {"links --format": (0, UNREAD)}).changes() == []


def test_a_command_that_fails_silently_fails_the_workflow(tmp_path: Path) -> None:
    done = run(tmp_path, "weekly", {"check --as-of": (1, ""), "issue list": (0, "5\n")})
    assert done.status != 0
    assert done.changes() == []


# ------------------------------------------------------------------ wording

LISTED = """\
# what must not come back
over the moon => glad
(?<!wall-)clock time => wall-clock time
"""


def wording(project: Path, listed: str, files: dict[str, str]) -> tuple[int, str, str]:
    """Run the check of phrases on a repository with these files."""
    (project / ".ci").mkdir()
    for name in ("wording", "phrases"):
        shutil.copy(ROOT / ".ci" / name, project / ".ci" / name)
    (project / ".ci" / "phrases").write_text(listed, "utf-8")
    for path, text in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, "utf-8")
    (project / "picture.png").write_bytes(b"\x89over the moon\xff")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    (project / "untracked.md").write_text("over the moon", "utf-8")
    done = subprocess.run(
        [project / ".ci" / "wording"], cwd=project, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.md", "We are\nOver the moon.\n", "a.md:2: 'Over the moon'. Write: glad\n"),
        ("a.py", 'X = (\n    "over "\n    "the moon"\n)\n', "a.py:2: "),
        ("a.py", "# over the\n# moon\n", "a.py:1: "),
        ("a.yaml", "a:\n  over\n  the moon\n", "a.yaml:2: "),
        ("a.md", "clock time", "a.md:1: 'clock time'. Write: wall-clock time\n"),
        ("a.md", "wall-clock time, moonlight", ""),
        ("a.yaml", "- quote: over the moon\n", ""),  # quotes stay unchanged
        ("a.yaml", "written: over the moon\nnote: over the moon\n", "a.yaml:2: "),
        ("data/plans/p/audited.yaml", "a: over the moon", ""),
        ("CHANGELOG.md", "over the moon", ""),
    ],
)
def test_a_listed_phrase_is_found(tmp_path: Path, path: str, text: str, found: str) -> None:
    status, printed, _ = wording(tmp_path, LISTED, {path: text})
    assert printed.startswith(found)
    assert (status, len(printed.splitlines())) == ((1, 1) if found else (0, 0))


@pytest.mark.parametrize("line", ["over the moon", "over the moon => ", "over the moon: glad"])
def test_a_line_without_a_replacement_is_refused(tmp_path: Path, line: str) -> None:
    status, _, error = wording(tmp_path, f"{line}\n", {})
    assert status == 1
    assert f".ci/phrases:1: expected 'regex => replacement', found '{line}'" in error
