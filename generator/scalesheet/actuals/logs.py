"""Reads run records of other tools (exports, logs, invoices) as lines of actuals.

Each reader returns a run as the text of the columns of a file of actuals (empty where the log does
not say), `name`, which matches it to a row of the plan, and the `seconds` or `hours` of wall-clock
time that it took. `from` is the tool and its own id of the run, which identifies runs that are read
again.

The formats, as documented by the tools:

- `slurm`: `sacct --parsable2` with a header, https://slurm.schedmd.com/sacct.html
- `trainer`: `trainer_state.json`, written by `transformers.TrainerState.save_to_json`,
  https://huggingface.co/docs/transformers/main_classes/callback#transformers.TrainerState
- `tensorboard`: event files, see `foreign.events`
- `wandb`: the table of runs, downloaded as CSV, https://docs.wandb.ai/guides/runs
- `invoice`: lines of usage with a cost, as in the AWS Cost and Usage Report
  (https://docs.aws.amazon.com/cur/latest/userguide/data-dictionary.html) and the Google Cloud
  Billing export (https://cloud.google.com/billing/docs/how-to/export-data-bigquery-tables)
- `csv`: any other; columns are recognized by name, or named with `--map`
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scalesheet import foreign
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.foreign.events import Events, events
from scalesheet.frozen import dataclass
from scalesheet.load.document import quotable
from scalesheet.vocabulary import counted

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


SACCT = "sacct --parsable2 --format=JobID,JobName,State,Start,End,..."
#: Runs of one file; a file of actuals has at most 5 MB.
MOST_RUNS = 50_000
UNREADABLE, DOUBTFUL = "A005", "A006"

#: A run as a log states it, by column; a column that it does not state is empty.
Run = dict[str, str]
#: The line of the file that a run begins on, and the run.
Found = tuple[int, Run]
#: What a reader finds: runs, and diagnostics: errors for what it left out, warnings for doubts.
Reader = Callable[[foreign.File, Path, Mapping[str, str]], Iterator[Found | Diagnostic]]


@dataclass(frozen=True)
class Read:
    """The runs in a file with their lines, the tool it is from, the names of runs that have not
    begun, and what was left out or makes the hours doubtful (a warning).
    """

    tool: str
    file: foreign.File
    runs: tuple[Found, ...]
    waiting: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


def read(path: Path, mapped: Mapping[str, str], filled: Mapping[str, str]) -> Read:
    """Read the runs in a file. `mapped` gives the file's column for each of ours, `filled` the
    values for all runs where the file has none. Raises Refused if the file cannot be read, or is
    not in the format that it appears to have.
    """
    file = foreign.read(path, UNREADABLE)
    tool = tool_of(file, path.name)
    runs: list[Found] = []
    problems: list[Diagnostic] = []
    waiting: list[str] = []
    seen: Counter[str] = Counter()
    for number, found in enumerate(_READERS[tool](file, path, mapped), 1):
        if number > MOST_RUNS:
            raise file.refused(f"expected at most {MOST_RUNS:,} runs; split the file")
        if isinstance(found, Diagnostic):
            problems.append(found)
            continue
        line, run = found
        run |= {name: " ".join(text.split()) for name, text in run.items()}
        run |= {name: value for name, value in filled.items() if not run[name]}
        problem = _settle(run, tool, seen)
        if problem:
            problems.append(file.wrong(f"{run['name'] or run['from']}: {problem}", line))
        elif not run["state"]:
            waiting.append(run["name"])
        else:
            runs.append(found)
    return Read(tool, file, tuple(runs), tuple(waiting), tuple(problems))


def tool_of(file: foreign.File, name: str) -> str:
    """The tool that a file is from, judging by its name and first line."""
    if ".tfevents." in name:
        return "tensorboard"
    if name.endswith(".json"):
        return "trainer"
    head = foreign.text(file)[:4096].split("\n", 1)[0].lower()
    if "|" in head and "jobid" in head:
        return "slurm"
    names = {name.strip('" \r') for name in head.split(",")}
    if {"name", "state"} <= names and names & {"runtime", "created", "_runtime", "_step"}:
        return "wandb"
    if names & {"lineitem/unblendedcost", "usage_start_time"}:
        return "invoice"
    return "csv"


# ------------------------------------------------------------------ readers


def _rows(
    file: foreign.File, mapped: Mapping[str, str], separators: str = ",;\t"
) -> Iterator[tuple[int, dict[str, str], Run] | Diagnostic]:
    """The lines of a table: the number of each, its cells by the names in the file, and the run
    that it states, in columns that are mapped or have a usual name.
    """
    rows = foreign.rows(file, separators, quotes="|" not in separators)
    header = next(rows, None)
    if header is None:
        raise file.refused("the file is empty; expected a table with a line of column names")
    names = [name.strip() for name in header.cells]
    columns = _columns(file, names, mapped)
    for line, cells in rows:
        if len(cells) != len(names):
            expected = f"expected {counted(len(names), 'cell')}, found {len(cells)}"
            few = len(cells) < len(names)
            fix = "add what is cut off" if few else "put quotes around a cell that has a separator"
            yield file.wrong(f"{expected}; {fix}", line)
            continue
        row = dict(zip(reversed(names), reversed(cells), strict=True))  # of equals the first counts
        yield line, row, {**_empty(), **{ours: row[name] for ours, name in columns.items()}}


def _columns(file: foreign.File, names: Sequence[str], mapped: Mapping[str, str]) -> dict[str, str]:
    """The name of each of our columns in a table."""
    theirs = {name.lower(): name for name in reversed(names)}
    usual = {ours: [theirs[name] for name in n if name in theirs] for ours, n in THEIRS.items()}
    found = {ours: of[0] for ours, of in usual.items() if of} | dict(mapped)
    known = quotable(", ".join(names))
    for name in mapped.values():
        if name not in names:
            raise file.refused(f"it has no column '{name}', as --map says; it has {known}")
    if not found:
        raise file.refused(f"no column of it is known; name its columns, {known}, with --map")
    return found


def _csv(file: foreign.File, path: Path, mapped: Mapping[str, str]) -> Iterator[Found | Diagnostic]:
    """A run for each line."""
    for found in _rows(file, mapped):
        yield found if isinstance(found, Diagnostic) else (found[0], found[2])


def _empty() -> Run:
    return dict.fromkeys((*COLUMNS, *BESIDE), "")


def _slurm(
    file: foreign.File, path: Path, mapped: Mapping[str, str]
) -> Iterator[Found | Diagnostic]:
    """Jobs, without their steps (`81204.batch`), which are parts of jobs."""
    for found in _rows(file, mapped, "|"):
        if isinstance(found, Diagnostic):
            yield found
            continue
        line, row, job = found
        if lacking := {"JobID", "State"} - row.keys():
            raise file.refused(f"it lacks the column {min(lacking)}; write it with {SACCT}")
        if "." in row["JobID"]:
            continue
        tres = row.get("AllocTRES", row.get("ReqTRES", ""))
        gpus = re.search(r"gres/gpu(?::[^=,]+)?=(\d+)", tres)
        model = re.search(r"gres/gpu:([^=,]+)=", tres)
        job["gpus"] = job["gpus"] or (gpus[1] if gpus else "")
        job["accelerator"] = job["accelerator"] or (model[1] if model else "")
        job["seconds"] = row.get("ElapsedRaw", _elapsed(row.get("Elapsed", "")))
        job["state"] = job["state"].strip().partition(" ")[0]  # "CANCELLED by 1000"
        yield line, job


def _elapsed(text: str) -> str:
    """Convert `[DD-]HH:MM:SS` to seconds."""
    match = re.fullmatch(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,6})(?:\.\d+)?", text)
    if match is None:
        return ""
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return str(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _trainer(
    file: foreign.File, path: Path, mapped: Mapping[str, str]
) -> Iterator[Found | Diagnostic]:
    """A single run. Its time is in the last entry, which is written when training has ended."""
    state = foreign.mapping(file, "a trainer_state.json", diverged=True)
    history = state.get("log_history")
    if not isinstance(history, list) or not all(isinstance(each, dict) for each in history):
        raise _no_trainer(file, "log_history", "a list of objects", history)
    entries = [each["train_runtime"] for each in history if "train_runtime" in each]
    for name, values in (("train_runtime", entries), *((n, [state.get(n)]) for n in _STEPS)):
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise _no_trainer(file, name, "a number", value)
    steps, most = (state[name] for name in _STEPS)
    tokens = state.get("num_input_tokens_seen")
    folder = path.resolve().parent
    name = (folder.parent if folder.name.startswith("checkpoint-") else folder).name
    run = {
        "id": name,
        "name": name,
        "state": "done" if entries and steps >= most else "failed" if entries else "running",
        "seconds": f"{sum(entries):.10g}" if entries else "",
        "tokens": str(tokens) if isinstance(tokens, int) and tokens else "",
        "steps": str(steps),
    }
    yield 1, {**_empty(), **run}


_STEPS = ("global_step", "max_steps")


def _no_trainer(file: foreign.File, name: str, expected: str, value: object) -> Refused:
    found = f"expected {expected}, found {quotable(repr(value))}"
    where = foreign.place_of_key(foreign.text(file), name)
    return file.refused(f"it is not a trainer_state.json: {name}: {found}; save it again", *where)


def _tensorboard(
    file: foreign.File, path: Path, mapped: Mapping[str, str]
) -> Iterator[Found | Diagnostic]:
    """A single attempt. The file does not say whether it has ended."""
    found = events(file)
    yield from _evidence(file, found)
    if not found.count:
        raise file.refused("it has no event that can be read; copy it again")
    begin, end = found.times[0], found.times[-1]
    run = {
        "id": path.name,
        "name": path.resolve().parent.name,
        "start": begin.isoformat(timespec="seconds"),
        "end": end.isoformat(timespec="seconds"),
        "seconds": f"{(end - begin).total_seconds():.10g}",
        "steps": str(found.step),
        "events": str(found.count),
    }
    yield 1, {**_empty(), **run}


def _evidence(file: foreign.File, found: Events) -> Iterator[Diagnostic]:
    """What an event file lacks, and what makes its hours doubtful."""
    skipped = {
        "damaged": found.damaged,
        "without a possible time": found.timeless,
        "cut off at the end": int(found.lost > 0),
    }
    if lacks := [f"{number:,} {what}" for what, number in skipped.items() if number]:
        records = counted(found.count, "event")
        yield file.wrong(
            f"only {records} could be read; other records are {', '.join(lacks)}, so hours may be "
            "missing; copy the file again, or take the hours from the scheduler"
        )
    for time, took in found.gaps():
        hours, at = took.total_seconds() / 3600, time.isoformat(timespec="minutes")[:16]
        message = (
            f"no event for {hours:,.1f} hours after {at}, which count as hours of the run; if it "
            "stood still, take the hours from the scheduler"
        )
        yield Diagnostic(file.path, 1, 1, DOUBTFUL, message)


_READERS: Mapping[str, Reader] = {
    "slurm": _slurm,
    "trainer": _trainer,
    "tensorboard": _tensorboard,
    "wandb": _csv,
    "invoice": _csv,
    "csv": _csv,
}

# ------------------------------------------------------------------ what is the same for all

#: Words for a number that is not known.
_UNKNOWN = frozenset(("", "-", "n/a", "na", "nan", "none", "null", "unknown"))


def _settle(run: Run, tool: str, seen: Counter[str]) -> str:
    """Convert states, times and numbers to our form; say why the run cannot be used, if so. Runs
    that have not yet begun have no state.
    """
    state = run["state"].lower()
    run["state"] = STATES.get(state, state or "done")
    problem = "; ".join([*_times(run), *_numbers(run)])
    run["from"] = run["from"] or f"{tool} {run['id'] or _id(run, seen)}"
    if problem:
        return problem
    if run["cost"].startswith("-"):  # a refund or credit takes no hours back
        run |= {**dict.fromkeys(("gpus", "hours", "seconds", "end"), ""), "gpu_hours": "0"}
    run["gpu_hours"] = _gpu_hours(run)
    return _problem(run, tool)


def _times(run: Run) -> Iterator[str]:
    """Write times in UTC, to the second; empty if the tool writes Unknown."""
    for column in ("start", "end"):
        text = run[column]
        time = foreign.moment(text.replace(" UTC", "+00:00"))
        run[column] = ""
        if time is not None:
            whole = time.replace(tzinfo=None).isoformat(timespec="seconds")
            run[column] = whole.removesuffix("T00:00:00")
        elif re.search("[0-9]", text):
            years = f"{foreign.YEARS[0]} to {foreign.YEARS[-1]}"
            yield (
                f"{column}: expected a time such as 2026-11-20T14:30, in the years {years}, found "
                f"'{quotable(text)}'"
            )


def _numbers(run: Run) -> Iterator[str]:
    """Convert `$1,200.00` to `1200`."""
    for column in ("gpus", "gpu_hours", "hours", "seconds", "cost", "tokens", "steps", "share"):
        text = run[column]
        if text.lower() in _UNKNOWN:
            run[column] = ""
            continue
        number = foreign.number(text)
        if number is None or (number < 0 and column != "cost"):
            least = "" if column == "cost" else ", 0 or more"
            yield f"{column}: expected a number{least}, found '{quotable(text)}'"
        else:
            run[column] = f"{number:.10g}"


def _id(run: Run, seen: Counter[str]) -> str:
    """A digest of a run's name and start, with a number if several are equal."""
    text = "|".join(run[n] for n in ("name", "phase", "run", "seed", "start", "accelerator"))
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:10]
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest] - 1}"


def _gpu_hours(run: Run) -> str:
    """GPU hours as stated, or else wall-clock time x GPUs; empty if neither is known."""
    took = run["hours"] or (run["seconds"] and str(float(run["seconds"]) / 3600))
    if run["gpu_hours"] or not (run["gpus"] and took):
        return run["gpu_hours"]
    return f"{float(run['gpus']) * float(took):.10g}"


def _problem(run: Run, tool: str) -> str:
    """Why a line cannot be used; empty for runs with hours, and for those not yet begun. The period
    of an invoice line does not give its hours, because some charges are monthly.
    """
    if run["state"] == "":
        return ""
    if run["state"] not in ("running", "done", "failed", "cancelled"):
        state = quotable(run["state"])
        return f"the state '{state}' is unknown; set it for all runs with --fill state=done"
    between = run["start"] and run["gpus"] and (run["end"] or run["state"] == "running")
    if not run["gpu_hours"] and (tool == "invoice" or not between):
        if (run["seconds"] or run["hours"] or run["end"]) and not run["gpus"]:
            return "its number of GPUs is unknown; set it with --fill gpus=8"
        return "its duration is unknown"
    return ""
