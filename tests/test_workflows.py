"""The workflows, and those of a new book, are valid and have no more permissions than needed."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import project
from project import read_yaml
from scalesheet.commands.parser import parser

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
#: What `init` writes.
NEW_BOOK = ROOT / "generator" / "scalesheet" / "new" / "book"
OF_A_BOOK = NEW_BOOK / ".github" / "workflows" / "book.yml"
SCHEMAS = files("check_jsonschema") / "builtin_schemas" / "vendor"
#: A reader of workflows that knows attacks on them.
ZIZMOR = Path(sysconfig.get_path("scripts"), "zizmor")


def jobs(name: str) -> dict[str, Any]:
    found = read_yaml(ROOT / ".github" / "workflows" / name)["jobs"]
    assert isinstance(found, dict)
    return found


def steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job.get("steps", [])


def faults(workflow: object) -> list[str]:
    """The errors in a workflow by GitHub's schema."""
    schema = json.loads((SCHEMAS / "github-workflows.json").read_text("utf-8"))
    return [error.message for error in Draft7Validator(schema).iter_errors(workflow)]


each = pytest.mark.parametrize("path", [*WORKFLOWS, OF_A_BOOK], ids=lambda path: path.name)
each_own = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


#: Permissions beyond reading, by workflow and job; only jobs that run the main branch's code.
GRANTED = {
    "check.yml": {},
    "comment.yml": {"comment": {"contents": "read", "actions": "read", "pull-requests": "write"}},
    "pages.yml": {"publish": {"pages": "write", "id-token": "write"}},
    "weekly.yml": {"upkeep": {"contents": "read", "issues": "write"}},
    "book.yml": {},
}


LOCK = ROOT / "requirements" / "site.txt"
#: Commands that install no Python packages at all.
ALONE = {".ci/comment"}


def test_jobs_that_publish_or_can_write_install_only_from_the_lock() -> None:
    found = set()
    for path in WORKFLOWS:
        for name, job in jobs(path.name).items():
            commands = [step["run"] for step in job.get("steps", []) if "run" in step]
            writes = "write" in job.get("permissions", {}).values()
            publishes = any("pages-artifact" in s.get("uses", "") for s in job.get("steps", []))
            if (writes or publishes) and set(commands) - ALONE:
                assert commands[0] == "make locked", name
                found.add(name)
    assert found == {"site", "upkeep"}
    for name in ("data", "numbers"):  # so that a newer lock is tested before it is merged
        commands = [s["run"] for s in jobs("check.yml")[name]["steps"] if "run" in s]
        assert commands[0] == "make locked"


def test_the_lock_is_installed_by_hash_without_building_or_resolving() -> None:
    made = (ROOT / "Makefile").read_text("utf-8")
    recipe = made.partition("\nlocked:")[2].partition("\n\n")[0]
    packages, project = (line for line in recipe.splitlines() if "$(PIP)" in line)
    assert "--require-hashes --only-binary :all: --requirement $(LOCK)" in packages
    assert "--no-deps --no-build-isolation" in project
    assert f"LOCK := {LOCK.relative_to(ROOT)}\n" in made


def test_the_lock_pins_every_dependency_with_hashes() -> None:
    text = LOCK.read_text("utf-8")
    assert "://" not in text
    locked = {}
    for entry in re.split(r"\n(?=[a-z])", text.partition("make lock\n")[2].strip()):
        stated, *hashes = entry.replace("\\\n", "").split("--hash=sha256:")
        requirement = Requirement(stated.strip())
        (version,) = requirement.specifier
        assert version.operator == "==", entry
        assert hashes, entry
        assert all(re.fullmatch("[0-9a-f]{64}", each.strip()) for each in hashes), entry
        locked[canonicalize_name(requirement.name)] = version.version
    with (ROOT / "pyproject.toml").open("rb") as file:
        stated = tomllib.load(file)
    for each in map(
        Requirement, stated["project"]["dependencies"] + stated["build-system"]["requires"]
    ):
        assert each.specifier.contains(locked[canonicalize_name(each.name)]), each


def test_updates_of_lock_and_actions_come_as_pull_requests() -> None:
    config = read_yaml(ROOT / ".github" / "dependabot.yml")
    schema = json.loads((SCHEMAS / "dependabot.json").read_text("utf-8"))
    assert list(Draft7Validator(schema).iter_errors(config)) == []
    assert {each["package-ecosystem"]: each["directory"] for each in config["updates"]} == {
        "pip": f"/{LOCK.parent.relative_to(ROOT)}",
        "github-actions": "/",
    }


def test_there_are_no_other_workflows() -> None:
    assert [path.name for path in (*WORKFLOWS, OF_A_BOOK)] == list(GRANTED)


@each
def test_a_workflow_is_valid_by_githubs_schema(path: Path) -> None:
    workflow = read_yaml(path)
    assert faults(workflow) == []
    del workflow["jobs"]
    assert faults(workflow) == ["'jobs' is a required property"]


@each
def test_foreign_actions_are_pinned_by_commit_with_the_version_beside(path: Path) -> None:
    used = re.findall(r"uses: (.+)", path.read_text("utf-8"))
    others = [use for use in used if not use.startswith("./")]
    assert others
    for use in others:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use


def test_an_action_has_the_same_commit_everywhere() -> None:
    text = "".join(path.read_text("utf-8") for path in (*WORKFLOWS, OF_A_BOOK))
    pins = dict.fromkeys(re.findall(r"uses: ([\w/-]+)@(\w+) # (v\S+)", text))
    assert len({name for name, *_ in pins}) == len(pins)


@each
def test_workflows_can_read_and_only_a_few_jobs_can_write(path: Path) -> None:
    workflow = read_yaml(path)
    assert workflow["permissions"] == {"contents": "read"}
    granted = {
        name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job
    }
    assert granted == GRANTED[path.name]
    assert "pull_request_target" not in workflow["on"]
    assert "secrets." not in path.read_text("utf-8")
    for step in steps(workflow):
        if "checkout@" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
            assert "ref" not in step["with"]  # code from a pull request never gets near a token


def test_the_weekly_workflow_runs_the_tests_with_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    (step,) = [s for s in jobs("weekly.yml")["thorough"]["steps"] if s.get("run") == ".ci/run"]
    assert project.draws(90) == (90 if project.THOROUGH else 30)
    for name, value in step["env"].items():
        monkeypatch.setenv(name, value)
    assert runpy.run_path(project.__file__)["draws"](90) == 90


@pytest.mark.parametrize(("variables", "left"), [({}, 8), ({"SCALESHEET_THOROUGH": "1"}, 0)])
def test_tests_marked_weekly_run_only_then(variables: dict[str, str], left: int) -> None:
    collect = [sys.executable, "-m", "pytest", "--collect-only", "tests/check/test_growth.py"]
    environ = {**os.environ, "SCALESHEET_THOROUGH": "", **variables}
    said = subprocess.run(collect, cwd=ROOT, env=environ, capture_output=True, text=True).stdout
    names = re.findall(r"::test_\S+", said)
    assert any("four_times_the_files" in name for name in names) == (left == 0)
    assert (f"tests left to the weekly run (make weekly): {left}" in said) == (left > 0)


@pytest.mark.parametrize("job", ["fuzz", "doors"])
def test_the_weekly_workflow_fuzzes_ten_thousand_cases_from_another_seed(job: str) -> None:
    (step,) = [s for s in jobs("weekly.yml")[job]["steps"] if s.get("run") == ".ci/run"]
    assert step["env"] == {
        "TESTS": f"tests/fuzz/test_{job}.py",
        "SCALESHEET_FUZZ": "10000",
        "SCALESHEET_FUZZ_SEED": "${{ github.run_number }}",
    }


def test_workflows_that_can_write_are_not_started_by_pull_requests() -> None:
    for name in ("comment.yml", "weekly.yml"):
        assert "pull_request" not in read_yaml(ROOT / ".github" / "workflows" / name)["on"]
    for step in jobs("comment.yml")["comment"]["steps"]:
        assert "github.event" not in step.get("run", "")


@each
def test_every_job_has_a_time_limit(path: Path) -> None:
    for name, job in read_yaml(path)["jobs"].items():
        assert "uses" in job or job["timeout-minutes"] <= 60, name


@each_own
def test_every_command_belongs_to_the_project(path: Path) -> None:
    made = (ROOT / "Makefile").read_text("utf-8").replace("$(VENV)", ".venv")
    for step in steps(read_yaml(path)):
        if "run" not in step:
            continue
        assert "${{" not in step["run"]  # no command contains a title of a pull request
        program, *arguments = shlex.split(step["run"])
        if program == "make":
            for target in arguments:
                assert re.search(rf"^{re.escape(target)}:", made, re.MULTILINE), target
        elif program == ".venv/bin/scalesheet":
            assert parser().parse_args(arguments)
        else:
            assert os.access(ROOT / program, os.X_OK), program


def test_the_data_is_checked_first_then_everything_before_publishing() -> None:
    check, pages = jobs("check.yml"), jobs("pages.yml")
    assert {name: job.get("needs") for name, job in check.items()} == {
        "data": None,
        "numbers": "data",
        "golden": "data",
        "editors": "data",
        "measure": "data",
        "program": "data",
        "proof": "data",
    }
    commands = [step["run"] for step in check["data"]["steps"] if "run" in step]
    assert commands[-1] == ".venv/bin/scalesheet check --format github"
    assert (check["program"]["needs"], check["program"]["steps"][-1]["run"]) == ("data", ".ci/run")
    everything = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert everything[-2:] == ["make test", "make check"]
    assert pages["check"]["uses"] == "./.github/workflows/check.yml"
    assert check["proof"]["steps"][-1]["run"] == ".ci/proof"
    weekly = [step.get("run") for step in jobs("weekly.yml")["proof"]["steps"]]
    assert ".ci/proof --compare" in weekly
    kept = [s["with"] for s in check["numbers"]["steps"] if "upload-artifact@" in s.get("uses", "")]
    assert [each["path"] for each in kept] == ["report/diff.md", "build/site", "build/workbooks"]
    assert kept[0]["name"] == "diff"  # .ci/comment finds it by this name
    assert (pages["site"]["needs"], pages["publish"]["needs"]) == ("check", "site")
    assert pages["site"]["steps"][-1]["with"] == {"path": "build/site"}


# ------------------------------------------------------------------ weaknesses


def weaknesses(path: Path, persona: str = "pedantic") -> list[str]:
    """What zizmor reports of workflows, without a network."""
    options = ["--offline", "--strict-collection", "--no-config", f"--persona={persona}"]
    command = [ZIZMOR, *options, "--format=json", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [found["ident"] for found in json.loads(done.stdout)]


def test_no_workflow_has_a_known_weakness() -> None:
    assert weaknesses(ROOT / ".github", "regular") == []  # pedantic: images by digest
    assert weaknesses(OF_A_BOOK) == []


#: Changes of a new book's workflow, and what is reported then.
WEAKER = {
    "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8": (
        "actions/checkout@v5",
        "unpinned-uses",
    ),
    "          persist-credentials: false\n": ("", "artipacked"),
    '"origin/$GITHUB_BASE_REF"': ("origin/${{ github.base_ref }}", "template-injection"),
    "permissions:\n  contents: read\n": ("permissions: write-all\n", "excessive-permissions"),
    "  pull_request:\n": ("  pull_request_target:\n", "dangerous-triggers"),
}


@pytest.mark.parametrize("old", WEAKER)
def test_a_weaker_workflow_would_be_reported(tmp_path: Path, old: str) -> None:
    new, reported = WEAKER[old]
    path = tmp_path / ".github" / "workflows" / "book.yml"
    path.parent.mkdir(parents=True)
    shutil.copy(OF_A_BOOK, path)
    project.edit(path, old, new)
    assert reported in weaknesses(path)


def test_a_new_books_commands_exist_and_take_no_text_of_a_request() -> None:
    (job,) = read_yaml(OF_A_BOOK)["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    commands += gitlab_commands()
    programs = set()
    for command in commands:
        assert "${{" not in command
        program, *arguments = shlex.split(command)
        programs.add(program)
        if program == "scalesheet":
            assert parser().parse_args(arguments)
        elif program == "pip":
            assert arguments == ["install", "--requirement", "requirements.txt"]
    assert programs == {"pip", "scalesheet", "mv"}


def gitlab_commands() -> list[str]:
    config = read_yaml(NEW_BOOK / ".gitlab-ci.yml")
    jobs = [config["default"], config["check"], config["pages"]]
    return [
        line for job in jobs for key in ("before_script", "script") for line in job.get(key, ())
    ]


def test_a_new_books_gitlab_file_is_valid_and_publishes_only_the_default_branch() -> None:
    config = read_yaml(NEW_BOOK / ".gitlab-ci.yml")
    validator = Draft7Validator(json.loads((SCHEMAS / "gitlab-ci.json").read_text("utf-8")))
    assert list(validator.iter_errors(config)) == []
    assert list(validator.iter_errors({**config, "pages": {"scripts": ["true"]}}))
    for line in gitlab_commands():  # a variable of GitLab is one word
        assert not re.search(r'(?<!")\$', line), line
    assert config["pages"]["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]
