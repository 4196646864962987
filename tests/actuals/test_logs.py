"""Logs of common tools become lines of actuals, each once, matched to the row of its run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from actuals.samples import AWS, SACCT, WANDB
from actuals.test_actuals import PLAN
from fuzz.hostile import event, framed
from scalesheet.actuals.logs import COLUMNS, read, tool_of
from scalesheet.actuals.matching import rules
from scalesheet.cli import main
from scalesheet.diagnostics import Refused
from scalesheet.examine import examine
from scalesheet.foreign import File
from small import plan

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the command on a plan with the phases `sft` and `rl`, with these files."""
    plan(tmp_path, PLAN)

    def run(*options: str, **files: str) -> tuple[int, str]:
        paths = []
        for name, text in files.items():
            paths.append(tmp_path / name.replace("__", "."))
            paths[-1].write_text(text, "utf-8")
        arguments = ["actuals", "small", *map(str, paths), *options]
        status = main([*arguments, "--data", str(tmp_path / "data")])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


def lines(folder: Path, tool: str) -> list[str]:
    return (folder / f"data/plans/small/actuals/{tool}.csv").read_text("utf-8").splitlines()


# ------------------------------------------------------------------ Slurm, end to end


def test_slurm_jobs_are_matched_and_written(call: Call, tmp_path: Path) -> None:
    status, told = call(sacct__txt=SACCT)
    assert status == 0
    assert lines(tmp_path, "slurm") == [
        "phase,run,seed,state,start,end,accelerator,gpus,gpu_hours,from",
        "sft,,1,failed,2026-09-01T09:00:00,2026-09-01T16:00:00,h100,8,56,slurm 81204",
        "sft,,1,done,2026-09-01T18:00:00,2026-09-03T01:00:00,h100,8,248,slurm 81207",
        "sft,,2,done,2026-09-03T09:00:00,2026-09-04T15:30:00,h100,8,244,slurm 81219",
        "rl,,1,running,2026-09-05T09:00:00,,h100,8,200,slurm 81301",
        ",world-demo,,cancelled,2026-09-04T09:00:00,2026-09-04T11:00:00,h100,8,16,slurm 81333",
    ]
    assert "world-demo  -> no row of the plan  cancelled   16 GPU h" in told
    assert "not started: rl.seed2" in told
    assert "5 added, 0 changed, 0 the same" in told
    assert "1 match no row of the plan and are counted as outside it" in told
    assert told.splitlines()[-1].startswith("forecast 2,")
    examined = examine(tmp_path / "data")
    assert [d.code for d in examined.diagnostics] == ["A001"]
    assert examined.edition is not None
    assert examined.edition.progress["small"].outside == 16


def test_the_same_file_read_twice_adds_nothing(call: Call, tmp_path: Path) -> None:
    call(sacct__txt=SACCT)
    before = lines(tmp_path, "slurm")
    status, told = call(sacct__txt=SACCT)
    assert (status, "nothing was written" in told) == (0, True)
    assert "0 added, 0 changed, 5 the same" in told
    assert lines(tmp_path, "slurm") == before


def test_a_later_log_finishes_a_run_and_keeps_edits(call: Call, tmp_path: Path) -> None:
    call(sacct__txt=SACCT)
    path = tmp_path / "data/plans/small/actuals/slurm.csv"
    edited = path.read_text("utf-8").replace(",world-demo,,", "rl,demo,9,")
    path.write_text(edited, "utf-8")
    later = SACCT.replace(
        "RUNNING|2026-09-05T09:00:00|Unknown|90000",
        ("COMPLETED|2026-09-05T09:00:00|2026-09-07T20:00:00|212400"),
    )
    _, told = call(sacct__txt=later)
    assert "0 added, 1 changed, 4 the same" in told
    assert lines(tmp_path, "slurm")[4:] == [
        "rl,,1,done,2026-09-05T09:00:00,2026-09-07T20:00:00,h100,8,472,slurm 81301",
        "rl,demo,9,cancelled,2026-09-04T09:00:00,2026-09-04T11:00:00,h100,8,16,slurm 81333",
    ]


def test_a_dry_run_writes_nothing(call: Call, tmp_path: Path) -> None:
    _, told = call("--dry-run", sacct__txt=SACCT)
    assert "5 added" in told
    assert told.endswith("nothing was written\n")
    assert not (tmp_path / "data/plans/small/actuals").exists()


def test_patterns_of_the_plan_and_of_the_command_line_come_first(
    call: Call, tmp_path: Path
) -> None:
    path = tmp_path / "data/plans/small/plan.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("{budget: most}", "{budget: most, match: {rl: world-*}}"), "utf-8")
    _, told = call("--match", "rl=sft_seed2", "--dry-run", sacct__txt=SACCT)
    assert told.splitlines()[:3] == [
        "rl: runs like 'sft_seed2' (--match)",
        "rl: runs like 'world-*' (plan.yaml)",
        "else the row whose id is in its name",
    ]
    assert "SFT_seed2   -> rl, seed 2" in told
    assert "world-demo  -> rl " in told


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("rl-seed1", "rl"),
        ("2026/RL_large", "rl"),
        ("world", None),
        ("sft-then-rl", "sft"),  # the longest id first
    ],
)
def test_the_words_of_an_id_are_searched_in_the_name(name: str, row: str | None) -> None:
    found = [rule.row for rule in rules(("rl", "sft"), (), ()) if rule.fits(name)]
    assert (found or [None])[0] == row


# ------------------------------------------------------------------ other tools


def test_runs_of_weights_and_biases_are_read(call: Call, tmp_path: Path) -> None:
    status, _ = call(export__csv=WANDB)
    assert status == 0
    assert lines(tmp_path, "wandb") == [
        "phase,seed,state,start,gpus,gpu_hours,steps,from,note",
        "sft,1,done,2026-09-01T08:00:00,8,240,4000,wandb " + _id(tmp_path, 1) + ",-",
        "rl,1,failed,2026-09-03T08:00:00,8,8,120,wandb " + _id(tmp_path, 2) + ",node lost",
    ]


def _id(folder: Path, place: int) -> str:
    return lines(folder, "wandb")[place].split("wandb ")[1].split(",")[0]


def test_the_state_saved_by_the_transformers_trainer_is_read(call: Call, tmp_path: Path) -> None:
    trainer = pytest.importorskip("transformers").TrainerState
    states = {
        "sft-seed1": trainer(
            global_step=300,
            max_steps=300,
            num_input_tokens_seen=1_228_800,
            log_history=[{"loss": 1.2, "step": 100}, {"train_runtime": 7200.0, "step": 300}],
        ),
        "sft-seed2/checkpoint-200": trainer(global_step=200, max_steps=300, log_history=[]),
    }
    paths = []
    for name, state in states.items():
        paths.append(tmp_path / name / "trainer_state.json")
        paths[-1].parent.mkdir(parents=True)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ResourceWarning
            )  # the garbage collector closes its file
            state.save_to_json(str(paths[-1]))
    status, told = call(*map(str, paths), "--fill", "gpus=8")
    assert status == 1
    place = "sft-seed2/checkpoint-200/trainer_state.json:1:1"
    assert f"{place}: A005 sft-seed2: its duration is unknown" in told
    assert lines(tmp_path, "trainer") == [
        "phase,seed,state,gpus,gpu_hours,tokens,steps,from",
        "sft,1,done,8,16,1228800,300,trainer sft-seed1",
    ]


def test_tensorboard_event_files_are_read(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="writes event files")
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(tmp_path / "rl-seed3"))  # type: ignore[no-untyped-call]
    for hour in range(5):
        moment = 4_000_000_000 + 3600 * hour
        writer.add_scalar("loss", 1.0, 10 * hour, walltime=moment)  # type: ignore[no-untyped-call]
    writer.close()  # type: ignore[no-untyped-call]
    (path,) = (tmp_path / "rl-seed3").iterdir()
    found = read(path, {}, {"gpus": "2"})
    ((_, run),) = found.runs
    assert (found.tool, run["name"], run["steps"], run["state"]) == (
        "tensorboard",
        "rl-seed3",
        "40",
        "done",
    )
    assert run["end"] == "2096-10-02T11:06:40"
    assert run["from"] == f"tensorboard {path.name}"
    assert float(run["gpu_hours"]) > 8  # since the writer was created


def test_invoice_lines_are_read(call: Call, tmp_path: Path) -> None:
    status, told = call("--fill", "gpus=8", invoice__csv=AWS)
    assert status == 1
    assert "invoice.csv:4:1: A005 checkpoints: its duration is unknown" in told
    assert lines(tmp_path, "invoice") == [
        "phase,seed,state,start,end,accelerator,gpus,gpu_hours,cost,from",
        "sft,1,done,2026-09-01,2026-09-02,p4d.24xlarge,8,192,786.24,invoice a1",
        "sft,1,done,2026-09-02,2026-09-03,p4d.24xlarge,8,192,786.24,invoice a2",
    ]


def test_any_csv_is_read_with_a_mapping(call: Call, tmp_path: Path) -> None:
    text = 'what,GPU time,paid\nsft 1,"1,200","$3,000"\nsft 1,2,\n'
    status, told = call("--map", "name=what", "--map", "gpu_hours=GPU time", mine__csv=text)
    assert (status, "2 added" in told) == (0, True)
    assert [line.split(",csv")[0] for line in lines(tmp_path, "csv")] == [
        "phase,state,gpu_hours,from",
        "sft,done,1200",
        "sft,done,2",
    ]
    _, told = call("--map", "name=what", "--map", "gpu_hours=GPU time", mine__csv=text)
    assert "0 added, 0 changed, 2 the same" in told


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "", "1:1: A005 the file is empty; expected a table"),
        ("a.csv", 'name,state\nsft,"done\n', "2:1: A005 not CSV: a quotation mark is not closed"),
        ("a.csv", "name,state\nsft,\0\n", "2:5: A005 expected text in UTF-8, found a NUL byte"),
        ("a.txt", "JobID|JobName\n1|a\n", "it lacks the column State; write it with sacct"),
        ("a.json", "[]", "1:1: A005 expected a trainer_state.json, found a list"),
        ("a.json", '{"log_history": 1}', "1:2: A005 it is not a trainer_state.json: log_history"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(Refused, match=says):
        read(tmp_path / name, {}, {})


def test_an_incomplete_line_is_reported(call: Call) -> None:
    text = "name,state,gpu_hours,hours\nsft-1,dreaming,1,\nsft-2,done,,3\nsft-3,done,,\n"
    status, told = call(mine__csv=text)
    assert status == 1
    assert [line.partition(": A005 ")[2] for line in told.splitlines() if "left out" in line] == [
        "sft-1: the state 'dreaming' is unknown; set it for all runs with --fill state=done",
        "sft-2: its number of GPUs is unknown; set it with --fill gpus=8",
        "sft-3: its duration is unknown",
    ]


HEAD = "name,state,start,end,gpus,gpu_hours,cost\n"
GOOD = "sft-9,done,2026-09-01,2026-09-02,8,192,500\n"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("sft-1,done,2026-09-02,2026-09-01,8,,", "the run ends at 2026-09-01, before its start"),
        ("sft-1,done,,,,nan,", "its duration is unknown"),
        ("sft-1,done,,,,1e308,", "gpu_hours: expected a number, 0 or more, found '1e308'"),
        ("sft-1,done,,,,-5,", "gpu_hours: expected a number, 0 or more, found '-5'"),
        (
            "sft-1,done,,,,1e99,",
            "sft-1: gpu_hours: expected a number, 0 or more, up to 1e15, found the",
        ),
        ("sft-1,done,2026-09-01,,1e-9,1e9,", "1e+09 GPU hours on 1e-09 GPUs from 2026-09-01 end"),
        ("sft-1,done,0999-05-05,2026-09-01,8,,", "start: expected a time such as 2026-11-20T14:30"),
        ("sft-1,done,0001-01-01T00:00+14:00,,8,1,", "start: expected a time such as 2026-11-20T1"),
        ("sft-1,done,,,8,1,12 USD", "cost: expected a number, found '12 USD'"),
        ("sft-1,done,,,,1,2,3", "expected 7 cells, found 8; put quotes around a cell"),
        ("sft\x07,done,,,,1,", "the control character U+0007 is not allowed in text; delete it"),
        ("sft-1,done,2026-09-01,,8,99999999999,", "GPU hours on 8 GPUs from 2026-09-01 end after"),
    ],
)
def test_a_line_that_check_would_refuse_is_left_out_and_the_rest_is_written(
    call: Call, tmp_path: Path, line: str, says: str
) -> None:
    status, told = call(mine__csv=HEAD + line + "\n" + GOOD)
    (left_out,) = (each for each in told.splitlines() if "left out" in each)
    assert "mine.csv:2:1: A005 " in left_out
    assert says in left_out
    assert (status, len(lines(tmp_path, "csv"))) == (1, 2)
    assert examine(tmp_path / "data").diagnostics == []


def test_a_later_log_cannot_spoil_a_line(call: Call, tmp_path: Path) -> None:
    head = "id,name,start,end,gpus,gpu_hours\n"
    call(mine__csv=head + "7,sft,2026-09-02,2026-09-03,8,\n")
    before = lines(tmp_path, "csv")
    status, told = call(mine__csv=head + "7,sft,2026-09-02,2026-09-01,8,\n")
    assert (status, "before its start" in told, "nothing was written" in told) == (1, True, True)
    assert lines(tmp_path, "csv") == before


@pytest.mark.parametrize("ending", ["gz", "xz", "bz2", "zip", "tar", "zst"])
@pytest.mark.parametrize("content", [b"junk", WANDB.encode(), b""])
def test_a_compression_is_not_guessed_from_a_name(
    call: Call, tmp_path: Path, ending: str, content: bytes
) -> None:
    path = tmp_path / f"sft.csv.{ending}"
    path.write_bytes(content)
    status, told = call(str(path))
    assert (status, "internal error" in told) == (0 if content == WANDB.encode() else 1, False)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"log_history": 1}, "log_history: expected a list of objects, found 1"),
        ({"log_history": ["train_runtime"]}, "log_history: expected a list of objects"),
        (
            {"log_history": [{"train_runtime": None}]},
            "train_runtime: expected a number, found N",
        ),
        ({"log_history": [{"train_runtime": "7200"}]}, "train_runtime: expected a number"),
        ({"log_history": [{"train_runtime": 10**400}]}, "the number 1000000"),
        ({"log_history": [{"train_runtime": -1}]}, "seconds: expected a number, 0 or more"),
        ({"global_step": "300"}, "global_step: expected a number, found '300'"),
        ({"max_steps": True}, "max_steps: expected a number, found True"),
    ],
)
def test_a_state_of_the_trainer_in_another_shape_is_refused(
    call: Call, tmp_path: Path, change: dict[str, object], says: str
) -> None:
    state = {"global_step": 3, "max_steps": 3, "log_history": [{"train_runtime": 3600}], **change}
    status, told = call("--fill", "gpus=8", trainer_state__json=json.dumps(state))
    assert (status, says in told, "trainer_state.json:1:" in told) == (1, True, True), told
    assert not (tmp_path / "data/plans/small/actuals").exists()


# ------------------------------------------------------------------ evidence


def test_damaged_and_missing_events_are_reported(call: Call, tmp_path: Path) -> None:
    records = [framed(event(1_788_000_000.0 + 1800 * n, n or None)) for n in range(9)]
    path = tmp_path / "sft-seed1" / "events.out.tfevents.1788000000.host.1.0"
    path.parent.mkdir()
    path.write_bytes(b"".join(records))
    status, told = call("--fill", "gpus=2", "--dry-run", str(path))
    assert (status, "8 GPU h  8 events" in told, "left out" in told) == (0, True, False)
    damaged = records[3][:-1] + bytes((records[3][-1] ^ 1,))
    records[3:4] = [damaged, framed(event(0.0, 99))]
    path.write_bytes(b"".join(records)[:-7])
    status, told = call("--fill", "gpus=2", str(path))
    assert status == 1
    assert (
        "A005 only 6 events could be read; other records are 1 damaged, 1 without a possible "
        "time, 1 cut off at the end, so hours may be missing"
    ) in told
    assert "7 GPU h" in told


def test_a_gap_and_hours_far_above_the_plan_are_warnings(call: Call, tmp_path: Path) -> None:
    times = [*(1_788_000_000.0 + 600 * n for n in range(9)), 1_788_000_000.0 + 40 * 86_400]
    path = tmp_path / "sft-seed1" / "events.out.tfevents.1788000000.host.1.0"
    path.parent.mkdir()
    path.write_bytes(b"".join(framed(event(time, n or None)) for n, time in enumerate(times)))
    status, told = call("--fill", "gpus=16", str(path))
    warnings = [line.partition(": A006 ")[2] for line in told.splitlines() if "A006" in line]
    assert [warning.partition(";")[0] for warning in warnings] == [
        "no event for 958.7 hours after 2026-08-29T12:00, which count as hours of the run",
        "'sft' took 1.536e+04 GPU hours so far, 19.2 times the 800 planned",
    ]
    assert status == 0


def test_a_refund_is_money_and_takes_no_hours_back(call: Call, tmp_path: Path) -> None:
    refund = "a4,2026-09-03T00:00:00Z,2026-09-04T00:00:00Z,24,-86.24,p4d.24xlarge,sft-seed1\n"
    _, told = call("--fill", "gpus=8", invoice__csv=AWS.replace("a3,", f"{refund}a3,"))
    assert "sft-seed1  -> sft, seed 1  done  -86.24 USD" in told
    assert "3 added" in told
    assert lines(tmp_path, "invoice")[3].endswith(",0,-86.24,invoice a4")
    edition = examine(tmp_path / "data").edition
    assert edition is not None
    stands = edition.progress["small"]
    (row,) = (each for each in stands.rows if each.id == "sft")
    assert (row.spent, row.done, row.cost) == (384, 1, 2 * 786.24 - 86.24)
    assert stands.money is not None
    assert stands.money.spent == 2 * 786.24 - 86.24
    assert stands.money.rate == 2 * 786.24 / 384
    assert stands.calendar is not None
    assert stands.calendar.status.isoformat() == "2026-09-03T00:00:00+00:00"


def test_wrong_options_are_reported(call: Call) -> None:
    for options, says in (
        (["--match", "slf=a*"], "did you mean 'sft'?"),
        (["--map", "gpu_hour=x"], "did you mean 'gpu_hours'?"),
        (["--fill", "gpus"], "write NAME=VALUE"),
    ):
        status, told = call(*options, sacct__txt=SACCT)
        assert (status, says in told) == (2, True), told


def test_the_written_columns_match_the_schema() -> None:
    from scalesheet.schemas import schema

    assert set(COLUMNS) == set(schema("actuals")["properties"]["header"]["items"]["enum"])


def test_a_tool_is_recognized_by_its_file() -> None:
    for tool, text in (("slurm", SACCT), ("wandb", WANDB), ("invoice", AWS), ("csv", "a,b\n")):
        assert tool_of(File(tool, text.encode(), "A005"), tool) == tool


# ------------------------------------------------------------------ what a newcomer tried

TWO_JOBS = """\
JobID|JobName|State|Start|End|ElapsedRaw|AllocTRES
1|sft-a|COMPLETED|2026-09-01T09:00:00|2026-09-01T10:00:00|3600|gres/gpu=1
2|sft-b|COMPLETED|2026-09-01T09:00:00|2026-09-01T10:00:00|3600|gres/gpu=1
"""


def test_an_export_in_utf_16_is_read(call: Call, tmp_path: Path) -> None:
    """PowerShell writes it with `>`."""
    path = tmp_path / "sacct.txt"
    path.write_text(TWO_JOBS, "utf-16")
    status, said = call(str(path))
    assert status == 0
    assert "slurm, 2 runs" in said


def test_two_jobs_that_start_together_are_two_runs(call: Call, tmp_path: Path) -> None:
    call(sacct__txt=TWO_JOBS)
    assert [d for d in examine(tmp_path / "data").diagnostics if d.code == "A003"] == []


def test_the_same_line_twice_is_reported(call: Call, tmp_path: Path) -> None:
    run = "sft-a,1,2,2026-09-01"
    call(runs__csv=f"name,gpus,hours,start\n{run}\n{run}\n")
    assert [d.line for d in examine(tmp_path / "data").diagnostics if d.code == "A003"] == [3]


def test_a_name_that_no_workbook_can_hold_is_left_out(call: Call) -> None:
    status, said = call(runs__csv=f"name,gpus,hours\n{'x' * 40_000},1,2\n")
    assert status == 1
    assert "at most 30,000 characters" in said
