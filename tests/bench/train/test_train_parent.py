"""The measuring process reports its own failure; its parent needs no PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from project import ROOT, environment
from scalesheet.steps.job import Effort, Job, Shape
from scalesheet_bench.train import Failed, NoTorch, OutOfMemory, measure
from scalesheet_bench.train.parent import Listener
from scalesheet_bench.train.progress import Progress

JOB = Job(Shape("a", "A", 2, 64, 4, 2, 16, 128, 100, True, True, 1e6, 1e6), "a-processor")


def silent(text: str) -> None:
    """Ignore progress."""


def test_without_pytorch_the_extra_is_named(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('No module named torch')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(NoTorch, match=r"pip install 'scalesheet\[bench\]'"):
        measure(JOB, Effort(), silent)


def listened(code: str, memory: float | None = None) -> None:
    """Run a process with this code instead of the measuring one."""
    listener = Listener(JOB, Effort(memory=memory), silent, Progress())
    listener.run([sys.executable, "-c", code], os.environ)


def test_a_killed_process_is_out_of_memory_and_a_broken_one_is_not():
    with pytest.raises(OutOfMemory, match="killed by the system, as it does where memory runs out"):
        listened("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(OutOfMemory):
        listened("import os; os.abort()", memory=1e9)
    with pytest.raises(Failed, match=r"ended with exit code 7: last words"):
        listened("import sys; print('last words', file=sys.stderr); sys.exit(7)")
    with pytest.raises(Failed, match=r"ended with signal 6"):
        listened("import os; os.abort()")


def test_the_parent_needs_no_pytorch(tmp_path):
    """The modules that the command imports to measure work without PyTorch."""
    for name in ("torch", "transformers", "peft", "bitsandbytes"):
        (tmp_path / f"{name}.py").write_text("raise ImportError\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT / "generator")])
    code = "import scalesheet_bench.train"
    subprocess.run([sys.executable, "-c", code], env=environment(PYTHONPATH=path), check=True)
