"""The forms for issues and pull requests: valid by GitHub's schemas, with working links."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema.validators import validator_for

from project import read_yaml

ROOT = Path(__file__).parents[1]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
REPOSITORY = "https://github.com/scalesheet/scalesheet/blob/main/"


def faults(form: object, name: str) -> list[str]:
    """The errors in a form by GitHub's schema."""
    schemas = files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((schemas / f"github-{name}.json").read_text("utf-8"))
    return [error.message for error in validator_for(schema)(schema).iter_errors(form)]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_valid_by_githubs_schema(path: Path) -> None:
    name = "issue-config" if path.stem == "config" else "issue-forms"
    form = read_yaml(path)
    assert faults(form, name) == []
    assert faults({**form, "bodi": []}, name) != []


def test_the_form_for_a_wrong_number_asks_for_what_is_needed_to_fix_it() -> None:
    fields = {each.get("id"): each for each in read_yaml(FORMS[0].with_name("number.yml"))["body"]}
    needed = [key for key, each in fields.items() if each.get("validations", {}).get("required")]
    assert needed == ["which", "right", "source", "date"]


def test_links_into_the_repository_lead_to_existing_files() -> None:
    text = "".join(path.read_text("utf-8") for path in FORMS)
    linked = re.findall(re.escape(REPOSITORY) + r"([\w./-]+)", text)
    assert len(linked) == text.count(REPOSITORY) >= 2
    for place in linked:
        assert (ROOT / place).is_file(), place


def test_every_path_with_an_owner_exists() -> None:
    lines = (ROOT / ".github" / "CODEOWNERS").read_text("utf-8").splitlines()
    owned = [line.split() for line in lines if line and not line.startswith("#")]
    assert owned[0][0] == "*"
    for place, *owners in owned[1:]:
        assert (ROOT / place.strip("/")).exists(), place
        assert owners
        assert all(re.fullmatch(r"@[\w-]+/[\w-]+", owner) for owner in owners)
