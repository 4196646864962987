"""jsonschema-rs, which tests documents, agrees with jsonschema, which explains their errors."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from scalesheet import schemas
from scalesheet.load import load
from shipped import DATA

#: Values to put in place of others.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2.0, 0.5, 1e300, "", "x", "no", "2026-02-30", "a b\n", "1.0"),
    *([], ["a", "a"], [1, True], [[]], {}, {"a": 1}, {"value": 1}, {"low": 1}, {"reason": "none"}),
)


def places(data: Any, below: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*below, key)
        if isinstance(value, dict | list):
            yield from places(value, (*below, key))


def changed(data: Any, random: Random, every: list[tuple[Any, ...]]) -> Any:
    """A document in which a value is another, is missing, or has another name."""
    data = deepcopy(data)
    *path, last = random.choice(every)
    here = data
    for key in path:
        here = here[key]
    odd = random.choice([*ODD, "drop", "rename"])
    if odd == "drop" or (odd == "rename" and isinstance(here, list)):
        del here[last]
    elif odd == "rename":
        here[f"{last}s"] = here.pop(last)
    else:
        here[last] = deepcopy(odd)
    return data


def test_shipped_documents_and_thousands_of_slips() -> None:
    random = Random(0)
    documents, _ = load(DATA)
    seen: dict[str, int] = {}
    refused = 0
    for document in documents:
        if document.kind not in schemas.KINDS:
            continue
        assert schemas.is_valid(document), document.path
        seen[document.kind] = seen.get(document.kind, 0) + 1
        every = list(places(document.data))
        if seen[document.kind] > 4 or len(every) > 1500:
            continue
        for _ in range(60):
            data = changed(document.data, random, every)
            errors = schemas._validator_of(document.kind).iter_errors(data)
            valid = next(errors, None) is None
            assert schemas._test_of(document.kind)(data) == valid, (document.path, data)
            refused += not valid
    assert seen.keys() >= {"plan", "component", "rate", "published"}
    assert refused > 500
