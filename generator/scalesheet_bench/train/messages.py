"""The JSON lines between the requesting and the measuring process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from scalesheet.steps.job import Effort, Job, Shape

#: The start of each message line; libraries print to the same stream.
MARK = "scalesheet: "


def asked(job: Job, effort: Effort, trace: str) -> str:
    """The request to the measuring process: a job, the effort, and a folder for the profiler (''
    for none)."""
    return json.dumps({"job": _plain(job), "effort": asdict(effort), "trace": trace}, default=float)


def _plain(job: Job) -> dict[str, Any]:
    """A job as JSON; a shape may have mappings of any class."""
    shape = {**vars(job.model), "more": _mapping(job.model.more)}
    if job.model.config is not None:
        shape["config"] = _mapping(job.model.config)
    return {**vars(job), "model": shape}


def _mapping(result: Any) -> Any:
    """Mappings as dictionaries, recursively."""
    if isinstance(result, Mapping):
        return {key: _mapping(value) for key, value in result.items()}
    return result


def heard(text: str) -> tuple[Job, Effort, str]:
    """The job, effort and folder of a request."""
    result = json.loads(text)
    shape = Shape(**result["job"].pop("model"))
    return Job(model=shape, **result["job"]), Effort(**result["effort"]), result["trace"]


def line(data: Mapping[str, Any]) -> str:
    """A message as a line of its own."""
    return MARK + json.dumps(data, default=float) + "\n"


def message_of(text: str) -> dict[str, Any] | None:
    """The message in a line; None if a library printed it."""
    _, mark, rest = text.partition(MARK)
    if not mark:
        return None
    try:
        result = json.loads(rest)
    except ValueError:
        return None
    return result if isinstance(result, dict) else None
