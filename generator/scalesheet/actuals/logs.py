"""Reads run records of other tools (exports, logs, invoices) as lines of actuals.

Each reader returns a text frame with the columns of a file of actuals (empty where the log does
not say), `name`, which matches a run to a row of the plan, and the `seconds` or `hours` of
wall-clock time that it took. `from` is the tool and its own id of the run, which identifies runs
that are read again.

The formats, as documented by the tools:

- `slurm`: `sacct --parsable2` with a header, https://slurm.schedmd.com/sacct.html
- `trainer`: `trainer_state.json`, written by `transformers.TrainerState.save_to_json`,
  https://huggingface.co/docs/transformers/main_classes/callback#transformers.TrainerState
- `tensorboard`: event files, read with the package `tensorboard`,
  https://github.com/tensorflow/tensorboard/blob/master/tensorboard/backend/event_processing
- `wandb`: the table of runs, downloaded as CSV, https://docs.wandb.ai/guides/runs
- `invoice`: lines of usage with a cost, as in the AWS Cost and Usage Report
  (https://docs.aws.amazon.com/cur/latest/userguide/data-dictionary.html) and the Google Cloud
  Billing export (https://cloud.google.com/billing/docs/how-to/export-data-bigquery-tables)
- `csv`: any other; columns are recognized by name, or named with `--map`
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalesheet.frozen import dataclass
from scalesheet.schemas import moment

if TYPE_CHECKING:
    from pandas import DataFrame

#: The columns of a file of actuals, in the order they are written.
COLUMNS = (
    *("phase", "run", "seed", "state", "start", "end", "accelerator", "gpus", "gpu_hours"),
    *("share", "cost", "tokens", "steps", "from", "note"),
)
#: Additional columns from readers.
BESIDE = ("id", "name", "seconds", "hours")
#: Columns that the user can set for all runs in a file.
FILLED = ("phase", "run", "seed", "state", "accelerator", "gpus", "share", "note")

#: Our columns, with the names that tools use for them; the first one in a file counts.
THEIRS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "run_id", "run id", "job_id", "jobid", "identity/lineitemid"),
    "name": ("name", "run_name", "job_name", "jobname", "resource_name", "resourcetags/user:name"),
    "phase": ("phase",),
    "run": ("run",),
    "seed": ("seed", "random_seed", "args.seed", "config.seed"),
    "state": ("state", "status"),
    "start": (
        *("start", "started", "start_time", "created", "createdat", "created_at"),
        *("lineitem/usagestartdate", "usage_start_time", "date"),
    ),
    "end": ("end", "ended", "end_time", "heartbeatat", "usage_end_time", "lineitem/usageenddate"),
    "accelerator": ("accelerator", "gpu", "gpu_type", "gpu type", "product/instancetype"),
    "gpus": ("gpus", "gpu_count", "gpu count", "num_gpus", "n_gpus", "world_size"),
    "gpu_hours": ("gpu_hours", "gpu hours", "gpu-hours"),
    "hours": ("hours", "lineitem/usageamount", "usage.amount", "usage_amount"),
    "seconds": ("seconds", "runtime", "_runtime", "_wandb.runtime", "train_runtime", "duration"),
    "share": ("share",),
    "cost": ("cost", "lineitem/unblendedcost", "amount", "cost_usd", "total_cost"),
    "tokens": ("tokens", "num_input_tokens_seen", "train/num_input_tokens_seen", "total_tokens"),
    "steps": ("steps", "_step", "global_step", "train/global_step", "step"),
    "from": ("from",),
    "note": ("note", "notes"),
}
#: Tools' names for the states of a run.
STATES: Mapping[str, str] = {
    **dict.fromkeys(("done", "finished", "completed", "success", "succeeded"), "done"),
    **dict.fromkeys(("running", "completing", "suspended"), "running"),
    **dict.fromkeys(("failed", "crashed", "timeout", "node_fail", "out_of_memory"), "failed"),
    **dict.fromkeys(("preempted", "boot_fail", "deadline", "error"), "failed"),
    **dict.fromkeys(("cancelled", "canceled", "killed", "stopped", "revoked"), "cancelled"),
    **dict.fromkeys(("pending", "requeued", "resizing", "queued"), ""),  # have taken nothing yet
}


class LogError(ValueError):
    """A file cannot be read, or not in the format it appears to have; the message says why."""


@dataclass(frozen=True)
class Read:
    """The runs in a file, the tool it is from, the names of runs that have not begun, and what was
    left out, in words.
    """

    tool: str
    runs: DataFrame
    waiting: tuple[str, ...]
    left_out: tuple[str, ...]


def read(path: Path, mapped: Mapping[str, str], filled: Mapping[str, str]) -> Read:
    """Read the runs in a file. `mapped` gives the file's column for each of ours, `filled` the
    values for all runs where the file has none. Raises LogError, or OSError if the file cannot be
    opened.
    """
    tool = tool_of(path)
    frame = _READERS[tool](path, mapped).reindex(columns=[*COLUMNS, *BESIDE], fill_value="")
    waiting: tuple[str, ...] = ()
    left_out: list[str] = []
    for name, value in filled.items():
        frame[name] = frame[name].where(frame[name] != "", value)
    if not frame.empty:
        frame = _settled(frame, tool, left_out)
        begun = frame["state"] != ""
        waiting, frame = tuple(frame["name"][~begun]), frame[begun].reset_index(drop=True)
    return Read(tool, frame, waiting, tuple(left_out))


def tool_of(path: Path) -> str:
    """The tool that a file is from, judging by its name and first line."""
    if ".tfevents." in path.name:
        return "tensorboard"
    with path.open("rb") as file:
        begin = file.read(4096).decode("utf-8", "replace")
    if path.suffix == ".json":
        return "trainer"
    head = begin.split("\n", 1)[0].lower()
    if "|" in head and "jobid" in head:
        return "slurm"
    names = {name.strip('" \r').lower() for name in head.split(",")}
    if {"name", "state"} <= names and names & {"runtime", "created", "_runtime", "_step"}:
        return "wandb"
    if names & {"lineitem/unblendedcost", "usage_start_time"}:
        return "invoice"
    return "csv"


# ------------------------------------------------------------------ readers


def _table(path: Path, separator: str = ",") -> DataFrame:
    """A delimited file, with all cells as text."""
    import pandas

    try:
        return pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise LogError(f"it cannot be read as a table: {error}") from None


def _slurm(path: Path, mapped: Mapping[str, str]) -> DataFrame:
    """Jobs, without their steps (`81204.batch`), which are parts of jobs."""
    jobs = _table(path, "|")
    jobs.columns = jobs.columns.str.strip()
    _needed(
        jobs, ("JobID", "State"), "sacct --parsable2 --format=JobID,JobName,State,Start,End,..."
    )
    jobs = jobs[~jobs["JobID"].str.contains(".", regex=False)].reset_index(drop=True)
    frame = _mapped(jobs, {"id": "JobID", **mapped})
    named = next((name for name in ("AllocTRES", "ReqTRES") if name in jobs), None)
    tres = jobs[named] if named else jobs["JobID"].map(lambda _: "")
    gpus = tres.str.extract(r"gres/gpu(?::[^=,]+)?=(\d+)")[0].fillna("")
    frame["gpus"] = frame["gpus"].where(frame["gpus"] != "", gpus)
    model = tres.str.extract(r"gres/gpu:([^=,]+)=")[0].fillna("")
    frame["accelerator"] = frame["accelerator"].where(frame["accelerator"] != "", model)
    if "ElapsedRaw" in jobs:
        frame["seconds"] = jobs["ElapsedRaw"]
    elif "Elapsed" in jobs:
        frame["seconds"] = jobs["Elapsed"].map(_elapsed)
    frame["state"] = frame["state"].str.split().str[0].fillna("")  # "CANCELLED by 1000"
    return frame


def _elapsed(text: str) -> str:
    """Convert `[DD-]HH:MM:SS` to seconds."""
    match = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?", text)
    if match is None:
        return ""
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return str(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _trainer(path: Path, mapped: Mapping[str, str]) -> DataFrame:
    """A single run. Its time is in the last entry, which is written when training has ended."""
    from pandas import DataFrame

    try:
        state: Any = json.loads(path.read_text("utf-8"))
        entries = [each for each in state["log_history"] if "train_runtime" in each]
        steps, most = int(state["global_step"]), int(state["max_steps"])
    except (ValueError, KeyError, TypeError) as error:
        raise LogError(f"it is not a trainer_state.json: {error!r}") from None
    folder = path.resolve().parent
    name = (folder.parent if folder.name.startswith("checkpoint-") else folder).name
    seconds = sum(float(each["train_runtime"]) for each in entries)
    row = {
        "id": name,
        "name": name,
        "state": "done" if entries and steps >= most else "failed" if entries else "running",
        "seconds": f"{seconds:.10g}" if entries else "",
        "tokens": str(state.get("num_input_tokens_seen") or ""),
        "steps": str(steps),
    }
    return DataFrame([row], dtype=str)


def _tensorboard(path: Path, mapped: Mapping[str, str]) -> DataFrame:
    """A single attempt. The file does not say whether it has ended."""
    from pandas import DataFrame

    try:
        from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    except ImportError:
        remedy = "pip install 'scalesheet[logs]'"
        raise LogError(f"event files are read with the package tensorboard; {remedy}") from None
    events = list(EventFileLoader(str(path)).Load())
    logged = [each for each in events if each.WhichOneof("what") != "file_version"]
    if not logged:
        raise LogError("it contains no events")
    times = [each.wall_time for each in (*logged, *events)]
    begin, end = min(times), max(each.wall_time for each in logged)
    row = {
        "id": path.name,
        "name": path.resolve().parent.name,
        "start": datetime.fromtimestamp(begin, UTC).isoformat(timespec="seconds"),
        "end": datetime.fromtimestamp(end, UTC).isoformat(timespec="seconds"),
        "seconds": f"{end - begin:.10g}",
        "steps": str(max(each.step for each in logged)),
    }
    return DataFrame([row], dtype=str)


def _csv(path: Path, mapped: Mapping[str, str]) -> DataFrame:
    return _mapped(_table(path), mapped)


_READERS: Mapping[str, Callable[[Path, Mapping[str, str]], DataFrame]] = {
    "slurm": _slurm,
    "trainer": _trainer,
    "tensorboard": _tensorboard,
    "wandb": _csv,
    "invoice": _csv,
    "csv": _csv,
}


def _needed(frame: DataFrame, columns: tuple[str, ...], remedy: str) -> None:
    lacking = [each for each in columns if each not in frame]
    if lacking:
        raise LogError(f"it lacks the column {lacking[0]}; write it with {remedy}")


def _mapped(table: DataFrame, mapped: Mapping[str, str]) -> DataFrame:
    """Our columns of a table, as mapped or by their usual names."""
    from pandas import DataFrame

    theirs = {str(name).strip().lower(): name for name in reversed(table.columns)}
    frame = DataFrame("", index=table.index, columns=[*COLUMNS, *BESIDE], dtype=str)
    for ours, usual in THEIRS.items():
        if ours in mapped and mapped[ours] not in table:
            known = ", ".join(map(str, table.columns))
            raise LogError(f"it has no column '{mapped[ours]}', as --map says; it has {known}")
        names = [mapped[ours]] if ours in mapped else [theirs[n] for n in usual if n in theirs]
        if names:
            frame[ours] = table[names[0]].str.strip()
    return frame


# ------------------------------------------------------------------ what is the same for all


def _settled(frame: DataFrame, tool: str, left_out: list[str]) -> DataFrame:
    """Convert states, times and hours to our form; incomplete lines are left out and reported."""
    state = frame["state"].str.lower().map(lambda each: STATES.get(each, each or "done"))
    frame = frame.assign(state=state)
    for column in ("start", "end"):
        frame[column] = frame[column].map(_moment)
    frame["from"] = frame["from"].where(frame["from"] != "", f"{tool} " + _ids(frame))
    frame["gpu_hours"] = [_gpu_hours(row) for row in frame.to_dict("records")]
    for column in ("gpus", "cost", "tokens", "steps", "share"):
        frame[column] = frame[column].map(_plain_number)
    kept = []
    for place, row in enumerate(frame.to_dict("records")):
        problem = _problem({str(key): str(value) for key, value in row.items()}, tool)
        if problem:
            left_out.append(f"line {place + 1}, {row['name'] or row['from']}: {problem}")
        kept.append(not problem)
    return frame[kept].reset_index(drop=True)


def _moment(text: str) -> str:
    """The time in UTC, to the second; empty if the tool writes Unknown."""
    read = moment(text.replace(" UTC", "+00:00"))
    if read is None:
        return ""
    return read.strftime(
        "%Y-%m-%d" if read.time().isoformat() == "00:00:00" else "%Y-%m-%dT%H:%M:%S"
    )


def _ids(frame: DataFrame) -> Any:
    """The tool's ids; where it has none, a digest of the run's name and start, with a number if
    several are equal.
    """
    parts = frame[["name", "phase", "run", "seed", "start", "accelerator"]].agg("|".join, axis=1)
    digests = parts.map(lambda text: hashlib.sha256(text.encode()).hexdigest()[:10])
    again = digests.groupby(digests).cumcount()
    digests = digests.where(again == 0, digests + "-" + again.astype(str))
    return frame["id"].where(frame["id"] != "", digests)


def _number(text: object) -> float | None:
    try:
        number = float(str(text).replace(",", ""))
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _plain_number(text: str) -> str:
    """Convert `$1,200.00` to `1200`; other text is kept, so that `check` reports it."""
    number = _number(text.lstrip("$"))
    return text if number is None else f"{number:.10g}"


def _gpu_hours(row: Mapping[Any, Any]) -> str:
    """GPU hours as stated, or else wall-clock time x GPUs; empty if neither is known."""
    stated, gpus = _number(row["gpu_hours"]), _number(row["gpus"])
    hours, seconds = _number(row["hours"]), _number(row["seconds"])
    if stated is None and gpus is not None and (hours is not None or seconds is not None):
        stated = gpus * (hours if hours is not None else (seconds or 0.0) / 3600)
    return "" if stated is None else f"{stated:.10g}"


def _problem(row: Mapping[str, str], tool: str) -> str:
    """Why a line cannot be used; empty for runs with hours, and for those not yet begun. The period
    of an invoice line does not give its hours, because some charges are monthly.
    """
    if row["state"] == "":
        return ""
    if row["state"] not in ("running", "done", "failed", "cancelled"):
        return f"the state '{row['state']}' is unknown; set it for all runs with --fill state=done"
    between = row["start"] and row["gpus"] and (row["end"] or row["state"] == "running")
    if not row["gpu_hours"] and (tool == "invoice" or not between):
        if (row["seconds"] or row["hours"] or row["end"]) and not row["gpus"]:
            return "its number of GPUs is unknown; set it with --fill gpus=8"
        return "its duration is unknown"
    return ""
