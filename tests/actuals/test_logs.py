"""Logs of common tools become lines of actuals, each once, matched to the row of its run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from actuals.test_actuals import PLAN
from scalesheet.actuals.logs import COLUMNS, read, tool_of
from scalesheet.actuals.matching import rules
from scalesheet.cli import main
from scalesheet.diagnostics import Refused
from scalesheet.examine import examine
from scalesheet.foreign import File
from small import plan

#: Output of `sacct --parsable2 --format=...`, with job steps and two spellings of the state.
SACCT = """\
JobID|JobName|State|Start|End|ElapsedRaw|AllocTRES
81204|sft-seed1|OUT_OF_MEMORY|2026-09-01T09:00:00|2026-09-01T16:00:00|25200|cpu=64,gres/gpu:h100=8,gres/gpu=8
81204.batch|batch|OUT_OF_MEMORY|2026-09-01T09:00:00|2026-09-01T16:00:00|25200|cpu=64,gres/gpu=8
81207|sft-seed1|COMPLETED|2026-09-01T18:00:00|2026-09-03T01:00:00|111600|gres/gpu:h100=8,gres/gpu=8
81219|SFT_seed2|COMPLETED|2026-09-03T09:00:00|2026-09-04T15:30:00|109800|gres/gpu:h100=8,gres/gpu=8
81301|rl.seed1|RUNNING|2026-09-05T09:00:00|Unknown|90000|gres/gpu:h100=8,gres/gpu=8
81310|rl.seed2|PENDING|Unknown|Unknown|0|
81333|world-demo|CANCELLED by 1000|2026-09-04T09:00:00|2026-09-04T11:00:00|7200|gres/gpu:h100=8
"""
#: The runs table of Weights & Biases, as downloaded.
WANDB = """\
"Name","State","Notes","User","Tags","Created","Runtime","Sweep","seed","gpu_count","_step"
"sft-a","finished","-","ada","","2026-09-01T08:00:00.000Z","108000","","1","8","4000"
"rl-a","crashed","node lost","ada","","2026-09-03T08:00:00.000Z","3600","","1","8","120"
"""
#: Lines of the AWS Cost and Usage Report.
AWS = """\
identity/LineItemId,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/UsageAmount,\
lineItem/UnblendedCost,product/instanceType,resourceTags/user:Name
a1,2026-09-01T00:00:00Z,2026-09-02T00:00:00Z,24,786.24,p4d.24xlarge,sft-seed1
a2,2026-09-02T00:00:00Z,2026-09-03T00:00:00Z,24,786.24,p4d.24xlarge,sft-seed1
a3,2026-09-01T00:00:00Z,2026-10-01T00:00:00Z,,12.5,,checkpoints
"""

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
    pytest.importorskip("tensorboard", reason="of the extra 'logs'")
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
