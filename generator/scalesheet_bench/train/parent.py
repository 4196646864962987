"""Starts the measuring process, reads its messages, and makes a record of them.

Only that process imports PyTorch: a crash, a kill or a missing library there is an answer here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import scalesheet
from scalesheet.steps.faults import Failed, NotMeasured, OutOfMemory, fault_of
from scalesheet.steps.job import Effort, Job
from scalesheet.steps.record import Record
from scalesheet_bench.train.messages import asked, message_of
from scalesheet_bench.train.progress import Progress, recorded
from scalesheet_bench.train.spread import mean_of

Tell = Callable[[str], None]
EVERY = 2.0  # seconds between two lines of progress
LAST = 30  # lines of the process's output that an error may quote
CGROUP = Path("/sys/fs/cgroup/memory.events")


def measure(
    job: Job,
    effort: Effort,
    tell: Tell,
    command: str = "",
    day: date | None = None,
    trace: Path | None = None,
) -> Record:
    """Measure real steps of a job, and report progress line by line.

    `command` and `day` go into the record; `trace` is the folder for the profiler's results, if
    `effort.profile` asks for them. Raises `NotMeasured`. Ctrl-C ends the run after its step, and
    the timed steps are returned, marked as interrupted; without any, it raises KeyboardInterrupt as
    usual.
    """
    folder = str(trace) if effort.profile and trace is not None else ""
    with tempfile.TemporaryDirectory(prefix="scalesheet-") as own:
        paper = Path(own) / "job.json"
        paper.write_text(asked(job, effort, folder), encoding="utf-8")
        progress = Progress()
        listener = Listener(job, effort, tell, progress)
        listener.run(_command(job, paper), _environment(job))
    return recorded(job, effort, progress, command, day or date.today())


def _command(job: Job, paper: Path) -> list[str]:
    """The process's command; several accelerators are started by torchrun."""
    module = ["-m", "scalesheet_bench.train", str(paper)]
    if job.gpus == 1:
        return [sys.executable, *module]
    runner = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(job.gpus)]
    return [sys.executable, *runner, *module]


def _environment(job: Job) -> Mapping[str, str]:
    """The environment of the process: ours, with this scalesheet first in the path."""
    root = str(Path(scalesheet.__file__).resolve().parent.parent)
    before = os.environ.get("PYTHONPATH")
    result = {**os.environ, "PYTHONPATH": os.pathsep.join([root, before] if before else [root])}
    result["PYTHONUNBUFFERED"] = "1"
    if job.gpus > 1 and job.device == "cpu":
        result.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // job.gpus)))
    return result


class Listener:
    """Runs the process and collects its messages."""

    def __init__(self, job: Job, effort: Effort, tell: Tell, progress: Progress) -> None:
        self.job = job
        self.effort = effort
        self.tell = tell
        self.progress = progress
        self.pid: int | None = None  # of the reporting process, which torchrun may have started
        self.fault: NotMeasured | None = None
        self.printed: deque[str] = deque(maxlen=LAST)
        self.spoke = 0.0

    def run(self, command: list[str], environment: Mapping[str, str]) -> None:
        """Run the command to its end; raise its error, if any."""
        kills = _kills()
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=dict(environment),
            start_new_session=True,  # Ctrl-C in a terminal reaches only this process
        ) as process:
            beside = threading.Thread(target=self._keep, args=(process,), daemon=True)
            beside.start()
            try:
                self._hear(process)
            except BaseException:
                _end(process)
                raise
            finally:
                beside.join(timeout=5)
        if self.fault is not None:
            raise self.fault
        if process.returncode != 0 and not (self.progress.interrupted and self.progress.steps):
            raise self._died(process.returncode, _kills() > kills)

    def _hear(self, process: subprocess.Popen[str]) -> None:
        """Read messages until the process ends; ask it to end on Ctrl-C."""
        assert process.stdout is not None
        while True:
            try:
                for text in process.stdout:
                    message = message_of(text)
                    if message is None:
                        self.printed.append(text)
                    else:
                        self._take(message)
                process.wait()
                return
            except KeyboardInterrupt:
                if self.progress.interrupted or not self.progress.steps or self.pid is None:
                    raise
                self.progress.interrupted = True
                self.tell("stops after this step; press again to stop now")
                os.kill(self.pid, signal.SIGINT)  # a step may take minutes: it has no time limit

    def _take(self, data: dict[str, object]) -> None:
        """Handle a message: progress is reported, results are kept."""
        kind = data["is"]
        if kind == "begin":
            self.pid = int(str(data["pid"]))
        elif kind == "say":
            self.tell(str(data["text"]))
        elif kind == "fault":
            # the first of several processes to fail knows the cause
            self.fault = self.fault or fault_of(data)
        else:
            self.progress.take(data)
            self._progress(str(kind))

    def _progress(self, kind: str) -> None:
        """Report progress now and then while steps are timed."""
        now = time.monotonic()
        if kind != "step" or now - self.spoke < EVERY:
            return
        self.spoke = now
        mean = mean_of([step["whole"] for step in self.progress.steps])
        known = "" if mean.high is None else f" ± {100 * mean.precision:.1f} %"
        self.tell(f"step {mean.count}: {mean.value:.4g} s{known}")

    def _keep(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for text in process.stderr:
            self.printed.append(text)

    def _died(self, code: int, killed_for_memory: bool) -> NotMeasured:
        """The most likely cause of death of a process that sent no error."""
        printed = "".join(self.printed)
        job = self.job
        what = f"{job.model.title}, {job.method}, micro-batch {job.batch} of {job.length} tokens"
        remedy = "take a smaller micro-batch, shorter sequences, checkpointing, or another method"
        bounded = self.effort.memory is not None and code in (-signal.SIGABRT, -signal.SIGSEGV)
        if code == -signal.SIGKILL or killed_for_memory or bounded or "bad_alloc" in printed:
            how = "by the system, as it does where memory runs out" if code < 0 else "for memory"
            return OutOfMemory(
                f"the process that measured {what} was killed {how}: {remedy}",
                None,
                self.effort.memory,
            )
        name = f"signal {-code}" if code < 0 else f"exit code {code}"
        last = printed.strip().splitlines()[-1:] or ["it printed nothing"]
        return Failed(
            f"the process that measured {what} ended with {name}: {last[0]}; measure a smaller "
            "job to see whether PyTorch works here, and report this if it does"
        )


def _kills() -> int:
    """Processes in this control group that the kernel has killed for memory so far."""
    try:
        lines = CGROUP.read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def _end(process: subprocess.Popen[str]) -> None:
    """Kill the process and those it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
